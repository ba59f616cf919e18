"""Checks a finite model: evaluates every axiom and the claim over its tables.

See docs/reference/proving.md §5.5.  Uses no code of the search: the formulas are those of the goal, the evaluator is the
reference semantics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.errors import BudgetError
from kleis.prover.protocol.engine import Task
from kleis.prover.protocol.verdict import Binding, Evidence, Table
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Element, Function
from kleis.semantics.reference import Evaluator
from kleis.semantics.truth import FALSE, TRUE
from kleis.values import Value

__all__ = ["check_tables", "symbol_text"]

BOUNDS = Bounds(
    carrier=8, values=1_000, points=10_000_000, budget=Budget(steps=50_000_000, depth=300, size=1_000_000)
)
"""More than any model of the engine needs; carriers are enumerated completely."""


def check_tables(task: Task, witness: Any) -> Evidence | None:
    """The evidence if the witness is a model of all axioms in which the claim is false (None: there is no claim)."""
    try:
        read = _Tables(task.goal, witness)
    except _MalformedError:
        return None
    try:
        return read.evidence() if read.holds() else None
    except BudgetError:
        return None


def symbol_text(symbol: core.Symbol) -> str:
    """How a witness names a symbol: ``• : G × G → G``."""
    domain = " × ".join(map(sort_text, symbol.domain))
    return f"{symbol.name} : {domain} → {sort_text(symbol.codomain)}"


class _MalformedError(Exception):
    """The witness is no complete model."""


class _Tables:
    """A witness as an interpretation of the goal."""

    def __init__(self, goal: Goal, witness: Any) -> None:
        self._goal = goal
        carriers = _entries(witness, "carriers")
        self._sizes = {_carrier(sort): _size(carriers.get(sort_text(sort))) for sort in goal.carriers}
        tables = _entries(witness, "tables")
        self._rows = {
            symbol: self._read(symbol.domain, symbol.codomain, tables.get(symbol_text(symbol)))
            for symbol in goal.symbols
        }
        points = _entries(witness, "point")
        self._assignment = {
            variable: self._read(*_arrow(variable.sort), points[variable.name])
            for variable in _outermost(goal.claim)
            if variable.name in points
        }

    def holds(self) -> bool:
        """Whether every axiom is true and the claim is false."""
        symbols = {
            symbol: Function(
                symbol.name, symbol.domain, self._function(rows, symbol.domain, symbol.codomain), total=True
            )
            for symbol, rows in self._rows.items()
        }
        evaluator = evaluator_of(self._goal, Model(self._sizes, symbols), BOUNDS, "one-sided")
        if any(evaluator.truth(axiom.formula) is not TRUE for axiom in self._goal.axioms):
            return False
        return self._goal.claim is None or self._fails(evaluator, self._goal.claim)

    def _fails(self, evaluator: Evaluator, claim: core.Term) -> bool:
        """Whether the claim is false, at the assignment given for its outermost ∀."""
        environment: dict[str, Value] = {}
        while isinstance(claim, core.Quantifier) and claim.kind == "forall":
            if not all(each in self._assignment for each in claim.variables):
                break
            environment.update({each.name: self._valued(each) for each in claim.variables})
            claim = claim.body
        return evaluator.truth(claim, environment) is FALSE

    def _valued(self, variable: core.Variable) -> Value:
        domain, codomain = _arrow(variable.sort)
        call = self._function(self._assignment[variable], domain, codomain)
        if isinstance(variable.sort, core.FunctionOf):
            return Function(variable.name, domain, call, total=True)
        value: Value = call()
        return value

    # ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────

    def _read(
        self, domain: tuple[core.Sort, ...], codomain: core.Sort, rows: Any
    ) -> dict[tuple[int | bool, ...], int | bool]:
        """A table from rows: one for every combination of arguments, with a value of the codomain."""
        if not isinstance(rows, list | tuple):
            raise _MalformedError
        table: dict[tuple[int | bool, ...], int | bool] = {}
        for row in rows:
            if not isinstance(row, list | tuple) or len(row) != len(domain) + 1:
                raise _MalformedError
            for sort, number in zip((*domain, codomain), row, strict=True):
                if not self._among(sort, number):
                    raise _MalformedError
            table[tuple(row[:-1])] = row[-1]
        points = set(product(*(self._numbers(sort) for sort in domain)))
        if set(table) != points or len(table) != len(rows):
            raise _MalformedError
        return table

    def _among(self, sort: core.Sort, number: Any) -> bool:
        if sort == core.BOOL:
            return isinstance(number, bool)
        return type(number) is int and 0 <= number < len(self._numbers(sort))

    def _numbers(self, sort: core.Sort) -> Sequence[int | bool]:
        if sort == core.BOOL:
            return (False, True)
        if not isinstance(sort, core.Carrier) or sort not in self._sizes:
            raise _MalformedError
        return range(self._sizes[sort])

    def _function(
        self,
        rows: Mapping[tuple[int | bool, ...], int | bool],
        domain: tuple[core.Sort, ...],
        codomain: core.Sort,
    ) -> Any:
        elements: dict[core.Sort, list[Element]] = {
            sort: [Element(sort.name, index) for index in range(self._sizes[sort])]
            for sort in (*domain, codomain)
            if isinstance(sort, core.Carrier)
        }

        def call(*given: Value) -> Value:
            value = rows[tuple(each.index if isinstance(each, Element) else bool(each) for each in given)]
            return value if isinstance(value, bool) else elements[codomain][value]

        return call

    # ── Showing ──────────────────────────────────────────────────────────────────────────────────────────────

    def evidence(self) -> Evidence:
        """The model with readable names: g0, g1, … for the elements of G."""
        taken = {each.name for each in self._rows} | {each.name for each in self._assignment}
        naming = _Naming(self._sizes, taken)
        functions = {
            each: rows for each, rows in self._assignment.items() if isinstance(each.sort, core.FunctionOf)
        }
        values = {each: rows for each, rows in self._assignment.items() if each not in functions}
        return Evidence(
            kind="tables",
            bindings=tuple(
                Binding(each.name, naming.sort(each.sort), naming.value(each.sort, rows[()]))
                for each, rows in values.items()
            ),
            carriers=tuple((naming.sort(sort), naming.elements[sort]) for sort in self._sizes),
            tables=(
                *(
                    naming.table(each.name, (*each.domain, each.codomain), rows)
                    for each, rows in self._rows.items()
                ),
                *(
                    naming.table(each.name, (*domain, codomain), rows)
                    for each, rows in functions.items()
                    for domain, codomain in (_arrow(each.sort),)
                ),
            ),
        )


class _Naming:
    """The names of carriers and elements: ``G`` where no other carrier has that name, else ``Group::G``; g0, g1, …"""

    def __init__(self, sizes: Mapping[core.Carrier, int], taken: set[str]) -> None:
        short = {sort: _short(sort) for sort in sizes}
        texts = list(short.values())
        self._texts: dict[core.Sort, str] = {
            sort: text if texts.count(text) == 1 else sort_text(sort) for sort, text in short.items()
        }
        self.elements: dict[core.Sort, tuple[str, ...]] = {}
        for sort, size in sizes.items():
            letter = short[sort][:1].lower() if short[sort][:1].isalpha() else "e"
            prefix = letter
            while taken.intersection(f"{prefix}{index}" for index in range(size)):
                prefix += letter
            self.elements[sort] = tuple(f"{prefix}{index}" for index in range(size))
            taken = taken.union(self.elements[sort])

    def sort(self, sort: core.Sort) -> str:
        """The name of a sort."""
        return self._texts.get(sort, sort_text(sort))

    def value(self, sort: core.Sort, number: int | bool) -> str:
        """The name of a value."""
        return self.elements[sort][number] if sort in self.elements else str(bool(number))

    def table(
        self, name: str, columns: tuple[core.Sort, ...], rows: Mapping[tuple[int | bool, ...], int | bool]
    ) -> Table:
        """A table with names."""
        shown = tuple(
            tuple(self.value(sort, each) for sort, each in zip(columns, (*point, value), strict=True))
            for point, value in sorted(rows.items())
        )
        return Table(name, tuple(map(self.sort, columns)), shown)


def _short(sort: core.Carrier) -> str:
    """The name of a carrier without its structure."""
    return sort_text(core.Carrier(sort.name.rsplit("::", 1)[-1], sort.arguments))


def _outermost(claim: core.Term | None) -> list[core.Variable]:
    """The variables of a claim's outermost ∀."""
    found: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        found.extend(claim.variables)
        claim = claim.body
    return found


def _arrow(sort: core.Sort) -> tuple[tuple[core.Sort, ...], core.Sort]:
    return (sort.domain, sort.codomain) if isinstance(sort, core.FunctionOf) else ((), sort)


def _entries(witness: Any, name: str) -> Mapping[str, Any]:
    entries = witness.get(name) if isinstance(witness, Mapping) else None
    if not isinstance(entries, Mapping):
        raise _MalformedError
    return entries


def _carrier(sort: core.Sort) -> core.Carrier:
    if not isinstance(sort, core.Carrier):
        raise _MalformedError
    return sort


def _size(number: Any) -> int:
    if type(number) is not int or not 0 < number <= BOUNDS.values:
        raise _MalformedError
    return number
