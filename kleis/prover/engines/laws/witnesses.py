"""The engine `witnesses`: terms for the numbers that a claim says exist.

See docs/reference/proving.md §7.26.

``(∃k. b = a·k) ∧ (∃k. c = b·k) → ∃k. c = a·k`` holds with the product of the first two.  Such terms are looked for among
sums, differences, products and quotients of what the claim is about, the smallest first.  Those that are wrong at small
values are dropped; that one is right everywhere is shown as by the engine `laws`.

Invariants
    * Hypotheses ``x = t`` give x its value, so that there are points at which the hypotheses hold.
    * The points, the terms and their order depend on the claim alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from operator import add, mul, sub
from random import Random
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.build_terms import as_number
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables, substitute, subterms
from kleis.errors import BudgetError
from kleis.prover.checker.format import Step, Witnesses
from kleis.prover.checker.read_terms import OperationAt
from kleis.prover.checker.rules.witnesses import Existence, existence
from kleis.prover.checker.sequent import CheckError
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.laws.proofs import Found, proof_by_laws
from kleis.prover.lowering.list_terms import builtin, number
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import TRUE

__all__ = ["found_witnesses", "is_about_existence"]

_Number: TypeAlias = int | Fraction
_Point: TypeAlias = dict[str, _Number]

_NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL)
_SMALL = (0, 1, 2)
_FRACTIONAL = (core.RATIONAL, core.REAL)
_OPERATIONS: dict[str, Callable[[_Number, _Number], _Number]] = {"plus": add, "times": mul, "minus": sub}

_POINTS = 10
_TRIES = 400
_MOST_TERMS = 12_000
_MOST_OF_SEVERAL = 60
"""Terms for each of several numbers."""

_MOST_PROOFS = 4


class _Candidate(msgspec.Struct, frozen=True, eq=False):
    """A term, and its values at the points."""

    term: core.Term
    values: tuple[_Number, ...]


def is_about_existence(goal: Goal) -> bool:
    """Whether a claim says of numbers that there are others, and of nothing else that has no value here."""
    if goal.claim is None or goal.unsettled or goal.carriers or goal.symbols:
        return False
    try:
        found = existence(goal, goal.claim)
    except CheckError:
        return False
    sorts = [each.sort for each in (*found.wanted, *found.variables)]
    return bool(found.wanted) and bool(found.variables) and all(each in _NUMBERS for each in sorts)


def found_witnesses(goal: Goal, steps: int, operation_at: OperationAt) -> Found:
    """The steps of a proof with terms for what is wanted; none where none was found."""
    assert goal.claim is not None
    asked = existence(goal, goal.claim)
    search = _Search(goal, asked, steps)
    used = 0
    for terms in islice(search.plausible(), _MOST_PROOFS):
        found = proof_by_laws(goal, asked.at(terms), (), max(1, (steps - used) // 2), operation_at)
        used += found.used
        if found.steps:
            proof = Witnesses(tuple(map(term_data, terms)), found.steps[-1].proof)
            return Found((*found.steps[:-1], Step(proof)), used, found.laws)
        if used >= steps:
            break
    return Found((), min(used, steps))


class _Search:
    def __init__(self, goal: Goal, asked: Existence, steps: int) -> None:
        self._asked = asked
        budget = Budget(steps=steps, depth=100, size=10_000)
        self._evaluator = evaluator_of(goal, Model({}, {}), Bounds(), "one-sided", Account(budget))
        self._points: list[_Point] = []

    def plausible(self) -> Iterator[tuple[core.Term, ...]]:
        """Terms for what is wanted that are right at all points."""
        try:
            self._points = list(islice(self._found_points(), _POINTS))
            if not self._points:
                return
            for chosen in self._choices():
                if all(self._is_right(chosen, place) for place in range(len(self._points))):
                    yield tuple(each.term for each in chosen)
        except BudgetError:
            return

    def _choices(self) -> Iterator[tuple[_Candidate, ...]]:
        wanted = self._asked.wanted
        if len(wanted) == 1:
            yield from ((each,) for each in islice(self._terms(wanted[0].sort), _MOST_TERMS))
        else:
            few = [list(islice(self._terms(each.sort), _MOST_OF_SEVERAL)) for each in wanted]
            yield from islice(product(*few), _MOST_TERMS)

    def _is_right(self, chosen: Sequence[_Candidate], place: int) -> bool:
        point = dict(self._points[place])
        point |= {
            each.name: candidate.values[place]
            for each, candidate in zip(self._asked.wanted, chosen, strict=True)
        }
        return self._evaluator.truth(self._asked.body, point) is TRUE

    # ── Points ───────────────────────────────────────────────────────────────────────────────────────────────

    def _found_points(self) -> Iterator[_Point]:
        """Values of the variables at which the hypotheses hold."""
        given = self._definitions()
        free = [each for each in self._asked.variables if each.name not in given]
        random = Random(1)
        for _ in range(_TRIES):
            point: _Point = {each.name: _drawn(each.sort, random) for each in free}
            for name, term in given.items():
                value = self._evaluator.outcome(term, point)
                if isinstance(value, int | Fraction):
                    point[name] = value
            variables = self._asked.variables
            if not all(each.name in point and _is_in(point[each.name], each.sort) for each in variables):
                continue
            if all(self._evaluator.truth(each, point) is TRUE for each in self._asked.hypotheses):
                yield point

    def _definitions(self) -> dict[str, core.Term]:
        """The variables that hypotheses say what they are, over the others."""
        given: dict[str, core.Term] = {}
        for hypothesis in self._asked.hypotheses:
            if not isinstance(hypothesis, core.Equals):
                continue
            left, right = substitute(hypothesis.left, given), substitute(hypothesis.right, given)
            found = next(chain(_isolated(left, right), _isolated(right, left)), None)
            if found is not None:
                name, term = found
                given = {other: substitute(each, {name: term}) for other, each in given.items()}
                given[name] = term
        return given

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _terms(self, sort: core.Sort) -> Iterator[_Candidate]:
        """Terms of a sort, no two with the same values at the points: the smallest first."""
        met: set[tuple[_Number, ...]] = set()

        def fresh(candidates: Iterator[_Candidate]) -> Iterator[_Candidate]:
            for each in candidates:
                if each.values not in met and all(_is_in(value, sort) for value in each.values):
                    met.add(each.values)
                    yield each

        base = list(fresh(self._plain(sort)))
        yield from base
        products = list(fresh(_combined(base, base, "times")))
        sums = list(fresh(_combined(base, base, "plus", "minus")))
        yield from (*products, *sums)
        yield from fresh(_combined(products, base, "plus", "minus"))
        yield from fresh(_combined(products, products, "plus", "minus"))
        yield from fresh(_combined((*products, *sums), base, *_OPERATIONS))

    def _plain(self, sort: core.Sort) -> Iterator[_Candidate]:
        """Variables, small numbers, and what the claim says of these; what follows is made of them."""
        for each in self._asked.variables:
            if _NUMBERS.index(each.sort) <= _NUMBERS.index(sort):
                values = tuple(point[each.name] for point in self._points)
                yield _Candidate(as_number(each, sort), values)
        for value in _SMALL:
            yield _Candidate(number(value, sort), (value,) * len(self._points))
        if sort in _FRACTIONAL:
            half = core.LiteralTerm(Fraction(1, 2), core.RATIONAL)
            yield _Candidate(as_number(half, sort), (Fraction(1, 2),) * len(self._points))
        known = set(self._asked.variables)
        for part in dict.fromkeys(subterms(self._asked.body)):
            if (
                part.sort == sort
                and isinstance(part, core.BuiltinCall)
                and known >= set(free_variables(part))
            ):
                found = [self._evaluator.outcome(part, point) for point in self._points]
                numbers = tuple(value for value in found if isinstance(value, int | Fraction))
                if len(numbers) == len(found):
                    yield _Candidate(part, numbers)


def _combined(
    first: Sequence[_Candidate], second: Sequence[_Candidate], *operations: str
) -> Iterator[_Candidate]:
    """Two terms by each of the operations; in ℕ there are no differences."""
    for one, other in product(first, second):
        for name in operations:
            sort = one.term.sort
            if name != "minus" or sort != core.NATURAL:
                values = tuple(map(_OPERATIONS[name], one.values, other.values))
                yield _Candidate(builtin(name, sort, a=one.term, b=other.term), values)


def _isolated(side: core.Term, other: core.Term) -> Iterator[tuple[str, core.Term]]:
    """A variable of one side of an equation that is a summand, and what it is: ``a - b = t`` gives a = t + b."""
    if isinstance(side, core.Variable):
        if side.sort in _NUMBERS and side not in free_variables(other):
            yield side.name, other
    elif isinstance(side, core.BuiltinCall) and side.operation.name in ("plus", "minus"):
        sort = side.sort
        one, two = side.arguments
        if sort != core.NATURAL and one.sort == two.sort == other.sort == sort:
            back = "minus" if side.operation.name == "plus" else "plus"
            yield from _isolated(one, builtin(back, sort, a=other, b=two))
            if side.operation.name == "plus":
                yield from _isolated(two, builtin("minus", sort, a=other, b=one))
            else:
                yield from _isolated(two, builtin("minus", sort, a=one, b=other))


def _drawn(sort: core.Sort, random: Random) -> _Number:
    if sort == core.NATURAL:
        return random.randint(0, 6)
    if sort == core.INTEGER:
        return random.randint(-6, 6)
    return Fraction(random.randint(-12, 12), random.choice((1, 2, 3)))


def _is_in(value: _Number, sort: core.Sort) -> bool:
    if sort in _FRACTIONAL:
        return True
    return value == int(value) and (sort == core.INTEGER or value >= 0)
