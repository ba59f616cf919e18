"""What the parts of a claim come to at a counterexample, from the inside out.

See docs/reference/proving.md §5.5.  ``f(x) + 1 = 3`` at x = 2 is false because ``f(2)`` is 5, and so ``f(2) + 1`` is 6.
What is shown here was checked before (`kleis.prover.checker`); nothing is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import bound_by, free_variables, parts, stripped
from kleis.delaborate.describe_goal import expression_of
from kleis.delaborate.printed_names import Names
from kleis.errors import BudgetError, KleisError
from kleis.prover.checker.format import Tables
from kleis.prover.checker.rules.tables import FiniteModel, check_tables
from kleis.prover.checker.sequent import CheckError
from kleis.prover.checker.write_terms import UnwritableError
from kleis.prover.checker.write_witness import witness_data
from kleis.prover.protocol.verdict import Evidence
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.semantics.enclosures import PRECISION
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Element, Function
from kleis.semantics.reference import Account
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth
from kleis.syntax.printer.program import print_expression
from kleis.values.text import render_value

__all__ = ["with_parts"]

_MOST = 12
"""Parts that are shown; the innermost are left out first."""

_LONGEST = 120
"""Characters of a part or value that is shown."""

_BOUNDS = Bounds(carrier=1, values=4_000, points=20_000, budget=Bounds().budget)
_STEPS = 200_000


def with_parts(evidence: Evidence, goal: Goal, witness: object) -> Evidence:
    """The evidence with the values of the parts of the claim, as far as evaluation gives them."""
    if goal.claim is None or evidence.kind not in ("assignment", "tables"):
        return evidence
    try:
        found = tuple(_Parts(goal, _interpreted(goal, witness), evidence).all())
    except (BudgetError, KleisError, CheckError, UnwritableError, RecursionError):
        return evidence  # a display less, and no reason to doubt what was checked
    return msgspec.structs.replace(evidence, parts=found[-_MOST:])


class _Interpreted(msgspec.Struct, frozen=True):
    """Sizes of carriers, functions for symbols, and values of the claim's outermost variables."""

    sizes: dict[core.Carrier, int]
    symbols: dict[core.Symbol, Function]
    variables: dict[str, Any]
    precision: int = PRECISION


def _interpreted(goal: Goal, witness: object) -> _Interpreted:
    if not isinstance(witness, Witness):
        data = witness_data(goal, witness)
        return _of_tables(check_tables(goal, data)) if isinstance(data, Tables) else _Interpreted({}, {}, {})
    variables = stripped(goal.claim)[0] if goal.claim is not None else ()
    values = {
        each.name: _function(each.name, each.sort.domain, witness.assignment[each.name])
        if isinstance(each.sort, core.FunctionOf)
        else witness.assignment[each.name]
        for each in variables
        if each.name in witness.assignment
    }
    sizes: dict[core.Carrier, int] = {
        each: witness.carriers.get(sort_text(each), 1)
        for each in goal.carriers
        if isinstance(each, core.Carrier)
    }
    symbols = {each: _function(each.name, each.domain, value) for each, value in witness.symbols}
    return _Interpreted(sizes, symbols, values, witness.precision)


def _of_tables(model: FiniteModel) -> _Interpreted:
    symbols = {
        each: Function(each.name, each.domain, _tabled(each.codomain, rows), total=True)
        for each, rows in model.symbols.items()
    }
    values: dict[str, Any] = {}
    for each, rows in model.point.items():
        arrow = each.sort if isinstance(each.sort, core.FunctionOf) else core.FunctionOf((), each.sort)
        call = _tabled(arrow.codomain, rows)
        values[each.name] = Function(each.name, arrow.domain, call, total=True) if arrow.domain else call()
    return _Interpreted(dict(model.sizes), symbols, values)


class _Parts:
    """The parts of one claim in one interpretation."""

    def __init__(self, goal: Goal, given: _Interpreted, evidence: Evidence) -> None:
        self._goal = goal
        self._spellings = Names(goal)
        self._names = {
            carrier.name: elements
            for carrier, (_, elements) in zip(given.sizes, evidence.carriers, strict=False)
        }
        account = Account(msgspec.structs.replace(_BOUNDS.budget, steps=_STEPS), given.precision)
        model = Model(given.sizes, given.symbols)
        self._evaluator = evaluator_of(goal, model, _BOUNDS, "one-sided", account)
        self._environment = given.variables

    def all(self) -> Iterator[tuple[str, str]]:
        """Each part with its value, what it is made of before it."""
        assert self._goal.claim is not None, "a counterexample is of a claim"
        _, hypotheses, body = stripped(self._goal.claim)
        seen: set[core.Term] = set()
        for term in (*hypotheses, body):
            yield from self._of(term, seen)

    def _of(self, term: core.Term, seen: set[core.Term]) -> Iterator[tuple[str, str]]:
        if term in seen or not self._is_known(term):
            return
        seen.add(term)
        if not bound_by(term):
            for each in parts(term):
                yield from self._of(each, seen)
        if isinstance(
            term, core.Variable | core.LiteralTerm | core.Coercion | core.Lambda | core.Construction
        ):
            return
        value = self._text(self._evaluator.outcome(term, self._environment))
        text = print_expression(expression_of(term, self._spellings))
        if value and value != text and max(len(text), len(value)) <= _LONGEST:
            yield text, value

    def _is_known(self, term: core.Term) -> bool:
        return all(each.name in self._environment for each in free_variables(term))

    def _text(self, value: Any) -> str:
        if isinstance(value, Truth):
            return {TRUE: "true", FALSE: "false", OPEN: ""}.get(value, "undefined")
        if isinstance(value, Element):
            elements = self._names.get(value.constructor.partition("#")[0], ())
            return elements[value.index] if value.index < len(elements) else ""
        return "" if isinstance(value, Function) else render_value(value)


def _function(name: str, domain: tuple[core.Sort, ...], value: Any) -> Function:
    """A constant, or a table with a default, as a function."""
    table = value if isinstance(value, FunctionTable) else FunctionTable((), value)
    rows = {repr(arguments): result for arguments, result in table.rows}

    def call(*arguments: Any) -> Any:
        found = rows.get(repr(arguments), table.default)
        return OPEN if found is None else found

    return Function(name, domain, call, total=True)


def _tabled(codomain: core.Sort, rows: Mapping[Any, Any]) -> Callable[..., Any]:
    """A table over elements of carriers and truth values, called."""

    def call(*arguments: Any) -> Any:
        value = rows[tuple(each.index if isinstance(each, Element) else bool(each) for each in arguments)]
        return Element(codomain.name, value) if isinstance(codomain, core.Carrier) else value

    return call
