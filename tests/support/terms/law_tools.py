"""The tools that tests of laws use."""

from __future__ import annotations

from typing import Any

__all__ = ["TOOLS", "function", "variable"]

Json = Any


def variable(name: str) -> Json:
    """A variable."""
    return {"var": name}


def function(*parts: Any) -> Json:
    """A curried function: the names of its parameters, then its body."""
    *names, body = parts
    for name in reversed(names):
        body = {"lam": name, "body": body}
    return body


_L, _N, _X, _P = (variable(name) for name in "lnxp")
_SELF = {"self": True}

TOOLS: dict[str, Json] = {
    "square": function("x", {"mul": [_X, _X]}),
    "double": function("x", {"mul": [2, _X]}),
    "fact": function("n", {"if": {"cond": {"lte": [_N, 0]}, "then": 1,
                                  "else": {"mul": [_N, {"app": [_SELF, {"sub": [_N, 1]}]}]}}}),
    "sum": function("l", {"fold": [function("p", {"add": [{"fst": _P}, {"snd": _P}]}), 0, _L]}),
    "append": function("a", "b", {"if": {"cond": {"isEmpty": variable("a")}, "then": variable("b"), "else": {
        "cons": [{"head": variable("a")}, {"app": [_SELF, {"tail": variable("a")}, variable("b")]}]}}}),
    "mean": function("l", {"div": [{"app": ["sum", _L]}, {"length": _L}]}),
    "area": function("r", {"mul": [{"get": [variable("r"), "width"]}, {"get": [variable("r"), "height"]}]}),
    "swap": function("p", {"pair": [{"snd": _P}, {"fst": _P}]}),
    "map": function("f", "l", {"fold": [function("p", {"cons": [{"app": [variable("f"), {"snd": _P}]}, {"fst": _P}]}),
                                        {"nil": True}, _L]}),
    "doubles": function("l", {"app": ["map", function("x", {"mul": [2, _X]}), _L]}),
    "shifts": function("l", {"app": ["map", function("x", {"add": [_X, 1]}), _L]}),
    "moves": function("l", {"app": ["map", function("x", {"add": [{"mul": [2, _X]}, 1]}), _L]}),
    "digits": function("l", {"fold": [function("p", {"add": [{"mul": [10, {"fst": _P}]}, {"snd": _P}]}), 0, _L]}),
    "endless": function("n", {"add": [{"app": [_SELF, _N]}, 1]}),
    "quoting": function("x", {"eval": {"quote": {"add": [1, 1]}}}),
    "move": function("r", {"record": {"x": {"add": [{"get": [variable("r"), "x"]}, 1]},
                                      "at": {"record": {"y": {"get": [variable("r"), "y"]}}}}}),
    "differ": function("a", "b", {"not": {"eq": [{"not": variable("a")}, {"not": {"eq": [variable("b"), True]}}]}}),
    "lengths": function("l", {"fold": [function("p", {"add": [{"fst": _P}, {"length": {"snd": _P}}]}), 0, _L]}),
    "item": function("acc", {"add": [variable("acc"), 1]}),
    "weighed": function("l", {"fold": [
        function("p", {"add": [{"mul": [2, {"fst": _P}]}, {"app": ["item", {"snd": _P}]}]}), 0, _L]}),
    "is_zero": function("x", {"eq": [_X, 0]}),
    "is_blank": function("s", {"eq": ["", variable("s")]}),
    "is_bare": function("l", {"eq": [_L, {"nil": True}]}),
    "times_in": function("x", "l", {"fold": [function("p", {"if": {
        "cond": {"eq": [{"snd": _P}, _X]}, "then": {"add": [{"fst": _P}, 1]}, "else": {"fst": _P}}}), 0, _L]}),
    "my-tool.v": function("x", {"add": [_X, 1]}),
}  # fmt: skip
