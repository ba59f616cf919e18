"""`if`, `and`, `or` and the questions whether a list is empty (ADR 015).

A condition that asks for an empty list becomes cases, so that what stands in them knows the head and the tail: this is
the form in which recursion over lists is structural, and in which it is proved by induction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kleis.syntax.tree import Boolean, Expression, Name
from pif.analysis.types.unification import Shape, find
from pif.language.terms import Term
from registry.translate.kleis_syntax import call, choice, is_total, list_cases
from registry.translate.symbolic_values import Code

if TYPE_CHECKING:
    from registry.translate.translator import Translator

__all__ = ["branches", "connective", "emptiness"]

_SMALL = 24
"""Nodes of a branch that may be written twice, so that a condition becomes cases."""

Make = Callable[[], Expression]


def branches(translator: Translator, condition: Code, then: Code, other: Code) -> Expression:
    """An `if`."""
    return _decided(translator, condition, lambda: translator.expression(then), lambda: translator.expression(other),
                    small=(then.term.nodes <= _SMALL, other.term.nodes <= _SMALL))  # fmt: skip


def _decided(
    translator: Translator, condition: Code, then: Make, other: Make, *, small: tuple[bool, bool]
) -> Expression:
    """One of two expressions. `small` says of each whether it may be written twice."""
    term = condition.term
    if term.op == "not":
        return _decided(translator, condition.child(0), other, then, small=(small[1], small[0]))
    if term.op == "and" and small[1] and _has_emptiness(term):
        return _decided(
            translator,
            condition.child(0),
            lambda: _decided(translator, condition.child(1), then, other, small=small),
            other,
            small=(False, True),
        )
    if term.op == "or" and small[0] and _has_emptiness(term):
        return _decided(
            translator,
            condition.child(0),
            then,
            lambda: _decided(translator, condition.child(1), then, other, small=small),
            small=(True, False),
        )
    asked = _asked_list(condition)
    if asked is not None:
        return _cases(translator, asked, then, other)
    question = translator.expression(condition)
    return choice(question, _inside(translator, then), _inside(translator, other))


def _inside(translator: Translator, make: Make) -> Expression:
    with translator.framed() as frame:
        return frame.around(make())


def _cases(translator: Translator, asked: Code, empty: Make, other: Make) -> Expression:
    """Cases of a list; where it is known already not to be empty, what holds then."""
    items = translator.atom(translator.expression(asked), "items", asked.type)
    if not isinstance(items, Name):
        return choice(emptiness(items), _inside(translator, empty), _inside(translator, other))
    if translator.frame.list(items.name) is not None:
        return _inside(translator, other)
    item = find(asked.type) if asked.type is not None else None
    element = item.parts[0] if isinstance(item, Shape) and item.name == "list" else None
    head, tail = translator.variable("item", element), translator.variable("rest", asked.type)
    first = _inside(translator, empty)
    with translator.framed({items.name: (head, tail)}) as frame:
        second = frame.around(other())
    return list_cases(items, first, head, tail, second)


def _asked_list(condition: Code) -> Code | None:
    """The list of a condition that asks whether it is empty, in any of the ways of asking."""
    term = condition.term
    if term.op == "isEmpty":
        return condition.child(0)
    if term.op != "eq":
        return None
    for number in (0, 1):
        one, other = condition.child(number), condition.child(1 - number)
        if other.term.op == "nil" or (other.term.op == "list" and not other.term.parts):
            return one if one.term.op in ("var", "tail") else None
        if one.term.op == "length" and other.term.op == "literal" and other.term.value == 0:
            inner = one.child(0)
            found = None if inner.type is None else find(inner.type)
            is_list = isinstance(found, Shape) and found.name == "list"
            return inner if is_list and other.term.value is not False else None
    return None


def _has_emptiness(term: Term) -> bool:
    if term.op in ("and", "or", "not"):
        return any(map(_has_emptiness, term.parts))
    return term.op == "isEmpty"


def emptiness(items: Expression) -> Expression:
    """Whether a list is empty, as a value."""
    return list_cases(items, Boolean(True), "_", "_", Boolean(False))


def connective(translator: Translator, code: Code) -> Expression:
    """`and` or `or` as a value.

    Kleis's are Kleene's: ``undefined ∧ false`` is false, where PIF has no value. They are used where the left side
    certainly has a value; then the right side decides exactly where PIF asks for it.
    """
    left = translator.expression(code.child(0))
    right = _inside(translator, lambda: translator.expression(code.child(1)))
    if is_total(left):
        return call("logical_and" if code.term.op == "and" else "logical_or", left, right)
    return (
        choice(left, right, Boolean(False)) if code.term.op == "and" else choice(left, Boolean(True), right)
    )
