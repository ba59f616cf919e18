"""A run, an evolution and a submission to a session over a PostgreSQL, against the same over a home: the database at 127.0.0.1:5432, in a schema that
is dropped afterwards. Without one there is nothing to measure.

A run is asked of two servers over stdio, as clients ask. Inside one process what is left of a trivial run is the question to
the database, and the ratio tells how long that takes to travel: it has no limit. A submission is of a function without a
theorem, and undone, so that what is measured is reading it, checking it and two writes, and the session stays as it is.
What a proposition costs beyond is its proof, and the making of its certificate beside it."""

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
from kleis.prover.process.deadline import Deadline
from kleis.sessions import Sessions, open_sessions
from pif.language.terms import code_text
from pif.run.evaluate import Request
from registry.records import content_hash
from registry.store.open_store import open_store
from registry.store.protocol import Store
from registry.store.shared_state import session_rows
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["LIMITS", "measure"]

RUN = "run, over stdio: PostgreSQL / SQLite"
RUN_INSIDE = "run, inside one process: PostgreSQL / SQLite"
EVOLVE = "evolve: PostgreSQL / SQLite"
SUBMIT = "submit to a session and undo: PostgreSQL / files"
LOOK = "look whether a session has changed: PostgreSQL / files"
LIMITS = {RUN: 3.0, EVOLVE: 5.0, SUBMIT: 5.0}

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
            sessions = {name: _sessions(Path(home), store) for name, store in stores.items()}
            submissions = alternating(
                {name: _submitting(each) for name, each in sessions.items()}, seconds=4.0
            )
            looks = alternating({name: _looking(each) for name, each in sessions.items()})
            for each in sessions.values():
                each.close()
        finally:
            for store in stores.values():
                store.close()
            server.execute(f"DROP SCHEMA {schema} CASCADE")
    return {
        RUN: served["postgres"] / served["sqlite"],
        RUN_INSIDE: inside["postgres"] / inside["sqlite"],
        EVOLVE: evolutions["postgres"] / evolutions["sqlite"],
        SUBMIT: submissions["postgres"] / submissions["sqlite"],
        LOOK: looks["postgres"] / looks["sqlite"],
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


def _sessions(home: Path, store: Store) -> Sessions:
    rows = session_rows(store, home)
    return open_sessions(home, environment={}, storage=rows, saved=None if rows is None else rows.copies)


def _submitting(sessions: Sessions) -> Callable[[], object]:
    numbers = itertools.count()

    def submit() -> object:
        text = f"define f{next(numbers)}(x : ℤ) : ℤ = x + x"
        checked, _ = sessions.submit("s", text, "define", Deadline(40))
        if checked.grown is None:
            raise RuntimeError(f"{text}: {checked.status}")
        return sessions.undo("s", Deadline(40))

    return submit


def _looking(sessions: Sessions) -> Callable[[], object]:
    return lambda: sessions.universe("s")


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
