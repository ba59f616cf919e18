"""Tier T3: operations that call functions: map, filter, folds, sums and products over intervals, application.

A function is a lambda, the name of a definition, built-in or constructor, or any of these with some of its arguments.
See docs/reference/kleis.md §8.3.
"""

from __future__ import annotations

from kleis import core
from kleis.builtins.matrix_algebra import entry_sum, product_of_entries
from kleis.builtins.row import (
    Argument,
    Builtin,
    Context,
    Requests,
    Signature,
    Undecided,
    Untyped,
    row,
    undefined,
    wrong_sort,
)
from kleis.builtins.rows.lists import elements
from kleis.builtins.shapes import NUMBERS, fixed, shape
from kleis.values import ListValue, Stuck, Suspended, Symbol, Value, kind_name, list_of

__all__ = ["FUNCTIONS"]


def _map(context: Context, function: Value, items: Value) -> Requests:
    mapped: list[Value] = []
    for item in elements(context, items):
        mapped.append((yield function, (item,)))
    return list_of(mapped)


def _truth(value: Value) -> bool | None:
    """The truth value a predicate gave, None where it is symbolic."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (Symbol, Stuck, Suspended)):
        return None
    raise wrong_sort("a predicate gave no truth value", found=kind_name(value), expected="Bool")


def _filter(context: Context, function: Value, items: Value) -> Requests:
    kept: list[Value] = []
    for item in elements(context, items):
        verdict = _truth((yield function, (item,)))
        if verdict is None:
            raise Undecided
        if verdict:
            kept.append(item)
    return list_of(kept)


def _all(context: Context, function: Value, items: Value) -> Requests:
    decided = True
    for item in elements(context, items):
        verdict = _truth((yield function, (item,)))
        if verdict is False:
            return False
        decided = decided and verdict is True
    if not decided:
        raise Undecided
    return True


def _any(context: Context, function: Value, items: Value) -> Requests:
    decided = True
    for item in elements(context, items):
        verdict = _truth((yield function, (item,)))
        if verdict is True:
            return True
        decided = decided and verdict is False
    if not decided:
        raise Undecided
    return False


def _fold_left(context: Context, function: Value, start: Value, items: Value) -> Requests:
    accumulated = start
    for item in elements(context, items):
        accumulated = yield function, (accumulated, item)
    return accumulated


def _fold_right(context: Context, function: Value, start: Value, items: Value) -> Requests:
    accumulated = start
    for item in reversed(elements(context, items)):
        accumulated = yield function, (item, accumulated)
    return accumulated


def _flat_map(context: Context, function: Value, items: Value) -> Requests:
    flat: list[Value] = []
    for item in elements(context, items):
        part = yield function, (item,)
        if isinstance(part, (Symbol, Stuck, Suspended)):
            raise Undecided
        if not isinstance(part, ListValue):
            raise wrong_sort("the function gave no list", found=kind_name(part), expected="a list")
        context.admit(len(flat) + len(part), "a list")
        flat += part.items()
    return list_of(flat)


def _apply(context: Context, function: Value, *arguments: Value) -> Requests:
    value = yield function, arguments
    return value


def _sum_between(context: Context, body: Value, low: int, high: int) -> Requests:
    total: Value = 0
    for index in range(low, high + 1):
        context.charge(1)
        total = entry_sum(context, total, (yield body, (index,)))
    return total


def _sum_below(context: Context, body: Value, low: int, high: int) -> Requests:
    total = yield from _sum_between(context, body, low, high - 1)
    return total


def _product_between(context: Context, body: Value, low: int, high: int) -> Requests:
    total: Value = 1
    for index in range(low, high + 1):
        context.charge(1)
        total = product_of_entries(context, total, (yield body, (index,)))
    return total


def _identity(context: Context, value: Value) -> Value:
    return value


def _replicate(context: Context, count: int, value: Value) -> ListValue:
    if count < 0:
        raise undefined("a list of negative length", "state that the count is not negative")
    context.admit(count, "a list")
    return list_of([value] * count)


# Signatures.  A function that is given may be partial: a call has no value where one that it needs has none.

_A = core.SortVariable("a")
_B = core.SortVariable("b")
_LIST = core.ListOf(_A)
_PREDICATE = core.FunctionOf((_A,), core.BOOL)
_QUANTIFIED = fixed(shape(_PREDICATE, _LIST, core.BOOL))
_OVER_AN_INTERVAL = fixed(
    *(shape(core.FunctionOf((core.INTEGER,), each), core.INTEGER, core.INTEGER, each) for each in NUMBERS)
)


def _application_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """A function and all its arguments."""
    domain = tuple(core.SortVariable(f"a{place}") for place in range(1, len(arguments)))
    return (Signature(row=row, parameters=(core.FunctionOf(domain, _B), *domain), result=_B),)


FUNCTIONS: tuple[Builtin, ...] = (
    row("list_map(f : Function, l : List) : List", fixed(shape(core.FunctionOf((_A,), _B), _LIST, core.ListOf(_B))),
        _map, "f of every element.", ("map(λ x . x * x, [1, 2, 3])", "[1, 4, 9]"),
        ("map(strlen, [\"ab\", \"\"])", "[2, 0]"), tier="T3", aliases="map builtin_map", higher_order=True),
    row("list_filter(p : Function, l : List) : List", fixed(shape(_PREDICATE, _LIST, _LIST)), _filter,
        "The elements that fulfil p.", ("filter(λ x . x > 1, [1, 2, 3])", "[2, 3]"), tier="T3",
        aliases="filter builtin_filter", higher_order=True),
    row("all(p : Function, l : List) : Bool", _QUANTIFIED, _all, "Whether every element fulfils p.",
        ("all(λ x . x > 0, [1, 2])", "true"), ("all(λ x . x > 0, [])", "true"), tier="T3", aliases="builtin_all",
        higher_order=True),
    row("any(p : Function, l : List) : Bool", _QUANTIFIED, _any, "Whether some element fulfils p.",
        ("any(λ x . x > 1, [1, 2])", "true"), ("any(λ x . x > 1, [])", "false"), tier="T3", aliases="builtin_any",
        higher_order=True),
    row("list_fold(f : Function, start : Any, l : List) : Any",
        fixed(shape(core.FunctionOf((_B, _A), _B), _B, _LIST, _B)), _fold_left,
        "f(accumulated, element) from the left.", ("foldl(λ a x . a - x, 10, [1, 2])", "7"), tier="T3",
        aliases="foldl builtin_foldl fold", higher_order=True),
    row("foldr(f : Function, start : Any, l : List) : Any", fixed(shape(core.FunctionOf((_A, _B), _B), _B, _LIST, _B)),
        _fold_right, "f(element, accumulated) from the right.", ("foldr(λ x a . x - a, 10, [1, 2])", "9"), tier="T3",
        aliases="builtin_foldr", higher_order=True),
    row("list_flatmap(f : Function, l : List) : List",
        fixed(shape(core.FunctionOf((_A,), core.ListOf(_B)), _LIST, core.ListOf(_B))), _flat_map,
        "The lists that f gives, joined.", ("flatmap(λ x . [x, x], [1, 2])", "[1, 1, 2, 2]"), tier="T3",
        aliases="flatmap concat_map builtin_flatmap", higher_order=True),
    row("apply_lambda(f : Function, arguments : Any*) : Any", _application_signatures, _apply, "f of the arguments.",
        ("apply_lambda(λ x y . x - y, 5, 3)", "2"), tier="T3", higher_order=True),
    row("sum_bounds(f : Function, low : ℤ, high : ℤ) : ℂ", _OVER_AN_INTERVAL, _sum_between, "Σ: f(low) + … + f(high).",
        ("Σ(1, 4, λ i . i * i)", "30"), ("Σ(1, 0, λ i . i)", "0"), tier="T3", higher_order=True),
    row("prod_bounds(f : Function, low : ℤ, high : ℤ) : ℂ", _OVER_AN_INTERVAL, _product_between,
        "Π: f(low) * … * f(high).", ("Π(1, 5, λ i . i)", "120"), tier="T3", higher_order=True),
    row("sum_over(f : Function, low : ℤ, high : ℤ) : ℂ", _OVER_AN_INTERVAL, _sum_below, "f(low) + … + f(high - 1).",
        ("sum_over(λ i . i, 0, 4)", "6"), tier="T3", higher_order=True),
    row("eval(a : Any) : Any", Untyped("it is an instruction to the evaluator; write its argument"), _identity,
        "The value of a: evaluation is always to the end.", ("eval(1 + 1)", "2"), tier="T0", aliases="reduce"),
    row("replicate(count : ℤ, a : Any) : List", fixed(shape(core.INTEGER, _A, _LIST)), _replicate, "So many times a.",
        ("replicate(2, 7)", "[7, 7]"), ("replicate(0 - 1, 7)", "undefined"), tier="T3", condition="count ≥ 0"),
)  # fmt: skip
