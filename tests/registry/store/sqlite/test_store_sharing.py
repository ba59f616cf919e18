"""Threads and processes on one home: no update is lost, every answer is of one moment."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore
from tests.support.stores import next_version


def test_another_handle_sees_a_write_at_once_also_after_a_writer_died_half_way(tmp_path: Path) -> None:
    one, two = SqliteStore(tmp_path), SqliteStore(tmp_path)
    for number in range(5):
        next_version(one, "f", str(number))
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
        next_version(patient, "f", "1")
    assert refused.value.kind == "store_error"
    assert next_version(patient, "f", "1") == 1
    busy._writer.execute("BEGIN IMMEDIATE")  # a program that knows nothing of the lock
    with pytest.raises(RegistryError, match="another process holds the store"):
        next_version(patient, "f", "2")
    busy._writer.execute("ROLLBACK")
    assert next_version(patient, "f", "2") == 2
    patient.close()
    busy.close()


def test_readers_are_not_kept_waiting_by_a_writer(tmp_path: Path) -> None:
    reader, busy = SqliteStore(tmp_path), SqliteStore(tmp_path)
    next_version(reader, "f", "1")
    with busy._change():
        fresh = SqliteStore.snapshot(reader)
        assert fresh.record("f") is not None
        assert reader.page()[0] == 1
    reader.close()
    busy.close()


def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = SqliteStore(home)
    next_version(store, "f", "1")

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert modes == dict.fromkeys(["tools.lock", FILE_NAME, FILE_NAME + "-wal", FILE_NAME + "-shm"], 0o600)
    store.close()
