"""Powers with exponents that are unknown, as forms: xᵐ⁺ⁿ is xᵐ·xⁿ, (x·y)ⁿ is xⁿ·yⁿ.

That holds for natural exponents whatever the base, since 0⁰ is 1; for integers where the base is not 0, for real numbers
where it is positive.  Which of these an exponent is, is read off the sorts of the unknowns in it.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from kleis import core
from kleis.prover.checker.rules.form_atoms import UNIT, order, zero
from kleis.prover.checker.rules.polynomials import ONE, Form, Monomial, is_constant
from kleis.prover.checker.rules.power_forms import LARGEST_POWER, Powers, factors
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["UnknownPowers"]

_WHOLE = (core.NATURAL, core.INTEGER)
_MINUS: Hashable = -1


class UnknownPowers(Powers):
    """Powers of forms, whatever the exponent."""

    def _power(self, term: core.BuiltinCall, base: Form, exponent: Form) -> Form:
        number = exponent.number
        if number is not None:
            if number.denominator != 1:
                return self._root(base, number)
            if abs(number) > LARGEST_POWER:
                raise NotExpressible(f"an exponent of more than {LARGEST_POWER}")
            return self.ring.power(base, int(number))
        natural = self._is_natural(exponent)
        whole = natural or (term.arguments[1].sort in _WHOLE and self._is_whole(exponent))
        if base.number is not None and base.number > 0:
            return self._positive_power(base.number, exponent)
        if not whole and term.arguments[1].sort in _WHOLE:
            return self._atom(("call", "power", base.key, exponent.key), term)
        found = UNIT
        for factor, power in self._base_factors(base, term.arguments[0]):
            if not natural and factor is not _MINUS and not isinstance(factor, int):
                self._nonzero_base(factor, positive=not whole)
            scaled = self.ring.times(exponent, self.number(Fraction(power)))
            found = self.ring.times(found, self._factor_power(factor, scaled, unit=not natural, whole=whole))
        return found

    def _base_factors(self, base: Form, term: core.Term) -> list[tuple[Hashable, int]]:
        """What a base is a product of: -1, primes, and atoms by ``("atom", number)``."""
        if len(base.above) == 1 and is_constant(base.below):
            ((monomial, coefficient),) = base.above.items()
            coefficient /= base.below[()]
            found: list[tuple[Hashable, int]] = [(_MINUS, 1)] if coefficient < 0 else []
            found += factors(abs(coefficient)).items()
            return found + [(("atom", atom), power) for atom, power in monomial]
        index = self._index(("base", self._canonical(base).key))
        self._terms.setdefault(index, term)
        return [(("atom", index), 1)]

    def _nonzero_base(self, factor: Hashable, *, positive: bool) -> None:
        assert isinstance(factor, tuple)
        key = self._keys[factor[1]]
        if isinstance(key, tuple) and key[0] == "power" and self._is_positive(key[1]):
            return
        term = self._term(factor[1])
        nothing = zero(core.REAL)
        different = core.Connective("not", (core.Equals(term, nothing),))
        self.needed(order("greater_than", term, nothing) if positive else different)

    def _factor_power(self, factor: Hashable, exponent: Form, *, unit: bool, whole: bool) -> Form:
        found = UNIT
        for monomial, coefficient in sorted(self._linear(exponent).items()):
            if factor is _MINUS or factor == _MINUS:
                if not whole:
                    raise NotExpressible("a power of a negative number")
                found = self.ring.times(found, self._sign(monomial, int(coefficient)))
            elif isinstance(factor, int):
                found = self.ring.times(
                    found,
                    self._raised(factor, monomial, coefficient)
                    if monomial
                    else self._number_root(factor, coefficient),
                )
            else:
                assert isinstance(factor, tuple)
                found = self.ring.times(
                    found, self._atom_power(factor[1], monomial, coefficient, unit, whole=whole)
                )
        return found

    def _sign(self, monomial: Monomial, count: int) -> Form:
        """-1 to a whole power."""
        if not monomial:
            return self.number(Fraction(-1 if count % 2 else 1))
        index = self._index(("power", _MINUS, monomial))
        self.ring.relations[index] = (2, ONE)
        return self._monomial(((index, 1),)) if count % 2 else UNIT

    def _atom_power(
        self, atom: int, monomial: Monomial, coefficient: Fraction, unit: bool, *, whole: bool
    ) -> Form:
        """A power of an atom; of a power, by the product of exponents where its base allows that."""
        key = self._keys[atom]
        if not monomial and coefficient.denominator == 1:
            if abs(coefficient) > LARGEST_POWER:
                raise NotExpressible(f"an exponent of more than {LARGEST_POWER}")
            return self.ring.power(self._base(atom), int(coefficient))
        if (
            isinstance(key, tuple)
            and key[0] == "power"
            and self._parts.get(key, 1) == 1
            and (whole or self._is_positive(key[1]))
        ):
            joint = self._monomial(key[2], 1)
            exponent = self.ring.times(joint, self._monomial(monomial))
            if len(exponent.above) == 1:
                ((both, one),) = exponent.above.items()
                return self._raised(key[1], both, coefficient * one, unit=unit)
        return self._raised(("atom", atom), monomial, coefficient, unit=unit)

    def _base(self, atom: int) -> Form:
        key = self._keys[atom]
        if isinstance(key, tuple) and key[0] == "base":
            return Form(dict(key[1][0]), dict(key[1][1]))
        return self._monomial(((atom, 1),))

    def _is_natural(self, exponent: Form) -> bool:
        """Whether an exponent is a sum of products of unknown natural numbers."""
        return self._is_whole(exponent) and all(
            coefficient > 0 and all(self._terms[atom].sort == core.NATURAL for atom, _ in monomial)
            for monomial, coefficient in exponent.above.items()
        )

    def _is_whole(self, exponent: Form) -> bool:
        """Whether an exponent is a sum of multiples of products of unknown integers."""
        return exponent.below == ONE and all(
            coefficient.denominator == 1
            and all(
                power > 0 and atom in self._terms and self._terms[atom].sort in _WHOLE
                for atom, power in monomial
            )
            for monomial, coefficient in exponent.above.items()
        )
