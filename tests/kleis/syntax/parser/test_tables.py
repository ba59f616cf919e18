"""The cache of parse tables: used when it fits, rebuilt when it does not, and not needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kleis.syntax.parser import tables
from kleis.syntax.parser.tables import Tables, load_tables

UNCACHED = load_tables.__wrapped__


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tables.platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))
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
    blocked = tmp_path / "file"
    blocked.write_text("no directory")
    monkeypatch.setattr(tables.platformdirs, "user_cache_dir", lambda name: str(blocked / name))
    assert UNCACHED().starts.keys() == {"program", "expression", "type"}
    assert blocked.read_text() == "no directory"


def test_another_grammar_has_another_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    UNCACHED()
    text = tables.grammar_text()
    monkeypatch.setattr(tables, "grammar_text", lambda: text + "\n// changed\n")
    UNCACHED()
    assert len(list(cache.iterdir())) == 2


def test_a_process_that_forks_reads_the_tables_before() -> None:
    code = (
        "import kleis.syntax.parser.before_fork\n"
        "from kleis.syntax.parser import lexer, tables\n"
        "print(tables.load_tables.cache_info().currsize)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "1\n"
