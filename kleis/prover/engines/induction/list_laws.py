"""Laws that functions on lists often have, as candidates: measures over `append`, over parts, of sorting functions.

See docs/reference/proving.md §7.10.

A proof of ``cnt(x, qsort(l)) = cnt(x, l)`` needs that ``cnt`` of `append` is a sum, and that the parts into which the
recursion splits a list make up the whole.  Such laws are written down here for what a goal speaks of:

    measures    what the goal computes of lists: `length`, its own functions to numbers and truth values, `all` with a bound
    parts       the lists that its recursions and its claim make of a list: ``filter(λ y . y < a, x)``, ``below(a, x)``
    functions   its own functions from lists to lists

Nothing here is known to hold: small values refute most, the others are proved before they are used.

Invariant: the same goal gives the same candidates in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, length_of
from kleis.core.goal import Goal
from kleis.core.traversal import bound_by, canonical, free_variables, rebuild, substitute, subterms
from kleis.prover.engines.induction.law_formulas import (
    HOLE,
    NUMBERS,
    WAYS,
    Group,
    closed,
    every,
    joined,
    parameter,
    plus,
    turned,
)
from kleis.prover.engines.induction.sorting_laws import SortingLaws, other_recursions
from kleis.prover.lowering.list_terms import append, cons, nil, number

__all__ = ["candidates"]

_MOST = 120
"""Candidates for one goal."""

_MOST_PARTS = 6

_INTEGRAL = (core.NATURAL, core.INTEGER)


class _OfList(msgspec.Struct, frozen=True):
    """A term with a list in one place: the variable `HOLE` of this sort.  Other variables are parameters."""

    term: core.Term
    sort: core.ListOf

    def at(self, value: core.Term) -> core.Term:
        """The term with a list in its place."""
        return substitute(self.term, {HOLE: value})

    @property
    def parameters(self) -> tuple[core.Variable, ...]:
        """The variables besides the list."""
        return tuple(each for each in free_variables(self.term) if each.name != HOLE)


def candidates(goal: Goal) -> Iterator[Group]:
    """What is worth proving for a goal about lists, in groups; those that later ones need first."""
    found = {canonical(goal.claim)} if goal.claim is not None else set()
    for group, grounds in _Laws(goal).groups():
        fresh: list[core.Term] = []
        for formula in map(closed, group):
            if formula not in found and len(found) < _MOST:
                found.add(formula)
                fresh.append(formula)
        yield Group(tuple(fresh), frozenset(map(closed, grounds)))


class _Laws:
    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._definitions = {each.key: each for each in goal.definitions}
        claim = (goal.claim,) if goal.claim is not None else ()
        bodies = tuple(each.body for each in goal.definitions)
        terms = tuple(subterms(*claim, *bodies))
        written = (each for each in terms if isinstance(each, core.Lambda) and not free_variables(each))
        self._lambdas: tuple[core.Term, ...] = tuple(dict.fromkeys(map(canonical, written)))
        self._reverses = {
            each.sort for each in terms if isinstance(each, core.BuiltinCall) and _name(each) == "reverse"
        }
        recursive = tuple(self._recursive_parts())
        self._parts = tuple(dict.fromkeys(recursive or _parts_in(claim)))[:_MOST_PARTS]
        self._sorts = tuple(
            dict.fromkeys(
                each.sort
                for each in (*(v for d in goal.definitions for v in d.parameters), *terms)
                if isinstance(each, core.Variable) and isinstance(each.sort, core.ListOf)
            )
        )
        self._measures = tuple(dict.fromkeys((*self._measured(claim), *self._bounds())))

    # ── What there is ────────────────────────────────────────────────────────────────────────────────────────

    def _recursive_parts(self) -> Iterator[_OfList]:
        """The lists that recursive calls are made on, of recursions that go down by a measure."""
        for definition in self._goal.definitions:
            termination = self._goal.termination(definition.key)
            if termination is None or termination.kind == "structural":
                continue
            for each in subterms(definition.body):
                if isinstance(each, core.DefinitionCall) and each.definition in definition.group:
                    yield from _parts_in(each.arguments)

    def _measured(self, claim: Sequence[core.Term]) -> Iterator[_OfList]:
        """Functions from one list to a number or truth value: of the claim, of the definitions, and `length`."""
        for each in subterms(*claim):
            if _may_measure(each) and each.sort in (*NUMBERS, core.BOOL):
                assert isinstance(each, core.BuiltinCall | core.DefinitionCall)
                lists = [place for place, a in enumerate(each.arguments) if isinstance(a.sort, core.ListOf)]
                if len(lists) == 1:
                    yield from _abstracted(each, each.arguments[lists[0]], "m")
        for definition in self._goal.definitions:
            if definition.result in (*NUMBERS, core.BOOL):
                yield from self._called(definition)
        for sort in self._sorts:
            yield _OfList(length_of(core.Variable(HOLE, sort)), sort)

    def _called(self, definition: core.Definition) -> Iterator[_OfList]:
        """A definition with one list among its parameters, called with that list in the hole."""
        lists = [each for each in definition.parameters if isinstance(each.sort, core.ListOf)]
        if len(lists) != 1:
            return
        (hole,) = lists
        assert isinstance(hole.sort, core.ListOf)
        arguments = tuple(
            core.Variable(HOLE, hole.sort) if each == hole else parameter(place, each.sort)
            for place, each in enumerate(definition.parameters)
        )
        yield _OfList(core.DefinitionCall(definition.key, arguments, definition.result), hole.sort)

    def _orders(self) -> tuple[_OfList, ...]:
        """Predicates of one list of numbers and nothing else: one of them may say that it is sorted."""
        return tuple(
            each
            for each in self._measures_of_definitions()
            if each.term.sort == core.BOOL and not each.parameters and each.sort.element in NUMBERS
        )

    def _measures_of_definitions(self) -> Iterator[_OfList]:
        for definition in self._goal.definitions:
            if definition.result == core.BOOL:
                yield from self._called(definition)

    def _bounds(self) -> Iterator[_OfList]:
        """`all` with a bound, for sorts of which there is a predicate that may be an order, or that trees are listed in."""
        placed = [sort for sort in self._compared() if self._is_placed() and sort.element in NUMBERS]
        for sort in dict.fromkeys((*(each.sort for each in self._orders()), *placed)):
            for way in WAYS if self._to_lists() else WAYS[:2]:
                yield _OfList(every(way, parameter(9, sort.element), core.Variable(HOLE, sort)), sort)

    def _is_placed(self) -> bool:
        """Whether lists are put together around an element that parts them, as those of trees are, and of quicksort."""
        return bool(self._to_lists()) or any(map(_is_parted, self._parts))

    def _to_lists(self) -> list[core.Definition]:
        """Functions of one value of a data type to a list."""
        return [
            each
            for each in self._goal.definitions
            if isinstance(each.result, core.ListOf)
            and len(each.parameters) == 1
            and isinstance(each.parameters[0].sort, core.DataSort)
        ]

    def _calls(self, sorts: Sequence[core.Sort], *values: core.Term) -> Iterator[core.DefinitionCall]:
        """Calls of definitions of these sorts, the result last; functions among the parameters are those of the goal."""
        for definition in self._goal.definitions:
            plain = [p for p in definition.parameters if not isinstance(p.sort, core.FunctionOf)]
            if [each.sort for each in plain] != list(sorts[:-1]) or definition.result != sorts[-1]:
                continue
            given = dict(zip((each.name for each in plain), values, strict=True))
            ways = [
                [given[each.name]] if each.name in given else self._functions(each.sort, place)
                for place, each in enumerate(definition.parameters)
            ]
            for arguments in product(*ways):
                yield core.DefinitionCall(definition.key, arguments, definition.result)

    def _functions(self, sort: core.Sort, place: int) -> list[core.Term]:
        """The functions of a sort that the goal writes; any function where there is none."""
        found = [each for each in self._lambdas if each.sort == sort]
        return found or [core.Variable(f"f{place}", sort)]

    # ── Laws ─────────────────────────────────────────────────────────────────────────────────────────────────

    def groups(self) -> Iterator[tuple[Iterable[core.Term], Iterable[core.Term]]]:
        """All laws, each group with what it follows from if it is known: of `reverse`; of the order of elements, where
        lists are compared; of measures and parts; of functions that keep measures; of lists joined; of orders; of trees."""
        sorting = [self._of_sorting(sort) for sort in self._compared()]
        for group in (
            (law for sort in self._sorts if sort in self._reverses for law in self._of_reversing(sort)),
            *(chain(each.of_inserting(), each.of_sorting()) for each in sorting),
            self._of_measures(),
            (law for each in self._measures for law in self._of_merging(each)),
            (law for each in self._measures for law in self._of_functions(each)),
        ):
            yield group, ()
        for each in sorting:
            yield each.of_bounded(), ()
            yield each.of_merging(), each.of_inserting()
            yield each.of_merging_sorted(), each.of_merging()
            yield each.of_whole_parts(), each.of_moving()
            yield each.of_parts(), (*each.of_bounded(), *self._of_bounded_parts())
            joined = (*each.of_merging_sorted(), *each.of_whole_parts(), *each.of_parts())
            yield other_recursions(self._goal), (*each.of_moving(), *joined, *self._of_lengths())
        for order in self._orders():
            yield _of_order(order), ()
            yield self._kept_order(order), ()
        yield self._of_data(), ()
        for each in sorting if self._to_lists() else ():
            yield (), (*each.of_inserting(), *self._of_data())
        chosen = [each for each in self._parts if _is_chosen(each.term)]
        yield (law for each in chosen for law in self._of_choosing(each)), ()
        if self._is_chosen_twice():
            yield (law for each in chosen for law in self._of_choosing_turned(each)), ()

    def _is_chosen_twice(self) -> bool:
        """Whether the claim chooses elements of what is chosen."""
        claim = (self._goal.claim,) if self._goal.claim is not None else ()
        outer = (each for each in subterms(*claim) if isinstance(each, core.BuiltinCall) and _is_chosen(each))
        return any(_is_chosen(inner) for each in outer for inner in subterms(*each.arguments))

    def _of_lengths(self) -> Iterator[core.Term]:
        return (law for part in self._parts for law in self._lengths(part))

    def _of_bounded_parts(self) -> Iterator[core.Term]:
        return (law for part in self._parts for law in _within_bounds(part))

    def _of_reversing(self, sort: core.ListOf) -> Iterator[core.Term]:
        """A list reversed: of two, and twice; the parts of two lists, and what `append` has to do for that."""
        x, y, z = core.Variable(HOLE, sort), core.Variable("y", sort), core.Variable("z", sort)
        for part in self._parts:
            if part.sort == sort:
                yield core.Equals(part.at(append(x, y)), append(part.term, part.at(y)))
        yield core.Equals(append(x, nil(sort)), x)
        yield core.Equals(append(append(x, y), z), append(x, append(y, z)))
        yield core.Equals(turned(append(x, y)), append(turned(y), turned(x)))
        yield core.Equals(turned(turned(x)), x)

    def _compared(self) -> tuple[core.ListOf, ...]:
        """The sorts of the lists that the claim says are equal."""
        claim = (self._goal.claim,) if self._goal.claim is not None else ()
        equations = (each for each in subterms(*claim) if isinstance(each, core.Equals))
        sorts = (each.left.sort for each in equations)
        return tuple(dict.fromkeys(each for each in sorts if isinstance(each, core.ListOf)))

    def _of_sorting(self, sort: core.ListOf) -> SortingLaws:
        """Functions to which the order of elements makes no difference."""
        parts = tuple(each.term for each in self._parts if each.sort == sort)
        claim = (self._goal.claim,) if self._goal.claim is not None else ()
        names = {each.definition for each in subterms(*claim) if isinstance(each, core.DefinitionCall)}
        sorters = tuple(
            each for each in self._calls((sort, sort), core.Variable(HOLE, sort)) if each.definition in names
        )
        numbers = sort.element in NUMBERS
        return SortingLaws(
            sort,
            self._calls,
            parts,
            sorters,
            numbers and self._is_placed(),
            numbers and bool(self._to_lists()),
        )

    def _of_measures(self) -> Iterator[core.Term]:
        yield from self._of_lengths()
        for first, second in combinations(self._parts, 2):
            if first.sort == second.sort:
                yield core.Equals(append(first.term, second.term), core.Variable(HOLE, first.sort))
        for measure in self._measures:
            x, y = core.Variable(HOLE, measure.sort), core.Variable("y", measure.sort)
            yield from joined(measure.at(append(x, y)), measure.term, measure.at(y))
        for measure in self._measures:
            yield from self._over_parts(measure)
        yield from self._of_bounded_parts()

    def _lengths(self, part: _OfList) -> Iterator[core.Term]:
        """How long a part is: not longer, as long as a number says, or as what that leaves."""
        x = core.Variable(HOLE, part.sort)
        whole, own = length_of(x), length_of(part.term)
        yield at_least(whole, own)
        for each in part.parameters:
            if each.sort in _INTEGRAL:
                number = each if each.sort == core.INTEGER else core.Coercion(each, core.INTEGER)
                inside = core.Connective("and", (at_least(number, _zero()), at_least(whole, number)))
                yield core.Connective("implies", (inside, core.Equals(own, number)))
                yield core.Connective("implies", (inside, core.Equals(whole, plus(own, number))))

    def _over_parts(self, measure: _OfList) -> Iterator[core.Term]:
        """What a measure of the parts says of that of the whole."""
        own = [each for each in self._parts if each.sort == measure.sort]
        for first, second in combinations(own, 2):
            yield from joined(measure.term, measure.at(first.term), measure.at(second.term))
        for each in own:
            yield from _of_chosen(measure, each)
        if measure.term.sort == core.BOOL and len(own) == 1:
            for each in own:
                yield core.Connective("implies", (measure.term, measure.at(each.term)))

    def _of_merging(self, measure: _OfList) -> Iterator[core.Term]:
        """Functions that put an element or a list into a list."""
        x, y = core.Variable(HOLE, measure.sort), core.Variable("y", measure.sort)
        element = parameter(8, measure.sort.element)
        for each in self._calls((measure.sort.element, measure.sort, measure.sort), element, x):
            yield core.Equals(measure.at(each), measure.at(cons(element, x)))
        for each in self._calls((measure.sort, measure.sort, measure.sort), x, y):
            yield from joined(measure.at(each), measure.term, measure.at(y))

    def _of_functions(self, measure: _OfList) -> Iterator[core.Term]:
        """Functions that leave a measure as it was, as sorting does."""
        x = core.Variable(HOLE, measure.sort)
        if measure.sort in self._reverses:
            yield core.Equals(measure.at(turned(x)), measure.term)
        for each in self._calls((measure.sort, measure.sort), x):
            yield core.Equals(measure.at(each), measure.term)

    def _of_choosing(self, part: _OfList) -> Iterator[core.Term]:
        """Elements chosen twice, by another one in the other order, and before or after a function."""
        x = core.Variable(HOLE, part.sort)
        values = {each.name: core.Variable(f"{each.name}'", each.sort) for each in part.parameters}
        other = substitute(part.term, values)
        yield core.Equals(part.at(part.term), part.term)
        if values:
            yield core.Equals(part.at(other), substitute(other, {HOLE: part.term}))
        for each in self._calls((part.sort, part.sort), x):
            yield core.Equals(substitute(each, {HOLE: part.term}), part.at(each))

    def _of_choosing_turned(self, part: _OfList) -> Iterator[core.Term]:
        """Elements chosen before and after a list is reversed."""
        if part.sort in self._reverses:
            yield core.Equals(part.at(turned(core.Variable(HOLE, part.sort))), turned(part.term))

    def _kept_order(self, order: _OfList) -> Iterator[core.Term]:
        """Functions that keep an order, make it, or do nothing where it is."""
        x, y = core.Variable(HOLE, order.sort), core.Variable("y", order.sort)
        element = parameter(8, order.sort.element)
        for each in self._calls((order.sort.element, order.sort, order.sort), element, x):
            yield core.Connective("implies", (order.term, order.at(each)))
        for each in self._calls((order.sort, order.sort, order.sort), x, y):
            both = core.Connective("and", (order.term, order.at(y)))
            yield core.Connective("implies", (both, order.at(each)))
            whole = append(x, y)
            yield core.Connective("implies", (order.at(whole), core.Equals(each, whole)))
        for each in self._calls((order.sort, order.sort), x):
            yield order.at(each)
            yield core.Connective("implies", (order.term, core.Equals(each, x)))

    def _of_data(self) -> Iterator[core.Term]:
        """What is computed of the list of a tree is computed of the tree."""
        for function in self._to_lists():
            sort = function.parameters[0].sort
            tree = core.Variable("t", sort)
            for measure in self._measures:
                if measure.sort != function.result:
                    continue
                left = measure.at(_of(function, tree))
                for other in self._goal.definitions:
                    rest = [each.sort for each in other.parameters if each.sort != sort]
                    own = [each.sort for each in measure.parameters]
                    if (
                        other.result == measure.term.sort
                        and rest == own
                        and len(rest) < len(other.parameters)
                    ):
                        given = iter(measure.parameters)
                        at = tuple(tree if p.sort == sort else next(given) for p in other.parameters)
                        if at.count(tree) == 1:
                            yield core.Equals(left, core.DefinitionCall(other.key, at, other.result))
            for order in self._orders():
                for other in self._goal.definitions:
                    takes = [each.sort for each in other.parameters]
                    if takes == [sort] and other.result == core.BOOL and order.sort == function.result:
                        premise = core.DefinitionCall(other.key, (tree,), core.BOOL)
                        yield core.Connective("implies", (premise, order.at(_of(function, tree))))


# ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────────


def _parts_in(terms: Sequence[core.Term]) -> Iterator[_OfList]:
    """The lists in terms that are made of one other list, and are not that list itself."""
    for each in subterms(*terms):
        if not isinstance(each.sort, core.ListOf) or not isinstance(
            each, core.BuiltinCall | core.DefinitionCall
        ):
            continue
        lists = [a for a in each.arguments if a.sort == each.sort]
        if len(lists) == 1:
            yield from _abstracted(each, lists[0])


def _abstracted(
    term: core.BuiltinCall | core.DefinitionCall, held: core.Term, stem: str = "a"
) -> Iterator[_OfList]:
    """A call with the hole for the list that it is given, and parameters, of names with a stem, for what else stands in it."""
    assert isinstance(held.sort, core.ListOf)
    hole = core.Variable(HOLE, held.sort)
    made: dict[core.Term, core.Variable] = {}

    def change(each: core.Term, bound: frozenset[str]) -> core.Term:
        inner = bound | {variable.name for variable in bound_by(each)}
        names = {variable.name for variable in free_variables(each)}
        if names and not names & bound and _is_value(each):
            return made.setdefault(each, core.Variable(f"{stem}{len(made)}", each.sort))
        return rebuild(each, lambda part: change(part, inner))

    arguments = tuple(hole if each == held else change(each, frozenset()) for each in term.arguments)
    if arguments.count(hole) == 1:
        yield _OfList(msgspec.structs.replace(term, arguments=arguments), held.sort)


def _may_measure(term: core.Term) -> bool:
    """Whether a claim measures a list by a built-in, or by a definition that takes a function that the claim writes."""
    if isinstance(term, core.DefinitionCall):
        return any(isinstance(each, core.Lambda) for each in term.arguments)
    return isinstance(term, core.BuiltinCall)


def _is_value(term: core.Term) -> bool:
    """Whether a part of a call becomes a parameter: variables, what is selected, numbers that are computed."""
    if isinstance(term, core.Variable | core.Selection):
        return True
    return term.sort in NUMBERS and not isinstance(term, core.LiteralTerm | core.Coercion)


# ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────────


def _is_chosen(term: core.Term) -> bool:
    """Whether a part has the elements of which a predicate is true."""
    return isinstance(term, core.BuiltinCall) and _name(term) == "list_filter"


def _is_parted(part: _OfList) -> bool:
    """Whether a part has the elements that a predicate, or a function of an element and a list, chooses."""
    own = isinstance(part.term, core.DefinitionCall)
    return _is_chosen(part.term) or (own and any(p.sort == part.sort.element for p in part.parameters))


def _of_chosen(measure: _OfList, part: _OfList) -> Iterator[core.Term]:
    """What a measure of one element, such as a count, is of the elements that a predicate chooses."""
    match part.term, measure.parameters:
        case core.BuiltinCall(arguments=(core.Lambda() as predicate, _)), (element,) if (
            _is_chosen(part.term) and element.sort == measure.sort.element
        ):
            chosen = substitute(predicate.body, {predicate.variables[0].name: element})
            whole, left = measure.term, measure.at(part.term)
            if whole.sort == core.BOOL:
                yield core.Equals(left, core.Connective("and", (whole, chosen)))
            else:
                yield core.Equals(left, core.Conditional(chosen, whole, number(0, whole.sort)))


def _within_bounds(part: _OfList) -> Iterator[core.Term]:
    """The elements of a part are at most, or at least, what it was chosen by."""
    for each in part.parameters:
        if each.sort == part.sort.element and each.sort in NUMBERS:
            for way in WAYS[:2]:
                yield every(way, each, part.term)


def _of_order(order: _OfList) -> Iterator[core.Term]:
    """A list is sorted, maybe strictly, if its ends are, and lie on both sides of what stands between."""
    x, y = core.Variable(HOLE, order.sort), core.Variable("y", order.sort)
    element = parameter(8, order.sort.element)
    for least, most in (("at least", "at most"), ("above", "below")):
        upper = every(least, element, y)
        yield core.Equals(order.at(cons(element, y)), core.Connective("and", (order.at(y), upper)))
        whole = core.Connective("and", (order.term, order.at(y), every(most, element, x), upper))
        yield core.Equals(order.at(append(x, cons(element, y))), whole)
    yield core.Connective(
        "implies", (order.at(append(x, y)), core.Connective("and", (order.term, order.at(y))))
    )


def _of(definition: core.Definition, value: core.Term) -> core.Term:
    """The call of a definition with one parameter."""
    return core.DefinitionCall(definition.key, (value,), definition.result)


def _zero() -> core.Term:
    return core.Coercion(core.LiteralTerm(0, core.NATURAL), core.INTEGER)


def _name(term: core.BuiltinCall) -> str:
    return term.operation.name
