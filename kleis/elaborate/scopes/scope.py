"""What a name may stand for, before its arguments decide.

Specification: proving.md §1 ("Structures", "Resolution", "Definitions").  A scope answers two questions: what sort
a written type is, and which candidates a name has.  The elaborator (kleis/elaborate/expressions/term_elaborator.py) chooses among the
candidates by the sorts of the arguments; scopes are made by kleis/meaning/globals.py (the declarations without
parameters) and kleis/meaning/instances.py (a structure at its arguments).
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import msgspec

from kleis.builtins.row import Builtin
from kleis.core import Constructor, Sort, Symbol
from kleis.problems import Place
from kleis.syntax.tree import FunctionDefinition, TypeExpression

__all__ = ["BuiltinName", "Candidate", "DataConstructor", "Polymorphic", "Refused", "Scope", "Template"]


class Polymorphic(msgspec.Struct, frozen=True):
    """An operation with type variables: a symbol at each instance.

    `domain` and `codomain` mention ``SortVariable(v)``, or the dimension v, for each v of `variables`.  `higher`
    marks a polymorphic member of a structure: what its laws say at all types only a higher-order logic expresses.
    """

    name: str
    variables: tuple[str, ...]
    domain: tuple[Sort, ...]
    codomain: Sort
    higher: bool = False


class Template(msgspec.Struct, frozen=True, eq=False):
    """A definition; its body is read in `scope`, at the sorts of the arguments where they are not written.

    `key` is the qualified name with the instance (``twice``, ``Ring(ℤ)::minus``).  An `overload` is one of several
    meanings of its name (what an implementation gives), while a `define` shadows every other.
    """

    key: str
    node: FunctionDefinition
    scope: Scope
    place: Place
    overload: bool = False


class DataConstructor(msgspec.Struct, frozen=True):
    """A constructor of a data type; its sorts mention ``SortVariable(p)`` for each parameter p."""

    parameters: tuple[str, ...]
    constructor: Constructor


class BuiltinName(msgspec.Struct, frozen=True):
    """A row of the built-in table; its signatures are in kleis/builtins/signatures/signature_table.py."""

    row: Builtin


class Refused(msgspec.Struct, frozen=True):
    """A declaration that was refused: the name is known, and a proposition that reaches it is an error."""

    name: str
    message: str
    place: Place


Candidate: TypeAlias = Symbol | Polymorphic | Template | DataConstructor | BuiltinName | Refused


class Scope(Protocol):
    """Where names are looked up.  `file` is the file of the text that is read in it."""

    @property
    def file(self) -> str: ...

    def sort(self, written: TypeExpression) -> Sort:
        """The sort of a written type; `MeaningError` if it has none here."""
        ...

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """All that a canonical name, perhaps qualified, may stand for; empty if it is unknown.

        The nearest declarations first.  A definition comes alone: it shadows.  A declaration that names a built-in
        is the built-in at the sorts it has, elsewhere an overload beside it, so that both are given.
        """
        ...

    def names(self) -> tuple[str, ...]:
        """Every name with candidates, for advice on spelling."""
        ...
