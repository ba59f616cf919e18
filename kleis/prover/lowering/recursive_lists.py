"""Built-ins of lists as recursive definitions that compute what the built-in table computes.

See docs/reference/proving.md §9.1.  Solvers know lists as a data type with two constructors, and nothing of `append` or
`reverse`.  Written as recursive definitions these can be unfolded and used in inductions.

    length(Nil) = 0                      length(Cons(h, t)) = length(t) + 1
    append(Nil, m) = m                   append(Cons(h, t), m) = Cons(h, append(t, m))
    list_map(f, Nil) = Nil               list_map(f, Cons(h, t)) = Cons(f(h), list_map(f, t))

A function that is given to a built-in is a parameter here; `defunctionalize` replaces the parameter by the function.

Invariants
    * A definition has a value exactly where the row of the built-in table has one, and the same: a predicate is asked
      of no element behind the one that decides (`all`, `any`), and of every other one.
    * The recursion is structural in a list, or a number of steps down from an integer.  Powers with unknown natural
      exponents, and factorials of unknown numbers, are written so too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, difference, integer, less, total
from kleis.core.goal import Termination
from kleis.core.sort_printing import sorts_text
from kleis.core.terms import construct_tuple
from kleis.prover.lowering.list_terms import (
    append,
    applied,
    builtin,
    cons,
    head,
    is_nil,
    length,
    list_sort,
    nil,
    number,
    of_lists,
    plus,
    tail,
    times,
)

__all__ = ["BUILT_IN", "Recursive", "recursive"]

BUILT_IN = "built-in "
"""The beginning of the keys of these definitions; no name of a program has a blank."""


class Recursive(msgspec.Struct, frozen=True):
    """A definition with its termination argument."""

    definition: core.Definition
    termination: Termination


def recursive(operation: core.Operation, arguments: Sequence[core.Term]) -> Recursive | None:
    """The recursive definition of a built-in at its sorts; None if there is none, or none is needed for a call."""
    make = _RECURSIVE.get(operation.name)
    if make is None or not of_lists(operation):
        return None
    if operation.name == "power" and not _is_unknown_power(operation, arguments):
        return None
    if operation.name == "factorial" and operation.parameters[0].sort != core.NATURAL:
        return None
    sorts = sorts_text((*(each.sort for each in operation.parameters), operation.result))
    return make(_Recursion(f"{BUILT_IN}{operation.name}/{sorts}", operation))


def _is_unknown_power(operation: core.Operation, arguments: Sequence[core.Term]) -> bool:
    """Whether a power is a product of so many factors as an unknown natural number says."""
    exponent = arguments[1]
    while isinstance(exponent, core.Coercion):
        exponent = exponent.term
    natural = operation.parameters[1].sort == core.NATURAL
    return natural and operation.result != core.COMPLEX and not isinstance(exponent, core.LiteralTerm)


class _Recursion:
    """A definition that is being written: its parameters, its recursive call."""

    def __init__(self, key: str, operation: core.Operation) -> None:
        self.operation = operation
        self.parameters = operation.parameters
        self.result = operation.result
        self._key = key

    def call(self, *arguments: core.Term) -> core.Term:
        """The recursive call."""
        return core.DefinitionCall(self._key, arguments, self.result)

    def structural(
        self, place: int, base: core.Term, step: core.Term, condition: core.Term | None = None
    ) -> Recursive:
        """The definition by cases of the constructors of one parameter."""
        body = core.Conditional(is_nil(self.parameters[place]), base, step)
        return self.of(body, Termination(kind="structural", arguments=(place,), condition=condition))

    def of(self, body: core.Term, termination: Termination) -> Recursive:
        """The definition with a body."""
        name = self.operation.name
        made = core.Definition(self._key, name, self.parameters, self.result, body, (self._key,))
        return Recursive(made, termination)


# ── Recursion on a list ──────────────────────────────────────────────────────────────────────────────────────


def _length_of(recursion: _Recursion) -> Recursive:
    (xs,) = recursion.parameters
    one = core.LiteralTerm(1, core.NATURAL)
    return recursion.structural(0, core.LiteralTerm(0, core.NATURAL), plus(recursion.call(tail(xs)), one))


def _appended(recursion: _Recursion) -> Recursive:
    xs, ys = recursion.parameters
    return recursion.structural(0, ys, cons(head(xs), recursion.call(tail(xs), ys)))


def _reversed(recursion: _Recursion) -> Recursive:
    (xs,) = recursion.parameters
    none = nil(list_sort(xs))
    return recursion.structural(0, none, append(recursion.call(tail(xs)), cons(head(xs), none)))


def _flattened(recursion: _Recursion) -> Recursive:
    (xs,) = recursion.parameters
    assert isinstance(recursion.result, core.ListOf)
    return recursion.structural(0, nil(recursion.result), append(head(xs), recursion.call(tail(xs))))


def _zipped(recursion: _Recursion) -> Recursive:
    xs, ys = recursion.parameters
    assert isinstance(recursion.result, core.ListOf)
    none, heads = nil(recursion.result), (head(xs), head(ys))
    pair = construct_tuple(heads, [each.sort for each in heads])
    both = cons(pair, recursion.call(tail(xs), tail(ys)))
    return recursion.structural(0, none, core.Conditional(is_nil(ys), none, both))


def _folded_with(
    combine: Callable[[core.Term, core.Term], core.Term], empty: int
) -> Callable[[_Recursion], Recursive]:
    def make(recursion: _Recursion) -> Recursive:
        (xs,) = recursion.parameters
        return recursion.structural(
            0, number(empty, recursion.result), combine(head(xs), recursion.call(tail(xs)))
        )

    return make


def _vector_sum(recursion: _Recursion) -> Recursive:
    xs, ys = recursion.parameters
    none = nil(list_sort(xs))
    both = cons(plus(head(xs), head(ys)), recursion.call(tail(xs), tail(ys)))
    return recursion.structural(
        0, none, core.Conditional(is_nil(ys), none, both), core.Equals(length(xs), length(ys))
    )


def _nth(recursion: _Recursion) -> Recursive:
    xs, index = recursion.parameters
    later = recursion.call(tail(xs), difference(index, integer(1)))
    step = core.Conditional(core.Equals(index, integer(0)), head(xs), later)
    return recursion.structural(0, core.Undefined(recursion.result, "no such element"), step)


def _member(recursion: _Recursion) -> Recursive:
    x, xs = recursion.parameters
    yes, no = core.LiteralTerm(True, core.BOOL), core.LiteralTerm(False, core.BOOL)
    return recursion.structural(
        1, no, core.Conditional(core.Equals(x, head(xs)), yes, recursion.call(x, tail(xs)))
    )


def _set_of(recursion: _Recursion) -> Recursive:
    (xs,) = recursion.parameters
    assert isinstance(recursion.result, core.SetOf)
    inserted = builtin("insert", recursion.result, a=head(xs), s=recursion.call(tail(xs)))
    return recursion.structural(0, builtin("empty_set", recursion.result), inserted)


def _dropped(recursion: _Recursion) -> Recursive:
    xs, count = recursion.parameters
    fewer = recursion.call(tail(xs), difference(count, integer(1)))
    return recursion.structural(
        0, nil(list_sort(xs)), core.Conditional(at_least(integer(0), count), xs, fewer)
    )


def _taken(recursion: _Recursion) -> Recursive:
    xs, count = recursion.parameters
    none = nil(list_sort(xs))
    first = cons(head(xs), recursion.call(tail(xs), difference(count, integer(1))))
    return recursion.structural(0, none, core.Conditional(at_least(integer(0), count), none, first))


# ── With a function ──────────────────────────────────────────────────────────────────────────────────────────


def _mapped(recursion: _Recursion) -> Recursive:
    f, xs = recursion.parameters
    assert isinstance(recursion.result, core.ListOf)
    return recursion.structural(
        1, nil(recursion.result), cons(applied(f, head(xs)), recursion.call(f, tail(xs)))
    )


def _filtered(recursion: _Recursion) -> Recursive:
    p, xs = recursion.parameters
    rest = recursion.call(p, tail(xs))
    kept = core.Conditional(applied(p, head(xs)), cons(head(xs), rest), rest)
    return recursion.structural(1, nil(list_sort(xs)), kept)


def _all(recursion: _Recursion) -> Recursive:
    p, xs = recursion.parameters
    no = core.LiteralTerm(False, core.BOOL)
    step = core.Conditional(applied(p, head(xs)), recursion.call(p, tail(xs)), no)
    return recursion.structural(1, core.LiteralTerm(True, core.BOOL), step)


def _any(recursion: _Recursion) -> Recursive:
    p, xs = recursion.parameters
    yes = core.LiteralTerm(True, core.BOOL)
    step = core.Conditional(applied(p, head(xs)), yes, recursion.call(p, tail(xs)))
    return recursion.structural(1, core.LiteralTerm(False, core.BOOL), step)


def _fold_left(recursion: _Recursion) -> Recursive:
    f, start, xs = recursion.parameters
    return recursion.structural(2, start, recursion.call(f, applied(f, start, head(xs)), tail(xs)))


def _fold_right(recursion: _Recursion) -> Recursive:
    f, start, xs = recursion.parameters
    return recursion.structural(2, start, applied(f, head(xs), recursion.call(f, start, tail(xs))))


def _flat_mapped(recursion: _Recursion) -> Recursive:
    f, xs = recursion.parameters
    assert isinstance(recursion.result, core.ListOf)
    step = append(applied(f, head(xs)), recursion.call(f, tail(xs)))
    return recursion.structural(1, nil(recursion.result), step)


# ── Recursion on a number ────────────────────────────────────────────────────────────────────────────────────


def _replicated(recursion: _Recursion) -> Recursive:
    count, a = recursion.parameters
    none = nil(core.ListOf(a.sort))
    more = cons(a, recursion.call(difference(count, integer(1)), a))
    body = core.Conditional(at_least(integer(0), count), none, more)
    condition = at_least(count, integer(0))
    return recursion.of(body, Termination(kind="measure", measures=(count,), condition=condition))


def _powered(recursion: _Recursion) -> Recursive:
    base, exponent = recursion.parameters
    count = core.Coercion(exponent, core.INTEGER)
    less_by_one = core.Narrowing(difference(count, integer(1)))
    more = times(base, recursion.call(base, less_by_one))
    body = core.Conditional(core.Equals(count, integer(0)), number(1, recursion.result), more)
    return recursion.of(body, Termination(kind="measure", measures=(count,)))


def _factorial(recursion: _Recursion) -> Recursive:
    (last,) = recursion.parameters
    count = core.Coercion(last, core.INTEGER)
    more = times(last, recursion.call(core.Narrowing(difference(count, integer(1)))))
    body = core.Conditional(core.Equals(count, integer(0)), number(1, recursion.result), more)
    return recursion.of(body, Termination(kind="measure", measures=(count,)))


def _interval(recursion: _Recursion) -> Recursive:
    low, high = recursion.parameters
    last = difference(high, integer(1))
    none = nil(core.ListOf(core.INTEGER))
    more = append(recursion.call(low, last), cons(last, none))
    body = core.Conditional(at_least(low, high), none, more)
    return recursion.of(body, Termination(kind="measure", measures=(difference(high, low),)))


def _over_interval(
    combine: Callable[[core.Term, core.Term], core.Term], empty: int, *, inclusive: bool
) -> Callable[[_Recursion], Recursive]:
    """A sum or product of values at the integers of an interval, the last one set apart."""

    def make(recursion: _Recursion) -> Recursive:
        f, low, high = recursion.parameters
        before = difference(high, integer(1))
        over = less(high, low) if inclusive else at_least(low, high)
        more = combine(recursion.call(f, low, before), applied(f, high if inclusive else before))
        body = core.Conditional(over, number(empty, recursion.result), more)
        measure = total([difference(high, low), integer(1)])
        return recursion.of(body, Termination(kind="measure", measures=(measure,)))

    return make


_RECURSIVE: Mapping[str, Callable[[_Recursion], Recursive]] = {
    "length": _length_of,
    "append": _appended,
    "reverse": _reversed,
    "list_flatten": _flattened,
    "list_zip": _zipped,
    "sum": _folded_with(plus, 0),
    "product": _folded_with(times, 1),
    "vec_add": _vector_sum,
    "nth": _nth,
    "in_set": _member,
    "set_of": _set_of,
    "list drop": _dropped,
    "list take": _taken,
    "list_map": _mapped,
    "list_filter": _filtered,
    "all": _all,
    "any": _any,
    "list_fold": _fold_left,
    "foldr": _fold_right,
    "list_flatmap": _flat_mapped,
    "power": _powered,
    "factorial": _factorial,
    "replicate": _replicated,
    "range": _interval,
    "sum_over": _over_interval(plus, 0, inclusive=False),
    "sum_bounds": _over_interval(plus, 0, inclusive=True),
    "prod_bounds": _over_interval(times, 1, inclusive=True),
}
