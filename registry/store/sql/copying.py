"""The tables of one store copied to another, row by row, with every hash checked on the way.

Both stores keep the same tables with the same columns, so a copy answers as the original does: the same versions, the same
history, the same numbers given out.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from registry.errors import RegistryError
from registry.records import certificate_hash, content_hash
from registry.store.failures import Place, damaged
from registry.store.sql.rows import Rows

__all__ = ["TABLES", "Copied", "copy_tables", "is_empty"]

TABLES: Final[dict[str, tuple[str, str]]] = {
    "events": ("sequence, name, kind, version, current, description, moment, principal", "sequence"),
    "content": ("hash, code", "hash"),
    "versions": (
        "name, version, hash, capabilities, created, evolved, forgotten, rounded, python",
        "name, version",
    ),
    "heads": ("name, current, latest, changed, folded", "name"),
    "examples": ("name, version, since, examples", "name, version, since"),
    "laws": ("name, version, since, laws", "name, version, since"),
    "certificates": ("hash, certificate", "hash"),
}
"""The columns of each table, and its key; in an order in which no row refers to one that is yet to come."""

_AT_ONCE: Final = 500


class Copied(msgspec.Struct, frozen=True):
    """How many rows of each table were copied."""

    rows: dict[str, int]


def is_empty(connection: Rows) -> bool:
    """Whether nothing has ever happened in a store."""
    return all(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None for table in TABLES)


def copy_tables(source: Rows, target: Rows, place: Place) -> Copied:
    """Copy everything that `source` sees, at one moment, into the empty tables of `target`, and compare what arrived.

    `place` is that of the source. The caller makes one transaction of it. Raises RegistryError for a hash that is wrong.
    """
    rows: dict[str, int] = {}
    for table, (columns, key) in TABLES.items():
        question = f"SELECT {columns} FROM {table} ORDER BY {key}"
        marks = ", ".join("?" for _ in columns.split(","))
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
        count = 0
        answer = source.execute(question)
        while some := answer.fetchmany(_AT_ONCE):
            for row in some:
                _check_row(table, row, place)
            target.executemany(statement, some)
            count += len(some)
        _compare(table, source, target, question, place)
        rows[table] = count
    return Copied(rows)


def _check_row(table: str, row: tuple[Any, ...], place: Place) -> None:
    if table == "content" and content_hash(row[1]) != row[0]:
        raise damaged(place, row[0], f"the code stored as {row[0]} has another hash")
    if table == "certificates" and certificate_hash(row[1]) != row[0]:
        raise damaged(place, row[0], f"the certificate stored as {row[0]} has another hash")


def _compare(table: str, source: Rows, target: Rows, question: str, place: Place) -> None:
    """Read what arrived, and see that it is what was sent."""
    sent, arrived = source.execute(question), target.execute(question)
    while True:
        some, others = sent.fetchmany(_AT_ONCE), arrived.fetchmany(_AT_ONCE)
        if [tuple(row) for row in some] != [tuple(row) for row in others]:
            raise RegistryError(
                "store_error",
                f"the copy of the table {table} is not what was read; nothing was kept",
                file=str(place),
                hint="try again; if it happens again, report it",
            )
        if not some:
            return
