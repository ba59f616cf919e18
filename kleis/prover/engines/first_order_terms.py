"""First-order terms, formulas and their small operations.

Specification: proving.md §3; how a task becomes such formulas stands in kleis/prover/engines/first_order_problem.py.

Terms are many-sorted.  A Skolemised formula is made of `Literal`, `Both`, `Either` and `Same` of literals, over
letters that are universal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from kleis.core import BOOL, Sort, Symbol

__all__ = [
    "ALWAYS",
    "FALSE",
    "NEVER",
    "TRUE",
    "All",
    "Apply",
    "Both",
    "Either",
    "Formula",
    "Function",
    "Letter",
    "Literal",
    "Not",
    "Same",
    "Some",
    "Statement",
    "Term",
    "conjunction",
    "disjunction",
    "functions_of",
    "letters_in",
    "names_in",
    "replaced",
]


class Function(msgspec.Struct, frozen=True):
    """A function, predicate (`codomain` Bool) or constant.

    `symbol` is what it stands for, with the Bool arguments given by `fixed` (None: a place that is left); None for
    a Skolem function.
    """

    name: str
    domain: tuple[Sort, ...]
    codomain: Sort
    symbol: Symbol | None = None
    fixed: tuple[bool | None, ...] = ()


class Letter(msgspec.Struct, frozen=True):
    """A variable; all of them are universal once a formula is Skolemised."""

    name: str
    sort: Sort


class Apply(msgspec.Struct, frozen=True):
    """A function at its arguments."""

    function: Function
    arguments: tuple[Term, ...] = ()

    @property
    def sort(self) -> Sort:
        return self.function.codomain


Term: TypeAlias = Letter | Apply

TRUE = Apply(Function("true", (), BOOL))
FALSE = Apply(Function("false", (), BOOL))


class Literal(msgspec.Struct, frozen=True):
    """``left = right`` or its negation; a predicate is an equation with `TRUE`."""

    positive: bool
    left: Term
    right: Term


class Not(msgspec.Struct, frozen=True):
    """¬; gone after Skolemisation."""

    body: Formula


class Both(msgspec.Struct, frozen=True):
    """A conjunction; empty: true."""

    parts: tuple[Formula, ...]


class Either(msgspec.Struct, frozen=True):
    """A disjunction; empty: false."""

    parts: tuple[Formula, ...]


class Same(msgspec.Struct, frozen=True):
    """↔."""

    left: Formula
    right: Formula


class All(msgspec.Struct, frozen=True):
    """∀; gone after Skolemisation."""

    letters: tuple[Letter, ...]
    body: Formula


class Some(msgspec.Struct, frozen=True):
    """∃; gone after Skolemisation."""

    letters: tuple[Letter, ...]
    body: Formula


Formula: TypeAlias = Literal | Not | Both | Either | Same | All | Some


class Statement(msgspec.Struct, frozen=True):
    """An axiom or lemma, Skolemised: `Literal`, `Both`, `Either` and `Same` of literals, over universal letters."""

    name: str
    formula: Formula


ALWAYS, NEVER = Both(()), Either(())
"""The formulas that are true, and false."""


def functions_of(*formulas: Formula) -> tuple[Function, ...]:
    """The functions that Skolemised formulas speak of, in order of occurrence, truth values left out."""
    found: dict[Function, None] = {}
    waiting: list[Formula | Term] = list(reversed(formulas))
    while waiting:
        each = waiting.pop()
        match each:
            case Apply(function=function, arguments=arguments):
                if each not in (TRUE, FALSE):
                    found.setdefault(function)
                waiting.extend(reversed(arguments))
            case Literal(left=left, right=right) | Same(left=left, right=right):
                waiting.extend((right, left))
            case Both(parts=parts) | Either(parts=parts):
                waiting.extend(reversed(parts))
            case Not(body=body) | All(body=body) | Some(body=body):
                waiting.append(body)
            case Letter():
                continue
    return tuple(found)


def conjunction(parts: tuple[Formula, ...]) -> Formula:
    flat = tuple(one for each in parts for one in (each.parts if isinstance(each, Both) else (each,)))
    return NEVER if NEVER in flat else flat[0] if len(flat) == 1 else Both(flat)


def disjunction(parts: tuple[Formula, ...]) -> Formula:
    flat = tuple(one for each in parts for one in (each.parts if isinstance(each, Either) else (each,)))
    return ALWAYS if ALWAYS in flat else flat[0] if len(flat) == 1 else Either(flat)


def names_in(formula: Formula) -> tuple[str, ...]:
    """The names of all letters in a formula, bound or not."""
    found: dict[str, None] = {}
    waiting: list[Formula | Term] = [formula]
    while waiting:
        each = waiting.pop()
        match each:
            case Letter(name=name):
                found.setdefault(name)
            case Apply(arguments=arguments):
                waiting.extend(reversed(arguments))
            case Literal(left=left, right=right) | Same(left=left, right=right):
                waiting.extend((right, left))
            case Both(parts=parts) | Either(parts=parts):
                waiting.extend(reversed(parts))
            case Not(body=body) | All(body=body) | Some(body=body):
                waiting.append(body)
    return tuple(found)


def letters_in(term: Term) -> set[Letter]:
    if isinstance(term, Letter):
        return {term}
    return set().union(*map(letters_in, term.arguments))


def replaced(term: Term, values: Mapping[str, Term]) -> Term:
    if isinstance(term, Letter):
        return values.get(term.name, term)
    if not term.arguments:
        return term
    return Apply(term.function, tuple(replaced(each, values) for each in term.arguments))
