"""What forms are made of: numbers, atoms by number, and what has to hold for them.

An atom is what no law takes apart: an unknown, the sine of an angle, a root, a power.  `obligations` grows with the
conditions under which equal forms are equal terms; one that plainly holds is left out.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from fractions import Fraction
from math import lcm

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.rules.polynomials import ONE, Form, Monomial, Ring, constant, is_constant
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["EULER", "UNIT", "Atoms", "Refined", "is_number", "order", "written", "zero"]

UNIT: Form = Form(ONE, ONE)
"""The number 1."""

EULER: Hashable = "e"
"""The base of exponentials, in keys of atoms."""


class Refined(Exception):
    """An angle or exponent turned out to be a part of what was reckoned with: everything is computed again."""


def is_number(sort: core.Sort) -> bool:
    """Whether a sort is one of the sets of real numbers."""
    return isinstance(sort, core.Numeric) and sort != core.COMPLEX


class Atoms(ABC):
    """The atoms of forms.  `parts` says into how many parts angles and exponents are divided; it is kept where the same is
    computed again."""

    def __init__(self, goal: Goal, ring: Ring, parts: dict[Hashable, int]) -> None:
        self.ring = ring
        self.obligations: dict[core.Term, None] = {}
        self._goal = goal
        self._parts = parts
        self._atoms: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._terms: dict[int, core.Term] = {}

    @abstractmethod
    def of(self, term: core.Term) -> Form:
        """The form of a numerical term; `NotExpressible` where it takes too many steps."""

    def number(self, value: Fraction | int) -> Form:
        """A number."""
        return Form(constant(value), ONE)

    def _index(self, key: Hashable) -> int:
        if key not in self._atoms:
            self._atoms[key] = len(self._keys)
            self._keys.append(key)
        return self._atoms[key]

    def _atom(self, key: Hashable, term: core.Term | None = None) -> Form:
        index = self._index(key)
        if term is not None:
            self._terms.setdefault(index, term)
        return self._monomial(((index, 1),))

    def named(self, key: Hashable) -> Form:
        """An atom that no other term is."""
        return self._atom(("named", key))

    def entry(self, matrix: core.Term, row: int, column: int) -> Form:
        """An entry of an unknown matrix."""
        return self._atom(("entry", matrix, row, column))

    def variable(self, atom: int) -> str:
        """The name of the variable that an atom is; empty if it is none."""
        key = self._keys[atom]
        return str(key[1]) if isinstance(key, tuple) and key[0] == "variable" else ""

    def _monomial(self, monomial: Monomial, coefficient: Fraction | int = 1) -> Form:
        return Form(self.ring.reduced({monomial: Fraction(coefficient)}), ONE)

    def needed(self, formula: core.Term) -> None:
        """Something that has to hold, unless it is a comparison of numbers that does, or of a product with 0."""
        if self._holds(formula) or self._is_never_zero(formula):
            return
        for each in self._nonzero_bases(formula) or [formula]:
            self.obligations.setdefault(each)

    def _nonzero_bases(self, formula: core.Term) -> list[core.Term]:
        """What suffices for a product of powers with unknown exponents not to be 0: that no base is; else nothing."""
        match formula:
            case core.Connective(name="not", arguments=(core.Equals(left=left, right=right),)):
                if written(right) != 0 or not is_number(left.sort):
                    return []
            case _:
                return []
        form = self.of(left)
        if len(form.above) != 1:
            return []
        ((monomial, _),) = form.above.items()
        keys = [(atom, self._keys[atom]) for atom, _ in monomial if atom not in self.ring.units]
        bases = [
            key[1][1] if isinstance(key, tuple) and key[0] == "power" and isinstance(key[1], tuple) else None
            for _, key in keys
        ]
        if not any(each is not None for each in bases):
            return []
        atoms = [atom if base is None else base for (atom, _), base in zip(keys, bases, strict=True)]
        nothing = zero(core.REAL)
        return [
            core.Connective("not", (core.Equals(self._term(each), nothing),)) for each in dict.fromkeys(atoms)
        ]

    def _is_never_zero(self, formula: core.Term) -> bool:
        """Whether a formula says that a product of what is never 0 is not 0, or that one of positive numbers is positive."""
        match formula:
            case core.Connective(name="not", arguments=(core.Equals(left=left, right=right),)):
                positive = False
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in (
                "greater_than",
                "geq",
            ):
                positive = True
            case _:
                return False
        if written(right) != 0 or not is_number(left.sort):
            return False
        form = self.of(left)
        for part in (form.above, form.below):
            if len(part) != 1:
                return False
            ((monomial, coefficient),) = part.items()
            if positive and not (
                coefficient > 0 and all(self._is_positive_atom(atom) for atom, _ in monomial)
            ):
                return False
            if not all(atom in self.ring.units or self._is_positive_atom(atom) for atom, _ in monomial):
                return False
        return True

    def _is_positive_atom(self, atom: int) -> bool:
        key = self._keys[atom]
        return isinstance(key, tuple) and key[0] in ("power", "root") and self._is_positive(key[1])

    def _holds(self, formula: core.Term) -> bool:
        match formula:
            case core.Connective(name="not", arguments=(core.Equals(left=left, right=right),)):
                sides = (left, right)
                test: Callable[[Fraction, Fraction], bool] = operator.ne
            case core.Connective(name="or", arguments=arguments):
                return any(map(self._holds, arguments))
            case core.Connective(name="and", arguments=arguments):
                return all(map(self._holds, arguments))
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in _TESTS:
                sides, test = (left, right), _TESTS[operation.name]
            case _:
                return False
        found = [written(each) for each in sides]
        return all(each is not None for each in found) and test(*(each for each in found if each is not None))

    def _canonical(self, form: Form) -> Form:
        """The form with 1 as the first coefficient below, where it is not a polynomial."""
        leading = form.below[min(form.below)]
        return Form(self.ring.scaled(form.above, 1 / leading), self.ring.scaled(form.below, 1 / leading))

    def _linear(self, form: Form) -> dict[Monomial, Fraction]:
        """A form as a sum of multiples of monomials; those of a quotient are atoms of their own."""
        if is_constant(form.below):
            return dict(self.ring.scaled(form.above, 1 / form.below[()]))
        whole = self._canonical(form)
        below = frozenset(whole.below.items())
        return {
            ((self._index(("quotient", monomial, below)), 1),): coefficient
            for monomial, coefficient in whole.above.items()
        }

    def _count(self, key: Hashable, coefficient: Fraction) -> int:
        """How many of the smallest parts of something a multiple of it is."""
        parts = self._parts.get(key, 1)
        if (coefficient * parts).denominator != 1:
            self._parts[key] = lcm(parts, coefficient.denominator)
            raise Refined
        return int(coefficient * parts)

    def _term(self, atom: int) -> core.Term:
        """An unknown as a real number."""
        if atom not in self._terms:
            raise NotExpressible("a condition on what no part of the claim is")
        term = self._terms[atom]
        return term if term.sort == core.REAL else core.Coercion(term, core.REAL)

    def _is_positive(self, base: Hashable) -> bool:
        return base == EULER or (isinstance(base, int) and base > 0)


_TESTS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "less_than": operator.lt,
    "leq": operator.le,
    "greater_than": operator.gt,
    "geq": operator.ge,
}


def written(term: core.Term) -> Fraction | None:
    """The number that a term writes."""
    match term:
        case core.LiteralTerm(value=value) if not isinstance(value, bool | str):
            return Fraction(value)
        case core.Coercion(term=part):
            return written(part)
        case core.BuiltinCall(operation=operation, arguments=(part,)) if operation.name == "negate":
            inner = written(part)
            return None if inner is None else -inner
    return None


def zero(sort: core.Sort) -> core.Term:
    zero = core.LiteralTerm(0, core.NATURAL)
    return zero if sort == core.NATURAL else core.Coercion(zero, sort)


def order(name: str, left: core.Term, right: core.Term) -> core.Term:
    parameters = (core.Variable("a", left.sort), core.Variable("b", right.sort))
    return core.BuiltinCall(core.Operation(name, parameters, core.BOOL), (left, right))
