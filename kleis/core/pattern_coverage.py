"""Which values no case of a `match` covers, and which cases are never reached.

A match that does not cover all values is partial. The method is the usefulness of pattern matrices (Maranget 2007). A
case with a guard, or with a name that occurs twice (its values must be equal), covers nothing, because it is not known
when it applies; it may still be unreachable. Numbers and strings have infinitely many values, so literals alone never
cover them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from kleis.core.goal import ElaborationError
from kleis.core.sorts import BOOL, COMPLEX, REAL, DataSort, ListOf, RecordOf, Sort, TupleOf
from kleis.core.terms import Constructor, tuple_name
from kleis.syntax import tree
from kleis.syntax.printer.program import print_pattern

__all__ = ["Coverage", "coverage"]

_STEPS = 50_000
"""The most steps that one match may take: the problem is NP-hard."""

_NODES = 200
"""A larger pattern (a long list) counts as covering nothing: the walk is as deep as a pattern is large."""

Constructors: TypeAlias = Callable[[DataSort], Sequence[Constructor]]


class Coverage(msgspec.Struct, frozen=True):
    """What a match covers.

    uncovered
        A pattern that no case covers, as text; None if the cases are exhaustive.
    unreachable
        The indices of cases that earlier ones leave nothing for.
    """

    uncovered: str | None
    unreachable: tuple[int, ...] = ()

    @property
    def exhaustive(self) -> bool:
        """Whether every value has a case."""
        return self.uncovered is None


class _Head(msgspec.Struct, frozen=True):
    """A constructor or literal at the head of a pattern, with the sorts of its parts."""

    name: str
    sorts: tuple[Sort, ...]


class _Shape(msgspec.Struct, frozen=True):
    """A pattern without names: a head at parts, or anything."""

    head: _Head | None
    parts: tuple[_Shape, ...] = ()


_ANY = _Shape(None)

Row: TypeAlias = tuple[_Shape, ...]


def coverage(cases: Sequence[tree.Case], sort: Sort, constructors: Constructors) -> Coverage:
    """What the cases of a match over a sort cover; `constructors` gives those of a data type.

    `ElaborationError` with the code ``match_too_large`` where that is too much work to find out.
    """
    matrix = _Matrix(constructors, cases)
    rows: list[Row] = []
    unreachable = []
    for index, case in enumerate(cases):
        if _nodes(case.pattern) > _NODES:
            continue
        row = (matrix.shape(case.pattern, sort),)
        if matrix.missing(rows, (sort,), row) is None:
            unreachable.append(index)
        elif case.guard is None and not _repeats(case.pattern):
            rows.append(row)
    missing = matrix.missing(rows, (sort,), (_ANY,))
    shown = None if missing is None else print_pattern(_pattern(missing[0]))
    return Coverage(shown, tuple(unreachable))


class _Matrix:
    """The usefulness of a row after other rows, with a budget."""

    def __init__(self, constructors: Constructors, cases: Sequence[tree.Case]) -> None:
        self._constructors = constructors
        self._cases = cases
        self._left = _STEPS

    # ── Sorts and patterns ───────────────────────────────────────────────────────────────────────────────────

    def heads(self, sort: Sort) -> tuple[_Head, ...] | None:
        """All heads of a sort; None if they are infinitely many."""
        match sort:
            case _ if sort == BOOL:
                return _Head("true", ()), _Head("false", ())
            case _ if sort == COMPLEX:
                return (_Head("complex", (REAL, REAL)),)
            case ListOf(element=element):
                return _Head("Nil", ()), _Head("Cons", (element, sort))
            case TupleOf(items=items):
                return (_Head(tuple_name(len(items)), items),)
            case RecordOf(fields=fields):
                return (_Head("record", tuple(each for _, each in fields)),)
            case DataSort():
                found = self._constructors(sort)
                return tuple(_Head(each.name, tuple(field.sort for field in each.fields)) for each in found)
            case _:
                return None

    def shape(self, pattern: tree.Pattern, sort: Sort) -> _Shape:
        """A pattern over a sort without its names."""
        match pattern:
            case tree.WildcardPattern() | tree.VariablePattern():
                return _ANY
            case tree.AsPattern(pattern=inner):
                return self.shape(inner, sort)
            case tree.LiteralPattern(value=value):
                return _Shape(_Head(_literal(value), ()))
            case tree.ListPattern(items=items):
                return self._list(items, sort)
            case tree.ConstructorPattern(name=name, arguments=arguments):
                return self._constructed(name, arguments, sort)

    def _list(self, items: Sequence[tree.Pattern], sort: Sort) -> _Shape:
        if not isinstance(sort, ListOf):
            raise self._wrong("a list pattern", sort)
        answer = _Shape(_Head("Nil", ()))
        for item in reversed(items):
            answer = _Shape(_Head("Cons", (sort.element, sort)), (self.shape(item, sort.element), answer))
        return answer

    def _constructed(self, name: str, arguments: Sequence[tree.Pattern], sort: Sort) -> _Shape:
        plain = name.lower() if sort == BOOL else name.rsplit("::", 1)[-1]
        for head in self.heads(sort) or ():
            if head.name == plain and len(head.sorts) == len(arguments):
                parts = (self.shape(each, inner) for each, inner in zip(arguments, head.sorts, strict=True))
                return _Shape(head, tuple(parts))
        raise self._wrong(name, sort)

    def _wrong(self, found: str, sort: Sort) -> ElaborationError:
        heads = self.heads(sort) or ()
        return self._error(
            f"{found} with so many parts is no pattern of this sort",
            "wrong_pattern",
            found,
            tuple(head.name for head in heads),
        )

    def _error(
        self, message: str, code: str, found: str, expected: tuple[str, ...], hint: str = ""
    ) -> ElaborationError:
        span = self._cases[0].span
        return ElaborationError(
            message, code=code, line=span.line, column=span.column, found=found, expected=expected, hint=hint
        )

    # ── Usefulness ───────────────────────────────────────────────────────────────────────────────────────────

    def missing(self, rows: Sequence[Row], sorts: tuple[Sort, ...], row: Row) -> Row | None:
        """Values that the row covers and none of the rows does, as a row; None if there are none."""
        self._left -= 1 + len(rows)
        if self._left < 0:
            raise self._error(
                "the cases of this match are too many to be compared",
                "match_too_large",
                f"{len(self._cases)} cases",
                (),
                "match one part after the other, or end with a case _",
            )
        if not row:
            return None if rows else ()
        first, rest = row[0], row[1:]
        if first.head is not None:
            return self._specialised(rows, sorts, first.head, (*first.parts, *rest))
        heads = self.heads(sorts[0])
        used = {each[0].head.name for each in rows if each[0].head is not None}
        if heads is not None and used and all(head.name in used for head in heads):
            for head in heads:
                wild = (_ANY,) * len(head.sorts)
                found = self._specialised(rows, sorts, head, (*wild, *rest))
                if found is not None:
                    return found
            return None
        if heads == ():
            return None
        others = [each[1:] for each in rows if each[0].head is None]
        found = self.missing(others, sorts[1:], rest)
        return None if found is None else (self._unused(heads, used), *found)

    def _specialised(self, rows: Sequence[Row], sorts: tuple[Sort, ...], head: _Head, row: Row) -> Row | None:
        """The row against the rows whose first pattern admits the head, by its parts."""
        count = len(head.sorts)
        kept: list[Row] = []
        for each in rows:
            first = each[0]
            if first.head is None:
                kept.append((_ANY,) * count + each[1:])
            elif first.head.name == head.name:
                kept.append((*first.parts, *each[1:]))
        found = self.missing(kept, (*head.sorts, *sorts[1:]), row)
        return None if found is None else (_Shape(head, found[:count]), *found[count:])

    @staticmethod
    def _unused(heads: Sequence[_Head] | None, used: set[str]) -> _Shape:
        """A pattern for what is left beside the heads that are used."""
        if heads is None or not used:
            return _ANY
        head = next(head for head in heads if head.name not in used)
        return _Shape(head, (_ANY,) * len(head.sorts))


def _literal(value: tree.Number | tree.Text | tree.Boolean) -> str:
    """A name for a literal, the same for equal values: ``1.0`` and ``1e0`` are 1."""
    match value:
        case tree.Boolean(value=truth):
            return "true" if truth else "false"
        case tree.Text(value=text):
            return f'"{text}'
        case tree.Number(text=text):
            return _number(text)


def _number(text: str) -> str:
    """Digits and a power of ten: ``1e999999999`` is never written out."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return "0"
    sign = "-" if exponent.startswith("-") else ""
    power = int(sign + (exponent.lstrip("+-").lstrip("0")[:20] or "0"))
    return f"{significant}e{power - len(part) + len(digits) - len(significant)}"


def _all_of(pattern: tree.Pattern) -> Iterator[tree.Pattern]:
    """A pattern and everything in it."""
    waiting = [pattern]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, tree.AsPattern):
            waiting.append(each.pattern)
        elif isinstance(each, tree.ConstructorPattern):
            waiting.extend(each.arguments)
        elif isinstance(each, tree.ListPattern):
            waiting.extend(each.items)


def _nodes(pattern: tree.Pattern) -> int:
    return sum(1 for _ in _all_of(pattern))


def _repeats(pattern: tree.Pattern) -> bool:
    """Whether a name occurs twice."""
    names = [
        each.name for each in _all_of(pattern) if isinstance(each, tree.VariablePattern | tree.AsPattern)
    ]
    return len(set(names)) < len(names)


def _pattern(shape: _Shape) -> tree.Pattern:
    """A shape as a pattern."""
    if shape.head is None:
        return tree.WildcardPattern()
    name = shape.head.name
    if name in ("true", "false") and not shape.parts:
        return tree.LiteralPattern(tree.Boolean(name == "true"))
    return tree.ConstructorPattern(name, tuple(_pattern(part) for part in shape.parts))
