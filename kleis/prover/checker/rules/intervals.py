"""The rules `subdivision` and `sign change`: claims about all numbers of intervals, and roots between two numbers.

    ∀x. 0 ≤ x ∧ x ≤ 3 → sin x + cos x < 1.5      true in each of so many boxes that together are 0 … 3
    ∃x. cos x = x                                cos x − x has different signs at 0 and 1, and is continuous between

See docs/reference/certificates.md §3.13.

Invariants
    * No premise is used.
    * A function is continuous on an interval only if it is made of functions that are, and shown to be defined all over it.
"""

from __future__ import annotations

from fractions import Fraction

from kleis import core
from kleis.prover.checker.format import SignChange, Subdivision
from kleis.prover.checker.read_terms import number_spelled
from kleis.prover.checker.rules.boxes import Boxes, bounds_of, conjuncts
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.semantics.enclosures import MOST_PRECISION
from kleis.semantics.rational_bounds import NotEnclosed, minus
from kleis.semantics.truth import TRUE

__all__ = ["MOST_BOXES", "STEPS", "check_sign_change", "check_subdivision", "has_root_between", "root_claim"]

STEPS = 4_000_000
MOST_BOXES = 20_000

_REALS = (core.REAL, core.RATIONAL, core.INTEGER, core.NATURAL)


def check_subdivision(sequent: Sequent, proof: Subdivision, steps: int = STEPS) -> int:
    """The steps after which a claim about all numbers of a box was shown; `RejectedError` if it was not."""
    _admitted(proof.precision)
    claim = sequent.claim
    variables: list[core.Variable] = []
    hypotheses: list[core.Term] = []
    while True:
        if isinstance(claim, core.Quantifier) and claim.kind == "forall":
            variables += claim.variables
            claim = claim.body
        elif isinstance(claim, core.Connective) and claim.name == "implies":
            hypotheses += conjuncts(claim.arguments[0])
            claim = claim.arguments[1]
        else:
            break
    if not variables or any(each.sort not in _REALS for each in variables):
        raise RejectedError("the claim is not about all numbers of intervals")
    boxes = Boxes(sequent.goal, proof.precision, steps)
    box = bounds_of(boxes, variables, hypotheses)
    if any(low > high for low, high in box.values()):
        return steps - boxes.steps
    formula = core.Connective("implies", (_all(hypotheses), claim)) if hypotheses else claim
    boxes.everywhere(formula, box, MOST_BOXES)
    return steps - boxes.steps


def _all(formulas: list[core.Term]) -> core.Term:
    return formulas[0] if len(formulas) == 1 else core.Connective("and", tuple(formulas))


def _admitted(precision: int) -> None:
    if not 1 <= precision <= MOST_PRECISION:
        raise RejectedError(f"a precision is 1 to {MOST_PRECISION} binary digits, not {precision}")


def root_claim(claim: core.Term) -> tuple[core.Variable, core.Equals, list[core.Term]]:
    """The variable, the equation and what else is said of it, of a claim that an equation has a real root."""
    if not (isinstance(claim, core.Quantifier) and claim.kind == "exists"):
        raise RejectedError("the claim is not that there is a number")
    if len(claim.variables) != 1 or claim.variables[0].sort != core.REAL:
        raise RejectedError("the claim is not about one real number")
    parts = list(conjuncts(claim.body))
    equations = [each for each in parts if isinstance(each, core.Equals) and each.left.sort in _REALS]
    if len(equations) != 1:
        raise RejectedError("the claim has not one equation")
    return claim.variables[0], equations[0], [each for each in parts if each is not equations[0]]


def check_sign_change(sequent: Sequent, proof: SignChange, steps: int = STEPS) -> int:
    """The steps after which an equation was shown to have a root between two numbers; `RejectedError` if it was not."""
    _admitted(proof.precision)
    low, high = (Fraction(number_spelled(each)) for each in (proof.low, proof.high))
    boxes = Boxes(sequent.goal, proof.precision, steps)
    has_root_between(boxes, sequent.claim, low, high)
    return steps - boxes.steps


def has_root_between(boxes: Boxes, claim: core.Term, low: Fraction, high: Fraction) -> None:
    """`RejectedError` unless the sides of the equation change their order between two numbers, all else being true there."""
    variable, equation, others = root_claim(claim)
    if not low < high:
        raise RejectedError("the ends are not in order")
    whole = {variable.name: (low, high)}
    try:
        for side in (equation.left, equation.right):
            boxes.value(side, whole, continuous=True)
        signs = []
        for end in (low, high):
            point = {variable.name: (end, end)}
            difference = minus(boxes.value(equation.left, point), boxes.value(equation.right, point))
            signs.append(1 if difference[0] > 0 else -1 if difference[1] < 0 else 0)
    except NotEnclosed:
        raise RejectedError("a side is not shown to be continuous there") from None
    if signs[0] * signs[1] >= 0:
        raise RejectedError("the sides do not change their order there")
    if not all(boxes.truth(each, whole) is TRUE for each in others):
        raise RejectedError("what else is said of the root is not true everywhere there")
