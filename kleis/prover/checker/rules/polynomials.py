"""Polynomials over ℚ in numbered atoms, reduced by what powers of atoms are, and quotients of them.

A monomial has atoms with exponents; those of *units*, which are never 0, may be negative.  `Ring.relations` says that a
power of an atom is a polynomial in atoms of smaller numbers (sin² = 1 − cos²), so that reduction ends.  Two terms whose
difference is reduced to no monomial at all are equal; nothing follows where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

import msgspec

from kleis.prover.checker.sequent import NotExpressible

__all__ = ["ONE", "Form", "Monomial", "Polynomial", "Ring", "constant", "is_constant", "joined"]

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""Atoms with their exponents, by increasing number."""

Polynomial: TypeAlias = Mapping[Monomial, Fraction]
"""Coefficients other than 0 by monomial."""

ONE: Polynomial = {(): Fraction(1)}

_MOST_BITS = 10_000


def constant(value: Fraction | int) -> Polynomial:
    """A number as a polynomial."""
    return {(): Fraction(value)} if value else {}


def is_constant(polynomial: Polynomial) -> bool:
    """Whether a polynomial is a number."""
    return not polynomial or set(polynomial) == {()}


class Form(msgspec.Struct, frozen=True):
    """A quotient of polynomials; the second is not 0 wherever the term has a value."""

    above: Polynomial
    below: Polynomial

    @property
    def key(self) -> tuple[frozenset[tuple[Monomial, Fraction]], ...]:
        """What equal forms have in common; equal terms may have different ones."""
        return frozenset(self.above.items()), frozenset(self.below.items())

    @property
    def number(self) -> Fraction | None:
        """The number that it is, if it is one."""
        if is_constant(self.above) and is_constant(self.below):
            return self.above.get((), Fraction(0)) / self.below[()]
        return None


class Ring:
    """Arithmetic of forms.

    `relations` are those of atoms: an exponent and what the power is; `units` are atoms that are never 0; `steps` limit
    the work.
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.relations: dict[int, tuple[int, Polynomial]] = {}
        self.units: set[int] = set()

    def charge(self, steps: int) -> None:
        """Pay for work; `NotExpressible` when the steps are used up."""
        self.steps -= steps
        if self.steps < 0:
            raise NotExpressible("polynomials of more terms than there are steps for")

    # ── Polynomials ──────────────────────────────────────────────────────────────────────────────────────────

    def total(self, polynomials: Iterable[Polynomial]) -> Polynomial:
        """The sum."""
        found: dict[Monomial, Fraction] = {}
        for each in polynomials:
            self.charge(len(each))
            for monomial, coefficient in each.items():
                found[monomial] = found.get(monomial, Fraction(0)) + coefficient
        return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The product, reduced."""
        self.charge(len(a) * len(b))
        found: dict[Monomial, Fraction] = {}
        for first, one in a.items():
            for second, other in b.items():
                monomial = joined(first, second)
                found[monomial] = found.get(monomial, Fraction(0)) + one * other
        if any(each.numerator.bit_length() > _MOST_BITS for each in found.values()):
            raise NotExpressible(f"coefficients of more than {_MOST_BITS} binary digits")
        return self.reduced({monomial: each for monomial, each in found.items() if each})

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial without powers of atoms that a relation replaces."""
        done: list[Polynomial] = []
        for monomial, coefficient in polynomial.items():
            place = next(
                (
                    at
                    for at, (atom, power) in reversed(tuple(enumerate(monomial)))
                    if self._replaced(atom, power)
                ),
                None,
            )
            if place is None:
                done.append({monomial: coefficient})
                continue
            atom, power = monomial[place]
            least, value = self.relations[atom]
            kept = ((atom, power % least),) if power % least else ()
            rest = {(*monomial[:place], *kept, *monomial[place + 1 :]): coefficient}
            done.append(self.product(rest, self.raised(value, power // least)))
        return self.total(done)

    def _replaced(self, atom: int, power: int) -> bool:
        return atom in self.relations and power >= self.relations[atom][0]

    def raised(self, polynomial: Polynomial, power: int) -> Polynomial:
        """A power with a natural exponent."""
        found: Polynomial = ONE
        for _ in range(power):
            found = self.product(found, polynomial)
        return found

    def scaled(self, polynomial: Polynomial, by: Fraction | int) -> Polynomial:
        """A multiple."""
        return {monomial: by * coefficient for monomial, coefficient in polynomial.items()} if by else {}

    # ── Quotients ────────────────────────────────────────────────────────────────────────────────────────────

    def form(self, above: Polynomial, below: Polynomial = ONE) -> Form:
        """A quotient; a divisor that is one monomial of a number or of units goes into the dividend."""
        if len(below) == 1:
            ((monomial, coefficient),) = below.items()
            if all(atom in self.units for atom, _ in monomial):
                turned = {tuple((atom, -power) for atom, power in monomial): 1 / coefficient}
                return Form(self.product(above, turned), ONE)
        return Form(above, below)

    def plus(self, a: Form, b: Form) -> Form:
        """The sum."""
        if a.below == b.below:
            return self.form(self.total((a.above, b.above)), a.below)
        above = self.total((self.product(a.above, b.below), self.product(b.above, a.below)))
        return self.form(above, self.product(a.below, b.below))

    def times(self, a: Form, b: Form) -> Form:
        """The product."""
        return self.form(self.product(a.above, b.above), self.product(a.below, b.below))

    def negated(self, a: Form) -> Form:
        """The form with the other sign."""
        return Form(self.scaled(a.above, -1), a.below)

    def over(self, a: Form, b: Form) -> Form:
        """The quotient; what divides must not be shown to be 0."""
        if not b.above:
            raise NotExpressible("a division by 0")
        return self.form(self.product(a.above, b.below), self.product(a.below, b.above))

    def power(self, a: Form, exponent: int) -> Form:
        """A power; of a quotient turned over, where the exponent is negative."""
        if exponent < 0:
            return self.power(self.over(Form(ONE, ONE), a), -exponent)
        return self.form(self.raised(a.above, exponent), self.raised(a.below, exponent))

    def same(self, a: Form, b: Form) -> bool:
        """Whether two forms are shown equal."""
        return not self.total(
            (self.product(a.above, b.below), self.scaled(self.product(b.above, a.below), -1))
        )


def joined(a: Monomial, b: Monomial) -> Monomial:
    """The product of monomials."""
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted((atom, power) for atom, power in powers.items() if power))
