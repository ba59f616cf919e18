"""Forms of the rule `identity` at points: what their atoms mean, worked out from the keys of these alone.

A form that is the form of a term has its value, wherever what it asks for holds.  So every law that made it is tried, whether
or not another term has the same form.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.rules.list_forms import Lists
from kleis.prover.checker.rules.matrix_forms import Matrices
from kleis.prover.checker.rules.normal_forms import Forms, Refined
from kleis.prover.checker.rules.polynomials import Form, Monomial, Ring
from kleis.prover.checker.sequent import NotExpressible
from tests.support.claims.inexact import (
    Inexact,
    NotClear,
    Real,
    absolute,
    function,
    over,
    power,
    times,
    total,
)

__all__ = ["form_of", "random_number", "value_of_form"]

_STEPS = 40_000
_ANGLES = 1e4
"""Larger ones are not known well enough in floating point."""


def form_of(goal: Goal, term: core.Term) -> tuple[Forms, Form]:
    """A term's form, as `asked_for` makes it; `NotExpressible` where there is none."""
    parts: dict[Hashable, int] = {}
    for _ in range(12):
        forms = Forms(goal, Ring(_STEPS), parts)
        Matrices(forms)
        Lists(forms, goal)
        try:
            return forms, forms.of(term)
        except Refined:
            continue
    raise NotExpressible("angles of too many parts")


def value_of_form(forms: Forms, form: Form, at: Mapping[str, Any]) -> Real:
    """The value of a form where its unknowns have values; `NotClear`, or `NoValue`."""
    return _Values(forms, at).of(form.above, form.below)


_Parts = Mapping[Monomial, Fraction] | Iterable[tuple[Monomial, Fraction]]


class _Values:
    def __init__(self, forms: Forms, at: Mapping[str, Any]) -> None:
        self._forms = forms
        self._at = at
        self._known: dict[int, Real] = {}

    def of(self, above: _Parts, below: _Parts) -> Real:
        return over(self._sum(above), self._sum(below))

    def _sum(self, polynomial: _Parts) -> Real:
        found: Real = Fraction(0)
        for monomial, coefficient in polynomial.items() if isinstance(polynomial, Mapping) else polynomial:
            found = total(found, times(coefficient, self._product(monomial)))
        return found

    def _product(self, monomial: Monomial) -> Real:
        found: Real = Fraction(1)
        for atom, exponent in monomial:
            found = times(found, power(self._atom(atom), Fraction(exponent)))
        return found

    def _atom(self, atom: int) -> Real:
        if atom not in self._known:
            self._known[atom] = self._meaning(self._forms._keys[atom])
        return self._known[atom]

    def _share(self, key: Hashable) -> Fraction:
        return Fraction(1, self._forms._parts.get(key, 1))

    def _meaning(self, key: Any) -> Real:
        match key:
            case "pi":
                return Inexact(math.pi, 1e-15)
            case ("variable", name):
                found: Real = self._at[name]
                return found
            case ("cos" | "sin" as name, monomial):
                angle = times(self._product(monomial), self._share(("angle", monomial)))
                if isinstance(angle, Inexact) and abs(angle.value) > _ANGLES:
                    raise NotClear
                return function(getattr(math, name), angle)
            case ("root", int() as prime):
                return power(Fraction(prime), self._share(key))
            case ("root", base):
                return power(self._sum(base), self._share(key))
            case ("power", base, monomial):
                return power(self._base(base), times(self._product(monomial), self._share(key)))
            case ("ln" | "asin" | "atan" as name, (above, below)):
                return function(math.log if name == "ln" else getattr(math, name), self.of(above, below))
            case ("abs", base):
                return absolute(self._sum(base))
            case ("quotient", monomial, below):
                return over(self._product(monomial), self._sum(below))
            case ("base", (above, below)):
                return self.of(above, below)
        raise NotClear

    def _base(self, base: Any) -> Real:
        if base == "e":
            return Inexact(math.e, 1e-15)
        return self._atom(base[1]) if isinstance(base, tuple) else Fraction(base)


# ── Terms made at random ─────────────────────────────────────────────────────────────────────────────────────

_LEAVES = (
    "x",
    "x",
    "y",
    "y",
    "n",
    "m",
    "k",
    "π",
    "0",
    "1",
    "2",
    "3",
    "(-1)",
    "(-2)",
    "(1/2)",
    "(1/3)",
    "(3/2)",
)
_OF_TWO = (
    "({} + {})",
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} * {})",
    "({} / {})",
    "sum([{}, {}])",
    "fst(({}, {}))",
    "snd(({}, {}))",
    "sum(map(λ p . fst(p) * snd(p), zip([{0}, {1}], [{1}, {0}])))",
    "sum(vec_add([{0}, {1}], [{1}, 1]))",
    "(length([{}]) * {})",
    "(let z = {} in {})",
    "det(matrix([[{0}, {1}], [1, {0}]]))",
    "trace(matrix([[{0}, 1], [{1}, 2]]) * matrix([[{1}, 0], [3, {0}]]))",
)
_OF_ONE = (
    *(
        f"{each}({{}})"
        for each in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
            *("exp", "ln", "log2", "sqrt", "abs", "sqrt", "asin", "atan"),
        )
    ),
    "(-({}))",
    "({})^2",
    *(f"({{}})^({each})" for each in ("0", "1", "3", "-1", "-2", "1/2", "1/3", "2/3", "3/2", "-1/2")),
    *(f"({{}})^({each})" for each in ("n", "m", "n + m", "2 * n", "n * m", "k", "n - k", "k + 1", "-k", "x")),
)


def random_number(random: Random, depth: int) -> str:
    """A term over x, y : ℝ, n, m : ℕ and k : ℤ, nested as deep."""
    if depth < 1 or random.random() < 0.12:
        return random.choice(_LEAVES)
    if random.random() < 0.5:
        return random.choice(_OF_TWO).format(
            random_number(random, depth - 1), random_number(random, depth - 1)
        )
    return random.choice(_OF_ONE).format(random_number(random, depth - 1))
