"""The reference semantics with quantifiers over finitely many values, also of infinite sorts.

See docs/reference/proving.md §7.1.

``∀(x : ℤ). 0 ≤ x ∧ x < n → P`` ranges over n values: where a conjunct of the guard is false the implication is true,
whatever else it says, and ``∃(x : ℤ). 0 ≤ x ∧ x < n ∧ P`` is false there.  So only values at which no conjunct that
bounds the variable is false need to be evaluated.  Bounds are comparisons of an integer variable with a term whose value
is known, and membership in a finite list or set.

Invariants
    * A conjunct bounds a variable only if its other side has a value before the variable's own value is known.
    * Only variables of ℕ and ℤ are bounded by comparisons: between two reals there are infinitely many others.
    * A quantifier that no bound and no complete range covers stays open, as in the one-sided mode.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables
from kleis.semantics.ranges import Bounds, Ranges
from kleis.semantics.reference import Account, Environment, Evaluator
from kleis.semantics.truth import FALSE, OPEN, Truth, conjunction, disjunction, negation
from kleis.values import ListValue, SetValue, Value

__all__ = ["BoundedEvaluator", "Guard", "bounded_evaluator", "guard_of", "restricts"]

_SMALLER = {
    "less_than": (0, 1, True),
    "leq": (0, 1, False),
    "greater_than": (1, 0, True),
    "geq": (1, 0, False),
}
"""Comparisons: the place of the smaller side, that of the larger, and whether they may not be equal."""


class Guard(msgspec.Struct, frozen=True):
    """A quantifier with those of its kind right below it: the variables, the conjuncts of the guard, the body."""

    variables: tuple[core.Variable, ...]
    conjuncts: tuple[core.Term, ...]
    body: core.Term


def guard_of(term: core.Quantifier) -> Guard:
    """The quantifier with its guard: what stands left of → under ∀, all conjuncts under ∃."""
    variables, body = term.variables, term.body
    while isinstance(body, core.Quantifier) and body.kind == term.kind:
        variables, body = (*variables, *body.variables), body.body
    conjuncts: list[core.Term] = []
    if term.kind == "exists":
        conjuncts += _conjuncts(body)
    else:
        rest = body
        while isinstance(rest, core.Connective) and rest.name == "implies":
            conjuncts += _conjuncts(rest.arguments[0])
            rest = rest.arguments[1]
    return Guard(variables, tuple(conjuncts), body)


def _conjuncts(term: core.Term) -> Iterator[core.Term]:
    if isinstance(term, core.Connective) and term.name == "and":
        for each in term.arguments:
            yield from _conjuncts(each)
    else:
        yield term


class _Bound(msgspec.Struct, frozen=True):
    """A conjunct about a variable: ``low``, ``high``, ``equal`` or ``member``, and the term on the other side."""

    kind: str
    term: core.Term
    strict: bool = False


def restricts(conjunct: core.Term, variable: core.Variable) -> tuple[_Bound, ...]:
    """How a conjunct bounds a variable; the other side does not mention it."""
    found: list[_Bound] = []
    match conjunct:
        case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in _SMALLER:
            small, large, strict = _SMALLER[operation.name]
            sides = (left, right)
            if _counts(variable):
                if _is(sides[small], variable):
                    found.append(_Bound("high", sides[large], strict))
                if _is(sides[large], variable):
                    found.append(_Bound("low", sides[small], strict))
        case core.Equals(left=left, right=right):
            if _counts(variable):
                found += [_Bound("equal", b) for a, b in ((left, right), (right, left)) if _is(a, variable)]
        case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name == "in_set":
            if _is(left, variable):
                found.append(_Bound("member", right))
    return tuple(each for each in found if variable not in free_variables(each.term))


def _is(term: core.Term, variable: core.Variable) -> bool:
    return _number_of(term) == variable


def _number_of(term: core.Term) -> core.Term:
    """The term below a coercion to a larger set of numbers."""
    while isinstance(term, core.Coercion) and isinstance(term.term.sort, core.Numeric):
        term = term.term
    return term


def bounded_evaluator(goal: Goal, bounds: Bounds, account: Account) -> BoundedEvaluator:
    """The evaluator of a goal without its symbols: they stay open."""
    groups = tuple({each.sort: each.constructors for each in group} for group in goal.data)
    return BoundedEvaluator(goal, Ranges(bounds, {}, groups, account), account, "one-sided")


class BoundedEvaluator(Evaluator):
    """The one-sided reference semantics with quantifiers over what bounds leave."""

    def _quantifier(self, term: core.Quantifier, environment: Environment) -> Truth:
        guard = guard_of(term)
        combine, decisive = (conjunction, FALSE) if term.kind == "forall" else (disjunction, negation(FALSE))
        walk = _Walk(self, guard)
        result = negation(decisive)
        for inner in walk.environments(guard.variables, dict(environment)):
            result = combine(result, self.truth(guard.body, inner))
            if result is decisive:
                return result
        return result if walk.complete else combine(result, OPEN)

    def members(
        self, variable: core.Variable, conjuncts: Sequence[core.Term], environment: Environment
    ) -> Sequence[Value] | None:
        """The members of a finite list or set that a conjunct requires the variable to be in; None if there is none."""
        for bound in (each for conjunct in conjuncts for each in restricts(conjunct, variable)):
            value = self._known(bound.term, environment) if bound.kind == "member" else None
            if isinstance(value, ListValue):
                return [each for each in value if _belongs(each, variable.sort)]
            if isinstance(value, SetValue) and not value.complement:
                return [each for each in value.members.values() if _belongs(each, variable.sort)]
        return None

    def intervals(
        self, variables: Sequence[core.Variable], conjuncts: Sequence[core.Term], environment: Environment
    ) -> dict[core.Variable, range]:
        """The integers that variables may be where no conjunct that bounds them is false.

        A bound may be another of the variables, with what bounds that: ``0 ≤ x ∧ x < y ∧ y < 6`` leaves 0 … 4 to x.
        """
        found = {
            each: _Interval(0 if each.sort == core.NATURAL else None) for each in variables if _counts(each)
        }
        for _ in found:
            for variable in found:
                for bound in (each for conjunct in conjuncts for each in restricts(conjunct, variable)):
                    found[variable] = found[variable].within(self._limit(bound, found, environment))
        return {
            each: range(interval.low, interval.high + 1)
            for each, interval in found.items()
            if interval.low is not None and interval.high is not None
        }

    def _limit(
        self, bound: _Bound, known: Mapping[core.Variable, _Interval], environment: Environment
    ) -> _Interval:
        """What a bound leaves, as far as its other side is known."""
        other = _number_of(bound.term)
        if isinstance(other, core.Variable) and other in known:
            return _left_by(bound, known[other].low, known[other].high)
        value = self._known(bound.term, environment) if bound.kind != "member" else None
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            return _Interval()
        return _left_by(bound, value, value)

    def _known(self, term: core.Term, environment: Environment) -> Value | None:
        """The value of the other side of a bound, if the variables in it are known and it has one."""
        if any(each.name not in environment for each in free_variables(term)):
            return None
        outcome = self.outcome(term, environment)
        return None if isinstance(outcome, Truth) else outcome

    def range_of(self, sort: core.Sort) -> tuple[Sequence[Value], bool]:
        """Values of a sort, and whether these are all."""
        found = self.ranges.of(sort)
        return found.values, found.complete


class _Interval(msgspec.Struct, frozen=True):
    """Integers between two ends; None where there is no end."""

    low: int | None = None
    high: int | None = None

    def within(self, other: _Interval) -> _Interval:
        """What is in both."""
        lows = [each for each in (self.low, other.low) if each is not None]
        highs = [each for each in (self.high, other.high) if each is not None]
        return _Interval(max(lows, default=None), min(highs, default=None))


def _left_by(bound: _Bound, low: int | Fraction | None, high: int | Fraction | None) -> _Interval:
    """The integers that a bound leaves if its other side is between two numbers."""
    least = most = None
    if low is not None and bound.kind != "high":
        least = math.floor(low) + 1 if bound.strict else math.ceil(low)
    if high is not None and bound.kind != "low":
        most = math.ceil(high) - 1 if bound.strict else math.floor(high)
    return _Interval(least, most)


def _counts(variable: core.Variable) -> bool:
    return variable.sort in (core.INTEGER, core.NATURAL)


def _belongs(value: Value, sort: core.Sort) -> bool:
    """Whether a member, whose sort may be a larger set of numbers, is a value of the variable."""
    if not isinstance(sort, core.Numeric):
        return True
    if sort == core.NATURAL:
        return isinstance(value, int) and value >= 0
    return isinstance(value, int) or (
        sort != core.INTEGER and (sort.name == "ℂ" or isinstance(value, Fraction))
    )


class _Walk:
    """The environments of one quantifier; `complete` unless a variable had values beyond."""

    def __init__(self, evaluator: BoundedEvaluator, guard: Guard) -> None:
        self._evaluator = evaluator
        self._conjuncts = guard.conjuncts
        self.complete = True

    def environments(
        self, variables: Sequence[core.Variable], environment: dict[str, Value]
    ) -> Iterator[dict[str, Value]]:
        """The environment with every combination of values for the variables, one variable after the other."""
        if not variables:
            yield environment
            return
        variable, values = self._next(variables, environment)
        rest = [each for each in variables if each != variable]
        for value in values:
            yield from self.environments(rest, {**environment, variable.name: value})

    def _next(
        self, variables: Sequence[core.Variable], environment: dict[str, Value]
    ) -> tuple[core.Variable, Sequence[Value]]:
        """A variable whose values are known before the others', else the first one with some of its values."""
        intervals = self._evaluator.intervals(variables, self._conjuncts, environment)
        for each in variables:
            if each in intervals:
                return each, intervals[each]
            members = self._evaluator.members(each, self._conjuncts, environment)
            if members is not None:
                return each, members
        for each in variables:
            values, complete = self._evaluator.range_of(each.sort)
            if complete:
                return each, values
        self.complete = False
        return variables[0], self._evaluator.range_of(variables[0].sort)[0]
