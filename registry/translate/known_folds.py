"""Folds that are built-in operations of Kleis, written as these (docs/reference/registry.md §8.3).

A fold over `items` that begins with `start` is, by what its step does with the accumulator:

    Cons(e, acc)                    append(reverse(list_map(λ(item). e, items)), start)
    acc + e                         start + sum(list_map(λ(item). e, items))
    acc * e                         start * product(list_map(λ(item). e, items))
    if c then <one of these> else acc    the same over list_filter(λ(item). c, items)

where neither c nor e mentions the accumulator.  `e` alone is no `list_map`, and `acc + 1` counts: `length`.  Kleis
knows these operations by recursive definitions without accumulators, so that laws of them are shown by induction as
they stand; of a helper with an accumulator each law needs a lemma first.

Invariants
    * Both sides have a value at the same lists, and the same: a fold evaluates its step at every item, and so do
      `list_map` and `list_filter`; `start` and `items` are evaluated in any case.  tests/registry/translate/test_known_folds.py has
      Kleis prove rows equal to the helper that any other fold becomes, and runs all of them where values are missing.
    * Any other fold is left to `folds`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from pif.language.terms import Term
from registry.translate.kleis_syntax import EMPTY, call, names_in

__all__ = ["Step", "appended", "is_reversal", "known_fold", "reversed_list"]

_ONE, _ZERO = tree.Number("1"), tree.Number("0")


class Step(msgspec.Struct, frozen=True):
    """The step of a fold: the next accumulator at an item. `sort` is the item's type, where it is known."""

    accumulator: str
    item: str
    body: tree.Expression
    sort: tree.TypeExpression | None


class _Row(msgspec.Struct, frozen=True):
    """A recognised step: the operation, what it takes of an item, and a condition on the items (None: all)."""

    operation: str
    taken: tree.Expression
    condition: tree.Expression | None = None


def known_fold(step: Step, start: tree.Expression, items: tree.Expression) -> tree.Expression | None:
    """The fold as operations of Kleis; None for a step that is not recognised."""
    row = _row(step, step.body)
    if row is None:
        return None
    if row.condition is not None:
        items = call("list_filter", _function(step, row.condition), items)
    if row.operation == "plus" and row.taken == _ONE:
        return _sum(start, call("length", items))
    if row.taken != tree.Name(step.item):
        items = call("list_map", _function(step, row.taken), items)
    match row.operation:
        case "Cons":
            return appended(reversed_list(items), start)
        case "plus":
            return _sum(start, call("sum", items))
        case _:
            product = call("product", items)
            return product if start == _ONE else call("times", start, product)


def _function(step: Step, body: tree.Expression) -> tree.Lambda:
    """A function of the item. Its type is left out in a template: a type variable written there would be another one."""
    named = (
        [] if step.sort is None else [each for each in walk(step.sort) if isinstance(each, tree.NamedType)]
    )
    concrete = not any(len(each.name) == 1 and each.name.isascii() for each in named)
    return tree.Lambda((tree.Parameter(step.item, step.sort if concrete else None),), body)


def _sum(start: tree.Expression, rest: tree.Expression) -> tree.Expression:
    return rest if start == _ZERO else call("plus", start, rest)


def _row(step: Step, body: tree.Expression) -> _Row | None:
    """The recognised step of a body, if there is one."""
    match body:
        case tree.Let(value=bound, body=inner) if step.accumulator not in names_in(bound):
            return _around(_row(step, inner), partial(_within, body))
        case tree.Conditional(condition=condition, consequent=yes, alternative=no):
            if step.accumulator in names_in(condition):
                return None
            if no == tree.Name(step.accumulator):
                return _where(condition, _row(step, yes))
            if yes == tree.Name(step.accumulator):
                return _where(call("logical_not", condition), _row(step, no))
            return None
        case tree.Call(name="Cons", arguments=(taken, tree.Name(name=name))) if name == step.accumulator:
            return _free(step, "Cons", taken)
        case tree.Call(name="plus" | "times" as operation, arguments=(first, second)):
            acc = tree.Name(step.accumulator)
            other = second if first == acc else first if second == acc else None
            return None if other is None else _free(step, operation, other)
        case _:
            return None


def _free(step: Step, operation: str, taken: tree.Expression) -> _Row | None:
    return None if step.accumulator in names_in(taken) else _Row(operation, taken)


def _where(condition: tree.Expression, row: _Row | None) -> _Row | None:
    """A row of the items where a condition holds; nested conditions are not recognised."""
    return (
        None
        if row is None or row.condition is not None
        else msgspec.structs.replace(row, condition=condition)
    )


def _within(binding: tree.Let, part: tree.Expression) -> tree.Expression:
    return msgspec.structs.replace(binding, body=part)


def _around(row: _Row | None, wrapped: Callable[[tree.Expression], tree.Expression]) -> _Row | None:
    """A row whose parts are within bindings. A binding around 1 is kept: its value may be undefined."""
    if row is None:
        return None
    inside = None if row.condition is None else wrapped(row.condition)
    return msgspec.structs.replace(row, taken=wrapped(row.taken), condition=inside)


# ── Lists in reverse ─────────────────────────────────────────────────────────────────────────────────────────


def reversed_list(items: tree.Expression) -> tree.Expression:
    """``reverse(items)``; of a reversed list the list itself."""
    match items:
        case tree.Call(name="reverse", arguments=(inner,)):
            return inner
        case _ if items == EMPTY:
            return EMPTY
        case _:
            return call("reverse", items)


def appended(first: tree.Expression, second: tree.Expression) -> tree.Expression:
    """``append(first, second)``, without what is empty."""
    if second == EMPTY:
        return first
    return second if first == EMPTY else call("append", first, second)


def is_reversal(term: Term) -> bool:
    """Whether a tool's code is the fold that reverses a list: ``λxs. fold(λp. cons(snd p, fst p), nil, xs)``."""
    if term.op != "lam" or term.parts[0].op != "fold":
        return False
    step, start, items = term.parts[0].parts
    if start.op != "nil" or items.op != "var" or items.value != term.value:
        return False
    if step.op != "lam" or step.parts[0].op != "cons":
        return False
    head, tail = step.parts[0].parts
    return all(
        each.op == half and each.parts[0].op == "var" and each.parts[0].value == step.value
        for each, half in ((head, "snd"), (tail, "fst"))
    )
