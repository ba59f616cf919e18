"""The clauses of a first-order problem: the input of superposition.

See docs/reference/proving.md §7.19.  A clause is a disjunction of literals that holds for all values of its variables.  A
formula that would become too many clauses is left out: a proof without it is a proof.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from kleis.prover.engines.first_order_problem import Problem
from kleis.prover.engines.first_order_terms import And, Formula, Iff, Literal, Or

__all__ = ["CLAIM", "MOST", "Given", "Literals", "clauses_of"]

CLAIM = "¬ claim"
"""The name of the negated claim's clauses; no axiom has it."""

MOST = 64
"""A formula that becomes more clauses than this is left out."""

Literals: TypeAlias = tuple[Literal, ...]


class Given(msgspec.Struct, frozen=True):
    """A clause that holds, by the name of the formula that it is of."""

    name: str
    literals: Literals


def clauses_of(problem: Problem, branch: int | None) -> tuple[Given, ...]:
    """The clauses of the axioms and of a branch of the negated claim (None: of the axioms alone)."""
    named = [(each.name, each.formula) for each in problem.axioms]
    if branch is not None:
        named.append((CLAIM, problem.branches[branch]))
    return tuple(Given(name, clause) for name, formula in named for clause in _clauses(formula) or ())


def _clauses(formula: Formula) -> list[Literals] | None:
    """The clauses of a Skolemised formula; None if they are too many."""
    match formula:
        case Literal():
            return [(formula,)]
        case Iff(left=Literal() as left, right=Literal() as right):
            return [(_negated(left), right), (left, _negated(right))]
        case And(parts=parts):
            found: list[Literals] = []
            for part in parts:
                clauses = _clauses(part)
                if clauses is None:
                    return None
                found += clauses
            return found if len(found) <= MOST else None
        case Or(parts=parts):
            found = [()]
            for part in parts:
                clauses = _clauses(part)
                if clauses is None or len(found) * len(clauses) > MOST:
                    return None
                found = [(*one, *other) for one in found for other in clauses]
            return found
        case _:
            return None


def _negated(literal: Literal) -> Literal:
    return Literal(not literal.positive, literal.left, literal.right)
