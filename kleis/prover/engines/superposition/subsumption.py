"""Subsumption: whether an instance of one clause is part of another, and which kept clauses may be.

A clause that is subsumed says nothing new.  Candidates come from a tree over *features*, numbers that an instance of a
clause can only raise: how many literals of either sign, how large, how often each function stands in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from kleis.prover.engines.completion.shared_terms import Node
from kleis.prover.engines.superposition.kept_clauses import Clause
from kleis.prover.engines.superposition.orderings import Atom

__all__ = ["FeatureTree", "matched", "subsumes"]

Values: TypeAlias = dict[Node, Node]


def matched(pattern: Node, term: Node, values: Values) -> Values | None:
    """The values extended such that the pattern becomes the term."""
    found: Values | None = None
    waiting = [(pattern, term)]
    while waiting:
        one, other = waiting.pop()
        if one.head < 0:
            known = (found or values).get(one)
            if known is None:
                if one.sort != other.sort:
                    return None
                if found is None:
                    found = dict(values)
                found[one] = other
            elif known is not other:
                return None
        elif one is other and one.ground:
            continue
        elif one.head != other.head or one.size > other.size:
            return None
        else:
            waiting.extend(zip(one.arguments, other.arguments, strict=True))
    return values if found is None else found


def subsumes(one: Clause, other: Clause, charge: Callable[[int], None]) -> bool:
    """Whether the first clause, at some values of its variables, is a part of the second one; each literal its own."""
    if len(one.atoms) > len(other.atoms) or one.positive & ~other.positive or one.negative & ~other.negative:
        return False
    order = sorted(one.atoms, key=lambda each: -each[1].size - each[2].size)
    return _placed(order, 0, list(other.atoms), {}, charge)


def _placed(
    order: Sequence[Atom], place: int, rest: list[Atom], values: Values, charge: Callable[[int], None]
) -> bool:
    if place == len(order):
        return True
    positive, left, right = order[place]
    charge(1)
    for at, (sign, one, other) in enumerate(rest):
        if sign != positive:
            continue
        for first, second in ((one, other), (other, one)):
            found = matched(left, first, values)
            if found is not None:
                found = matched(right, second, found)
            if found is not None and _placed(order, place + 1, rest[:at] + rest[at + 1 :], found, charge):
                return True
    return False


class _Branch:
    """A node of the tree: what follows each value of a feature, or the clauses at the end."""

    __slots__ = ("clauses", "following")

    def __init__(self) -> None:
        self.following: dict[int, _Branch] = {}
        self.clauses: dict[int, Clause] = {}


class FeatureTree:
    """Clauses by their features; `heads` is the number of functions."""

    def __init__(self, heads: int) -> None:
        self._heads = heads
        self._root = _Branch()

    def insert(self, clause: Clause) -> None:
        """Add a clause."""
        branch = self._root
        for value in self._features(clause):
            branch = branch.following.setdefault(value, _Branch())
        branch.clauses[clause.number] = clause

    def remove(self, clause: Clause) -> None:
        """Remove a clause; emptied branches stay."""
        branch = self._root
        for value in self._features(clause):
            branch = branch.following[value]
        del branch.clauses[clause.number]

    def subsuming(self, clause: Clause) -> Iterator[Clause]:
        """The clauses that may subsume one: no feature is larger."""
        branches = [self._root]
        for feature in self._features(clause):
            branches = [
                following
                for branch in branches
                for value, following in branch.following.items()
                if value <= feature
            ]
        for branch in branches:
            yield from branch.clauses.values()

    def subsumed(self, clause: Clause) -> Iterator[Clause]:
        """The clauses that one may subsume: no feature is smaller."""
        branches = [self._root]
        for feature in self._features(clause):
            branches = [
                following
                for branch in branches
                for value, following in branch.following.items()
                if value >= feature
            ]
        for branch in branches:
            yield from branch.clauses.values()

    def _features(self, clause: Clause) -> tuple[int, ...]:
        positive = sum(1 for each in clause.atoms if each[0])
        counts = [0] * self._heads
        for _, left, right in clause.atoms:
            waiting = [left, right]
            while waiting:
                term = waiting.pop()
                if term.head >= 0:
                    counts[term.head] += 1
                    waiting.extend(term.arguments)
        return (positive, len(clause.atoms) - positive, clause.size, *counts)
