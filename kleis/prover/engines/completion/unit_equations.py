"""The unit equations of a first-order problem: the input of completion, and the premises of its proofs.

See docs/reference/proving.md §7.5.

How formulas become equations
    ``p(t)`` is ``p(t) = true``, ``¬p(t)`` is ``p(t) = false``.  A disequation ``s ≠ t`` is ``(s =G t) = false`` with the
    function ``=G`` into truth values, for which ``(x =G x) = true`` holds.  ``p ↔ q`` of two atoms is an equation of
    truth values.  A contradiction is the equation ``true = false``.

Clauses (conditional equations, on demand)
    ``s = t → u = v`` is ``if(s, t, u, v) = v`` with ``if(x, x, y, z) = y``.  A clause with several positive literals
    takes one as conclusion and the negations of the others, ``(s =G t) = false``, as conditions; that says less.

Invariants
    * Every equation follows from the formula it is named after, and the converse holds where `Units.complete`.
    * If ``(s =G t) = true`` is derived, ``s = t`` may be derived: the one rule besides equational reasoning.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis.core import BOOL, Sort
from kleis.core.sort_printing import sort_text
from kleis.prover.engines.first_order_problem import Problem
from kleis.prover.engines.first_order_terms import (
    FALSE,
    TRUE,
    And,
    Apply,
    Formula,
    Function,
    Iff,
    Literal,
    Or,
    Term,
    Variable,
    functions_of,
    variables_in,
)

__all__ = ["CASES", "CLAIM", "EQUALITY", "REFLEXIVITY", "Unit", "Units", "is_equality", "units_of"]

CLAIM = "¬ claim"
"""The name of the negated claim's equations; no axiom has it."""

REFLEXIVITY = "reflexivity"
"""The name of ``(x =G x) = true``; names of axioms are qualified, so none has it."""

CASES = "definition by cases"
"""The name of ``if(x, x, y, z) = y``."""

EQUALITY = "="
"""Names of the functions ``=G`` begin so, followed by a space; no symbol's does."""


_IF = "if "
"""Names of the functions of conditional equations begin so; no symbol's does."""


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
        return None if variables_in(left) else (left.arguments[0], left.arguments[1])


class Units(msgspec.Struct, frozen=True):
    """The equations of the axioms and one branch of the negated claim.

    complete
        Together they are equivalent to the axioms and the branch.
    """

    units: tuple[Unit, ...]
    complete: bool


def units_of(problem: Problem, branch: int | None, *, conditional: bool = False) -> Units:
    """The equations of the axioms and of a branch (None: of the axioms alone), with clauses if `conditional`."""
    units: list[Unit] = []
    complete = True
    named = [(each.name, each.formula) for each in problem.axioms]
    if branch is not None:
        named.append((CLAIM, problem.branches[branch]))
    for name, formula in named:
        for left, right, whole in _equations(formula, conditional):
            complete = complete and whole
            if left is not None and right is not None:
                units.append(Unit(name, left, right))
    functions = functions_of(*(Literal(True, each.left, each.right) for each in units))
    for function in functions:
        if is_equality(function):
            variable = Variable("x", function.domain[0])
            units.append(Unit(REFLEXIVITY, Apply(function, (variable, variable)), TRUE))
        elif function.name.startswith(_IF):
            same, _, yes, no = (
                Variable(name, sort) for name, sort in zip("xyzw", function.domain, strict=True)
            )
            units.append(Unit(CASES, Apply(function, (same, same, yes, no)), yes))
    return Units(tuple(units), complete)


def is_equality(function: Function) -> bool:
    """Whether a function is one of ``=G``."""
    return function.name.startswith(EQUALITY + " ") and function.symbol is None


def _equality(sort: Sort) -> Function:
    return Function(f"{EQUALITY} {sort_text(sort)}", (sort, sort), BOOL)


def _equations(formula: Formula, conditional: bool) -> Iterator[tuple[Term | None, Term | None, bool]]:
    """The equations that a formula implies, each with whether it is equivalent to its part of the formula."""
    match formula:
        case And(parts=parts):
            for each in parts:
                yield from _equations(each, conditional)
        case Literal():
            yield *_sides(formula), True
        case Iff(left=Literal() as left, right=Literal() as right):
            yield _as_term(left), _as_term(right), left.right == TRUE and right.right == TRUE
        case Or(parts=()):
            yield TRUE, FALSE, True
        case _:
            clauses = _clauses(formula) if conditional else None
            if clauses is None:
                yield None, None, False
            else:
                yield from map(_conditional, clauses)


_CLAUSES = 16
"""A formula that becomes more clauses than this is left out."""


def _clauses(formula: Formula) -> list[tuple[Literal, ...]] | None:
    """The clauses of a formula, if they are few."""
    match formula:
        case Literal():
            return [(formula,)]
        case Iff(left=Literal() as left, right=Literal() as right):
            return [(_negated(left), right), (left, _negated(right))]
        case And(parts=parts):
            found = [_clauses(each) for each in parts]
            known = [each for each in found if each is not None]
            return [clause for each in known for clause in each] if len(known) == len(found) else None
        case Or(parts=parts):
            result: list[tuple[Literal, ...]] = [()]
            for part in parts:
                clauses = _clauses(part)
                if clauses is None or len(clauses) * len(result) > _CLAUSES:
                    return None
                result = [tuple(dict.fromkeys((*one, *other))) for one in result for other in clauses]
            return result
        case _:
            return None


def _conditional(clause: tuple[Literal, ...]) -> tuple[Term, Term, bool]:
    """A clause as an equation: its first positive literal, under the negations of the others."""
    positive = [each for each in clause if each.positive]
    conclusion = positive[0] if positive else clause[-1]
    left, right = _sides(conclusion)
    for each in reversed(clause):
        if each is not conclusion:
            one, other = _sides(_negated(each))
            sorts = (one.sort, other.sort, left.sort, left.sort)
            name = f"{_IF}{sort_text(one.sort)} : {sort_text(left.sort)}"
            left = Apply(Function(name, sorts, left.sort), (one, other, left, right))
    return left, right, len(positive) <= 1


def _sides(literal: Literal) -> tuple[Term, Term]:
    if literal.positive:
        return literal.left, literal.right
    return (literal.left if literal.right == TRUE else _as_term(literal)), FALSE


def _negated(literal: Literal) -> Literal:
    return Literal(not literal.positive, literal.left, literal.right)


def _as_term(literal: Literal) -> Term:
    """The truth value of an atom as a term."""
    if literal.right == TRUE:
        return literal.left
    return Apply(_equality(literal.left.sort), (literal.left, literal.right))
