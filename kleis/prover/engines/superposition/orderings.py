"""How orderings compare literals.

Both orderings of the engine (by weight, and the lexicographic path ordering; both of completion) are total on ground terms,
stable under substitution and compatible with contexts.
"""

from __future__ import annotations

from typing import TypeAlias

from kleis.prover.engines.completion.rewriting import Greater
from kleis.prover.engines.completion.shared_terms import Node

__all__ = ["Atom", "direction", "exceeds", "side_of"]

Atom: TypeAlias = tuple[bool, Node, Node]
"""A literal of the search: whether it is positive, and the sides of its equation."""


def side_of(atom: Atom, side: int) -> Node:
    """The left side (0) or the right side (1) of a literal."""
    return atom[2] if side else atom[1]


def direction(ordering: Greater, atom: Atom) -> int:
    """1 where the left side of an equation is greater, −1 where the right one is, 0 where neither always is."""
    _, left, right = atom
    if ordering.greater(left, right):
        return 1
    return -1 if ordering.greater(right, left) else 0


def exceeds(ordering: Greater, one: Atom, other: Atom) -> bool:
    """Whether a literal is greater than another: as multisets of their sides, which a disequation has twice."""
    first, second = _multiset(one), _multiset(other)
    for each in tuple(first):
        if each in second:
            first.remove(each)
            second.remove(each)
    return bool(first) and all(any(ordering.greater(a, b) for a in first) for b in second)


def _multiset(atom: Atom) -> list[Node]:
    positive, left, right = atom
    return [left, right] if positive else [left, left, right, right]
