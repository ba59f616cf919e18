"""Cost bounds and dead code by example: what is bounded, in which sizes, and what has no bound."""

from __future__ import annotations

from typing import Any

import pytest

from pif.analysis.cost.bounds import cost_of
from pif.analysis.cost.polynomials import ZERO, charge_of, constant, larger, smaller, symbol
from pif.analysis.facts import closed
from pif.analysis.normal_form.dead_code import dead_code
from pif.analysis.types.tool_types import typing_of
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import Json
from tests.support.terms.tool_dictionary import Dictionary, answer

X: Json = {"var": "x"}
P: Json = {"var": "p"}
FIRST: Json = {"fst": P}
SECOND: Json = {"snd": P}


def folded(body: Json, start: Json, items: Json = X) -> Json:
    return {"fold": [{"lam": "p", "body": body}, start, items]}


SUM = folded({"add": [FIRST, SECOND]}, 0)
REVERSE = folded({"cons": [SECOND, FIRST]}, [])


def cost(code: Json, **tools: Json) -> dict[str, Any]:
    registry = Dictionary(**tools)
    tool = Tool("it", 1, closed(decode_term(code)))
    found = cost_of(tool, registry, typing_of(tool, registry)).as_json()
    assert isinstance(found, dict)
    return found


BOUNDS: dict[str, tuple[Json, str, str]] = {
    "no input": ({"add": [40, 2]}, "3", "3"),
    "square": ({"mul": [X, X]}, "9", "p(x, x) + 9"),
    "a sum": (SUM, "7·n + 14", "n·w(n·x + x) + 7·n + 14"),
    "turned round": (REVERSE, "9·n + 15", "9·n + 15"),
    "one loop in another": (
        folded({"cons": [{"fold": [{"lam": "q", "body": {"length": SECOND}}, 0, SECOND]}, FIRST]}, []),
        "16·n + 15", "5·m·n + 16·n + 15",
    ),
    "a loop over what a loop made": (
        {"fold": [{"lam": "p", "body": SECOND}, 0, REVERSE]}, "13·n + 22", "13·n + 22",
    ),
    "text": ({"chars": X}, "4·n + 8", "4·n + 8"),
    "text that grows": (folded({"concat": [FIRST, SECOND]}, ""), "7·n + 14", "m·n²/8 + m·n/8 + 7·n + 14"),
    "a product": (folded({"mul": [FIRST, SECOND]}, 1), "7·n + 14", "n·p(…, x) + 7·n + 14"),
    "a range": (
        folded({"snd": P}, 0, {"range": [0, {"length": {"chars": X}}]}), "11·n + 18", "h(n)·n + 11·n + 18",
    ),
    "counting": (folded({"with": [FIRST, SECOND, 1]}, {"record": {}}), "12·n + 16", "m·n/16 + 21·n²/16 + 12·n + 16"),
    "a half has no lower bound": (
        folded(SECOND, 0, {"range": [0, {"div": [{"length": {"chars": X}}, 2]}]}), "4·n + 20", "h(n)·n + 11·n + p(n, 2) + 20",
    ),
    "an integer of any size and another": (
        {"add": [folded({"mul": [FIRST, SECOND]}, 1), {"head": X}]}, "7·n + 17", "n·p(…, x) + 7·n + 49",
    ),
    "a choice": ({"if": {"cond": {"isEmpty": X}, "then": 0, "else": {"head": X}}}, "10", "11"),
    "a condition that is known": ({"if": {"cond": {"lt": [1, 2]}, "then": X, "else": SUM}}, "11", "11"),
    "a function passed on": (
        {"app": [{"lam": "f", "body": {"app": [{"var": "f"}, {"app": [{"var": "f"}, X]}]}},
                 {"lam": "y", "body": {"pair": [{"var": "y"}, 1]}}]}, "35", "35",
    ),
    "code that is known": ({"lam": "x", "body": {"eval": {"quote": {"pair": [X, X]}}}}, "23", "23"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name: str) -> None:
    code, low, high = BOUNDS[name]
    found = cost(code)
    assert (found["min"], found["max"]) == (low, high)


def test_a_bound_is_what_a_run_takes() -> None:
    assert answer(closed_json(REVERSE), [1, 2, 3])["fuel_used"] == 9 * 3 + 15 + (1 + 4 + 3)


def closed_json(body: Json) -> Json:
    return {"lam": "x", "body": body}


def test_the_sizes_and_charges_are_explained() -> None:
    found = cost(SUM)
    assert found["sizes"] == {"n": "length of the input", "x": "magnitude of the items of the input"}
    assert found["charges"] == ["w(m): limbs (64 bits) of m / 4, rounded down; 0 below 2^192"]
    assert cost({"get": [X, "age"]}).keys() == {"min", "max"}
    in_record = cost({"length": {"chars": {"get": [X, "name"]}}})
    assert in_record["sizes"] == {"n": 'length of "name" of the input'}


UNKNOWN: dict[str, tuple[Json, str]] = {
    "self": ({"lam": "x", "body": {"app": [{"self": True}, X]}}, "it calls itself"),
    "a function that calls itself by another": (
        {"app": ["there", X]}, "there is no tool",
    ),
    "a function given": ({"app": [X, 1]}, "the function called here is not known"),
    "code given": ({"eval": X}, "the code evaluated here is not known"),
    "doubling": (folded({"fold": [{"lam": "q", "body": {"cons": [{"snd": {"var": "q"}}, {"fst": {"var": "q"}}]}},
                                  FIRST, FIRST]}, [1], X), "what a `fold` accumulates grows"),
    "a range of integers without bound": (
        folded({"snd": P}, 0, {"range": [0, {"fold": [{"lam": "p", "body": {"mul": [FIRST, SECOND]}}, 1, X]}]}),
        "the number of integers in the range is not known",
    ),
    "analysis": ({"normalize": X}, "what `normalize` costs depends on more than sizes"),
    "a value of any size": ({"show": {"fst": X}}, "the length of what is shown is not known"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_bounded_says_why(name: str) -> None:
    code, reason = UNKNOWN[name]
    found = cost(code)
    assert found["unknown"].startswith(reason)
    assert "min" not in found


def test_tools_are_followed_and_circles_noticed() -> None:
    tools: dict[str, Json] = {
        "reverse": REVERSE,
        "even": {"app": ["odd", X]},
        "odd": {"app": ["even", X]},
    }
    assert cost({"app": ["reverse", X]}, **tools)["max"] == "9·n + 23"
    assert cost({"eval": {"code_of": "reverse"}}, **tools)["max"] == "9·n + 47"
    assert cost({"app": ["even", X]}, **tools)["unknown"] in (
        "it calls itself",
        "there is too much to follow",
    )


def test_hard_terms_are_given_up_soon() -> None:
    nested: Json = X
    for number in range(60):
        nested = {"let": {"y": nested}, "in": {"pair": [{"var": "y"}, {"length": {"show": {"var": "y"}}}]}}
        if number % 7 == 0:
            nested = folded({"pair": [FIRST, SECOND]}, nested, [1, 2])
    assert cost({"fst": nested}).keys() & {"unknown", "max"}
    power: Json = {
        "lam": "f",
        "body": {"lam": "x", "body": {"app": [{"var": "f"}, {"app": [{"var": "f"}, X]}]}},
    }
    tower: Json = {"lam": "x", "body": {"pair": [X, X]}}
    for _ in range(40):
        tower = {"app": [power, tower]}
    assert "unknown" in cost({"app": [tower, 1]})


def test_polynomials() -> None:
    n, m = symbol("n"), symbol("m")
    assert str(n * n * m + n.times(3) + constant(2)) == "m·n² + 3·n + 2"
    assert larger(n + constant(1), m) == n + m + constant(1)
    assert smaller(n + constant(1), n.times(2)) == n
    assert (n * m + n).put({"n": constant(2)}) == m.times(2) + constant(2)
    assert (n * m).put({"n": None}) is None
    assert str(ZERO) == "0"
    assert charge_of("w", constant(2**192)) == constant(1)
    assert charge_of("w", n).value({"n": 2**192 - 1}) == 0
    assert charge_of("p", n, None).value({"n": 1}) == 32
    assert charge_of("w", n * m).put({"n": constant(2), "m": constant(3)}) == ZERO


DEAD: dict[str, tuple[Json, list[tuple[str, str]]]] = {
    "nothing": (SUM, []),
    "a branch": (
        {"if": {"cond": {"lt": [1, 2]}, "then": X, "else": {"add": [X, 1]}}},
        [("/if/else", "the condition is always true")],
    ),
    "a name": ({"let": {"unused": X}, "in": 1}, [("/let/unused", 'nothing uses the name "unused"')]),
    "a name that an eval may see": ({"let": {"seen": 1}, "in": {"eval": X}}, []),
    "operands": (
        [{"and": [False, X]}, {"or": [True, X]}, {"or": [False, X]}],
        [("/0/and/1", "the first operand is always false"), ("/1/or/1", "the first operand is always true")],
    ),
    "no items": (
        folded(FIRST, 0, []), [("/fold/0", "the list is always empty, so the function is never called")],
    ),
    "inside a quote": ({"quote": {"if": {"cond": True, "then": 1, "else": 2}}}, []),
    "inside what a quote computes": (
        {"quote": {"unquote": {"if": {"cond": True, "then": 1, "else": 2}}}},
        [("/quote/unquote/if/else", "the condition is always true")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEAD)
def test_dead_code(name: str) -> None:
    code, expected = DEAD[name]
    assert [(part.path, part.reason) for part in dead_code(decode_term(code))] == expected
