"""What is heuristic about a search by superposition."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Strategy"]


class Strategy(NamedTuple):
    """What is heuristic about a search.

    selecting
        Whether a negative literal is selected where there is one.
    ratio
        Of so many clauses, one is taken by age and the others by weight.
    goal
        The percentage that clauses which rest on the negated claim weigh.
    foreign
        What a function that the negated claim does not mention weighs besides.
    familiar
        Whether a term without variables that stands in the negated claim weighs no more than a constant.
    first
        Steps for the equations of the axioms alone, before all else; what is still waiting then weighs twice as much.
    """

    selecting: bool
    ratio: int
    goal: int
    first: int = 0
    foreign: int = 0
    familiar: bool = False
