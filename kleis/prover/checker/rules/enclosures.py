"""The rule `enclosures`: the claim, computed with irrational numbers between rationals, is true.

See docs/reference/certificates.md §3.8.  ``√2 + √3 > π`` is computed as in the rule `evaluation`; a comparison of numbers
that are not known exactly is decided where their enclosures, of the precision that the certificate names, do not overlap.

Invariants
    * No premise is used.
    * What is not shown to be defined, and equality of numbers that are not known exactly, is never true.
"""

from __future__ import annotations

from kleis.prover.checker.format import Enclosures
from kleis.prover.checker.rules.evaluation import STEPS, check_evaluation
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.semantics.enclosures import MOST_PRECISION

__all__ = ["admitted", "check_enclosures"]


def check_enclosures(sequent: Sequent, proof: Enclosures, steps: int = STEPS) -> int:
    """The steps after which the claim was found to be true; `RejectedError` if it was not."""
    return check_evaluation(sequent, steps, admitted(proof.precision))


def admitted(precision: int) -> int:
    """The precision, if enclosures have it; else `RejectedError`."""
    if not 1 <= precision <= MOST_PRECISION:
        raise RejectedError(f"a precision is 1 to {MOST_PRECISION} binary digits, not {precision}")
    return precision
