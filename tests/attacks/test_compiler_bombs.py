"""Terms that want the compiler to use up the machine: text that doubles, bodies walked again and again, frames as
large as a term. What would take too long or too much stays on the reference evaluator, with the same answer.
"""

from __future__ import annotations

from typing import Any

import pytest

from pif.compiled import generate
from pif.compiled.emitter import Unsuitable
from pif.compiled.generate import draft_function, draft_value
from pif.compiled.units import Prepared
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import literal
from pif.language.values import ANY
from tests.support.terms.both_back_ends import compare
from tests.support.terms.tool_dictionary import Dictionary

LONGEST = 150_000
"""Characters of source that any of these may give; a term of 3,000 nodes gives about as much."""


def var(name: str) -> Any:
    return {"var": name}


def lam(name: str, body: Any) -> Any:
    return {"lam": name, "body": body}


def chained(times: int, step: Any, last: Any) -> Any:
    """Lets of ever new values of `x`."""
    term = last
    for _ in range(times):
        term = {"let": {"x": step}, "in": term}
    return term


def nested(times: int, around: Any, core: Any) -> Any:
    term = core
    for _ in range(times):
        term = around(term)
    return term


def inner_fold(body: Any) -> Any:
    return {"fold": [lam("p", {"let": {"x": {"pair": [{"snd": var("p")}, {"fst": var("p")}]}}, "in": body}),
                     {"pair": [1, 2]}, [1]]}  # fmt: skip


BOMBS: dict[str, Any] = {
    "pairs of pairs": chained(60, {"pair": [var("x"), var("x")]}, {"fst": var("x")}),
    "pairs of pairs, kept": chained(40, {"pair": [var("x"), var("x")]}, [{"fst": {"fst": var("x")}}]),
    "lists of lists": chained(60, [var("x"), var("x")], {"length": var("x")}),
    "branches that join in pairs": chained(
        40, {"if": {"cond": {"eq": [1, 1]}, "then": {"pair": [var("x"), 1]}, "else": {"pair": [1, var("x")]}}},
        {"fst": var("x")},
    ),
    "folds in folds": nested(14, inner_fold, 1),
    "folds in folds' lists": nested(
        40, lambda core: {"fold": [lam("p", {"fst": var("p")}), 0, [core]]}, 1
    ),
    "choices in choices": nested(90, lambda core: {"if": {"cond": {"eq": [1, 2]}, "then": 0, "else": core}}, 1),
    "choices in conditions": nested(90, lambda core: {"if": {"cond": core, "then": True, "else": False}}, True),
    "nots": nested(390, lambda core: {"not": core}, True),
    "sums": nested(390, lambda core: {"add": [core, 1]}, 1),
    "functions in functions": nested(90, lambda core: lam("y", core), 1),
    "functions applied": nested(390 // 2, lambda core: {"app": [lam("y", core), 1]}, 1),
    "evals of quotes": nested(90, lambda core: {"eval": {"quote": core}}, 1),
    "conjunctions": nested(200, lambda core: {"and": [True, core]}, True),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_source_grows_with_the_term_and_no_faster(name: str) -> None:
    term = decode_term({"let": {"x": 1}, "in": BOMBS[name]})
    try:
        draft = draft_value(term, None, (), Dictionary(), checks_sizes=False)
    except Unsuitable:
        draft = None
    assert draft is None or len(draft.source) < LONGEST
    compare(term)


def test_kinds_of_arguments_without_end() -> None:
    """A call with an argument of an ever new kind compiles a few variants, then the general one."""
    code = lam(
        "n", {"if": {"cond": {"isEmpty": var("n")}, "then": 1, "else": {"app": [{"self": True}, [var("n")]]}}}
    )
    tool = Tool("t", 1, decode_term(code))
    source = draft_function(tool.term, tool, ("list", "never"), Dictionary(), checks_sizes=False).source
    assert source.count("def f") <= 6
    compare(tool, decode_term([]))


def test_tools_that_call_each_other_in_every_way() -> None:
    """Twelve tools, each calling all of them: every one is compiled once for each kind, within the visits allowed."""
    calls = [{"app": [f"t{i}", {"sub": [var("n"), 1]}]} for i in range(12)]
    code = lam("n", {"if": {"cond": {"lt": [var("n"), 1]}, "then": 1, "else": {"length": calls}}})
    tools = Dictionary(**{f"t{i}": code for i in range(12)})
    tool = tools.tool("t0")
    assert tool is not None
    assert len(draft_function(tool.term, tool, "int", tools, checks_sizes=False).source) < LONGEST
    compare(tool, literal(2), known=tools)


def test_frames_are_bounded() -> None:
    """A branch that is never taken would make every frame of a deep recursion large."""
    huge = [{"let": {"y": {"length": [var("n")]}}, "in": {"add": [var("y"), i]}} for i in range(400)]
    code = lam("n", {"if": {"cond": {"lt": [var("n"), 0]}, "then": huge, "else": {"if": {
        "cond": {"lt": [var("n"), 1]}, "then": 0, "else": {"add": [1, {"app": [{"self": True}, {"sub": [var("n"), 1]}]}]}}}}})  # fmt: skip
    tool = Tool("t", 1, decode_term(code))
    assert Prepared(tool.term, tool).unit("int", Dictionary(), checks_sizes=False) is None
    assert compare(tool, literal(100)) == ("ok", compare(tool, literal(100))[1], True)


def test_large_code_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    large = decode_term([{"add": [i, 1]} for i in range(2_000)])
    with pytest.raises(Unsuitable):
        draft_value(large, None, (), Dictionary(), checks_sizes=False)
    monkeypatch.setattr(generate, "_VISITS", 40)
    with pytest.raises(Unsuitable):
        draft_function(decode_term(lam("x", nested(60, lambda core: {"add": [core, 1]}, 1))), None, ANY, Dictionary(),
                       checks_sizes=False)  # fmt: skip
