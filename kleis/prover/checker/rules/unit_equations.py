"""Equations that hold where premises do and a claim does not: what chains and rewrite systems start from.

See docs/reference/certificates.md §3.5.

How a form becomes equations
    ``p(t)`` is ``p(t) = true``, ``¬p(t)`` is ``p(t) = false``, ``s ≠ t`` is ``(s =G t) = false``, ↔ of two atoms is an
    equation of truth values, falsity is ``true = false``.  A clause ``s = t → u = v`` is ``if(s, t, u, v) = v``; of
    several positive literals the first is the conclusion, and the negations of the others are conditions.
    Last come ``(x =G x) = true`` and ``if(x, x, y, z) = y``, for the functions that were made.

Why each follows
    The functions ``=G`` and ``if`` mean what they say; ``true`` and ``false`` differ.  So every clause implies its
    equation, and the other way round if it has at most one positive literal.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.rules.equation_terms import (
    CASES,
    EQUALITY,
    FALSE,
    TRUE,
    Function,
    Signature,
    Term,
    functions_in,
    variables_in,
)
from kleis.prover.checker.rules.forms import And, Form, Iff, Literal, Or, ways
from kleis.prover.checker.rules.skolem_forms import Reading
from kleis.prover.checker.sequent import Sequent

__all__ = ["CLAIM", "LOGIC", "Problem", "Unit", "Units"]

CLAIM, LOGIC = -1, -2
"""Sources of equations that are no premise: the negated claim, and the made functions' meaning."""

_CLAUSES = 16
"""A form that becomes more clauses than this is left out."""


class Unit(msgspec.Struct, frozen=True):
    """An equation that holds for all values of its variables.

    source
        The place of the premise that it follows from; `CLAIM` or `LOGIC`.
    """

    source: int
    left: Term
    right: Term


class Units(msgspec.Struct, frozen=True):
    """The equations of the premises and of one way in which the claim may fail.

    complete
        Together they say as much as the premises and that way.
    """

    units: tuple[Unit, ...]
    complete: bool


class Problem:
    """A sequent as unit equations, once for every way in which its claim may fail.

    `NotExpressible` if anything in it is no first-order logic over carriers.
    """

    def __init__(self, sequent: Sequent) -> None:
        reading = Reading(sequent)
        self.signature: Signature = reading.signature
        self._premises = tuple(form for _, form in reading.premises)
        self._ways = ways(reading.negated)

    @property
    def count(self) -> int:
        """The number of ways in which the claim may fail."""
        return len(self._ways)

    def units(self, number: int) -> Units:
        """The equations of the premises, of one of these ways, and of the made functions, in this order."""
        units: list[Unit] = []
        complete = True
        for source, form in (*enumerate(self._premises), (CLAIM, self._ways[number])):
            for equation, whole in self._equations(form):
                complete = complete and whole
                if equation is not None:
                    units.append(Unit(source, *equation))
        for name in functions_in(*(side for each in units for side in (each.left, each.right))):
            domain, meaning = self.signature[name].domain, self.signature[name].meaning
            if meaning == "equality":
                same = core.Variable("x", domain[0])
                units.append(Unit(LOGIC, (name, same, same), TRUE))
            elif meaning == "cases":
                same, yes, no = (core.Variable(*each) for each in zip("xyz", domain[1:], strict=True))
                units.append(Unit(LOGIC, (name, same, same, yes, no), yes))
        return Units(tuple(units), complete)

    def unequal(self, unit: Unit) -> tuple[Term, Term] | None:
        """The sides of a disequation without variables."""
        return None if unit.right != FALSE or variables_in(unit.left) else self.signature.equated(unit.left)

    def _equations(self, form: Form) -> Iterator[tuple[tuple[Term, Term] | None, bool]]:
        """The equations that a form implies, each with whether it says as much as its part of the form."""
        match form:
            case And(parts=parts):
                for each in parts:
                    yield from self._equations(each)
            case Literal():
                yield self._sides(form), True
            case Iff(left=left, right=right):
                sides = self._truth(left), self._truth(right)
                yield sides, left.right == TRUE and right.right == TRUE
            case Or(parts=()):
                yield (TRUE, FALSE), True
            case Or():
                clauses = _clauses(form)
                if clauses is None:
                    yield None, False
                else:
                    yield from map(self._conditional, clauses)

    def _conditional(self, clause: tuple[Literal, ...]) -> tuple[tuple[Term, Term], bool]:
        """A clause as an equation: its first positive literal, under the negations of the others."""
        positive = [each for each in clause if each.positive]
        conclusion = positive[0] if positive else clause[-1]
        left, right = self._sides(conclusion)
        for each in reversed(clause):
            if each is not conclusion:
                one, other = self._sides(_negated(each))
                tested, given = self.signature.sort(one), self.signature.sort(left)
                name = f"{CASES}{sort_text(tested)} : {sort_text(given)}"
                self.signature.declare(Function(name, (tested, tested, given, given), given, "cases"))
                left = (name, one, other, left, right)
        return (left, right), len(positive) <= 1

    def _sides(self, literal: Literal) -> tuple[Term, Term]:
        """The literal as an equation."""
        if literal.positive:
            return literal.left, literal.right
        return self._truth(literal), FALSE

    def _truth(self, literal: Literal) -> Term:
        """The truth value of the literal's atom as a term."""
        if literal.right == TRUE:
            return literal.left
        sort = self.signature.sort(literal.left)
        name = f"{EQUALITY}{sort_text(sort)}"
        self.signature.declare(Function(name, (sort, sort), core.BOOL, "equality"))
        return (name, literal.left, literal.right)


def _negated(literal: Literal) -> Literal:
    return Literal(not literal.positive, literal.left, literal.right)


def _clauses(form: Form) -> list[tuple[Literal, ...]] | None:
    """The clauses of a form, if they are few."""
    match form:
        case Literal():
            return [(form,)]
        case Iff(left=left, right=right):
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
