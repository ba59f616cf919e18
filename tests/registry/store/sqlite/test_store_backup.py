"""Backups: complete, of one moment, made while others write, and never over a file by accident."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore
from tests.support.stores import next_version


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "home")
    yield opened
    opened.close()


def restored(backup: Path, home: Path) -> SqliteStore:
    home.mkdir()
    (home / FILE_NAME).write_bytes(backup.read_bytes())
    return SqliteStore(home)


def test_a_backup_is_the_store(store: SqliteStore, tmp_path: Path) -> None:
    for number in range(20):
        next_version(store, f"tool_{number % 5}", str(number))
    store.forget("tool_1")
    store.backup(tmp_path / "backup")
    next_version(store, "later", "1")
    copy = restored(tmp_path / "backup", tmp_path / "restored")
    names, histories = copy.snapshot().names(), [copy.history(f"tool_{number}") for number in range(5)]
    problems = copy.check()
    again = next_version(copy, "tool_1", "1")
    copy.close()

    assert names == ("tool_0", "tool_2", "tool_3", "tool_4")
    assert histories == [store.history(f"tool_{number}") for number in range(5)]
    assert problems == ()
    assert again == 5
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "home", "restored"]


def test_backups_made_while_others_write_are_each_of_one_moment(store: SqliteStore, tmp_path: Path) -> None:
    stop = threading.Event()
    written = []

    def write() -> None:
        while not stop.is_set():
            written.append(next_version(store, "f", str(len(written))))

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(5):
        before = len(written)
        store.backup(tmp_path / f"backup_{number}")
        after = len(written)
        copy = restored(tmp_path / f"backup_{number}", tmp_path / f"restored_{number}")
        lineage = copy.snapshot().lineage("f")
        problems = copy.check()
        copy.close()

        count = len(lineage.versions) if lineage else 0
        assert before <= count <= after + 1
        assert problems == ()
    stop.set()
    writer.join()


def test_nothing_is_overwritten_unless_that_is_asked_for(store: SqliteStore, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    target.write_text("precious")
    with pytest.raises(RegistryError, match="there is a file already") as refused:
        store.backup(target)
    assert refused.value.kind == "invalid_argument"
    assert target.read_text() == "precious"

    next_version(store, "f", "1")
    store.backup(target, overwrite=True)
    copy = restored(target, tmp_path / "restored")
    assert copy.snapshot().names() == ("f",)
    copy.close()


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "backup"
    link = os.link

    def slow_link(source: Path, destination: Path) -> None:
        target.write_text("quicker")
        link(source, destination)

    monkeypatch.setattr(os, "link", slow_link)
    with pytest.raises(RegistryError, match="there is a file already"):
        store.backup(target)

    assert target.read_text() == "quicker"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "home"]


@pytest.mark.parametrize("name", [FILE_NAME, FILE_NAME + "-wal", FILE_NAME + "-shm", "link"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_the_store_itself_is_no_target(
    store: SqliteStore, tmp_path: Path, name: str, overwrite: bool
) -> None:
    next_version(store, "f", "1")
    (tmp_path / "home" / "link").hardlink_to(tmp_path / "home" / FILE_NAME)
    with pytest.raises(RegistryError, match="the backup cannot go there"):
        store.backup(tmp_path / "home" / name, overwrite=overwrite)

    assert store.check() == ()
    assert next_version(store, "f", "2") == 2


def test_another_database_in_use_is_no_target(store: SqliteStore, tmp_path: Path) -> None:
    other = SqliteStore(tmp_path / "other")
    next_version(other, "g", "1")
    with pytest.raises(RegistryError, match="the log of another database"):
        store.backup(tmp_path / "other" / FILE_NAME, overwrite=True)

    assert other.snapshot().names() == ("g",)
    other.close()


def test_a_target_that_cannot_be_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(RegistryError) as missing:
        store.backup(tmp_path / "no" / "such" / "directory")
    with pytest.raises(RegistryError, match="it is a directory"):
        store.backup(tmp_path)

    assert missing.value.kind == "store_error"


def test_a_damaged_store_makes_no_backup(store: SqliteStore, tmp_path: Path) -> None:
    for number in range(50):
        next_version(store, f"tool_{number}", '"' + "x" * 1_000 + str(number) + '"')
    store.close()
    path = tmp_path / "home" / FILE_NAME
    content = bytearray(path.read_bytes())
    content[4_096 * 3 : 4_096 * 4] = b"\xa5" * 4_096
    path.write_bytes(content)
    again = SqliteStore(tmp_path / "home")
    with pytest.raises(RegistryError, match="damaged"):
        again.backup(tmp_path / "backup")
    again.close()

    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home"]
