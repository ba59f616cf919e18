"""Where the home is, and the commands on it: export, import, backup, doctor; homes that cannot be used."""

from __future__ import annotations

import os
import sqlite3
from importlib import metadata
from pathlib import Path

import pytest

from registry.cli.pif.doctor import examine
from registry.home import Home, find_home
from tests.support.files.command_lines import Pif, Process, answer


def test_the_option_stands_above_the_environment() -> None:
    environment = {"PIF_HOME": "/from/environment", "HOME": "/users/a"}

    assert find_home(Path("/given"), environment) == Home(Path("/given"), "--home")
    assert find_home(None, environment) == Home(Path("/from/environment"), "PIF_HOME")
    assert find_home(None, {"PIF_HOME": ""}).chosen_by == "default"
    assert find_home(None, {}).path.name == "pif"


def test_homes_are_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))

    assert find_home(Path("here/../there")).path == tmp_path / "there"
    assert find_home(None, {"PIF_HOME": "~/tools"}).path == tmp_path / "user" / "tools"


def test_home_may_stand_before_or_behind_the_command(square: Pif, tmp_path: Path) -> None:
    other = tmp_path / "other"

    assert answer(square("list", "--json", "--home", other))["total"] == 0
    assert answer(square("--home", other, "list", "--json"))["total"] == 0
    assert answer(square("list", "--json"))["total"] == 1


def test_export_and_import(square: Pif, tmp_path: Path) -> None:
    there = tmp_path / "export"

    assert square("export", there).stdout == f"1 tool with 1 version in {there}\n"
    assert square("export", there).exit_code == 1
    assert answer(square("export", there, "square", "--overwrite", "--json"))["tools"] == 1
    assert square("export", tmp_path / "none", "squar").exit_code == 1
    taken = square("import", there, "--home", tmp_path / "other")
    assert taken.stdout == "square: version 1 is new, current 1\n1 version added\n"
    assert answer(square("import", there, "--json"))["added"] == 0
    assert square("import", tmp_path / "nowhere").exit_code == 1


def test_a_backup_is_a_home(square: Pif, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()

    assert square("backup", copy / "tools.sqlite").exit_code == 0
    assert square("backup", copy / "tools.sqlite").exit_code == 1
    assert answer(square("backup", copy / "tools.sqlite", "--overwrite", "--json"))["type"] == "backup"
    assert square("run", "square", "7", "--home", copy).stdout == "49\n"


def test_doctor_of_a_sound_home(square: Pif, home: Path) -> None:
    plain, listed = square("doctor"), answer(square("doctor", "--json"))

    assert plain.exit_code == 0
    assert "All is well." in plain.stdout
    assert listed["ok"] is True
    assert listed["home"] == {**listed["home"], "path": str(home), "chosen_by": "PIF_HOME", "writable": True}
    assert listed["store"]["tools"] == 1
    assert {"mcp", "msgspec", "click", "rich"} <= {package["name"] for package in listed["packages"]}


def test_doctor_makes_nothing(pif: Pif, home: Path) -> None:
    assert pif("doctor").exit_code == 0
    assert not home.exists()


def test_doctor_of_a_damaged_store(square: Pif, home: Path) -> None:
    connection = sqlite3.connect(home / "tools.sqlite")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM heads")
    connection.commit()
    connection.close()

    done, listed = square("doctor"), square("doctor", "--json")

    assert done.exit_code == listed.exit_code == 1
    assert "WRONG" in done.stdout
    assert "wrong: the store:" in done.stderr
    assert answer(listed)["ok"] is False


def test_doctor_of_something_else(pif: Pif, home: Path) -> None:
    home.mkdir()
    (home / "tools.sqlite").write_text("my notes\n" * 100)

    done = pif("doctor")

    assert done.exit_code == 1
    assert "not a tool store" in done.stderr
    assert (home / "tools.sqlite").read_text() == "my notes\n" * 100


def test_doctor_of_a_home_that_is_a_file(pif: Pif, home: Path) -> None:
    home.write_text("")

    done = pif("doctor")

    assert done.exit_code == 1
    assert "cannot be written" in done.stderr


def test_doctor_of_missing_and_old_packages(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    def version(name: str) -> str:
        if name == "rich":
            raise metadata.PackageNotFoundError(name)
        known = {"mcp": "2.2.9", "msgspec": "1.0", "click": "8.1.0rc1", "httpx2": "2.16"}
        return known.get(name, "9999")

    monkeypatch.setattr(metadata, "version", version)
    found = examine(Home(home, "--home"))

    wrong = {package["name"] for package in found["packages"] if not package["ok"]}
    assert wrong == {"rich", "mcp"}
    assert found["problems"] == [
        f"the package mcp is 2.2.9, and {wanted(found, 'mcp')} is needed",
        f"the package rich is missing, and {wanted(found, 'rich')} is needed",
    ]


def wanted(found: dict[str, list[dict[str, str]]], name: str) -> str:
    return next(package["wanted"] for package in found["packages"] if package["name"] == name)


def test_an_unusable_home_is_an_error_result(pif: Pif, home: Path) -> None:
    home.write_text("")

    for words in (
        ("list",),
        ("evolve", "1", "--name", "one"),
        ("backup", "x"),
        ("history", "a"),
    ):
        plain, listed = pif(*words), pif(*words, "--json")
        assert plain.exit_code == listed.exit_code == 1
        assert plain.stderr.startswith("store_error")
        assert answer(listed)["error"]["kind"] == "store_error"


def test_serve_of_an_unusable_home(process: Process, home: Path) -> None:
    home.write_text("")

    done = process("serve")

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"store_error" in done.stderr


def test_serve_answers_on_standard_output(process: Process) -> None:
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = process("serve", "--expose", "0", "--more", "--memory", "64", "--max-fuel", "1000", input=ping)

    assert done.returncode == 0
    assert b'"id":1' in done.stdout


@pytest.mark.parametrize(
    "words",
    [("--groups", "nonsense"), ("--memory", "0"), ("--max-fuel", "0"), ("--expose", "-1"), ("--json",)],
)
def test_serve_refuses_nonsense(process: Process, words: tuple[str, ...]) -> None:
    done = process("serve", *words)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr


def test_the_default_home_is_the_platforms(
    environment: dict[str, str], process: Process, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    done = process("list", "--json", env={"PIF_HOME": "", "XDG_DATA_HOME": str(data), "HOME": str(tmp_path)})

    assert done.returncode == 0
    assert [found for found in tmp_path.rglob("tools.sqlite") if found.parent.name == "pif"]
    assert os.path.commonpath([tmp_path, *tmp_path.rglob("tools.sqlite")]) == str(tmp_path)
