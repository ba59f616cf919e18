"""Files are written whole or not at all, whatever happens meanwhile, and a lock has one holder."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kleis import durable_files
from kleis.durable_files import FileLock, write_whole

OLD, NEW = b"what was there", b"what comes instead"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "file"
    found.write_bytes(OLD)
    return found


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path.parent))


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A Python program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
    )


# ── Whole writes ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("durable", [True, False])
def test_the_content_is_replaced_and_nothing_is_left_beside(path: Path, durable: bool) -> None:
    status = write_whole(path, NEW, durable=durable)
    assert (path.read_bytes(), names(path)) == (NEW, ["file"])
    found = path.stat()
    assert (status.st_ino, status.st_size, status.st_mtime_ns) == (
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
    )


@pytest.mark.parametrize(
    ("mode", "expected"), [(0o600, 0o600), (0o644, 0o644), (0o777, 0o777), (None, 0o640)]
)
@pytest.mark.usefixtures("umask")
def test_permissions_are_those_that_were_asked_for(path: Path, mode: int | None, expected: int) -> None:
    write_whole(path, NEW, mode=mode)
    assert stat.S_IMODE(path.stat().st_mode) == expected


def test_a_link_is_replaced_and_what_it_leads_to_stays(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    write_whole(link, NEW)
    assert (link.is_symlink(), link.read_bytes(), path.read_bytes()) == (False, NEW, OLD)


def test_without_replace_a_file_that_is_there_stays(path: Path) -> None:
    with pytest.raises(FileExistsError):
        write_whole(path, NEW, replace=False)
    assert (path.read_bytes(), names(path)) == (OLD, ["file"])
    write_whole(path.with_name("other"), NEW, replace=False)
    assert (path.with_name("other").read_bytes(), names(path)) == (NEW, ["file", "other"])


def test_a_name_of_the_greatest_usual_length_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 245)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "missing" / "file", NEW)


def test_a_target_that_cannot_be_replaced_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(path, NEW)
    assert names(path) == ["folder"]


# ── Durability ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("durable", "expected"), [(True, ["fsync file", "replace", "fsync folder"]), (False, ["replace"])]
)
def test_the_content_reaches_the_disk_before_its_name(
    path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, expected: list[str]
) -> None:
    steps: list[str] = []
    replace, fsync = os.replace, os.fsync

    def seen_fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append("fsync folder" if is_folder else "fsync file")
        assert is_folder or os.fstat(descriptor).st_size == len(NEW)
        fsync(descriptor)

    def seen_replace(source: Path, target: Path) -> None:
        steps.append("replace")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "replace", seen_replace)
    write_whole(path, NEW, durable=durable)
    assert steps == expected


KILLED = """
import os, signal, sys
from pathlib import Path
from kleis.durable_files import write_whole
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_whole(Path(sys.argv[1]), b"what comes instead", suffix=".part")
"""


def test_a_kill_between_write_and_replace_leaves_the_file_as_it_was(path: Path) -> None:
    assert run(KILLED, path).returncode == -signal.SIGKILL
    assert path.read_bytes() == OLD
    left = [name for name in names(path) if name != "file"]
    assert len(left) == 1
    assert left[0].startswith(".file.")
    assert left[0].endswith(".part")
    write_whole(path, NEW)
    assert path.read_bytes() == NEW


FULL = """
import os, resource, sys
from pathlib import Path
from kleis.durable_files import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_whole(Path(sys.argv[1]), b"x" * 1_000_000)
except OSError as error:
    print(type(error).__name__, error.errno)
"""


def test_a_disk_that_takes_only_a_part_leaves_the_file_as_it_was(path: Path) -> None:
    assert run(FULL, path).stdout.split() == ["OSError", str(errno.EFBIG)]
    assert (path.read_bytes(), names(path)) == (OLD, ["file"])


@pytest.mark.parametrize("step", ["fsync", "fchmod", "replace", "link"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_step_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(type(error)):
        write_whole(path, NEW, mode=0o644, replace=step != "link")
    assert (path.read_bytes(), names(path)) == (OLD, ["file"])


def test_a_reader_sees_one_whole_content_of_many_writers(path: Path) -> None:
    contents = [bytes([65 + number]) * 200_000 for number in range(3)]
    write_whole(path, contents[0])
    stop = threading.Event()

    def write(content: bytes) -> None:
        while not stop.is_set():
            write_whole(path, content, durable=False)

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for each in writers:
        each.start()
    try:
        seen = {path.read_bytes() for _ in range(300)}
    finally:
        stop.set()
        for each in writers:
            each.join()
    assert seen <= set(contents)
    assert names(path) == ["file"]


# ── Locks ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_lock_has_one_holder_and_is_free_after_it(tmp_path: Path) -> None:
    place = tmp_path / "lock"
    with FileLock(place) as first, FileLock(place) as second:
        assert first.acquire(None)
        assert not second.acquire(0)
        assert not second.acquire(0.01)
    with FileLock(place) as third:
        assert third.acquire(0)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_who_waits_gets_the_lock_when_it_is_released(tmp_path: Path) -> None:
    place = tmp_path / "lock"
    got: list[bool] = []

    def wait() -> None:
        with FileLock(place) as lock:
            got.append(lock.acquire(60))

    with FileLock(place) as holder:
        assert holder.acquire(0)
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert got == []
    waiting.join(60)
    assert got == [True]


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "lock").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        FileLock(tmp_path / "lock")
    assert not target.exists()


HOLDS = """
import sys
from pathlib import Path
from kleis.durable_files import FileLock
with FileLock(Path(sys.argv[1])) as lock:
    print(lock.acquire(None), flush=True)
    sys.stdin.read()
"""


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    place = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder, FileLock(place) as lock:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not lock.acquire(0)
        holder.kill()
        holder.wait()
        assert lock.acquire(0)


COUNTS = """
import sys
from pathlib import Path
from kleis.durable_files import FileLock, write_whole
place, patience = Path(sys.argv[1]), eval(sys.argv[2])
for _ in range(50):
    with FileLock(place.with_name("lock")) as lock:
        assert lock.acquire(patience)
        write_whole(place, str(int(place.read_text()) + 1).encode(), durable=False)
"""


def test_processes_that_count_under_a_lock_lose_no_count(tmp_path: Path) -> None:
    place = tmp_path / "count"
    place.write_text("0")
    counting = [
        subprocess.Popen([sys.executable, "-c", COUNTS, str(place), patience])
        for patience in ("None", "None", "60", "60")
    ]
    assert [each.wait() for each in counting] == [0, 0, 0, 0]
    assert place.read_text() == "200"


def test_a_folder_is_synchronised_as_a_file_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    durable_files.synchronise(path)
    durable_files.synchronise(path.parent)
    assert synced == [path.stat().st_ino, path.parent.stat().st_ino]
