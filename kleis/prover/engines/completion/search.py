"""Unfailing completion of unit equations, one given equation at a time.

The loop takes the lightest waiting equation (every sixth time the oldest), reduces it to normal form, drops it if it
holds already, otherwise adds it to the rules, simplifies the rules by it, and adds its critical pairs to the waiting
equations.  It ends with ``true = false``, when nothing waits (`saturated`), or when its steps are used up.

Invariants
    * Every equation has an `Origin`: how it follows from earlier ones, step by step.
    * Steps are counted, never timed: index lookups, unifications, symbols of new terms.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from kleis.prover.engines.completion.permutations import Permutations
from kleis.prover.engines.completion.rewriting import (
    Direction,
    Index,
    Overlap,
    Rewriter,
    Trace,
    covers,
    orders,
)
from kleis.prover.engines.completion.shared_terms import Bank, Node, Ordering, instance, unified, variables_of
from kleis.prover.engines.completion.weight_ordering import WeightOrdering

__all__ = ["Equation", "Origin", "Search", "Vocabulary"]

_LARGEST = 90
"""Equations with more symbols are not kept; the search is then not complete."""

_ORDERED = 4
"""Ground joinability is tried by cases for so many variables."""


class Origin(NamedTuple):
    """The derivation of an equation: a chain of terms, and how its ends were rewritten.

    terms, labels
        ``terms[i] = terms[i + 1]`` by the equation number ``labels[i]``; by reflection of the equation number n,
        ``(s =G t) = true``, where the label is −1 − n.  No labels: it is the unit number `given`.
    left, right
        Traces of rewriting the first term and the last one, in order.
    """

    terms: tuple[Node, ...]
    labels: tuple[int, ...] = ()
    given: int | None = None
    left: tuple[Trace, ...] = ()
    right: tuple[Trace, ...] = ()

    def rewritten(self, left: Trace | None, right: Trace | None) -> Origin:
        """The same with the ends rewritten once more."""
        return self._replace(
            left=self.left if left is None else (*self.left, left),
            right=self.right if right is None else (*self.right, right),
        )


class Equation:
    """An equation among the rules.  `line` is kept when its right side is simplified."""

    __slots__ = ("directions", "left", "line", "number", "oriented", "origin", "overlaps", "right")

    def __init__(self, number: int, left: Node, right: Node, origin: Origin, line: int) -> None:
        self.number = number
        self.left = left
        self.right = right
        self.origin = origin
        self.line = line
        self.oriented = False
        self.directions: tuple[Direction, ...] = ()
        self.overlaps: tuple[Overlap, ...] = ()


class Vocabulary(NamedTuple):
    """The functions of a search, by number.

    sorts, ranks
        The sort of every function's values; its place in the precedence.
    least
        The least constant of every sort.
    true, false, equality
        The truth values, and which functions are equality.
    sums
        Functions that commute and associate, if equations are to be compared up to the order of summands.  Then terms
        are ordered by weight, and a search that ends is not complete.
    """

    sorts: tuple[int, ...]
    ranks: tuple[int, ...]
    least: Mapping[int, int]
    true: int
    false: int
    equality: frozenset[int]
    sums: frozenset[int] = frozenset()


class _Waiting(NamedTuple):
    weight: int
    age: int
    left: Node
    right: Node
    origin: Origin
    lines: tuple[int, ...]


class Search:
    """One completion, which can be continued."""

    def __init__(self, bank: Bank, vocabulary: Vocabulary) -> None:
        self.bank = bank
        self.vocabulary = vocabulary
        self._ordered = WeightOrdering if vocabulary.sums else Ordering
        self._permutations = Permutations(bank, vocabulary.sums) if vocabulary.sums else None
        self.ordering = self._ordered(vocabulary.ranks)
        self.steps = 0
        self.saturated = False
        self.complete = not vocabulary.sums
        self.contradiction: Origin | None = None
        self.equations: list[Equation] = []
        self.active: dict[int, Equation] = {}
        self._index = Index()
        self._rewriter = Rewriter(bank, self._index, self.ordering, self._charge)
        self._light: list[_Waiting] = []
        self._old: list[tuple[int, _Waiting]] = []
        self._taken: set[int] = set()
        self._age = 0
        self._lines = 0
        self._turn = 0
        self._goals: list[tuple[Node, Origin]] = []
        self._alive: set[int] = set()
        self._unoriented = 0
        self._least = {sort: bank.apply(head, ()) for sort, head in vocabulary.least.items()}

    def give(self, left: Node, right: Node, unit: int) -> None:
        """Add an equation of the problem, by its number there."""
        number = self._register(left, right, Origin((left, right), given=unit)).number
        self._wait(left, right, Origin((left, right), (number,)), (), weight=0)

    def watch(self, equality: Node, unit: int) -> None:
        """Add a disequation without variables, ``(s =G t) = false``: refuted when the left side becomes true."""
        false = self._truth(self.vocabulary.false)
        number = self._register(equality, false, Origin((equality, false), given=unit)).number
        self._goals.append((equality, Origin((equality, false), (number,))))

    def run(self, limit: int) -> None:
        """Continue until a contradiction is found, nothing waits, or `steps` reaches the limit."""
        while self.contradiction is None and not self.saturated and self.steps < limit:
            waiting = self._next()
            if waiting is None:
                self.saturated = True
                self.complete = self.complete and not self._rewriter.cut
                self._check_goals()
                return
            self._take(waiting)

    def normal(self, term: Node) -> Node:
        """The normal form of a term under the rules so far."""
        return self._rewriter.normal(term)[0]

    # ── Waiting equations ────────────────────────────────────────────────────────────────────────────────────

    def _wait(
        self, left: Node, right: Node, origin: Origin, lines: tuple[int, ...], weight: int | None = None
    ) -> None:
        size = left.size + right.size
        if size > _LARGEST and weight is None:
            self.complete = False
            return
        if self._permutations is not None and weight is None and not self._permutations.is_new(left, right):
            return
        self._age += 1
        weight = self._weight(left, right) if weight is None else weight
        waiting = _Waiting(weight, self._age, left, right, origin, lines)
        heapq.heappush(self._light, waiting)
        heapq.heappush(self._old, (self._age, waiting))

    def _weight(self, left: Node, right: Node) -> int:
        """The weight of an equation as a rule: its greater side, or both sides if neither is greater or weights order."""
        if self._permutations is not None:
            return left.size + right.size
        if self.ordering.greater(left, right):
            return left.size
        return right.size if self.ordering.greater(right, left) else left.size + right.size

    def _next(self) -> _Waiting | None:
        """The lightest waiting equation, or now and then the oldest; without those whose parents are gone."""
        self._turn += 1
        by_age = self._turn % 6 == 0
        while self._light and self._old:
            waiting = heapq.heappop(self._old)[1] if by_age else heapq.heappop(self._light)
            if waiting.age in self._taken:
                continue
            self._taken.add(waiting.age)
            if all(line in self._alive for line in waiting.lines):
                return waiting
        return None

    def _take(self, waiting: _Waiting) -> None:
        left, left_trace = self._rewriter.normal(waiting.left)
        right, right_trace = self._rewriter.normal(waiting.right)
        if left is right or self._subsumed(left, right) or self._joinable(left, right):
            return
        origin = waiting.origin.rewritten(left_trace, right_trace)
        truths = self._truth(self.vocabulary.true), self._truth(self.vocabulary.false)
        if {left, right} == set(truths):
            self.contradiction = origin
        elif right is truths[0] and left.head in self.vocabulary.equality:
            self._reflect(left, right, origin)
        elif left is truths[0] and right.head in self.vocabulary.equality:
            self._reflect(right, left, _turned(origin))
        else:
            self._activate(left, right, origin)

    def _reflect(self, equality: Node, true: Node, origin: Origin) -> None:
        """From ``(s =G t) = true``: s = t."""
        if equality.arguments[0].head < 0 and equality.arguments[0] is equality.arguments[1]:
            self._activate(equality, true, origin)
            return
        number = self._register(equality, true, origin).number
        left, right = equality.arguments
        self._wait(left, right, Origin((left, right), (-1 - number,)), ())

    # ── Rules ────────────────────────────────────────────────────────────────────────────────────────────────

    def _activate(self, left: Node, right: Node, origin: Origin) -> None:
        if self.ordering.greater(right, left):
            left, right, origin = right, left, _turned(origin)
        self._lines += 1
        self._alive.add(self._lines)
        new = self._register(left, right, origin, self._lines)
        self._direct(new)
        self._simplify(new)
        self._insert(new)
        self._check_goals()
        if self.contradiction is None:
            self._pair(new)

    def _register(self, left: Node, right: Node, origin: Origin, line: int = 0) -> Equation:
        equation = Equation(len(self.equations), left, right, origin, line)
        self.equations.append(equation)
        return equation

    def _direct(self, equation: Equation) -> None:
        sides = equation.left, equation.right
        equation.oriented = self.ordering.greater(*sides)
        both = (sides,) if equation.oriented else (sides, (sides[1], sides[0]))
        made = [Direction(self.bank, equation.number, each, equation.oriented, self._least) for each in both]
        equation.directions = tuple(made)
        equation.overlaps = tuple(Overlap(self.bank, each) for each in made)

    def _insert(self, equation: Equation) -> None:
        self.active[equation.number] = equation
        for direction in equation.directions:
            self._index.insert(direction)
        self._unoriented += not equation.oriented
        self._rewriter.forget()

    def _remove(self, equation: Equation) -> None:
        del self.active[equation.number]
        for direction in equation.directions:
            self._index.remove(direction)
        self._unoriented -= not equation.oriented

    def _simplify(self, new: Equation) -> None:
        """Rewrite the rules by a new one: what loses its left side waits again, right sides are replaced."""
        index = Index()
        for direction in new.directions:
            index.insert(direction)
        rewriter = Rewriter(self.bank, index, self.ordering, self._charge)
        for old in list(self.active.values()):
            left, left_trace = rewriter.normal(old.left)
            right, right_trace = rewriter.normal(old.right)
            if left is old.left and right is old.right:
                continue
            self._remove(old)
            origin = Origin((old.left, old.right), (old.number,)).rewritten(left_trace, right_trace)
            if left is old.left and old.oriented:
                changed = self._register(left, right, origin, old.line)
                self._direct(changed)
                self._insert(changed)
            else:
                self._alive.discard(old.line)
                self._wait(left, right, origin, ())
        self._rewriter.cut = self._rewriter.cut or rewriter.cut

    def _check_goals(self) -> None:
        for index, (equality, origin) in enumerate(self._goals):
            value, trace = self._rewriter.normal(equality)
            if trace is not None:
                origin = origin.rewritten(trace, None)
                self._goals[index] = value, origin
            if value.head == self.vocabulary.true:
                self.contradiction = origin
                return

    # ── Critical pairs ───────────────────────────────────────────────────────────────────────────────────────

    def _pair(self, new: Equation) -> None:
        for old in list(self.active.values()):
            lines = (new.line, old.line)
            for ours, theirs in product(new.overlaps, old.overlaps):
                self._overlap(ours, theirs, lines, root=True)
                if old is not new:
                    self._overlap(theirs, ours, lines, root=False)

    def _overlap(self, inner: Overlap, outer: Overlap, lines: tuple[int, ...], *, root: bool) -> None:
        """The critical pairs of rewriting with `inner` inside the left side of `outer`."""
        for path, part in outer.places_of(inner.left):
            same = inner.direction is outer.direction and not inner.direction.free
            if not path and (same or not root):
                continue
            self._charge(1)
            values = unified(part, inner.left)
            if values is not None:
                self._superpose(inner, outer, path, values, lines)

    def _superpose(
        self,
        inner: Overlap,
        outer: Overlap,
        path: tuple[int, ...],
        values: Mapping[Node, Node],
        lines: tuple[int, ...],
    ) -> None:
        bank = self.bank
        whole = instance(bank, outer.original, values)
        self._charge(whole.size)
        part = instance(bank, inner.left, values)
        if any(self._rewriter.normal(each)[0] is not each for each in part.arguments):
            return
        result = instance(bank, inner.right, values)
        other = instance(bank, outer.target, values)
        if not inner.direction.oriented and not self._may_shrink(part, result):
            return
        if not outer.direction.oriented and not self._may_shrink(whole, other):
            return
        first = bank.replaced(whole, path, result)
        left, left_trace = self._rewriter.normal(first)
        right, right_trace = self._rewriter.normal(other)
        if left is right:
            return
        origin = Origin((first, whole, other), (inner.direction.equation, outer.direction.equation))
        self._wait(left, right, origin.rewritten(left_trace, right_trace), lines)

    def _may_shrink(self, left: Node, right: Node) -> bool:
        return left is not right and not self.ordering.greater(right, left)

    # ── Redundancy ───────────────────────────────────────────────────────────────────────────────────────────

    def _subsumed(self, left: Node, right: Node) -> bool:
        """Whether the equation is an instance of a rule, in a context."""
        while True:
            self._charge(1)
            for direction, bound in self._index.matches(left):
                if covers(self.bank, direction, bound, right):
                    return True
            if left.head < 0 or left.head != right.head:
                return False
            unequal = [(a, b) for a, b in zip(left.arguments, right.arguments, strict=True) if a is not b]
            if len(unequal) != 1:
                return False
            left, right = unequal[0]

    def _joinable(self, left: Node, right: Node) -> bool:
        """Whether the sides have one normal form however their variables are ordered."""
        variables = list({**variables_of(left), **variables_of(right)})
        if not self._unoriented or not 1 < len(variables) <= _ORDERED:
            return False
        return all(self._joins(left, right, case) for case in orders(variables))

    def _joins(self, left: Node, right: Node, case: Mapping[Node, tuple[Node, int]]) -> bool:
        values = {each: first for each, (first, _) in case.items() if first is not each}
        ranks = dict(case.values())
        ordering = self._ordered(self.vocabulary.ranks, ranks)
        rewriter = Rewriter(self.bank, self._index, ordering, self._charge)
        sides = [rewriter.normal(instance(self.bank, each, values))[0] for each in (left, right)]
        return sides[0] is sides[1]

    # ── Small things ─────────────────────────────────────────────────────────────────────────────────────────

    def _truth(self, head: int) -> Node:
        return self.bank.apply(head, ())

    def _charge(self, steps: int) -> None:
        self.steps += steps


def _turned(origin: Origin) -> Origin:
    """The equation read from right to left."""
    labels = tuple(reversed(origin.labels))
    return origin._replace(
        terms=tuple(reversed(origin.terms)),
        labels=labels,
        left=origin.right,
        right=origin.left,
    )
