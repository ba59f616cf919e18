"""Equations up to the order and the grouping in sums: functions that commute and associate, and what differs by them only.

Completion makes an equation in every order of its summands.  One of them is enough to go on with, because rewriting
orders the summands of what it is used on.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.prover.engines.completion.shared_terms import Bank, Node, summands_of
from kleis.prover.engines.completion.unit_equations import Unit
from kleis.prover.engines.first_order_terms import Apply, Function, Term, Variable

__all__ = ["Permutations", "sums"]


def sums(units: Sequence[Unit]) -> frozenset[Function]:
    """The functions that commute and associate by equations among these."""
    commuting = {each for unit in units if (each := _commuting(unit.left, unit.right)) is not None}
    associating = {
        each
        for unit in units
        for sides in ((unit.left, unit.right), (unit.right, unit.left))
        if (each := _associating(*sides)) is not None
    }
    return frozenset(commuting & associating)


def _commuting(left: Term, right: Term) -> Function | None:
    match left, right:
        case (
            Apply(function=function, arguments=(Variable() as x, Variable() as y)),
            Apply(function=other, arguments=(z, w)),
        ) if function == other and x != y and (z, w) == (y, x):
            return function
    return None


def _associating(left: Term, right: Term) -> Function | None:
    """Of (x + y) + z = x + (y + z): the function."""
    match left, right:
        case (
            Apply(
                function=f,
                arguments=(Apply(function=g, arguments=(Variable() as x, Variable() as y)), Variable() as z),
            ),
            Apply(function=h, arguments=(u, Apply(function=k, arguments=(v, w)))),
        ) if f == g == h == k and len({x, y, z}) == 3 and (u, v, w) == (x, y, z):
            return f
    return None


class Permutations:
    """Which equations were met up to the order of summands.  `functions` are the sums, by number."""

    def __init__(self, bank: Bank, functions: frozenset[int]) -> None:
        self._bank = bank
        self._functions = functions
        self._known: dict[Node, Node] = {}
        self._met: set[tuple[Node, Node]] = set()

    def is_new(self, left: Node, right: Node) -> bool:
        """Whether no equation like this was met before, which it is from now on."""
        sides = self._ordered(left, right)
        if sides[0] is sides[1] and left.size > _LAWS:
            return False
        if sides in self._met:
            return False
        self._met.add(sides)
        return True

    def _ordered(self, left: Node, right: Node) -> tuple[Node, Node]:
        """The sides with their summands in order; variables are numbered anew, and may then be in another order."""
        for _ in range(_ROUNDS):
            before = left, right
            left, right = self._bank.renamed((self._in_order(left), self._in_order(right)))
            if (left, right) == before:
                break
        return (left, right) if left.number < right.number else (right, left)

    def _in_order(self, term: Node) -> Node:
        if not term.arguments:
            return term
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._sorted(term)
        return known

    def _sorted(self, term: Node) -> Node:
        if term.head not in self._functions:
            return self._bank.apply(term.head, tuple(map(self._in_order, term.arguments)))
        summands = [self._in_order(each) for each in summands_of(term)]
        summands.sort(key=lambda each: (each.head < 0, each.size, each.number))
        whole = summands.pop()
        while summands:
            whole = self._bank.apply(term.head, (summands.pop(), whole))
        return whole


_LAWS = 7
"""Laws of sums themselves, such as x + (y + z) = y + (x + z), are kept up to this size of a side."""

_ROUNDS = 3
