"""Disk failures: full, damaged, a foreign file, no permission. Each is a `store_error` that says what to do, and no
change is half-written.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.store.failures import store_errors
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore
from registry.store.sqlite.tables import APPLICATION_ID, MIGRATIONS, prepare
from tests.support.stores import next_version

NOBODY = 65_534

LIMITED = """
import resource, signal, sys
from pathlib import Path
from registry.errors import RegistryError
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.records import content_hash
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    for number in range(100):
        code = '"' + "x" * 10_000 + str(number) + '"'
        store.evolve(f"tool_{number}", code=code, hash=content_hash(code), description="", capabilities=[])
        print(f"tool_{number}", flush=True)
except RegistryError as error:
    print(error.kind, error.found)
"""


@contextmanager
def powerless() -> Iterator[Path]:
    """A directory, and the rights of a user who does not own the machine (root may write anywhere)."""
    directory = Path(tempfile.mkdtemp(prefix="pif-store-"))
    directory.chmod(0o777)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield directory
    finally:
        if user == 0:
            os.seteuid(0)
        for path in [directory, *directory.rglob("*")]:
            path.chmod(0o700)
        shutil.rmtree(directory)


def test_a_full_disk_refuses_the_write_and_keeps_what_was_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    next_version(store, "f", "1")
    pages = store._writer.execute("PRAGMA page_count").fetchone()[0]
    store._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(RegistryError, match="disk is full") as refused:
        next_version(store, "g", '"' + "x" * 100_000 + '"')

    assert refused.value.kind == "store_error"
    assert "free some space" in str(refused.value.hint)
    assert store.snapshot().names() == ("f",)
    store._writer.execute("PRAGMA max_page_count = 1000000")
    assert next_version(store, "g", '"' + "x" * 100_000 + '"') == 1
    assert store.check() == ()
    store.close()


def test_a_limit_on_file_size_stops_the_log_itself_and_the_store_recovers(tmp_path: Path) -> None:
    """The kernel refuses to let the write-ahead log grow, as a full disk does: a child is limited, then looked at."""
    child = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], stdout=subprocess.PIPE, text=True, check=True
    )
    *acknowledged, refusal = child.stdout.splitlines()
    store = SqliteStore(tmp_path)
    kept = store.snapshot().names()
    problems = store.check()
    after = next_version(store, "after", "1")
    store.close()

    assert refusal.startswith("store_error")
    assert 0 < len(acknowledged) < 100
    assert sorted(acknowledged) == list(kept)
    assert problems == ()
    assert after == 1


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 300, b"x", b"SQLite format 3\0" + b"\xff" * 4_080]
)
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(RegistryError) as refused:
        SqliteStore(tmp_path)

    assert refused.value.kind == "store_error"
    assert refused.value.file == str(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(RegistryError, match="some other program"):
        SqliteStore(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        tables = other.execute("SELECT name FROM sqlite_master").fetchall()

    assert tables == [("bookmarks",)]


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(RegistryError, match="newer version of this program"):
        SqliteStore(tmp_path)


def test_migrations_are_applied_once_and_all_or_none(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    next_version(store, "f", "1")
    store.close()
    path = tmp_path / FILE_NAME
    good = ("ALTER TABLE heads ADD COLUMN stars INTEGER NOT NULL DEFAULT 0",)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        with pytest.raises(sqlite3.OperationalError):
            prepare(raw, path, [*MIGRATIONS, good, ("NO SUCH STATEMENT",)])
        columns = [row[1] for row in raw.execute("PRAGMA table_info(heads)")]
        assert "stars" not in columns
        prepare(raw, path, [*MIGRATIONS, good])
        prepare(raw, path, [*MIGRATIONS, good])
        assert raw.execute("SELECT name, stars FROM heads").fetchall() == [("f", 0)]
        assert raw.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
        assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_damage_is_found_wherever_it_is(tmp_path: Path) -> None:
    """A page of the file is overwritten, one after another: no wrong answer, and no error but ours."""
    store = SqliteStore(tmp_path / "home")
    codes = {f"tool_{number}": f'"{number}{"x" * 2_000}"' for number in range(20)}
    for name, code in codes.items():
        next_version(store, name, code)
    store.close()
    whole = (tmp_path / "home" / FILE_NAME).read_bytes()
    silent = 0
    for start in range(0, len(whole), 4_096):
        home = tmp_path / f"damaged_{start}"
        home.mkdir()
        (home / FILE_NAME).write_bytes(whole[:start] + b"\xa5" * 4_096 + whole[start + 4_096 :])
        silent += not _damage_shows(home, codes)

    # A page that is free, or whose content can be had from elsewhere, may go unnoticed; the code's pages may not.
    assert silent <= 2


def _damage_shows(home: Path, codes: dict[str, str]) -> bool:
    """Whether anything told of it; every answer given on the way must be right, every refusal a `store_error`."""
    refused: list[RegistryError] = []
    problems: tuple[str, ...] = ()
    answers: dict[str, str] = {}
    try:
        with closing(SqliteStore(home)) as store:
            problems = store.check()
            snapshot = store.snapshot()
            answers = {name: record.code for name in codes if (record := snapshot.record(name))}
            store.page("tool")
    except RegistryError as error:
        refused.append(error)
    assert answers.items() <= codes.items()
    assert {error.kind for error in refused} <= {"store_error"}
    return bool(refused or problems or len(answers) < len(codes))


def test_text_that_is_no_longer_unicode_is_damage(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    next_version(store, "f", '"abc"')
    store._writer.execute("UPDATE content SET code = CAST(x'ff22' AS TEXT)")
    with pytest.raises(RegistryError, match="damaged") as refused:
        store.snapshot().record("f")

    assert refused.value.kind == "store_error"
    assert store.check() != ()
    store.close()


def test_a_home_that_may_not_be_written() -> None:
    with powerless() as directory:
        home = directory / "home"
        store = SqliteStore(home)
        next_version(store, "f", "1")
        store.close()
        for path in (*home.iterdir(), home):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
        with pytest.raises(RegistryError) as refused:
            SqliteStore(home)
        assert refused.value.kind == "store_error"
        assert refused.value.hint
        with pytest.raises(RegistryError, match="Permission denied"):
            SqliteStore(home / "deeper")


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("I am a file")
    for home in (tmp_path / "home", tmp_path / "home" / "deeper"):
        with pytest.raises(RegistryError) as refused:
            SqliteStore(home)

        assert refused.value.kind == "store_error"


def test_a_file_that_becomes_read_only_while_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    next_version(store, "f", "1")
    store._writer.execute("PRAGMA query_only = ON")
    with pytest.raises(RegistryError, match="cannot be written"):
        next_version(store, "f", "2")

    assert store.snapshot().record("f", 1) is not None
    store.close()


def test_a_home_that_was_moved_away_is_an_error_and_no_new_store(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "home")
    (tmp_path / "home").rename(tmp_path / "elsewhere")
    with pytest.raises(RegistryError, match="cannot be opened"):
        store.snapshot()

    assert not (tmp_path / "home").exists()
    store.close()


def test_a_home_with_odd_characters_in_its_name(tmp_path: Path) -> None:
    home = tmp_path / "a ?mode=memory&x=%41#é"
    store = SqliteStore(home)
    next_version(store, "f", "1")
    store.close()

    assert (home / FILE_NAME).stat().st_size > 0


def test_errors_that_have_no_advice_are_internal_and_name_themselves(tmp_path: Path) -> None:
    with pytest.raises(RegistryError) as refused, store_errors(tmp_path):
        raise sqlite3.InterfaceError("odd")
    with pytest.raises(RegistryError) as full, store_errors(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")

    assert (refused.value.kind, refused.value.found) == ("internal", "InterfaceError")
    assert (full.value.kind, full.value.found) == ("store_error", "No space left on device")
