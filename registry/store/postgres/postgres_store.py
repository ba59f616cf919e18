"""The tool store on PostgreSQL: one schema of a database, shared by any number of processes and machines.

Every write is one transaction under the schema's lock, and synchronised to disk before it is acknowledged
(`synchronous_commit`, as far as the server itself keeps `fsync` on). Reads take a connection from a pool and ask for a
fixed sequence number, so they wait for no writer. Whether there is anything new is asked of the database each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from registry.store.failures import closed, read_only
from registry.store.postgres.address import read_address
from registry.store.postgres.connections import Connections, connect
from registry.store.postgres.failures import as_registry_error
from registry.store.postgres.listening import Following
from registry.store.postgres.session_rows import changed_texts
from registry.store.postgres.tables import check_schema, prepare
from registry.store.postgres.transactions import Transactions
from registry.store.postgres.usage import sessions_and_bytes
from registry.store.sql.changes import Change
from registry.store.sql.integrity import contradictions
from registry.store.sql.queries import last_sequence
from registry.store.sql.rows import Rows
from registry.store.sql.snapshot import SqlSnapshot
from registry.store.sql.sql_store import GRACE, PATIENCE, SqlStore

__all__ = ["PostgresStore"]

T = TypeVar("T")


class PostgresStore(SqlStore):
    """See `registry.store.protocol.Store`."""

    def __init__(
        self,
        url: str,
        *,
        read_only: bool = False,
        patience: float = PATIENCE,
        grace: float = GRACE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the store in the database that `url` names (`address`), making its tables where they are not there.

        `read_only`: nothing is made or changed; a replica will do.
        """
        import psycopg

        address = read_address(url, patience=patience, read_only=read_only)
        self._place = address.shown
        self._grace = grace
        self._clock = clock
        self._read_only = read_only
        self._closed = False
        self._seen: SqlSnapshot | None = None
        with closing(connect(address)) as connection:
            try:
                examine = check_schema if read_only else prepare
                examine(connection, address.schema, address.shown)
            except psycopg.Error as error:
                raise as_registry_error(error, address.shown) from error
        self.address = address
        self._connections = Connections(address, patience=patience)
        self._transactions = Transactions(self._connections)

    @property
    def connections(self) -> Connections:
        """The connections, for what else is kept in this database."""
        return self._connections

    @property
    def transactions(self) -> Transactions:
        """The writer, for what else is kept in this database."""
        return self._transactions

    def snapshot(self) -> SqlSnapshot:
        """The registry as it is now; the same object as long as nothing was written."""
        sequence, seen = self._read(last_sequence), self._seen
        if seen is not None and seen.sequence == sequence:
            return seen
        self._seen = snapshot = SqlSnapshot(self._connections.ask, self._place, sequence)
        return snapshot

    def follow(self, told: Callable[[], None]) -> Following:
        """Have `told` called after each change, whoever makes it."""
        return self._connections.follow(told)

    def backup(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a complete copy to one file, a store of SQLite, while others go on reading and writing."""
        from registry.store.sql.copying import copy_tables
        from registry.store.sqlite.maintenance import write_new_store

        write_new_store(
            path,
            lambda target: self._connections.ask(
                lambda reader: copy_tables(reader, target, self._place), together=True, unlimited=True
            ),
            overwrite=overwrite,
        )

    def check(self) -> tuple[str, ...]:
        """Everything that is wrong with what is stored, as texts; empty where all is well."""

        def question(reader: Rows) -> tuple[str, ...]:
            found = [*contradictions(reader), *changed_texts(reader)]
            if reader.execute("SELECT current_setting('fsync')").fetchone()[0] == "off":
                found.append(
                    "the server has fsync off: what is acknowledged may be lost when its machine fails"
                )
            return tuple(found)

        return self._connections.ask(question, together=True, unlimited=True)

    def size(self) -> int:
        """Bytes of what the rows of the schema hold, sessions and jobs included."""
        return self._read(sessions_and_bytes)[0]

    def close(self) -> None:
        """Let go of all connections."""
        if not self._closed:
            self._closed = True
            self._transactions.close()

    def _read(self, question: Callable[[Rows], T], *, together: bool = False) -> T:
        return self._connections.ask(question, together=together)

    def _write(self, act: Callable[[Change], T], moment: str | None = None) -> T:
        if self._closed:
            raise closed(self._place)
        if self._read_only:
            raise read_only(self._place)
        then, before = moment or self._moment(), self._moment(self._grace)

        def carry_out(rows: Rows) -> T:
            change = Change(rows, self._place, then)
            result = act(change)
            change.erase(before)
            return result

        return self._transactions.run(carry_out)
