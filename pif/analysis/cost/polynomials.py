"""Polynomials with no negative coefficient over the sizes of an input: what bounds of costs are made of.

Sizes are no less than 0, so that a polynomial grows with each of them: putting larger sizes in gives an upper bound,
smaller ones a lower bound, and the larger (smaller) of each two coefficients bounds the larger (smaller) polynomial.

A symbol is a size by its name, or a `Charge`: what the size of integers adds to the charge of an operation, which is
no polynomial in them. `w(m)`: limbs of m / 4; `p(m, k)`: product of the limbs / 4; `h(m)`: limbs / 2, for `range`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil

import msgspec

from pif.language import primitives as table
from pif.language.budget import INTEGER_BITS

__all__ = [
    "ONE",
    "ZERO",
    "Charge",
    "Polynomial",
    "TooLarge",
    "charge_of",
    "constant",
    "larger",
    "smaller",
    "symbol",
]

_TERMS = 30
_DEGREE = 8


class TooLarge(Exception):
    """A polynomial has more terms or a higher degree than anyone would read."""


class Charge(msgspec.Struct, frozen=True):
    """The charge for integers up to some magnitude; None is one of which nothing is known but the limit."""

    kind: str
    magnitudes: tuple[Polynomial | None, ...]

    def __str__(self) -> str:
        return f"{self.kind}({', '.join('…' if part is None else str(part) for part in self.magnitudes)})"

    def value(self, sizes: Mapping[str, int]) -> Fraction:
        """The charge for these sizes."""
        limbs = [
            table.limbs((1 << INTEGER_BITS) - 1)
            if part is None
            else min(table.limbs(ceil(part.value(sizes))), table.limbs((1 << INTEGER_BITS) - 1))
            for part in self.magnitudes
        ]
        match self.kind:
            case "w":
                return Fraction(max(limbs) >> 2)
            case "p":
                return Fraction((limbs[0] * limbs[1]) >> 2)
            case _:
                return Fraction(max(limbs) >> 1)


Symbol = str | Charge
Monomial = tuple[tuple[Symbol, int], ...]


class Polynomial:
    """Coefficients by monomials; a monomial lists its symbols with their powers, in order of their names."""

    __slots__ = ("terms",)

    def __init__(self, terms: dict[Monomial, Fraction]) -> None:
        self.terms = {monomial: number for monomial, number in terms.items() if number}
        if len(self.terms) > _TERMS or any(_degree(monomial) > _DEGREE for monomial in self.terms):
            raise TooLarge

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, number in other.terms.items():
            terms[monomial] = terms.get(monomial, Fraction()) + number
        return Polynomial(terms)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, Fraction] = {}
        for left, number in self.terms.items():
            for right, factor in other.terms.items():
                monomial = _product(left, right)
                terms[monomial] = terms.get(monomial, Fraction()) + number * factor
        return Polynomial(terms)

    def times(self, number: int | Fraction) -> Polynomial:
        return Polynomial({monomial: own * number for monomial, own in self.terms.items()})

    def less(self, number: int) -> Polynomial:
        """The polynomial less a number, as far as its constant goes: no more than that is subtracted."""
        left = max(Fraction(), self.terms.get((), Fraction()) - number)
        return Polynomial({**self.terms, (): left})

    @property
    def number(self) -> Fraction | None:
        """Its value where it depends on no size."""
        if any(self.terms):
            return None
        return self.terms.get((), Fraction())

    def without(self, name: str) -> Polynomial:
        """The terms in which a size does not stand."""
        return Polynomial(
            {monomial: number for monomial, number in self.terms.items() if name not in _names(monomial)}
        )

    def names(self) -> set[str]:
        """The sizes in it, those inside charges too."""
        return set().union(*(_names(monomial) for monomial in self.terms))

    def put(self, values: Mapping[str, Polynomial | None]) -> Polynomial | None:
        """With polynomials for sizes; None where one that counts is unbounded."""
        total = ZERO
        for monomial, number in self.terms.items():
            product: Polynomial | None = constant(number)
            for part, power in monomial:
                factor = _put(part, values)
                for _ in range(power):
                    product = None if product is None or factor is None else product * factor
            if product is None:
                return None
            total = total + product
        return total

    def value(self, sizes: Mapping[str, int]) -> Fraction:
        """The number for these sizes."""
        total = Fraction()
        for monomial, number in self.terms.items():
            for part, power in monomial:
                number *= (part.value(sizes) if isinstance(part, Charge) else sizes[part]) ** power
            total += number
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        ordered = sorted(self.terms.items(), key=lambda term: (-_degree(term[0]), str(_text(term[0]))))
        return " + ".join(_term(monomial, number) for monomial, number in ordered) or "0"


def _degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def _names(monomial: Monomial) -> set[str]:
    found: set[str] = set()
    for part, _ in monomial:
        if isinstance(part, Charge):
            found.update(*(inner.names() for inner in part.magnitudes if inner is not None))
        else:
            found.add(part)
    return found


def _product(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for part, power in right:
        powers[part] = powers.get(part, 0) + power
    return tuple(sorted(powers.items(), key=lambda pair: str(pair[0])))


def _put(part: Symbol, values: Mapping[str, Polynomial | None]) -> Polynomial | None:
    if isinstance(part, Charge):
        return charge_of(
            part.kind, *(None if inner is None else inner.put(values) for inner in part.magnitudes)
        )
    return values[part] if part in values else symbol(part)


def _text(monomial: Monomial) -> str:
    powers = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    return "·".join(f"{part}{powers[power] if power > 1 else ''}" for part, power in monomial)


def _term(monomial: Monomial, number: Fraction) -> str:
    text = _text(monomial)
    if not text:
        return str(number)
    over = "" if number.denominator == 1 else f"/{number.denominator}"
    return (text if number.numerator == 1 else f"{number.numerator}·{text}") + over


def constant(number: int | Fraction) -> Polynomial:
    return Polynomial({(): Fraction(number)})


def symbol(name: str) -> Polynomial:
    return Polynomial({((name, 1),): Fraction(1)})


ZERO = constant(0)
ONE = constant(1)


def charge_of(kind: str, *magnitudes: Polynomial | None) -> Polynomial:
    """A charge for integers of these magnitudes: a number where they are known."""
    charge = Charge(kind, magnitudes)
    if all(part is None or part.number is not None for part in magnitudes):
        return constant(charge.value({}))
    return Polynomial({((charge, 1),): Fraction(1)})


def larger(left: Polynomial, right: Polynomial) -> Polynomial:
    """No less than either."""
    return _by(max, left, right)


def smaller(left: Polynomial, right: Polynomial) -> Polynomial:
    """No more than either."""
    return _by(min, left, right)


def _by(choose: Callable[[Fraction, Fraction], Fraction], left: Polynomial, right: Polynomial) -> Polynomial:
    none = Fraction()
    return Polynomial({
        monomial: choose(left.terms.get(monomial, none), right.terms.get(monomial, none))
        for monomial in {**left.terms, **right.terms}
    })  # fmt: skip
