"""A run and an evolution over a PostgreSQL, against the same over a home: the database at 127.0.0.1:5432, in a schema that
is dropped afterwards. Without one there is nothing to measure.

A run is asked of two servers over stdio, as clients ask. Inside one process what is left of a trivial run is the question to
the database, and the ratio tells how long that takes to travel: it has no limit."""

from __future__ import annotations

import itertools
import os
import secrets
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.stdio_latency import Peer, keep_same
from benchmarks.timing import alternating
from pif.language.terms import code_text
from pif.run.evaluate import Request
from registry.records import content_hash
from registry.store.open_store import open_store
from registry.store.protocol import Store
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["LIMITS", "measure"]

RUN = "run, over stdio: PostgreSQL / SQLite"
RUN_INSIDE = "run, inside one process: PostgreSQL / SQLite"
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
    address = f"{_SERVER}?schema={schema}"
    with server, tempfile.TemporaryDirectory() as home:
        stores = {"sqlite": open_store(Path(home)), "postgres": open_store(Path(home), address)}
        try:
            for store in stores.values():
                keep_same(store)
            served = _served(home, {"sqlite": (), "postgres": ("--store", address)})
            inside = alternating({name: _running(store) for name, store in stores.items()})
            evolutions = alternating({name: _evolving(store) for name, store in stores.items()}, seconds=4.0)
        finally:
            for store in stores.values():
                store.close()
            server.execute(f"DROP SCHEMA {schema} CASCADE")
    return {
        RUN: served["postgres"] / served["sqlite"],
        RUN_INSIDE: inside["postgres"] / inside["sqlite"],
        EVOLVE: evolutions["postgres"] / evolutions["sqlite"],
    }


def _served(home: str, options: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The median time of a `run` by each of several servers, which take turns."""
    command = [sys.executable, "-m", "registry.cli.pif", "--home", home, "serve"]
    spent: dict[str, list[int]] = {name: [] for name in options}
    with ExitStack() as stack:
        peers = {
            name: stack.enter_context(Peer([*command, *more], {}, handshake=True))
            for name, more in options.items()
        }
        for _ in range(11):
            for name, peer in peers.items():
                spent[name].append(int(statistics.median(peer.times(200))))
    return {name: statistics.median(times[1:]) for name, times in spent.items()}


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
