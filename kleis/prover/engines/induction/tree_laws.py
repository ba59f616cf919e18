"""Laws that functions on trees often have, as candidates: measures of what is put in, of bounds, of order.

See docs/reference/proving.md §7.10.

That inserting keeps a search tree ordered needs that every key of ``insert(x, t)`` is below b where x and every key of t
are.  Such laws are written down here for the data types that a goal speaks of:

    measures    its own functions of one tree to numbers, truth values or lists: ``below(b, t)``, ``size(t)``
    makers      its own functions of one tree to a tree: ``insert(x, t)``
    mergers     its own functions of two trees to a tree: ``meld(a, b)``
    gatherers   its own functions of a list to a tree: ``fromList(l)``
    builders    its own functions that take what a constructor takes: ``balance(l, k, r)`` like ``N(h, l, k, r)``

Nothing here is known to hold: small values refute most, the others are proved before they are used.

Invariant: the same goal gives the same candidates in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, length_of, total
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, free_variables, substitute, subterms
from kleis.prover.engines.induction.law_formulas import NUMBERS, Group, closed, plus

__all__ = ["tree_candidates", "works_on_trees"]

_MOST = 160
"""Candidates for one goal."""

_MOST_SMALL = 2
"""Values without parts of a data type that stand for the empty tree."""

_HOLE = "t"
_INTEGRAL = (core.NATURAL, core.INTEGER)


class _OfTree(msgspec.Struct, frozen=True):
    """A call with a tree in one place: the variable `_HOLE`.  Other variables are parameters."""

    term: core.DefinitionCall
    sort: core.DataSort

    def at(self, value: core.Term) -> core.Term:
        """The call with a tree in its place."""
        return substitute(self.term, {_HOLE: value})

    @property
    def parameters(self) -> tuple[core.Variable, ...]:
        """The variables besides the tree."""
        return tuple(each for each in free_variables(self.term) if each.name != _HOLE)

    def apart(self) -> _OfTree:
        """The same with other names of parameters."""
        values = {each.name: core.Variable(f"{each.name}'", each.sort) for each in self.parameters}
        term = substitute(self.term, values)
        assert isinstance(term, core.DefinitionCall), "a call stays one"
        return _OfTree(term, self.sort)


def works_on_trees(goal: Goal) -> bool:
    """Whether a goal has functions of trees for which there are candidates."""
    return any(_Laws(goal, sort).any() for sort in _sorts(goal))


def tree_candidates(goal: Goal) -> Iterator[Group]:
    """What is worth proving for a goal about trees, in groups; those that later ones need first."""
    found = {canonical(goal.claim)} if goal.claim is not None else set()
    for sort in _sorts(goal):
        for group in _Laws(goal, sort).groups():
            fresh: list[core.Term] = []
            for formula in map(closed, group):
                if formula not in found and len(found) < _MOST:
                    found.add(formula)
                    fresh.append(formula)
            yield Group(tuple(fresh))


def _sorts(goal: Goal) -> tuple[core.DataSort, ...]:
    """The data types that have values in themselves, and of which a definition takes or makes one."""
    found = dict.fromkeys(
        sort
        for each in goal.definitions
        for sort in (*(p.sort for p in each.parameters), each.result)
        if isinstance(sort, core.DataSort)
    )
    return tuple(
        sort
        for sort in found
        if any(field.sort == sort for each in goal.constructors(sort) for field in each.fields)
    )


class _Laws:
    """The candidates about one data type."""

    def __init__(self, goal: Goal, sort: core.DataSort) -> None:
        self._goal = goal
        self._sort = sort
        made = goal.constructors(sort)
        self._empty = [core.Construction(each, ()) for each in made if not each.fields][:_MOST_SMALL]
        self._branching = [each for each in made if any(field.sort == sort for field in each.fields)]
        called = {
            each.definition
            for each in subterms(*(d.body for d in goal.definitions), *((goal.claim,) if goal.claim else ()))
            if isinstance(each, core.DefinitionCall)
        }
        taking = [
            (each, found)
            for each in goal.definitions
            if each.key in called and (found := self._call(each)) is not None
        ]
        self._makers = [found for each, found in taking if each.result == sort]
        self._measures = [
            found
            for each, found in taking
            if each.result in (*NUMBERS, core.BOOL) or isinstance(each.result, core.ListOf)
        ]
        self._truths = [each for each in self._measures if each.term.sort == core.BOOL]
        self._orders = [each for each in self._truths if not each.parameters]
        self._builders = [each for each in goal.definitions if each.result == sort and each.key in called]

    def any(self) -> bool:
        """Whether there is something to say: a measure, and something to measure."""
        return bool(self._measures) and (len(self._measures) > 1 or bool(self._makers or self._builders))

    def _call(self, definition: core.Definition) -> _OfTree | None:
        """A definition with one tree among its parameters, called with that tree in the hole."""
        if sum(each.sort == self._sort for each in definition.parameters) != 1:
            return None
        arguments = tuple(
            core.Variable(_HOLE if each.sort == self._sort else f"p{place}", each.sort)
            for place, each in enumerate(definition.parameters)
        )
        return _OfTree(core.DefinitionCall(definition.key, arguments, definition.result), self._sort)

    # ── Laws ─────────────────────────────────────────────────────────────────────────────────────────────────

    def groups(self) -> Iterator[Iterator[core.Term]]:
        """All laws: of bounds; of smart constructors; of two trees; of what is put in; of order; of lists."""
        yield self._of_bounds()
        yield self._of_building()
        yield self._of_merging()
        yield self._of_putting_in()
        yield self._of_order()
        yield self._of_gathering()

    def _of_building(self) -> Iterator[core.Term]:
        """A function that takes what a constructor takes, such as one that rotates: measures see no difference."""
        for definition in (each for each in self._builders if not each.group):
            built = core.DefinitionCall(definition.key, definition.parameters, self._sort)
            for plain in chain.from_iterable(
                _filled(each, definition.parameters) for each in self._branching
            ):
                for each in (measure.apart() for measure in self._measures):
                    if each.term.sort == core.BOOL and not each.parameters:
                        yield core.Connective("implies", (each.at(plain), each.at(built)))
                    else:
                        yield core.Equals(each.at(built), each.at(plain))

    def _of_bounds(self) -> Iterator[core.Term]:
        """Of truth values of a tree and a number: they stay with a smaller or a greater one, and bound what is in it."""
        tree = core.Variable(_HOLE, self._sort)
        for each in self._truths:
            for bound in each.parameters:
                if bound.sort in NUMBERS:
                    other = core.Variable("other", bound.sort)
                    moved = substitute(each.term, {bound.name: other})
                    for less, more in ((bound, other), (other, bound)):
                        given = core.Connective("and", (each.term, at_least(more, less)))
                        yield core.Connective("implies", (given, moved))
        for each in self._truths:
            for inside in (other.apart() for other in self._truths if other.term != each.term):
                if each.parameters and len(inside.parameters) == 1:
                    for single in self._singles(inside.parameters[0]):
                        given = core.Connective("and", (each.term, inside.at(tree)))
                        yield core.Connective("implies", (given, each.at(single)))

    def _of_merging(self) -> Iterator[core.Term]:
        """What makes one tree of two has what both have, and their order."""
        one, other = core.Variable(_HOLE, self._sort), core.Variable("s", self._sort)
        for definition in self._builders:
            if [each.sort for each in definition.parameters] == [self._sort, self._sort]:
                whole = core.DefinitionCall(definition.key, (one, other), self._sort)
                for each in self._measures:
                    if not isinstance(each.term.sort, core.ListOf):
                        yield from self._joined(each.at(whole), each.term, each.at(other))

    def _singles(self, key: core.Variable) -> Iterator[core.Term]:
        """Trees that hold one value and nothing below it."""
        for constructor in self._branching:
            for empty in self._empty:
                places = [place for place, field in enumerate(constructor.fields) if field.sort == key.sort]
                for chosen in places:
                    yield core.Construction(
                        constructor,
                        tuple(
                            empty
                            if field.sort == self._sort
                            else key
                            if place == chosen
                            else core.Variable(f"b{place}", field.sort)
                            for place, field in enumerate(constructor.fields)
                        ),
                    )

    def _of_putting_in(self) -> Iterator[core.Term]:
        """A measure of what a maker makes: that of the tree, joined with that of what is put in; or as it was."""
        for maker in self._makers:
            made = maker.apart()
            for each in self._measures:
                whole, own = each.at(made.term), each.term
                if isinstance(each.term.sort, core.ListOf):
                    yield core.Equals(length_of(whole), length_of(own))
                    continue
                for empty in self._empty[:1] if made.parameters else ():
                    yield from self._joined(whole, own, each.at(made.at(empty)))
                yield core.Equals(whole, own)
                if each.term.sort == core.BOOL:
                    yield core.Connective("implies", (own, whole))
                else:
                    yield at_least(whole, own)
                    yield at_least(own, whole)

    def _joined(self, whole: core.Term, own: core.Term, single: core.Term) -> Iterator[core.Term]:
        """Ways in which a measure of two things is that of each."""
        if whole.sort == core.BOOL:
            for name in ("and", "or"):
                joined = core.Connective("and" if name == "and" else "or", (own, single))
                yield core.Equals(whole, joined)
            yield core.Connective("implies", (core.Connective("and", (own, single)), whole))
        else:
            yield core.Equals(whole, _total(own, single))
            yield at_least(_total(own, single), whole)

    def _of_order(self) -> Iterator[core.Term]:
        """Of ordered trees: makers keep the order, two searches find the same, what is put in is found."""
        for order in self._orders:
            for maker in self._makers:
                yield core.Connective("implies", (order.term, order.at(maker.term)))
            for first in self._truths:
                for second in self._truths:
                    if first.term == second.term or not first.parameters:
                        continue
                    if [e.sort for e in first.parameters] == [e.sort for e in second.parameters]:
                        given = zip(second.parameters, first.parameters, strict=True)
                        same = substitute(second.term, {mine.name: other for mine, other in given})
                        equal = core.Equals(first.term, same)
                        yield core.Connective("implies", (order.term, equal))
            for maker in self._makers:
                made = maker.apart()
                for each in self._measures:
                    if isinstance(each.term.sort, core.ListOf) or not made.parameters:
                        continue
                    for empty in self._empty[:1]:
                        for law in self._joined(each.at(made.term), each.term, each.at(made.at(empty))):
                            yield core.Connective("implies", (order.term, law))

    def _of_gathering(self) -> Iterator[core.Term]:
        """Trees made of lists have the order."""
        for definition in self._builders:
            sorts = [each.sort for each in definition.parameters]
            if len(sorts) == 1 and isinstance(sorts[0], core.ListOf):
                made = core.DefinitionCall(definition.key, (core.Variable("l", sorts[0]),), self._sort)
                for order in self._orders:
                    yield order.at(made)


def _filled(constructor: core.Constructor, given: Sequence[core.Variable]) -> Iterator[core.Construction]:
    """The constructions of two or more values in their order.  Other fields, such as a height, must be numbers and are
    0: what is for all heights has no term that says when a solver should use it."""
    fields = constructor.fields
    for places in combinations(range(len(fields)), len(given)) if len(given) > 1 else ():
        values: dict[int, core.Term] = {
            place: core.LiteralTerm(0, field.sort)
            for place, field in enumerate(fields)
            if field.sort in _INTEGRAL
        }
        values.update(zip(places, given, strict=True))
        if len(values) == len(fields) and all(values[at].sort == fields[at].sort for at in values):
            yield core.Construction(constructor, tuple(values[at] for at in range(len(fields))))


def _total(first: core.Term, second: core.Term) -> core.Term:
    return total([first, second]) if first.sort == core.INTEGER else plus(first, second)
