"""Connections to the database: how each is set up, how statements and texts are spelled for it, and the pool of them.

The statements of `registry.store.sql` are those of SQLite. PostgreSQL spells parameters `%s` and `%(name)s`, and `instr`
as `strpos`; that is all that differs.

A text of PostgreSQL cannot hold the character NUL, which tools and theories may hold. It is kept as U+FDD0, a code point
that is no character and stands in no text; should one hold it all the same, U+FDD1 is put before it.

A connection that is lost is replaced by the pool. `Connections.ask` puts a question again, a few times, before it gives up.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Final, TypeVar

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolTimeout

from registry.errors import RegistryError
from registry.store.failures import closed
from registry.store.postgres.address import Address
from registry.store.postgres.failures import as_registry_error, is_lost
from registry.store.postgres.listening import Following, follow
from registry.store.sql.rows import Answered, Rows

__all__ = ["ATTEMPTS", "Connections", "PostgresRows", "connect"]

T = TypeVar("T")

ATTEMPTS: Final = 6
"""How often a question or a change is begun, when connections are lost or the database undoes it for others."""

_SIZE: Final = 16
"""Connections of one process at most."""

_PARAMETER: Final = re.compile(r"\?|:([a-z]+)")
_NUL: Final = "\ufdd0"
_MARK: Final = "\ufdd1"

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it warns of is an error or retried here


@lru_cache(maxsize=256)
def _spelled(statement: str) -> str:
    """A statement of SQLite as PostgreSQL reads it."""
    named = _PARAMETER.sub(lambda found: f"%({found[1]})s" if found[1] else "%s", statement)
    return named.replace("instr(", "strpos(")


def _kept(text: str) -> str:
    """A text as the database can hold it."""
    if _NUL in text or _MARK in text:
        text = text.replace(_MARK, _MARK + _MARK).replace(_NUL, _MARK + _NUL)
    return text.replace("\0", _NUL)


def _found(text: str) -> str:
    """The text that was kept so."""
    if _NUL not in text and _MARK not in text:
        return text
    return re.sub(f"{_MARK}(.)|{_NUL}", lambda found: found[1] or "\0", text, flags=re.DOTALL)


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(_kept(obj))


class _TextLoader(Loader):
    def load(self, data: Buffer) -> str:
        return _found(str(data, "utf-8"))


class PostgresRows:
    """A connection as `registry.store.sql` uses it."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = (), /) -> Answered:
        """Run one statement."""
        return self._connection.execute(_spelled(statement), parameters)

    def executemany(self, statement: str, parameters: Iterable[Sequence[Any]], /) -> None:
        """Run one statement for each of some parameters."""
        for each in parameters:
            self.execute(statement, each)


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.adapters.register_dumper(str, _TextDumper)
    connection.adapters.register_loader("text", _TextLoader)
    # A server may be set to acknowledge what is not on disk yet; here what was acknowledged has been written.
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )


def connect(address: Address) -> psycopg.Connection[Any]:
    """One connection outside the pool; its errors are those of the registry."""
    try:
        connection = psycopg.connect(address.connection, autocommit=True)
        _configure(connection)
    except psycopg.Error as error:
        raise as_registry_error(error, address.shown) from error
    return connection


class Connections:
    """The connections of one store, for any number of threads."""

    def __init__(self, address: Address, *, patience: float) -> None:
        """`patience`: seconds to wait for a connection, and to go on when they are lost."""
        self.shown = address.shown
        self._address = address
        self.patience = patience
        self.is_open = True
        self._pool = ConnectionPool(
            address.connection,
            min_size=1,
            max_size=_SIZE,
            timeout=patience,
            kwargs={"autocommit": True},
            configure=_configure,
            open=True,
        )

    @contextmanager
    def one(self, timeout: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """A connection for the length of a `with`, with the errors of the driver. One that is left inside a transaction,
        or interrupted, is closed: nobody else gets what is left of it."""
        if not self.is_open:
            raise closed(self.shown)
        connection = self._pool.getconn(timeout)
        whole = False
        try:
            yield connection
            whole = True
        except (RegistryError, psycopg.Error):
            whole = True
            raise
        finally:
            if not whole or connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                connection.close()
            self._pool.putconn(connection)

    def ask(self, question: Callable[[Rows], T], *, together: bool = False, unlimited: bool = False) -> T:
        """The answer to a question; see `registry.store.sql.rows.Reading`. `unlimited`: each statement may take its time."""
        deadline = time.monotonic() + self.patience
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.one(max(0.1, deadline - time.monotonic())) as connection:
                    if not together:
                        return question(PostgresRows(connection))
                    return _at_one_moment(connection, question, unlimited=unlimited)
            except (psycopg.Error, PoolTimeout) as error:
                if not is_lost(error) or attempt == ATTEMPTS or time.monotonic() >= deadline:
                    raise as_registry_error(error, self.shown) from error
                self.replace_lost()
        raise AssertionError("the last attempt answers or raises")

    def follow(self, told: Callable[[], None]) -> Following:
        """Have `told` called, from some thread, after changes in the schema, whoever makes them."""
        return follow(self._address, told)

    def replace_lost(self) -> None:
        """Look at the connections that are idle, and replace those that are lost: one that is found so is rarely the only."""
        with suppress(psycopg.Error, PoolTimeout):
            self._pool.check()

    def close(self) -> None:
        """Close those that are idle now, and each of the others when it comes back."""
        self.is_open = False
        self._pool.close()


def _at_one_moment(
    connection: psycopg.Connection[Any], question: Callable[[Rows], T], *, unlimited: bool
) -> T:
    """What a connection answers to questions that must see the same moment."""
    with connection.pipeline():  # what need not be waited for travels with what is
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if unlimited:
            connection.execute("SET LOCAL statement_timeout = 0")
        try:
            return question(PostgresRows(connection))
        finally:
            if not connection.closed:
                connection.execute("ROLLBACK")
