"""Derivations: what a search did, said step by step with places and values.

The search keeps of an inference only what took part in it.  Here the steps to the empty clause are done again, with
everything that the checker wants to be told.  Nothing rests on it: the checker computes each clause itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from kleis.prover.engines.completion.rewriting import Trace, expanded
from kleis.prover.engines.completion.shared_terms import Node, instance, unified
from kleis.prover.engines.superposition.kept_clauses import (
    Clause,
    Factored,
    Given,
    Instance,
    Overlapped,
    Resolved,
    Simplified,
    moved,
    variables_in,
)
from kleis.prover.engines.superposition.orderings import Atom, side_of
from kleis.prover.engines.superposition.search import Search
from kleis.prover.engines.superposition.subsumption import matched

__all__ = ["Cut", "Factor", "Replace", "Step", "derivation"]


class Replace(NamedTuple):
    """A part of a literal replaced by means of the equation `literal` of another clause, from its side `source`."""

    at: int
    side: int
    path: tuple[int, ...]
    clause: int
    equation: int
    source: int
    values: tuple[Node, ...]


class Cut(NamedTuple):
    """A literal removed, because the literal `other` of another clause is its negation; the sides may be swapped."""

    at: int
    clause: int
    other: int
    values: tuple[Node, ...]


class Factor(NamedTuple):
    """Of two equations with a common side, one becomes the disequation of the other sides."""

    at: int
    side: int
    other: int
    its: int


Move: TypeAlias = Replace | Cut | Factor


class Step(NamedTuple):
    """A clause at values of its variables, changed by moves; `number` is the clause that comes out."""

    number: int
    clause: int
    values: tuple[Node, ...]
    moves: tuple[Move, ...]


def derivation(search: Search) -> tuple[tuple[int, ...], tuple[Step, ...]]:
    """The places of the input clauses that the empty clause rests on, and the steps to it, in order."""
    assert search.empty is not None, "there is a derivation only of the empty clause"
    replay = _Replay(search)
    given: set[int] = set()
    steps: dict[int, Step] = {}
    waiting = [replay.named(search.empty.number)]
    while waiting:
        number = waiting.pop()
        if isinstance(search.clauses[number].origin, Given):
            given.add(number)
        elif number not in steps:
            step = steps[number] = replay.step(number)
            waiting.append(step.clause)
            waiting += [each.clause for each in step.moves if not isinstance(each, Factor)]
    return tuple(sorted(given)), tuple(steps[number] for number in sorted(steps))


class _Replay:
    """The steps of one search, done again."""

    def __init__(self, search: Search) -> None:
        self._bank = search.bank
        self._clauses = search.clauses

    def named(self, number: int) -> int:
        """The first clause with these literals: a clause that nothing could be done about is the one before."""
        clause = self._clauses[number]
        while isinstance(clause.origin, Simplified) and not clause.rewritten and not clause.cut:
            before = self._clauses[clause.origin.clause]
            if before.atoms != clause.atoms:
                break
            clause = before
        return clause.number

    def step(self, number: int) -> Step:
        """The step that makes a clause."""
        clause = self._clauses[number]
        bank = self._bank
        main, values, moves, atoms = self._inference(clause)
        count, terms = 2 * len(atoms), [side for _, left, right in atoms for side in (left, right)]
        inside = [each for move in moves if isinstance(move, Replace) for each in move.values]
        terms = list(bank.renamed([*terms, *values, *inside]))
        sides = [[terms[2 * place], terms[2 * place + 1]] for place in range(len(atoms))]
        values, rest = terms[count : count + len(values)], terms[count + len(values) :]
        done: list[Move] = [
            each._replace(values=tuple(rest)) if isinstance(each, Replace) else each for each in moves
        ]
        for place, side, trace in clause.rewritten:
            done += self._rewrites(place, side, sides[place][side], trace)
            sides[place][side] = expanded(bank, sides[place][side], trace)[-1][1]
        for place, unit in clause.cut:
            done.append(self._cut(place, (sides[place][0], sides[place][1]), unit))
        return Step(number, self.named(main), tuple(values), tuple(done))

    # ── Inferences ───────────────────────────────────────────────────────────────────────────────────────────

    def _inference(self, clause: Clause) -> tuple[int, list[Node], list[Move], list[Atom]]:
        """The main premise, its values, the move, and the literals: before renumbering and simplification."""
        match clause.origin:
            case Simplified(clause=main):
                atoms = list(self._clauses[main].atoms)
                return main, list(variables_in(atoms)), [], atoms
            case Instance(clause=main, values=chosen):
                atoms = list(self._clauses[main].atoms)
                found = dict(zip(variables_in(atoms), chosen, strict=True))
                return main, list(chosen), [], self._instances(atoms, found)
            case Resolved(clause=main, literal=literal):
                atoms = list(self._clauses[main].atoms)
                found = self._unifier(atoms[literal][1], atoms[literal][2])
                return main, self._values(atoms, found), [], self._instances(atoms, found)
            case Factored(clause=main, literal=literal, other=other, sides=(one, two)):
                atoms = list(self._clauses[main].atoms)
                found = self._unifier(side_of(atoms[literal], one), side_of(atoms[other], two))
                made = self._instances(atoms, found)
                made[literal] = (False, side_of(made[literal], 1 - one), side_of(made[other], 1 - two))
                return main, self._values(atoms, found), [Factor(literal, one, other, two)], made
            case Overlapped():
                return self._overlapped(clause.origin)
            case Given():
                raise AssertionError("an input clause is not derived")

    def _overlapped(self, origin: Overlapped) -> tuple[int, list[Node], list[Move], list[Atom]]:
        bank, side = self._bank, origin.side
        atoms = list(self._clauses[origin.main].atoms)
        other = [
            (sign, moved(bank, left), moved(bank, right))
            for sign, left, right in self._clauses[origin.other].atoms
        ]
        part = side_of(atoms[origin.literal], side)
        for at in origin.path:
            part = part.arguments[at]
        equation = other[origin.equation]
        found = self._unifier(side_of(equation, origin.source), part)
        move = Replace(
            origin.literal,
            side,
            origin.path,
            self.named(origin.other),
            origin.equation,
            origin.source,
            tuple(self._values(other, found)),
        )
        values = self._values(atoms, found)
        sign, *sides = atoms[origin.literal]
        sides[side] = bank.replaced(sides[side], origin.path, side_of(equation, 1 - origin.source))
        atoms[origin.literal] = (sign, sides[0], sides[1])
        joined = [*atoms, *(each for at, each in enumerate(other) if at != origin.equation)]
        return origin.main, values, [move], self._instances(joined, found)

    def _unifier(self, one: Node, other: Node) -> dict[Node, Node]:
        found = unified(one, other)
        assert found is not None, "the search unified these"
        return found

    def _values(self, atoms: Sequence[Atom], found: dict[Node, Node]) -> list[Node]:
        return [instance(self._bank, each, found) for each in variables_in(atoms)]

    def _instances(self, atoms: Sequence[Atom], found: dict[Node, Node]) -> list[Atom]:
        bank = self._bank
        return [
            (sign, instance(bank, left, found), instance(bank, right, found)) for sign, left, right in atoms
        ]

    # ── Simplifications ──────────────────────────────────────────────────────────────────────────────────────

    def _rewrites(self, place: int, side: int, term: Node, trace: Trace) -> list[Move]:
        """The steps of a trace, each with the place and the values that lead from one term to the next."""
        moves: list[Move] = []
        for unit, after in expanded(self._bank, term, trace):
            moves.append(self._located(place, side, term, after, unit))
            term = after
        return moves

    def _located(self, place: int, side: int, before: Node, after: Node, unit: int) -> Move:
        atoms = self._clauses[unit].atoms
        path: tuple[int, ...] = ()
        while True:
            for source in (0, 1):
                values = matched(side_of(atoms[0], source), before, {})
                values = None if values is None else matched(side_of(atoms[0], 1 - source), after, values)
                if values is not None:
                    filled = tuple(values[each] for each in variables_in(atoms))
                    return Replace(place, side, path, self.named(unit), 0, source, filled)
            pairs = zip(before.arguments, after.arguments, strict=True)
            unequal = [at for at, (one, other) in enumerate(pairs) if one is not other]
            assert len(unequal) == 1, "one part was replaced"
            path = (*path, unequal[0])
            before, after = before.arguments[unequal[0]], after.arguments[unequal[0]]

    def _cut(self, place: int, sides: tuple[Node, Node], unit: int) -> Cut:
        atoms = self._clauses[unit].atoms
        left, right = sides
        for one, other in ((left, right), (right, left)):
            values = matched(atoms[0][1], one, {})
            values = None if values is None else matched(atoms[0][2], other, values)
            if values is not None:
                filled = tuple(values[each] for each in variables_in(atoms))
                return Cut(place, self.named(unit), 0, filled)
        raise AssertionError("the literal is an instance of the unit's negation")
