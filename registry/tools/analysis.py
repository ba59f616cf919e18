"""The answer of `analyze`: properties of a tool or term that are known without running it (docs/reference/registry.md §6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import msgspec

from pif.analysis.facts import Facts, facts_of
from pif.analysis.normal_form.dead_code import dead_code
from pif.analysis.normal_form.normalize import normalize
from pif.analysis.types.tool_types import Typing
from pif.language.decode import all_errors
from pif.language.host import Tools
from pif.language.terms import Json, Term, print_term, same_term
from pif.run.evaluate import Answer

__all__ = [
    "ASPECTS",
    "DEFAULT_ASPECTS",
    "Aspect",
    "analysis",
    "invalid",
    "reach_of",
    "type_advice",
    "warnings_of",
]

Aspect = Literal[
    "validation", "facts", "reach", "types", "cost", "dead_code", "normal_form", "users", "graph"
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""The aspects of a term that `analyze` reports."""

DEFAULT_ASPECTS: tuple[Aspect, ...] = tuple(aspect for aspect in ASPECTS if aspect != "graph")
"""The default: all but the text of the graph."""

_REACHED = 1_000
"""Tools that are followed."""


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
    if "reach" in aspects:
        answer["reach"] = reach_of(term, label, tools)
    if "types" in aspects:
        answer |= _types(typing(), label)
    if "cost" in aspects:
        from pif.analysis.cost.bounds import cost_json  # not needed to run a tool

        answer["cost"] = cost_json(term, tools, typing())
    if "dead_code" in aspects:
        answer["dead_code"] = [msgspec.to_builtins(part) for part in dead_code(term)]
    if "normal_form" in aspects:
        normal = normalize(term, lambda nodes: None)
        answer |= {"normal_form": print_term(normal), "is_normal": same_term(normal, term)}
    return answer


def reach_of(term: Term, label: str | None, tools: Tools) -> Answer:
    """All tools that a term can call by name, directly or not, names without a tool, and the capabilities of these tools."""
    reached: dict[str, Facts] = {}
    missing: set[str] = set()
    waiting = [*facts_of(term).tools]
    while waiting and len(reached) < _REACHED:
        tool = tools.tool(name := waiting.pop())
        if tool is None:
            missing.add(name)
        elif tool.label not in reached:
            reached[tool.label] = facts_of(tool.term)
            waiting += reached[tool.label].tools
    capabilities = {each for name, facts in reached.items() if name != label for each in facts.capabilities}
    answer: Answer = {
        "tools": sorted(reached),
        "missing": sorted(missing),
        "capabilities": sorted(capabilities),
    }
    return {**answer, "cut": True} if waiting else answer


def _types(typing: Typing, label: str | None) -> Answer:
    """The fields of a type; each type error names the tool whose code it points into."""
    answer = typing.as_json()
    if label is not None and typing.problems:
        answer["type_errors"] = [{**found, "tool": label} for found in answer["type_errors"]]
    return answer


def warnings_of(facts: Facts, name: str | None, tools: Tools) -> list[str]:
    """Warnings for a term: names of tools that do not exist."""
    missing = [tool for tool in facts.tools if tool != name and tools.tool(tool) is None]
    return [f'the code names "{tool}", which is no tool yet' for tool in missing]


def type_advice(typing: Typing) -> Answer:
    """The fields of a type that `evolve` reports, as advice. Places of type `?` are left to `analyze`."""
    return {key: value for key, value in typing.as_json().items() if key != "type_unknown"}
