"""Equality of values in the reference semantics.

Equality is structural; the value model is described in kleis/semantics/ranges.py.  Two kinds of value are not decided by
comparing finitely many parts: functions are equal if they agree everywhere, which is a quantifier; and regular
expressions are equal if their languages are, of which it is only known that it holds where they are built alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis.builtins.row import Context
from kleis.core import Sort
from kleis.semantics.ranges import Function, Outcome, Ranges
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth, conjunction, strict_equality, truth_of
from kleis.values import Data, ListValue, SetValue, Value, equal, is_number, leaves_of
from kleis.values.equality import SIMPLE

__all__ = ["Comparison", "entries", "known"]


class Comparison:
    """Equality under given ranges: `one_sided` if a quantifier means its sort, otherwise it means its range."""

    def __init__(self, ranges: Ranges, context: Context, *, one_sided: bool) -> None:
        self._ranges = ranges
        self._context = context
        self._one_sided = one_sided

    def points(self, sorts: tuple[Sort, ...]) -> tuple[Iterator[tuple[Value, ...]], bool]:
        """The combinations of values that a quantifier tries, and whether these are all it ranges over."""
        if self._one_sided:
            return self._ranges.points(sorts, self._ranges.bounds.points)
        return self._ranges.points(sorts)[0], True

    def same(self, left: Outcome, right: Outcome) -> Truth:
        """Strict equality of two outcomes."""
        if isinstance(left, Truth) and isinstance(right, Truth):
            return strict_equality(left, right)
        if isinstance(left, Truth):
            return left
        return right if isinstance(right, Truth) else self.equal(left, right)

    def equal(self, left: Value, right: Value) -> Truth:
        """Equality of two values of one sort."""
        if type(left) is type(right) and type(left) in SIMPLE:
            self._context.charge(1)
            self._context.charge(1)  # as for a pair of parts: one here and one in the comparison of values
            return truth_of(left == right)
        pending: list[tuple[Value, Value]] = [(left, right)]
        result = TRUE
        while pending and result is not FALSE:
            a, b = pending.pop()
            self._context.charge(1)
            if isinstance(a, ListValue) and isinstance(b, ListValue):
                pending.extend(zip(a, b, strict=False))
                result = conjunction(result, truth_of(len(a) == len(b)))
            elif isinstance(a, Data) and isinstance(b, Data):
                pending.extend(zip(a.fields, b.fields, strict=False))
                result = conjunction(result, truth_of(a.constructor == b.constructor))
            else:
                result = conjunction(result, self._equal_leaves(a, b))
        return result

    def coerced(self, outcome: Outcome) -> Outcome:
        """The same value in a larger sort.  The complement of a set is another set there, which the value model lacks: open."""
        if isinstance(outcome, Truth) or is_number(outcome):
            return outcome
        return OPEN if self._has_complement(outcome) else outcome

    def _equal_leaves(self, left: Value, right: Value) -> Truth:
        if isinstance(left, Function) and isinstance(right, Function):
            return self._equal_functions(left, right)
        if (
            isinstance(left, SetValue)
            and isinstance(right, SetValue)
            and left.complement is not right.complement
        ):
            # The complement of a set over a sort that can be listed is kept as a finite set, so this one is infinite.
            return FALSE
        verdict = equal(left, right, self._context)
        return OPEN if verdict is None else truth_of(verdict)

    def _equal_functions(self, left: Function, right: Function) -> Truth:
        if left is right and left.total:
            return TRUE
        result = TRUE
        points, complete = self.points(left.domain)
        for point in points:
            here = self.same(known(left.target(*point)), known(right.target(*point)))
            result = conjunction(result, here)
            if result is FALSE:
                return FALSE
        return result if complete else conjunction(result, OPEN)

    def _has_complement(self, value: Value) -> bool:
        return any(
            leaf.complement or any(map(self._has_complement, leaf.members.values()))
            for leaf in leaves_of(value, self._context)
            if isinstance(leaf, SetValue)
        )


def known(outcome: Outcome) -> Outcome:
    """The outcome of a term, truth values as `Truth`."""
    return truth_of(outcome) if isinstance(outcome, bool) else outcome


def entries(record: Data) -> dict[str, Value]:
    """The fields of a record by name."""
    return {str(field.fields[0]): field.fields[1] for field in record.fields if isinstance(field, Data)}
