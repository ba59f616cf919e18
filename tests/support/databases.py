"""The PostgreSQL that tests use: a schema of its own for each test, dropped afterwards.

It is the one that answers at `PIF_TEST_POSTGRES`, or at 127.0.0.1:5432; it is never restarted. Where none answers, the
tests that need one are skipped and say why.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import psycopg
import pytest

__all__ = ["SERVER", "asked", "new_schema"]

SERVER = os.environ.get("PIF_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")


@cache
def _why_not() -> str:
    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.Error as error:
        return f"no PostgreSQL answers at {SERVER}: {str(error).splitlines()[0]}"
    return ""


def asked(statement: str, *parameters: Any, url: str = SERVER) -> list[Any]:
    """What the server answers to an administrator."""
    with psycopg.connect(url, autocommit=True) as connection:
        answer = connection.execute(statement, parameters or None)
        return answer.fetchall() if answer.description else []


@contextmanager
def new_schema() -> Iterator[str]:
    """The URL of a schema that nobody else uses and that is not there yet. Skips the test where no server answers."""
    if reason := _why_not():
        pytest.skip(reason)
    name = f"pif_test_{os.getpid()}_{secrets.token_hex(4)}"
    try:
        yield f"{SERVER}?schema={name}"
    finally:
        asked(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE %s",
            f"%{name}%",
        )
        asked(f"DROP SCHEMA IF EXISTS {name} CASCADE")
