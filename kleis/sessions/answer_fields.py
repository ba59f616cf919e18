"""Verdicts, evidence and errors as the fields that clients of a theory server read.

See docs/reference/registry.md §12.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kleis.errors import KleisError
from kleis.prover.protocol.verdict import Evidence, Verdict

__all__ = ["evidence_fields", "problem_fields", "verdict_fields", "witness_text"]


def verdict_fields(verdict: Verdict, *, explain: bool = False) -> dict[str, Any]:
    """A verdict on a proposition."""
    fields: dict[str, Any] = {"status": verdict.status}
    if verdict.status in ("verified", "disproved", "inconsistent"):
        fields["verified"] = verdict.status == "verified"
        fields["witness"] = witness_text(verdict.evidence) if verdict.evidence is not None else None
        fields["witness_bindings"] = [
            {"variable": each.name, "value": each.value, "type": each.sort}
            for each in (verdict.evidence.bindings if verdict.evidence is not None else ())
        ]
    fields["claim"] = verdict.claim
    if verdict.evidence is not None:
        fields["counterexample"] = evidence_fields(verdict.evidence)
    if verdict.status == "inconsistent":
        fields["clash"] = list(verdict.core)
    elif verdict.core:
        fields["axioms_used"] = list(verdict.core)
        fields["axioms"] = verdict.consistency
    optional: dict[str, Any] = {
        "method": verdict.engine,
        "reason": verdict.reason or "",
        "message": verdict.message,
        "tried": list(verdict.tried) if verdict.status == "unknown" else [],
        "hint": verdict.advice,
        "assumed": list(verdict.assumed),
        "lemmas": list(verdict.lemmas),
        "warnings": list(verdict.warnings),
        "theory": verdict.theory if verdict.status != "inconsistent" else "",
        "problem": verdict.problem,
    }
    fields |= {name: value for name, value in optional.items() if value}
    if explain:
        fields["explanation"] = _explanation(verdict)
    return fields


def _explanation(verdict: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = {
        "attempts": [msgspec.to_builtins(each) for each in verdict.attempts],
        "minimal": verdict.minimal,
        "cached": verdict.cached,
        "solvers": dict(verdict.solvers),
        "unused": dict(verdict.unused),
        "rests_on": list(verdict.obligations),
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
    return found


def witness_text(evidence: Evidence) -> str:
    """Evidence on one line."""
    parts = [f"{each.name} = {each.value}" for each in evidence.bindings]
    parts += [f"{name} = {{{', '.join(elements)}}}" for name, elements in evidence.carriers]
    parts += [f"{symbol} is {formula}" for symbol, formula in evidence.interpretation]
    for table in evidence.tables:
        if len(table.columns) == 1 and len(table.rows) == 1:
            parts.append(f"{table.name} = {table.rows[0][0]}")
        else:
            rows = (f"{', '.join(row[:-1])} ↦ {row[-1]}" for row in table.rows)
            parts.append(f"{table.name}: {'; '.join(rows)}")
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
