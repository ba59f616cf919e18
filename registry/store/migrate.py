"""Everything of one store, copied to another that is empty: `pif migrate-store`.

A store is a directory (its home) or the URL of a PostgreSQL. The copy is of one moment of the source, which may go on being
used, though what is written to it later is not copied. Every hash is checked, and what arrived is compared with what was
read, row by row.

Invariant: the copy is there whole or not at all. A database gets it in one transaction. A home is made under another name
beside it and renamed, so it must not be there yet, or be empty.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from kleis import durable_files
from registry.errors import RegistryError
from registry.store.failures import Place, store_errors
from registry.store.open_store import is_url
from registry.store.sql.copying import Copied, copy_tables, is_empty
from registry.store.sql.rows import Rows
from registry.store.sqlite.maintenance import write_new_store
from registry.store.sqlite.read_only_store import ReadOnlyStore
from registry.store.sqlite.traces import FILE_NAME

__all__ = ["Migrated", "migrate_store"]

T = TypeVar("T")


class Migrated(msgspec.Struct, frozen=True):
    """What was copied: where from and to (without passwords), and the rows of each table."""

    source: str
    target: str
    rows: dict[str, int]


def migrate_store(source: str, target: str) -> Migrated:
    """Copy all of one store to another. Raises RegistryError; the target is then as it was."""
    with _reading(source) as (place, ask):
        shown, copied = (_to_database if is_url(target) else _to_home)(target, place, ask)
    return Migrated(str(place), shown, copied.rows)


Ask = Callable[[Callable[[Rows], Copied]], Copied]
"""Puts a question to the source, all of it at one moment."""


@contextmanager
def _reading(source: str) -> Iterator[tuple[Place, Ask]]:
    """The store at a place, for reading. Nothing is made or changed there."""
    if is_url(source):
        from registry.store.postgres.postgres_store import PostgresStore

        with closing(PostgresStore(source, read_only=True)) as database:
            yield (
                database.connections.shown,
                lambda question: database.connections.ask(question, together=True, unlimited=True),
            )
        return
    with closing(ReadOnlyStore(Path(source))) as home:
        yield Path(source) / FILE_NAME, lambda question: home.ask(question)


def _to_database(target: str, place: Place, ask: Ask) -> tuple[str, Copied]:
    from registry.store.postgres.postgres_store import PostgresStore

    with closing(PostgresStore(target)) as store:
        shown = store.connections.shown

        def fill(rows: Rows) -> Copied:
            if not is_empty(rows):
                raise _not_empty(shown, "tools", "name another schema at the end of the URL: ?schema=NAME")
            rows.execute("SET LOCAL statement_timeout = 0")
            return ask(lambda reader: copy_tables(reader, rows, place))

        return shown, store.transactions.run(fill)


def _to_home(target: str, place: Place, ask: Ask) -> tuple[str, Copied]:
    home = Path(os.path.abspath(Path(target).expanduser()))
    with store_errors(home):
        if home.is_dir():
            found = sorted(entry.name for entry in home.iterdir())
            if found:
                raise _not_empty(str(home), ", ".join(found[:5]), "name a directory that is not there yet")
        home.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{home.name[:100]}.", suffix=".partial", dir=home.parent))
        try:
            copied = Copied({})

            def fill(connection: Rows) -> None:
                nonlocal copied
                copied = ask(lambda reader: copy_tables(reader, connection, place))

            write_new_store(partial / FILE_NAME, fill, overwrite=False)
            os.rename(partial, home)  # takes the place of an empty directory, and of no other
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        durable_files.synchronise(home.parent)
    return str(home), copied


def _not_empty(target: str, found: str, hint: str) -> RegistryError:
    return RegistryError(
        "invalid_argument",
        "the target is not empty; nothing was changed",
        place="TO",
        file=target,
        found=found,
        expected="a store in which nothing was ever made",
        hint=hint,
    )
