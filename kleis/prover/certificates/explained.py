"""Verdicts with their proofs in words.

See docs/reference/proving.md §5.12.

    verdict = explained(prover, prover.ask(question)).verdict
"""

from __future__ import annotations

import msgspec

from kleis.prover.certificates.left_by_engines import Engines
from kleis.prover.certificates.proof_words import proof_words
from kleis.prover.checker.format import CertificateError
from kleis.prover.protocol.engine import declarations_of, with_lemmas
from kleis.prover.prover import Decision, Prover

__all__ = ["explained"]


def explained(prover: Prover, decision: Decision) -> Decision:
    """The decision, and of a verdict with a proof this in words; where the engine leaves none that certificates have, as it is.

    A verdict that was kept from an earlier run has its engine asked once more.
    """
    verdict, goal = decision.verdict, decision.goal
    if verdict.status not in ("verified", "inconsistent") or goal is None or not verdict.engine:
        return decision
    clash = verdict.status == "inconsistent"
    task = with_lemmas(declarations_of(goal) if clash else goal, [each.goal for each in decision.given])
    names = {
        f"lemma {place}": f"lemma {each.name}" if each.name else f"lemma {place}"
        for place, each in enumerate(decision.given, 1)
    }
    try:
        steps = Engines(prover.broker, prover.order).proof(task, verdict, decision.answer)
    except CertificateError:
        return decision
    words = msgspec.structs.replace(verdict, proof=proof_words(task, steps, names))
    return msgspec.structs.replace(decision, verdict=words)
