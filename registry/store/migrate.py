"""Everything of one store, copied to another that is empty: `pif migrate-store`.

A store is a directory (its home) or the URL of a PostgreSQL. The copy is of one moment of the source, which may go on being
used, though what is written to it later is not copied. Every hash is checked, and what arrived is compared with what was
read, row by row. Theory sessions, saved theories, jobs of Aristotle and certificates of verdicts come along
(`state_copying`).

Invariant: the copy is there whole or not at all. A database gets it in one transaction. A home is made under another name
beside it and renamed, so it must not be there yet, or be empty.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
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
from registry.store.state_copying import (
    Kept,
    copy_state,
    in_home,
    in_rows,
    rows_are_empty,
    to_home,
    to_rows,
)

__all__ = ["Migrated", "migrate_store"]

T = TypeVar("T")


class Migrated(msgspec.Struct, frozen=True):
    """What was copied: where from and to (without passwords), and the rows of each table."""

    source: str
    target: str
    rows: dict[str, int]


def migrate_store(source: str, target: str) -> Migrated:
    """Copy all of one store to another. Raises RegistryError; the target is then as it was."""
    with _reading(source) as (place, ask, state):
        shown, copied = (_to_database if is_url(target) else _to_home)(target, place, ask, state)
    return Migrated(str(place), shown, copied.rows)


Ask = Callable[[Callable[[Rows], Copied]], Copied]
"""Puts a question to the source, all of it at one moment."""


State = Callable[[Rows], Iterable[Kept]]
"""What there is of sessions and jobs at that moment."""


@contextmanager
def _reading(source: str) -> Iterator[tuple[Place, Ask, State]]:
    """The store at a place, for reading. Nothing is made or changed there."""
    if is_url(source):
        from registry.store.postgres.postgres_store import PostgresStore

        with closing(PostgresStore(source, read_only=True)) as database:
            yield (
                database.connections.shown,
                lambda question: database.connections.ask(question, together=True, unlimited=True),
                lambda reader: in_rows(reader, database.connections.shown),
            )
        return
    with closing(ReadOnlyStore(Path(source))) as home:
        yield (
            Path(source) / FILE_NAME,
            lambda question: home.ask(question),
            lambda reader: in_home(Path(source)),
        )


def _to_database(target: str, place: Place, ask: Ask, state: State) -> tuple[str, Copied]:
    from registry.store.postgres.postgres_store import PostgresStore

    with closing(PostgresStore(target)) as store:
        shown = store.connections.shown

        def fill(rows: Rows) -> Copied:
            if not (is_empty(rows) and rows_are_empty(rows)):
                raise _not_empty(
                    shown,
                    "tools, sessions or jobs",
                    "name another schema at the end of the URL: ?schema=NAME",
                )
            rows.execute("SET LOCAL statement_timeout = 0")

            def copy(reader: Rows) -> Copied:
                copied = copy_tables(reader, rows, place)
                others = copy_state(state(reader), to_rows(rows), lambda: in_rows(rows, shown))
                return Copied({**copied.rows, **others})

            return ask(copy)

        return shown, store.transactions.run(fill)


def _to_home(target: str, place: Place, ask: Ask, state: State) -> tuple[str, Copied]:
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

                def copy(reader: Rows) -> Copied:
                    done = copy_tables(reader, connection, place)
                    others = copy_state(state(reader), to_home(partial), lambda: in_home(partial))
                    return Copied({**done.rows, **others})

                copied = ask(copy)

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
