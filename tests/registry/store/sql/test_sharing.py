"""Threads and processes on one store: no update is lost, every answer is of one moment."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.store.sqlite.sqlite_store import SqliteStore
from tests.registry.store.sql.conftest import Place
from tests.support.stores import next_version

WRITER = """
import sys
from pathlib import Path
from registry.store.open_store import open_store
from registry.records import content_hash
home, url, who, rounds = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
store = open_store(home, url)
for number in range(rounds):
    code = f'"{who} {number}"'
    evolved = store.evolve("shared", code=code, hash=content_hash(code), description=who, capabilities=[])
    print(evolved.record.version, code, flush=True)
store.close()
"""


def test_processes_that_write_at_once_lose_nothing(place: Place) -> None:
    rounds = 25
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(place.home), place.url, who, str(rounds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("one", "two", "three")
    ]
    answers = [writer.communicate()[0] for writer in writers]
    acknowledged = dict(line.split(" ", 1) for answer in answers for line in answer.splitlines())
    store = place.open()
    lineage = store.snapshot().lineage("shared")
    problems = store.check()
    store.close()

    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert lineage is not None
    assert {str(record.version): record.code for record in lineage.versions} == acknowledged
    assert len(acknowledged) == 3 * rounds
    assert problems == ()


def test_threads_that_compare_and_swap_lose_no_update(place: Place) -> None:
    stores = [place.open(), place.open()]
    next_version(stores[0], "counter", "0")

    def count_up(worker: int) -> list[str]:
        refusals = []
        done = 0
        while done < 15:
            record = stores[worker % 2].snapshot().record("counter")
            assert record is not None
            try:
                next_version(
                    stores[worker % 2], "counter", str(int(record.code) + 1), expect_version=record.version
                )
                done += 1
            except RegistryError as error:
                refusals.append(error.kind)
        return refusals

    with ThreadPoolExecutor(4) as pool:
        refusals = {kind for kinds in pool.map(count_up, range(4)) for kind in kinds}
    final = stores[1].snapshot().record("counter")
    problems = stores[0].check()
    for store in stores:
        store.close()

    assert final is not None
    assert (final.code, final.version) == ("60", 61)
    assert refusals <= {"version_conflict"}
    assert problems == ()


def test_a_snapshot_never_shows_half_of_an_import(place: Place, tmp_path: Path) -> None:
    """Writers keep "left" and "right" equal, by imports of both; every snapshot sees them equal."""
    source, target = SqliteStore(tmp_path / "source"), place.open()
    reader = place.open()
    batches = []
    for number in range(40):
        for name in ("left", "right"):
            next_version(source, name, str(number))
        snapshot = source.snapshot()
        batches.append([lineage for name in ("left", "right") if (lineage := snapshot.lineage(name))])
    finished = threading.Event()

    def write() -> None:
        for batch in batches:
            target.adopt(batch)
        finished.set()

    seen: set[str] = set()
    writer = threading.Thread(target=write)
    writer.start()
    while True:
        last = finished.is_set()
        snapshot = reader.snapshot()
        left, right = snapshot.record("left"), snapshot.record("right")
        assert (left and left.code) == (right and right.code)
        if left:
            seen.add(left.code)
        if last:
            break
    writer.join()
    for store in (source, target, reader):
        store.close()

    assert "39" in seen


def test_another_handle_sees_a_write_at_once(place: Place) -> None:
    one, two = place.open(), place.open()
    for number in range(5):
        next_version(one, "f", str(number))
        seen = two.snapshot().record("f")
        assert seen is not None
        assert seen.code == str(number)
    assert two.snapshot() is two.snapshot()


def test_a_store_that_is_only_read_refuses_every_change(place: Place) -> None:
    store = place.open()
    next_version(store, "f", "1")
    reader = place.open_to_read()
    for change in (
        lambda: next_version(reader, "f", "2"),
        lambda: reader.rollback("f", 1),
        lambda: reader.forget("f"),
    ):
        with pytest.raises(RegistryError, match="served read-only; nothing was changed"):
            change()

    found = reader.snapshot().record("f")
    assert found is not None
    assert found.code == "1"
    assert reader.check() == ()


def test_a_backup_is_a_store_of_its_own(place: Place, tmp_path: Path) -> None:
    store = place.open()
    for number in range(6):
        next_version(store, f"tool_{number % 3}", str(number))
    store.forget("tool_1", 1)
    store.backup(tmp_path / "backup")
    home = tmp_path / "restored"
    home.mkdir()
    (home / "tools.sqlite").write_bytes((tmp_path / "backup").read_bytes())
    copy = SqliteStore(home)
    names = [f"tool_{number}" for number in range(3)]

    assert [copy.history(name) for name in names] == [store.history(name) for name in names]
    assert copy.check() == ()
    assert next_version(copy, "tool_1", "9") == next_version(store, "tool_1", "9")
    copy.close()
    with pytest.raises(RegistryError, match="there is a file already"):
        store.backup(tmp_path / "backup")
