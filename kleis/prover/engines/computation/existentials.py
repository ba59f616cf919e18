"""The engine `witnesses`: terms for the ∃ in a claim's conclusion.

See docs/reference/proving.md §7.26.

    ∀a b d. (∃k. a = d·k) ∧ (∃m. b = d·m) → (∃j. a + b = d·j)      j = k + m
    ∃(a b c : ℤ). a² + b² = c² ∧ c > 10                             a = 5, b = 12, c = 13
    ∀(x : ℝ). ∃(n : ℤ). n > x                                       n = ⌊x⌋ + 1
    ∃(f : ℤ → ℤ). ∀x. f(x) ≠ x                                      f = λ x . x + 1
    ∀(x : ℝ). x > 0 → ∃(n : ℕ). n * x > 1                           n = |⌊1/x⌋| + 1

Terms over the variables of the claim and of the ∃ in its hypotheses are tried at points where the hypotheses are true; those
that pass are put to a solver by the rule `ask` of the checker.  Without such variables the values are those of a model
that the solver finds within bounds, or functions by one term each.  A step is a term tried at a point, or a unit of the solver's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from random import Random
from typing import Any

import msgspec

from kleis import core
from kleis.core.build_terms import as_number
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables, substitute
from kleis.errors import BudgetError, KleisError
from kleis.prover.checker.format import Ask, Step
from kleis.prover.checker.read_terms import Vocabulary, operation_at
from kleis.prover.checker.rules.ask import ask
from kleis.prover.checker.rules.witnesses import Opened, at_witnesses, with_existentials_opened
from kleis.prover.checker.sequent import CheckError, Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.computation.quotient_terms import numbers_in, quotients
from kleis.prover.engines.solvers.script_engines import DIRECT
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import TRUE, Truth

__all__ = ["QUOTIENTS", "WITNESSES"]

_NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL)
_WHOLE = (core.NATURAL, core.INTEGER)
_MOST_WANTED = 4
_MOST_TERMS = {1: 1_500, 2: 45, 3: 14, 4: 8, 5: 5}
"""Terms that are tried for each variable, by how many variables there are."""

_POINTS = 10
_TRIES = 400
_ASKED = 4
"""Terms that a solver is asked about."""

_BOUNDS = (8, 32, 1_000)
"""How far from 0 values without variables are looked for, one after the other."""

_LOOK = Bounds(carrier=1, values=64, points=500, budget=Bounds().budget)


class Witnesses:
    """The engine.  With `quotients` the terms that are tried are quotients, which have values where divisors are not 0."""

    name = "witnesses"

    def __init__(self, *, quotients: bool = False) -> None:
        self._quotients = quotients

    def applies(self, task: Task) -> bool:
        """To conclusions ∃ over numbers, where all other variables are numbers too and nothing is declared.

        Where there are no others, functions of a number may be wanted too.
        """
        goal = task.goal
        if goal.claim is None or goal.unsettled or goal.symbols or goal.carriers:
            return False
        opened = with_existentials_opened(goal, goal.claim)
        if not 0 < len(opened.wanted) <= _MOST_WANTED:
            return False
        if not opened.variables:
            return not self._quotients and all(map(_is_of_numbers, (each.sort for each in opened.wanted)))
        return {each.sort for each in (*opened.variables, *opened.wanted)} <= set(_NUMBERS)

    def run(self, task: Task, steps: int) -> Answer:
        """Look for terms, and ask about those that pass."""
        goal = task.goal
        assert goal.claim is not None
        opened = with_existentials_opened(goal, goal.claim)
        if not opened.variables:
            found, used = _within_bounds(goal, opened, steps // 2)
            if not found and all(isinstance(each.sort, core.FunctionOf) for each in opened.wanted):
                functions = _Search(goal, opened, steps // 8)
                found = list(islice(functions.functions(), _ASKED))
                used += functions.used
        else:
            search = _Search(goal, opened, steps // 2)
            found = list(islice(search.of_quotients() if self._quotients else search.passing(), _ASKED))
            used = search.used
        for terms in found:
            step = Ask(witnesses=tuple(map(term_data, terms)))
            taken = _asked(goal, goal.claim, step, (steps - used) // 2)
            used += taken or (steps - used) // 2
            if taken is not None:
                proof = (("steps", msgspec.json.encode((Step(step),)).decode()),)
                detail = f"a value for {', '.join(each.name for each in opened.wanted)}"
                return Answer(outcome="proved", proof=proof, detail=detail, steps=used)
        detail = "no term passes" if not found else "the terms that pass are not proved"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=used)


WITNESSES = Witnesses()

QUOTIENTS = Witnesses(quotients=True)


def _is_of_numbers(sort: core.Sort) -> bool:
    """Whether a sort is one of numbers, or of functions of one number."""
    if isinstance(sort, core.FunctionOf):
        return len(sort.domain) == 1 and {*sort.domain, sort.codomain} <= set(_NUMBERS)
    return sort in _NUMBERS


def _asked(goal: Goal, claim: core.Term, step: Ask, steps: int) -> int | None:
    """The steps after which a solver settles a question; None if it does not."""
    try:
        vocabulary = Vocabulary(goal, operation_at())
        return max(1, ask(Sequent(goal, (), claim), step, vocabulary, ("z3",), steps).steps)
    except CheckError:
        return None


# ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────


def _within_bounds(goal: Goal, opened: Opened, steps: int) -> tuple[list[tuple[core.Term, ...]], int]:
    """Numbers that make the conclusion true, of those within the bounds."""
    wanted, used = opened.wanted, 0
    body = opened.conclusion
    while isinstance(body, core.Quantifier) and body.kind == "exists":
        body = body.body
    bounds = _BOUNDS if any(each.sort in _NUMBERS for each in wanted) else _BOUNDS[:1]
    for bound in bounds:
        near = [each for variable in wanted for each in _near(variable, bound)]
        claim: core.Term = core.Connective("not", (body,))
        if near:
            claim = core.Connective("implies", (core.Connective("and", tuple(near)), claim))
        question = msgspec.structs.replace(goal, claim=core.Quantifier("forall", wanted, claim), axioms=())
        answer = DIRECT.run(Task(question), steps // len(bounds))
        used += answer.steps
        if answer.outcome == "refuted" and isinstance(answer.witness, Witness):
            values = [answer.witness.assignment.get(each.name) for each in wanted]
            terms = [_written(value, each.sort) for value, each in zip(values, wanted, strict=True)]
            known = tuple(each for each in terms if each is not None)
            return ([known] if len(known) == len(terms) else []), used
    return [], used


def _near(variable: core.Variable, bound: int) -> Iterator[core.Term]:
    """That a variable is not farther from 0 than a bound."""
    if isinstance(variable.sort, core.FunctionOf):
        return
    parameters = (core.Variable("a", variable.sort), core.Variable("b", variable.sort))
    below = core.Operation("leq", parameters, core.BOOL)
    for left, right in (
        (_number(-bound, variable.sort), variable),
        (variable, _number(bound, variable.sort)),
    ):
        if left is not None and right is not None:
            yield core.BuiltinCall(below, (left, right))


def _written(value: Any, sort: core.Sort) -> core.Term | None:
    """A number, or a function by cases, as a term that has a value everywhere; None where a number is not whole."""
    if isinstance(sort, core.FunctionOf):
        return _by_cases(value, sort) if isinstance(value, FunctionTable) else None
    whole = value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value
    return _number(whole, sort) if type(whole) is int else None


def _by_cases(table: FunctionTable, sort: core.FunctionOf) -> core.Term | None:
    """A function of one number by its table."""
    variable = core.Variable("x", sort.domain[0])
    body = _written(0 if table.default is None else table.default, sort.codomain)
    for (at,), value in reversed(table.rows):
        place, result = _written(at, variable.sort), _written(value, sort.codomain)
        if body is None or place is None or result is None:
            return None
        body = core.Conditional(core.Equals(variable, place), result, body)
    return None if body is None else core.Lambda((variable,), body)


def _number(value: int, sort: core.Sort) -> core.Term | None:
    """A whole number of a sort; None for a negative one in ℕ."""
    if value < 0:
        return None if sort == core.NATURAL else as_number(core.LiteralTerm(value, core.INTEGER), sort)
    return as_number(core.LiteralTerm(value, core.NATURAL), sort)


# ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────────


def _call(name: str, left: core.Term, right: core.Term) -> core.Term:
    parameters = (core.Variable("a", left.sort), core.Variable("b", right.sort))
    return core.BuiltinCall(core.Operation(name, parameters, left.sort), (left, right))


def _rounded(number: core.Variable, sort: core.Sort) -> core.Term:
    """A fraction or a real number rounded down, in ℕ without its sign."""
    floor = _of_one("floor", number, core.INTEGER)
    return floor if sort == core.INTEGER else _of_one("abs", floor, core.NATURAL)


def _of_one(name: str, argument: core.Term, result: core.Sort) -> core.Term:
    return core.BuiltinCall(core.Operation(name, (core.Variable("a", argument.sort),), result), (argument,))


def _terms(variables: Sequence[core.Variable], sort: core.Sort) -> Iterator[core.Term]:
    """Terms of a sort over variables, the small ones first."""
    rank = _NUMBERS.index(sort)
    atoms = [as_number(each, sort) for each in variables if _NUMBERS.index(each.sort) <= rank]
    if sort in _WHOLE:
        atoms += [_rounded(each, sort) for each in variables if each.sort not in _WHOLE]
    numbers = [each for each in (_number(value, sort) for value in (0, 1, 2, -1)) if each is not None]
    yield from atoms
    yield from numbers
    subtracts = ("minus",) if sort != core.NATURAL else ()
    made: list[core.Term] = []
    for place, left in enumerate(atoms):
        for right in (*atoms[place:], *numbers[1:]):
            made += [_call(name, left, right) for name in ("plus", "times")]
        made += [_call(name, left, right) for right in (*atoms, *numbers[1:2]) for name in subtracts]
    yield from made
    products = [
        each for each in made if isinstance(each, core.BuiltinCall) and each.operation.name == "times"
    ]
    for place, left in enumerate(products):
        yield from (_call("plus", left, right) for right in products[place + 1 :])
    for left in made:
        for right in (*atoms, *numbers[1:2]):
            yield from (_call(name, left, right) for name in ("plus", "times", *subtracts))


def _functions(wanted: core.Variable) -> Iterator[core.Term]:
    """Functions of one number, by terms over it, the small ones first."""
    assert isinstance(wanted.sort, core.FunctionOf), "a function is wanted"
    given = core.Variable("x", wanted.sort.domain[0])
    return (core.Lambda((given,), body) for body in _terms((given,), wanted.sort.codomain))


class _Search:
    """Terms for the ∃ of one claim, tried at points where its hypotheses are true."""

    def __init__(self, goal: Goal, opened: Opened, steps: int) -> None:
        account = Account(msgspec.structs.replace(_LOOK.budget, steps=2_000_000))
        self._evaluator = evaluator_of(goal, Model({}, {}), _LOOK, "one-sided", account)
        self._goal = goal
        self._opened = opened
        self._left = steps
        self.used = 0

    def passing(self) -> Iterator[tuple[core.Term, ...]]:
        """The choices of terms that make the conclusion true at all points."""
        points = list(islice(self._points(), _POINTS))
        wanted = self._opened.wanted
        if not points:
            return
        most = _MOST_TERMS[len(wanted)]
        lists = [list(islice(_terms(self._opened.variables, each.sort), most)) for each in wanted]
        for choice in product(*lists):
            claim = at_witnesses(Opened((), (), self._opened.conclusion), choice)
            if all(self._holds(claim, each) for each in points):
                yield choice
            if self.used > self._left:
                return

    def of_quotients(self) -> Iterator[tuple[core.Term, ...]]:
        """The choices of quotients that make the conclusion false or undefined at no point."""
        points = list(islice(self._points(), _POINTS))
        wanted, variables = self._opened.wanted, self._opened.variables
        if not points:
            return
        most = _MOST_TERMS[len(wanted)]
        numbers = numbers_in((*self._opened.hypotheses, self._opened.conclusion))
        lists = [list(islice(quotients(variables, numbers, each.sort), most)) for each in wanted]
        for choice in product(*lists):
            terms = tuple(map(self._read, choice))
            claim = at_witnesses(Opened((), (), self._opened.conclusion), terms)
            if all(self._holds(claim, each, maybe=True) for each in points):
                yield terms
            if self.used > self._left:
                return

    def _read(self, term: core.Term) -> core.Term:
        """A term as the checker reads it: with the conditions under which it has a value."""
        vocabulary = Vocabulary(self._goal, operation_at())
        return vocabulary.of_sort(term_data(term), term.sort, self._opened.variables)

    def functions(self) -> Iterator[tuple[core.Term, ...]]:
        """The choices of functions of one number, each given by a term, that do not make the conclusion false."""
        wanted = self._opened.wanted
        lists = [list(islice(_functions(each), _MOST_TERMS[len(wanted) + 1])) for each in wanted]
        for choice in product(*lists):
            if self._may_hold(at_witnesses(Opened((), (), self._opened.conclusion), choice)):
                yield choice
            if self.used > self._left:
                return

    def _may_hold(self, formula: core.Term) -> bool:
        self.used += 20
        try:
            return self._evaluator.truth(formula).may_be_true
        except (BudgetError, KleisError):
            return False

    def _points(self) -> Iterator[dict[str, Any]]:
        """Values of the variables at which all hypotheses are true."""
        given = self._determined()
        random = Random(0)
        free = [each for each in self._opened.variables if each.name not in given]
        for _ in range(_TRIES):
            point: dict[str, Any] = {each.name: _some(each.sort, random) for each in free}
            if self._completed(point, given) and all(
                self._holds(each, point) for each in self._opened.hypotheses
            ):
                yield point

    def _determined(self) -> dict[str, core.Term]:
        """The variables that an equation among the hypotheses gives by others."""
        given: dict[str, core.Term] = {}
        for each in self._opened.hypotheses:
            if not isinstance(each, core.Equals):
                continue
            for one, other in ((each.left, each.right), (each.right, each.left)):
                if isinstance(one, core.Variable) and one.name not in given:
                    needed = {v.name for v in free_variables(substitute(other, given))}
                    if one.name not in needed:
                        given[one.name] = other
                        break
        return given

    def _completed(self, point: dict[str, Any], given: Mapping[str, core.Term]) -> bool:
        """Whether the values of the other variables follow from those of a point; they are added."""
        waiting = dict(given)
        while waiting:
            ready = [
                name
                for name, term in waiting.items()
                if all(each.name in point for each in free_variables(term))
            ]
            if not ready:
                return False
            for name in ready:
                try:
                    value = self._evaluator.outcome(waiting.pop(name), point)
                except (BudgetError, KleisError):
                    return False
                if not isinstance(value, int | Fraction):
                    return False
                point[name] = value
        return True

    def _holds(self, formula: core.Term, point: Mapping[str, Any], *, maybe: bool = False) -> bool:
        """Whether a formula is true at a point; with `maybe`, whether it may be, as one with ∀ over all numbers."""
        self.used += 20
        try:
            outcome = self._evaluator.outcome(formula, point)
            return outcome is TRUE or (maybe and isinstance(outcome, Truth) and outcome.may_be_true)
        except (BudgetError, KleisError):
            return False


def _some(sort: core.Sort, random: Random) -> int | Fraction:
    """A small value."""
    if sort in _WHOLE:
        return random.randrange(0 if sort == core.NATURAL else -5, 8)
    return Fraction(random.randrange(-10, 16), random.choice((1, 1, 2)))
