"""Angles and areas as forms: circular and hyperbolic functions and their inverses.

An angle is a sum of multiples of monomials; the addition theorems take it apart (kleis/prover/checker/rules/normal_forms.py lists
the laws).  An arc is an atom that knows what it is the arc of.  Its cosine is not negative: an arc sine and an arc tangent
are between −π/2 and π/2.
"""

from __future__ import annotations

from fractions import Fraction

from kleis.prover.checker.rules.form_atoms import UNIT
from kleis.prover.checker.rules.polynomials import Form, Monomial, is_constant
from kleis.prover.checker.rules.power_forms import LARGEST_POWER
from kleis.prover.checker.rules.unknown_powers import UnknownPowers
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["CircleForms"]


class CircleForms(UnknownPowers):
    """Forms of circular and hyperbolic functions."""

    # ── Angles ───────────────────────────────────────────────────────────────────────────────────────────────

    def _pi(self) -> Form:
        return self._atom("pi")

    def _circle(self, angle: Form) -> tuple[Form, Form]:
        """Cosine and sine."""
        pi = ((self._index("pi"), 1),)
        x, y = UNIT, self.number(Fraction(0))
        for monomial, coefficient in sorted(self._linear(angle).items()):
            if monomial == pi and (12 * coefficient).denominator == 1:
                x, y = self._turned((x, y), self._twelfths(int(12 * coefficient)))
                continue
            key = ("angle", monomial)
            count = self._count(key, coefficient)
            known = self._known_angle(monomial) if self._parts.get(key, 1) == 1 else None
            if abs(count) > LARGEST_POWER:
                raise NotExpressible(f"more than {LARGEST_POWER} times an angle")
            cosine, sine = known if known is not None else self._unknown_angle(monomial)
            turn = cosine, sine if count > 0 else self.ring.negated(sine)
            for _ in range(abs(count)):
                x, y = self._turned((x, y), turn)
        return x, y

    def _unknown_angle(self, monomial: Monomial) -> tuple[Form, Form]:
        """Cosine and sine of an angle as atoms."""
        cosine, sine = self._index(("cos", monomial)), self._index(("sin", monomial))
        self.ring.relations[sine] = (2, {((cosine, 2),): Fraction(-1), (): Fraction(1)})
        return self._monomial(((cosine, 1),)), self._monomial(((sine, 1),))

    def _known_angle(self, monomial: Monomial) -> tuple[Form, Form] | None:
        """Cosine and sine of an arc, by what it is the arc of; the cosine is not negative there."""
        key = self._keys[monomial[0][0]] if len(monomial) == 1 and monomial[0][1] == 1 else None
        if not isinstance(key, tuple) or key[0] not in ("asin", "atan"):
            return None
        ring, of = self.ring, Form(dict(key[1][0]), dict(key[1][1]))
        square = ring.times(of, of)
        if key[0] == "asin":
            return self._root(ring.plus(UNIT, ring.negated(square)), Fraction(1, 2)), of
        length = self._root(ring.plus(UNIT, square), Fraction(1, 2))
        return ring.over(UNIT, length), ring.over(of, length)

    def _turned(self, a: tuple[Form, Form], b: tuple[Form, Form]) -> tuple[Form, Form]:
        ring = self.ring
        x = ring.plus(ring.times(a[0], b[0]), ring.negated(ring.times(a[1], b[1])))
        return x, ring.plus(ring.times(a[1], b[0]), ring.times(a[0], b[1]))

    def _twelfths(self, count: int) -> tuple[Form, Form]:
        """Cosine and sine of a multiple of π/12 = π/3 − π/4."""
        half, two, three = (
            self.number(Fraction(1, 2)),
            *(self._root(self.number(Fraction(n)), Fraction(1, 2)) for n in (2, 3)),
        )
        diagonal = self.ring.times(half, two)
        third = half, self.ring.times(half, three)
        step = self._turned(third, (diagonal, self.ring.negated(diagonal)))
        found = UNIT, self.number(Fraction(0))
        for _ in range(count % 24):
            found = self._turned(found, step)
        return found

    def _hyperbolic(self, name: str, of: Form) -> Form:
        ring, half = self.ring, self.number(Fraction(1, 2))
        up, down = self._exponential(of), self._exponential(ring.negated(of))
        sine = ring.times(half, ring.plus(up, ring.negated(down)))
        cosine = ring.times(half, ring.plus(up, down))
        return sine if name == "sinh" else cosine if name == "cosh" else ring.over(sine, cosine)

    # ── Inverse functions ────────────────────────────────────────────────────────────────────────────────────

    def _inverse(self, name: str, of: Form) -> Form:
        """An inverse circular or hyperbolic function, where it has a value."""
        ring = self.ring
        match name:
            case "acos":
                return ring.plus(self._twelfths_of_pi(6), ring.negated(self._arc("asin", of)))
            case "asin" | "atan":
                return self._arc(name, of)
            case "atanh":
                quotient = ring.over(ring.plus(UNIT, of), ring.plus(UNIT, ring.negated(of)))
                return ring.times(self.number(Fraction(1, 2)), self._logarithm(quotient))
            case _:
                square = ring.plus(ring.times(of, of), UNIT if name == "asinh" else ring.negated(UNIT))
                return self._logarithm(ring.plus(of, self._root(square, Fraction(1, 2))))

    def _arc(self, name: str, of: Form) -> Form:
        """An arc sine or arc tangent: a multiple of π/12 where that is known; odd."""
        if not is_constant(of.below) or self._is_number(of):
            for count in range(-5, 6) if name == "atan" else range(-6, 7):
                x, y = self._twelfths(count)
                if self.ring.same(of, y if name == "asin" else self.ring.over(y, x)):
                    return self._twelfths_of_pi(count)
        whole = self._canonical(of)
        if whole.above[min(whole.above)] < 0:
            return self.ring.negated(self._atom((name, self._canonical(self.ring.negated(whole)).key)))
        return self._atom((name, whole.key))

    def _is_number(self, of: Form) -> bool:
        return all(
            self._is_number_root(atom) for part in of.key for monomial, _ in part for atom, _ in monomial
        )

    def _is_number_root(self, atom: int) -> bool:
        key = self._keys[atom]
        return isinstance(key, tuple) and key[0] == "root" and isinstance(key[1], int)

    def _twelfths_of_pi(self, count: int) -> Form:
        return self.ring.times(self.number(Fraction(count, 12)), self._pi())
