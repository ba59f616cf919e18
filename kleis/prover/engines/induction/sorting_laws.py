"""Laws of functions to which the order of elements makes no difference, as candidates: what puts in, joins and sorts.

See docs/reference/proving.md §7.10.

That quicksort and insertion sort give the same list needs that insertion sort fulfils the equation of quicksort's
recursion, and that an element put into a list around a pivot goes to one of its sides.  Such laws are written down here
for claims that two lists are equal:

    insertions  functions of an element and a list to a list: ``into(x, l)``
    mergers     functions of two lists to a list: ``merge(k, l)``
    sorters     functions of a list to a list: ``isort(l)``

Nothing here is known to hold: small values refute most, the others are proved before they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, less
from kleis.core.goal import Goal
from kleis.core.terms import list_constructors
from kleis.core.traversal import free_variables, rebuild, substitute, subterms
from kleis.prover.engines.induction.law_formulas import HOLE, every, parameter
from kleis.prover.lowering.list_terms import append, cons, nil
from kleis.prover.lowering.match_equations import simplified

__all__ = ["Calls", "SortingLaws", "other_recursions"]

Calls = Callable[..., Iterator[core.DefinitionCall]]
"""The calls of definitions of these sorts, the result last, at values."""


class SortingLaws(msgspec.Struct, frozen=True):
    """The candidates about lists of one sort.

    `parts` are lists made of the list `HOLE`, `sorters` are those that the claim compares; `placed` whether lists are put together around an element that parts them;
    `listed` whether these are the lists of trees.
    """

    sort: core.ListOf
    calls: Calls
    parts: Sequence[core.Term] = ()
    sorters: Sequence[core.Term] = ()
    placed: bool = False
    listed: bool = False

    def of_inserting(self) -> Iterator[core.Term]:
        """Elements put in in either order, and around a middle."""
        x, y = core.Variable(HOLE, self.sort), core.Variable("y", self.sort)
        one, other, middle = (parameter(place, self.sort.element) for place in (7, 8, 6))
        for first, second in zip(self._insertions(one), self._insertions(other), strict=True):
            yield core.Equals(_at(first, second), _at(second, first))
            if self.placed:
                placed = core.Equals(_at(first, append(x, cons(middle, y))), append(first, cons(middle, y)))
                yield _implied((at_least(middle, one),), placed)
            if self.listed:
                yield from self._of_places(first, one)

    def of_sorting(self) -> Iterator[core.Term]:
        """Lists sorted that differ in the order of their elements."""
        x, one = core.Variable(HOLE, self.sort), parameter(7, self.sort.element)
        for each in self._from_lists():
            for put in self._insertions(one):
                yield core.Equals(_at(each, put), _at(put, each))
            last = append(x, cons(one, nil(self.sort)))
            yield core.Equals(_at(each, last), _at(each, cons(one, x)))
            yield self._of_moving(each)

    def of_moving(self) -> Iterator[core.Term]:
        """An element within a list might as well be first, where the list is sorted."""
        return map(self._of_moving, self._from_lists())

    def _of_moving(self, sorter: core.Term) -> core.Term:
        x, y = core.Variable(HOLE, self.sort), core.Variable("y", self.sort)
        one = parameter(7, self.sort.element)
        within, ahead = append(x, cons(one, y)), cons(one, append(x, y))
        return core.Equals(_at(sorter, within), _at(sorter, ahead))

    def _from_lists(self) -> Iterator[core.DefinitionCall]:
        return self.calls((self.sort, self.sort), core.Variable(HOLE, self.sort))

    def _insertions(self, element: core.Term) -> list[core.DefinitionCall]:
        sort = self.sort
        return [*self.calls((sort.element, sort, sort), element, core.Variable(HOLE, sort))]

    def _of_places(self, put: core.Term, element: core.Term) -> Iterator[core.Term]:
        """Where an element is put into a list that is sorted around another one, as the list of a search tree is."""
        x, y = core.Variable(HOLE, self.sort), core.Variable("y", self.sort)
        middle = parameter(6, self.sort.element)
        whole = append(x, cons(middle, y))
        left = append(put, cons(middle, y))
        right = append(x, cons(middle, _at(put, y)))
        placed = _at(put, whole)
        below = every("below", middle, x)
        yield core.Connective("implies", (less(element, middle), core.Equals(placed, left)))
        for given in (less(middle, element), core.Equals(element, middle)):
            for made in (right, whole):
                yield _implied((below, given), core.Equals(placed, made))

    def of_bounded(self) -> Iterator[core.Term]:
        """An element put before greater ones; lists sorted that lie on both sides of an element."""
        x, y = core.Variable(HOLE, self.sort), core.Variable("y", self.sort)
        one = parameter(7, self.sort.element)
        upper = every("at least", one, x)
        for put in self._insertions(one) if self.placed else ():
            yield _implied((upper,), core.Equals(put, cons(one, x)))
        for each in self.sorters if self.placed else ():
            both = append(each, cons(one, _at(each, y)))
            given = every("at most", one, x), every("at least", one, y)
            yield _implied(given, core.Equals(_at(each, append(x, cons(one, y))), both))

    def of_merging(self) -> Iterator[core.Term]:
        """Two lists put together, one of them with an element."""
        for merged in self._mergers():
            for put in self._insertions(parameter(7, self.sort.element)):
                yield core.Equals(_at(merged, put), _at(put, merged))

    def of_merging_sorted(self) -> Iterator[core.Term]:
        """Two lists sorted and put together."""
        x, y = core.Variable(HOLE, self.sort), core.Variable("y", self.sort)
        for each in self.sorters:
            for merged in self._mergers():
                both = substitute(merged, {HOLE: each, "y": _at(each, y)})
                yield core.Equals(both, _at(each, append(x, y)))

    def of_whole_parts(self) -> Iterator[core.Term]:
        """Sorted, the parts of a list together are the list."""
        for each in self.sorters:
            for first, second in combinations(self.parts, 2):
                yield core.Equals(_at(each, append(first, second)), each)

    def of_parts(self) -> Iterator[core.Term]:
        """The parts of a list around what it was parted by are sorted apart."""
        for each in self.sorters if self.placed else ():
            for first, second in combinations(self.parts, 2):
                for pivot in free_variables(first):
                    if pivot.sort == self.sort.element:
                        whole = _at(each, append(first, cons(pivot, second)))
                        apart = append(_at(each, first), cons(pivot, _at(each, second)))
                        yield core.Equals(whole, apart)

    def _mergers(self) -> list[core.DefinitionCall]:
        x, y = core.Variable(HOLE, self.sort), core.Variable("y", self.sort)
        return [*self.calls((self.sort, self.sort, self.sort), x, y)]


def other_recursions(goal: Goal) -> Iterator[core.Term]:
    """Of a claim that a recursion by a measure is something else: that this fulfils its equation, for a list that is not empty.

    There is one function that does, so the claim follows by induction on the size.
    """
    claim = goal.claim
    while isinstance(claim, core.Quantifier):
        claim = claim.body
    if not isinstance(claim, core.Equals):
        return
    for side, other in ((claim.left, claim.right), (claim.right, claim.left)):
        if isinstance(side, core.DefinitionCall):
            yield from _equation_of(goal, side, other)


def _equation_of(goal: Goal, call: core.DefinitionCall, other: core.Term) -> Iterator[core.Term]:
    termination = goal.termination(call.definition)
    definition = next(each for each in goal.definitions if each.key == call.definition)
    variables = [each for each in call.arguments if isinstance(each, core.Variable)]
    if (
        termination is None
        or termination.kind == "structural"
        or definition.group != (definition.key,)
        or len(set(variables)) < len(call.arguments)
        or any(
            isinstance(each, core.DefinitionCall) and each.definition == call.definition
            for each in subterms(other)
        )
    ):
        return

    def instead(term: core.Term) -> core.Term:
        term = rebuild(term, instead)
        if isinstance(term, core.DefinitionCall) and term.definition == call.definition:
            return substitute(
                other, dict(zip((each.name for each in variables), term.arguments, strict=True))
            )
        return term

    given = zip((each.name for each in definition.parameters), variables, strict=True)
    equation = core.Equals(instead(substitute(definition.body, dict(given))), other)
    for place, each in enumerate(variables):
        if isinstance(each.sort, core.ListOf):
            _, made = list_constructors(each.sort)
            parts = (
                core.Variable(f"head{place}", each.sort.element),
                core.Variable(f"rest{place}", each.sort),
            )
            yield simplified(substitute(equation, {each.name: core.Construction(made, parts)}))


def _at(term: core.Term, value: core.Term) -> core.Term:
    """The term with a list in its place."""
    return substitute(term, {HOLE: value})


def _implied(given: tuple[core.Term, ...], claim: core.Term) -> core.Term:
    premise = given[0] if len(given) == 1 else core.Connective("and", given)
    return core.Connective("implies", (premise, claim))
