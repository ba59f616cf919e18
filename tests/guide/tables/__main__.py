"""Writes all tables into all documents: `make docs-tables`."""

from __future__ import annotations

import sys

from tests.guide.tables import ROOT, TableError, all_tables, documents, write


def main() -> int:
    """The exit status: 1 where a marker or a name does not fit; nothing is written then."""
    try:
        changed = write(documents(), all_tables())
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    for path in changed:
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
