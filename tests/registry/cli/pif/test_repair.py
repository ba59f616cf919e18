"""`pif backup --verify` and `pif doctor --repair`: what is whole, what is saved, what is lost by name."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from registry.cli.pif.commands import pif
from registry.records import content_hash
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore

CODES = {f"tool_{number}": f'"{number}{"x" * 1_500}"' for number in range(30)}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with closing(SqliteStore(tmp_path / "home")) as store:
        for name, code in CODES.items():
            store.evolve(name, code=code, hash=content_hash(code), description=f"of {name}", capabilities=[])
        store.evolve("tool_3", code='"new"', hash=content_hash('"new"'), description="new", capabilities=[])
        store.rollback("tool_3", 1)
        store.forget("tool_9")
    return tmp_path / "home"


def asked(home: Path, *words: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(pif, ["--home", str(home), "--json", *words])
    answer: dict[str, Any] = json.loads(done.stdout)
    return done.exit_code, answer


def damage(path: Path, *pages: int) -> None:
    content = bytearray(path.read_bytes())
    for page in pages:
        content[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
    path.write_bytes(content)


def page_of(path: Path, text: str) -> int:
    return path.read_bytes().index(text.encode()) // 4096


def test_a_backup_is_verified_when_it_is_made_and_later(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    status, made = asked(home, "backup", str(target), "--verify")
    assert (status, made["type"], made["verified"]) == (0, "backup", True)
    assert (made["tools"], made["versions"], made["problems"]) == (29, 30, [])
    before = target.read_bytes()
    assert asked(home, "backup", str(target), "--verify") == (0, made)
    assert target.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["backup", "home"]


def test_a_damaged_backup_is_told_and_left_alone(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    asked(home, "backup", str(target))
    damage(target, page_of(target, "17xxxx"))
    before = target.read_bytes()
    status, found = asked(home, "backup", str(target), "--verify")
    assert status == 1
    assert not found["verified"]
    assert found["problems"]
    assert target.read_bytes() == before
    target.write_text("no backup at all" * 100)
    status, found = asked(home, "backup", str(target), "--verify")
    assert (status, found["type"], found["error"]["kind"]) == (1, "error", "store_error")


def test_a_whole_store_is_not_repaired(home: Path) -> None:
    before = (home / FILE_NAME).read_bytes()
    status, found = asked(home, "doctor", "--repair")
    assert (status, found["repaired"], found["ok"]) == (0, False, True)
    assert (home / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("sought", ["17xxxx", "of tool_17", "SQLite format 3"])
def test_what_is_readable_is_saved_and_what_is_not_is_named(home: Path, sought: str) -> None:
    path = home / FILE_NAME
    if sought.startswith("SQLite"):
        path.write_bytes(b"SQLit\xe5" + path.read_bytes()[6:])
    else:
        damage(path, page_of(path, sought))
    broken = path.read_bytes()
    status, examined = asked(home, "doctor")
    assert status == 1
    assert any("--repair" in each for each in examined["problems"])
    status, found = asked(home, "doctor", "--repair")
    assert found["repaired"]
    assert status == int(bool(found["lost"]))
    assert path.with_name(FILE_NAME + ".damaged-1").read_bytes() == broken
    assert str(path) + ".damaged-1" in found["damaged"]
    with closing(SqliteStore(home)) as store:
        assert store.check() == ()
        snapshot = store.snapshot()
        saved = {name: record.code for name in snapshot.names() if (record := snapshot.record(name))}
        assert saved.items() <= CODES.items()
        assert found["kept"] >= 20
        lost = {each.partition("@")[0] for each in found["lost"]}
        assert set(CODES) - {"tool_9"} <= set(saved) | lost
        if sought.startswith("SQLite"):
            assert not lost
            assert (snapshot.record("tool_3").version, snapshot.lineage("tool_3").current) == (1, 1)  # type: ignore[union-attr]
        assert store.evolve("f", code="1", hash=content_hash("1"), description="", capabilities=[]).record
    assert asked(home, "doctor", "--repair")[1]["repaired"] is False


def test_there_is_nothing_to_repair_without_a_database(home: Path) -> None:
    (home / FILE_NAME).unlink()
    status, found = asked(home, "doctor", "--repair")
    assert (status, found["error"]["kind"]) == (1, "store_error")
    assert "backup" in found["error"]["hint"]
    status, examined = asked(home, "doctor")
    assert status == 1
    assert any("this home had tools" in each for each in examined["problems"])
