"""Writes all tables into all documents (`make docs-tables`), or says with `--check` which ones are out of date."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.guide.tables import ROOT, Table, TableError, all_tables, documents, filled, write

if TYPE_CHECKING:
    from pathlib import Path


def main(arguments: list[str]) -> int:
    """The exit status: 1 where a marker or a name does not fit (nothing is written then), or a checked table is old."""
    check = arguments == ["--check"]
    try:
        tables = all_tables()
        changed = (
            [path for path in documents() if _is_old(path, tables)] if check else write(documents(), tables)
        )
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    for path in changed:
        print(path.relative_to(ROOT))
    if check and changed:
        print(
            "These documents have tables that the code no longer says: `make docs-tables`.", file=sys.stderr
        )
        return 1
    return 0


def _is_old(path: Path, tables: dict[str, Table]) -> bool:
    text = path.read_text(encoding="utf-8")
    return filled(text, tables) != text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
