"""Changes of a home, told soon after: by whoever they are made, without a question to the database."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.store.open_store import open_store
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.teams.team_stores import TeamStores
from tests.support.servers.raw_client import PATIENCE
from tests.support.stores import evolve

THREAD = "changes in the home"


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == THREAD]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with_counter = SqliteStore(tmp_path)
    yield with_counter
    with_counter.close()


def test_a_change_by_another_process_is_told(tmp_path: Path, store: SqliteStore) -> None:
    told = threading.Semaphore(0)
    following = store.follow(told.release)
    assert following is not None
    program = f"""if True:
        from pathlib import Path
        from registry.store.sqlite.sqlite_store import SqliteStore
        from tests.support.stores import evolve
        evolve(SqliteStore(Path({str(tmp_path)!r})), "tool", "1")
    """
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)
    while store.snapshot().sequence == 0:
        assert told.acquire(timeout=PATIENCE), "nobody told of the change"
    following.close()


def test_who_has_been_told_and_sees_an_even_count_sees_the_change(store: SqliteStore) -> None:
    """Of each write in turn: nothing is missed between two looks."""
    told, other = threading.Semaphore(0), SqliteStore(store._path.parent)
    following = store.follow(told.release)
    assert following is not None
    assert not following.is_live  # the count is a hint: who is told looks by the clock besides
    for number in range(5):
        evolve(other, f"tool_{number}", "1")
        while store.snapshot().sequence <= number:
            assert told.acquire(timeout=PATIENCE)
    following.close()
    other.close()


def test_the_stores_of_a_process_have_one_thread_which_the_last_follower_ends(
    tmp_path: Path, store: SqliteStore
) -> None:
    assert not threads()
    other = SqliteStore(tmp_path / "other")
    failing, told = threading.Semaphore(0), threading.Semaphore(0)

    def fails() -> None:
        failing.release()
        raise ZeroDivisionError

    first, second = store.follow(fails), other.follow(told.release)
    assert first is not None
    assert second is not None
    [running] = threads()
    evolve(store, "tool", "1")
    assert failing.acquire(timeout=PATIENCE)
    assert not told.acquire(blocking=False)  # another home's
    evolve(other, "tool", "1")
    assert told.acquire(timeout=PATIENCE)  # a follower that fails ends nothing
    first.close()
    first.close()
    second.close()
    running.join(PATIENCE)
    assert not running.is_alive()
    other.close()


def test_a_store_that_is_only_read_tells_nobody(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    reading = open_store(tmp_path, "", read_only=True)
    assert reading.follow(lambda: None) is None
    reading.close()


def test_a_change_of_a_team_is_told_by_its_files(tmp_path: Path) -> None:
    here, there = TeamStores(tmp_path), TeamStores(tmp_path)
    told = threading.Semaphore(0)
    following, team = here.follow(told.release), here.of("ops")
    assert team.last_change() == 0
    evolve(there.of("ops"), "team/ops/square", "1")
    while team.last_change() == 0:
        assert told.acquire(timeout=PATIENCE)
    following.close()
    here.close()
    there.close()
