"""First-order terms, formulas and their small operations.

Terms are many-sorted.  A Skolemised formula is made of `Literal`, `And`, `Or` and `Iff` of literals; its variables are
universal.  `first_order_problem` translates tasks into such formulas.
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
    "And",
    "Apply",
    "Exists",
    "ForAll",
    "Formula",
    "Function",
    "Iff",
    "Literal",
    "Not",
    "Or",
    "Statement",
    "Term",
    "Variable",
    "conjunction",
    "disjunction",
    "functions_of",
    "names_in",
    "replaced",
    "variables_in",
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


class Variable(msgspec.Struct, frozen=True):
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


Term: TypeAlias = Variable | Apply

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


class And(msgspec.Struct, frozen=True):
    """A conjunction; empty: true."""

    parts: tuple[Formula, ...]


class Or(msgspec.Struct, frozen=True):
    """A disjunction; empty: false."""

    parts: tuple[Formula, ...]


class Iff(msgspec.Struct, frozen=True):
    """↔."""

    left: Formula
    right: Formula


class ForAll(msgspec.Struct, frozen=True):
    """∀; gone after Skolemisation."""

    variables: tuple[Variable, ...]
    body: Formula


class Exists(msgspec.Struct, frozen=True):
    """∃; gone after Skolemisation."""

    variables: tuple[Variable, ...]
    body: Formula


Formula: TypeAlias = Literal | Not | And | Or | Iff | ForAll | Exists


class Statement(msgspec.Struct, frozen=True):
    """An axiom or lemma, Skolemised: `Literal`, `And`, `Or` and `Iff` of literals, over universal variables."""

    name: str
    formula: Formula


ALWAYS, NEVER = And(()), Or(())
"""The formulas that are true, and false."""


def functions_of(*formulas: Formula) -> tuple[Function, ...]:
    """The functions in Skolemised formulas, in order of occurrence, without truth values."""
    found: dict[Function, None] = {}
    waiting: list[Formula | Term] = list(reversed(formulas))
    while waiting:
        each = waiting.pop()
        match each:
            case Apply(function=function, arguments=arguments):
                if each not in (TRUE, FALSE):
                    found.setdefault(function)
                waiting.extend(reversed(arguments))
            case Literal(left=left, right=right) | Iff(left=left, right=right):
                waiting.extend((right, left))
            case And(parts=parts) | Or(parts=parts):
                waiting.extend(reversed(parts))
            case Not(body=body) | ForAll(body=body) | Exists(body=body):
                waiting.append(body)
            case Variable():
                continue
    return tuple(found)


def conjunction(parts: tuple[Formula, ...]) -> Formula:
    flat = tuple(one for each in parts for one in (each.parts if isinstance(each, And) else (each,)))
    return NEVER if NEVER in flat else flat[0] if len(flat) == 1 else And(flat)


def disjunction(parts: tuple[Formula, ...]) -> Formula:
    flat = tuple(one for each in parts for one in (each.parts if isinstance(each, Or) else (each,)))
    return ALWAYS if ALWAYS in flat else flat[0] if len(flat) == 1 else Or(flat)


def names_in(formula: Formula) -> tuple[str, ...]:
    """The names of all variables in a formula, bound or not."""
    found: dict[str, None] = {}
    waiting: list[Formula | Term] = [formula]
    while waiting:
        each = waiting.pop()
        match each:
            case Variable(name=name):
                found.setdefault(name)
            case Apply(arguments=arguments):
                waiting.extend(reversed(arguments))
            case Literal(left=left, right=right) | Iff(left=left, right=right):
                waiting.extend((right, left))
            case And(parts=parts) | Or(parts=parts):
                waiting.extend(reversed(parts))
            case Not(body=body) | ForAll(body=body) | Exists(body=body):
                waiting.append(body)
    return tuple(found)


def variables_in(term: Term) -> set[Variable]:
    if isinstance(term, Variable):
        return {term}
    return set().union(*map(variables_in, term.arguments))


def replaced(term: Term, values: Mapping[str, Term]) -> Term:
    if isinstance(term, Variable):
        return values.get(term.name, term)
    if not term.arguments:
        return term
    return Apply(term.function, tuple(replaced(each, values) for each in term.arguments))
