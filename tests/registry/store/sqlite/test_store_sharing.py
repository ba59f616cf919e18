"""Threads and processes on one home: no update is lost, every answer is of one moment."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.sqlite.sqlite_store import SqliteStore

WRITER = """
import sys
from pathlib import Path
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.records import content_hash
home, who, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = SqliteStore(home)
for number in range(rounds):
    code = f'"{who} {number}"'
    evolved = store.evolve("shared", code=code, hash=content_hash(code), description=who, capabilities=[])
    print(evolved.record.version, code, flush=True)
store.close()
"""


def evolve(store: SqliteStore, name: str, code: str, expect_version: int | None = None) -> int:
    return store.evolve(
        name,
        code=code,
        hash=content_hash(code),
        description="text",
        capabilities=[],
        expect_version=expect_version,
    ).record.version


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    rounds = 25
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "home"), who, str(rounds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("one", "two", "three")
    ]
    answers = [writer.communicate()[0] for writer in writers]
    acknowledged = dict(line.split(" ", 1) for answer in answers for line in answer.splitlines())
    store = SqliteStore(tmp_path / "home")
    lineage = store.snapshot().lineage("shared")
    problems = store.check()
    store.close()

    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert lineage is not None
    assert {str(record.version): record.code for record in lineage.versions} == acknowledged
    assert len(acknowledged) == 3 * rounds
    assert problems == ()


def test_threads_that_compare_and_swap_lose_no_update(tmp_path: Path) -> None:
    stores = [SqliteStore(tmp_path), SqliteStore(tmp_path)]
    evolve(stores[0], "counter", "0")

    def count_up(worker: int) -> list[str]:
        refusals = []
        done = 0
        while done < 15:
            record = stores[worker % 2].snapshot().record("counter")
            assert record is not None
            try:
                evolve(stores[worker % 2], "counter", str(int(record.code) + 1), record.version)
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


def test_a_snapshot_never_shows_half_of_an_import(tmp_path: Path) -> None:
    """Writers keep "left" and "right" equal, by imports of both; every snapshot sees them equal."""
    source, target = SqliteStore(tmp_path / "source"), SqliteStore(tmp_path / "target")
    reader = SqliteStore(tmp_path / "target")
    batches = []
    for number in range(40):
        for name in ("left", "right"):
            evolve(source, name, str(number))
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


def test_another_handle_sees_a_write_at_once_also_after_a_writer_died_half_way(tmp_path: Path) -> None:
    one, two = SqliteStore(tmp_path), SqliteStore(tmp_path)
    for number in range(5):
        evolve(one, "f", str(number))
        if number == 2:
            one._counter._put(
                one._counter.value() + 1
            )  # as a writer leaves it that is killed between two marks
        seen = two.snapshot().record("f")
        assert seen is not None
        assert seen.code == str(number)
    assert two.snapshot() is two.snapshot()
    one.close()
    two.close()


def test_a_writer_waits_for_the_lock_and_gives_up_with_a_reason(tmp_path: Path) -> None:
    patient, busy = SqliteStore(tmp_path, patience=0.05), SqliteStore(tmp_path)
    with busy._counter.held(), pytest.raises(RegistryError, match="has been writing") as refused:
        evolve(patient, "f", "1")
    assert refused.value.kind == "store_error"
    assert evolve(patient, "f", "1") == 1
    busy._writer.execute("BEGIN IMMEDIATE")  # a program that knows nothing of the lock
    with pytest.raises(RegistryError, match="another process holds the store"):
        evolve(patient, "f", "2")
    busy._writer.execute("ROLLBACK")
    assert evolve(patient, "f", "2") == 2
    patient.close()
    busy.close()


def test_readers_are_not_kept_waiting_by_a_writer(tmp_path: Path) -> None:
    reader, busy = SqliteStore(tmp_path), SqliteStore(tmp_path)
    evolve(reader, "f", "1")
    with busy._change():
        fresh = SqliteStore.snapshot(reader)
        assert fresh.record("f") is not None
        assert reader.page()[0] == 1
    reader.close()
    busy.close()
