"""A registry that is a dictionary, runs with it, and a few tools for them."""

from __future__ import annotations

from typing import Any

from pif.analysis.facts import closed
from pif.language.budget import Budget
from pif.language.errors import nearest
from pif.language.host import Tool
from pif.language.terms import print_term
from pif.run.evaluate import Answer, Request, run
from registry.tools.code_and_examples import read_code
from tests.support.terms.shape_maker import RINGS

__all__ = ["TOOLS", "Dictionary", "answer", "error", "value"]

TOOLS: dict[str, Any] = {
    "double": {"mul": [{"var": "x"}, 2]},
    "fact": {"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 1]}, "then": 1, "else": {
        "mul": [{"var": "n"}, {"app": [{"self": True}, {"sub": [{"var": "n"}, 1]}]}]}}}},
    **{name: print_term(term) for name, term in RINGS.items()},
}  # fmt: skip


class Dictionary:
    """Tools by name; `name@1` is the same as the name."""

    def __init__(self, **codes: Any) -> None:
        self.terms = {name: closed(read_code(code, lambda word: None)) for name, code in codes.items()}

    def tool(self, reference: str) -> Tool | None:
        name, _, version = reference.partition("@")
        term = self.terms.get(name)
        return None if term is None or version not in ("", "1") else Tool(name, 1, term, reference=reference)

    def nearest(self, name: str) -> str | None:
        return nearest(name, self.terms)


def answer(
    code: Any,
    input: Any = None,
    *,
    tools: dict[str, Any] | None = None,
    budget: Budget | None = None,
    **more: Any,
) -> Answer:
    """What `run` answers, with five million fuel unless a budget is given."""
    request = Request(code=code, input=input, **more)
    return run(request, Dictionary(**(tools or {})), budget or Budget(fuel=5_000_000))


def value(code: Any, input: Any = None, **more: Any) -> Any:
    """The value of a run that must have one."""
    found = answer(code, input, **more)
    assert found["type"] == "value", found
    return found["value"]


def error(code: Any, input: Any = None, **more: Any) -> dict[str, Any]:
    """The error of a run that must fail."""
    found = answer(code, input, **more)
    assert found["type"] == "error", found
    failure = found["error"]
    assert isinstance(failure, dict)
    return failure
