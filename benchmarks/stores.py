"""A run and an evolution over a PostgreSQL, against the same over a home: the database at 127.0.0.1:5432, in a schema that
is dropped afterwards. Without one there is nothing to measure."""

from __future__ import annotations

import itertools
import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import alternating
from pif.language.terms import code_text
from pif.run.evaluate import Request
from registry.records import content_hash
from registry.store.open_store import open_store
from registry.store.protocol import Store
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["LIMITS", "measure"]

RUN = "run: PostgreSQL / SQLite"
EVOLVE = "evolve: PostgreSQL / SQLite"
LIMITS = {RUN: 3.0, EVOLVE: 5.0}

_SERVER = os.environ.get("PIF_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
_SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


def measure() -> dict[str, float]:
    """The ratios of the times of one `run`, and of one new version in the store."""
    import psycopg

    schema = f"pif_bench_{secrets.token_hex(4)}"
    try:
        server = psycopg.connect(_SERVER, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        sys.stderr.write(f"no PostgreSQL answers: {error}\n")
        return {}
    with server, tempfile.TemporaryDirectory() as home:
        stores = {
            "sqlite": open_store(Path(home)),
            "postgres": open_store(Path(home), f"{_SERVER}?schema={schema}"),
        }
        try:
            runs = alternating({name: _running(store) for name, store in stores.items()})
            evolutions = alternating({name: _evolving(store) for name, store in stores.items()}, seconds=4.0)
        finally:
            for store in stores.values():
                store.close()
            server.execute(f"DROP SCHEMA {schema} CASCADE")
    return {
        RUN: runs["postgres"] / runs["sqlite"],
        EVOLVE: evolutions["postgres"] / evolutions["sqlite"],
    }


def _running(store: Store) -> Callable[[], object]:
    workspace = Workspace(store)
    workspace.evolve(Evolve("square", "Squares a number", _SQUARE))
    request = Request(tool="square", input=7)
    return lambda: workspace.run(request)


def _evolving(store: Store) -> Callable[[], object]:
    numbers = itertools.count()

    def evolve() -> object:
        code = code_text({"lam": "x", "body": {"add": [{"var": "x"}, next(numbers)]}})
        return store.evolve("adds", code=code, hash=content_hash(code), description="adds", capabilities=())

    return evolve
