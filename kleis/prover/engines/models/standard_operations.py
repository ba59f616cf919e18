"""Familiar operations on ℤ and ℝ: candidate interpretations of a symbol, the commonest first.

Each is a core term over the symbol's arguments, total by construction: a division stands under a test of its divisor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleis import core

__all__ = ["candidates"]


def candidates(parameters: Sequence[core.Variable], codomain: core.Sort) -> tuple[core.Term, ...]:
    """Candidate terms over parameters; none where no standard operation fits."""
    if codomain == core.STRING:
        found: Iterator[core.Term] = iter(
            [core.LiteralTerm("", core.STRING), core.LiteralTerm("a", core.STRING)]
        )
    elif codomain == core.BOOL:
        found = _relations([each for each in parameters if _is_number(each.sort)])
    elif codomain in (core.INTEGER, core.REAL, core.NATURAL):
        found = _operations([each for each in parameters if each.sort == codomain], codomain)
    else:
        found = iter(())
    return tuple(dict.fromkeys(found))


def _is_number(sort: core.Sort) -> bool:
    return sort in (core.INTEGER, core.REAL, core.NATURAL)


def number(value: int, sort: core.Sort) -> core.Term:
    """An integer at a sort of numbers."""
    if value < 0:
        return (
            core.LiteralTerm(value, sort)
            if sort == core.INTEGER
            else core.Coercion(core.LiteralTerm(value, core.INTEGER), sort)
        )
    literal = core.LiteralTerm(value, core.NATURAL)
    return literal if sort == core.NATURAL else core.Coercion(literal, sort)


def _call(name: str, result: core.Sort, *arguments: core.Term) -> core.Term:
    names = "abcdef"[: len(arguments)]
    parameters = tuple(core.Variable(each, term.sort) for each, term in zip(names, arguments, strict=True))
    return core.BuiltinCall(core.Operation(name, parameters, result), arguments)


def _plus(left: core.Term, right: core.Term) -> core.Term:
    return _call("plus", left.sort, left, right)


def _times(left: core.Term, right: core.Term) -> core.Term:
    return _call("times", left.sort, left, right)


def _minus(left: core.Term, right: core.Term) -> core.Term:
    return _call("minus", left.sort, left, right)


def _over(left: core.Term, right: core.Term) -> core.Term:
    """left / right, and 0 where right is 0."""
    zero = number(0, core.REAL)
    return core.Conditional(core.Equals(right, zero), zero, _call("divide", core.REAL, left, right))


def _operations(given: Sequence[core.Variable], sort: core.Sort) -> Iterator[core.Term]:
    signed = sort != core.NATURAL
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


def _binary(x: core.Term, y: core.Term, sort: core.Sort) -> Iterator[core.Term]:
    yield _plus(x, y)
    yield _times(x, y)
    if sort != core.NATURAL:
        yield _minus(x, y)
    yield core.Conditional(_call("leq", core.BOOL, x, y), y, x)
    yield core.Conditional(_call("leq", core.BOOL, x, y), x, y)
    if sort == core.REAL:
        yield _over(_plus(x, y), number(2, core.REAL))
        yield _over(x, y)
    yield _plus(_plus(x, y), number(1, sort))
    yield _plus(x, _plus(y, y))


def _unary(x: core.Term, sort: core.Sort) -> Iterator[core.Term]:
    if sort != core.NATURAL:
        yield _minus(number(0, sort), x)
    yield x
    yield _plus(x, number(1, sort))
    yield _plus(x, x)
    if sort == core.REAL:
        yield _over(number(1, core.REAL), x)
        yield _over(x, number(2, core.REAL))
    if sort != core.NATURAL:
        yield _minus(x, number(1, sort))


def _relations(given: Sequence[core.Variable]) -> Iterator[core.Term]:
    if len(given) >= 2 and given[0].sort == given[1].sort:
        x, y = given[:2]
        yield _call("leq", core.BOOL, x, y)
        yield _call("less_than", core.BOOL, x, y)
        yield core.Equals(x, y)
        yield core.Connective("not", (core.Equals(x, y),))
        yield core.Equals(y, _plus(x, number(1, x.sort)))
        yield _call("leq", core.BOOL, y, x)
        yield _call("less_than", core.BOOL, y, x)
    if len(given) >= 3 and len({each.sort for each in given}) == 1:
        x, y, z = given[:3]
        yield core.Connective("and", (_call("leq", core.BOOL, x, y), _call("leq", core.BOOL, y, z)))
        yield core.Equals(_plus(x, y), z)
        yield core.Equals(_times(x, y), z)
    if len(given) == 1:
        x, zero = given[0], number(0, given[0].sort)
        yield _call("less_than", core.BOOL, zero, x)
        yield _call("leq", core.BOOL, zero, x)
        yield core.Equals(x, zero)
        yield core.Connective("not", (core.Equals(x, zero),))
    yield core.LiteralTerm(True, core.BOOL)
    yield core.LiteralTerm(False, core.BOOL)
