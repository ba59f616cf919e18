"""The child processes of pictures and documents: what the kernel refuses them, and how much of an answer is read."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kleis.documents.child import Limits, run_child
from kleis.documents.confine import library_directories
from kleis.errors import BudgetError, EvaluationError
from tests.support.documents import confined_jobs as jobs

JOBS = "tests.support.documents.confined_jobs"


def allows(call: str) -> bool:
    """Whether this kernel confines a process so."""
    code = f"import sys; from kleis.documents.confine import *; sys.exit(not {call})"
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


needs_namespaces = pytest.mark.skipif(not allows("confine_network()"), reason="no user namespaces here")
needs_landlock = pytest.mark.skipif(not allows("confine_files((), ())"), reason="no Landlock here")


def asked(job: str, text: str = "", **options: object) -> str:
    """What a job of the tests answers."""
    return run_child(f"{JOBS}:{job}", jobs.Asked(text), jobs.Answer, purpose="the job", **options).text  # type: ignore[arg-type]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_the_jobs_answer_at_all(tmp_path: Path) -> None:
    assert asked("echo", "hello", directory=tmp_path) == "hello"


@needs_namespaces
def test_a_child_reaches_no_network(listener: socket.socket) -> None:
    """Somebody listens, and this process reaches it."""
    port = listener.getsockname()[1]
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    with pytest.raises(EvaluationError, match=r"unreachable|not permitted|Permission denied"):
        asked("connect", str(port))
    with pytest.raises(EvaluationError, match=r"unreachable|not permitted|Permission denied"):
        asked("send_datagram", str(port))


@needs_namespaces
def test_a_child_cannot_return_to_the_network() -> None:
    with pytest.raises(EvaluationError):
        asked("enter_namespace", str(os.getpid()))


@needs_landlock
def test_a_child_reads_its_own_directory_and_no_other(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for each in (own, other):
        each.mkdir()
        (each / "text").write_text(each.name)
    (own / "link").symlink_to(other / "text")
    assert asked("read", str(own / "text"), directory=own) == "own"
    for path in (other / "text", own / "link", own / ".." / "other" / "text", Path("/etc/hostname")):
        with pytest.raises(EvaluationError, match="Permission denied"):
            asked("read", str(path), directory=own)
    with pytest.raises(EvaluationError, match="Permission denied"):
        asked("write", str(other / "new"), directory=own)
    assert asked("write", str(own / "new"), directory=own) == "written"
    assert not (other / "new").exists()


@needs_landlock
def test_a_child_changes_no_library(tmp_path: Path) -> None:
    for directory in library_directories():
        with pytest.raises(EvaluationError, match=r"Permission denied|Read-only"):
            asked("write", str(Path(directory) / "kleis-was-here"), directory=tmp_path)


def test_no_more_of_an_answer_is_read_than_the_limit_allows() -> None:
    """The child would go on for ever."""
    before = _memory()
    with pytest.raises(BudgetError, match="more than 2 MB") as caught:
        asked("flood", limits=Limits(answer=2))
    assert caught.value.code == "budget_size"
    assert _memory() - before < 64 << 20


def test_a_request_that_nobody_reads_and_an_answer_that_never_ends(tmp_path: Path) -> None:
    large = "x" * (8 << 20)
    with pytest.raises(BudgetError, match="without an answer"):
        asked("leave", large, directory=tmp_path)
    with pytest.raises(BudgetError, match="stopped after"):
        asked("close_and_stay", limits=Limits(wall=1.0))


def test_a_child_is_killed_where_nobody_waits() -> None:
    gone = threading.Event()
    threading.Timer(0.3, gone.set).start()
    with pytest.raises(BudgetError, match="cancelled"):
        asked("stay", running=lambda: not gone.is_set())


def test_what_a_child_started_ends_with_it(tmp_path: Path) -> None:
    with pytest.raises(BudgetError, match="stopped after"):
        asked("start_another", directory=tmp_path, limits=Limits(wall=5.0))
    process = int((tmp_path / "process").read_text())
    until = time.monotonic() + 20
    while _runs(process):
        assert time.monotonic() < until, "the process of the child is still there"
        threading.Event().wait(0.05)


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _memory() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_requests_are_data() -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(jobs.Asked("a")), type=jobs.Asked) == jobs.Asked("a")
