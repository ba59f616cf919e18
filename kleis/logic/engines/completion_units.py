"""The unit equations of a first-order problem: what completion works with, and what its proofs start from.

Specification: proving.md §3, provers.md §3 (own_kb: unit equalities and inequalities only).

How formulas become equations
    ``p(t)`` is ``p(t) = true``, ``¬p(t)`` is ``p(t) = false``.  A disequation ``s ≠ t`` is ``(s =G t) = false`` with the
    function ``=G`` into truth values, for which ``(x =G x) = true`` holds.  ``p ↔ q`` of two atoms is an equation of
    truth values.  A contradiction is the equation ``true = false``.

Invariants
    * Every equation follows from the formula it is named after, and the converse holds where `Units.complete`.
    * If ``(s =G t) = true`` is derived, ``s = t`` may be: that is the one rule besides equational reasoning.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis.logic.engines.first_order import Problem
from kleis.logic.engines.first_order_terms import (
    FALSE,
    TRUE,
    Apply,
    Both,
    Either,
    Formula,
    Function,
    Letter,
    Literal,
    Same,
    Term,
    letters_in,
)
from kleis.meaning.core import BOOL, Sort
from kleis.meaning.wording import sort_text

__all__ = ["CLAIM", "EQUALITY", "REFLEXIVITY", "Unit", "Units", "is_equality", "units_of"]

CLAIM = "¬ claim"
"""The name of the negated claim's equations; no axiom has it."""

REFLEXIVITY = "reflexivity"
"""The name of ``(x =G x) = true``; names of axioms are qualified, so none has it."""

EQUALITY = "="
"""Names of the functions ``=G`` begin so, followed by a space; no symbol's does."""


class Unit(msgspec.Struct, frozen=True):
    """An equation that holds, by name: ``Group(G)::assoc``, `CLAIM` or `REFLEXIVITY`."""

    name: str
    left: Term
    right: Term

    @property
    def goal(self) -> tuple[Term, Term] | None:
        """The sides of a disequation without variables."""
        left = self.left
        if self.right != FALSE or not isinstance(left, Apply) or not is_equality(left.function):
            return None
        return None if letters_in(left) else (left.arguments[0], left.arguments[1])


class Units(msgspec.Struct, frozen=True):
    """The equations of the axioms and one branch of the negated claim.

    complete
        Together they say what the axioms and the branch say.
    """

    units: tuple[Unit, ...]
    complete: bool


def units_of(problem: Problem, branch: int | None) -> Units:
    """The equations of the axioms and of a branch (None: of the axioms alone)."""
    units: list[Unit] = []
    complete = True
    named = [(each.name, each.formula) for each in problem.axioms]
    if branch is not None:
        named.append((CLAIM, problem.branches[branch]))
    for name, formula in named:
        for left, right, whole in _equations(formula):
            complete = complete and whole
            if left is not None and right is not None:
                units.append(Unit(name, left, right))
    compared = dict.fromkeys(
        sort for each in units for side in (each.left, each.right) for sort in _compared(side)
    )
    for sort in compared:
        letter = Letter("x", sort)
        units.append(Unit(REFLEXIVITY, Apply(_equality(sort), (letter, letter)), TRUE))
    return Units(tuple(units), complete)


def is_equality(function: Function) -> bool:
    """Whether a function is one of ``=G``."""
    return function.name.startswith(EQUALITY + " ") and function.symbol is None


def _equality(sort: Sort) -> Function:
    return Function(f"{EQUALITY} {sort_text(sort)}", (sort, sort), BOOL)


def _equations(formula: Formula) -> Iterator[tuple[Term | None, Term | None, bool]]:
    """The equations that a formula implies, each with whether it says all that its part of the formula says."""
    match formula:
        case Both(parts=parts):
            for each in parts:
                yield from _equations(each)
        case Literal(positive=True, left=left, right=right):
            yield left, right, True
        case Literal(left=left, right=right):
            yield (left, FALSE, True) if right == TRUE else (_as_term(formula), FALSE, True)
        case Same(left=left, right=right):
            if isinstance(left, Literal) and isinstance(right, Literal):
                yield _as_term(left), _as_term(right), left.right == TRUE and right.right == TRUE
            else:
                yield None, None, False
        case Either(parts=()):
            yield TRUE, FALSE, True
        case _:
            yield None, None, False


def _as_term(literal: Literal) -> Term:
    """The truth value of an atom as a term."""
    if literal.right == TRUE:
        return literal.left
    return Apply(_equality(literal.left.sort), (literal.left, literal.right))


def _compared(term: Term) -> Iterator[Sort]:
    if isinstance(term, Apply) and is_equality(term.function):
        yield term.function.domain[0]
