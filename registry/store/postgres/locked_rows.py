"""Rows that only the holder of their lock changes: jobs, which one machine at a time takes a step further.

The lock is an advisory one of a connection of its own, which is open for as long as the lock is held. It ends with that
connection: when the process ends, when its machine is lost, when the database is restarted. What the holder writes goes
over the same connection, so that one who has lost the lock without knowing it writes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final, TypeVar

import psycopg

from registry.errors import RegistryError
from registry.store.failures import closed
from registry.store.postgres.address import Address
from registry.store.postgres.connections import Connections, PostgresRows, connect
from registry.store.postgres.failures import as_registry_error, is_lost
from registry.store.postgres.tables import MIGRATIONS, NEWEST, newer_schema
from registry.store.postgres.transactions import Transactions
from registry.store.sql.rows import Rows

__all__ = ["LockedRows"]

T = TypeVar("T")

_TAKE: Final = "SELECT pg_try_advisory_lock(1346979413, hashtext(current_schema() || '/' || ?))"
"""The first number is another one than that of the writers' lock. Two keys of one hash exclude each other, which only delays."""


class LockedRows:
    """The rows of one schema that have locks. Safe in threads."""

    def __init__(self, address: Address, connections: Connections, transactions: Transactions) -> None:
        self.shown = address.shown
        self._address = address
        self._connections = connections
        self._transactions = transactions
        self._held: dict[tuple[int, str], psycopg.Connection[Any]] = {}

    def ask(self, question: Callable[[Rows], T]) -> T:
        """The answer to a question."""
        return self._connections.ask(question)

    @contextmanager
    def lock(self, key: str) -> Iterator[bool]:
        """Hold the lock of a row; gives False, at once, where somebody else holds it, here or on another machine."""
        if not self._connections.is_open:
            raise closed(self.shown)
        holder = threading.get_ident(), key
        with closing(connect(self._address)) as connection:
            try:
                found = PostgresRows(connection).execute(_TAKE, (key,)).fetchone()[0]
            except psycopg.Error as error:
                raise as_registry_error(error, self.shown) from error
            if found:
                self._held[holder] = connection
            try:
                yield bool(found)
            finally:
                self._held.pop(holder, None)

    def write(self, key: str, statement: str, parameters: Sequence[Any]) -> Any:
        """Run a statement that writes a row: over the connection that holds its lock, if this thread has it.

        What it returns (`RETURNING`); None where it wrote nothing.
        """
        connection = self._held.get((threading.get_ident(), key))
        if connection is None:
            return self._transactions.run(lambda rows: rows.execute(statement, parameters).fetchone())
        rows = PostgresRows(connection)
        try:
            version = rows.execute(NEWEST).fetchone()[0]
            if version > len(MIGRATIONS):
                raise newer_schema(version, len(MIGRATIONS), self.shown)
            return rows.execute(statement, parameters).fetchone()
        except psycopg.Error as error:
            if not is_lost(error):
                raise as_registry_error(error, self.shown) from error
            raise RegistryError(
                "store_error",
                "the connection to the database was lost while a job was written; whether it was kept is not known",
                file=self.shown,
                found=str(error).strip().partition("\n")[0][:300],
                hint="ask for the job again: it goes on from where it was written down",
            ) from error
