"""Changes as transactions: one writer at a time, begun again where that is safe, and never in doubt without need.

A change takes the writers' lock of the schema, so that the numbers of events are those of commits: a snapshot that sees
one sees all before it. With the lock held it reads what is and writes what will be.

What is done when something goes wrong:

=====================================  ==================================================================================
the database undid the transaction     serialisation failure, deadlock: begun again, a few times
the connection was lost before COMMIT  the database undoes what was not committed: begun again, a few times
… while COMMIT was under way           a new connection takes the lock, which waits for the end of the old transaction, and
                                       looks for its mark in `writes`: there, and the change stands; not there, and it is
                                       begun again; nobody answers, and the error says that this is not known
anything else                          undone, and an error of the registry
=====================================  ==================================================================================

The mark is a row of the transaction itself, so what it says holds after a crash and on a replica that took over.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from registry.errors import RegistryError
from registry.store.postgres.connections import ATTEMPTS, Connections, PostgresRows
from registry.store.postgres.failures import as_registry_error, is_lost, may_be_retried, not_known
from registry.store.postgres.listening import NOTICE
from registry.store.postgres.tables import LOCK, MIGRATIONS, NEWEST, newer_schema
from registry.store.sql.rows import Rows

__all__ = ["Transactions"]

T = TypeVar("T")

_MARKS_KEPT: Final = "1 day"
"""How long the mark of a write is kept: much longer than anyone asks for it."""

_FIRST_PAUSE: Final = 0.01


class _CommitLost(Exception):
    """The connection was lost after COMMIT had been sent."""

    def __init__(self, result: Any, error: BaseException) -> None:
        super().__init__(str(error))
        self.result = result
        self.error = error


class Transactions:
    """The writer of one store: one change at a time, from any thread."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._lock = threading.Lock()  # threads wait here, so that they do not take the readers' connections

    def run(self, act: Callable[[Rows], T], *, is_told: bool = True) -> T:
        """What `act` answers, once what it wrote is committed. It may be run several times, each time on what is then.

        `is_told`: those who follow the schema are told; False for what nobody waits for."""
        patience, shown = self._connections.patience, self._connections.shown
        deadline = time.monotonic() + patience
        if not self._lock.acquire(timeout=patience):
            raise as_registry_error(psycopg.errors.LockNotAvailable("threads of this process wait"), shown)
        try:
            pause = _FIRST_PAUSE
            for attempt in range(1, ATTEMPTS + 1):
                token = secrets.token_hex(16)
                try:
                    return self._attempt(act, token, deadline, is_told=is_told)
                except _CommitLost as lost:
                    self._connections.replace_lost()
                    if self._was_committed(token, lost.error):
                        return cast("T", lost.result)
                    error: Exception = psycopg.OperationalError(str(lost))
                except psycopg.Error as failed:
                    if not (is_lost(failed) or may_be_retried(failed)):
                        raise as_registry_error(failed, shown) from failed
                    error = failed
                    self._connections.replace_lost()
                if attempt == ATTEMPTS or time.monotonic() >= deadline:
                    raise as_registry_error(error, shown) from error
                time.sleep(pause * (0.5 + secrets.randbelow(100) / 100))
                pause *= 2
            raise AssertionError("the last attempt answers or raises")
        finally:
            self._lock.release()

    def _attempt(self, act: Callable[[Rows], T], token: str, deadline: float, *, is_told: bool) -> T:
        """One transaction. Raises errors of the driver as they are, and `_CommitLost`."""
        with self._connections.one(max(0.1, deadline - time.monotonic())) as connection:
            committing, result = False, None
            try:
                with connection.pipeline():  # what need not be waited for travels with what is
                    rows = PostgresRows(connection)
                    rows.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                    rows.execute(LOCK)
                    self._check_version(rows)
                    result = act(rows)
                    rows.execute("INSERT INTO writes (token) VALUES (?)", (token,))
                    rows.execute(f"DELETE FROM writes WHERE made < now() - interval '{_MARKS_KEPT}'")
                    if is_told:
                        rows.execute(NOTICE)
                    committing = True
                    rows.execute("COMMIT")
                return result
            except psycopg.Error as error:
                if committing and is_lost(error):
                    raise _CommitLost(result, error) from error
                _undo(connection)
                # The driver takes statements for prepared that an aborted pipeline never made: the pool makes another one.
                connection.close()
                raise
            except BaseException:
                _undo(connection)
                raise

    def _check_version(self, rows: Rows) -> None:
        """Refuse to write to a schema that a newer program has migrated since it was opened."""
        version = rows.execute(NEWEST).fetchone()[0]
        if version > len(MIGRATIONS):
            raise newer_schema(version, len(MIGRATIONS), self._connections.shown)

    def _was_committed(self, token: str, error: BaseException) -> bool:
        """Whether a transaction whose COMMIT was not answered stands. Raises RegistryError where nobody answers."""
        deadline = time.monotonic() + self._connections.patience
        while True:
            try:
                with self._connections.one(max(0.1, deadline - time.monotonic())) as connection:
                    rows = PostgresRows(connection)
                    rows.execute("BEGIN")
                    rows.execute(LOCK)  # held by the other transaction until it has ended
                    found = rows.execute(
                        "SELECT pg_is_in_recovery(), (SELECT count(*) FROM writes WHERE token = ?)", (token,)
                    ).fetchone()
                    rows.execute("ROLLBACK")
                    if not found[0]:
                        return bool(found[1])
            except PoolTimeout as nobody:
                raise not_known(error, self._connections.shown) from nobody
            except psycopg.Error as failed:
                if not is_lost(failed):
                    raise not_known(error, self._connections.shown) from failed
                self._connections.replace_lost()
            except RegistryError as ended:  # the store was closed meanwhile
                raise not_known(error, self._connections.shown) from ended
            if time.monotonic() >= deadline:
                raise not_known(error, self._connections.shown) from error
            time.sleep(_FIRST_PAUSE)

    def close(self) -> None:
        """Wait for the change under way. Later ones are refused."""
        with self._lock:
            self._connections.close()


def _undo(connection: psycopg.Connection[Any]) -> None:
    """End a transaction that must not be kept; where that fails the connection is closed, which ends it too."""
    with suppress(psycopg.Error):
        if not connection.closed and connection.info.transaction_status != TransactionStatus.IDLE:
            connection.execute("ROLLBACK")
