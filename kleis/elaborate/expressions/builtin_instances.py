"""Built-in operations at fixed sorts, each with its definedness condition.

The condition comes from the row of the built-in table.
"""

from __future__ import annotations

from kleis import core
from kleis.builtins.row import Signature
from kleis.builtins.rows.table import find_builtin
from kleis.core.sort_operations import variables_of
from kleis.core.sort_printing import elaboration_error
from kleis.elaborate.expressions.elaboration_context import Declarations
from kleis.elaborate.expressions.elaboration_fixpoint import elaborate_to_fixpoint
from kleis.elaborate.scopes.scope import BuiltinName, Candidate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import TypeExpression

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

    def __init__(self, definitions: Declarations) -> None:
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
        return elaborate_to_fixpoint(
            self._definitions,
            _BuiltinScope(),
            lambda context: context.checked(source, core.BOOL),
            prefix=f"condition of {signature.row.name}",
            allow_free=False,
            bound={variable.name: variable for variable in variables},
        ).term
