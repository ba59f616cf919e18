"""How much of a database a schema uses: the bytes of its texts, which is what its principal has put there."""

from __future__ import annotations

from typing import Final

from registry.store.sql.rows import Rows

__all__ = ["TEXTS", "sessions_and_bytes"]

TEXTS: Final = {
    "events": ("description", "principal"),
    "content": ("code",),
    "versions": ("capabilities", "rounded", "python"),
    "examples": ("examples",),
    "laws": ("laws",),
    "certificates": ("certificate",),
    "sessions": ("body",),
    "theories": ("body",),
    "lean_jobs": ("submission", "record"),
    "jobs": ("title", "message", "answer"),
    "certified_verdicts": ("certificate", "attempts"),
}
"""The columns whose length depends on what somebody sent."""

_ROW: Final = 100
"""Bytes that a row counts besides its texts, so that many small ones are not free."""

_LENGTH: Final = "coalesce(octet_length({}), 0)"

_BYTES: Final = "SELECT " + " + ".join(
    f"(SELECT coalesce(sum({_ROW} + {' + '.join(_LENGTH.format(column) for column in columns)}), 0) FROM {table})"
    for table, columns in TEXTS.items()
)
"""Lengths are known without reading the texts."""


def sessions_and_bytes(rows: Rows) -> tuple[int, frozenset[str]]:
    """The bytes, and the names of theory sessions."""
    stored = int(rows.execute(_BYTES).fetchone()[0])
    names = rows.execute("SELECT name FROM sessions").fetchall()
    return stored, frozenset(name for (name,) in names)
