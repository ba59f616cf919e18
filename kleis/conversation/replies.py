"""Findings of sessions as replies, with hints that name what can be typed here.

Invariant: a reply never says that something was kept which was not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from kleis.conversation.reply import Outcome, Reply
from kleis.errors import KleisError, ParseError
from kleis.evaluator.outcomes import ExampleResult
from kleis.problems import AnswerWarning
from kleis.sessions.answer_fields import problem_fields, warned
from kleis.sessions.answer_shapes import EvaluationAnswer, LoadedAnswer
from kleis.sessions.computed_value import error_fields
from kleis.sessions.files.record import Item
from kleis.sessions.files.universe import Universe
from kleis.sessions.submission import Checked, outcome_fields
from kleis.sessions.verification import Verification

__all__ = [
    "STALE",
    "evaluated",
    "example_reply",
    "imported",
    "listing",
    "message",
    "refused",
    "submitted",
]

STALE = AnswerWarning(
    "imports-changed",
    "what is imported has changed since the items were checked",
    "declare them again after :reset",
)

_TYPED = tuple(
    (re.compile(said), typed)
    for said, typed in (
        (r"mend the file, or begin anew with load_theory", "mend the file, or begin anew with :reset"),
        (r"it is there: see list_session", "it is there: see :list"),
        (r"list_session shows what a session holds", ":list shows what is declared"),
        (r"undo the item first", ":undo it first"),
        (r"ask describe_schema what it is", ":show says what it is"),
        (r"choose another name, or pass overwrite: true", "choose another name, or replace it with :save!"),
        (r"give it more time \(--timeout, over MCP timeout_ms\)", "give it more time (:timeout)"),
        (r"search more: --effort (\d+) \(over MCP effort: \d+\)", r"search more: :effort \1"),
        (
            r"give a lemma that it follows from: --lemma P proves P first",
            "declare a lemma that it follows from",
        ),
        (r"give it more time \(timeout_ms\)", "give it more time (:timeout)"),
    )
)
"""Hints as servers and commands write them, and what is typed here."""

_OUTCOMES: Mapping[str, Outcome] = {
    "value": "held",
    "verified": "held",
    "consistent": "held",
    "found": "held",
    "passed": "held",
    "disproved": "failed",
    "inconsistent": "failed",
    "none": "failed",
    "failed": "failed",
    "error": "ill-formed",
    "rejected": "ill-formed",
    "unknown": "unknown",
}


def evaluated(answer: EvaluationAnswer | Mapping[str, Any], text: str, **more: Any) -> Reply:
    """A value, a verdict or an error; `more` are other fields of the reply."""
    fields = _as_typed(answer)
    outcome = _OUTCOMES[fields["status"]]
    problem = fields.get("problem") or {}
    if outcome == "ill-formed" and str(problem.get("code", "")) in _WITHOUT_VALUE:
        outcome = "failed"
    return Reply("evaluation", fields, outcome, text, **more)


_WITHOUT_VALUE = frozenset({"undefined", "division-by-zero", "budget_steps", "budget_time", "budget_memory"})
"""Errors of questions that are well-formed: there is no value, or not within the budget."""


def refused(error: KleisError, text: str) -> Reply:
    """A statement that nothing came of."""
    return evaluated(error_fields(error, prefix="Parse error" if isinstance(error, ParseError) else ""), text)


def submitted(checked: Checked, universe: Universe, text: str) -> Reply:
    """What became of declarations: the fields of `SubmissionAnswer`."""
    accepted = checked.grown is not None
    fields = outcome_fields(checked, accepted=accepted)
    fields |= {"kept": accepted, "session": universe.session, "count": universe.count}
    outcome = _OUTCOMES[checked.status]
    return Reply("submission", _as_typed(fields), outcome, text)


def imported(found: Verification, failed: Checked | None, universe: Universe, text: str) -> Reply:
    """What became of imports: the fields of `LoadedAnswer`, or of the item that does not pass with them."""
    if failed is not None:
        reply = submitted(failed, universe, text)
        error = f"with these imports a declaration of the session fails: {reply.fields.get('error', '')}"
        return Reply("submission", {**reply.fields, "error": error}, reply.outcome, text)
    if found.status in ("inconsistent", "rejected"):
        clash = f"these axioms have no model together: {', '.join(found.core)}"
        said = problem_fields(found.problems)[0] if found.problems else {"message": clash, "code": "clash"}
        answer = {"status": "error", "error": said["message"], "problem": said}
        return Reply("evaluation", _as_typed(answer), "failed" if found.core else "ill-formed", text)
    fields: LoadedAnswer = {
        "status": found.status,
        "session": universe.session,
        "imports": list(universe.imported.imports),
        "count": universe.count,
        "declarations": len(universe.theory),
        "functions": len(universe.theory.definitions),
    }
    return Reply("imports", _as_typed(warned(found.warnings, fields)), "held", text)


def example_reply(result: ExampleResult, assertions: Sequence[Mapping[str, Any]], text: str) -> Reply:
    """An example block: ``{"status", "name", "error", "assertions": [{line, kind, status, detail}], "output"}``."""
    statuses = {each["status"] for each in assertions}
    if result.error is not None or statuses & {"failed", "error"}:
        status = "failed"
    else:
        status = "unknown" if statuses & {"unknown", "undecided"} else "passed"
    fields: dict[str, Any] = {
        "status": status,
        "name": result.name,
        "error": result.error or "",
        "assertions": list(assertions),
        "output": list(result.output),
    }
    return Reply("example", fields, _OUTCOMES[status], text, result.pictures)


def listing(universe: Universe, text: str) -> Reply:
    """What a session holds: ``{"session", "imports", "count", "items": [{number, kind, status, kleis}]}``."""
    items = [_row(number, item) for number, item in enumerate(universe.items(), 1)]
    fields: dict[str, Any] = {
        "session": universe.session,
        "imports": list(universe.imported.imports),
        "count": len(items),
        "items": items,
    }
    return Reply("listing", warned([STALE] if universe.stale else [], cast(Any, fields)), "held", text)


def _row(number: int, item: Item) -> dict[str, Any]:
    return {"number": number, "kind": item.kind, "status": item.status, "kleis": item.text}


def message(said: str, text: str, **fields: Any) -> Reply:
    """Something that was done: ``{"message": …}`` and what else is known of it."""
    return Reply("message", {"message": said, **fields}, "held", text)


def _as_typed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields whose hints name commands of this place."""
    return {name: _typed_value(value) for name, value in fields.items()}


def _typed_value(value: Any) -> Any:
    if isinstance(value, str):
        for said, typed in _TYPED:
            value = said.sub(typed, value)
        return value
    if isinstance(value, Mapping):
        return _as_typed(value)
    if isinstance(value, list):
        return [_typed_value(each) for each in value]
    return value
