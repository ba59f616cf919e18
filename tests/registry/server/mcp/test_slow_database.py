"""A database that does not answer one principal: the others go on.

Every server that tests start over a database raises where its event loop asks it (`tests.support.servers.held_loop`), so what is
asked here of alice would be told as an internal error, did it not wait in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.databases import SERVER, asked, new_schema
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
PLACES = [{"type": "ref/resource", "uri": "pif://tools/{name}"}, {"name": "name", "value": "sq"}]


@pytest.fixture
def schema() -> Iterator[str]:
    with new_schema() as url:
        name = url.partition("?schema=")[2]
        yield name
        for principal in ("alice", "bob"):
            asked(f"DROP SCHEMA IF EXISTS {name}__{principal} CASCADE")


def requests_of(caller: Caller) -> dict[str, Callable[[], Any]]:
    """Everything that a client may ask which concerns evolved tools and sessions."""
    return {
        "tools/list": lambda: caller.ask("tools/list"),
        "a tool by its name": lambda: caller.call("square", input=3),
        "a tool that is not listed": lambda: caller.call("squary", input=3),
        "run": lambda: caller.call("run", code="square", input=3),
        "evolve": lambda: caller.call("evolve", name="cube", description="d", code=SQUARE),
        "evolve with a law": lambda: caller.call(
            "evolve", name="fourth", description="d", code=SQUARE, laws=["∀(x : ℤ). fourth(x) = x * x"]
        ),
        "analyze": lambda: caller.call("analyze", code="square"),
        "list": lambda: caller.call("list"),
        "history": lambda: caller.call("history", name="square"),
        "completion": lambda: caller.ask("completion/complete", {"ref": PLACES[0], "argument": PLACES[1]}),
        "resources/read": lambda: caller.ask("resources/read", {"uri": "pif://tools/square"}, "pif://tools/square"),
        "resources/list": lambda: caller.ask("resources/list"),
        "a session": lambda: caller.ask(
            "resources/read", {"uri": "kleis://sessions/plans"}, "kleis://sessions/plans"
        ),
        "submit_define": lambda: caller.call(
            "submit_define", session="plans", kleis="define third(x : ℤ) : ℤ = x * 3"
        ),
        "evaluate": lambda: caller.call("evaluate", session="plans", expression="1 + 1"),
        "a job": lambda: caller.call("evaluate", expression="∀(x : ℤ). x = x", wait=False),
        "check_job": lambda: caller.call("check_job"),
    }  # fmt: skip


def test_no_request_asks_the_database_on_the_event_loop(tmp_path: Path, schema: str) -> None:
    options = {"groups": "pif,theory", "more": True, "store": f"{SERVER}?schema={schema}", "log": "json"}
    with serving(tmp_path, **options) as server:
        alice = Caller(server, token(tmp_path, "alice"))
        alice.call("evolve", name="square", description="squares", code=SQUARE)
        for said, ask in requests_of(alice).items():
            assert "internal error" not in str(ask()), said
        server.process.terminate()
        assert "event loop asked" not in server.ended()[1]


def test_a_principal_whose_database_is_stuck_stops_nobody_else(tmp_path: Path, schema: str) -> None:
    options = {"groups": "pif,theory", "more": True, "store": f"{SERVER}?schema={schema}"}
    with serving(tmp_path, **options) as server:
        alice, bob = (Caller(server, token(tmp_path, name)) for name in ("alice", "bob"))
        for each in (alice, bob):
            each.call("evolve", name="square", description="squares", code=SQUARE)
            each.call("submit_define", session="plans", kleis="define half(x : ℝ) : ℝ = x / 2")
        stuck = requests_of(alice)
        for free in ("resources/list", "check_job", "a session"):
            del stuck[free]  # they ask no locked table, or are judged by another one
        with (
            psycopg.connect(SERVER) as blocking,
            ThreadPoolExecutor(len(stuck)) as threads,
        ):
            for table in ("events", "sessions", "jobs"):
                blocking.execute(f"LOCK TABLE {schema}__alice.{table} IN ACCESS EXCLUSIVE MODE")
            asking = {said: threads.submit(ask) for said, ask in stuck.items()}
            waiting = "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE NOT granted AND relnamespace = %s::regnamespace"
            while not asked(waiting, f"{schema}__alice")[0][0]:
                assert not all(each.done() for each in asking.values())
            assert bob.call("square", input=4)["value"] == 16
            assert "square" in str(bob.ask("tools/list"))
            assert bob.call("run", code="square", input=5)["value"] == 25
            assert bob.call("evaluate", session="plans", expression="half(4)")["result"] == "2"
            assert bob.call("evolve", name="cube", description="d", code=SQUARE)["type"] == "tool"
            assert server.request("GET", "/livez")[0] == 200
            blocking.rollback()
            for said, each in asking.items():
                assert "internal error" not in str(each.result()), said
        assert alice.call("square", input=6)["value"] == 36
