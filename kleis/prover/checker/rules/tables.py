"""The rule `tables`: finite carriers with a table for every symbol, evaluated.

See docs/reference/certificates.md §5.2.  Every axiom is true and the claim is false over the tables, by the reference
semantics, with every value of every carrier tried.

Invariants
    * The witness names the carriers and the symbols of the goal, each once and in the goal's order.
    * A table has one value for every combination of arguments, which is an element or a truth value.
    * A point gives a value to every variable of the claim's outermost ∀, or it is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.errors import BudgetError
from kleis.prover.checker.format import Tables
from kleis.prover.checker.rules.named_parts import (
    arrow,
    carrier_sizes,
    outermost_variables,
    same_names,
    symbol_text,
)
from kleis.prover.checker.sequent import RejectedError
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Element, Function
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE, TRUE
from kleis.values import Value

__all__ = ["STEPS", "FiniteModel", "Rows", "check_tables"]

STEPS = 30_000_000
"""Enough for a ring of 64 elements, whose laws have 262,144 instances each."""

_LARGEST = 1_000
"""Elements of a carrier: so many a quantifier tries without cutting off."""

_POINTS = 10_000_000

Rows = Mapping[tuple[int | bool, ...], int | bool]
"""The values of a function by its arguments: numbers of elements, and truth values."""


class FiniteModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that was checked: sizes of carriers, rows of symbols, and values of the claim's variables."""

    sizes: dict[core.Carrier, int]
    symbols: dict[core.Symbol, Rows]
    point: dict[core.Variable, Rows]
    steps: int


def check_tables(goal: Goal, witness: Tables, steps: int = STEPS) -> FiniteModel:
    """The model, if every axiom of a goal is true and its claim is false there; else `RejectedError`.

    A goal without a claim asks for a model of its axioms.
    """
    sizes = carrier_sizes(goal, witness.carriers, _LARGEST)
    same_names("symbols", witness.tables, map(symbol_text, goal.symbols))
    pairs = zip(goal.symbols, witness.tables, strict=True)
    symbols = {each: _rows(each.domain, each.codomain, rows, sizes) for each, (_, rows) in pairs}
    point: dict[core.Variable, Rows] = {}
    if witness.point:
        variables = outermost_variables(goal.claim)
        same_names("variables", witness.point, (each.name for each in variables))
        for variable, (_, rows) in zip(variables, witness.point, strict=True):
            point[variable] = _rows(*arrow(variable.sort), rows, sizes)
    account = Account(Budget(steps=steps, depth=300, size=1_000_000))
    bounds = Bounds(carrier=1, values=_LARGEST, points=_POINTS, budget=account.budget)
    functions = {
        each: Function(each.name, each.domain, _called(rows, each.codomain), total=True)
        for each, rows in symbols.items()
    }
    evaluator = evaluator_of(goal, Model(sizes, functions), bounds, "one-sided", account)
    try:
        for axiom in goal.axioms:
            if evaluator.truth(axiom.formula) is not TRUE:
                raise RejectedError(f"{axiom.name} is not found to be true over the tables")
        if goal.claim is not None and not _fails(evaluator, goal.claim, point):
            raise RejectedError("the claim is not found to be false over the tables")
    except (BudgetError, RecursionError):
        raise RejectedError("the tables need more steps than are left") from None
    return FiniteModel(sizes=sizes, symbols=symbols, point=point, steps=account.used)


def _fails(evaluator: Evaluator, claim: core.Term, point: Mapping[core.Variable, Rows]) -> bool:
    """Whether the claim is false, at the values given for its outermost ∀."""
    environment: dict[str, Value] = {}
    while point and isinstance(claim, core.Quantifier) and claim.kind == "forall":
        environment.update({each.name: _valued(each, point[each]) for each in claim.variables})
        claim = claim.body
    return evaluator.truth(claim, environment) is FALSE


def _valued(variable: core.Variable, rows: Rows) -> Value:
    domain, codomain = arrow(variable.sort)
    call = _called(rows, codomain)
    if isinstance(variable.sort, core.FunctionOf):
        return Function(variable.name, domain, call, total=True)
    return call()


def _called(rows: Rows, codomain: core.Sort) -> Callable[..., Value]:
    def call(*given: Value) -> Value:
        value = rows[tuple(each.index if isinstance(each, Element) else bool(each) for each in given)]
        return Element(codomain.name, value) if isinstance(codomain, core.Carrier) else value

    return call


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────


def _rows(
    domain: Sequence[core.Sort], codomain: core.Sort, values: Any, sizes: Mapping[core.Carrier, int]
) -> Rows:
    """A function from its values: one of the codomain for every combination of arguments, in their order."""
    counts = [_count(sort, sizes) for sort in domain]
    most, kind = _count(codomain, sizes), bool if codomain == core.BOOL else int
    if not isinstance(values, list | tuple) or len(values) != prod(counts):
        raise RejectedError("a table that does not have one value for every combination of arguments")
    if any(type(each) is not kind or not 0 <= each < most for each in values):
        raise RejectedError(f"a table with a value that {sort_text(codomain)} does not have")
    ranges: list[Sequence[int | bool]] = [
        (False, True) if sort == core.BOOL else range(count)
        for sort, count in zip(domain, counts, strict=True)
    ]
    return dict(zip(product(*ranges), values, strict=True))


def _count(sort: core.Sort, sizes: Mapping[core.Carrier, int]) -> int:
    if sort == core.BOOL:
        return 2
    if not isinstance(sort, core.Carrier) or sort not in sizes:
        raise RejectedError(f"{sort_text(sort)} has no values that tables are made of")
    return sizes[sort]
