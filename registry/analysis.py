"""What `analyze` answers: all that can be said of a tool or a term without running it (servers.md, group `pif`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import msgspec

from pif.analysis.facts import Facts, facts_of
from pif.analysis.normalize import normalize
from pif.analysis.tool_types import Typing
from pif.decode import all_errors
from pif.evaluate import Answer
from pif.reference.machine import Tools
from pif.terms import Json, Term, print_term, same_term

__all__ = ["ASPECTS", "Aspect", "analysis", "invalid", "type_advice", "warnings_of"]

Aspect = Literal["validation", "facts", "types", "normal_form"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""What `analyze` can tell of a term, all of it by default."""


def invalid(data: Json) -> Answer | None:
    """The answer for JSON that is no term, with all its errors; None for a term."""
    errors = all_errors(data)
    if not errors:
        return None
    listed = [{key: part for key, part in error.as_json().items() if key != "fuel_used"} for error in errors]
    return {"type": "analysis", "valid": False, "errors": listed}


def analysis(
    term: Term,
    label: str | None,
    name: str | None,
    tools: Tools,
    typing: Callable[[], Typing],
    aspects: Sequence[str],
) -> Answer:
    """The answer for a term. `label` and `name` are those of the tool whose code it is; `typing` finds its type."""
    answer: Answer = {"type": "analysis"}
    if label is not None:
        answer["tool"] = label
    if "validation" in aspects:
        answer |= {"valid": True, "errors": []}
    facts = facts_of(term)
    if warnings := warnings_of(facts, name, tools):
        answer["warnings"] = warnings
    if "facts" in aspects:
        answer |= msgspec.to_builtins(facts)
    if "types" in aspects:
        answer |= _types(typing(), label)
    if "normal_form" in aspects:
        normal = normalize(term, lambda nodes: None)
        answer |= {"normal_form": print_term(normal), "is_normal": same_term(normal, term)}
    return answer


def _types(typing: Typing, label: str | None) -> Answer:
    """What is known of the type; problems say which tool's code they point into."""
    answer = typing.as_json()
    if label is not None and typing.problems:
        answer["type_errors"] = [{**found, "tool": label} for found in answer["type_errors"]]
    return answer


def warnings_of(facts: Facts, name: str | None, tools: Tools) -> list[str]:
    """What is legal in a term and yet hardly meant: names of tools that are none."""
    missing = [tool for tool in facts.tools if tool != name and tools.tool(tool) is None]
    return [f'the code names "{tool}", which is no tool yet' for tool in missing]


def type_advice(typing: Typing) -> Answer:
    """What `evolve` says of a type: advice, whatever it is. Places that are `?` are left to `analyze`."""
    return {key: value for key, value in typing.as_json().items() if key != "type_unknown"}
