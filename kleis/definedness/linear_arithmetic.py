"""Linear arithmetic, small and sound: is a set of facts impossible?

Fourier–Motzkin elimination over the rationals, with the bounds of integer unknowns rounded, and a search through
alternatives.

Invariants
    * `impossible` answers True only if no values of the unknowns (integers where `Unknowns` says so, else real
      numbers) satisfy all facts.  False means "possible, or too much work": callers may rely on True alone.
    * The work is bounded by `_BRANCHES` and `_CONSTRAINTS`, whatever the facts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

import msgspec

__all__ = [
    "IMPOSSIBLE",
    "TRIVIAL",
    "All",
    "Any",
    "AtLeast",
    "Fact",
    "Linear",
    "Unknowns",
    "impossible",
    "negated",
]

_BRANCHES = 300
_CONSTRAINTS = 150


class Linear(msgspec.Struct, frozen=True):
    """A sum of unknowns (by number) with coefficients that are not 0, sorted, and a constant."""

    terms: tuple[tuple[int, Fraction], ...]
    constant: Fraction

    @staticmethod
    def of(coefficients: Mapping[int, Fraction], constant: Fraction) -> Linear:
        """The normal form."""
        return Linear(tuple(sorted((key, value) for key, value in coefficients.items() if value)), constant)

    @staticmethod
    def number(value: int | Fraction) -> Linear:
        """A constant."""
        return Linear((), Fraction(value))

    @property
    def is_constant(self) -> bool:
        """Whether no unknown occurs."""
        return not self.terms

    def plus(self, other: Linear, factor: Fraction | int = 1) -> Linear:
        """self + factor · other"""
        total = dict(self.terms)
        for key, value in other.terms:
            total[key] = total.get(key, Fraction(0)) + factor * value
        return Linear.of(total, self.constant + factor * other.constant)

    def minus(self, other: Linear) -> Linear:
        """self - other"""
        return self.plus(other, -1)

    def scaled(self, factor: Fraction | int) -> Linear:
        """factor · self"""
        return Linear.of({key: factor * value for key, value in self.terms}, factor * self.constant)

    def shifted(self, amount: Fraction | int) -> Linear:
        """self + amount"""
        return Linear(self.terms, self.constant + amount)


class AtLeast(msgspec.Struct, frozen=True):
    """``form ≥ 0``, or ``form > 0`` where `strict`."""

    form: Linear
    strict: bool = False


class All(msgspec.Struct, frozen=True):
    """All of the facts hold."""

    facts: tuple[Fact, ...]


class Any(msgspec.Struct, frozen=True):
    """One of the facts holds at least."""

    facts: tuple[Fact, ...]


Fact: TypeAlias = AtLeast | All | Any

TRIVIAL = All(())
"""A fact that says nothing."""

IMPOSSIBLE = Any(())
"""A fact that never holds."""


class Unknowns:
    """The numbers of unknowns, by what they stand for, and which of them are integers."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._integral: set[int] = set()

    def unknown(self, key: Hashable, *, integral: bool) -> Linear:
        """The unknown for a key, as a linear form; equal keys are one unknown."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
            if integral:
                self._integral.add(number)
        return Linear(((number, Fraction(1)),), Fraction(0))

    def key(self, number: int) -> Hashable:
        """What an unknown stands for."""
        return self._keys[number]

    def integral(self, form: Linear) -> bool:
        """Whether all unknowns of a form are integers."""
        return all(number in self._integral for number, _ in form.terms)

    def whole(self, form: Linear) -> bool:
        """Whether the values of a form are integers."""
        whole = all(value.denominator == 1 for _, value in form.terms) and form.constant.denominator == 1
        return whole and self.integral(form)


def negated(fact: AtLeast) -> AtLeast:
    """The fact that holds exactly where this one does not."""
    return AtLeast(fact.form.scaled(-1), not fact.strict)


def impossible(facts: Iterable[Fact], unknowns: Unknowns) -> bool:
    """Whether the facts are shown to hold for no values."""
    return _Search(unknowns).closed((), tuple(facts))


class _Search:
    """One walk through the alternatives, with its budget."""

    def __init__(self, unknowns: Unknowns) -> None:
        self._unknowns = unknowns
        self._left = _BRANCHES

    def closed(self, known: tuple[AtLeast, ...], facts: tuple[Fact, ...]) -> bool:
        """Whether every choice among the alternatives is impossible."""
        if self._left <= 0:
            return False
        self._left -= 1
        simple: dict[AtLeast, None] = dict.fromkeys(known)
        choices: list[Any] = []
        waiting = list(reversed(facts))
        while waiting:
            fact = waiting.pop()
            match fact:
                case AtLeast():
                    simple[self._rounded(fact)] = None
                case All(facts=inner):
                    waiting.extend(reversed(inner))
                case Any(facts=()):
                    return True
                case Any():
                    if fact not in choices:
                        choices.append(fact)
        known = tuple(simple)
        if self._contradictory(known):
            return True
        if not choices:
            return False
        chosen = min(choices, key=lambda choice: len(choice.facts))
        others = tuple(choice for choice in choices if choice is not chosen)
        return all(self.closed(known, (option, *others)) for option in chosen.facts)

    def _rounded(self, fact: AtLeast) -> AtLeast:
        """An equivalent fact with coprime whole coefficients; for integers not strict and as tight as it can be."""
        form = fact.form
        if not form.terms:
            return fact
        scale = Fraction(lcm(*(value.denominator for _, value in form.terms)))
        scale /= gcd(*(int(value * scale) for _, value in form.terms))
        form = form.scaled(scale)
        if not self._unknowns.integral(form):
            return AtLeast(form, fact.strict)
        constant = form.constant
        if fact.strict and constant.denominator == 1:
            constant -= 1
        floor = Fraction(constant.numerator // constant.denominator)
        return AtLeast(Linear(form.terms, floor))

    def _contradictory(self, facts: tuple[AtLeast, ...]) -> bool:
        remaining: list[AtLeast] | None = _tightest(facts)
        while remaining is not None:
            if any(_never(fact) for fact in remaining):
                return True
            remaining = [fact for fact in remaining if fact.form.terms]
            if not remaining:
                return False
            remaining = self._without_one(remaining)
        return False

    def _without_one(self, facts: list[AtLeast]) -> list[AtLeast] | None:
        """The facts with one unknown eliminated: the one that costs least; None if they are too many."""
        above: dict[int, int] = {}
        below: dict[int, int] = {}
        for fact in facts:
            for number, value in fact.form.terms:
                side = above if value > 0 else below
                side[number] = side.get(number, 0) + 1
        numbers = sorted(set(above) | set(below))
        number = min(numbers, key=lambda each: above.get(each, 0) * below.get(each, 0))
        lower: list[tuple[Fraction, AtLeast]] = []
        upper: list[tuple[Fraction, AtLeast]] = []
        kept: list[AtLeast] = []
        for fact in facts:
            value = dict(fact.form.terms).get(number, Fraction(0))
            if value:
                (lower if value > 0 else upper).append((value, fact))
            else:
                kept.append(fact)
        for up, first in lower:
            for down, second in upper:
                form = first.form.scaled(-down).plus(second.form, up)
                kept.append(self._rounded(AtLeast(form, first.strict or second.strict)))
        kept = _tightest(kept)
        return kept if len(kept) <= _CONSTRAINTS else None


def _never(fact: AtLeast) -> bool:
    form = fact.form
    return not form.terms and (form.constant < 0 or (fact.strict and form.constant == 0))


def _tightest(facts: Iterable[AtLeast]) -> list[AtLeast]:
    """One fact for each left-hand side: the one that implies the others."""
    best: dict[tuple[tuple[int, Fraction], ...], AtLeast] = {}
    for fact in facts:
        other = best.get(fact.form.terms)
        if other is None or (fact.form.constant, not fact.strict) < (other.form.constant, not other.strict):
            best[fact.form.terms] = fact
    return list(best.values())
