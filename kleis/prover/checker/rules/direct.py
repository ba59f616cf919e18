"""The rules that decide by computing alone: no solver is asked, and no further sequents arise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kleis.prover.checker.format import (
    Clausal,
    Enclosures,
    Evaluation,
    Identity,
    Law,
    Proof,
    RationalRoots,
    RegularLanguages,
    Remainders,
    Rewriting,
    SignChange,
    Subdivision,
    Sums,
)
from kleis.prover.checker.rules.clausal import clausal
from kleis.prover.checker.rules.enclosures import check_enclosures
from kleis.prover.checker.rules.evaluation import check_evaluation
from kleis.prover.checker.rules.identities import check_identity
from kleis.prover.checker.rules.intervals import check_sign_change, check_subdivision
from kleis.prover.checker.rules.laws import check_law
from kleis.prover.checker.rules.rational_roots import check_rational_roots
from kleis.prover.checker.rules.regular import check_regular_languages
from kleis.prover.checker.rules.remainders import check_remainders
from kleis.prover.checker.rules.rewriting import Rested, rewriting
from kleis.prover.checker.rules.sums import check_sums
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["Shown", "shown_directly"]


class Shown(NamedTuple):
    """What showed a sequent, in so many steps, and the premises that it used."""

    by: str
    steps: int = 0
    premises: frozenset[str] = frozenset()


def shown_directly(sequent: Sequent, proof: Proof) -> Shown:
    """Check a proof by its rule; `RejectedError` where it does not show the sequent."""
    match proof:
        case Evaluation():
            return Shown("evaluation", check_evaluation(sequent))
        case Enclosures():
            return Shown("enclosures", check_enclosures(sequent, proof))
        case Identity(given=given):
            return Shown("identity", check_identity(sequent, proof), frozenset([given] if given else []))
        case Law(name=name):
            check_law(sequent, proof)
            return Shown(f"law {name}")
        case Sums(given=given):
            return Shown("sums", check_sums(sequent, proof), frozenset([given] if given else []))
        case RationalRoots():
            return Shown("rational roots", check_rational_roots(sequent))
        case Remainders():
            return Shown("remainders", check_remainders(sequent))
        case Subdivision():
            return Shown("subdivision", check_subdivision(sequent, proof))
        case SignChange():
            return Shown("sign change", check_sign_change(sequent, proof))
        case RegularLanguages():
            return Shown("regular languages", check_regular_languages(sequent))
        case Rewriting():
            return Shown("rewriting", premises=_all_used(rewriting(sequent, proof), proof.given))
        case Clausal():
            return Shown("clauses", premises=_all_used(clausal(sequent, proof), proof.given))
        case _:
            raise RejectedError("a rule that does not decide by itself")


def _all_used(rested: Rested, given: Sequence[str]) -> frozenset[str]:
    """What chains or inferences rest on, which has to be all that they name."""
    idle = set(given) - set(rested.premises)
    if idle:
        raise RejectedError(f"it does not use {min(idle)}")
    return frozenset(rested.premises)
