"""The proofs behind verdicts, as data for other languages: what certificates are made of, not yet judged."""

from __future__ import annotations

from kleis import core
from kleis.core.goal import Goal, Obligation
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.build import proof_of
from kleis.prover.checker.format import CertificateError, Proof
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.sequent import CheckError
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover

__all__ = ["ProofSteps"]


class ProofSteps:
    """A prover that also says how it proved: what `kleis.lean.export_lean` asks for as its judge."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self.elaborator: Elaborator = prover.elaborator

    def holds(self, obligation: Obligation) -> Verdict:
        """The verdict on an obligation of the elaborator."""
        return self._prover.holds(obligation)

    def with_witness(self, goal: Goal, verdict: Verdict) -> Verdict:
        """The verdict with values of a verified ∃, where such are found."""
        return self._prover.with_witness(goal, verdict)

    def steps(self, goal: Goal, verdict: Verdict) -> tuple[tuple[core.Term, Proof], ...]:
        """What is shown on the way to a goal that was verified, with its proofs, the goal last; nothing where there is none."""
        if verdict.status != "verified" or any(each.startswith("lemma ") for each in verdict.core):
            return ()
        try:
            found = proof_of(self._prover.broker, self._prover.theory, goal, verdict)
            vocabulary = Vocabulary(goal, self.elaborator.definitions.operation)
            assert goal.claim is not None, "what was verified is a claim"
            return tuple(
                (goal.claim if each.shows is None else vocabulary.closed_formula(each.shows), each.proof)
                for each in found
            )
        except (CertificateError, CheckError):
            return ()
