"""What the parts of the compiler need of it, and of the names in scope.

Only the compiler recurses over expressions, and only the environment holds the program.  The modules that compile
calls, patterns and quantifiers take these protocols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from kleis.builtins.row import Builtin
from kleis.evaluator.machine import Compiled, Place, Procedure, Scope
from kleis.syntax import tree
from kleis.values import FunctionValue, Value

__all__ = ["ExpressionCompiler", "GlobalNames"]


class GlobalNames(Protocol):
    """Look-up of names that are not local.  `kleis.evaluator.environment.Environment` is one."""

    @property
    def bindings(self) -> Mapping[str, Value]:
        """The values that an example block has given to names."""

    def procedure(self, name: str) -> Procedure | None:
        """The definition of a name."""

    def definition(self, name: str) -> tree.FunctionDefinition | None:
        """The definition of a name as it is written."""

    def is_for_data(self, name: str) -> bool:
        """Whether the definition of a name has no value where all arguments are numbers."""

    def is_declared(self, name: str) -> bool:
        """Whether the program declares an operation, element or field of this name."""

    def declared_constant(self, name: str) -> Value | None:
        """The value of a declared constant that is known by its name."""

    def data_type(self, name: str) -> tree.DataDefinition | None:
        """The data type of a name."""

    def constructor_arity(self, name: str) -> int | None:
        """The number of fields of a constructor; None for other names and built-in lists and truth values."""

    def is_constructor(self, name: str) -> bool:
        """Whether a data type or the language declares the constructor."""

    def is_list_constructor(self, name: str) -> bool:
        """Whether `Cons` or `Nil` is the one of the built-in lists."""

    def truth_value(self, name: str) -> bool | None:
        """The truth value that `True` or `False` stands for; None for other names."""

    def builtin(self, name: str) -> Builtin | None:
        """The builtin of a name; None where the program declares the name for something else."""

    def is_builtin(self, name: str, given: int) -> bool:
        """Whether a call with so many arguments means the builtin: no definition or constructor takes its place."""

    def instances(self, name: str) -> Sequence[tuple[str, FunctionValue]]:
        """The operations of this name that `implements` items give, with the sort of each, narrowest first."""


class ExpressionCompiler(Protocol):
    """The compiler, for the parts that it calls.  `kleis.evaluator.compiler.Compiler` is one."""

    @property
    def names(self) -> GlobalNames:
        """The names that are not local."""

    def compile(self, expression: tree.Expression, scope: Scope) -> Compiled:
        """The code of an expression whose local names are those of `scope`."""

    def suspended(self, expression: tree.Expression, scope: Scope) -> Compiled:
        """Code for an expression left as it is, with the values of its local names."""

    def place(self, node: tree.Node) -> Place:
        """Where a node stands."""
