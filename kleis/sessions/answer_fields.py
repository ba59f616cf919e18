"""Verdicts, evidence and errors as JSON fields, and evidence as text: one view for every client.

Sessions answer with these fields, and the texts of the server are made from them. Oracles make PIF values of
`evidence_fields`; the commands write `statements` and `witness_text`. The fields of an answer are specified in
docs/reference/registry.md §12.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec

from kleis.decoding import converted
from kleis.errors import KleisError
from kleis.problems import AnswerWarning
from kleis.prover.protocol.verdict import Attempt, Binding, Evidence, Table, Verdict
from kleis.sessions.answer_shapes import VerdictAnswer, WarningFields

__all__ = [
    "CONSISTENCY",
    "Statements",
    "evidence_fields",
    "evidence_of",
    "problem_fields",
    "statements",
    "table_text",
    "verdict_fields",
    "verdict_of",
    "warned",
    "witness_text",
]

CONSISTENCY = {"model": "they have a model", "unknown": "whether they have a model is not known"}
"""What `Verdict.consistency` says of the axioms that a proof used."""


Fields = TypeVar("Fields", bound=WarningFields)


def warned(warnings: Iterable[AnswerWarning], fields: Fields) -> Fields:
    """An answer with its warnings as its first field, if there are any."""
    shown = [each.as_dict() for each in warnings]
    return cast(Fields, {"warnings": shown, **fields}) if shown else fields


def verdict_fields(verdict: Verdict, *, explain: bool = False) -> VerdictAnswer:
    """A verdict on a proposition."""
    status: VerdictAnswer = {"status": verdict.status}
    fields = warned(verdict.warnings, status)
    if verdict.status in ("verified", "disproved", "inconsistent"):
        fields["verified"] = verdict.status == "verified"
        shown = verdict.evidence or verdict.witness
        fields["witness"] = witness_text(shown) if shown is not None else None
        fields["witness_bindings"] = [
            {"variable": each.name, "value": each.value, "type": each.sort}
            for each in (shown.bindings if shown is not None else ())
        ]
    fields["claim"] = verdict.claim
    if verdict.evidence is not None:
        fields["counterexample"] = evidence_fields(verdict.evidence)
    if verdict.status == "inconsistent":
        fields["clash"] = list(verdict.core)
    elif verdict.core:
        fields["axioms_used"] = list(verdict.core)
        fields["axioms"] = verdict.consistency
    optional: VerdictAnswer = {
        "status": verdict.status,
        "method": verdict.engine,
        "reason": verdict.reason or "",
        "message": verdict.message,
        "tried": list(verdict.tried) if verdict.status == "unknown" else [],
        "hint": verdict.advice,
        "assumed": list(verdict.assumed),
        "lemmas": list(verdict.lemmas),
        "theory": verdict.theory if verdict.status != "inconsistent" else "",
        "problem": verdict.problem or {},
    }
    fields |= cast(VerdictAnswer, {name: value for name, value in optional.items() if value})
    if explain:
        fields["explanation"] = _explanation(verdict)
    return fields


def verdict_of(fields: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_fields` shows, for those who print verdicts."""
    explanation = fields.get("explanation") or {}
    bindings = tuple(
        Binding(each["variable"], each["type"], each["value"])
        for each in fields.get("witness_bindings") or ()
    )
    shown = fields.get("counterexample")
    evidence = None
    if shown:
        evidence = evidence_of(shown)
        evidence = msgspec.structs.replace(evidence, bindings=bindings or evidence.bindings)
    witness = None if evidence is not None or not bindings else Evidence(kind="assignment", bindings=bindings)
    model = explanation.get("model_of_the_axioms")
    return Verdict(
        warnings=tuple(AnswerWarning(**each) for each in fields.get("warnings", ())),
        status=fields["status"],
        claim=fields.get("claim", ""),
        reason=fields.get("reason") or None,
        message=fields.get("message", ""),
        tried=tuple(fields.get("tried", ())),
        advice=fields.get("hint", ""),
        engine=fields.get("method", ""),
        core=tuple(fields.get("axioms_used") or fields.get("clash") or ()),
        minimal=explanation.get("minimal", False),
        consistency=fields.get("axioms", ""),
        model=evidence_of(model) if model else None,
        evidence=evidence,
        witness=witness,
        theory=fields.get("theory", ""),
        lemmas=tuple(fields.get("lemmas", ())),
        assumed=tuple(fields.get("assumed", ())),
        unused=tuple(explanation.get("unused", {}).items()),
        obligations=tuple(explanation.get("rests_on", ())),
        solvers=tuple(explanation.get("solvers", {}).items()),
        attempts=converted(explanation.get("attempts", []), tuple[Attempt, ...]),
        proof=tuple(explanation.get("proof", ())),
        cached=explanation.get("cached", False),
    )


def _explanation(verdict: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = {
        "attempts": [msgspec.to_builtins(each) for each in verdict.attempts],
        "minimal": verdict.minimal,
        "cached": verdict.cached,
        "solvers": dict(verdict.solvers),
        "unused": dict(verdict.unused),
        "rests_on": list(verdict.obligations),
        "proof": list(verdict.proof),
    }
    if verdict.model is not None:
        found["model_of_the_axioms"] = evidence_fields(verdict.model)
    return {name: value for name, value in found.items() if value not in ([], {})}


def evidence_fields(evidence: Evidence) -> dict[str, Any]:
    """A model or counterexample: its size, tables, values."""
    found: dict[str, Any] = {"kind": evidence.kind}
    if evidence.undefined:
        found["undefined"] = True
    if evidence.carriers:
        found["carriers"] = {name: list(elements) for name, elements in evidence.carriers}
        found["size"] = max(len(elements) for _, elements in evidence.carriers)
    if evidence.bindings:
        found["values"] = {each.name: each.value for each in evidence.bindings}
    if evidence.tables:
        found["tables"] = [
            {"name": each.name, "columns": list(each.columns), "rows": [list(row) for row in each.rows]}
            for each in evidence.tables
        ]
    if evidence.interpretation:
        found["interpretation"] = dict(evidence.interpretation)
    if evidence.rules:
        found["rules"] = list(evidence.rules)
    if evidence.normal_forms:
        found["normal_forms"] = list(evidence.normal_forms)
    if evidence.parts:
        found["parts"] = [{"term": term, "value": value} for term, value in evidence.parts]
    return found


def evidence_of(fields: Mapping[str, Any]) -> Evidence:
    """The evidence that `evidence_fields` shows, without the sorts of values."""
    return Evidence(
        kind=fields["kind"],
        undefined=fields.get("undefined", False),
        bindings=tuple(Binding(name, "", value) for name, value in fields.get("values", {}).items()),
        carriers=tuple((name, tuple(elements)) for name, elements in fields.get("carriers", {}).items()),
        tables=tuple(
            Table(each["name"], tuple(each["columns"]), tuple(map(tuple, each["rows"])))
            for each in fields.get("tables", ())
        ),
        interpretation=tuple(fields.get("interpretation", {}).items()),
        rules=tuple(fields.get("rules", ())),
        normal_forms=tuple(fields.get("normal_forms", ())),
        parts=tuple((each["term"], each["value"]) for each in fields.get("parts", ())),
    )


class Statements(msgspec.Struct, frozen=True):
    """Evidence as statements: ``x = 42``, ``G = {g0, g1}``, ``f is x + 1``. The order of these is the reader's."""

    values: tuple[str, ...]
    carriers: tuple[str, ...]
    interpretation: tuple[str, ...]


def statements(evidence: Evidence) -> Statements:
    """What evidence says besides its tables, rules and normal forms."""
    return Statements(
        tuple(f"{each.name} = {each.value}" for each in evidence.bindings),
        tuple(f"{name} = {{{', '.join(elements)}}}" for name, elements in evidence.carriers),
        tuple(f"{symbol} is {formula}" for symbol, formula in evidence.interpretation),
    )


def table_text(name: str, rows: Iterable[Sequence[str]]) -> str:
    """A table on one line: ``•: g0, g1 ↦ g1; …``."""
    lines = (f"{', '.join(row[:-1])} ↦ {row[-1]}" for row in rows)
    return f"{name}: {'; '.join(lines)}"


def witness_text(evidence: Evidence) -> str:
    """Evidence on one line; a table without arguments is written ``e = g0``. Empty where nothing was left to choose."""
    said = statements(evidence)
    parts = [*said.values, *said.carriers, *said.interpretation]
    for table in evidence.tables:
        if len(table.columns) == 1 and len(table.rows) == 1:
            parts.append(f"{table.name} = {table.rows[0][0]}")
        else:
            parts.append(table_text(table.name, table.rows))
    if evidence.normal_forms:
        parts.append(f"different normal forms {' and '.join(evidence.normal_forms)}")
    text = ", ".join(parts)
    return f"undefined at {text}" if evidence.undefined else text


def problem_fields(problems: Sequence[KleisError]) -> list[dict[str, Any]]:
    """Errors as JSON values, without empty fields."""
    return [
        {
            name: value
            for name, value in error.as_dict().items()
            if value not in ("", [], (), 0, None) and name not in ("severity", "end_line", "end_column")
        }
        for error in problems
    ]
