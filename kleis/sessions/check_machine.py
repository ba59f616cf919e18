"""What is true of a state machine, as answers of every entrance: command, MCP, Python.

See docs/reference/proving.md §5.11.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from kleis.machines.properties import Asked
from kleis.machines.report import Finding, Report, State
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_fields import warned
from kleis.sessions.answer_shapes import MachineAnswer
from kleis.theory.theory import Theory

__all__ = ["check", "finding_line", "machine_fields", "machine_text", "remarks", "trace_rows"]


def check(asked: Asked, theory: Theory, provers: Provers, deadline: Deadline, *, effort: int = 1) -> Report:
    """What is true of the machine that a theory declares."""
    from kleis.machines.check import check_machine

    with provers.prover(theory, deadline, effort=effort) as prover:
        return check_machine(prover, asked)


def machine_fields(report: Report) -> MachineAnswer:
    """The answer as JSON fields, those that say something."""
    first: MachineAnswer = {"type": "machine", "status": report.status}
    fields = warned(report.warnings, first)
    if report.variables:
        fields["variables"] = list(report.variables)
        fields["properties"] = [_finding_fields(each) for each in report.findings]
    optional = {"message": report.message, "hint": report.hint, "problem": report.problem or {}}
    return cast(MachineAnswer, {**fields, **{name: value for name, value in optional.items() if value}})


def _finding_fields(finding: Finding) -> dict[str, Any]:
    fields: dict[str, Any] = {"kind": finding.kind, "name": finding.name, "status": finding.status}
    if finding.depth >= 0:
        fields["depth"] = finding.depth
    optional = {
        "proof": finding.how,
        "states" if finding.how == "states" else "k": finding.k,
        "assuming": list(finding.assumed),
        "trace": [{**_state(each.state), **({"by": each.by} if each.by else {})} for each in finding.trace],
        "constants": dict(finding.constants),
        "breaks": [_state(each) for each in finding.breaks],
        "message": finding.message,
        "hint": finding.advice,
        "claims": [{"claim": each.claim, "status": each.status} for each in finding.decided],
    }
    return fields | {name: value for name, value in optional.items() if value}


def _state(state: State) -> dict[str, Any]:
    return {"state": dict(state.values)}


# ── Words ────────────────────────────────────────────────────────────────────────────────────────────────────


def finding_line(finding: Finding) -> str:
    """What the first line about a property says after its status."""
    line = finding.name if finding.kind in ("deadlock", finding.name) else f"{finding.kind} {finding.name}"
    steps = f"{finding.depth} step{'' if finding.depth == 1 else 's'}"
    match finding.status:
        case "verified" | "none" if finding.how == "k-induction":
            line += f": by induction over {finding.k} states"
        case "verified" | "none" if finding.how == "states":
            line += (
                f": in none of all {finding.k} states"
                if finding.status == "none"
                else f": in all {finding.k} states"
            )
        case "verified" | "none" if finding.how == "induction":
            line += ": by induction"
        case "verified" | "none":
            line += ": at every step"
        case "disproved":
            line += f": after {steps}" if finding.kind != "variant" else f": not by the step after {steps}"
        case "found":
            line += f": after {steps}"
        case _ if finding.depth >= 0:
            line += f": not within {steps}" if finding.kind == "reach" else f": no run of {steps} violates it"
    return line


def remarks(finding: Finding) -> Iterator[tuple[str, str]]:
    """What an answer says besides, each with its title."""
    if finding.constants:
        yield "with", ", ".join(f"{name} = {value}" for name, value in finding.constants)
    if finding.assumed:
        yield "from", ", ".join(finding.assumed)
    if finding.message:
        yield "why", finding.message
    if finding.advice:
        yield "try", finding.advice


def trace_rows(finding: Finding) -> tuple[Sequence[str], list[Sequence[str]]]:
    """A trace, or the step that breaks an induction, as a table: its titles and its rows."""
    states = [(each.state, each.by) for each in finding.trace] or [(each, "") for each in finding.breaks]
    if not states:
        return (), []
    names = [name for name, _ in states[0][0].values]
    said = any(by for _, by in states)
    titles = ["step", *names, *(["by"] if said else [])]
    return titles, [
        [str(place), *(value for _, value in state.values), *([by] if said else [])]
        for place, (state, by) in enumerate(states)
    ]


def machine_text(report: Report) -> str:
    """The answer as text."""
    lines = [f"warning: {each}" for each in report.warnings]
    if report.status == "error":
        return "\n".join(
            [*lines, f"ERROR {report.message}", *([f"hint: {report.hint}"] if report.hint else [])]
        )
    lines.append(f"{report.status.upper()}: state {', '.join(report.variables)}")
    for each in report.findings:
        lines.append(f"{each.status}  {finding_line(each)}")
        lines += [f"  {title}: {text}" for title, text in remarks(each)]
        titles, rows = trace_rows(each)
        if rows:
            lines.append("  a step that breaks the induction:" if each.breaks else "  trace:")
            lines += [f"  {'  '.join(row)}" for row in (titles, *rows)]
    return "\n".join(lines)
