"""Superposition: clauses are taken one after the other, simplified, and combined with those taken before.

See docs/reference/proving.md §7.19.  This is the given-clause loop in which only *active* clauses (those taken) simplify.
It ends with the empty clause, with nothing left to take, or with the steps used up.

Inferences
    * a part of a chosen literal is replaced by means of a chosen equation of another clause (superposition); predicates
      are equations with ``true``, so that is resolution too
    * a chosen disequation is made false by unifying its sides
    * of two equations with unifiable sides, one becomes the disequation of the others (equality factoring)
Only the greater sides of equations take part, of chosen literals: the selected one, or those that are maximal.

Steps count terms looked up in the rewriting index, unifications, and literals matched.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from kleis.prover.engines.completion.rewriting import Direction, Greater, Index, Rewriter, covers
from kleis.prover.engines.completion.shared_terms import (
    Bank,
    Node,
    instance,
    positions,
    unified,
    variables_of,
)
from kleis.prover.engines.superposition.kept_clauses import (
    Clause,
    Factored,
    Given,
    Instance,
    Origin,
    Overlapped,
    Resolved,
    Simplified,
    cleaned,
    foreign,
    is_false,
    is_true,
    moved,
    renumbered,
    variables_in,
)
from kleis.prover.engines.superposition.orderings import Atom, side_of
from kleis.prover.engines.superposition.permutations import Permutations
from kleis.prover.engines.superposition.strategy import Strategy
from kleis.prover.engines.superposition.subsumption import FeatureTree, subsumes

__all__ = ["Search"]

_WIDEST = 60
"""Clauses with more functions and variables than this, and `_LITERALS`, are not kept; the search is incomplete then.

No term is rewritten to a larger one either: to compare large terms takes far longer than the step that it is charged.
"""

_LITERALS = 8

_INSTANCES = 12
"""Terms of the claim at which a conditional law is taken."""


class Search:
    """One search with one ordering.

    `empty` is the empty clause once it is found; `clauses` has every clause that was kept, by number.
    """

    def __init__(self, bank: Bank, true: Node, heads: int, ordering: Greater, strategy: Strategy) -> None:
        self.bank = bank
        self.clauses: list[Clause] = []
        self.empty: Clause | None = None
        self.steps = 0
        self.cut = False
        self._true = true
        self._ordering = ordering
        self._strategy = strategy
        self._index = Index()
        self._rewriter = Rewriter(bank, self._index, ordering, self._charge, _WIDEST)
        self._active: dict[int, Clause] = {}
        self._features = FeatureTree(heads)
        self._into: dict[int, dict[tuple[int, int, int, tuple[int, ...]], Node]] = {}
        self._from: dict[int, dict[tuple[int, int, int], tuple[Node, Node]]] = {}
        self._units = {True: Index(), False: Index()}
        self._permutations = Permutations()
        self._by_weight: list[tuple[int, int]] = []
        self._by_age: list[int] = []
        self._taken = 0
        self._own = 1 << true.head
        self._weights: dict[Node, int] = {}

    @property
    def saturated(self) -> bool:
        """Whether nothing is left to take."""
        return not self._by_weight

    @property
    def active(self) -> int:
        """The number of active clauses."""
        return len(self._active)

    def _charge(self, steps: int) -> None:
        self.steps += steps

    def give(self, clauses: Sequence[tuple[tuple[Atom, ...], bool]]) -> None:
        """The input clauses, each with whether it is of the negated claim; their numbers are their places from 0."""
        given = [
            Clause(renumbered(self.bank, atoms), Given(place), (), (), goal)
            for place, (atoms, goal) in enumerate(clauses)
        ]
        for each in given:
            self._keep(each)
        for each in given:
            self._own |= each.positive | each.negative if each.goal else 0
        if self._strategy.familiar:
            self._weights = dict.fromkeys(self._grounds(given), 1)
        first = [each for each in given if self._strategy.first and self._is_law(each)]
        for each in first:
            self._add(each.atoms, Simplified(each.number), each.goal)
        if first:
            self.run(self._strategy.first)
            self._by_weight = [(2 * weight, number) for weight, number in self._by_weight]
        for each in given:
            if each not in first:
                self._add(each.atoms, Simplified(each.number), each.goal)

        for each in given:
            self._add_instances(each, given)

    def _add_instances(self, clause: Clause, given: Sequence[Clause]) -> None:
        """A conditional law with one variable, at the terms without variables that the negated claim speaks of.

        So ``x ≠ 0 → x x⁻¹ = 1`` is a law about the claim's own products at once, before the search comes to it.
        """
        variables = list(variables_in(clause.atoms))
        if clause.goal or len(clause.atoms) == 1 or len(variables) != 1:
            return
        chosen = [each for each in self._grounds(given) if each.sort == variables[0].sort]
        for value in chosen[:_INSTANCES]:
            atoms = self._at(clause, {variables[0]: value})
            self._add(atoms, Instance(clause.number, (value,)), True)

    def _grounds(self, given: Sequence[Clause]) -> list[Node]:
        """The terms without variables that the negated claim speaks of."""
        sides = [
            side for each in given if each.goal for _, left, right in each.atoms for side in (left, right)
        ]
        parts = dict.fromkeys(part for side in sides for _, part in positions(side))
        return [each for each in parts if each.ground]

    def _is_law(self, clause: Clause) -> bool:
        """Whether a clause is an equation between values of a carrier, apart from the claim."""
        equation = clause.unit_equation
        return equation is not None and equation[2] is not self._true and not clause.goal

    def run(self, limit: int) -> None:
        """Search until the empty clause is found, nothing is left, or `limit` steps are used up altogether."""
        while self.empty is None and self._by_weight and self.steps < limit:
            self._take()

    # ── Clauses in waiting ───────────────────────────────────────────────────────────────────────────────────

    def _add(self, atoms: tuple[Atom, ...], origin: Origin, goal: bool) -> None:
        """Simplify a new clause, and keep it unless it says nothing new."""
        clause = self._simplified(renumbered(self.bank, atoms), origin, goal)
        if clause is None:
            return
        weight = sum(
            self._weight(left) + (0 if right is self._true else self._weight(right))
            for _, left, right in clause.atoms
        )
        if self._strategy.foreign:
            weight += self._strategy.foreign * foreign(clause, self._own)
        if clause.size > _WIDEST or len(clause.atoms) > _LITERALS:
            self.cut = True
            return
        self._keep(clause)
        if not clause.atoms:
            self.empty = clause
            return
        resolved = self._eliminable(clause)
        if resolved is not None:
            clause.alive = False
            self._infer_resolved(clause, resolved)
            return
        percent = self._strategy.goal if clause.goal else 100
        heapq.heappush(self._by_weight, (weight * percent, clause.number))
        heapq.heappush(self._by_age, clause.number)

    def _weight(self, term: Node) -> int:
        """How many functions and variables a term has; parts that the strategy calls familiar count as one."""
        if not self._weights:
            return term.size
        found = self._weights.get(term)
        if found is None:
            found = self._weights[term] = 1 + sum(map(self._weight, term.arguments))
        return found

    def _keep(self, clause: Clause) -> None:
        clause.number = len(self.clauses)
        self.clauses.append(clause)

    def _simplified(self, atoms: tuple[Atom, ...], origin: Origin, goal: bool) -> Clause | None:
        """The clause that is left; None if it is true anyway."""
        self._charge(1)
        if is_true(atoms):
            return None
        rewritten = []
        sides: list[Atom | None] = []
        for place, (positive, left, right) in enumerate(atoms):
            found = []
            for side, term in enumerate((left, right)):
                normal, trace = self._rewriter.normal(term)
                if trace is not None:
                    rewritten.append((place, side, trace))
                found.append(normal)
            if positive and found[0] is found[1]:
                return None
            sides.append((positive, found[0], found[1]))
        cut: list[tuple[int, int]] = []
        for place, atom in enumerate(sides):
            if atom is None or is_false(atom):
                continue
            unit = self._unit_over((not atom[0], atom[1], atom[2]))
            if unit is not None:
                sides[place] = None
                cut.append((place, unit))
                goal = goal or self.clauses[unit].goal
        left_over = cleaned(sides)
        if is_true(left_over):
            return None
        kept = renumbered(self.bank, left_over)
        if len(kept) == 1 and self._unit_over(kept[0]) is not None:
            return None
        if any(self._permutations.redundant(each, len(kept) == 1) for each in kept):
            return None
        return Clause(kept, origin, tuple(rewritten), tuple(cut), goal)

    def _unit_over(self, atom: Atom) -> int | None:
        """The number of an active unit clause of which a literal is an instance."""
        positive, left, right = atom
        self._charge(1)
        for candidate, bound in self._units[positive].matches(left):
            if covers(self.bank, candidate, bound, right):
                return candidate.equation
        return None

    def _eliminable(self, clause: Clause) -> int | None:
        """A disequation ``x ≠ t`` without x in t: the clause says as much with t for x."""
        for place, (positive, left, right) in enumerate(clause.atoms):
            if not positive:
                for one, other in ((left, right), (right, left)):
                    if one.head < 0 and one not in variables_of(other):
                        return place
        return None

    # ── The given clause ─────────────────────────────────────────────────────────────────────────────────────

    def _take(self) -> None:
        """Take the next clause, simplify with it, and make all inferences with it."""
        clause = self._next()
        if clause is None:
            return
        self._charge(1)
        again = self._simplified(clause.atoms, Simplified(clause.number), clause.goal)
        if again is None:
            return
        if again.rewritten or again.cut:
            self._keep(again)
            clause = again
            if not clause.atoms:
                self.empty = clause
                return
            resolved = self._eliminable(clause)
            if resolved is not None:
                self._infer_resolved(clause, resolved)
                return
        if any(subsumes(each, clause, self._charge) for each in self._features.subsuming(clause)):
            return
        simplifiable = self._simplify_active(clause)
        clause.prepare(self.bank, self._ordering, self._strategy.selecting)
        self._activate(clause)
        for each in simplifiable:
            self._add(each.atoms, Simplified(each.number), each.goal)
        for atoms, origin, goal in list(self._inferences(clause)):
            if self.empty is None:
                self._add(atoms, origin, goal)

    def _next(self) -> Clause | None:
        """The next clause by age or by weight."""
        self._taken += 1
        by_age = self._taken % self._strategy.ratio == 0
        while self._by_weight and self._by_age:
            number = heapq.heappop(self._by_age) if by_age else heapq.heappop(self._by_weight)[1]
            clause = self.clauses[number]
            if clause.alive:
                clause.alive = False
                return clause
        self._by_weight, self._by_age = [], []
        return None

    def _simplify_active(self, clause: Clause) -> list[Clause]:
        """Take active clauses out that the new one subsumes or makes simpler; the latter."""
        gone = [each for each in self._features.subsumed(clause) if subsumes(clause, each, self._charge)]
        for each in gone:
            self._deactivate(each)
        found: list[Clause] = []
        equation = clause.unit_equation
        if equation is None:
            return found
        for simplifiable in self._directions(clause, equation):
            alone = Index()
            alone.insert(simplifiable)
            rewriter = Rewriter(self.bank, alone, self._ordering, self._charge, _WIDEST)
            bit = 0 if simplifiable.left.head < 0 else 1 << simplifiable.left.head
            for each in list(self._active.values()):
                if bit & ~(each.positive | each.negative):
                    continue
                if any(rewriter.normal(side)[1] is not None for atom in each.atoms for side in atom[1:]):
                    self._deactivate(each)
                    found.append(each)
        return found

    def _directions(self, clause: Clause, equation: Atom) -> Iterator[Direction]:
        """The ways to rewrite with an equation."""
        _, left, right = equation
        for one, other in ((left, right), (right, left)):
            if one.head < 0 or self._ordering.greater(other, one):
                continue
            bound = variables_of(one)
            if all(each in bound for each in variables_of(other)):
                oriented = self._ordering.greater(one, other)
                yield Direction(self.bank, clause.number, (one, other), oriented, {})

    def _activate(self, clause: Clause) -> None:
        self._active[clause.number] = clause
        self._features.insert(clause)
        if len(clause.atoms) == 1:
            positive, left, right = clause.atoms[0]
            own = {each.sort: each for side in (left, right) for each in variables_of(side)}
            clause.matched = tuple(
                Direction(self.bank, clause.number, sides, True, own)
                for sides in ((left, right), (right, left))
            )
            for each in clause.matched:
                self._units[positive].insert(each)
            if positive:
                self._permutations.learn(left, right)
                clause.units = tuple(self._directions(clause, clause.atoms[0]))
                for each in clause.units:
                    self._index.insert(each)
                self._rewriter.forget()
        for literal, side in clause.targets():
            for path, part in positions(side_of(clause.atoms[literal], side)):
                self._into.setdefault(part.head, {})[clause.number, literal, side, path] = part
        for literal, side, old, new in clause.sources:
            self._from.setdefault(max(old.head, -1), {})[clause.number, literal, side] = (old, new)

    def _deactivate(self, clause: Clause) -> None:
        del self._active[clause.number]
        self._features.remove(clause)
        if len(clause.atoms) == 1:
            for each in clause.matched:
                self._units[clause.atoms[0][0]].remove(each)
            for each in clause.units:
                self._index.remove(each)
            if clause.units:
                self._rewriter.forget()
        for literal, side in clause.targets():
            for path, part in positions(side_of(clause.atoms[literal], side)):
                del self._into[part.head][clause.number, literal, side, path]
        for literal, side, old, _ in clause.sources:
            del self._from[max(old.head, -1)][clause.number, literal, side]

    # ── Inferences ───────────────────────────────────────────────────────────────────────────────────────────

    def _inferences(self, clause: Clause) -> Iterator[tuple[tuple[Atom, ...], Origin, bool]]:
        """All conclusions from the clause, and from it and active ones."""
        for literal in clause.chosen:
            positive, left, right = clause.atoms[literal]
            if not positive:
                self._charge(1)
                values = unified(left, right)
                if values is not None:
                    yield self._at(clause, values), Resolved(clause.number, literal), clause.goal
            else:
                yield from self._factored(clause, literal)
        for literal, side, old, new in clause.sources:
            for head, places in self._places(old):
                del head
                for (number, at, into, path), part in places:
                    yield from self._overlap(
                        clause, (literal, side, old, new), self.clauses[number], (at, into, path, part)
                    )
        for literal, side in clause.targets():
            for path, part in positions(side_of(clause.atoms[literal], side)):
                for key in (part.head, -1):
                    for (number, at, source), (old, new) in list(self._from.get(key, {}).items()):
                        if number != clause.number:
                            equation = (at, source, old, new)
                            yield from self._overlap(
                                self.clauses[number], equation, clause, (literal, side, path, part)
                            )

    def _places(
        self, old: Node
    ) -> Iterator[tuple[int, list[tuple[tuple[int, int, int, tuple[int, ...]], Node]]]]:
        """The active parts that a term may be unified with."""
        heads = [old.head] if old.head >= 0 else list(self._into)
        for head in heads:
            yield head, list(self._into.get(head, {}).items())

    def _at(self, clause: Clause, values: dict[Node, Node]) -> tuple[Atom, ...]:
        bank = self.bank
        return tuple(
            (sign, instance(bank, left, values), instance(bank, right, values))
            for sign, left, right in clause.atoms
        )

    def _infer_resolved(self, clause: Clause, literal: int) -> None:
        _, left, right = clause.atoms[literal]
        values = unified(left, right)
        assert values is not None, "a variable is unified with a term without it"
        self._add(self._at(clause, values), Resolved(clause.number, literal), clause.goal)

    def _factored(self, clause: Clause, literal: int) -> Iterator[tuple[tuple[Atom, ...], Origin, bool]]:
        """Equality factoring of a chosen equation with the others."""
        _, *sides = clause.atoms[literal]
        for other, (positive, *its) in enumerate(clause.atoms):
            if other == literal or not positive:
                continue
            for one in (0, 1):
                if clause.directions[literal] == 2 * one - 1:
                    continue
                for two in (0, 1):
                    if sides[one].sort != its[two].sort or its[two] is self._true:
                        continue
                    self._charge(1)
                    values = unified(sides[one], its[two])
                    if values is None:
                        continue
                    atoms = list(self._at(clause, values))
                    atoms[literal] = (
                        False,
                        instance(self.bank, sides[1 - one], values),
                        instance(self.bank, its[1 - two], values),
                    )
                    yield tuple(atoms), Factored(clause.number, literal, other, (one, two)), clause.goal

    def _overlap(
        self,
        source: Clause,
        equation: tuple[int, int, Node, Node],
        main: Clause,
        place: tuple[int, int, tuple[int, ...], Node],
    ) -> Iterator[tuple[tuple[Atom, ...], Origin, bool]]:
        """A part of the main clause replaced by means of the other's equation."""
        number, side, old, new = equation
        literal, into, path, part = place
        if old.sort != part.sort:
            return
        positive, *sides = main.atoms[literal]
        if positive and not path and new is self._true:
            return
        self._charge(1)
        values = unified(old, part)
        if values is None:
            return
        bank, greater = self.bank, self._ordering.greater
        if not source.units or not source.units[0].oriented:
            one, other = instance(bank, old, values), instance(bank, new, values)
            if one is other or greater(other, one):
                return
        if not main.directions[literal] and greater(
            instance(bank, sides[1 - into], values), instance(bank, sides[into], values)
        ):
            return
        replaced = bank.replaced(sides[into], path, new)
        pair = (replaced, sides[1]) if into == 0 else (sides[0], replaced)
        rest = [each for at, each in enumerate(source.atoms) if at != number]
        joined = [
            *main.atoms[:literal],
            (positive, *pair),
            *main.atoms[literal + 1 :],
            *((sign, moved(bank, left), moved(bank, right)) for sign, left, right in rest),
        ]
        atoms = tuple(
            (sign, instance(bank, left, values), instance(bank, right, values))
            for sign, left, right in joined
        )
        origin = Overlapped(main.number, literal, into, path, source.number, number, side)
        yield atoms, origin, main.goal or source.goal
