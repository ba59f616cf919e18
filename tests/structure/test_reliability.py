"""The fault table: each row of docs/reliability.md names tests, and they are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
_ADDRESS = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_row_names_a_test_that_is_there() -> None:
    rows = [
        line for line in PAGE.read_text().splitlines() if line.startswith("| ") and "shown by" not in line
    ]
    assert len(rows) >= 25
    for row in rows:
        named = _ADDRESS.findall(row.rpartition("|")[0].rpartition("|")[2])
        assert named, row
        for file, function in named:
            assert function in functions_of(ROOT / file), f"{file}::{function}"


def test_names_outside_the_tables_are_there_too() -> None:
    for file, function in _ADDRESS.findall(PAGE.read_text()):
        assert function in functions_of(ROOT / file), f"{file}::{function}"
