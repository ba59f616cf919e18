"""The parse tables that are shipped, and the cache of others: used when it fits, rebuilt when it does not, and not needed."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from kleis.durable_files import user_cache_folder
from kleis.syntax.parser import tables
from kleis.syntax.parser.tables import Tables, load_tables
from kleis.theory.parse_cache import user_cache
from registry.errors import RegistryError
from registry.home import find_home

UNCACHED = load_tables.__wrapped__


def _none(key: str) -> None:
    """No tables are shipped."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tables, "shipped_tables", _none)
    return tmp_path / "pif-kleis"


def test_tables_are_stored_and_read_back(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = UNCACHED()
    [stored] = cache.iterdir()
    assert stored.suffix == ".json"

    def unexpected(grammar: str) -> Tables:
        raise AssertionError("built again")

    monkeypatch.setattr(tables, "build_tables", unexpected)
    assert UNCACHED() == built


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[[],[],[],{},{},{}]", b"0\n[[],[],[],{},{},{}]", b"\xff\xfe"]
)
def test_a_damaged_cache_is_replaced(cache: Path, content: bytes) -> None:
    UNCACHED()
    [stored] = cache.iterdir()
    stored.write_bytes(content)
    rebuilt = UNCACHED()
    assert rebuilt.spellings["define"] == "DEFINE"
    assert stored.read_bytes() != content
    assert UNCACHED() == rebuilt


def test_a_place_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "shipped_tables", _none)
    blocked = tmp_path / "file"
    blocked.write_text("no directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert UNCACHED().starts.keys() == {"program", "expression", "type"}
    assert blocked.read_text() == "no directory"


def test_another_grammar_has_another_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    UNCACHED()
    text = tables.grammar_text()
    monkeypatch.setattr(tables, "grammar_text", lambda: text + "\n// changed\n")
    UNCACHED()
    assert len(list(cache.iterdir())) == 2


def test_shipped_tables_need_neither_cache_nor_lark(tmp_path: Path) -> None:
    """Where this fails, the grammar or tables.py has changed: python -m kleis.syntax.parser.tables."""
    code = (
        "import sys\n"
        "from kleis.syntax.parser.parser import parse_expression\n"
        "parse_expression('1 + 1')\n"
        "print('lark' in sys.modules)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"
    assert list(tmp_path.iterdir()) == []


def test_tables_of_another_grammar_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    key = tables._key(tables.grammar_text())
    assert tables.shipped_tables(key) is not None
    assert tables.shipped_tables(key[::-1]) is None
    monkeypatch.setattr(tables, "_SHIPPED", "missing.tables")
    assert tables.shipped_tables(key) is None


def test_a_process_that_forks_reads_the_tables_before() -> None:
    code = (
        "import kleis.syntax.parser.before_fork\n"
        "from kleis.syntax.parser import lexer, tables\n"
        "print(tables.load_tables.cache_info().currsize)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "1\n"


def test_a_process_of_a_user_that_has_no_home_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's process under any number, whose environment names no directory: provers run so."""

    def nobody(number: int) -> Any:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "PIF_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert user_cache_folder() is None
    assert UNCACHED().spellings
    nothing = user_cache()
    assert nothing.load("0" * 64, file="a file") is None
    with pytest.raises(RegistryError, match="no home"):
        find_home()


@pytest.mark.parametrize(
    "given", [None, "", " ", "/somewhere", "/somewhere/", " /somewhere ", "here", "~/there"]
)
@pytest.mark.parametrize("home", [None, "", "/", "/a/home/", "home"])
def test_the_folders_of_cache_and_home_are_those_that_platformdirs_names(
    given: str | None, home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("XDG_CACHE_HOME", given),
        ("XDG_DATA_HOME", given),
        ("HOME", home),
        ("PIF_HOME", None),
    ):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert user_cache_folder() == Path(platformdirs.user_cache_dir("pif-kleis"))
    assert find_home().path == Path(platformdirs.user_data_dir("pif"))
