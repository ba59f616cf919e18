"""What a name may stand for, before its arguments decide.

A scope answers two questions: what sort a written type is, and which candidates a name has.  The elaborator of
expressions chooses among the candidates by the sorts of the arguments.  Scopes are `global_scope.GlobalScope` (the
declarations without parameters), `structure_scope.StructureScope` (the text of a structure at its arguments) and
`global_scope.PropositionScope`.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import msgspec

from kleis import core
from kleis.builtins.row import Builtin
from kleis.problems import Place
from kleis.syntax.tree import FunctionDefinition, TypeExpression

__all__ = [
    "BuiltinName",
    "Candidate",
    "DataConstructor",
    "Polymorphic",
    "Rejected",
    "Scope",
    "Template",
]


class Polymorphic(msgspec.Struct, frozen=True):
    """An operation with type variables: a symbol at each instance.

    `domain` and `codomain` mention ``SortVariable(v)``, or the dimension v, for each v of `variables`.  `higher`
    marks a polymorphic member of a structure: laws about it at all types need a higher-order logic.
    """

    name: str
    variables: tuple[str, ...]
    domain: tuple[core.Sort, ...]
    codomain: core.Sort
    higher: bool = False


class Template(msgspec.Struct, frozen=True, eq=False):
    """A definition; its body is read in `scope`, at the sorts of the arguments where they are not written.

    `key` is the qualified name with the instance (``twice``, ``Ring(ℤ)::minus``).  An `overload` is one of several
    candidates for its name (what an implementation gives), while a `define` shadows every other.
    """

    key: str
    node: FunctionDefinition
    scope: Scope
    place: Place
    overload: bool = False


class DataConstructor(msgspec.Struct, frozen=True):
    """A constructor of a data type; its sorts mention ``SortVariable(p)`` for each parameter p."""

    parameters: tuple[str, ...]
    constructor: core.Constructor


class BuiltinName(msgspec.Struct, frozen=True):
    """A row of the table of built-ins."""

    row: Builtin


class Rejected(msgspec.Struct, frozen=True):
    """A rejected declaration: the name is known, and a proposition that reaches it is an error."""

    name: str
    message: str
    place: Place


Candidate: TypeAlias = core.Symbol | Polymorphic | Template | DataConstructor | BuiltinName | Rejected


class Scope(Protocol):
    """Where names are looked up.  `file` is the file of the text it is the scope of."""

    @property
    def file(self) -> str: ...

    def sort(self, written: TypeExpression) -> core.Sort:
        """The sort of a written type; `ElaborationError` if it has none here."""
        ...

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """All that a canonical name, perhaps qualified, may stand for; empty if it is unknown.

        The nearest declarations first.  A definition comes alone: it shadows.  A declaration that names a built-in
        is the built-in at the sorts it has, elsewhere an overload beside it, so that both are given
        (`declared_builtins`).
        """
        ...

    def names(self) -> tuple[str, ...]:
        """Every name with candidates, for advice on spelling."""
        ...
