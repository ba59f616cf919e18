"""Powers, roots, logarithms and absolute values as forms.

A power of a number is one of its prime factors; a sum in an exponent makes a product, a product in a base too, where
conditions allow that (kleis/prover/checker/rules/normal_forms.py lists the laws).
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from kleis import core
from kleis.prover.checker.rules.form_atoms import EULER, UNIT, Atoms, order, zero
from kleis.prover.checker.rules.polynomials import ONE, Form, Monomial, Polynomial, constant, is_constant
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["LARGEST_POWER", "Powers", "factors"]

LARGEST_POWER = 64
"""The largest exponent, and multiple of an angle, that is multiplied out."""

_LARGEST_FACTORED = 1 << 32


class Powers(Atoms):
    """Powers of forms."""

    def _exponential(self, exponent: Form) -> Form:
        found = UNIT
        for monomial, coefficient in sorted(self._linear(exponent).items()):
            logarithm = self._logarithm_of(monomial)
            if logarithm is not None and coefficient.denominator == 1 and abs(coefficient) <= LARGEST_POWER:
                found = self.ring.times(found, self.ring.power(logarithm, int(coefficient)))
            else:
                found = self.ring.times(found, self._raised(EULER, monomial, coefficient))
        return found

    def _logarithm_of(self, monomial: Monomial) -> Form | None:
        """What a monomial is the logarithm of, if it is one."""
        if len(monomial) == 1 and monomial[0][1] == 1:
            key = self._keys[monomial[0][0]]
            if isinstance(key, tuple) and key[0] == "ln":
                return Form(dict(key[1][0]), dict(key[1][1]))
        return None

    def _raised(
        self, base: Hashable, monomial: Monomial, coefficient: Fraction, *, unit: bool = False
    ) -> Form:
        """A power: an atom, whose exponent may be any integer where the base is not 0."""
        key = ("power", base, monomial)
        count = self._count(key, coefficient)
        index = self._index(key)
        if unit or self._is_positive(base):
            self.ring.units.add(index)
        return self._monomial(((index, count),)) if count else UNIT

    def _positive_power(self, base: Fraction, exponent: Form) -> Form:
        """A positive number to any power."""
        found = UNIT
        for prime, times in factors(base).items():
            for monomial, coefficient in sorted(self._linear(exponent).items()):
                if monomial:
                    found = self.ring.times(found, self._raised(prime, monomial, coefficient * times))
                else:
                    found = self.ring.times(found, self._number_root(prime, coefficient * times))
        return found

    def _number_root(self, prime: int, exponent: Fraction) -> Form:
        """A prime number to a rational power: a product of itself and a root that is less."""
        key = ("root", prime)
        count = self._count(key, exponent)
        parts = self._parts.get(key, 1)
        whole, rest = divmod(count, parts)
        if abs(whole) > LARGEST_POWER:
            raise NotExpressible(f"an exponent of more than {LARGEST_POWER}")
        if not rest:
            return self.number(Fraction(prime) ** whole)
        root = self._index(key)
        self.ring.relations[root] = (parts, constant(prime))
        return self._monomial(((root, rest),), Fraction(prime) ** whole)

    def _root(self, base: Form, exponent: Fraction) -> Form:
        """A number that is not negative, to a rational power."""
        if not base.above:
            if exponent <= 0:
                raise NotExpressible("a negative power of 0")
            return base
        if not is_constant(base.below):
            turned = self.ring.form(self.ring.product(base.above, base.below))
            if exponent != Fraction(1, 2):
                raise NotExpressible("a root of a quotient")
            return self.ring.over(self._root(turned, exponent), self._absolute(Form(base.below, ONE)))
        number = base.number
        if number is not None:
            if number < 0:
                raise NotExpressible("a root of a negative number")
            return self._positive_power(number, self.number(exponent))
        content = _content(base.above)
        found = self._positive_power(content, self.number(exponent))
        rest = self.ring.scaled(base.above, 1 / content)
        if len(rest) == 1:
            ((monomial, coefficient),) = rest.items()
            if coefficient == 1:
                return self.ring.times(found, self._root_of_monomial(monomial, exponent))
        return self.ring.times(found, self._whole_root(rest, exponent))

    def _root_of_monomial(self, monomial: Monomial, exponent: Fraction) -> Form:
        even = all((power * exponent).denominator == 1 and power % 2 == 0 for _, power in monomial)
        found = UNIT
        for atom, power in monomial:
            key = self._keys[atom]
            if isinstance(key, tuple) and key[0] == "power" and self._is_positive(key[1]):
                part = Fraction(power, self._parts.get(key, 1)) * exponent
                factor = self._raised(key[1], key[2], part)
            elif even:
                absolute = self._absolute(self._monomial(((atom, 1),)))
                factor = self.ring.power(absolute, int(power * exponent))
            else:
                if len(monomial) > 1:
                    self.needed(order("geq", self._term(atom), zero(core.REAL)))
                elif power % 2 == 0:
                    raise NotExpressible("a root of an even power")
                factor = self._whole_root({((atom, 1),): Fraction(1)}, power * exponent)
            found = self.ring.times(found, factor)
        return found

    def _whole_root(self, base: Polynomial, exponent: Fraction) -> Form:
        """A power of a root that is an atom."""
        key = ("root", frozenset(base.items()))
        count = self._count(key, exponent)
        root = self._index(key)
        self.ring.relations[root] = (self._parts.get(key, 1), base)
        return self.ring.power(self._monomial(((root, 1),)), count)

    def _logarithm(self, of: Form) -> Form:
        """The logarithm of what is shown to be positive."""
        if not of.above:
            raise NotExpressible("the logarithm of 0")
        if len(of.above) != 1 or len(of.below) != 1:
            if not is_constant(of.below):
                return self._atom(("ln", self._canonical(of).key))
            content = _content(of.above)
            rest = Form(self.ring.scaled(of.above, 1 / content), ONE)
            return self.ring.plus(self._number_logarithm(content), self._atom(("ln", rest.key)))
        ((above, coefficient),), ((below, divisor),) = of.above.items(), of.below.items()
        if coefficient / divisor < 0:
            raise NotExpressible("the logarithm of a negative multiple")
        found = self._number_logarithm(coefficient / divisor)
        alone = len(above) + len(below) == 1
        for atom, power in (*above, *((each, -power) for each, power in below)):
            part = self._atom_logarithm(atom, alone and power % 2 == 1)
            found = self.ring.plus(found, self.ring.times(self.number(Fraction(power)), part))
        return found

    def _atom_logarithm(self, atom: int, positive: bool) -> Form:
        """The logarithm of an atom, which is `positive`, or asked to be."""
        key: Any = self._keys[atom]
        share = Fraction(1, self._parts.get(key, 1))
        match key:
            case ("power", base, monomial) if self._is_positive(base):
                exponent = self._monomial(monomial, share)
                if base == EULER:
                    return exponent
                return self.ring.times(exponent, self._number_logarithm(Fraction(base)))
            case ("root", int() as prime):
                return self.ring.times(self.number(share), self._logarithm(self.number(prime)))
            case ("root", base):
                return self.ring.times(self.number(share), self._logarithm(Form(dict(base), ONE)))
            case ("abs", *_):
                positive = True
        if not positive:
            self.needed(order("greater_than", self._term(atom), zero(core.REAL)))
        return self._atom(("ln", self._monomial(((atom, 1),)).key))

    def _number_logarithm(self, number: Fraction) -> Form:
        found = self.number(Fraction(0))
        for prime, times in factors(number).items():
            part = self._atom(("ln", self.number(Fraction(prime)).key))
            found = self.ring.plus(found, self.ring.times(self.number(Fraction(times)), part))
        return found

    def _absolute(self, of: Form) -> Form:
        """The absolute value, factor by factor."""
        if not is_constant(of.below):
            return self.ring.over(self._absolute(Form(of.above, ONE)), self._absolute(Form(of.below, ONE)))
        if len(of.above) == 1:
            ((monomial, coefficient),) = of.above.items()
            found = self.number(abs(coefficient / of.below[()]))
            for atom, power in monomial:
                found = self.ring.times(found, self.ring.power(self._absolute_atom(atom), power))
            return found
        if not of.above:
            return of
        content = _content(of.above) * (1 if of.above[min(of.above)] > 0 else -1)
        rest = self.ring.scaled(of.above, 1 / content)
        index = self._index(("abs", frozenset(rest.items())))
        self.ring.relations[index] = (2, self.ring.product(rest, rest))
        return self.ring.times(self.number(abs(content / of.below[()])), self._monomial(((index, 1),)))

    def _absolute_atom(self, atom: int) -> Form:
        match self._keys[atom]:
            case ("root" | "abs", *_):
                nonnegative = True
            case ("power", base, _):
                nonnegative = self._is_positive(base)
            case _:
                nonnegative = False
        if nonnegative:
            return self._monomial(((atom, 1),))
        whole: Polynomial = {((atom, 1),): Fraction(1)}
        index = self._index(("abs", frozenset(whole.items())))
        self.ring.relations[index] = (2, self.ring.product(whole, whole))
        return self._monomial(((index, 1),))


def _content(polynomial: Polynomial) -> Fraction:
    """The greatest positive number by which all coefficients can be divided so that integers are left."""
    above = gcd(*(each.numerator for each in polynomial.values()))
    return Fraction(above, lcm(*(each.denominator for each in polynomial.values())))


def factors(number: Fraction) -> dict[int, int]:
    """The prime factors of a positive number, with their exponents."""
    found: dict[int, int] = {}
    for part, sign in ((number.numerator, 1), (number.denominator, -1)):
        if part > _LARGEST_FACTORED:
            raise NotExpressible("a number that is too large to be factored")
        prime = 2
        while prime * prime <= part:
            while part % prime == 0:
                part //= prime
                found[prime] = found.get(prime, 0) + sign
            prime += 1
        if part > 1:
            found[part] = found.get(part, 0) + sign
    return found
