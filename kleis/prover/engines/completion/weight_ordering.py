"""The Knuth–Bendix ordering with all weights 1: larger terms are greater, then the precedence and the arguments decide.

It never expands terms, so equations stay small where the path ordering lets them grow; and it is total on ground terms,
stable under substitution and compatible with contexts, as the path ordering is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis.prover.engines.completion.shared_terms import Node

__all__ = ["WeightOrdering"]


class WeightOrdering:
    """The ordering of a precedence: `ranks` of the functions, all different.

    `order` gives ranks of variables; the result then holds of every instance with variables ordered so.
    """

    def __init__(self, ranks: Sequence[int], order: Mapping[Node, int] | None = None) -> None:
        self._ranks = ranks
        self._order = order or {}
        self._falling = sorted(self._order, key=lambda each: -self._order[each])
        self._known: dict[tuple[Node, Node], bool] = {}
        self._counts: dict[Node, dict[Node, int]] = {}

    def greater(self, left: Node, right: Node) -> bool:
        """Whether the left term is greater than the right one."""
        if left is right:
            return False
        if left.head < 0 and right.head < 0:
            order = self._order
            return left in order and right in order and order[left] > order[right]
        key = (left, right)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._greater(left, right)
        return known

    def _greater(self, left: Node, right: Node) -> bool:
        more = self._more(left, right)
        if more is None or more > 0:
            return more is not None
        if left.head < 0:
            return False
        if right.head < 0:
            return right in self._counted(left)
        if left.head != right.head:
            return self._ranks[left.head] > self._ranks[right.head]
        for a, b in zip(left.arguments, right.arguments, strict=True):
            if a is not b:
                return self.greater(a, b)
        return False

    def _more(self, left: Node, right: Node) -> int | None:
        """How much larger the left term is at least, in all instances; None if it may be smaller."""
        ours, theirs = self._counted(left), self._counted(right)
        missing = any(count > ours.get(each, 0) for each, count in theirs.items())
        if not missing:
            least = left.size - right.size
            return least if least >= 0 else None
        difference = {
            each: ours.get(each, 0) - theirs.get(each, 0)
            for each in (*ours, *theirs)
            if ours.get(each, 0) != theirs.get(each, 0)
        }
        if any(each not in self._order for each in difference):
            return None
        # Variables are at least 1, and each is at least as large as those after it.
        total = 0
        for each in self._falling:
            total += difference.get(each, 0)
            if total < 0:
                return None
        least = left.size - right.size - sum(difference.values()) + total
        return least if least >= 0 else None

    def _counted(self, term: Node) -> dict[Node, int]:
        """How often each variable occurs."""
        known = self._counts.get(term)
        if known is None:
            known = {term: 1} if term.head < 0 else {}
            if not term.ground:
                for part in term.arguments:
                    for each, count in self._counted(part).items():
                        known[each] = known.get(each, 0) + count
            self._counts[term] = known
        return known
