"""Clauses of a first-order problem, for the search of finite models.

Specification: provers.md §3 (own_fmf).

Distribution would explode on disjunctions of large conjunctions; such a conjunction gets a name, a new predicate that
implies it.  Every formula occurs positively, so one direction suffices.  A clause whose parts share no letters is split
in the same way: instances are counted by the letters of a clause.
"""

from __future__ import annotations

from typing import TypeAlias

from kleis.core import BOOL
from kleis.prover.engines.first_order_problem import Problem
from kleis.prover.engines.first_order_terms import (
    TRUE,
    Apply,
    Both,
    Either,
    Formula,
    Function,
    Letter,
    Literal,
    Same,
    conjunction,
    disjunction,
    letters_in,
    names_in,
)

__all__ = ["Clause", "clauses_of", "letters_of"]

Clause: TypeAlias = tuple[Literal, ...]

_PRODUCT = 12
"""A disjunction that would become more clauses than this gets names for its parts."""

_LETTERS = 2
"""Clauses with more letters than this are split, if they can be."""


def clauses_of(problem: Problem) -> tuple[Clause, ...]:
    """The clauses of the axioms and the negated claim."""
    maker = _Maker()
    for statement in problem.axioms:
        maker.add(statement.formula)
    if problem.claimed:
        maker.add(disjunction(problem.branches))
    return tuple(dict.fromkeys(maker.clauses))


def letters_of(clause: Clause) -> tuple[Letter, ...]:
    """The letters of a clause, by name."""
    found = {
        each for literal in clause for side in (literal.left, literal.right) for each in letters_in(side)
    }
    return tuple(sorted(found, key=lambda each: each.name))


class _Maker:
    """Collects clauses; names are numbered."""

    def __init__(self) -> None:
        self.clauses: list[Clause] = []
        self._names = 0

    def add(self, formula: Formula) -> None:
        """Add the clauses of a Skolemised formula."""
        for clause in self._clauses(formula, frozenset()):
            self._keep(clause)

    def _keep(self, clause: Clause) -> None:
        """Add a clause; parts without common letters apart, if there are many letters."""
        first, *rest = _components(clause) if len(letters_of(clause)) > _LETTERS else [clause]
        for part in rest:
            name = self._name(())
            first = (*first, name)
            self.clauses.append((_negated(name), *part))
        self.clauses.append(first)

    def _clauses(self, formula: Formula, around: frozenset[str]) -> list[Clause]:
        """The clauses of a formula; `around` are the letters in use beside it."""
        match formula:
            case Literal():
                return [(formula,)]
            case Both(parts=parts):
                return [clause for each in parts for clause in self._clauses(each, around)]
            case Either(parts=parts):
                return self._distributed(parts, around)
            case Same(left=left, right=right):
                one = disjunction((_negated(left), right))
                two = disjunction((left, _negated(right)))
                return self._clauses(conjunction((one, two)), around)
            case _:
                raise ValueError("the formula is not Skolemised")

    def _distributed(self, parts: tuple[Formula, ...], around: frozenset[str]) -> list[Clause]:
        names = [frozenset(names_in(each)) for each in parts]
        made: list[tuple[list[Clause], frozenset[str]]] = []
        for index, each in enumerate(parts):
            beside = around.union(*names[:index], *names[index + 1 :])
            made.append((self._clauses(each, beside), beside))
        result: list[Clause] = [()]
        for part, beside in sorted(made, key=lambda each: len(each[0])):
            apart = len(part) > 1 and len(result) * len(part) > _PRODUCT
            joined = [(self._named(part, beside),)] if apart else part
            result = [tuple(dict.fromkeys((*a, *b))) for a in result for b in joined]
        return result

    def _named(self, part: list[Clause], beside: frozenset[str]) -> Literal:
        """A literal that implies all these clauses, for each choice of the letters that are in use beside them."""
        letters = dict.fromkeys(each for clause in part for each in letters_of(clause) if each.name in beside)
        name = self._name(tuple(letters))
        for clause in part:
            self._keep((_negated(name), *clause))
        return name

    def _name(self, letters: tuple[Letter, ...]) -> Literal:
        self._names += 1
        predicate = Function(f"?part {self._names}", tuple(each.sort for each in letters), BOOL)
        return Literal(True, Apply(predicate, letters), TRUE)


def _components(clause: Clause) -> list[Clause]:
    """The literals of a clause, grouped by common letters."""
    groups: list[tuple[set[Letter], list[Literal]]] = []
    for literal in clause:
        letters, literals = set(letters_of((literal,))), [literal]
        apart: list[tuple[set[Letter], list[Literal]]] = []
        for group in groups:
            if group[0] & letters or not group[0]:
                letters |= group[0]
                literals = [*group[1], *literals]
            else:
                apart.append(group)
        groups = [*apart, (letters, literals)]
    return [tuple(literals) for _, literals in groups]


def _negated(formula: Formula) -> Literal:
    if not isinstance(formula, Literal):
        raise ValueError("only ↔ of literals is kept")
    return Literal(not formula.positive, formula.left, formula.right)
