"""Familiar operations on ℤ and ℝ, as candidates for what a symbol may mean.

Specification: proving.md §3 ("standard models"), provers.md §3 (own_interp).

Every candidate is a core term over the symbol's arguments, total by construction: a division stands under a test of its
divisor.  The commonest readings come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    REAL,
    STRING,
    BuiltinCall,
    Coercion,
    Conditional,
    Connective,
    Equals,
    LiteralTerm,
    Operation,
    Sort,
    Term,
    Variable,
)

__all__ = ["candidates"]


def candidates(domain: Sequence[Sort], codomain: Sort) -> tuple[tuple[Variable, ...], tuple[Term, ...]]:
    """Parameters for a symbol of these sorts, and terms over them; no terms where nothing familiar fits."""
    parameters = tuple(Variable(f"x{place}", sort) for place, sort in enumerate(domain))
    if codomain == STRING:
        found: Iterator[Term] = iter([LiteralTerm("", STRING), LiteralTerm("a", STRING)])
    elif codomain == BOOL:
        found = _relations([each for each in parameters if _is_number(each.sort)])
    elif codomain in (INTEGER, REAL, NATURAL):
        found = _operations([each for each in parameters if each.sort == codomain], codomain)
    else:
        found = iter(())
    return parameters, tuple(dict.fromkeys(found))


def _is_number(sort: Sort) -> bool:
    return sort in (INTEGER, REAL, NATURAL)


def number(value: int, sort: Sort) -> Term:
    """An integer at a sort of numbers."""
    if value < 0:
        return LiteralTerm(value, sort) if sort == INTEGER else Coercion(LiteralTerm(value, INTEGER), sort)
    literal = LiteralTerm(value, NATURAL)
    return literal if sort == NATURAL else Coercion(literal, sort)


def _call(name: str, result: Sort, *arguments: Term) -> Term:
    names = "abcdef"[: len(arguments)]
    parameters = tuple(Variable(each, term.sort) for each, term in zip(names, arguments, strict=True))
    return BuiltinCall(Operation(name, parameters, result), arguments)


def _plus(left: Term, right: Term) -> Term:
    return _call("plus", left.sort, left, right)


def _times(left: Term, right: Term) -> Term:
    return _call("times", left.sort, left, right)


def _minus(left: Term, right: Term) -> Term:
    return _call("minus", left.sort, left, right)


def _over(left: Term, right: Term) -> Term:
    """left / right, and 0 where right is 0."""
    zero = number(0, REAL)
    return Conditional(Equals(right, zero), zero, _call("divide", REAL, left, right))


def _operations(given: Sequence[Variable], sort: Sort) -> Iterator[Term]:
    signed = sort != NATURAL
    if len(given) >= 2:
        yield from _binary(given[0], given[1], sort)
    if len(given) >= 3:
        x, y, z = given[:3]
        yield _plus(_plus(x, y), z)
        if signed:
            yield _plus(_minus(x, y), z)
    for x in given:
        yield from _unary(x, sort)
    yield number(0, sort)
    yield number(1, sort)
    if not given:
        yield number(2, sort)
        if signed:
            yield number(-1, sort)


def _binary(x: Term, y: Term, sort: Sort) -> Iterator[Term]:
    yield _plus(x, y)
    yield _times(x, y)
    if sort != NATURAL:
        yield _minus(x, y)
    yield Conditional(_call("leq", BOOL, x, y), y, x)
    yield Conditional(_call("leq", BOOL, x, y), x, y)
    if sort == REAL:
        yield _over(_plus(x, y), number(2, REAL))
        yield _over(x, y)
    yield _plus(_plus(x, y), number(1, sort))
    yield _plus(x, _plus(y, y))


def _unary(x: Term, sort: Sort) -> Iterator[Term]:
    if sort != NATURAL:
        yield _minus(number(0, sort), x)
    yield x
    yield _plus(x, number(1, sort))
    yield _plus(x, x)
    if sort == REAL:
        yield _over(number(1, REAL), x)
        yield _over(x, number(2, REAL))
    if sort != NATURAL:
        yield _minus(x, number(1, sort))


def _relations(given: Sequence[Variable]) -> Iterator[Term]:
    if len(given) >= 2 and given[0].sort == given[1].sort:
        x, y = given[:2]
        yield _call("leq", BOOL, x, y)
        yield _call("less_than", BOOL, x, y)
        yield Equals(x, y)
        yield Connective("not", (Equals(x, y),))
        yield Equals(y, _plus(x, number(1, x.sort)))
        yield _call("leq", BOOL, y, x)
        yield _call("less_than", BOOL, y, x)
    if len(given) >= 3 and len({each.sort for each in given}) == 1:
        x, y, z = given[:3]
        yield Connective("and", (_call("leq", BOOL, x, y), _call("leq", BOOL, y, z)))
        yield Equals(_plus(x, y), z)
        yield Equals(_times(x, y), z)
    if len(given) == 1:
        x, zero = given[0], number(0, given[0].sort)
        yield _call("less_than", BOOL, zero, x)
        yield _call("leq", BOOL, zero, x)
        yield Equals(x, zero)
        yield Connective("not", (Equals(x, zero),))
    yield LiteralTerm(True, BOOL)
    yield LiteralTerm(False, BOOL)
