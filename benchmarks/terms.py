"""The seven evaluator workloads, as PIF tools and as a Python programmer would write them by hand.

Where the project's shared data is beside the project, its recorded workloads are measured instead; they are of the
same kind. Both sides run the same algorithm with loops, recursion and tuples, and without library calls that do the
whole job in C.
"""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["SHARED", "Workload", "peer_workloads", "workloads"]

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "pif-workloads"


class Workload(msgspec.Struct, frozen=True):
    """Tools to evolve, the one to run, its input, the value that must come, and the same function in Python."""

    name: str
    tools: dict[str, Any]
    run: str
    input: Any
    expected: Any
    hand: Callable[[Any], Any]


def _var(name: str) -> Any:
    return {"var": name}


def _lam(name: str, body: Any) -> Any:
    return {"lam": name, "body": body}


def _if(cond: Any, then: Any, other: Any) -> Any:
    return {"if": {"cond": cond, "then": then, "else": other}}


def _self(argument: Any) -> Any:
    return {"app": [{"self": True}, argument]}


_N = _var("n")
_ACC = {"fst": _var("p")}
_ITEM = {"snd": _var("p")}
_LESS = {"sub": [_N, 1]}


def fold_sum(items: list[int]) -> int:
    total = 0
    for item in items:
        total = total + item
    return total


def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def insertion_sort(items: list[int]) -> list[int]:
    result: list[int] = []
    for item in items:
        before: list[int] = []
        placed = False
        for other in result:
            if not placed and item <= other:
                before.append(item)
                placed = True
            before.append(other)
        if not placed:
            before.append(item)
        result = before
    return result


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def map_filter(items: list[int]) -> list[int]:
    kept: list[int] = []
    for item in items:
        if item > 0:
            kept.append(item * 3 + 1)
    kept.reverse()
    return kept


def primes(n: int) -> list[int]:
    if n < 2:
        return []
    found = primes(n - 1)
    prime = True
    for p in found:
        prime = prime and n % p != 0
    return [n, *found] if prime else found


def _insert() -> Any:
    """A function of (list, item): the item put into an ascending list, by a fold that keeps the list reversed."""
    state, item = _var("s"), _var("x")
    placed, done = {"fst": state}, {"snd": state}
    step = _if(
        {"and": [{"not": placed}, {"lte": [item, _var("y")]}]},
        {"pair": [True, {"cons": [_var("y"), {"cons": [item, done]}]}]},
        {"pair": [placed, {"cons": [_var("y"), done]}]},
    )
    walk = {"fold": [_lam("q", {"let": {"s": {"fst": _var("q")}, "y": {"snd": _var("q")}}, "in": step}),
                     {"pair": [False, []]}, _ACC]}  # fmt: skip
    reverse = {"fold": [_lam("r", {"cons": [{"snd": _var("r")}, {"fst": _var("r")}]}), [], _var("back")]}
    complete = _if({"fst": _var("w")}, {"snd": _var("w")}, {"cons": [item, {"snd": _var("w")}]})
    return {"let": {"x": _ITEM, "w": walk, "back": complete}, "in": reverse}


def _own() -> list[Workload]:
    draw = random.Random(8)
    numbers = [draw.randrange(-500, 500) for _ in range(5_000)]
    mutual = {
        name: _lam("n", _if({"eq": [_N, 0]}, at_zero, {"app": [{"eval": {"code_of": other}}, _LESS]}))
        for name, other, at_zero in (("is_even", "is_odd", True), ("is_odd", "is_even", False))
    }
    cases: list[tuple[str, dict[str, Any], str, Any, Callable[[Any], Any]]] = [
        ("fold-sum 5,000", {"sum": _lam("l", {"fold": [_lam("p", {"add": [_ACC, _ITEM]}), 0, _var("l")]})}, "sum",
         numbers, fold_sum),
        ("factorial 20", {"fact": _lam("n", _if({"lte": [_N, 1]}, 1, {"mul": [_N, _self(_LESS)]}))}, "fact", 20,
         factorial),
        ("fib 20", {"fib": _lam("n", _if({"lt": [_N, 2]}, _N, {"add": [_self(_LESS), _self({"sub": [_N, 2]})]}))},
         "fib", 20, fib),
        ("insertion sort 60", {"sort": _lam("l", {"fold": [_lam("p", _insert()), [], _var("l")]})}, "sort",
         numbers[:60], insertion_sort),
        ("mutual recursion 200", mutual, "is_even", 200, is_even),
        ("map and filter 2,000", {"mf": _lam("l", {"fold": [_lam("p", _if(
            {"gt": [_ITEM, 0]}, {"cons": [{"add": [{"mul": [_ITEM, 3]}, 1]}, _ACC]}, _ACC)), [], _var("l")]})}, "mf",
         numbers[:2_000], map_filter),
        ("primes below 300", {"primes": _lam("n", _if({"lt": [_N, 2]}, [], {"let": {"ps": _self(_LESS)}, "in": _if(
            {"fold": [_lam("p", {"and": [_ACC, {"not": {"eq": [{"mod": [_N, _ITEM]}, 0]}}]}), True, _var("ps")]},
            {"cons": [_N, _var("ps")]}, _var("ps"))}))}, "primes", 299, primes),
    ]  # fmt: skip
    return [Workload(name, tools, run, given, hand(given), hand) for name, tools, run, given, hand in cases]


def _recorded() -> list[Workload]:
    spec = importlib.util.spec_from_file_location("hand", SHARED / "hand.py")
    assert spec is not None
    assert spec.loader is not None
    hand = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hand)
    return [_recording(name, function) for name, function in hand.CASES.items()]


def _recording(name: str, hand: Callable[[Any], Any]) -> Workload:
    case = json.loads((SHARED / f"{name}.json").read_text())
    tools = {tool["name"]: tool["code"] for tool in case["evolve"]}
    run = case["run"]
    return Workload(name, tools, run["code"], run["input"], case["expected"], hand)


def workloads() -> list[Workload]:
    """The recorded workloads where they are at hand, else our own."""
    return _recorded() if SHARED.is_dir() else _own()


_SHALLOW = {"05_mutual_even_odd_200": "05b_mutual_even_odd_100"}
"""Where other servers cannot recurse as deep, the recording that they can run."""


def peer_workloads() -> list[Workload]:
    """The workloads for a comparison with another server."""
    return [
        _recording(_SHALLOW[workload.name], workload.hand) if workload.name in _SHALLOW else workload
        for workload in workloads()
    ]
