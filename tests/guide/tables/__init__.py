"""Tables in documents that are generated from the tables of the product.

A document holds

    <!-- table: pif-operations-lists -->
    | … |
    <!-- end of table -->

and the lines between the two markers are what the function of that name returns. The module here that is named like
a page of `docs/reference`, or like `docs/architecture.md`, holds the functions of that page, in a dictionary `TABLES` whose
names start with the page's name; `trusted` holds those of `docs/explanation/trusted-base.md`. A table may be used by any document. Markers stand alone on their lines, without indentation.

    python -m tests.guide.tables        writes all tables into all documents (`make docs-tables`)

    python -m tests.guide.tables --check    names the documents that would change (a part of `make lint`)

`test_tables.py` fails where a document differs from what would be written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

__all__ = [
    "PAGES",
    "Table",
    "TableError",
    "all_tables",
    "documents",
    "filled",
    "markdown",
    "tables_in",
    "write",
]

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PAGES = (
    "pif", "kleis", "proving", "certificates", "policy", "serving", "registry", "lean", "corpus", "architecture",
    "trusted", "interactive",
)  # fmt: skip
"""Pages that may have a module here."""

Table = Callable[[], str]

_MARKER = re.compile(r"<!-- *(table\b|end of table\b)")
_BEGIN = re.compile(r"<!-- table: ([a-z][a-z0-9-]*) -->")
_END = "<!-- end of table -->"


class TableError(Exception):
    """A marker or a name that does not fit; the message says where."""


def all_tables() -> dict[str, Table]:
    """The tables of all pages that have a module, by name."""
    found: dict[str, Table] = {}
    for page in PAGES:
        if find_spec(f"{__name__}.{page}") is None:
            continue
        tables: dict[str, Table] = import_module(f"{__name__}.{page}").TABLES
        for name in tables:
            if not name.startswith(f"{page}-"):
                raise TableError(f'{page}.py: the table "{name}" does not start with "{page}-"')
        found |= tables
    return found


def documents() -> list[Path]:
    """The documents that may hold tables."""
    return [ROOT / "README.md", ROOT / "GUIDE.md", *sorted(ROOT.glob("docs/**/*.md"))]


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def filled(text: str, tables: Mapping[str, Table]) -> str:
    """A document with its tables generated anew. Raises `TableError`."""
    lines: list[str] = []
    open_name: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        begin = _BEGIN.fullmatch(line)
        if begin is not None:
            if open_name is not None:
                raise TableError(f'line {number}: the table "{open_name}" is not closed')
            open_name = begin[1]
            if open_name not in tables:
                raise TableError(f'line {number}: there is no table "{open_name}"')
            lines += [line, tables[open_name]().strip("\n")]
        elif line == _END:
            if open_name is None:
                raise TableError(f"line {number}: no table begins before this end")
            lines.append(line)
            open_name = None
        elif _MARKER.match(line):
            raise TableError(f"line {number}: a marker reads <!-- table: NAME --> or {_END}")
        elif open_name is None:
            lines.append(line)
    if open_name is not None:
        raise TableError(f'the table "{open_name}" is not closed')
    return "\n".join(lines)


def tables_in(text: str) -> set[str]:
    """The names of the tables that a document uses."""
    return {begin[1] for line in text.split("\n") if (begin := _BEGIN.fullmatch(line))}


def write(paths: Sequence[Path], tables: Mapping[str, Table]) -> list[Path]:
    """Write the tables into the documents, and return those that changed. All are read before any is written.

    Raises `TableError`, also for a table that no document uses.
    """
    before = {path: path.read_text(encoding="utf-8") for path in paths}
    after: dict[Path, str] = {}
    for path, text in before.items():
        try:
            after[path] = filled(text, tables)
        except TableError as error:
            raise TableError(f"{path}: {error}") from None
    unused = tables.keys() - set().union(*map(tables_in, before.values()))
    if unused:
        raise TableError(f"no document uses {', '.join(sorted(unused))}")
    changed = [path for path in paths if after[path] != before[path]]
    for path in changed:
        path.write_text(after[path], encoding="utf-8")
    return changed
