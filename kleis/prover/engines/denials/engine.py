"""The engine `denials`: claims refuted as they stand, by a proof that they are false, or that they are not even that.

See docs/reference/proving.md §7.28.

    ∃(x : ℝ). exp(x) = 0               ∀x. exp(x) ≠ 0 by the laws of exp
    ∀(x : ℝ). cos(x) ≠ 0               ∃x. cos(x) = 0 by a change of sign
    ∀(f : ℤ → ℤ). ∃x. f(x) = x         ¬∃x. x + 1 = x, where f(x) = x + 1
    ∃(x : ℝ). x = 0 ∧ x/x = 1          neither true nor false

Functions that the claim is about are read as familiar operations (`standard_operations`), the first reading under which small
values do not show the claim to be true and its negation is proved.

Invariants
    * Nothing is declared: there are neither carriers nor symbols, so that a proof of the negation refutes the claim.
    * What is found is an interpretation as the rule of the checker asks for it.
    * Steps are evaluations by the reference semantics, and those of the engines and queries that are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.traversal import stripped, subterms
from kleis.errors import BudgetError
from kleis.prover.checker.format import RegularLanguages, Step
from kleis.prover.checker.rules.interpretation import leaves_of
from kleis.prover.checker.rules.interpreted_goals import Meaning, Translation
from kleis.prover.checker.rules.named_parts import arrow
from kleis.prover.checker.sequent import CheckError, Sequent
from kleis.prover.engines.computation.intervals import INTERVALS, step_of
from kleis.prover.engines.models.standard_models import is_proved
from kleis.prover.engines.models.standard_operations import candidates
from kleis.prover.engines.regular.engine import REGULAR
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import Interpretation
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account

__all__ = ["DENIALS"]

_QUERY = 200_000
"""Z3's steps for a question."""

_QUESTIONS = 4
"""Readings of functions that are put to Z3."""

_CANDIDATES = 12
"""Operations that are tried for each function."""

_SMALL = Bounds(integer=3, natural=4, denominator=2, values=20, points=200, length=1)
_EVALUATED = 150_000


class Denials:
    """The engine."""

    name = "denials"

    def applies(self, task: Task) -> bool:
        """To claims without declarations: those without ∀ at their beginning, with one over functions, with parts below
        quantifiers that may have no value, and those whose negation says that an equation has a root."""
        goal = task.goal
        if goal.claim is None or goal.unsettled or goal.symbols or goal.carriers or goal.axioms:
            return False
        variables, _, _ = stripped(goal.claim)
        functions = [each for each in variables if isinstance(each.sort, core.FunctionOf)]
        if functions:
            return all(any(_readings(each)) for each in functions)
        return not variables or _may_be_undefined(goal.claim) or _by_intervals(_leaf(goal, {}, inwards=True))

    def run(self, task: Task, steps: int) -> Answer:
        """The negation of the claim, for each reading of its functions; then whether it has a truth value at all."""
        goal = task.goal
        assert goal.claim is not None
        variables, _, _ = stripped(goal.claim)
        functions = any(isinstance(each.sort, core.FunctionOf) for each in variables)
        used = 0
        for meanings in islice(_plausible(goal), _QUESTIONS):
            named = tuple((name, *meaning) for name, meaning in meanings.items())
            if used + _QUERY > steps:
                return Answer(outcome="silent", reason="resource", detail="steps used up", steps=steps)
            leaf = _leaf(goal, meanings, inwards=True)
            proof, taken = _computed(leaf, steps - used)
            used += taken
            if not proof and (functions or not variables):
                used += _QUERY
                if _is_shown(goal, meanings):
                    return _refuted(Interpretation(functions=named), used)
            if not proof:
                proof, taken = _by_laws(leaf, steps - used)
                used += taken
            if proof:
                return _refuted(Interpretation(functions=named, proof=proof), used)
        if not functions and _may_be_undefined(goal.claim):
            used += _QUERY
            if _is_shown(goal, {}, undefined=True):
                return _refuted(Interpretation(undefined=True), used)
        return Answer(outcome="silent", reason="incomplete", detail="its negation is not proved", steps=used)


DENIALS = Denials()


def _refuted(found: Interpretation, used: int) -> Answer:
    return Answer(outcome="refuted", witness={"interpretation": found}, steps=used)


def _readings(variable: core.Variable) -> Iterator[Meaning]:
    """What a function may be, as a term over its parameters."""
    domain, codomain = arrow(variable.sort)
    parameters = tuple(core.Variable(f"x{place}", sort) for place, sort in enumerate(domain))
    return ((parameters, body) for body in candidates(parameters, codomain)[:_CANDIDATES])


def _plausible(goal: Goal) -> Iterator[dict[str, Meaning]]:
    """Readings of the claim's functions under which small values leave open whether it is false."""
    assert goal.claim is not None
    variables = stripped(goal.claim)[0]
    functions = [each for each in variables if isinstance(each.sort, core.FunctionOf)]
    account = Account(Budget(steps=_EVALUATED, depth=150, size=100_000))
    bounds = msgspec.structs.replace(_SMALL, budget=account.budget)
    evaluator = evaluator_of(goal, Model({}, {}), bounds, "one-sided", account)
    for chosen in product(*(tuple(_readings(each)) for each in functions)):
        meanings = {each.name: meaning for each, meaning in zip(functions, chosen, strict=True)}
        if functions:
            try:
                leaf = _leaf(goal, meanings)
                if leaf is None or not evaluator.truth(leaf.claim).may_be_true:
                    continue
            except BudgetError:
                return
        yield meanings


def _leaf(goal: Goal, meanings: Mapping[str, Meaning], *, inwards: bool = False) -> Sequent | None:
    """The question whether the claim is false, where its functions are what they are read as."""
    try:
        ((_, leaf), *rest) = leaves_of(goal, Translation(goal, {}, {}), (), meanings, inwards=inwards)
    except CheckError:
        return None
    return None if rest else leaf


def _is_shown(goal: Goal, meanings: Mapping[str, Meaning], *, undefined: bool = False) -> bool:
    try:
        leaves = leaves_of(goal, Translation(goal, {}, {}), (), meanings, undefined=undefined)
    except CheckError:
        return False
    return all(is_proved(leaf, _QUERY) for _, leaf in leaves)


def _may_be_undefined(claim: core.Term) -> bool:
    """Whether something below a quantifier that is not outermost has a condition: no assignment of values shows it then."""
    _, hypotheses, rest = stripped(claim)
    inner = (each for each in subterms(*hypotheses, rest) if isinstance(each, core.Quantifier))
    return any(
        isinstance(each, core.Narrowing)
        or (isinstance(each, core.BuiltinCall) and each.operation.condition is not None)
        for each in subterms(*(each.body for each in inner))
    )


def _by_intervals(leaf: Sequent | None) -> bool:
    """Whether it says that an equation has a root."""
    claimed = leaf is not None and isinstance(leaf.claim, core.Quantifier) and leaf.claim.kind == "exists"
    return claimed and leaf is not None and INTERVALS.applies(_task(leaf))


def _task(leaf: Sequent) -> Task:
    return Task(msgspec.structs.replace(leaf.goal, claim=leaf.claim))


def _computed(leaf: Sequent | None, steps: int) -> tuple[tuple[Step, ...], int]:
    """A step to a leaf by automata or by a change of sign, and the engines' steps; none where they show nothing."""
    if leaf is None:
        return (), 0
    given, used = _task(leaf), 0
    for engine in (REGULAR, INTERVALS):
        if engine.applies(given):
            answer = engine.run(given, (steps - used) // 3)
            used += answer.steps
            if answer.outcome == "proved":
                return (Step(RegularLanguages()) if engine is REGULAR else step_of(answer),), used
    return (), used


def _by_laws(leaf: Sequent | None, steps: int) -> tuple[tuple[Step, ...], int]:
    """Steps to a leaf by the laws of functions, and the solver's steps; none where they do not show it."""
    # Here, since whether this engine applies is asked in processes that run none.
    from kleis.prover.engines.laws.engine import LAWS
    from kleis.prover.engines.laws.engine import steps_of as law_steps

    if leaf is None or steps < 2 or not LAWS.applies(_task(leaf)):
        return (), 0
    answer = LAWS.run(_task(leaf), steps // 2)
    return (law_steps(answer) if answer.outcome == "proved" else ()), answer.steps
