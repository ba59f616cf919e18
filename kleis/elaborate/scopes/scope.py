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
from kleis.builtins.real_constants import BOUNDS
from kleis.builtins.row import Argument, Builtin, Signature, Waiting
from kleis.builtins.rows.table import find_builtin
from kleis.core.sort_operations import map_sort, rank, substitute_sort, variables_of
from kleis.elaborate.sorts.sort_inference import Inference
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
    "as_builtin",
    "is_builtin",
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
        is the built-in at the sorts it has, elsewhere an overload beside it, so that both are given.
        """
        ...

    def names(self) -> tuple[str, ...]:
        """Every name with candidates, for advice on spelling."""
        ...


# A declaration that names a built-in is that built-in at sorts the built-in has, elsewhere an overload
# (docs/reference/proving.md §2.2).

_CONNECTIVES = frozenset({"logical_and", "logical_or", "logical_not", "implies", "iff"})


def is_builtin(name: str, candidate: Candidate) -> bool:
    """Whether a declared operation is the built-in of that name, at sorts that the built-in has.

    It is if the built-in takes arguments of the declared sorts and gives a value of the declared sort, perhaps by
    coercions: ``abs : ℤ → ℤ`` is the built-in, whose values are in ℕ; ``(-) : ℕ × ℕ → ℕ`` is another operation.
    """
    row = find_builtin(name)
    if row is None or not isinstance(candidate, core.Symbol | Polymorphic) or row.name in BOUNDS:
        return False  # an element `e` of a structure over ℝ is the program's, and no number that is known
    domain = tuple(map(_rigid, candidate.domain))
    codomain = _rigid(candidate.codomain)
    if row.name in ("equals", "neq"):
        return len(domain) == 2 and domain[0] == domain[1] and codomain == core.BOOL
    if row.name in _CONNECTIVES:
        return all(each == core.BOOL for each in (*domain, codomain))
    found = row.signatures(tuple(Argument(sort) for sort in domain))
    return not isinstance(found, Waiting) and any(_has(each, domain, codomain) for each in found)


def _rigid(sort: core.Sort) -> core.Sort:
    """A sort with its variables as opaque sorts, which only variables fit."""
    return core.Carrier(f"?{sort.name}") if isinstance(sort, core.SortVariable) else map_sort(sort, _rigid)


def _has(signature: Signature, domain: tuple[core.Sort, ...], codomain: core.Sort) -> bool:
    values: dict[str, core.Sort] = {}
    if not all(map(lambda a, b: _matches(a, b, values), signature.parameters, domain)):
        return False
    return _within(substitute_sort(signature.result, values), codomain)


def _matches(pattern: core.Sort, sort: core.Sort, values: dict[str, core.Sort]) -> bool:
    """Whether a value of a sort may stand where a signature wants `pattern`."""
    if isinstance(pattern, core.SortVariable):
        return values.setdefault(pattern.name, sort) == sort
    if not variables_of(pattern):
        return _within(sort, pattern)
    pieces = Inference.pieces(pattern, sort)
    return pieces is not None and all(_matches(a, b, values) for a, b in pieces)


def _within(sort: core.Sort, larger: core.Sort) -> bool:
    if isinstance(sort, core.Numeric) and isinstance(larger, core.Numeric):
        return rank(sort) <= rank(larger)
    return sort == larger


def as_builtin(candidate: Candidate) -> Candidate:
    """The built-in that a declared operation is, if it is one; else the candidate."""
    if isinstance(candidate, core.Symbol) and is_builtin(candidate.name, candidate):
        row = find_builtin(candidate.name)
        assert row is not None
        return BuiltinName(row)
    return candidate
