"""Real terms between rationals: comparisons of irrational numbers, decided by bounds and never by a float.

`Encloser.of` is the only place where a value that is not known exactly takes part in a truth.  Bounds are rationals, every
operation is rounded outwards, and what is not covered has no enclosure.

Invariants
    * A term with an enclosure has a value, and the value lies in it.  So where a logarithm, a root or a quotient is not
      shown to be defined, nothing is said.
    * Two numbers are shown equal only where both are known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from kleis import core
from kleis.core.traversal import subterms
from kleis.semantics.elementary_bounds import Elementary
from kleis.semantics.rational_bounds import Enclosure, NotEnclosed
from kleis.semantics.real_functions import FUNCTIONS, applied
from kleis.semantics.truth import FALSE, OPEN, TRUE, UNDEFINED, Truth

__all__ = ["MOST_PRECISION", "ORDERS", "PRECISION", "Encloser", "compared", "mentions_irrationals"]

ORDERS = frozenset({"less_than", "leq", "greater_than", "geq", "equals"})

PRECISION = 128
"""Significant binary digits of bounds, where nothing else is asked for."""

MOST_PRECISION = 4_096

_DEPTH = 200

_ARITHMETIC = frozenset({"plus", "minus", "negate", "times", "divide", "abs", "min", "max"})
_IRRATIONAL = frozenset(FUNCTIONS) - _ARITHMETIC

Values: TypeAlias = Mapping[str, Any]
"""The values of variables by name, as the evaluator has them; `OPEN` where a value is not known exactly."""


def compared(order: str, left: Enclosure, right: Enclosure) -> Truth:
    """Whether two numbers are in an order, where their enclosures tell."""
    if order in ("greater_than", "geq"):
        order, left, right = ("less_than" if order == "greater_than" else "leq"), right, left
    if order == "less_than":
        return TRUE if left[1] < right[0] else FALSE if left[0] >= right[1] else OPEN
    if order == "leq":
        return TRUE if left[1] <= right[0] else FALSE if left[0] > right[1] else OPEN
    if left[1] < right[0] or right[1] < left[0]:
        return FALSE
    return TRUE if left[0] == left[1] == right[0] == right[1] else OPEN


def mentions_irrationals(*terms: core.Term) -> bool:
    """Whether terms, definitions that they call aside, have operations whose values only enclosures know."""
    return any(
        isinstance(each, core.DefinitionCall)
        or (isinstance(each, core.BuiltinCall) and each.operation.name in _IRRATIONAL)
        for each in subterms(*terms)
    )


class Encloser:
    """The enclosures of terms at one precision.

    `value` gives the exact outcome of a term, if there is one; `definition` the definition of a key, if it is one whose
    calls mean its body everywhere.
    """

    def __init__(
        self,
        precision: int,
        charge: Callable[[int], None],
        value: Callable[[core.Term, Values], object],
        definition: Callable[[str], core.Definition | None],
    ) -> None:
        self._charge = charge
        self._elementary = Elementary(precision, charge)
        self._value = value
        self._definition = definition

    def of(self, term: core.Term, values: Values) -> Enclosure | None:
        """Rationals that a real term lies between, or None."""
        try:
            return self._of(term, values, {}, _DEPTH)
        except NotEnclosed:
            return None

    def _of(self, term: core.Term, values: Values, known: Mapping[str, Enclosure], depth: int) -> Enclosure:
        """The enclosure of a term, of whose variables some have values and others enclosures."""
        self._charge(1)
        if depth == 0 or not _is_real(term.sort):
            raise NotEnclosed
        match term:
            case core.Variable(name=name) if values.get(name) is OPEN and name in known:
                return known[name]
            case core.Coercion(term=part) if _is_real(part.sort):
                return self._of(part, values, known, depth - 1)
            case core.BuiltinCall(operation=operation, arguments=parts) if term.sort == core.REAL:
                if operation.name in _ARITHMETIC:
                    return applied(self._elementary, operation.name, *self._all(parts, values, known, depth))
                exact = self._exact(term, values)
                if exact is None and operation.name in FUNCTIONS:
                    return applied(self._elementary, operation.name, *self._all(parts, values, known, depth))
            case core.DefinitionCall(definition=key, arguments=parts):
                exact = self._exact(term, values)
                definition = self._definition(key)
                if exact is None and definition is not None:
                    inner = self._bound(definition.parameters, parts, values, known, depth)
                    return self._of(definition.body, *inner, depth - 1)
            case core.Let(variable=variable, value=part, body=body):
                bound = self._bound((variable,), (part,), values, known, depth)
                return self._of(body, {**values, **bound[0]}, {**known, **bound[1]}, depth - 1)
            case core.Conditional(condition=condition, consequent=first, alternative=second):
                truth = self._truth(condition, values, known, depth)
                if truth is TRUE or truth is FALSE:
                    return self._of(first if truth is TRUE else second, values, known, depth - 1)
                raise NotEnclosed
            case _:
                exact = self._exact(term, values)
        if exact is None:
            raise NotEnclosed
        return exact

    def _all(
        self, terms: tuple[core.Term, ...], values: Values, known: Mapping[str, Enclosure], depth: int
    ) -> list[Enclosure]:
        return [self._of(each, values, known, depth - 1) for each in terms]

    def _bound(
        self,
        variables: tuple[core.Variable, ...],
        terms: tuple[core.Term, ...],
        values: Values,
        known: Mapping[str, Enclosure],
        depth: int,
    ) -> tuple[Values, Mapping[str, Enclosure]]:
        """What variables stand for whose values are these terms: calls are strict, so each has to have one."""
        exact: dict[str, object] = {}
        between: dict[str, Enclosure] = {}
        for variable, term in zip(variables, terms, strict=True):
            found = self._value(term, values)
            if found is UNDEFINED:
                raise NotEnclosed
            if found is TRUE or found is FALSE:
                found = found is TRUE
            elif isinstance(found, Truth):
                between[variable.name] = self._of(term, values, known, depth - 1)
                found = OPEN
            exact[variable.name] = found
        return exact, between

    def _truth(
        self, condition: core.Term, values: Values, known: Mapping[str, Enclosure], depth: int
    ) -> object:
        """The truth of a condition, where it is known or compares two numbers that have enclosures."""
        match condition:
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in ORDERS:
                order, sides = operation.name, (left, right)
            case core.Equals(left=left, right=right):
                order, sides = "equals", (left, right)
            case _:
                return self._value(condition, values)
        if not all(_is_real(each.sort) for each in sides):
            return self._value(condition, values)
        return compared(order, *self._all(sides, values, known, depth))

    def _exact(self, term: core.Term, values: Values) -> Enclosure | None:
        found = self._value(term, values)
        if isinstance(found, int | Fraction) and not isinstance(found, bool):
            return (Fraction(found), Fraction(found))
        return None


def _is_real(sort: core.Sort) -> bool:
    return isinstance(sort, core.Numeric) and sort != core.COMPLEX
