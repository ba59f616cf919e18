"""Which propositions hold in which universe, and which axioms a proof needs.

See docs/reference/registry.md §12.8.

Invariants
    * Every entry is a verdict of its own, with its status; what the time limit cut is ``unknown``.
    * ``redundant``: the other axioms assumed prove it.  ``independent``: a checked model of the others refutes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from kleis.core.goal import Axiom, Goal
from kleis.delaborate.describe_goal import expression_of
from kleis.elaborate.question import Question, read_question
from kleis.errors import KleisError
from kleis.prover.facts import Fact, serving_facts, with_named_lemmas
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.reasons import within
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_fields import evidence_fields, verdict_fields, warned
from kleis.sessions.answer_shapes import ComparisonAnswer, ExplainedAnswer, FailedAnswer
from kleis.sessions.computed_value import error_fields
from kleis.sessions.evaluate_expression import evaluate
from kleis.sessions.files.universe import Universe
from kleis.sessions.stated_lemmas import serving_lemmas
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import TypeExpression
from kleis.theory.theory import Theory

if TYPE_CHECKING:
    from kleis.prover.lemmas import Ledger
    from kleis.prover.prover import Prover

__all__ = ["compare", "explain", "explained"]


def compare(
    universes: Sequence[Universe], propositions: Sequence[str], provers: Provers, deadline: Deadline
) -> ComparisonAnswer:
    """A row for each proposition, with its status in each universe."""
    rows: list[dict[str, Any]] = []
    total = len(universes) * len(propositions)
    for place, proposition in enumerate(propositions):
        statuses: dict[str, Any] = {}
        for column, universe in enumerate(universes):
            deadline.report(place * len(universes) + column, total, f"{proposition} in {universe.session}")
            if deadline.over:
                statuses[universe.session] = {
                    "status": "unknown",
                    "reason": "killed",
                    "message": "no time left",
                }
                continue
            answer: Mapping[str, Any] = evaluate(universe, proposition, provers, deadline)
            kept = ("status", "result", "witness", "axioms_used", "lemmas", "clash", "reason", "error")
            statuses[universe.session] = {name: answer[name] for name in kept if answer.get(name)}
        found = {
            (each["status"], each.get("result")) for each in statuses.values() if each["status"] != "unknown"
        }
        rows.append({"proposition": proposition, "in": statuses, "differs": len(found) > 1})
    return {
        "status": "compared",
        "sessions": [each.session for each in universes],
        "propositions": rows,
        "differ": [row["proposition"] for row in rows if row["differs"]],
    }


def explain(
    universe: Universe,
    expression: str,
    provers: Provers,
    deadline: Deadline,
    *,
    using: str = "",
    effort: int = 1,
) -> ExplainedAnswer | FailedAnswer:
    """The verdict on a proposition, and for each axiom assumed whether the others prove the proposition and the axiom."""
    from kleis.syntax.parser.parser import parse_type

    try:
        question = read_question(expression, file="<expression>", importing="session")
        about = parse_type(using, file="<using>") if using else None
    except KleisError as error:
        return error_fields(error, prefix="Parse error")
    return explained(
        question,
        universe.theory,
        provers,
        deadline,
        about,
        effort,
        lemmas=lambda prover: serving_lemmas(universe, prover),
    )


def explained(
    question: Question,
    theory: Theory,
    provers: Provers,
    deadline: Deadline,
    using: TypeExpression | None = None,
    effort: int = 1,
    lemmas: Callable[[Prover], Ledger] | None = None,
) -> ExplainedAnswer | FailedAnswer:
    """The same of a question that is read, about any theory; `lemmas` are those that serve it.

    Where an axiom is left out, the lemmas whose proofs rest on it are left out too.
    """
    from kleis.prover.certificates.explained import explained as in_words

    with provers.prover(theory, deadline, effort=effort) as prover:
        ledger = lemmas(prover) if lemmas is not None else None
        facts = ledger.facts if ledger is not None else ()
        decision = in_words(prover, prover.ask(question, using=using, facts=facts))
        warnings = (*(ledger.warnings() if ledger is not None else ()), *decision.verdict.warnings)
        if decision.goal is None:
            problem = decision.verdict.problem or {"message": decision.verdict.message}
            failed: FailedAnswer = {"status": "error", "error": decision.verdict.message, "problem": problem}
            return warned(warnings, failed)
        verdict = msgspec.structs.replace(within(deadline, decision.verdict), warnings=warnings)
        answer = cast(ExplainedAnswer, verdict_fields(verdict, explain=True))
        axioms = decision.goal.axioms
        rows = []
        for place, axiom in enumerate(axioms):
            deadline.report(place, len(axioms), f"without {axiom.name}")
            rows.append(
                _without(
                    decision.goal, axiom, prover, deadline, facts, verified=answer["status"] == "verified"
                )
            )
    answer["axioms_in_force"] = rows
    answer["redundant"] = [row["name"] for row in rows if row["itself"] == "redundant"]
    answer["independent"] = [row["name"] for row in rows if row["itself"] == "independent"]
    if answer["status"] == "verified":
        answer["needed"] = [row["name"] for row in rows if row["claim_without_it"] == "disproved"]
    return answer


def _without(
    goal: Goal,
    axiom: Axiom,
    prover: Prover,
    deadline: Deadline,
    facts: Sequence[Fact],
    *,
    verified: bool,
) -> dict[str, Any]:
    """One axiom left out: does the claim still hold, and does the axiom follow from the others?

    A lemma may rest on the axiom that is left out without saying so (an axiom of a section holds everywhere), so only
    those serve whose whole proof does without it.
    """
    facts = [each for each in facts if _rests_not_on(axiom, each)]
    others = tuple(each for each in goal.axioms if each is not axiom)
    row: dict[str, Any] = {"name": axiom.name, "kleis": print_expression(expression_of(axiom.formula))}
    if deadline.over:
        return {**row, "itself": "unknown", **({"claim_without_it": "unknown"} if verified else {})}
    alone = msgspec.structs.replace(goal, claim=axiom.formula, free=(), axioms=others)
    itself = _decided(alone, prover, facts)
    row["itself"] = {"verified": "redundant", "disproved": "independent"}.get(itself.status, itself.status)
    if itself.status == "verified":
        row["follows_from"] = list(itself.core)
    elif itself.evidence is not None:
        row["model_without_it"] = evidence_fields(itself.evidence)
    if verified:
        row["claim_without_it"] = _decided(msgspec.structs.replace(goal, axioms=others), prover, facts).status
    return row


def _rests_not_on(axiom: Axiom, fact: Fact) -> bool:
    """Whether the proof of a fact, with those of the facts below it, does without an axiom."""
    return all(axiom.name not in each.verdict.core for each in fact.grounds())


def _decided(goal: Goal, prover: Prover, facts: Sequence[Fact]) -> Verdict:
    """The verdict on a goal with the facts that serve there; without them where it stays open with them."""
    serving = serving_facts(facts, goal)
    verdict = prover.decide_goal(goal, serving).verdict
    if serving and verdict.status == "unknown":
        return prover.decide_goal(goal).verdict
    return with_named_lemmas(verdict, serving)
