"""Formulas over operation tables, evaluated at many assignments at once: a column of values for each variable.

A formula is evaluated for a list of assignments, so an operation costs one look-up for each, in one pass over its
table.  Sorts are numbered, and elements too, from 0; truth values are 0 and 1.

Nothing here is trusted: the rule `tables` of the checker evaluates axioms and claim again, with other code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from random import Random
from typing import Any, TypeAlias

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import rebuild, substitute, subterms

__all__ = ["Column", "Evaluation", "OutsideError", "TooLargeError", "unfolded"]

Column: TypeAlias = Sequence[int]

_WIDEST = 300_000
"""Assignments at once: three variables over 64 elements."""

_FEW = 5
"""So many times the assignments that are tried are not too many."""

_KEPT = 4_096
"""Assignments at once that are kept for the next formula."""

_LARGEST = 4_000
"""Parts of a formula when its definitions are unfolded."""


class OutsideError(Exception):
    """A part of a formula that has no table."""


class TooLargeError(Exception):
    """More assignments than are tried, or more look-ups than the budget has."""


def unfolded(formula: core.Term, goal: Goal) -> core.Term:
    """The formula with its definitions and `let` written out; `OutsideError` where one is recursive or it is too large."""

    def change(term: core.Term) -> core.Term:
        if isinstance(term, core.Let):
            return change(substitute(term.body, {term.variable.name: term.value}))
        if isinstance(term, core.DefinitionCall):
            definition = goal.definition(term.definition)
            if definition.group:
                raise OutsideError
            names = [each.name for each in definition.parameters]
            return change(substitute(definition.body, dict(zip(names, term.arguments, strict=True))))
        return rebuild(term, change)

    found = change(formula)
    for number, _ in enumerate(subterms(found)):
        if number > _LARGEST:
            raise OutsideError
    return found


class Evaluation:
    """Formulas over tables.

    sizes
        The number of elements of each carrier.
    tables
        The tables of symbols, and of variables that are functions by their names.
    charge
        Counts look-ups; it raises where there are too many.
    tried
        A closed ∀ with many more assignments than this is tried at so many of them; None tries all.
    """

    def __init__(
        self,
        sizes: Mapping[core.Sort, int],
        tables: Mapping[core.Symbol | str, Column],
        charge: Callable[[int], None],
        tried: int | None = None,
    ) -> None:
        self._sizes = {**sizes, core.BOOL: 2}
        self._tables = tables
        self._charge = charge
        self._tried = tried

    def holds(self, formula: core.Term) -> bool:
        """Whether a closed formula is true."""
        return bool(self._column(formula, {}, 1)[0])

    def counterexample(self, variables: Sequence[core.Variable], body: core.Term) -> tuple[int, ...] | None:
        """Values of the variables, among those that are tried, for which a formula is false."""
        columns, count = self._assignments(variables)
        values = self._column(body, columns, count)
        place = next((place for place, value in enumerate(values) if not value), None)
        return None if place is None else tuple(columns[each.name][place] for each in variables)

    def fails(self, variables: Sequence[core.Variable], body: core.Term, values: Sequence[int]) -> bool:
        """Whether a formula is false at these values."""
        columns = {each.name: (value,) for each, value in zip(variables, values, strict=True)}
        return not self._column(body, columns, 1)[0]

    # ── Assignments ──────────────────────────────────────────────────────────────────────────────────────────

    def _assignments(self, variables: Sequence[core.Variable]) -> tuple[dict[str, Column], int]:
        """All assignments, or as many of them as are tried."""
        sizes = tuple(self._size(each.sort) for each in variables)
        count = prod(sizes)
        if self._tried is not None and count > _FEW * self._tried:
            columns, count = _some(sizes, self._tried), self._tried
        elif count > _WIDEST:
            raise TooLargeError
        elif count > _KEPT:
            columns = _every(sizes)
        else:
            columns = _kept(sizes)
        return {each.name: column for each, column in zip(variables, columns, strict=True)}, count

    def _size(self, sort: core.Sort) -> int:
        size = self._sizes.get(sort)
        if size is None:
            raise OutsideError
        return size

    # ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────

    def _column(self, term: core.Term, columns: Mapping[str, Column], count: int) -> Column:
        """The value of a term at each of so many assignments."""
        self._charge(count)
        match term:
            case core.Variable(name=name):
                return columns[name] if name in columns else [self._table(name)[0]] * count
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return self._looked_up(self._table(symbol), arguments, columns, count)
            case core.Application(function=core.Variable(name=name), arguments=arguments):
                return self._looked_up(self._table(name), arguments, columns, count)
            case core.LiteralTerm(value=bool() as value):
                return [int(value)] * count
            case core.Equals(left=left, right=right):
                sides = self._column(left, columns, count), self._column(right, columns, count)
                return [a == b for a, b in zip(*sides, strict=True)]
            case core.Connective(name=name, arguments=arguments):
                return self._connected(name, arguments, columns, count)
            case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
                parts = [self._column(each, columns, count) for each in (condition, consequent, alternative)]
                return [b if a else c for a, b, c in zip(*parts, strict=True)]
            case core.Quantifier():
                return self._quantified(term, columns, count)
            case _:
                raise OutsideError

    def _table(self, name: core.Symbol | str) -> Column:
        table = self._tables.get(name)
        if table is None:
            raise OutsideError
        return table

    def _looked_up(
        self, table: Column, arguments: Sequence[core.Term], columns: Mapping[str, Column], count: int
    ) -> Column:
        if not arguments:
            return [table[0]] * count
        places = self._column(arguments[0], columns, count)
        for each in arguments[1:]:
            size = self._size(each.sort)
            following = self._column(each, columns, count)
            places = [a * size + b for a, b in zip(places, following, strict=True)]
        return [table[each] for each in places]

    def _connected(
        self, name: Any, arguments: Sequence[core.Term], columns: Mapping[str, Column], count: int
    ) -> Column:
        first = self._column(arguments[0], columns, count)
        if name == "not":
            return [not each for each in first]
        if name == "implies":
            first = [not each for each in first]
        decided = name != "and"
        for each in arguments[1:]:
            if all(bool(value) is decided for value in first):
                return first
            following = self._column(each, columns, count)
            if decided:
                first = [a or b for a, b in zip(first, following, strict=True)]
            else:
                first = [a and b for a, b in zip(first, following, strict=True)]
        return first

    def _quantified(self, term: core.Quantifier, columns: Mapping[str, Column], count: int) -> Column:
        """The body for all values of the bound variables after each assignment, in groups."""
        every = term.kind == "forall"
        if count == 1:
            columns = {name: (each[0],) for name, each in columns.items()}
            own, width = self._assignments(term.variables) if every else self._all(term.variables)
        else:
            own, width = self._all(term.variables)
        if count * width > _WIDEST:
            raise TooLargeError
        longer = {name: [value for value in each for _ in range(width)] for name, each in columns.items()}
        longer.update({name: [*each] * count for name, each in own.items()})
        values = self._column(term.body, longer, count * width)
        judge = all if every else any
        if count == 1:
            return [judge(values)]
        return [judge(values[start : start + width]) for start in range(0, count * width, width)]

    def _all(self, variables: Sequence[core.Variable]) -> tuple[dict[str, Column], int]:
        tried, self._tried = self._tried, None
        try:
            return self._assignments(variables)
        finally:
            self._tried = tried


def _every(sizes: tuple[int, ...]) -> tuple[Column, ...]:
    """All assignments of variables with so many values each, a column for each variable."""
    columns: list[Column] = []
    before, after = 1, prod(sizes)
    for size in sizes:
        after //= size
        columns.append([value for value in range(size) for _ in range(after)] * before)
        before *= size
    return tuple(columns)


@lru_cache(maxsize=256)
def _kept(sizes: tuple[int, ...]) -> tuple[Column, ...]:
    """All assignments where they are few: every formula is tried at the same ones."""
    return tuple(map(tuple, _every(sizes)))


@lru_cache(maxsize=256)
def _some(sizes: tuple[int, ...], tried: int) -> tuple[Column, ...]:
    """So many assignments, the same ones each time."""
    chosen = Random(prod(sizes))
    return tuple(tuple(chosen.randrange(size) for _ in range(tried)) for size in sizes)
