"""The verdict that an engine's answer is, with what is known of the axioms that a proof used."""

from __future__ import annotations

import msgspec

from kleis.core.goal import Goal
from kleis.prover.axioms_alone import AxiomsAlone
from kleis.prover.obligations import Obligations
from kleis.prover.portfolio import Outcome
from kleis.prover.protocol.engine import Answer
from kleis.prover.protocol.verdict import Evidence, Verdict
from kleis.prover.reasons import refuted

__all__ = ["disproved", "verdict_of", "verified"]


def verdict_of(
    goal: Goal, outcome: Outcome, base: Verdict, axioms: AxiomsAlone, obligations: Obligations
) -> Verdict:
    """What the answer that decided says of a goal; witnesses were checked before."""
    answer = outcome.answer
    assert answer is not None
    common = msgspec.structs.replace(
        base, engine=outcome.attempts[-1].engine, attempts=outcome.attempts, steps=answer.steps
    )
    match answer.outcome:
        case "inconsistent":
            minimal = answer.detail == "minimal"
            return msgspec.structs.replace(common, status="inconsistent", core=answer.core, minimal=minimal)
        case "proved":
            return verified(goal, answer, common, axioms, obligations)
        case "refuted":
            assert isinstance(answer.witness, Evidence)
            return disproved(goal, answer.witness, common)
        case _:
            return msgspec.structs.replace(common, status="unknown", reason="incomplete")


def disproved(goal: Goal, evidence: Evidence, common: Verdict) -> Verdict:
    """The verdict of a counterexample that was checked; `common` has who found it."""
    message = refuted(goal, evidence, common.engine)
    return msgspec.structs.replace(common, status="disproved", evidence=evidence, message=message)


def verified(
    goal: Goal, answer: Answer, common: Verdict, axioms: AxiomsAlone, obligations: Obligations
) -> Verdict:
    """The verdict of a proof, with what is known of the axioms it used; `common` has who found it."""
    used = tuple(axiom for axiom in goal.axioms if axiom.name in answer.core)
    assumed = [axiom for axiom in used if axiom.standing == "assumed"]
    open_ones = [axiom.name for axiom in assumed if not obligations.is_fact(axiom)]
    model = axioms.model(goal, used)
    return msgspec.structs.replace(
        common,
        status="verified",
        core=answer.core,
        minimal=answer.detail == "minimal",
        consistency="model" if model is not None or not used else "unknown",
        model=model,
        assumed=tuple(open_ones),
    )
