"""Programs that try to use up the machine, against a real server with the default limits.

Each gets a typed error; the server answers the next question and never needs 400 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.pif_server import PifClient, pif_server

MEMORY = 400 * 2**20
MOST_FUEL = 5_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PifClient]:
    home: Path = tmp_path_factory.mktemp("home")
    with pif_server(home) as client:
        yield client
        assert client.memory() < MEMORY


def var(name: str) -> Any:
    return {"var": name}


def lam(name: str, body: Any) -> Any:
    return {"lam": name, "body": body}


def app(*parts: Any) -> Any:
    return {"app": list(parts)}


def repeated(times: int, first: Any, step: Any) -> Any:
    """`step`, a term in `x`, applied `times` times to `first`."""
    return {"fold": [lam("p", {"let": {"x": {"fst": var("p")}}, "in": step}), first, {"range": [0, times]}]}


DOUBLE_RECURSION = lam("n", {"if": {"cond": {"eq": [var("n"), 0]}, "then": 0, "else": {
    "add": [app({"self": True}, {"sub": [var("n"), 1]}), app({"self": True}, {"sub": [var("n"), 1]})]}}})  # fmt: skip
OMEGA = app(lam("f", app(var("f"), var("f"))), lam("f", app(var("f"), var("f"))))
EVAL_LOOP = {"let": {"q": {"quote": {"eval": {"unquote": {"quote": var("q")}}}}}, "in": {"eval": var("q")}}

RUNS: dict[str, tuple[Any, int, set[str]]] = {
    "omega": (OMEGA, MOST_FUEL, {"too_deep"}),
    "omega, little fuel": (OMEGA, 1_000, {"out_of_fuel"}),
    "an eval that evaluates itself": (EVAL_LOOP, MOST_FUEL, {"eval_depth_exceeded"}),
    "pairs doubled 60 times": (repeated(60, 1, {"pair": [var("x"), var("x")]}), MOST_FUEL, {"result_too_large"}),
    "lists doubled 60 times": (repeated(60, [1], [var("x"), var("x")]), MOST_FUEL, {"result_too_large"}),
    "records doubled 60 times": (
        repeated(60, 1, {"record": {"a": var("x"), "b": var("x")}}), MOST_FUEL, {"result_too_large"},
    ),
    "equality of doubled pairs": (
        {"let": {"d": repeated(60, 1, {"pair": [var("x"), var("x")]})}, "in": {"eq": [var("d"), var("d")]}},
        MOST_FUEL, {"out_of_fuel"},
    ),
    "show of doubled pairs": (
        {"show": repeated(60, 1, {"pair": [var("x"), var("x")]})}, MOST_FUEL, {"value_too_large"},
    ),
    "splice of doubled pairs": (
        {"let": {"d": repeated(60, 1, {"pair": [var("x"), var("x")]})}, "in": {"quote": {"unquote": var("d")}}},
        MOST_FUEL, {"out_of_fuel", "term_too_deep"},
    ),
    "reflect of doubled records": (
        {"reflect": repeated(60, {"record": {"op": "nil"}},
                             {"record": {"op": "add", "args": [var("x"), var("x")]}})},
        MOST_FUEL, {"out_of_fuel"},
    ),
    "strings doubled": (repeated(60, "x", {"concat": [var("x"), var("x")]}), MOST_FUEL, {"value_too_large"}),
    "strings doubled, little fuel": (
        repeated(60, "x", {"concat": [var("x"), var("x")]}), 10_000, {"out_of_fuel"},
    ),
    "strings joined": (
        {"join": [repeated(16, "0123456789abcdef", {"concat": [var("x"), var("x")]}), {"chars": "abc"}]},
        MOST_FUEL, {"value_too_large"},
    ),
    "integers squared": (repeated(60, 3, {"mul": [var("x"), var("x")]}), MOST_FUEL, {"value_too_large"}),
    "integers doubled": (repeated(60_000, 1, {"add": [var("x"), var("x")]}), MOST_FUEL, {"value_too_large"}),
    "integers subtracted": (
        repeated(60_000, 1, {"sub": [{"sub": [0, var("x")]}, var("x")]}), MOST_FUEL, {"value_too_large"},
    ),
    "a range of all integers": ({"range": [0, 2**60]}, MOST_FUEL, {"out_of_fuel"}),
    "a range of large integers": ({"range": [2**8_000, 2**8_000 + 2**70]}, MOST_FUEL, {"out_of_fuel"}),
    "nested folds": (
        repeated(10_000, 0, repeated(10_000, 0, {"add": [var("x"), 1]})), MOST_FUEL, {"out_of_fuel"},
    ),
    "a tower of quotes": (repeated(500, 1, {"quote": {"quote": {"unquote": {"unquote": var("x")}}}}),
                          MOST_FUEL, {"term_too_deep"}),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_never_ends_well(server: PifClient, name: str) -> None:
    code, fuel, kinds = RUNS[name]
    found = server.ask("run", code=code, fuel=fuel)
    assert found["type"] == "error", found
    assert found["error"]["kind"] in kinds
    assert 0 < found["error"]["fuel_used"] <= fuel
    assert server.lives()


def test_exponential_time_under_little_fuel(server: PifClient) -> None:
    server.ask("evolve", name="doubly", description="", code=DOUBLE_RECURSION)
    found = server.ask("run", tool="doubly", input=1_000, fuel=10_000)
    assert found["error"]["kind"] == "out_of_fuel"
    assert found["error"]["fuel_used"] == 10_000
    assert found["error"]["tool"] == "doubly@1"
    assert server.ask("run", tool="doubly", input=1_000, fuel=MOST_FUEL)["error"]["kind"] in (
        "out_of_fuel",
        "too_deep",
    )


def test_a_tool_that_evaluates_its_own_source(server: PifClient) -> None:
    server.ask(
        "evolve",
        name="ouroboros",
        description="",
        code=lam("x", app({"eval": {"code_of": "self"}}, var("x"))),
    )
    assert server.ask("run", tool="ouroboros", input=1, fuel=MOST_FUEL)["error"]["kind"] == "too_deep"
    server.ask("evolve", name="nested", description="",
               code=lam("x", {"eval": {"quote": {"app": [{"eval": {"code_of": "nested"}}, 1]}}}))  # fmt: skip
    assert server.ask("run", tool="nested", input=1, fuel=MOST_FUEL)["error"]["kind"] == "eval_depth_exceeded"


def test_errors_of_nested_evals_do_not_grow(server: PifClient) -> None:
    """In the original each level of `eval` doubles the error's text."""
    code: Any = {"div": [1, 0]}
    for _ in range(60):
        code = {"eval": {"quote": code}}
    found = server.ask("run", code=code, fuel=100_000)
    assert found["error"]["kind"] == "division_by_zero"
    assert found["error"]["path"] == ""
    assert found["error"]["in"] == "quoted"
    assert len(str(found)) < 1_000


def test_equality_of_texts_that_grow_is_charged(server: PifClient) -> None:
    text = repeated(20, "x", {"concat": [var("x"), var("x")]})
    code = {"let": {"a": text, "b": text}, "in": repeated(10_000, True, {"eq": [var("a"), var("b")]})}
    assert server.ask("run", code=code, fuel=MOST_FUEL)["error"]["kind"] == "out_of_fuel"


@pytest.mark.parametrize("name", ["__self", "self", "__proto__", "evolve", "run", "list", "help", "analyze",
                                  "check_action", "prove", "import", "", "a b", "../x", "x" * 49, "1x", "é"])  # fmt: skip
def test_names_that_no_tool_may_have(server: PifClient, name: str) -> None:
    """`__self` and its like are ordinary names, or none: they give no access to anything."""
    found = server.ask("evolve", name=name, description="d", code=lam("x", {"self": True}))
    if name.startswith("__"):
        assert found["type"] == "tool"
        forged = lam(name, {"app": [var(name), {"self": True}]})
        assert server.ask("run", code=forged, input=1)["error"]["kind"] == "no_tool_context"
        assert server.ask("run", code={"var": name})["error"]["kind"] == "unbound_variable"
    else:
        assert found["error"]["kind"] == "invalid_name"
    assert server.lives()
