"""A new tool, or a new version of one: what `evolve` does between its request and its answer.

In this order: the code is read (or composed, or derived), closed and described; the store says what would come of it;
against the registry as it would be (an `Overlay`) the examples run, the laws are proved or tested, and the examples of
the tools that use it run. Only then is anything written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

import msgspec

from pif.analysis.cost.bounds import cost_json
from pif.analysis.facts import Facts, closed, facts_of
from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.work import Work
from pif.language.budget import Budget
from pif.language.json_text import parse_json
from pif.language.terms import Json, Term, identity, term_text
from pif.language.warnings import Fractions, PifWarning, Rounding, warned
from pif.run.evaluate import Answer
from registry.errors import RegistryError
from registry.laws.on_evolve import CheckedLaws, check_on_evolve
from registry.records import NO_EXAMPLES, ToolRecord, check_full_name
from registry.store.protocol import Evolved, Store
from registry.tools.analysis import type_advice, unfinished_cost, warnings_of
from registry.tools.code_and_examples import (
    EXAMPLE_FUEL,
    check_examples,
    check_number,
    read_code,
    read_examples,
    read_python,
)
from registry.tools.composition import composed, derived
from registry.tools.snapshot_tools import Overlay, SnapshotTools, TeamTools
from registry.workspace.answer_shapes import EvolvedAnswer
from registry.workspace.dependants import Checked, check_users, reject_broken, unchecked_readers
from registry.workspace.requests import Evolve

if TYPE_CHECKING:
    from registry.laws.law_prover import LawProver

__all__ = ["evolve"]


def evolve(
    request: Evolve,
    store: Store,
    tools: SnapshotTools,
    maximum_fuel: int,
    prover: Callable[[], LawProver],
    stop: Callable[[], bool] | None = None,
    fractions: Fractions = "round",
) -> Answer:
    """The answer of `evolve`; `prover` is asked where there are laws. `stop` ends analyses, not the evolving.
    `fractions`: what becomes of numbers with a fraction in the code and the examples.

    Raises `RegistryError` and `PifError`, and then nothing was kept.
    """
    check_full_name(request.name)
    rounding = Rounding(fractions)
    if isinstance(tools, TeamTools):
        request = _for_team(request, tools)
    term = tools.spelled(closed(_written(request, tools, maximum_fuel, rounding)))
    kept_rounded = rounding.numbers()
    python = request.code if request.language == "python" and isinstance(request.code, str) else None
    facts = facts_of(term)
    text = term_text(term)
    examples = msgspec.json.encode(request.examples).decode() if request.examples else NO_EXAMPLES

    def keep(expected: int | None, dry: bool, laws: CheckedLaws) -> Evolved:
        return store.evolve(
            request.name, code=text, hash=identity(term), description=request.description,
            capabilities=facts.capabilities, examples=examples, laws=laws.laws, certificates=laws.certificates,
            rounded=kept_rounded, python=python, expect_version=expected, dry_run=dry,
        )  # fmt: skip

    planned = keep(request.expect_version, True, CheckedLaws(None, {}, [], []))
    check_number(tools.snapshot.record(request.name), planned.record, len(request.examples))
    view = Overlay(tools, request.name, planned.record.version, term)
    typing = typing_of(view.new, view, Work(stop=stop))
    reports: list[Json] = []
    read_examples(request.examples, typing, rounding)
    if request.examples:
        reports = check_examples(
            request.name, request.examples, view, Budget(fuel=min(EXAMPLE_FUEL, maximum_fuel)),
            partial(_locate, planned.record, view),
        )  # fmt: skip
    before = tools.snapshot.record(request.name)
    laws = check_on_evolve(
        request.name, request.laws, request.drop_laws, before, view, tools.names, prover,
        same_code=planned.outcome not in ("created", "new_version"),
    )  # fmt: skip
    checked = Checked({}, ())
    expected = request.expect_version
    if expected is None and laws.reports:  # what was checked is what is replaced
        expected = before.version if before else 0
    if planned.outcome in ("created", "new_version"):
        checked = check_users([request.name], store, tools, view, stop)
        if not request.force:
            reject_broken(request.name, checked)
        if expected is None and checked.held:  # what was checked is what is replaced
            current = tools.snapshot.record(request.name)
            expected = current.version if current else 0
    evolved = keep(expected, request.dry_run, laws)
    answer = _answer(request, term, evolved, facts, typing, tools)
    for problem in answer.get("type_errors", ()):
        _locate(planned.record, view, problem)
    answer["cost"] = cost_json(view.new, view, typing, Work(stop=stop))
    if unfinished := [*filter(None, [typing.unfinished]), *unfinished_cost(answer["cost"])]:
        answer["unfinished"] = unfinished
    if request.examples:
        answer["examples"] = reports
    if laws.reports:
        answer["laws"] = laws.reports
    if laws.dropped:
        answer["dropped_laws"] = laws.dropped
    if checked.held:
        answer["users"] = checked.as_json()
        if missing := checked.missing():
            answer["unfinished"] = [*answer.get("unfinished", ()), *missing]
    if request.dry_run:
        answer["dry_run"] = True
    warnings = [*rounding.warnings(), *warnings_of(facts, request.name, tools)]
    if checked.refusal is not None:
        warnings.append(
            PifWarning(
                code="users_unchecked",
                message=f"not checked: {checked.refusal.message}",
                hint=checked.refusal.hint or "Run the examples of the tools that use it.",
            )
        )
    if planned.outcome == "new_version":
        warnings += unchecked_readers(request.name, store)
    return warned(cast(Answer, answer), warnings)


def _for_team(request: Evolve, tools: TeamTools) -> Evolve:
    """The request with the names of stages in full. Raises `not_allowed` where it names what a team may not."""
    compose, transform = request.compose, request.transform
    if compose is not None:
        compose = [tools.in_full(stage) if isinstance(stage, str) else stage for stage in compose]
    if transform is not None and isinstance(transform.tool, str):
        transform = msgspec.structs.replace(transform, tool=tools.in_full(transform.tool))
    return msgspec.structs.replace(request, compose=compose, transform=transform)


def _locate(record: ToolRecord, view: Overlay, error: dict[str, Json]) -> None:
    """Add the line of Python to an error of the tool itself, if it was written so."""
    if (
        record.python is not None
        and error.get("tool", record.reference) == record.reference
        and "path" in error
    ):
        from registry.tools.python_places import locate  # loads the translator

        locate(error, record, view)


def _written(request: Evolve, tools: SnapshotTools, maximum_fuel: int, rounding: Rounding) -> Term:
    """The term that is asked for, by whichever of the three ways."""
    ways = {
        "code": request.code is not msgspec.UNSET,
        "compose": request.compose is not None,
        "transform": request.transform is not None,
    }
    given = [way for way, is_given in ways.items() if is_given]
    if len(given) != 1:
        raise RegistryError(
            "invalid_argument", "a tool is made by exactly one of `code`, `compose` and `transform`",
            place=given[-1] if given else "code", found=" and ".join(given) or "none of them",
            expected="code, compose or transform",
            hint='"code": {"lam": "x", "body": …}, or "compose": ["sort", "reverse"], or '
            '"transform": {"tool": "square", "by": "differentiate"}',
        )  # fmt: skip
    if request.compose is not None:
        return composed(request.name, request.compose, tools, rounding)
    if request.transform is not None:
        return derived(request.transform, tools, maximum_fuel, rounding)
    if request.language == "python":
        return read_python(request.code, tools)
    return read_code(request.code, tools.nearest, rounding)


def _answer(
    request: Evolve, term: Term, evolved: Evolved, facts: Facts, typing: Typing, tools: SnapshotTools
) -> EvolvedAnswer:
    record = evolved.record
    answer: EvolvedAnswer = {
        "type": "tool",
        "name": record.name,
        "version": record.version,
        "hash": record.hash,
        "description": record.description,
        "capabilities": list(record.capabilities),
        "outcome": evolved.outcome,
    }
    answer |= cast(EvolvedAnswer, type_advice(typing))
    if request.transform is not None and (source := tools.tool(request.transform.tool)) is not None:
        answer["derived_from"] = source.label
    if request.code is not msgspec.UNSET and request.language == "json" and term.op == "lam":
        data = parse_json(request.code) if isinstance(request.code, str) else request.code
        if not (isinstance(data, dict) and "lam" in data):
            answer["closed_over"] = term.value
    return answer
