"""Clauses of the search, and where they come from.

Invariants
    * The variables of a clause are numbered from 0 by first occurrence, literal by literal, left side before right.
    * The literals of a derived clause are those of its main premise in order, then those of the other premise; literals
      that are false, and repetitions, are left out after all else.  `derivations` relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from kleis.prover.engines.completion.rewriting import Direction, Greater, Trace
from kleis.prover.engines.completion.shared_terms import SHIFT, Bank, Node, variables_of
from kleis.prover.engines.superposition.orderings import Atom, direction, exceeds

__all__ = [
    "Clause",
    "Factored",
    "Given",
    "Instance",
    "Origin",
    "Overlapped",
    "Resolved",
    "Simplifications",
    "Simplified",
    "cleaned",
    "foreign",
    "is_false",
    "is_true",
    "renumbered",
    "variables_in",
]


class Given(NamedTuple):
    """An input clause, by its place."""

    place: int


class Simplified(NamedTuple):
    """A clause of this number, simplified."""

    clause: int


class Instance(NamedTuple):
    """A clause at values of its variables, in order."""

    clause: int
    values: tuple[Node, ...]


class Resolved(NamedTuple):
    """A clause at values that make the sides of its disequation `literal` equal."""

    clause: int
    literal: int


class Factored(NamedTuple):
    """``C ∨ s = t ∨ s' = t'`` at values that make s and s' equal, with ``t ≠ t'`` in place of ``s = t``.

    `sides` are the sides that are s and s'.
    """

    clause: int
    literal: int
    other: int
    sides: tuple[int, int]


class Overlapped(NamedTuple):
    """A part of a literal of the clause `main`, replaced by means of an equation of the clause `other`.

    `side` and `path` say where in the literal; `source` is the side of the equation that is replaced.
    """

    main: int
    literal: int
    side: int
    path: tuple[int, ...]
    other: int
    equation: int
    source: int


Origin: TypeAlias = Given | Simplified | Instance | Resolved | Factored | Overlapped

Simplifications: TypeAlias = "tuple[tuple[int, int, Trace], ...]"


class Clause:
    """A clause that the search keeps, with what it is derived from.

    rewritten, cut
        How it was simplified after its inference: sides of literals rewritten, then literals cut by units, each with
        the number of the unit.
    chosen
        The literals that inferences use: the selected one, or those that are maximal.
    selected
        Whether a negative literal is selected.
    """

    __slots__ = (
        "alive",
        "atoms",
        "chosen",
        "cut",
        "directions",
        "goal",
        "matched",
        "negative",
        "number",
        "origin",
        "positive",
        "rewritten",
        "selected",
        "size",
        "sources",
        "units",
    )

    def __init__(
        self,
        atoms: tuple[Atom, ...],
        origin: Origin,
        rewritten: Simplifications,
        cut: tuple[tuple[int, int], ...],
        goal: bool,
    ) -> None:
        self.atoms = atoms
        self.origin = origin
        self.rewritten = rewritten
        self.cut = cut
        self.goal = goal
        self.number = -1
        self.alive = True
        self.size = sum(left.size + right.size for _, left, right in atoms)
        self.positive: int = 0
        self.negative: int = 0
        for positive, left, right in atoms:
            mask = _mask(left) | _mask(right)
            if positive:
                self.positive |= mask
            else:
                self.negative |= mask
        self.chosen: tuple[int, ...] = ()
        self.selected = False
        self.directions: tuple[int, ...] = ()
        self.sources: tuple[tuple[int, int, Node, Node], ...] = ()
        self.units: tuple[Direction, ...] = ()
        self.matched: tuple[Direction, ...] = ()

    @property
    def unit_equation(self) -> Atom | None:
        """The equation of a clause with one positive literal."""
        return self.atoms[0] if len(self.atoms) == 1 and self.atoms[0][0] else None

    def prepare(self, bank: Bank, ordering: Greater, selecting: bool) -> None:
        """Orient the literals and choose those for inferences, before the clause becomes active."""
        atoms = self.atoms
        self.directions = tuple(direction(ordering, each) for each in atoms)
        negative = [place for place, each in enumerate(atoms) if not each[0]]
        if negative and selecting:
            heaviest = max(negative, key=lambda at: (atoms[at][1].size + atoms[at][2].size, -at))
            self.chosen, self.selected = (heaviest,), True
            return
        self.chosen = tuple(
            place
            for place, each in enumerate(atoms)
            if not any(other is not each and exceeds(ordering, other, each) for other in atoms)
        )
        self.sources = tuple(self._sources(bank))

    def _sources(self, bank: Bank) -> Iterator[tuple[int, int, Node, Node]]:
        """The equations to replace by: literal, side, and both sides with variables of their own."""
        for place in self.chosen:
            positive, left, right = self.atoms[place]
            if positive:
                sides = tuple(moved(bank, each) for each in (left, right))
                for side in (0, 1):
                    if self.directions[place] != 2 * side - 1:
                        yield place, side, sides[side], sides[1 - side]

    def targets(self) -> Iterator[tuple[int, int]]:
        """The sides of literals that may be replaced in: literal and side."""
        for place in self.chosen:
            for side in (0, 1):
                if self.directions[place] != 2 * side - 1:
                    yield place, side


def _mask(term: Node) -> int:
    """The functions in a term, as bits."""
    found = 0
    waiting = [term]
    while waiting:
        each = waiting.pop()
        if each.head >= 0:
            found |= 1 << each.head
            waiting.extend(each.arguments)
    return found


def moved(bank: Bank, term: Node) -> Node:
    """The term with its variables numbered from `SHIFT` on."""
    if term.ground:
        return term
    if term.head < 0:
        return bank.variable(SHIFT - 1 - term.head, term.sort)
    return bank.apply(term.head, tuple([moved(bank, each) for each in term.arguments]))


def is_true(atoms: Sequence[Atom]) -> bool:
    """Whether a clause is true in every model for reasons that one sees: ``s = s``, or a literal and its negation."""
    seen = set()
    for positive, left, right in atoms:
        if positive and left is right:
            return True
        key = (left, right) if left.number <= right.number else (right, left)
        if (not positive, *key) in seen:
            return True
        seen.add((positive, *key))
    return False


def is_false(atom: Atom) -> bool:
    """Whether a literal is ``s ≠ s``."""
    return not atom[0] and atom[1] is atom[2]


def cleaned(atoms: Sequence[Atom | None]) -> list[Atom]:
    """The literals that are left, without those that are false, each once."""
    found: list[Atom] = []
    for each in atoms:
        if each is None or is_false(each):
            continue
        positive, left, right = each
        if each not in found and (positive, right, left) not in found:
            found.append(each)
    return found


def variables_in(atoms: Sequence[Atom]) -> dict[Node, None]:
    """The variables of literals, in order of occurrence."""
    return {each: None for _, left, right in atoms for side in (left, right) for each in variables_of(side)}


def foreign(clause: Clause, own: int) -> int:
    """How often functions stand in a clause that are not among some, given as bits."""
    count = 0
    waiting = [side for _, left, right in clause.atoms for side in (left, right)]
    while waiting:
        term = waiting.pop()
        if term.head >= 0:
            count += not own >> term.head & 1
            waiting.extend(term.arguments)
    return count


def renumbered(bank: Bank, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """The literals with their variables numbered by first occurrence."""
    sides = bank.renamed([side for _, left, right in atoms for side in (left, right)])
    return tuple((each[0], sides[2 * place], sides[2 * place + 1]) for place, each in enumerate(atoms))
