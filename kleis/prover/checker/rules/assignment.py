"""The rule `assignment`: values of the claim's variables, of symbols, and sizes of carriers, evaluated.

See docs/reference/certificates.md §5.3.  Every axiom is true there and the claim is not, by the reference semantics.
Where an axiom or the claim quantifies over infinitely many values and evaluation leaves it open, it becomes a leaf: with
the values written as terms, a solver has to prove the axiom, or the negated claim.

A claim as a whole, without values of variables, may also be computed to be false by the rule `evaluation`.

Invariants
    * Every value is one of its sort.  Carriers are named all, variables all or none, symbols in the goal's order; a
      symbol that is left out may be any function, and what is shown holds for all of them.
    * A claim is shown to be undefined only by evaluation, never by a leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.traversal import stripped, substitute
from kleis.errors import BudgetError
from kleis.prover.checker.format import Assignment
from kleis.prover.checker.rules.enclosures import admitted
from kleis.prover.checker.rules.evaluation import computed, is_computable
from kleis.prover.checker.rules.interpreted_goals import Leaves, Meaning, Translation, negated
from kleis.prover.checker.rules.named_parts import arrow, carrier_sizes, same_names, some_symbols
from kleis.prover.checker.sequent import NotExpressible, RejectedError
from kleis.prover.checker.values import ValueReader
from kleis.prover.protocol.witness import FunctionTable
from kleis.semantics.foreign_values import NamelessError, value_to_term
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Function
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth
from kleis.values import Value

__all__ = ["BOUNDS", "STEPS", "AssignedModel", "check_assignment"]

STEPS = 2_000_000

BOUNDS = Bounds(
    carrier=8, points=200_000, values=2_000, budget=Budget(steps=STEPS, depth=1_000, size=100_000)
)
"""Carriers of so many values are tried whole."""


class AssignedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that was checked, up to its leaves.

    symbols, variables
        Values, and tables of functions.  No variables if the claim fails as a whole.
    undefined
        The claim is not false there but undefined.
    meanings
        The symbols and function variables as terms, where there are leaves.
    """

    sizes: dict[core.Carrier, int]
    symbols: tuple[tuple[core.Symbol, Any], ...]
    variables: tuple[tuple[core.Variable, Any], ...]
    undefined: bool
    steps: int
    meanings: tuple[tuple[str, Meaning], ...] = ()
    leaves: Leaves = ()


def check_assignment(goal: Goal, witness: Assignment, steps: int = STEPS) -> AssignedModel:
    """The model, if every axiom of a goal is true and its claim is not, once the leaves are shown; else `RejectedError`.

    A goal without a claim asks for a model of its axioms.
    """
    return _Check(goal, witness, steps).model()


class _Check:
    """The check of one assignment."""

    def __init__(self, goal: Goal, witness: Assignment, steps: int) -> None:
        self._goal = goal
        self._steps = steps
        self._computing = 0
        self._sizes = carrier_sizes(goal, witness.carriers, BOUNDS.values)
        bounds = msgspec.structs.replace(BOUNDS, budget=msgspec.structs.replace(BOUNDS.budget, steps=steps))
        self._account = Account(bounds.budget, admitted(witness.precision))
        self._bare = evaluator_of(goal, Model(self._sizes, {}), bounds, "one-sided", self._account)
        self._reader = ValueReader(goal, self._bare.ranges, self._account)
        variables = () if goal.claim is None else stripped(goal.claim)[0]
        try:
            self._symbols = tuple(
                (each, self._read(data, each.domain, each.codomain))
                for each, data in some_symbols(witness.symbols, goal.symbols)
            )
            if witness.variables:
                same_names("variables", witness.variables, (each.name for each in variables))
            self._variables = tuple(
                (each, self._read(data, *arrow(each.sort)))
                for each, (_, data) in zip(variables, witness.variables, strict=False)
            )
        except BudgetError:
            raise RejectedError("the values need more steps than are left") from None

    def _read(self, data: Any, domain: Sequence[core.Sort], codomain: core.Sort) -> Any:
        return self._reader.table(data, domain, codomain) if domain else self._reader.value(data, codomain)

    def model(self) -> AssignedModel:
        """Evaluate everything; what stays open becomes a leaf."""
        evaluator = self._bare.under(
            {each: self._function(each.name, each.domain, value) for each, value in self._symbols}
        )
        pending = []
        for axiom in self._goal.axioms:
            truth = self._evaluated(evaluator, axiom.formula, {})
            if not truth.may_be_true:
                raise RejectedError(f"{axiom.name} is not true there")
            if truth is not TRUE:
                pending.append((axiom.name, axiom.formula))
        fails = None if self._goal.claim is None else self._failure(evaluator)
        model = AssignedModel(
            sizes=self._sizes,
            symbols=self._symbols,
            variables=self._variables,
            undefined=fails is not None and fails is not FALSE and fails is not OPEN,
            steps=self._account.used + self._computing,
        )
        if fails is OPEN or pending:
            return self._with_leaves(model, pending, claimed=fails is OPEN)
        return model

    def _evaluated(self, evaluator: Evaluator, term: core.Term, environment: Mapping[str, Any]) -> Truth:
        try:
            return evaluator.truth(term, environment)
        except (BudgetError, RecursionError):
            return OPEN

    # ── The claim ────────────────────────────────────────────────────────────────────────────────────────────

    def _failure(self, evaluator: Evaluator) -> Truth:
        """How the claim fails: false, undefined, or open where evaluation does not say; `RejectedError` if it is true."""
        claim = self._goal.claim
        assert claim is not None
        environment: dict[str, Value] = {}
        for each, value in self._variables:
            domain, _ = arrow(each.sort)
            environment[each.name] = self._function(each.name, domain, value) if domain else value
        truth = self._evaluated(evaluator, self._instance(claim), environment)
        if truth is TRUE:
            raise RejectedError("the claim is true there")
        if truth is FALSE or (truth.decided and not truth.may_be_true):
            return truth
        return FALSE if self._is_computed_to_be_false(claim) else OPEN

    def _is_computed_to_be_false(self, claim: core.Term) -> bool:
        """Whether the rule `evaluation` finds the whole claim false, whatever the symbols are.

        It alone sees that ∃(x : ℤ). 1 ≤ x ∧ x < 9 ∧ … speaks of eight numbers.
        """
        left = self._steps - self._account.used
        if self._variables or left < 1 or not is_computable(self._goal, claim):
            return False
        found = computed(self._goal, claim, left, self._account.precision)
        self._computing = found.steps
        return found.truth is FALSE

    def _instance(self, claim: core.Term) -> core.Term:
        """The claim without the quantifiers whose variables have values."""
        if not self._variables:
            return claim
        _, hypotheses, rest = stripped(claim)
        for hypothesis in reversed(hypotheses):
            rest = core.Connective("implies", (hypothesis, rest))
        return rest

    def _function(self, name: str, domain: tuple[core.Sort, ...], value: Any) -> Function:
        """A function that evaluates a constant, or a table with a default."""
        table = value if isinstance(value, FunctionTable) else FunctionTable((), value)
        rows = {self._reader.key(arguments): result for arguments, result in table.rows}

        def call(*arguments: Value) -> Any:
            found = rows.get(self._reader.key(arguments), table.default)
            return OPEN if found is None else found

        return Function(name, domain, call, total=True)

    # ── Leaves ───────────────────────────────────────────────────────────────────────────────────────────────

    def _with_leaves(
        self, model: AssignedModel, pending: Sequence[tuple[str, core.Term]], *, claimed: bool
    ) -> AssignedModel:
        if self._goal.carriers:
            raise NotExpressible("elements of carriers have no terms, and evaluation leaves something open")
        try:
            meanings = {
                each: self._meaning(each.domain, each.codomain, value) for each, value in self._symbols
            }
            values = {each: self._meaning(*arrow(each.sort), value) for each, value in self._variables}
        except NamelessError:
            raise NotExpressible("a value that no term denotes") from None
        translation = Translation(self._goal, {}, meanings)
        leaves = [translation.leaf(name, translation.formula(formula)) for name, formula in pending]
        if claimed:
            claim = self._goal.claim
            assert claim is not None
            terms = {
                each.name: core.Lambda(*meaning) if meaning[0] else meaning[1]
                for each, meaning in values.items()
            }
            fails = translation.reduced(substitute(translation.formula(self._instance(claim)), terms))
            leaves.append(translation.leaf("negated claim", negated(fails)))
        functions = [(each.name, meaning) for each, meaning in values.items() if meaning[0]]
        named = [(each.name, meaning) for each, meaning in meanings.items()]
        return msgspec.structs.replace(
            model, meanings=(*named, *functions), leaves=(*leaves, *translation.terminations())
        )

    def _meaning(self, domain: Sequence[core.Sort], codomain: core.Sort, value: Any) -> Meaning:
        """Parameters and a body: cases for the rows of a table, then its default."""
        if not isinstance(value, FunctionTable):
            return (), value_to_term(value, codomain, self._goal)
        if value.default is None:
            raise NamelessError
        parameters = tuple(core.Variable(f"x{place}", sort) for place, sort in enumerate(domain))
        body = value_to_term(value.default, codomain, self._goal)
        for arguments, result in reversed(value.rows):
            terms = [
                value_to_term(each, sort, self._goal) for each, sort in zip(arguments, domain, strict=True)
            ]
            tests = tuple(map(core.Equals, parameters, terms))
            test = tests[0] if len(tests) == 1 else core.Connective("and", tests)
            body = core.Conditional(test, value_to_term(result, codomain, self._goal), body)
        return parameters, body
