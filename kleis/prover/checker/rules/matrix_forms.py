"""Matrices of known sizes, entry by entry, as forms of numbers.

The entries of an unknown matrix are atoms.  Determinants are sums over permutations, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core
from kleis.core.build_terms import condition_at
from kleis.prover.checker.rules.normal_forms import Forms, is_number
from kleis.prover.checker.rules.polynomials import Form
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["Entries", "Matrices", "is_matrix"]

Entries = list[list[Form]]
"""Rows of one length."""

_LARGEST = 6
"""The most rows or columns."""


def is_matrix(sort: core.Sort) -> bool:
    """Whether a sort is one of matrices of real numbers of known sizes."""
    return isinstance(sort, core.MatrixOf) and is_number(sort.element)


class Matrices:
    """The entries of terms."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        forms.outside = self.number

    def of(self, term: core.Term) -> Entries:
        """The entries of a term that is a matrix, or a list of lists in place of one."""
        self._forms.ring.charge(1)
        match term:
            case core.Variable() | core.SymbolCall(arguments=()) if is_matrix(term.sort):
                rows, columns = _sizes(term.sort)
                return [[self._forms.entry(term, i, j) for j in range(columns)] for i in range(rows)]
            case core.Coercion(term=part):
                return self.of(part)
            case core.Construction():
                return _rectangle([[self._forms.of(each) for each in _items(row)] for row in _items(term)])
            case core.BuiltinCall():
                return self._built(term)
        raise NotExpressible("a matrix that is not written by its operations")

    def _built(self, term: core.BuiltinCall) -> Entries:
        condition = condition_at(term)
        if condition is not None:
            self._forms.needed(condition)
        ring, given = self._forms.ring, term.arguments
        match term.operation.name:
            case "matrix":
                return self.of(given[0])
            case "Matrix":
                rows, columns = _sizes(term.sort)
                entries = [self._forms.of(each) for each in _items(given[2])]
                if len(entries) != rows * columns:
                    raise NotExpressible("a matrix with another number of entries")
                return [entries[row * columns : (row + 1) * columns] for row in range(rows)]
            case "eye" | "zeros" | "ones" as name:
                rows, columns = _sizes(term.sort)
                values = {"eye": (1, 0), "zeros": (0, 0), "ones": (1, 1)}[name]
                return [[self._forms.number(values[i != j]) for j in range(columns)] for i in range(rows)]
            case "matrix_add" | "plus":
                return _entrywise(self.of(given[0]), self.of(given[1]), ring.plus)
            case "matrix_sub" | "minus":
                return _entrywise(
                    self.of(given[0]), self.of(given[1]), lambda a, b: ring.plus(a, ring.negated(b))
                )
            case "negate":
                return [[ring.negated(each) for each in row] for row in self.of(given[0])]
            case "scalar_matrix_mul":
                factor = self._forms.of(given[0])
                return [[ring.times(factor, each) for each in row] for row in self.of(given[1])]
            case "transpose":
                return [list(column) for column in zip(*self.of(given[0]), strict=True)]
            case "multiply" | "times":
                return self._product(self.of(given[0]), self.of(given[1]))
        raise NotExpressible(f"{term.operation.name} of matrices")

    def _product(self, a: Entries, b: Entries) -> Entries:
        if len(a[0]) != len(b):
            raise NotExpressible("a product of matrices whose sizes do not fit")
        columns = list(zip(*b, strict=True))
        return [[self._total(list(zip(row, column, strict=True))) for column in columns] for row in a]

    def _total(self, pairs: list[tuple[Form, Form]]) -> Form:
        ring = self._forms.ring
        found = self._forms.number(0)
        for first, second in pairs:
            found = ring.plus(found, ring.times(first, second))
        return found

    # ── Numbers of matrices ──────────────────────────────────────────────────────────────────────────────────

    def number(self, term: core.BuiltinCall) -> Form | None:
        """A number that is computed from a matrix; None for any other operation."""
        name, given = term.operation.name, term.arguments
        if name not in ("det", "trace", "matrix_get"):
            return None
        condition = condition_at(term)
        if condition is not None:
            self._forms.needed(condition)
        entries = self.of(given[0])
        if name == "matrix_get":
            places = [self._forms.of(each).number for each in given[1:]]
            i, j = (int(each) if each is not None and each.denominator == 1 else -1 for each in places)
            if not (0 <= i < len(entries) and 0 <= j < len(entries[0])):
                raise NotExpressible("an entry at a place that is not known")
            return entries[i][j]
        if len(entries) != len(entries[0]):
            raise NotExpressible("a matrix that is not square")
        if name == "det":
            return self._determinant(entries)
        one = self._forms.number(1)
        return self._total([(entries[i][i], one) for i in range(len(entries))])

    def _determinant(self, entries: Entries) -> Form:
        """By the first row."""
        if len(entries) == 1:
            return entries[0][0]
        ring, found = self._forms.ring, self._forms.number(0)
        for column, entry in enumerate(entries[0]):
            if not entry.above:
                continue
            minor = [[*row[:column], *row[column + 1 :]] for row in entries[1:]]
            part = ring.times(entry, self._determinant(minor))
            found = ring.plus(found, ring.negated(part) if column % 2 else part)
        return found


def _entrywise(a: Entries, b: Entries, combine: object) -> Entries:
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        raise NotExpressible("matrices of different sizes")
    assert callable(combine)
    return [[combine(x, y) for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def _sizes(sort: core.Sort) -> tuple[int, int]:
    """Rows and columns, where they are numbers that are small and not 0."""
    assert isinstance(sort, core.MatrixOf)
    found = [dict(each.terms) for each in (sort.rows, sort.columns)]
    if any(set(each) != {()} or not 0 < each[()] <= _LARGEST for each in found):
        raise NotExpressible("a matrix whose size is not known, or large")
    return found[0][()], found[1][()]


def _rectangle(entries: Entries) -> Entries:
    if not entries or not entries[0] or any(len(row) != len(entries[0]) for row in entries):
        raise NotExpressible("rows that are empty or of different lengths")
    return entries


def _items(term: core.Term) -> Iterator[core.Term]:
    """The items of a list that is written out."""
    while isinstance(term, core.Coercion):
        term = term.term
    while isinstance(term, core.Construction) and term.constructor.name == "Cons":
        yield term.arguments[0]
        term = term.arguments[1]
        while isinstance(term, core.Coercion):
            term = term.term
    if not (isinstance(term, core.Construction) and term.constructor.name == "Nil"):
        raise NotExpressible("a list that is not written out")
