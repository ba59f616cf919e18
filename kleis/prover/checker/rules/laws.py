"""The rule `law`: a law of the built-in functions that the checker believes.

See docs/reference/certificates.md §3.11.  The laws are the table `kleis.builtins.laws`, read as they stand: with nothing
declared, so that every name in them is the built-in's.

Invariants
    * No premise is used, and the formula is the law itself, word for word.
"""

from __future__ import annotations

from functools import cache

from kleis import core
from kleis.builtins.laws import LAWS
from kleis.core.traversal import canonical
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.format import Law
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory

__all__ = ["check_law", "law"]


def check_law(sequent: Sequent, proof: Law) -> None:
    """`RejectedError` unless the claim is the law of that name."""
    if proof.name not in LAWS:
        raise RejectedError(f"no law of built-ins is called {proof.name!r}")
    if term_data(canonical(sequent.claim)) != term_data(canonical(law(proof.name))):
        raise RejectedError(f"it is not the law {proof.name!r}")


@cache
def law(name: str) -> core.Term:
    """A law of the table as a formula."""
    claim = Elaborator(Theory()).proposition(parse_expression(LAWS[name]), file="<law>").claim
    assert claim is not None
    return claim
