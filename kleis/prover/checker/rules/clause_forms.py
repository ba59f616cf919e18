"""Clauses of premises and of a negated claim, and the sound changes of clauses; see docs/reference/certificates.md §3.9.

A clause is a list of literals of which one holds, for all values of its variables.  A form becomes clauses by
distribution alone: together they say as much as the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kleis import core
from kleis.prover.checker.rules.equation_terms import Signature, variables_in
from kleis.prover.checker.rules.forms import And, Form, Iff, Literal, Or, ways
from kleis.prover.checker.rules.skolem_forms import Reading
from kleis.prover.checker.sequent import NotExpressible, Sequent

__all__ = ["ClausalProblem", "Clause", "cleaned", "opposite", "same", "variables_of"]

Clause: TypeAlias = tuple[Literal, ...]

_CLAUSES = 64
"""A form that would become more clauses than this is not expressible."""


class ClausalProblem:
    """A sequent as clauses, once for every way in which its claim may fail.

    `NotExpressible` if anything in it is no first-order logic over carriers, or too large.
    """

    def __init__(self, sequent: Sequent) -> None:
        reading = Reading(sequent)
        self.signature: Signature = reading.signature
        self._premises = [clauses_of(form) for _, form in reading.premises]
        self._ways = ways(reading.negated)

    @property
    def count(self) -> int:
        """The number of ways in which the claim may fail."""
        return len(self._ways)

    def clauses(self, number: int) -> list[tuple[int, Clause]]:
        """The clauses of the premises, each with the premise's place, and those of one of these ways, with −1."""
        sources = [*enumerate(self._premises), (-1, clauses_of(self._ways[number]))]
        return [(source, clause) for source, clauses in sources for clause in clauses]


def clauses_of(form: Form) -> list[Clause]:
    """The clauses of a form."""
    match form:
        case Literal():
            return [(form,)]
        case Iff(left=left, right=right):
            return [(opposite(left), right), (left, opposite(right))]
        case And(parts=parts):
            found = [clause for part in parts for clause in clauses_of(part)]
        case Or(parts=parts):
            found = [()]
            for part in parts:
                clauses = clauses_of(part)
                if len(clauses) * len(found) > _CLAUSES:
                    raise NotExpressible(f"a formula of more than {_CLAUSES} clauses")
                found = [(*one, *other) for one in found for other in clauses]
    if len(found) > _CLAUSES:
        raise NotExpressible(f"a formula of more than {_CLAUSES} clauses")
    return found


def opposite(literal: Literal) -> Literal:
    """The negation of a literal."""
    return Literal(not literal.positive, literal.left, literal.right)


def same(one: Literal, other: Literal) -> bool:
    """Whether two literals say the same: equations are symmetric."""
    sides = (one.left, one.right)
    return one.positive == other.positive and sides in (
        (other.left, other.right),
        (other.right, other.left),
    )


def cleaned(literals: Sequence[Literal | None]) -> Clause:
    """The literals that are left, without those that are false (``s ≠ s``), each once."""
    found: list[Literal] = []
    for each in literals:
        if each is None or (not each.positive and each.left == each.right):
            continue
        if not any(same(each, known) for known in found):
            found.append(each)
    return tuple(found)


def variables_of(clause: Sequence[Literal]) -> list[core.Variable]:
    """The variables of a clause, in order of occurrence, left sides before right ones."""
    return variables_in(*(side for each in clause for side in (each.left, each.right)))
