"""What contradicts itself in the tables: codes and their hashes, heads and the log."""

from __future__ import annotations

from collections.abc import Iterator

from registry.records import content_hash
from registry.store.sql.changes import folded
from registry.store.sql.rows import Rows

__all__ = ["contradictions"]


def contradictions(connection: Rows) -> Iterator[str]:
    """Everything that is wrong, as texts. Reads it all; the caller lets all questions see the same moment."""
    yield from _codes(connection)
    yield from _heads(connection)


def _codes(connection: Rows) -> Iterator[str]:
    for hash_, code in connection.execute("SELECT hash, code FROM content"):
        if content_hash(code) != hash_:
            yield f"the code stored as {hash_} has another hash"
    unused = connection.execute(
        "SELECT hash FROM content WHERE hash NOT IN (SELECT hash FROM versions WHERE hash IS NOT NULL)"
    )
    for (hash_,) in unused:
        yield f"the code {hash_} belongs to no version"


def _heads(connection: Rows) -> Iterator[str]:
    """`heads` must be what `changes.Change` would make of the log."""
    heads = {
        row[0]: row[1:]
        for row in connection.execute("SELECT name, current, latest, changed, folded FROM heads")
    }
    log = connection.execute(
        "SELECT last.name, last.current, (SELECT max(version) FROM versions WHERE name = last.name), last.sequence,"
        "       (SELECT description FROM events WHERE name = last.name AND version = last.current"
        "           AND description IS NOT NULL ORDER BY sequence DESC LIMIT 1)"
        "  FROM events AS last"
        " WHERE last.sequence IN (SELECT max(sequence) FROM events GROUP BY name)"
    ).fetchall()
    for name, current, latest, changed, description in log:
        text = "" if current is None else folded(name, description or "")
        if heads.pop(name, None) != (current, latest, changed, text):
            yield f"the head of {name!r} does not agree with its history"
    for name in heads:
        yield f"{name!r} has a head and no history"
    dangling = connection.execute(
        "SELECT heads.name FROM heads LEFT JOIN versions"
        "  ON versions.name = heads.name AND versions.version = heads.current AND versions.forgotten IS NULL"
        " WHERE heads.current IS NOT NULL AND versions.name IS NULL"
    )
    for (name,) in dangling:
        yield f"the current version of {name!r} was forgotten"
