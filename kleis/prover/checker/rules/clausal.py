"""The rule ``clauses``: inferences from clauses of the premises and of the negated claim to the empty clause.

See docs/reference/certificates.md §3.9.

Why it is sound
    Suppose that the premises hold and the claim does not; then in one of the ways of `clause_forms` all numbered clauses
    hold, for all values of their variables and some meaning of the functions made.  A clause holds at all values of its
    variables.  Where one literal of a clause is ``s = t``, a part s may be replaced by t or another literal of that
    clause holds; where one is the negation of another clause's literal, one of the others of either holds; and from
    ``s = t ∨ s = u`` follows ``t ≠ u ∨ s = u``.  Sorts are not empty, so the empty clause cannot hold.

Nothing is searched for, and no clause is believed: what each inference says is computed from its premises and values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleis import core
from kleis.prover.checker.format import Clausal, Cut, Derivation, Factor, Inference, Replacement
from kleis.prover.checker.rules.clause_forms import (
    ClausalProblem,
    Clause,
    cleaned,
    opposite,
    same,
    variables_of,
)
from kleis.prover.checker.rules.equation_terms import Signature, Term, instance, part_at, put
from kleis.prover.checker.rules.forms import Literal
from kleis.prover.checker.rules.rewriting import Rested, Work
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["Inferences", "clausal"]

_LITERALS = 64
"""Literals of one clause."""


def clausal(sequent: Sequent, step: Clausal) -> Rested:
    """Check a proof of the sequent; `RejectedError` or `NotExpressible` if it is none."""
    given = sequent.with_premises(step.given)
    problem = ClausalProblem(given)
    if len(step.derivations) != problem.count:
        raise RejectedError(
            f"{len(step.derivations)} derivations of the {problem.count} ways in which the claim may fail"
        )
    work = Work()
    used: set[int] = set()
    try:
        for number, derivation in enumerate(step.derivations):
            clauses = problem.clauses(number)
            used |= Inferences(problem.signature, step.variables, clauses, work).refuted(derivation)
    except RecursionError:
        raise RejectedError("terms that nest too deeply") from None
    names = tuple(name for place, (name, _) in enumerate(given.premises) if place in used)
    return Rested(names, -1 in used)


class Inferences:
    """The numbered clauses of one way in which the claim may fail, and what is inferred from them."""

    def __init__(
        self,
        signature: Signature,
        variables: Sequence[tuple[str, str]],
        clauses: Sequence[tuple[int, Clause]],
        work: Work,
    ) -> None:
        self._signature = signature
        self._work = work
        self._variables: Mapping[str, core.Variable] = signature.read_variables(variables)
        self.clauses = [clause for _, clause in clauses]
        self._sources = [frozenset((source,)) for source, _ in clauses]
        self._parents: list[frozenset[int]] = [frozenset() for _ in clauses]

    def refuted(self, derivation: Derivation) -> frozenset[int]:
        """The sources of the empty clause, which is the last one; everything inferred is used."""
        given = len(self.clauses)
        for place, inference in enumerate(derivation.inferences, 1):
            try:
                self.infer(inference)
            except RejectedError as error:
                raise RejectedError(f"inference {place}: {error}") from None
        if not self.clauses or self.clauses[-1]:
            raise RejectedError("the last inference does not leave the empty clause")
        used = frozenset().union(*self._parents)
        for number in range(given + 1, len(self.clauses)):
            if number not in used:
                raise RejectedError(f"inference {number - given}: nothing uses it")
        return self._sources[-1]

    def infer(self, inference: Inference) -> None:
        """Make the clause of an inference, and number it."""
        literals: list[Literal | None] = [*self._at(inference.of, inference.at)]
        parents = [inference.of]
        for move in inference.moves:
            match move:
                case Replacement():
                    parents.append(move.clause)
                    literals = self._replaced(literals, move)
                case Cut():
                    parents.append(move.clause)
                    literals = self._cut(literals, move)
                case Factor():
                    literals[move.literal - 1] = self._factored(literals, move)
            if len(literals) > _LITERALS:
                raise RejectedError(f"a clause of more than {_LITERALS} literals")
        self.clauses.append(cleaned(literals))
        self._sources.append(frozenset().union(*(self._sources[each - 1] for each in parents)))
        self._parents.append(frozenset(parents))

    def _at(self, number: int, values: Sequence[Any]) -> list[Literal]:
        """A clause at values of its variables."""
        if not 1 <= number <= len(self.clauses):
            raise RejectedError(f"there is no clause {number} yet")
        clause = self.clauses[number - 1]
        variables = variables_of(clause)
        if len(variables) != len(values):
            raise RejectedError(f"{len(values)} values of the {len(variables)} variables of clause {number}")
        taken: dict[core.Variable, Term] = {}
        for variable, data in zip(variables, values, strict=True):
            value = self._signature.read(data, self._variables)
            if self._signature.sort(value) != variable.sort:
                raise RejectedError("the value of a variable has another sort")
            self._work.charge(value)
            taken[variable] = value
        return [self._instance(each, taken) for each in clause]

    def _instance(self, literal: Literal, values: Mapping[core.Variable, Term]) -> Literal:
        left, right = instance(literal.left, values), instance(literal.right, values)
        self._work.charge(left)
        self._work.charge(right)
        return Literal(literal.positive, left, right)

    def _replaced(self, literals: Sequence[Literal | None], move: Replacement) -> list[Literal | None]:
        clause = self._at(move.clause, move.values)
        equation = _literal(clause, move.equation)
        if not equation.positive:
            raise RejectedError(f"literal {move.equation} of clause {move.clause} is no equation")
        old, new = _side(equation, move.source), _side(equation, 3 - move.source)
        literal = _literal(literals, move.literal)
        whole = _side(literal, move.side)
        if part_at(whole, move.at) != old:
            raise RejectedError(f"not the side of the equation, but another part stands at {list(move.at)}")
        changed = put(whole, move.at, new)
        self._work.charge(changed)
        sides = (changed, literal.right) if move.side == 1 else (literal.left, changed)
        result = [*literals, *_without(clause, move.equation)]
        result[move.literal - 1] = Literal(literal.positive, *sides)
        return result

    def _cut(self, literals: Sequence[Literal | None], move: Cut) -> list[Literal | None]:
        clause = self._at(move.clause, move.values)
        if not same(_literal(literals, move.literal), opposite(_literal(clause, move.other))):
            raise RejectedError(f"literal {move.literal} is not the negation of one of clause {move.clause}")
        result = [*literals, *_without(clause, move.other)]
        result[move.literal - 1] = None
        return result

    def _factored(self, literals: Sequence[Literal | None], move: Factor) -> Literal:
        first, second = _literal(literals, move.literal), _literal(literals, move.other)
        if move.literal == move.other or not (first.positive and second.positive):
            raise RejectedError("what is factored is not two equations")
        if _side(first, move.side) != _side(second, move.its):
            raise RejectedError("the equations that are factored have no such side in common")
        return Literal(False, _side(first, 3 - move.side), _side(second, 3 - move.its))


def _literal(literals: Sequence[Literal | None], number: int) -> Literal:
    """The literal of this number."""
    found = literals[number - 1] if 1 <= number <= len(literals) else None
    if found is None:
        raise RejectedError(f"there is no literal {number}")
    return found


def _side(literal: Literal, number: int) -> Term:
    """The side of this number."""
    if number not in (1, 2):
        raise RejectedError(f"there is no side {number}")
    return literal.left if number == 1 else literal.right


def _without(clause: Sequence[Literal], number: int) -> list[Literal]:
    """The literals of a clause but one."""
    return [each for place, each in enumerate(clause, 1) if place != number]
