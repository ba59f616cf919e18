"""Assertions of example blocks as questions to the prover, and how they come out.

See docs/reference/proving.md §5.9:

    verdict         assert    assert_disproved   assert_unknown   assert_inconsistent (asked: ¬p)   assert_sat (¬p)
    verified        passed    failed             failed           passed                            failed
    disproved       failed    passed             failed           failed                            passed
    inconsistent    failed    failed             failed           passed                            failed
    unknown         unknown   unknown            passed           unknown                           unknown
    error           error     error              error            error                             error

Of `assert_sat` it is unknown whether it holds where ¬p is only shown to be undefined in some model.

A verdict that a resource limit ended does not answer `assert_unknown` either: it stays unknown.

Invariant: a `let` of the block with a value is a `let` around the proposition, one without is a ∀ (or a free name).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kleis.prover.protocol.verdict import Verdict
from kleis.sessions.answer_fields import witness_text
from kleis.syntax import tree
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.syntax.tree.traversal import walk

__all__ = ["Status", "outcome_of", "question_of", "why_not"]

Status: TypeAlias = str
"""``passed``, ``failed``, ``unknown`` or ``error``."""


def question_of(example: tree.Example, assertion: tree.Assertion) -> tree.Expression | None:
    """The closed proposition that an assertion asks about; None where it is about the declarations alone."""
    if assertion.proposition is None:
        return None
    proposition = assertion.proposition
    if assertion.kind in ("assert_inconsistent", "assert_sat"):
        proposition = tree.Call("logical_not", (proposition,), proposition.span)
    # By identity: the same words may be asserted twice, after other lets.
    before = example.statements[: [each is assertion for each in example.statements].index(True)]
    binders: list[tree.Binder] = []
    for statement in reversed(before):
        if not isinstance(statement, tree.LetStatement) or statement.name not in _mentioned(proposition):
            continue
        if statement.value is None:
            if statement.type is not None:
                binders.insert(0, tree.Binder(statement.name, statement.type, statement.span))
            continue
        if {each.name for each in binders} & {statement.name, *_mentioned(statement.value)}:
            proposition, binders = _for_all(binders, proposition), []
        pattern = tree.VariablePattern(statement.name, statement.span)
        proposition = tree.Let(pattern, statement.type, statement.value, proposition, statement.span)
    return _for_all(binders, proposition)


def _for_all(binders: Sequence[tree.Binder], proposition: tree.Expression) -> tree.Expression:
    """∀ stands outside of every `let` that it may pass, so that a counterexample can say its values."""
    if not binders:
        return proposition
    return tree.Quantifier("forall", tuple(binders), None, proposition, binders[0].span)


def _mentioned(expression: tree.Expression) -> set[str]:
    names = {each.name for each in walk(expression) if isinstance(each, tree.Name | tree.Call)}
    return names | {name.rstrip(SUPERSCRIPTS) for name in names}


def outcome_of(kind: str, verdict: Verdict) -> tuple[Status, str]:
    """The status of an assertion and a detail, by the table above."""
    if verdict.status == "error":
        return "error", verdict.message
    if verdict.status == "unknown":
        decided = verdict.reason not in ("killed", "memory")
        if kind == "assert_unknown" and decided:
            return "passed", ""
        return "unknown", _why(verdict)
    if kind == "assert_sat" and verdict.evidence is not None and verdict.evidence.undefined:
        return "unknown", "undefined in a model; no model was found in which it is true"
    expected = {
        "assert": ("verified",),
        "assert_disproved": ("disproved",),
        "assert_unknown": (),
        "assert_sat": ("disproved",),
        "assert_inconsistent": ("verified", "inconsistent"),
    }[kind]
    if verdict.status in expected:
        return "passed", ""
    return "failed", _contrary(kind, verdict)


def _why(verdict: Verdict) -> str:
    parts = [str(verdict.reason or ""), verdict.message, "; ".join(verdict.tried)]
    return ": ".join(each for each in parts if each)


def why_not(verdict: Verdict) -> str:
    """Why a lemma is not proved."""
    if verdict.status in ("unknown", "error"):
        return _why(verdict)
    return _contrary("assert", verdict)


def _contrary(kind: str, verdict: Verdict) -> str:
    """Why an assertion failed."""
    if verdict.status == "inconsistent":
        return f"the axioms clash: {', '.join(verdict.core)}"
    if verdict.evidence is not None:
        word = (
            "there is a model"
            if kind == "assert_inconsistent" or verdict.status == "consistent"
            else "disproved"
        )
        shown = witness_text(verdict.evidence) or (verdict.message if word == "disproved" else "")
        return f"{word}: {shown}" if shown else word
    if kind == "assert_sat":
        return "no model has it: its negation is verified"
    return "the proposition is verified" if verdict.status == "verified" else verdict.status
