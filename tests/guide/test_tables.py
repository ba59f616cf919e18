"""Tables in documents are what the code says (`make docs-tables` writes them)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guide.tables import ROOT, TableError, all_tables, documents, filled, markdown, tables_in, write

TABLES = {"pif-numbers": lambda: "| n |\n| --- |\n| 1 |"}
FULL = "before\n<!-- table: pif-numbers -->\n| n |\n| --- |\n| 1 |\n<!-- end of table -->\nafter\n"


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_has_the_tables_of_the_code(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert filled(text, all_tables()) == text


def test_every_table_is_used() -> None:
    used = set().union(*(tables_in(path.read_text(encoding="utf-8")) for path in documents()))
    assert used == set(all_tables())


def test_a_table_replaces_what_stands_between_its_markers() -> None:
    empty = "before\n<!-- table: pif-numbers -->\n<!-- end of table -->\nafter\n"
    stale = "before\n<!-- table: pif-numbers -->\n\nold\n\n<!-- end of table -->\nafter\n"
    assert filled(empty, TABLES) == filled(stale, TABLES) == filled(FULL, TABLES) == FULL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- table: pif-letters -->\n<!-- end of table -->", 'line 1: there is no table "pif-letters"'),
        ("<!-- table: pif-numbers -->\n| n |\n", 'the table "pif-numbers" is not closed'),
        ("<!-- table: pif-numbers -->\n<!-- table: pif-numbers -->", "line 2: .* not closed"),
        ("text\n<!-- end of table -->", "line 2: no table begins"),
        ("<!-- table pif-numbers -->\n<!-- end of table -->", "line 1: a marker reads"),
        ("<!-- table: pif-numbers -->\n<!-- end of table-->", "line 2: a marker reads"),
    ],
)
def test_markers_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        filled(text, TABLES)


def test_writing(tmp_path: Path) -> None:
    one, other = tmp_path / "one.md", tmp_path / "other.md"
    one.write_text("before\n<!-- table: pif-numbers -->\n<!-- end of table -->\nafter\n")
    other.write_text("no table\n")
    assert write([one, other], TABLES) == [one]
    assert one.read_text() == FULL
    assert write([one, other], TABLES) == []


def test_a_table_that_nobody_uses_is_refused(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("<!-- table: pif-numbers -->\n<!-- end of table -->\n")
    with pytest.raises(TableError, match="no document uses pif-letters"):
        write([document], {**TABLES, "pif-letters": lambda: "| a |"})
    assert "| n |" not in document.read_text()


def test_markdown_escapes_bars() -> None:
    assert markdown(["a", "b"], [["x|y", "`1|2`"]]) == "| a | b |\n| --- | --- |\n| x\\|y | `1\\|2` |"
