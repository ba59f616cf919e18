"""A claim without its outermost ∀: the variables are constants then, and what fails, fails at a point.

Specification: proving.md §2 ("Outermost ∀ are stripped before solving, so their variables are constants").
"""

from __future__ import annotations

from kleis.meaning.core import Connective, Quantifier, Term, Variable

__all__ = ["stripped"]


def stripped(claim: Term) -> tuple[tuple[Variable, ...], tuple[Term, ...], Term]:
    """The outermost ∀-variables of a claim, hypotheses passed on the way, and what is left.

    ``∀x. A → ∀y. B`` has variables x and y, the hypothesis A and the rest B.
    """
    variables: list[Variable] = []
    hypotheses: list[Term] = []
    while True:
        if isinstance(claim, Quantifier) and claim.kind == "forall":
            variables += claim.variables
            claim = claim.body
        elif (
            isinstance(claim, Connective)
            and claim.name == "implies"
            and isinstance(claim.arguments[1], Quantifier)
            and claim.arguments[1].kind == "forall"
        ):
            hypotheses.append(claim.arguments[0])
            claim = claim.arguments[1]
        else:
            return tuple(variables), tuple(hypotheses), claim
