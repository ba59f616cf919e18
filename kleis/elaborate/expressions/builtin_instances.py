"""Built-ins at fixed sorts, with the conditions under which they have a value.

Specification: proving.md §1 ("Definedness": each built-in's condition stands in the built-in table).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis import core
from kleis.builtins.row import Signature
from kleis.builtins.rows.table import find_builtin
from kleis.core.sort_operations import variables_of
from kleis.core.sort_printing import elaboration_error
from kleis.elaborate.expressions.elaboration_fixpoint import read_piece
from kleis.elaborate.scopes.scope import BuiltinName, Candidate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import TypeExpression

if TYPE_CHECKING:
    from kleis.elaborate.expressions.definitions import Definitions

__all__ = ["Operations"]


class _BuiltinScope:
    """The scope of the conditions in the built-in table: built-ins alone."""

    file = "<built-in>"

    def sort(self, written: TypeExpression) -> core.Sort:
        raise elaboration_error(written, self.file, "unknown-type", "conditions of built-ins name no types")

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        row = find_builtin(name)
        return () if row is None else (BuiltinName(row),)

    def names(self) -> tuple[str, ...]:
        return ()


class Operations:
    """The operations asked for so far."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._operations: dict[tuple[Signature, tuple[core.Sort, ...], core.Sort], core.Operation] = {}

    def at(
        self, signature: Signature, parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Operation:
        """A built-in at fixed sorts, with its condition."""
        key = (signature, parameters, result)
        if key not in self._operations:
            names = signature.names
            variables = tuple(core.Variable(name, sort) for name, sort in zip(names, parameters, strict=True))
            condition = None
            if not any(variables_of(sort) for sort in parameters):
                condition = self._condition(signature, variables)
            self._operations[key] = core.Operation(
                signature.row.name, variables, result, condition, signature.incomplete
            )
        return self._operations[key]

    def _condition(self, signature: Signature, variables: tuple[core.Variable, ...]) -> core.Term | None:
        if signature.condition is None:
            return None
        source = parse_expression(signature.condition)
        piece = read_piece(
            self._definitions,
            _BuiltinScope(),
            lambda unit: unit.checked(source, core.BOOL),
            frame=f"condition of {signature.row.name}",
            allow_free=False,
            bound={variable.name: variable for variable in variables},
        )
        return piece.term
