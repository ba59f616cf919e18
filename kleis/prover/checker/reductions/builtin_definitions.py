"""Built-ins as definitions of the core: what their rows compute, written out in terms of simpler built-ins.

Each is a body, from the call of itself, the sort of the result and the parameters.
All end for all arguments, and have a value wherever the functions that they are given have one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.core.terms import list_constructors, tuple_constructor
from kleis.core.traversal import subterms
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["builtin_definition", "is_known", "operation"]

_Call = Callable[..., core.Term]


def operation(name: str, result: core.Sort, *arguments: core.Term) -> core.Term:
    """A built-in at arguments where it has a value."""
    parameters = tuple(core.Variable(f"p{place}", each.sort) for place, each in enumerate(arguments))
    return core.BuiltinCall(core.Operation(name, parameters, result), arguments)


def _number(value: int, sort: core.Sort) -> core.Term:
    literal = core.LiteralTerm(value, core.INTEGER)
    return literal if sort == core.INTEGER else core.Coercion(literal, sort)


_ZERO, _ONE = _number(0, core.INTEGER), _number(1, core.INTEGER)
_YES, _NO = core.LiteralTerm(True, core.BOOL), core.LiteralTerm(False, core.BOOL)
_if = core.Conditional


def _op(name: str, left: core.Term, *rest: core.Term) -> core.Term:
    return operation(name, left.sort, left, *rest)


def _below(left: core.Term, right: core.Term) -> core.Term:
    return operation("less_than", core.BOOL, left, right)


def _made(sort: core.Sort, which: int = 1) -> core.Constructor:
    """A constructor of a sort of lists, or that of a sort of tuples."""
    if isinstance(sort, core.ListOf):
        return list_constructors(sort)[which]
    assert isinstance(sort, core.TupleOf)
    return tuple_constructor(sort)


def _nil(sort: core.Sort) -> core.Term:
    return core.Construction(_made(sort, 0), ())


def _cons(head: core.Term, tail: core.Term) -> core.Term:
    return core.Construction(_made(core.ListOf(head.sort)), (head, tail))


def _part(whole: core.Term, place: int) -> core.Term:
    return core.Selection(_made(whole.sort), place, whole)


def _cases(items: core.Term, empty: core.Term, step: _Call) -> core.Term:
    """``match items { Nil => empty | Cons(h, t) => step(h, t) }``"""
    made = core.Discrimination(_made(items.sort), items)
    return _if(made, step(_part(items, 0), _part(items, 1)), empty)


def _apply(function: core.Term, *arguments: core.Term) -> core.Term:
    assert isinstance(function.sort, core.FunctionOf)
    return core.Application(function, arguments, function.sort.codomain)


def _between(join: str, empty: int) -> _Call:
    """Values at the integers of an interval, the last one set apart, as one that goes up by one has it."""

    def body(rec: _Call, sort: core.Sort, f: core.Term, low: core.Term, high: core.Term) -> core.Term:
        more = operation(join, sort, rec(f, low, _op("minus", high, _ONE)), _apply(f, high))
        return _if(_below(high, low), _number(empty, sort), more)

    return body


def _slice(
    rec: _Call, sort: core.Sort, xs: core.Term, start: core.Term, end: core.Term | None = None
) -> core.Term:
    """What is before the start is left out; then come elements to the end, which the list may not reach."""
    sooner = [_op("minus", each, _ONE) for each in (start, end) if each is not None]

    def step(first: core.Term, rest: core.Term) -> core.Term:
        if end is None:
            kept = xs
        else:
            kept = _if(_below(_ZERO, end), _cons(first, rec(rest, start, sooner[1])), _nil(sort))
        return _if(_below(_ZERO, start), rec(rest, *sooner), kept)

    return _cases(xs, _nil(sort), step)


def _zip(rec: _Call, sort: core.Sort, xs: core.Term, ys: core.Term) -> core.Term:
    assert isinstance(sort, core.ListOf)
    pair = _made(sort.element, 0)

    def step(x: core.Term, more: core.Term) -> core.Term:
        return _cases(ys, _nil(sort), lambda y, rest: _cons(core.Construction(pair, (x, y)), rec(more, rest)))

    return _cases(xs, _nil(sort), step)


def _every_member(less: core.Term, more: core.Term) -> core.Term:
    assert isinstance(less.sort, core.SetOf)
    x = core.Variable("x", less.sort.element)
    sides = tuple(operation("in_set", core.BOOL, x, each) for each in (less, more))
    return core.Quantifier("forall", (x,), core.Connective("implies", sides))


_BUILTINS: dict[str, _Call] = {
    "abs": lambda rec, s, a: _if(_below(a, _number(0, s)), _op("negate", a), a),
    "min": lambda rec, s, a, b: _if(_below(b, a), b, a),
    "max": lambda rec, s, a, b: _if(_below(a, b), b, a),
    "sign": lambda rec, s, a: _if(_below(a, _number(0, a.sort)), _number(-1, s),
        _if(core.Equals(a, _number(0, a.sort)), _ZERO, _ONE)),
    "fst": lambda rec, s, pair: _part(pair, 0),
    "snd": lambda rec, s, pair: _part(pair, 1),
    "head": lambda rec, s, xs: _part(xs, 0),
    "tail": lambda rec, s, xs: _part(xs, 1),
    "length": lambda rec, s, xs: _cases(xs, _ZERO, lambda h, t: _op("plus", _ONE, rec(t))),
    "append": lambda rec, s, xs, ys: _cases(xs, ys, lambda h, t: _cons(h, rec(t, ys))),
    "reverse": lambda rec, s, xs: _cases(xs, _nil(s), lambda h, t: _op("append", rec(t), _cons(h, _nil(s)))),
    "sum": lambda rec, s, xs: _cases(xs, _number(0, s), lambda h, t: _op("plus", h, rec(t))),
    "product": lambda rec, s, xs: _cases(xs, _number(1, s), lambda h, t: _op("times", h, rec(t))),
    "list_map": lambda rec, s, f, xs: _cases(xs, _nil(s), lambda h, t: _cons(_apply(f, h), rec(f, t))),
    "list_filter": lambda rec, s, p, xs: _cases(xs, _nil(s), lambda h, t: _if(_apply(p, h), _cons(h, rec(p, t)), rec(p, t))),
    # `all` and `any` stop early: what follows needs no value.
    "all": lambda rec, s, p, xs: _cases(xs, _YES, lambda h, t: _if(_apply(p, h), rec(p, t), _NO)),
    "any": lambda rec, s, p, xs: _cases(xs, _NO, lambda h, t: _if(_apply(p, h), _YES, rec(p, t))),
    "list_fold": lambda rec, s, f, a, xs: _cases(xs, a, lambda h, t: rec(f, _apply(f, a, h), t)),
    "foldr": lambda rec, s, f, a, xs: _cases(xs, a, lambda h, t: _apply(f, h, rec(f, a, t))),
    "in_set": lambda rec, s, a, xs: _cases(xs, _NO, lambda h, t: core.Connective("or", (core.Equals(a, h), rec(a, t)))),
    "list_slice": _slice,
    "list_zip": _zip,
    "list_flatten": lambda rec, s, xs: _cases(xs, _nil(s), lambda h, t: _op("append", h, rec(t))),
    "list_flatmap": lambda rec, s, f, xs: _cases(xs, _nil(s), lambda h, t: _op("append", _apply(f, h), rec(f, t))),
    "replicate": lambda rec, s, n, a: _if(_below(_ZERO, n), _cons(a, rec(_op("minus", n, _ONE), a)), _nil(s)),
    "sum_bounds": _between("plus", 0),
    "prod_bounds": _between("times", 1),
    "power": lambda rec, s, a, n: _if(core.Equals(n, core.LiteralTerm(0, core.NATURAL)), _number(1, s),
        _op("times", a, rec(a, core.Narrowing(_op("minus", core.Coercion(n, core.INTEGER), _ONE))))),
    "factorial": lambda rec, s, n: _if(core.Equals(n, core.LiteralTerm(0, core.NATURAL)), _number(1, s),
        _op("times", n, rec(core.Narrowing(_op("minus", core.Coercion(n, core.INTEGER), _ONE))))),
    "subset": lambda rec, s, a, b: _every_member(a, b),
}  # fmt: skip


def is_known(given: core.Operation) -> bool:
    """Whether a built-in has a definition."""
    return given.name in _BUILTINS


def builtin_definition(given: core.Operation) -> core.Definition:
    """A built-in as a definition, whose recursive calls are the built-in again; `NotExpressible` if it has none."""
    sorts = [each.sort for each in given.parameters]
    made = _BUILTINS.get(given.name)
    if made is None:
        raise NotExpressible(f"{given.name}({', '.join(map(sort_text, sorts))})")
    parameters = tuple(core.Variable(f"p{at}", sort) for at, sort in enumerate(sorts))
    body = made(partial(operation, given.name, given.result), given.result, *parameters)
    calls = (each.operation.name for each in subterms(body) if isinstance(each, core.BuiltinCall))
    key = f"\0{given.name} {sorts} {given.result}"
    group = (key,) if given.name in calls else ()
    return core.Definition(key, given.name, parameters, given.result, body, group)
