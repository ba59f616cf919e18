"""Built-ins that are a recursion, as definitions of the core: what their rows compute, written out.

Each is a body, from the call of itself, the sort of the result and the parameters, at sorts where ℕ is ℤ and ℚ is ℝ.
All end for all arguments, and have a value wherever the functions that they are given have one; but `nth`, which has
none where its row's condition is false.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from kleis import core
from kleis.core.terms import construct_tuple, list_constructors

__all__ = ["RECURSIVE", "number", "operation"]

_Call = Callable[..., core.Term]


def operation(name: str, result: core.Sort, *arguments: core.Term) -> core.Term:
    """A built-in at arguments where it has a value."""
    parameters = tuple(core.Variable(f"p{place}", each.sort) for place, each in enumerate(arguments))
    return core.BuiltinCall(core.Operation(name, parameters, result), arguments)


def number(value: int, sort: core.Sort) -> core.Term:
    """A number of a sort of numbers."""
    literal = core.LiteralTerm(value, core.INTEGER)
    return literal if sort == core.INTEGER else core.Coercion(literal, sort)


_ZERO, _ONE = number(0, core.INTEGER), number(1, core.INTEGER)
_YES, _NO = core.LiteralTerm(True, core.BOOL), core.LiteralTerm(False, core.BOOL)
_if = core.Conditional


def _nil(sort: core.Sort) -> core.Term:
    assert isinstance(sort, core.ListOf)
    return core.Construction(list_constructors(sort)[0], ())


def _cons(head: core.Term, tail: core.Term) -> core.Term:
    return core.Construction(list_constructors(core.ListOf(head.sort))[1], (head, tail))


def _cases(items: core.Term, empty: core.Term, step: _Call) -> core.Term:
    """``match items { Nil => empty | Cons(h, t) => step(h, t) }``"""
    assert isinstance(items.sort, core.ListOf)
    made = list_constructors(items.sort)[1]
    rest = step(core.Selection(made, 0, items), core.Selection(made, 1, items))
    return _if(core.Discrimination(made, items), rest, empty)


def _apply(function: core.Term, *arguments: core.Term) -> core.Term:
    assert isinstance(function.sort, core.FunctionOf)
    return core.Application(function, arguments, function.sort.codomain)


def _int(name: str, *arguments: core.Term) -> core.Term:
    return operation(name, core.INTEGER, *arguments)


def _none_left(n: core.Term) -> core.Term:
    return operation("leq", core.BOOL, n, _ZERO)


def _one_less(n: core.Term) -> core.Term:
    return _int("minus", n, _ONE)


def _join(left: core.Term, right: core.Term) -> core.Term:
    return operation("append", left.sort, left, right)


def _between(name: str, start: int, test: str) -> _Call:
    """``f(low) + … + f(high)``, or the product."""

    def body(rec: _Call, sort: core.Sort, f: core.Term, low: core.Term, high: core.Term) -> core.Term:
        more = operation(name, sort, _apply(f, low), rec(f, _int("plus", low, _ONE), high))
        return _if(operation(test, core.BOOL, low, high), more, number(start, sort))

    return body


def _rotated(sort: core.Sort, items: core.Term, count: core.Term) -> core.Term:
    shift = _int("mod", count, _int("length", items))
    return _join(operation("h-drop", sort, items, shift), operation("h-take", sort, items, shift))


def _range(rec: _Call, sort: core.Sort, start: core.Term, end: core.Term | None = None) -> core.Term:
    if end is None:
        return operation("range", sort, _ZERO, start)
    more = _cons(start, rec(_int("plus", start, _ONE), end))
    return _if(operation("less_than", core.BOOL, start, end), more, _nil(sort))


def _slice(sort: core.Sort, items: core.Term, start: core.Term, end: core.Term | None = None) -> core.Term:
    return operation("h-drop", sort, items if end is None else operation("h-take", sort, items, end), start)


def _pair(a: core.Term, b: core.Term) -> core.Term:
    return construct_tuple((a, b), (a.sort, b.sort))


def _lcm(a: core.Term, b: core.Term) -> core.Term:
    product = _int("abs", _int("times", a, b))
    return _if(core.Equals(product, _ZERO), _ZERO, _int("div", product, _int("gcd", a, b)))


RECURSIVE: dict[str, _Call] = {
    "length": lambda rec, s, xs: _cases(xs, _ZERO, lambda h, t: _int("plus", _ONE, rec(t))),
    "append": lambda rec, s, xs, ys: _cases(xs, ys, lambda h, t: _cons(h, rec(t, ys))),
    "concat": lambda rec, s, *lists: reduce(lambda rest, xs: _join(xs, rest), reversed(lists)),
    "reverse": lambda rec, s, xs: _cases(xs, _nil(s), lambda h, t: _join(rec(t), _cons(h, _nil(s)))),
    "list_flatten": lambda rec, s, xs: _cases(xs, _nil(s), lambda h, t: _join(h, rec(t))),
    "nth": lambda rec, s, xs, n: _cases(xs, core.Undefined(s, "beyond the list"),
        lambda h, t: _if(core.Equals(n, _ZERO), h, rec(t, _one_less(n)))),
    "h-take": lambda rec, s, xs, n: _if(_none_left(n), _nil(s), _cases(xs, _nil(s),
        lambda h, t: _cons(h, rec(t, _one_less(n))))),
    "h-drop": lambda rec, s, xs, n: _if(_none_left(n), xs, _cases(xs, _nil(s), lambda h, t: rec(t, _one_less(n)))),
    "list_slice": lambda rec, s, xs, start, *end: _slice(s, xs, start, *end),
    "list_rotate": lambda rec, s, xs, n: _cases(xs, _nil(s), lambda h, t: _rotated(s, xs, n)),
    "list_zip": lambda rec, s, xs, ys: _cases(xs, _nil(s), lambda h, t: _cases(ys, _nil(s),
        lambda k, u: _cons(_pair(h, k), rec(t, u)))),
    "vec_add": lambda rec, s, xs, ys: _cases(xs, _nil(s), lambda h, t: _cases(ys, _nil(s),
        lambda k, u: _cons(operation("plus", h.sort, h, k), rec(t, u)))),
    "sum": lambda rec, s, xs: _cases(xs, number(0, s), lambda h, t: operation("plus", s, h, rec(t))),
    "product": lambda rec, s, xs: _cases(xs, number(1, s), lambda h, t: operation("times", s, h, rec(t))),
    "range": _range,
    "replicate": lambda rec, s, n, a: _if(_none_left(n), _nil(s), _cons(a, rec(_one_less(n), a))),
    "list_map": lambda rec, s, f, xs: _cases(xs, _nil(s), lambda h, t: _cons(_apply(f, h), rec(f, t))),
    "list_filter": lambda rec, s, p, xs: _cases(xs, _nil(s),
        lambda h, t: _if(_apply(p, h), _cons(h, rec(p, t)), rec(p, t))),
    # `all` and `any` stop early: what follows needs no value.
    "all": lambda rec, s, p, xs: _cases(xs, _YES, lambda h, t: _if(_apply(p, h), rec(p, t), _NO)),
    "any": lambda rec, s, p, xs: _cases(xs, _NO, lambda h, t: _if(_apply(p, h), _YES, rec(p, t))),
    "list_fold": lambda rec, s, f, a, xs: _cases(xs, a, lambda h, t: rec(f, _apply(f, a, h), t)),
    "foldr": lambda rec, s, f, a, xs: _cases(xs, a, lambda h, t: _apply(f, h, rec(f, a, t))),
    "list_flatmap": lambda rec, s, f, xs: _cases(xs, _nil(s), lambda h, t: _join(_apply(f, h), rec(f, t))),
    "sum_bounds": _between("plus", 0, "leq"),
    "prod_bounds": _between("times", 1, "leq"),
    "sum_over": _between("plus", 0, "less_than"),
    "in_set": lambda rec, s, a, xs: _cases(xs, _NO,
        lambda h, t: core.Connective("or", (core.Equals(a, h), rec(a, t)))),
    "set_of": lambda rec, s, xs: _cases(xs, operation("empty_set", s),
        lambda h, t: operation("insert", s, h, rec(t))),
    "power": lambda rec, s, a, n: _if(_none_left(n), number(1, s), operation("times", s, a, rec(a, _one_less(n)))),
    "factorial": lambda rec, s, n: _if(_none_left(n), _ONE, _int("times", n, rec(_one_less(n)))),
    "gcd": lambda rec, s, a, b: _if(core.Equals(b, _ZERO), _int("abs", a), rec(b, _int("mod", a, b))),
    "lcm": lambda rec, s, a, b: _lcm(a, b),
}  # fmt: skip
