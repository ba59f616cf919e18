"""Tests equations on finite models: carriers with operation tables that the prover found and checked.

An equation that fails at one assignment in one model is refuted; one that holds in all of them is only not refuted yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from kleis.explore.equations import Equation, Term, variable_names
from kleis.prover.protocol.verdict import Evidence

__all__ = ["FiniteModel", "model_from"]

_SAMPLES = 4_096
"""At most so many assignments are tested in a model: evenly spread where there are more."""


class FiniteModel:
    """One model.  `elements` are those of the carrier; `tables` map the indices of arguments to that of the value."""

    def __init__(
        self, elements: tuple[str, ...], tables: Mapping[str, Mapping[tuple[int, ...], int]]
    ) -> None:
        self.elements = elements
        self.tables = tables
        self._columns: dict[int, dict[Term, list[int]]] = {}
        self._assignments: dict[int, list[tuple[int, ...]]] = {}

    def assignments(self, variables: int) -> list[tuple[int, ...]]:
        """The assignments at which equations of so many variables are tested."""
        known = self._assignments.get(variables)
        if known is None:
            count = len(self.elements) ** variables
            step = -(-count // _SAMPLES)
            known = list(product(range(len(self.elements)), repeat=variables))[::step]
            self._assignments[variables] = known
        return known

    def column(self, term: Term, variables: int) -> list[int]:
        """The values of a term at those assignments."""
        known = self._columns.setdefault(variables, {})
        found = known.get(term)
        if found is None:
            if isinstance(term, int):
                found = [assignment[term] for assignment in self.assignments(variables)]
            elif len(term) == 1:
                found = [self.tables[term[0]][()]] * len(self.assignments(variables))
            else:
                table = self.tables[term[0]]
                columns = [self.column(part, variables) for part in term[1:]]
                found = [table[values] for values in zip(*columns, strict=True)]
            known[term] = found
        return found

    def refutes(self, equation: Equation) -> bool:
        """Whether the equation fails somewhere here."""
        variables = equation.variables()
        return self.column(equation.left, variables) != self.column(equation.right, variables)

    def failure(self, equation: Equation) -> dict[str, str]:
        """The first assignment at which a refuted equation fails, with the values of both sides as `left` and `right`."""
        variables = equation.variables()
        sides = zip(
            self.assignments(variables),
            self.column(equation.left, variables),
            self.column(equation.right, variables),
            strict=True,
        )
        for assignment, left, right in sides:
            if left != right:
                named = zip(variable_names(variables), assignment, strict=True)
                found = {name: self.elements[value] for name, value in named}
                return {**found, "left": self.elements[left], "right": self.elements[right]}
        raise ValueError("the equation holds in this model")

    def forget(self) -> None:
        """Drop the cached values of terms."""
        self._columns.clear()

    def written(self) -> dict[str, object]:
        """The model as JSON: `elements`, and for each operation its rows of arguments with the value last."""
        return {
            "elements": list(self.elements),
            "tables": {name: list(self._rows(table)) for name, table in sorted(self.tables.items())},
        }

    def _rows(self, table: Mapping[tuple[int, ...], int]) -> Iterator[list[str]]:
        for arguments, value in sorted(table.items()):
            yield [self.elements[each] for each in (*arguments, value)]


def model_from(evidence: Evidence | None, carrier: str, operations: Mapping[str, int]) -> FiniteModel | None:
    """The model in evidence; None unless it has tables for all these operations on the carrier."""
    if evidence is None or evidence.kind != "tables":
        return None
    elements = dict(evidence.carriers).get(carrier)
    if elements is None:
        return None
    number = {element: place for place, element in enumerate(elements)}
    tables: dict[str, dict[tuple[int, ...], int]] = {}
    for table in evidence.tables:
        name = table.name.rpartition("::")[2] if table.name not in operations else table.name
        if name in operations and all(value in number for row in table.rows for value in row):
            tables[name] = {tuple(number[value] for value in row[:-1]): number[row[-1]] for row in table.rows}
    whole = all(
        name in tables and len(tables[name]) == len(elements) ** arity for name, arity in operations.items()
    )
    return FiniteModel(tuple(elements), tables) if whole else None
