"""Answers of the group `policy` as text: complete, and beginning with the words that existing clients search for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kleis.policy.decision import Decision

__all__ = [
    "audit_text",
    "comparison_text",
    "decision_text",
    "evaluation_text",
    "explanation_text",
    "one_line",
    "rules_text",
    "schema_text",
]

_SHOWN = 500
"""Characters of one argument that a decision repeats."""


def decision_text(decision: Decision, given: Mapping[str, Any]) -> str:
    """A decision, with the arguments it is about."""
    word = "✅ ALLOWED" if decision.allowed else "❌ DENIED"
    lines = [f"{word}: {decision.action}", _json({name: _cut(value) for name, value in given.items()})]
    lines += [f"Rule: {decision.rule or '(none)'}", f"Reason: {decision.reason}"]
    if decision.preconditions:
        lines.append("Preconditions:")
        lines += [f"{place}. {step}" for place, step in enumerate(decision.preconditions, 1)]
    if decision.problem:
        lines.append(f"Policy problem: {decision.problem}")
    return "\n".join(lines)


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
    return value if isinstance(value, bool | int | float | None) and len(str(value)) <= _SHOWN else "…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def rules_text(listed: Mapping[str, Any]) -> str:
    """The rules by kind."""
    titles = (
        ("Check functions", "check_functions"),
        ("Preconditions", "precondition_functions"),
        ("Axioms", "axioms"),
        ("Helpers", "helper_functions"),
    )
    lines = [f"Policy: {listed['policy_file']}", f"No rule: {listed['default']}"]
    for title, key in titles:
        lines.append(f"{title} ({len(listed[key])}):")
        lines += [f"  {_signature(each)}" for each in listed[key]]
    lines.append(f"Total: {listed['total']} rules")
    return "\n".join(lines)


def _signature(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if "params" in entry:
        return f"{entry['name']}({', '.join(entry['params'])})"
    return (
        f"{entry['name']} (in structure {entry['structure']})" if "structure" in entry else str(entry["name"])
    )


def explanation_text(explained: Mapping[str, Any]) -> str:
    """A rule as it is written, or the rules there are."""
    if not explained["found"]:
        close = f"; did you mean {', '.join(explained['did_you_mean'])}?" if explained["did_you_mean"] else ""
        return (
            f"Rule '{explained['name']}' not found{close}\nRules: {', '.join(explained['rules']) or 'none'}"
        )
    where = f" (in structure {explained['structure']})" if "structure" in explained else ""
    return f"{explained['kind']} {explained['name']}{where}, line {explained['line']}\n{explained['kleis']}"


def schema_text(schema: Mapping[str, Any]) -> str:
    """Everything in the schema, sources as they are."""
    lines = [f"Policy: {schema['policy_file']}"]
    for title in ("check_functions", "precondition_functions", "helper_functions"):
        if schema[title]:
            lines += ["", title.replace("_", " ") + ":"]
            lines += [each["kleis"] if isinstance(each, dict) and "kleis" in each else _signature(each)
                      for each in schema[title]]  # fmt: skip
    for title in ("data_types", "structures"):
        if schema[title]:
            lines += ["", title.replace("_", " ") + ":"]
            lines += [each if isinstance(each, str) else _json(each) for each in schema[title]]
    propositions = schema.get("verifiable_propositions", ())
    if propositions:
        lines += ["", "worth trying with evaluate:"]
        lines += [f"  {each['kleis']}   ({each['description']})" for each in propositions]
    stats = schema["stats"]
    lines += ["", ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in stats.items())]
    return "\n".join(lines)


def evaluation_text(found: Mapping[str, Any]) -> str:
    """A value or a verdict, each with a word of its own."""
    match found["status"]:
        case "value":
            return f"✅ {found['result']}"
        case "verified":
            return "✅ VERIFIED" + _reasons(found)
        case "disproved":
            lines = ["❌ DISPROVED", "Counterexample (Kleis):"]
            lines += [f"  {each['variable']} = {each['value']}" for each in found["witness_bindings"]]
            if not found["witness_bindings"]:
                lines.append(f"  {found['witness']}")
            return "\n".join(lines) + _reasons(found)
        case "inconsistent":
            return f"❌ INCONSISTENT: the declarations clash: {', '.join(found['clash'])}"
        case "unknown":
            why = found.get("message") or found.get("reason", "not decided")
            return f"❓ UNKNOWN: {why}" + (f"\n{found['hint']}" if found.get("hint") else "")
        case _:
            return f"❌ {found['error']}"


def _reasons(found: Mapping[str, Any]) -> str:
    used = found.get("axioms_used")
    return f"\nAxioms used: {', '.join(used)}" if used else ""


# ── Audits and comparisons ───────────────────────────────────────────────────────────────────────────────────


def audit_text(found: Mapping[str, Any]) -> str:
    """The findings, one a paragraph."""
    count = len(found["findings"])
    lines = [f"{count} finding{'' if count == 1 else 's'}, {found['asked']} questions asked"]
    if not found["complete"]:
        lines.append("Not complete: the time was up. Ask about one `action` at a time.")
    for each in found["findings"]:
        lines += _finding(each)
    return "\n".join(lines)


def _finding(each: Mapping[str, Any]) -> Iterator[str]:
    place = f"{each['rule']}" + (f", line {each['line']}" if "line" in each else "")
    yield f"{each['kind']}  {place}: {each['message']}"
    if "condition" in each:
        yield f"  condition: {each['condition']}"
    if "witness" in each:
        yield f"  witness: {one_line(each['witness'])}"
    if "decision" in each:
        yield f"  decision: {each['decision']['reason']}"
    if "proposition" in each:
        yield f"  to forbid it: assert({each['proposition']})"


def comparison_text(found: Mapping[str, Any]) -> str:
    """How the policies compare, action by action."""
    lines = [
        f"The other policy is {found['relation']}" + (f": {found['reason']}" if found.get("reason") else "")
    ]
    for row in found["actions"]:
        lines.append(
            f"{row['action']}: {row['relation']}" + (f" ({row['reason']})" if "reason" in row else "")
        )
        for key, words in (
            ("stricter", "denied only by the other"),
            ("looser", "allowed only by the other"),
            ("preconditions", "other steps"),
        ):
            if key in row:
                lines.append(f"  {words}: {one_line(row[key]['witness'])}")
    return "\n".join(lines)


def one_line(witness: Mapping[str, Any]) -> str:
    """An action on one line."""
    return json.dumps(witness, ensure_ascii=False)
