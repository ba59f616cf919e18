"""The answers of the group `theory` as text: complete, and shorter than their JSON.

The first word says what kind of answer it is; no two kinds look alike (docs/reference/serving.md §5.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kleis.sessions.answer_fields import CONSISTENCY, evidence_of, statements, table_text

__all__ = ["evaluation_text", "submission_text", "warning_text"]

_ACROSS = 12

_EVALUATED: dict[str, str] = {
    "verified": "VERIFIED",
    "disproved": "DISPROVED",
    "inconsistent": "AXIOM INCONSISTENCY",
    "unknown": "UNKNOWN",
}

_TITLES = {
    "axioms_used": "axioms used",
    "clash": "axioms that clash",
    "timeout_ms": "timeout",
}

_SAID = frozenset(
    {
        "explanation",
        "axioms_in_force",
        "status",
        "verified",
        "witness",
        "witness_bindings",
        "claim",
        "counterexample",
        "result",
        "problem",
        "axioms",
        "warnings",
    }
)


def evaluation_text(fields: Mapping[str, Any]) -> str:
    """The answer of `evaluate` and of `explain`."""
    status = fields["status"]
    warnings = [f"warning: {warning_text(each)}" for each in fields.get("warnings", ())]
    if status == "error":
        return "\n".join([*warnings, f"ERROR {_problem(fields)}"])
    if status == "value":
        lines = [*warnings, str(fields["result"])]
        lines += ["(approximate)"] if fields.get("approximate") else []
        lines += ["(symbolic: it has unbound names)"] if fields.get("symbolic") else []
        lines += [f"printed: {each}" for each in fields.get("output", ())]
        return "\n".join(lines)
    lines = [*warnings, f"{_EVALUATED[status]}: {fields.get('claim', '')}"]
    lines += _evidence(fields.get("counterexample"), "counterexample")
    if status == "verified" and fields.get("witness"):
        lines.append(f"witness: {fields['witness']}")
    if fields.get("axioms"):
        lines.append(f"axioms used: {', '.join(fields['axioms_used'])} ({CONSISTENCY[fields['axioms']]})")
    said = _SAID | ({"axioms_used"} if fields.get("axioms") else set())
    lines += _rest(fields, said)
    lines += _explanation(fields.get("explanation", {}))
    lines += [_axiom_line(row) for row in fields.get("axioms_in_force", ())]
    return "\n".join(lines)


def warning_text(fields: Mapping[str, str]) -> str:
    """A warning on one line."""
    return f"{fields['message']} ({fields['hint']})" if fields["hint"] else fields["message"]


def _axiom_line(row: Mapping[str, Any]) -> str:
    """One assumed axiom, for `explain`: whether it is independent of the others, and the claim without it."""
    parts = [row["itself"]]
    if row.get("follows_from"):
        parts.append(f"follows from {', '.join(row['follows_from'])}")
    if "model_without_it" in row:
        parts.append(f"fails in a model of the others ({_inline(row['model_without_it'])})")
    if "claim_without_it" in row:
        parts.append(f"without it the claim is {row['claim_without_it']}")
    return f"axiom {row['name']} ({row['kleis']}): {'; '.join(parts)}"


def _inline(fields: Mapping[str, Any]) -> str:
    """Evidence on one line."""
    evidence = evidence_of(fields)
    said = statements(evidence)
    parts = [*said.values, *said.carriers, *said.interpretation]
    for table in evidence.tables:
        points = (f"{' '.join(row[:-1])} ↦ {row[-1]}" if row[:-1] else row[-1] for row in table.rows)
        parts.append(f"{table.name}: {', '.join(points)}")
    return "; ".join([*parts, *evidence.rules])


def _explanation(found: Mapping[str, Any]) -> Iterator[str]:
    """How a verdict was found: what each engine did, and what else is known of it."""
    for each in found.get("attempts", ()):
        yield f"engine {each['engine']}: {each['outcome']}, {each['detail']} ({each['steps']} steps, {each['seconds']:.2f} s)"
    if "model_of_the_axioms" in found:
        yield f"a model of the axioms used: {_inline(found['model_of_the_axioms'])}"
    if found.get("proof"):
        yield "\n".join(("proof:", *(f"  {each}" for each in found["proof"])))
    said = {"attempts", "model_of_the_axioms", "minimal", "cached", "proof"}
    for name, value in found.items():
        if name not in said:
            yield f"{name.replace('_', ' ')}: {msgspec.json.encode(value).decode()}"


def submission_text(fields: Mapping[str, Any]) -> str:
    """The answer of `submit_…` and of `try_structure`."""
    status = fields["status"]
    if status == "error":
        return f"ERROR {_problem(fields)}"
    warnings = [f"warning: {warning_text(each)}" for each in fields.get("warnings", ())]
    taken = "accepted" if fields["accepted"] else "not accepted"
    lines = [*warnings, f"{status.upper()}: {taken} (stage {fields['stage']})"]
    for title, name in (
        ("structures", "structures_added"),
        ("functions", "functions_added"),
        ("data types", "data_types_added"),
    ):
        if fields[name]:
            lines.append(f"added {title}: {', '.join(fields[name])}")
    if fields["axioms_verified"]:
        lines.append(f"axioms with a model: {', '.join(fields['axioms_verified'])}")
    if "problems" in fields:
        lines += [_problem({"problem": each, "error": each["message"]}) for each in fields["problems"]]
    elif "error" in fields:
        lines.append(fields["error"])
    lines += _evidence(fields.get("model"), "model")
    lines += _evidence(fields.get("counterexample"), "counterexample")
    said = {
        "status", "accepted", "stage", "structures_added", "functions_added", "data_types_added", "axioms_verified",
        "problems", "error", "clash", "model", "counterexample", "witness", "warnings",
    }  # fmt: skip
    lines += _rest(fields, said)
    return "\n".join(lines)


def _problem(fields: Mapping[str, Any]) -> str:
    """An error with its place and what to do."""
    problem = fields.get("problem") or {}
    place = ""
    if problem.get("line"):
        place = f" at {problem.get('file', '')}:{problem['line']}:{problem.get('column', 1)}"
    lines = [f"{problem.get('code', 'error')}{place}: {problem.get('message', fields.get('error', ''))}"]
    for name in ("found", "expected", "hint"):
        if problem.get(name):
            value = problem[name]
            lines.append(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
    return "\n".join(lines)


def _rest(fields: Mapping[str, Any], said: frozenset[str] | set[str]) -> Iterator[str]:
    """The other fields, one line each."""
    for name, value in fields.items():
        if name in said or value in ("", [], {}, None):
            continue
        title = _TITLES.get(name, name.replace("_", " "))
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            yield f"{title}: {'; '.join(value)}"
        elif isinstance(value, str | int | float | bool):
            yield f"{title}: {value}"
        else:
            yield f"{title}: {msgspec.json.encode(value).decode()}"


# ── Evidence ─────────────────────────────────────────────────────────────────────────────────────────────────


def _evidence(fields: Mapping[str, Any] | None, title: str) -> Iterator[str]:
    if not fields or set(fields) <= {"kind", "undefined"}:
        return
    evidence = evidence_of(fields)
    said = statements(evidence)
    yield f"{title}{' (the claim is undefined there)' if evidence.undefined else ''}:"
    yield from (f"  {each}" for each in (*said.values, *said.carriers, *said.interpretation, *evidence.rules))
    if evidence.normal_forms:
        yield f"  different normal forms: {' and '.join(evidence.normal_forms)}"
    for table in evidence.tables:
        yield from _table(table.name, table.rows)
    if evidence.parts:
        yield "evaluated there, from the inside out:"
        yield from (f"  {term} is {value}" for term, value in evidence.parts)


def _table(name: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A constant on one line, one argument on one line, two as a square, more point by point."""
    if rows and len(rows[0]) == 1:
        yield f"  {name} = {rows[0][0]}"
        return
    points = {tuple(row[:-1]): row[-1] for row in rows}
    across = list(dict.fromkeys(point[-1] for point in points))
    if rows and len(rows[0]) == 3 and len(across) <= _ACROSS:
        down = list(dict.fromkeys(point[0] for point in points))
        grid = [
            [name, *across],
            *([left, *(points.get((left, right), "?") for right in across)] for left in down),
        ]
        widths = [max(len(row[place]) for row in grid) for place in range(len(grid[0]))]
        for row in grid:
            yield "  " + " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        return
    yield f"  {table_text(name, [(*point, value) for point, value in points.items()])}"
