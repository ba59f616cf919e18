"""The answer of `analyze`: properties of a tool or term that are known without running it (docs/reference/registry.md §6).

Each aspect has a budget of steps of its own and looks at the stop flag. What is not finished is null, and named in
`unfinished`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, cast, get_args

import msgspec

from pif.analysis.facts import Facts, facts_of
from pif.analysis.normal_form.dead_code import MOST, dead_code
from pif.analysis.normal_form.normalize import normalize
from pif.analysis.types.tool_types import TypeFields, Typing
from pif.analysis.work import NOT_FINISHED, STOPPED, Unfinished, Work
from pif.language.decode import all_errors
from pif.language.host import Tools
from pif.language.terms import Json, Term, print_term, same_term
from pif.language.warnings import PifWarning, warned
from pif.run.evaluate import Answer

if TYPE_CHECKING:
    from registry.tools.answer_shapes import AnalysisAnswer

__all__ = [
    "ASPECTS",
    "DEFAULT_ASPECTS",
    "Aspect",
    "analysis",
    "invalid",
    "reach_of",
    "type_advice",
    "unfinished_cost",
    "warnings_of",
]

Aspect = Literal[
    "validation", "facts", "reach", "types", "cost", "dead_code", "normal_form", "users", "graph"
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""The aspects of a term that `analyze` reports."""

DEFAULT_ASPECTS: tuple[Aspect, ...] = tuple(aspect for aspect in ASPECTS if aspect != "graph")
"""The default: all but the text of the graph."""

_WARNINGS = 12
_MISSING_HINT = "Evolve it, or correct the name: `list` shows the tools. A run that calls it fails."
"""Missing tools that are told one by one."""

_REACHED = 1_000
"""Tools that are followed."""


def invalid(data: Json) -> Answer | None:
    """The answer for JSON that is no term, with all its errors; None for a term."""
    errors = all_errors(data)
    if not errors:
        return None
    listed = [{key: part for key, part in error.as_json().items() if key != "fuel_used"} for error in errors]
    answer: AnalysisAnswer = {"type": "analysis", "valid": False, "errors": listed}
    return cast(Answer, answer)


def analysis(
    term: Term,
    label: str | None,
    name: str | None,
    tools: Tools,
    typing: Callable[[Work], Typing],
    aspects: Sequence[str],
    stop: Callable[[], bool] | None = None,
) -> Answer:
    """The answer for a term. `label` and `name` are those of the tool whose code it is; `typing` finds its type."""
    unfinished: list[str] = []
    answer: AnalysisAnswer = {"type": "analysis"}
    if label is not None:
        answer["tool"] = label
    if "validation" in aspects:
        answer |= {"valid": True, "errors": []}
    facts = facts_of(term)
    if "facts" in aspects:
        answer |= msgspec.to_builtins(facts)
    if "reach" in aspects:
        answer["reach"] = reach_of(term, label, tools, Work(stop=stop))
        if answer["reach"].get("cut"):
            unfinished.append("reach: there are more tools")
    typed = typing(Work(stop=stop)) if {"types", "cost"} & {*aspects} else None
    if typed is not None and "types" in aspects:
        answer |= cast("AnalysisAnswer", _types(typed, label))
        unfinished += [typed.unfinished] if typed.unfinished else []
    if typed is not None and "cost" in aspects:
        from pif.analysis.cost.bounds import cost_json  # not needed to run a tool

        answer["cost"] = cost_json(term, tools, typed, Work(stop=stop))
        unfinished += unfinished_cost(answer["cost"])
    if "dead_code" in aspects:
        try:
            found = dead_code(term, Work(stop=stop))
            answer["dead_code"] = [msgspec.to_builtins(part) for part in found]
            unfinished += [f"dead_code: the first {MOST} parts"] if len(found) == MOST else []
        except Unfinished as error:
            answer["dead_code"] = None
            unfinished.append(f"dead_code: {error.reason}")
    if "normal_form" in aspects:
        try:
            work = Work(stop=stop)
            normal = normalize(term, work.done, work.look)
            answer |= {"normal_form": print_term(normal), "is_normal": same_term(normal, term)}
        except Unfinished as error:
            answer |= {"normal_form": None, "is_normal": None}
            unfinished.append(f"normal_form: {error.reason}")
    if unfinished:
        answer["unfinished"] = unfinished
    return warned(cast(Answer, answer), warnings_of(facts, name, tools))


def unfinished_cost(cost: Json) -> list[str]:
    """What `unfinished` says of the `cost` of an answer."""
    parts = [cost, cost.get("applied", {})]
    reasons = [each["unknown"] for each in parts if each.get("unknown") in (NOT_FINISHED, STOPPED)]
    return [f"cost: {reason}" for reason in reasons[:1]]


def reach_of(term: Term, label: str | None, tools: Tools, work: Work | None = None) -> Answer:
    """All tools that a term can call by name, directly or not, names without a tool, and the capabilities of these tools.

    `cut` where there are more: a step of `work` is four nodes of a tool.
    """
    work = work or Work()
    reached: dict[str, Facts] = {}
    missing: set[str] = set()
    waiting = [*facts_of(term).tools]
    while waiting and len(reached) < _REACHED:
        tool = tools.tool(name := waiting.pop())
        if tool is None:
            missing.add(name)
        elif tool.label not in reached:
            try:
                reached[tool.label] = facts_of(tool.term, work)
            except Unfinished:
                waiting.append(name)
                break
            waiting += reached[tool.label].tools
    capabilities = {each for name, facts in reached.items() if name != label for each in facts.capabilities}
    answer: Answer = {
        "tools": sorted(reached),
        "missing": sorted(missing),
        "capabilities": sorted(capabilities),
    }
    return {**answer, "cut": True} if waiting else answer


def _types(typing: Typing, label: str | None) -> TypeFields:
    """The fields of a type; each type error names the tool whose code it points into."""
    answer = typing.as_json()
    if label is not None and typing.problems:
        answer["type_errors"] = [{**found, "tool": label} for found in answer["type_errors"]]
    return answer


def warnings_of(facts: Facts, name: str | None, tools: Tools) -> list[PifWarning]:
    """Warnings for a term: names of tools that do not exist."""
    missing = [tool for tool in facts.tools if tool != name and tools.tool(tool) is None]
    told = [f'the code names "{tool[:80]}", which is no tool yet' for tool in missing[:_WARNINGS]]
    if more := len(missing) - len(told):
        told.append(f"the code names {more} more that are no tools yet")
    return [PifWarning(code="missing_tool", message=each, hint=_MISSING_HINT) for each in told]


def type_advice(typing: Typing) -> TypeFields:
    """The fields of a type that `evolve` reports, as advice. Places of type `?` are left to `analyze`."""
    fields = typing.as_json()
    fields.pop("type_unknown", None)
    return fields
