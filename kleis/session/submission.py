"""A submission: its three stages on a candidate, and the fields of its answer.

Specification: servers.md (`submit_structure` and its siblings, `try_structure`); kleis-language.md §8.3.

Invariant: `check` changes nothing.  The item it gives is accepted only by writing it (kleis/sessions/sessions.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.errors import KleisError
from kleis.problems import Problem
from kleis.prover.process.cancellable_broker import Provers
from kleis.prover.process.deadline import Watch
from kleis.sessions.answer_fields import evidence_fields, problem_fields, witness_text
from kleis.sessions.files.record import Item, ItemKind, item_of
from kleis.sessions.files.universe import Universe
from kleis.sessions.submission import Candidate, Refusal, Stage, admit, read
from kleis.sessions.verification import Verification, verify

__all__ = ["Checked", "Outcome", "check", "outcome_fields"]

Outcome: TypeAlias = Literal["consistent", "inconsistent", "unknown", "rejected"]

_MOST_WARNINGS = 20


class Checked(msgspec.Struct, frozen=True):
    """How a submission was found, and the universe with it (None where it is not acceptable)."""

    status: Outcome
    stage: Stage
    problems: tuple[KleisError, ...] = ()
    verification: Verification | None = None
    item: Item | None = None
    grown: Universe | None = None


def check(universe: Universe, text: str, kind: ItemKind | None, provers: Provers, watch: Watch) -> Checked:
    """Parse, load and verify a submission to a universe."""
    watch.report(0, None, "parsing and loading")
    candidate = read(universe, text, kind)
    if isinstance(candidate, Refusal):
        return Checked("rejected", candidate.stage, candidate.problems)
    with provers.prover(candidate.theory, watch) as prover:
        admitted = admit(candidate, prover.elaborator)
        if isinstance(admitted, Refusal):
            return Checked("rejected", admitted.stage, admitted.problems)
        found = verify(universe, admitted.program, prover, watch, replaced=admitted.replaced)
    if found.status in ("inconsistent", "rejected"):
        return Checked(found.status, "verify", found.problems, found)
    item = _item(admitted, text, kind, found)
    return Checked(
        found.status, "verify", (), found, item, universe.extended(item, admitted.program, admitted.theory)
    )


def _item(candidate: Candidate, text: str, kind: ItemKind | None, found: Verification) -> Item:
    told = {"termination"} if found.warnings else set()
    warnings = [*found.warnings, *(_warning(each) for each in candidate.warnings if each.code not in told)]
    item = item_of(
        candidate.program.items,
        text.strip(),
        status="unknown" if found.status == "unknown" else "consistent",
        axioms=found.axioms,
        warnings=tuple(dict.fromkeys(warnings))[:_MOST_WARNINGS],
    )
    return item if kind is None else msgspec.structs.replace(item, kind=kind)


def _warning(problem: Problem) -> str:
    place = f"line {problem.line}: " if problem.line else ""
    return f"{place}{problem.message}" + (f" ({problem.hint})" if problem.hint else "")


def outcome_fields(checked: Checked, *, accepted: bool) -> dict[str, Any]:
    """The answer's fields; `accepted` says that it was written, or (of a trial) that it would be."""
    item = checked.item
    fields: dict[str, Any] = {
        "status": checked.status,
        "accepted": accepted,
        "stage": checked.stage,
        "structures_added": list(item.structures) if item else [],
        "functions_added": list(item.functions) if item else [],
        "data_types_added": list(item.data_types) if item else [],
        "axioms_verified": list(item.axioms) if item else [],
    }
    if item is not None and item.warnings:
        fields["warnings"] = list(item.warnings)
    if checked.problems:
        fields["error"] = _first_line(checked.stage, checked.problems)
        fields["problems"] = problem_fields(checked.problems)
    if checked.verification is not None:
        fields |= _verification_fields(checked.verification)
    return fields


def _verification_fields(found: Verification) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if found.status == "inconsistent":
        names = ", ".join(found.core)
        fields["clash"] = list(found.core)
        fields["error"] = f"these axioms have no model together: {names}"
        fields["hint"] = "change or drop one of them; nothing was kept"
    if found.model is not None:
        fields["model"] = evidence_fields(found.model)
    failed = next((part for part in found.parts if part.verdict.status == "disproved"), None)
    if failed is not None and failed.verdict.evidence is not None:
        fields["counterexample"] = evidence_fields(failed.verdict.evidence)
        fields["witness"] = witness_text(failed.verdict.evidence)
    if len(found.parts) > 1:
        fields["parts"] = [{"name": part.name, "status": part.verdict.status} for part in found.parts]
    return fields


def _first_line(stage: Stage, problems: Sequence[KleisError]) -> str:
    """The first problem on one line; how many more there are."""
    words = {"parse": "Parse error", "load": "Load error", "verify": "Not accepted"}
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{words[stage]}: {problems[0]}{more}"
