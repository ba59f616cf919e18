"""What `pif demo` plays: acts of calls, each with the answer that has to come.

The acts build on each other: tools evolved in one are used in later ones. GUIDE.md teaches the same things.
"""

from __future__ import annotations

from typing import Any

from registry.cli.demo.theory_acts import CONJECTURES, LAWS, SYNTHESIS, THEORY, THEORY_LATER, Act, Call

__all__ = ["ACTS", "LATER", "Act", "Call"]

Json = Any


def _var(name: str) -> Json:
    return {"var": name}


def _lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


def _if(cond: Json, then: Json, other: Json) -> Json:
    return {"if": {"cond": cond, "then": then, "else": other}}


def _fold(accumulator: Json, start: Json, over: Json) -> Json:
    return {"fold": [_lam("p", accumulator), start, over]}


def _value(value: Json) -> dict[str, Json]:
    return {"type": "value", "value": value}


def _error(kind: str, **more: Json) -> dict[str, Json]:
    return {"type": "error", "error": {"kind": kind, **more}}


def _evolve(name: str, description: str, code: Json, note: str = "", **more: Json) -> Call:
    arguments = {"name": name, "description": description, "code": code, **more}
    return Call("evolve", arguments, {"type": "tool", "name": name, "version": 1}, note)


def _run(code: Json, given: Json, expect: dict[str, Json], note: str = "", **more: Json) -> Call:
    return Call("run", {"code": code, "input": given, **more}, expect, note, progress="drive" in more)


_X, _N, _P = _var("x"), _var("n"), _var("p")
_SQUARE = _lam("x", {"mul": [_X, _X]})
_FACTORIAL = _lam(
    "p",
    _if(
        {"lte": [{"fst": _P}, 1]},
        {"snd": _P},
        {"continue": {"input": {"pair": [{"sub": [{"fst": _P}, 1]}, {"mul": [{"fst": _P}, {"snd": _P}]}]}}},
    ),
)


def _parity(at_zero: bool, other: str) -> Json:
    return _lam("n", _if({"eq": [_N, 0]}, at_zero, {"app": [other, {"sub": [_N, 1]}]}))


_SUM = _lam("l", _fold({"add": [{"fst": _P}, {"snd": _P}]}, 0, _var("l")))
_REVERSE = _lam("l", _fold({"cons": [{"snd": _P}, {"fst": _P}]}, {"nil": True}, _var("l")))
_MAP = _lam(
    "f",
    _lam(
        "l",
        {
            "app": [
                "reverse",
                _fold({"cons": [{"app": [_var("f"), {"snd": _P}]}, {"fst": _P}]}, {"nil": True}, _var("l")),
            ]
        },
    ),
)
_FILTER = _lam(
    "f",
    _lam(
        "l",
        {
            "app": [
                "reverse",
                _fold(
                    _if(
                        {"app": [_var("f"), {"snd": _P}]},
                        {"cons": [{"snd": _P}, {"fst": _P}]},
                        {"fst": _P},
                    ),
                    {"nil": True},
                    _var("l"),
                ),
            ]
        },
    ),
)
_PIPELINE = _lam(
    "l",
    {
        "let": {
            "even": {"app": ["filter", _lam("x", {"eq": [{"mod": [_X, 2]}, 0]})]},
            "squares": {"app": ["map", {"eval": {"code_of": "square"}}]},
        },
        "in": {"app": ["sum", {"app": [_var("squares"), {"app": [_var("even"), _var("l")]}]}]},
    },
)
_REWRITTEN = _lam(
    "x",
    {
        "let": {
            "source": {"reify": {"code_of": "square"}},
            "changed": {
                "with": [_var("source"), "body", {"with": [{"get": [_var("source"), "body"]}, "op", "add"]}]
            },
        },
        "in": {"app": [{"eval": {"reflect": _var("changed")}}, _X]},
    },
)
_DOUBLED = _fold({"pair": [{"fst": _P}, {"fst": _P}]}, 1, {"range": [0, 60]})

ACTS: tuple[Act, ...] = (
    Act(
        "A tool is a term; evolve it, then run it",
        (
            _evolve(
                "square",
                "Squares a number",
                _SQUARE,
                "an example comes with it, and must hold",
                examples=[{"input": 3, "output": 9}],
            ),
            _run("square", 7, _value(49), "exact, and metered to the step"),
            Call("square", {"input": 12}, _value(144), "it is an MCP tool of its own now"),
        ),
    ),
    Act(
        "Tools are made of tools: code_of reads a source, eval runs it",
        (
            _evolve(
                "fourth_power",
                "The fourth power, by squaring twice",
                _lam(
                    "x",
                    {
                        "let": {"f": {"eval": {"code_of": "square"}}},
                        "in": {"app": [_var("f"), {"app": [_var("f"), _X]}]},
                    },
                ),
            ),
            _run("fourth_power", 3, _value(81)),
            _evolve(
                "twice",
                "Applies the tool named first to the second, twice",
                _lam(
                    "p",
                    {
                        "let": {"f": {"eval": {"code_of": {"fst": _P}}}},
                        "in": {"app": [_var("f"), {"app": [_var("f"), {"snd": _P}]}]},
                    },
                ),
                "the name is computed",
            ),
            _run("twice", {"pair": ["square", 5]}, _value(625)),
        ),
    ),
    Act(
        "Long work in steps: continue asks to be called again",
        (
            _evolve("factorial", "Factorial of the first of a pair, times the second", _FACTORIAL),
            _run(
                "factorial",
                {"pair": [5, 1]},
                {"type": "continuation", "tool": "factorial", "next_input": {"pair": [4, 5]}, "step": 1},
                "one step, and what to call next",
            ),
            _run("factorial", {"pair": [5, 1]}, _value(120), "the server drives, with progress", drive=10),
        ),
    ),
    Act(
        "Two tools that call each other",
        (
            _evolve(
                "is_even",
                "Whether a natural number is even",
                _parity(True, "is_odd"),
                "is_odd does not exist yet",
            ),
            _evolve("is_odd", "Whether a natural number is odd", _parity(False, "is_even")),
            _run("is_even", 1000, _value(True), "a thousand calls deep", fuel=100_000),
            _run("is_odd", 1000, _value(False), fuel=100_000),
        ),
    ),
    Act(
        "A pipeline of higher-order tools: filter, map, fold",
        (
            _evolve("reverse", "A list backwards", _REVERSE),
            _evolve("map", "Applies a function to each item of a list", _MAP),
            _evolve("filter", "The items of a list for which a function is true", _FILTER),
            _evolve("sum", "The sum of a list", _SUM),
            _evolve("sum_of_even_squares", "Squares the even items and adds them up", _PIPELINE),
            _run("sum_of_even_squares", list(range(1, 11)), _value(220), "4 + 16 + 36 + 64 + 100"),
        ),
    ),
    Act(
        "Code is data: a tool that takes another one apart",
        (
            _evolve(
                "count_operations",
                "Counts the operations in the source of a tool",
                _lam("name", {"get": [{"analyze": {"code_of": _var("name")}}, "operations"]}),
            ),
            _run("count_operations", "square", _value({"lam": 1, "mul": 1, "var": 2})),
            _evolve(
                "rewritten",
                "Runs square with its mul made an add",
                _REWRITTEN,
                "reify, change, reflect, eval",
            ),
            _run("rewritten", 21, _value(42), "x + x instead of x * x"),
        ),
    ),
    Act(
        "A wrong term is refused, with its place and what was meant",
        (
            Call(
                "evolve",
                {"name": "size", "description": "", "code": _lam("l", {"lenght": _var("l")})},
                _error("parse_error", path="/body"),
            ),
            _run("square", "seven", _error("type_error", path="/body/mul/0", tool="square@1")),
            Call(
                "evolve",
                {"name": "cube", "description": "", "code": _SQUARE, "examples": [{"input": 2, "output": 8}]},
                _error("example_failed"),
                "a promise that does not hold",
            ),
        ),
    ),
    Act(
        "What never ends is stopped: by fuel, depth, size, result, eval depth",
        (
            _evolve("for_ever", "Calls itself", _lam("x", {"app": [{"self": True}, _X]})),
            _run("for_ever", 0, _error("out_of_fuel"), "fuel"),
            _run("for_ever", 0, _error("too_deep"), "depth, where there is fuel enough", fuel=1_000_000),
            _evolve("explode", "Squares for ever", _lam("x", {"app": [{"self": True}, {"mul": [_X, _X]}]})),
            _run("explode", 2, _error("value_too_large"), "size"),
            _run(_DOUBLED, None, _error("result_too_large"), "a pair of itself, doubled sixty times"),
            _evolve(
                "nest", "An eval in an eval in an eval", _lam("x", {"eval": {"quote": {"app": ["nest", _X]}}})
            ),
            _run("nest", 0, _error("eval_depth_exceeded"), "eval depth"),
            _evolve("count_up", "Continues for ever", _lam("n", {"continue": {"input": {"add": [_N, 1]}}})),
            _run(
                "count_up",
                0,
                {"type": "continuation", "stopped": "out_of_fuel"},
                "driven until its fuel is used up; nothing is lost",
                drive=1_000_000,
                fuel=5_000,
            ),
            _run("square", 7, _value(49), "and the server is as well as ever"),
        ),
    ),
    THEORY,
)
"""The acts of the first day."""

LATER: tuple[Act, ...] = (
    Act(
        "Tomorrow: another server, the same home",
        (
            Call("list", {"query": "squaring"}, {"type": "tools", "total": 1}),
            Call("fourth_power", {"input": 10}, _value(10_000), "still here"),
        ),
    ),
    THEORY_LATER,
    CONJECTURES,
    SYNTHESIS,
    LAWS,
)
"""What is played after the server was started anew. The last acts need both languages."""
