"""Why a verdict is as it is, in words, and what to try next: one place for every client.

See docs/reference/proving.md §5.2.  Engines say what they searched; here it becomes a reason that a reader can act on.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import opened, reach, subterms
from kleis.delaborate.describe_goal import expression_of
from kleis.prover.checker.rules.interpreted_goals import denied
from kleis.prover.portfolio import MOST_EFFORT, Outcome
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import FAILED, WOULD_FOLLOW
from kleis.prover.protocol.verdict import Attempt, Evidence, Reason, Verdict
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression
from kleis.syntax.unique_existence import unique_parts
from kleis.theory.library_index import axioms_about

__all__ = ["refuted", "stopped", "undecided", "within"]


# ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────

_MORE_TIME = "give it more time (--timeout, over MCP timeout_ms), or prove a simpler law first"


def stopped(claim: str, seconds: float) -> Verdict:
    """The verdict on a question of which a limit of time left nothing."""
    return Verdict(
        status="unknown",
        claim=claim,
        reason="killed",
        message=f"stopped after {seconds:g} s",
        advice=_MORE_TIME,
    )


def within(deadline: Deadline, verdict: Verdict) -> Verdict:
    """The verdict, and where the deadline left it undecided, this as the reason."""
    if verdict.status != "unknown" or not deadline.over:
        return verdict
    late = stopped(verdict.claim, deadline.seconds)
    return msgspec.structs.replace(verdict, reason=late.reason, message=late.message, advice=late.advice)


# ── Undecided ────────────────────────────────────────────────────────────────────────────────────────────────

_REASONS: tuple[Reason, ...] = ("killed", "memory", "resource", "higher-order", "termination", "incomplete")

_WORDS: dict[Reason, str] = {
    "killed": "an engine was stopped by its limit of time, and no other decided it",
    "memory": "an engine was stopped by its limit of memory, and no other decided it",
    "resource": "neither a proof nor a counterexample was found within the budget",
    "higher-order": "a part of it is beyond the logic of the engines",
    "termination": "a recursive definition in it is not shown to end",
    "incomplete": "no engine decides claims of this kind",
}

_FAILURE = "an engine failed, which is a defect worth reporting, and no other decided it"

_NO_MODEL = "neither a model of the axioms nor a clash of them was found within the budget"

_NOT_BEGUN = "the time is up"
"""What an attempt says that never began (`kleis.prover.process.cancellable_broker`)."""

_CANCELLED = "cancelled"
"""What an attempt says that was stopped at a deadline (`kleis.prover.process.worker`)."""


def undecided(goal: Goal, outcome: Outcome, base: Verdict, effort: int) -> Verdict:
    """The verdict `unknown` of an outcome without an answer: the reason, what was searched, what to try."""
    reason: Reason = next((each for each in _REASONS if each in outcome.reasons), "incomplete")
    causes = tuple(_causes(goal, outcome.attempts))
    words = _NO_MODEL if goal.claim is None and reason in ("resource", "incomplete") else _WORDS[reason]
    if reason == "killed" and any(each.detail.startswith(FAILED) for each in outcome.attempts):
        words = _FAILURE
    message = "; ".join((words, *causes))
    found = (*_missing(outcome.attempts), *_advice(goal, reason, effort, hopeless=bool(causes)))
    advice = "; or ".join(dict.fromkeys(found))
    tried = (_attempted(each) for each in outcome.attempts if each.detail != _NOT_BEGUN)
    return msgspec.structs.replace(
        base,
        reason=reason,
        message=message,
        tried=tuple(dict.fromkeys(tried)),
        advice=advice,
        attempts=outcome.attempts,
    )


def _missing(attempts: tuple[Attempt, ...]) -> Iterator[str]:
    """Lemmas from which an engine has proved the claim, and which no small values refute."""
    for each in attempts:
        _, marker, formula = each.detail.partition(WOULD_FOLLOW)
        if marker:
            yield f"prove {formula}: the claim follows from it, and no small values refute it"


def _attempted(attempt: Attempt) -> str:
    said = "stopped before its end" if attempt.detail == _CANCELLED else attempt.detail
    return f"{attempt.engine}: {said or 'it gave up'}"


def _causes(goal: Goal, attempts: tuple[Attempt, ...]) -> Iterator[str]:
    """What in the claim keeps the engines from deciding it."""
    approximated = _approximated(goal)
    if approximated:
        yield f"solvers only know {', '.join(approximated)} as {_any(approximated)}"
    unwritten = (each.detail for each in attempts if each.engine == "z3" and not each.steps and each.detail)
    yield from (f"solvers cannot be asked ({each})" for each in dict.fromkeys(unwritten))


def _any(names: tuple[str, ...]) -> str:
    return "any function" if len(names) == 1 else "any functions"


def _approximated(goal: Goal) -> tuple[str, ...]:
    """The built-ins in the claim that solvers only approximate."""
    if goal.claim is None:
        return ()
    found = reach((goal.claim,), {each.key: each for each in goal.definitions})
    return tuple(dict.fromkeys(each.name for each in found.operations if each.parameters))


def _advice(goal: Goal, reason: Reason, effort: int, *, hopeless: bool) -> Iterator[str]:
    for name in _approximated(goal):
        files = [each for each in axioms_about(name) if not _has_axioms_about(goal, name)]
        if files:
            yield f"import axioms about {name}: {files[0]}"
    if opened(goal.claim) is not None:
        yield "ask about the value that you expect, in place of the bound name"
    if reason in ("resource", "killed") and not hopeless and effort < MOST_EFFORT:
        more = min(4 * effort, MOST_EFFORT)
        yield f"search more: --effort {more} (over MCP effort: {more})"
    if goal.claim is not None:
        yield "give a lemma that it follows from: --lemma P proves P first"


def _has_axioms_about(goal: Goal, name: str) -> bool:
    """Whether an axiom in force mentions a built-in."""
    return any(
        isinstance(each, core.BuiltinCall) and each.operation.name == name
        for axiom in goal.axioms
        for each in subterms(axiom.formula)
    )


# ── Disproved without a value ────────────────────────────────────────────────────────────────────────────────


def refuted(goal: Goal, evidence: Evidence, engine: str) -> str:
    """What disproves a claim that leaves no value to choose; empty where the evidence says all."""
    parts = opened(goal.claim)
    shown = (evidence.bindings, evidence.tables, evidence.carriers, evidence.interpretation, evidence.rules)
    if evidence.normal_forms or (evidence.undefined and any(shown)):
        return ""
    if evidence.undefined:
        return "it has no value itself, and leaves none open to choose"
    if parts is not None and goal.claim is not None:
        which, negation = _denied(goal.claim, *parts)
        if evidence.tables or evidence.carriers:
            return f"in this model {which} makes it true: all elements were tried"
        if evidence.bindings:
            return f"{which} makes it true there"
        if evidence.kind == "assignment":
            return f"{which} makes it true: all values were tried"
        return f"{which} makes it true: {print_expression(expression_of(negation))} is proved ({engine})"
    if any(shown):
        return ""
    if evidence.kind == "interpretation" and goal.claim is not None:
        return f"{print_expression(expression_of(denied(goal.claim)))} is proved ({engine})"
    return "it is false itself: it leaves no value open to choose"


def _denied(claim: core.Term, variables: tuple[core.Variable, ...], body: core.Term) -> tuple[str, core.Term]:
    """How many values there are not, in words, and the negation of the claim; ∃! by the names that were written."""
    written = expression_of(claim)
    unique = unique_parts(written) if isinstance(written, tree.Quantifier) else None
    if unique is not None:
        return (
            f"not exactly one {', '.join(each.name for each in unique[0])}",
            core.Connective("not", (claim,)),
        )
    denied = core.Quantifier("forall", variables, core.Connective("not", (body,)))
    return f"no {', '.join(each.name for each in variables)}", denied
