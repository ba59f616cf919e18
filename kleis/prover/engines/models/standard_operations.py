"""Familiar operations on numbers, texts and lists of numbers: candidate interpretations of a symbol, the commonest first.

Each is a core term over the symbol's arguments, total by construction: a division stands under a test of its divisor, and
what a list does not have is 0 or the empty list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from kleis import core
from kleis.prover.lowering.list_terms import append, cons, head, is_nil, length, list_sort, nil, tail

__all__ = ["candidates"]


def candidates(parameters: Sequence[core.Variable], codomain: core.Sort) -> tuple[core.Term, ...]:
    """Candidate terms over parameters; none where no standard operation fits."""
    found: Iterator[core.Term]
    if codomain == core.STRING:
        found = _texts([each for each in parameters if each.sort == core.STRING])
    elif codomain == core.BOOL:
        numbers = [each for each in parameters if _is_number(each.sort)]
        found = chain(_of_lists(parameters, codomain), _of_texts(parameters, codomain), _relations(numbers))
    elif codomain in (core.INTEGER, core.REAL, core.NATURAL):
        numbers = [each for each in parameters if each.sort == codomain]
        told = chain(_of_lists(parameters, codomain), _of_texts(parameters, codomain))
        found = chain(told, _operations(numbers, codomain))
    elif isinstance(codomain, core.ListOf):
        found = _lists(parameters, codomain)
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


# ── Lists ────────────────────────────────────────────────────────────────────────────────────────────────────


def _lists(given: Sequence[core.Variable], sort: core.ListOf) -> Iterator[core.Term]:
    """Lists: what is put in front or behind, what is left without the first element, one behind the other, constants."""
    empty, lists = nil(sort), [each for each in given if each.sort == sort]
    zero = number(0, sort.element)
    for item in (each for each in given if each.sort == sort.element):
        for whole in lists:
            yield cons(item, whole)
            yield cons(zero, cons(item, whole))
            yield append(whole, cons(item, empty))
        if not lists:
            yield cons(item, empty)
    if len(lists) >= 2:
        yield append(lists[0], lists[1])
    for whole in lists:
        rest = core.Conditional(is_nil(whole), empty, tail(whole))
        yield rest
        yield core.Conditional(is_nil(rest), empty, tail(rest))
        yield cons(zero, whole)
        yield whole
    yield empty
    yield cons(zero, empty)
    if not given:
        yield cons(number(1, sort.element), empty)


def _of_lists(given: Sequence[core.Variable], codomain: core.Sort) -> Iterator[core.Term]:
    """What a list tells: its first element, how many it has, whether it has any."""
    lists = [each for each in given if isinstance(each.sort, core.ListOf)]
    for whole in lists:
        if codomain == core.BOOL:
            yield is_nil(whole)
            yield core.Connective("not", (is_nil(whole),))
        elif codomain == list_sort(whole).element:
            zero, rest = number(0, codomain), tail(whole)
            yield core.Conditional(is_nil(whole), zero, head(whole))
            second = core.Conditional(is_nil(rest), zero, head(rest))
            yield core.Conditional(is_nil(whole), zero, second)
        if codomain == core.NATURAL:
            yield length(whole)
        elif codomain == core.INTEGER:
            yield core.Coercion(length(whole), codomain)
    if codomain == core.BOOL and len(lists) >= 2 and lists[0].sort == lists[1].sort:
        yield core.Equals(lists[0], lists[1])


# ── Texts ────────────────────────────────────────────────────────────────────────────────────────────────────


def _texts(given: Sequence[core.Variable]) -> Iterator[core.Term]:
    """Texts: one behind another, with a letter more, constants."""
    if len(given) >= 2:
        yield _call("concat", core.STRING, given[0], given[1])
    for each in given:
        yield each
        yield _call("concat", core.STRING, each, core.LiteralTerm("a", core.STRING))
    for text in ("", "a") if given else ("", "a", "b"):
        yield core.LiteralTerm(text, core.STRING)


def _of_texts(given: Sequence[core.Variable], codomain: core.Sort) -> Iterator[core.Term]:
    """What texts tell: how long one is, whether it is empty, whether another begins it or is in it."""
    texts = [each for each in given if each.sort == core.STRING]
    for each in texts:
        if codomain == core.BOOL:
            yield core.Equals(each, core.LiteralTerm("", core.STRING))
        elif codomain == core.NATURAL:
            yield _call("strlen", core.NATURAL, each)
        elif codomain == core.INTEGER:
            yield core.Coercion(_call("strlen", core.NATURAL, each), codomain)
    if codomain == core.BOOL and len(texts) >= 2:
        yield _call("hasPrefix", core.BOOL, texts[1], texts[0])
        yield _call("contains", core.BOOL, texts[1], texts[0])
        yield core.Equals(texts[0], texts[1])
