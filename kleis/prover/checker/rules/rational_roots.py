"""The rule `rational roots`: equations that no rational number, or no quotient of integers, solves.

    ∀(x : ℚ). x² ≠ 2          ∀(p q : ℤ). q ≠ 0 → p² ≠ 2·q²          ¬(∃(p q : ℤ). q ≠ 0 ∧ √2 = p / q)

See docs/reference/certificates.md §3.14.  The equation becomes a polynomial with integer coefficients, roots removed by
raising to their power: what solves the equation solves it.  A solution p/q in lowest terms has p among the divisors of the
last coefficient and q among those of the first; each is tried.  Of two integers the polynomial is homogeneous, and has a
solution besides 0, 0 only if one variable less has.

Invariants
    * No premise is used.  Hypotheses only say that the unknowns are not both 0, and where the equation has a value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from math import gcd, lcm

from kleis import core
from kleis.core.traversal import free_variables
from kleis.prover.checker.rules.boxes import conjuncts
from kleis.prover.checker.rules.identities import not_said
from kleis.prover.checker.rules.normal_forms import Forms, Refined, is_number
from kleis.prover.checker.rules.polynomials import Monomial, Polynomial, Ring
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent

__all__ = ["STEPS", "check_rational_roots", "has_no_rational_root"]

STEPS = 1_000_000
_MOST_REFINEMENTS = 6
_LARGEST = 1_000_000_000
_MOST_DEGREE = 40


def has_no_rational_root(sequent: Sequent) -> bool:
    """Whether the rule shows a claim."""
    try:
        check_rational_roots(sequent)
    except RejectedError:
        return False
    return True


def check_rational_roots(sequent: Sequent, steps: int = STEPS) -> int:
    """The steps after which the equation was shown to have no solution; `RejectedError` if it was not."""
    variables, hypotheses, equation = _denied(sequent.claim)
    if not is_number(equation.left.sort):
        raise RejectedError("the equation is not one of numbers")
    parts: dict[Hashable, int] = {}
    for _ in range(_MOST_REFINEMENTS):
        ring = Ring(steps)
        forms = Forms(sequent.goal, ring, parts)
        try:
            difference = ring.plus(forms.of(equation.left), ring.negated(forms.of(equation.right)))
            if not all(_is_said(each, hypotheses) for each in forms.obligations):
                raise RejectedError("the equation is not shown to have a value")
            polynomial = _without_roots(forms, difference.above)
            unknowns = {forms.variable(atom): atom for atom in _atoms(polynomial)}
        except Refined:
            continue
        except NotExpressible as error:
            raise RejectedError(str(error)) from None
        _without_solution(polynomial, unknowns, variables, hypotheses)
        return steps - ring.steps
    raise RejectedError("exponents of too many parts")


def _denied(claim: core.Term) -> tuple[list[core.Variable], list[core.Term], core.Equals]:
    """The variables of a claim that denies an equation, the hypotheses, and the equation."""
    variables: list[core.Variable] = []
    hypotheses: list[core.Term] = []
    while True:
        match claim:
            case core.Quantifier(kind="forall", variables=bound, body=body):
                variables += bound
                claim = body
            case core.Connective(name="implies", arguments=(hypothesis, conclusion)):
                hypotheses += conjuncts(hypothesis)
                claim = conclusion
            case core.Connective(
                name="not", arguments=(core.Quantifier(kind="exists", variables=bound, body=body),)
            ):
                variables += bound
                claim = core.Connective("not", (body,))
            case core.Connective(name="not", arguments=(core.Connective(name="not", arguments=(inner,)),)):
                claim = inner
            case _:
                break
    if not (isinstance(claim, core.Connective) and claim.name == "not"):
        raise RejectedError("the claim denies no equation")
    parts = list(conjuncts(claim.arguments[0]))
    equations = [each for each in parts if isinstance(each, core.Equals)]
    if len(equations) != 1:
        raise RejectedError("the claim denies not one equation")
    return variables, hypotheses + [each for each in parts if each is not equations[0]], equations[0]


def _atoms(polynomial: Polynomial) -> set[int]:
    return {atom for monomial in polynomial for atom, _ in monomial}


def _without_roots(forms: Forms, polynomial: Polynomial) -> Polynomial:
    """A polynomial without roots that is 0 wherever this one is."""
    ring = forms.ring
    while roots := [atom for atom in sorted(_atoms(polynomial)) if atom in ring.relations]:
        root = roots[-1]
        degree, value = ring.relations[root]
        rest: dict[int, dict[Monomial, Fraction]] = {}
        for monomial, coefficient in polynomial.items():
            power = dict(monomial).get(root, 0)
            rest.setdefault(power, {})[tuple(each for each in monomial if each[0] != root)] = coefficient
        powers = sorted(power for power in rest if power)
        if len(powers) != 1 or powers[0] < 0:
            raise RejectedError("a root occurs with several exponents")
        # U + V·rʲ = 0, so Uᵏ = (−V)ᵏ·(rᵏ)ʲ
        without = ring.raised(rest.get(0, {}), degree)
        times = ring.product(
            ring.raised(ring.scaled(rest[powers[0]], -1), degree), ring.raised(value, powers[0])
        )
        polynomial = ring.total((without, ring.scaled(times, -1)))
    return polynomial


def _without_solution(
    polynomial: Polynomial,
    unknowns: dict[str, int],
    variables: list[core.Variable],
    hypotheses: list[core.Term],
) -> None:
    """`RejectedError` unless a polynomial is shown to be 0 nowhere that the hypotheses allow."""
    sorts = {each.name: each.sort for each in variables}
    if not set(unknowns) <= set(sorts):
        raise RejectedError("the equation has unknowns of other kinds")
    degrees = {sum(power for _, power in monomial) for monomial in polynomial}
    if len(unknowns) == 1:
        if any(sorts[name] not in (core.RATIONAL, core.INTEGER, core.NATURAL) for name in unknowns):
            raise RejectedError("the unknown may be irrational")
        coefficients = _coefficients({sum(power for _, power in each): c for each, c in polynomial.items()})
    elif len(unknowns) == 2 and len(degrees) == 1:
        if any(sorts[name] not in (core.RATIONAL, core.INTEGER, core.NATURAL) for name in unknowns):
            raise RejectedError("an unknown may be irrational")
        if not any(_is_not_zero(each, set(unknowns)) for each in hypotheses):
            raise RejectedError("both unknowns may be 0")
        first = min(unknowns.values())
        coefficients = _coefficients({dict(each).get(first, 0): c for each, c in polynomial.items()})
        if len(coefficients) - 1 != max(degrees):
            raise RejectedError("it has a solution where an unknown is 0")
    else:
        raise RejectedError("the equation is not of one number, or homogeneous of two")
    root = next((each for each in _candidates(coefficients) if _value(coefficients, each) == 0), None)
    if root is not None:
        raise RejectedError(f"{root} is a root")


def _is_said(formula: core.Term, hypotheses: list[core.Term]) -> bool:
    """Whether a hypothesis says a formula, word for word or of the same variable in another set of numbers."""
    if not not_said([formula], hypotheses):
        return True
    names = {each.name for each in free_variables(formula)}
    named = len(names) == 1 and isinstance(formula, core.Connective) and _is_not_zero(formula, names)
    return named and any(_is_not_zero(each, names) for each in hypotheses)


def _is_not_zero(formula: core.Term, names: set[str]) -> bool:
    """Whether a hypothesis says that one of these variables is not 0."""
    match formula:
        case core.Connective(name="not", arguments=(core.Equals(left=left, right=right),)):
            pass
        case core.BuiltinCall(operation=operation, arguments=(left, right)) if (
            operation.name == "greater_than"
        ):
            pass
        case core.BuiltinCall(operation=operation, arguments=(right, left)) if operation.name == "less_than":
            pass
        case _:
            return False
    left, right = _bare(left), _bare(right)
    return (
        isinstance(left, core.Variable) and left.name in names and right == core.LiteralTerm(0, core.NATURAL)
    )


def _bare(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


def _coefficients(by_degree: dict[int, Fraction]) -> list[int]:
    """Integer coefficients by degree, from 0."""
    highest = max(by_degree, default=0)
    if not 0 < highest <= _MOST_DEGREE or min(by_degree) < 0:
        raise RejectedError(f"a polynomial whose degree is not 1 to {_MOST_DEGREE}")
    common = lcm(*(each.denominator for each in by_degree.values()))
    return [int(by_degree.get(degree, Fraction(0)) * common) for degree in range(highest + 1)]


def _candidates(coefficients: list[int]) -> Iterator[Fraction]:
    """All rational numbers that may be roots: 0, and quotients of divisors of the last coefficient and of the first."""
    yield Fraction(0)
    last = next(each for each in coefficients if each)
    for above in _divisors(last):
        for below in _divisors(coefficients[-1]):
            if gcd(above, below) == 1:
                yield Fraction(above, below)
                yield Fraction(-above, below)


def _divisors(number: int) -> list[int]:
    number = abs(number)
    if number > _LARGEST:
        raise RejectedError(f"a coefficient of more than {_LARGEST}")
    found = []
    divisor = 1
    while divisor * divisor <= number:
        if number % divisor == 0:
            found += [divisor, number // divisor]
        divisor += 1
    return found


def _value(coefficients: list[int], at: Fraction) -> Fraction:
    total = Fraction(0)
    for each in reversed(coefficients):
        total = total * at + each
    return total
