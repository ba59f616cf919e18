"""The engine `enumeration`: refutes claims at small values, by the reference semantics.

See docs/reference/proving.md §7.2.

The values are small integers, fractions, strings, lists and constructor terms, simplest first, and the literals of the
claim with what is made of them; functions of numbers and truth values are tables with at most one row.  Recursive definitions are computed.  The answer is the first assignment at which the
claim is false; one at which it is undefined only if there is no other.

Invariants
    * Quantifiers inside the claim are never decided by a range that is cut off (the one-sided mode): a claim that is
      false here is false.
    * Every assumed axiom is evaluated too; if one is not true, there is no answer.
    * Steps are those of the reference semantics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.traversal import stripped, subterms
from kleis.errors import BudgetError
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Function
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE, TRUE
from kleis.values import Value, exact

__all__ = ["ENUMERATION"]

_LETTERS = "ab1 "
_MOST_LETTERS = 8
_NEAR = 12
"""Integers from −12 to 12, lists and strings of up to three items, and so on."""

_BUDGET_DEPTH = 150
"""Nesting of calls of definitions: what Python's stack can hold."""


class Enumeration:
    """The engine."""

    name = "enumeration"

    def applies(self, task: Task) -> bool:
        """To claims about built-in values and data, without unknown symbols.

        A recursive definition may be computed also without a termination argument.
        """
        goal = task.goal
        if goal.claim is None or goal.symbols or goal.carriers:
            return False
        if any(each.reason != "termination" for each in goal.unsettled):
            return False
        variables, _, _ = stripped(goal.claim)
        return not any(_holds_functions(each.sort) and not _is_tried(each.sort) for each in variables)

    def run(self, task: Task, steps: int) -> Answer:
        """One assignment after the other, until the claim fails or the steps are used up."""
        search = _Search(task.goal, steps)
        try:
            if not search.axioms_hold():
                return Answer(outcome="silent", reason="incomplete", detail="an axiom was not evaluated")
            found = search.false_assignment()
        except BudgetError:
            found = None
        if found is None and search.undefined is None:
            points = f"no counterexample among {search.count} points"
            detail = points if search.has_points else "small values do not decide it"
            return Answer(outcome="silent", reason="resource", detail=detail, steps=search.used)
        assignment = search.written(search.undefined if found is None else found)
        witness = Witness(assignment=assignment, undefined=found is None)
        return Answer(outcome="refuted", witness=witness, steps=search.used)


ENUMERATION = Enumeration()


def _holds_functions(sort: core.Sort | object) -> bool:
    if isinstance(sort, core.FunctionOf):
        return True
    if isinstance(sort, tuple):
        return any(map(_holds_functions, sort))
    names = getattr(sort, "__struct_fields__", ())
    return any(_holds_functions(getattr(sort, name)) for name in names)


def _is_tried(sort: core.Sort) -> bool:
    """Whether functions of a sort are tried: from numbers and truth values to such."""
    if not isinstance(sort, core.FunctionOf):
        return False
    return all(isinstance(each, core.Numeric) or each == core.BOOL for each in (*sort.domain, sort.codomain))


def _tables(sort: core.FunctionOf) -> Iterator[FunctionTable]:
    """Functions that are the same everywhere, then those that are something else at one place."""
    values: tuple[Value, ...] = (False, True) if sort.codomain == core.BOOL else (0, 1)
    yield from (FunctionTable((), each) for each in values)
    places = (((False, True) if each == core.BOOL else (0, 1)) for each in sort.domain)
    for place in product(*places):
        for value, default in permutations(values, 2):
            yield FunctionTable(((place, value),), default)


def _function(variable: core.Variable, table: FunctionTable) -> Function:
    assert isinstance(variable.sort, core.FunctionOf), "a variable that is a function"
    rows = {repr(place): value for place, value in table.rows}

    def call(*arguments: Any) -> Any:
        return rows.get(repr(arguments), table.default)

    return Function(variable.name, variable.sort.domain, call, total=True)


class _Search:
    """The assignments of one claim."""

    def __init__(self, goal: Goal, steps: int) -> None:
        assert goal.claim is not None
        self._goal = goal
        self._variables, hypotheses, rest = stripped(goal.claim)
        for hypothesis in reversed(hypotheses):
            rest = core.Connective("implies", (hypothesis, rest))
        self._body = rest
        self._literals = _literals(goal)
        self._account = Account(Budget(steps=steps, depth=_BUDGET_DEPTH, size=100_000))
        self._evaluator = self._evaluating()
        self.count = 0
        self.undefined: dict[str, Any] | None = None
        self._functions: dict[str, dict[Function, FunctionTable]] = {}

    @property
    def has_points(self) -> bool:
        """Whether the claim has outermost variables, whose values are tried."""
        return bool(self._variables)

    @property
    def used(self) -> int:
        """The steps taken so far."""
        return min(self._account.used, self._account.budget.steps)

    def _evaluating(self) -> Evaluator:
        texts = "".join(each for each in self._literals if isinstance(each, str))
        alphabet = "".join(dict.fromkeys([*_LETTERS, *texts]))[:_MOST_LETTERS]
        bounds = Bounds(
            integer=_NEAR,
            natural=_NEAR,
            denominator=4,
            alphabet=alphabet,
            length=3,
            depth=4,
            values=400,
            points=400,
            budget=self._account.budget,
        )
        return evaluator_of(self._goal, Model({}, {}), bounds, "one-sided", self._account)

    def axioms_hold(self) -> bool:
        """Whether every assumed axiom evaluates to true."""
        return all(self._evaluator.truth(each.formula) is TRUE for each in self._goal.axioms)

    def written(self, assignment: dict[str, Any] | None) -> dict[str, Any]:
        """An assignment with tables for its functions."""
        return {
            name: self._functions[name][value] if name in self._functions else value
            for name, value in (assignment or {}).items()
        }

    def false_assignment(self) -> dict[str, Any] | None:
        """The first assignment at which the claim is false; `undefined` keeps the first where it has no value."""
        names = [each.name for each in self._variables]
        ranges = [self._values(each) for each in self._variables]
        for chosen in _simplest_first(ranges):
            self.count += 1
            environment = dict(zip(names, chosen, strict=True))
            truth = self._evaluator.truth(self._body, environment)
            if truth is FALSE:
                return environment
            if not truth.may_be_true and not truth.may_be_false and self.undefined is None:
                self.undefined = environment
        return None

    def _values(self, variable: core.Variable) -> list[Any]:
        """Values of a sort: some small ones, those near the claim's literals, then more."""
        if isinstance(variable.sort, core.FunctionOf):
            made = {_function(variable, each): each for each in _tables(variable.sort)}
            self._functions[variable.name] = made
            return list(made)
        plain = list(self._evaluator.ranges.of(variable.sort).values)
        if isinstance(variable.sort, core.Numeric):
            near: list[Value] = [each for each in self._near() if _belongs(each, variable.sort)]
        elif variable.sort == core.STRING:
            near = self._texts()
        else:
            return plain
        return list(dict.fromkeys([*plain[:_FIRST], *near, *plain[_FIRST:]]))

    def _near(self) -> Iterator[int | Fraction]:
        for each in self._literals:
            if not isinstance(each, str):
                for value in (each, each - 1, each + 1, -each):
                    yield exact(Fraction(value))

    def _texts(self) -> list[Value]:
        """The claim's strings, and two or three of them together."""
        texts = [each for each in self._literals if isinstance(each, str) and each][:_FIRST]
        pairs = ["".join(each) for count in (2, 3) for each in product(texts, repeat=count)]
        return [*texts, *pairs]


_FIRST = 5


def _literals(goal: Goal) -> list[int | Fraction | str]:
    """The numbers and strings written in the claim and its definitions."""
    terms: list[core.Term] = [] if goal.claim is None else [goal.claim]
    terms += [each.body for each in goal.definitions]
    found: dict[int | Fraction | str, None] = {}
    for each in subterms(*terms):
        if isinstance(each, core.LiteralTerm) and not isinstance(each.value, bool):
            found.setdefault(each.value)
    return list(found)


def _belongs(value: int | Fraction, sort: core.Numeric) -> bool:
    if sort.name == "ℕ":
        return isinstance(value, int) and value >= 0
    return isinstance(value, int) or sort.name != "ℤ"


def _simplest_first(ranges: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """All combinations, by the sum of their places."""
    furthest = sum(len(each) - 1 for each in ranges)
    for total in range(furthest + 1):
        yield from _of_total(ranges, total)


def _of_total(ranges: Sequence[Sequence[Any]], total: int) -> Iterator[tuple[Any, ...]]:
    if not ranges:
        if total == 0:
            yield ()
        return
    first, rest = ranges[0], ranges[1:]
    most = sum(len(each) - 1 for each in rest)
    for place in range(max(0, total - most), min(total, len(first) - 1) + 1):
        for others in _of_total(rest, total - place):
            yield (first[place], *others)
