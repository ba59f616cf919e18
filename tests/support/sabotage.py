"""What stands between a store and its driver, and does something before a statement of its choice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from registry.store.postgres.connections import PostgresRows
from tests.support.databases import asked

__all__ = ["kill", "sabotage"]


@contextmanager
def sabotage(step: int, act: Callable[[PostgresRows, str], None], *, times: int = 1) -> Iterator[list[str]]:
    """Do something before the statement number `step` of what is done within, `times` times; gives the statements."""
    plain = PostgresRows.execute
    seen: list[str] = []
    left = [times]
    this = threading.get_ident()

    def execute(rows: PostgresRows, statement: str, parameters: Any = (), /) -> Any:
        if threading.get_ident() == this:
            seen.append(statement)
            if len(seen) >= step and left[0]:
                left[0] -= 1
                act(rows, statement)
        return plain(rows, statement, parameters)

    PostgresRows.execute = execute  # type: ignore[method-assign,assignment]
    try:
        yield seen
    finally:
        PostgresRows.execute = plain  # type: ignore[method-assign]


def kill(rows: PostgresRows, statement: str) -> None:
    """End the backend of a connection, and wait until it has gone."""
    pid = rows._connection.info.backend_pid
    asked("SELECT pg_terminate_backend(%s, 5000)", pid)
