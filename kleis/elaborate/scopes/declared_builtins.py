"""Declarations that have the name of a built-in: whether they are that built-in, an overload of it, or in conflict with it.

At sorts that the built-in takes, its name means the built-in, for solvers as for the evaluator.  So a declaration at
such sorts is the built-in itself where it gives the same sort, and in conflict with it where it gives another; at all
other sorts it is an overload.  See docs/reference/proving.md §2.2 and docs/reference/kleis.md §6.4.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kleis import core
from kleis.builtins.real_constants import BOUNDS
from kleis.builtins.row import Argument, Signature, Waiting
from kleis.builtins.rows.table import find_builtin
from kleis.core.sort_operations import (
    family_arguments,
    map_sort,
    rank,
    sort_parts,
    substitute_sort,
    variables_of,
)
from kleis.core.sort_printing import sort_text
from kleis.elaborate.scopes.scope import BuiltinName, Candidate, Polymorphic, Template
from kleis.elaborate.sorts.sort_inference import Inference
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, Binary, Unary

__all__ = [
    "Conflict",
    "as_builtin",
    "conflict_of",
    "is_builtin",
    "is_operator",
    "only_built_in",
    "signature_of",
    "taken_by_builtin",
]

_CONNECTIVES = frozenset({"logical_and", "logical_or", "logical_not", "implies", "iff"})


_SIGNS: tuple[Mapping[str, Binary | Unary], ...] = (BINARY, PREFIX, POSTFIX)


def is_operator(name: str) -> bool:
    """Whether a canonical name is that of an operator sign of the language: `plus`, `divide`, `less_than`."""
    return any(name in table for table in _SIGNS)


def is_builtin(name: str, candidate: Candidate) -> bool:
    """Whether a declared operation is the built-in of that name, at sorts that the built-in has.

    It is if the built-in takes arguments of the declared sorts and gives a value of the declared sort, perhaps by
    coercions: ``abs : ℤ → ℤ`` is the built-in, whose values are in ℕ; ``(-) : ℕ × ℕ → ℕ`` is not.
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
    return any(_gives(result, codomain, {}) for result in _results(name, domain))


class Conflict(msgspec.Struct, frozen=True):
    """A declaration at sorts where the built-in of its name gives another sort: what each says, and what to do."""

    sign: str
    declared: str
    built_in: str

    @property
    def message(self) -> str:
        """What is wrong, as a part of a sentence."""
        return f"{self.built_in} is built in, so that {self.declared} cannot be declared"

    @property
    def hint(self) -> str:
        """What to do."""
        return f"give {self.sign} another name here, or declare it for a type of its own"


def conflict_of(name: str, candidate: Candidate) -> Conflict | None:
    """The conflict of a declared operation with the built-in of its name.

    ``(/) : ℤ × ℤ → ℤ`` is in conflict, since the built-in gives ℚ there.  None where the declaration is the built-in,
    or the built-in does not take arguments of the declared sorts.
    """
    result = _conflicting_result(name, candidate)
    if result is None or not isinstance(candidate, core.Symbol):
        return None
    sign = next((f"({table[name].symbol})" for table in _SIGNS if name in table), name)
    domain = " × ".join(map(sort_text, candidate.domain))
    declared, built_in = (f"{sign} : {domain} → {sort_text(each)}" for each in (candidate.codomain, result))
    return Conflict(sign, declared, built_in)


def _conflicting_result(name: str, candidate: Candidate) -> core.Sort | None:
    """What the built-in gives at the declared sorts, where the declaration gives another sort."""
    row = find_builtin(name)
    if (
        row is None
        or not isinstance(candidate, core.Symbol)
        or not candidate.domain
        or not all(map(only_built_in, candidate.domain))
        or is_builtin(name, candidate)
    ):
        return None
    if row.name in ("equals", "neq") or row.name in _CONNECTIVES:
        equal = row.name in ("equals", "neq")
        taken = len(candidate.domain) == 2 if equal else all(each == core.BOOL for each in candidate.domain)
        return core.BOOL if taken else None
    return next(iter(_results(name, candidate.domain)), None)


def taken_by_builtin(name: str, candidate: Candidate) -> bool:
    """Whether the built-in of that name takes arguments of the declared sorts, whatever it gives there."""
    return is_builtin(name, candidate) or _conflicting_result(name, candidate) is not None


def as_builtin(candidate: Candidate, *, of_models: bool) -> Candidate:
    """The built-in that a declared operation is, or that stands in its place; else the candidate.

    `of_models`: a structure with parameters declares it, so that it is about any carrier, and leaves built-in sorts to
    the built-in.  Operator signs always do.
    """
    if not isinstance(candidate, core.Symbol):
        return candidate
    name = candidate.name
    stands = is_builtin(name, candidate) or (
        (of_models or is_operator(name)) and _conflicting_result(name, candidate) is not None
    )
    row = find_builtin(name) if stands else None
    return candidate if row is None else BuiltinName(row)


def only_built_in(sort: core.Sort | core.Dimension) -> bool:
    """Whether a sort is made of built-in sorts alone: no carrier, data type or unknown sort is in it."""
    if isinstance(sort, core.Dimension):
        return True
    if isinstance(sort, core.Carrier | core.DataSort | core.SortVariable):
        return False
    return all(map(only_built_in, family_arguments(sort) or sort_parts(sort)))


def signature_of(template: Template) -> core.Symbol | None:
    """A definition of a structure as a symbol of its written sorts; None if they are not all written."""
    if template.node.result is None:
        return None
    written = [each.type for each in template.node.parameters]
    types = [each for each in written if each is not None]
    if len(types) < len(written):
        return None
    domain = tuple(template.scope.sort(each) for each in types)
    return core.Symbol(template.node.name, domain, template.scope.sort(template.node.result))


def _results(name: str, domain: tuple[core.Sort, ...]) -> list[core.Sort]:
    """The sorts that the built-in of a name gives for arguments of these sorts, as its signatures stand."""
    row = find_builtin(name)
    if row is None:
        return []
    found = row.signatures(tuple(map(Argument, domain)))
    if isinstance(found, Waiting):
        return []
    return [result for each in found if (result := _result(each, domain)) is not None]


def _result(signature: Signature, domain: tuple[core.Sort, ...]) -> core.Sort | None:
    values: dict[str, core.Sort] = {}
    if not all(map(lambda a, b: _takes(a, b, values), signature.parameters, domain)):
        return None
    return substitute_sort(signature.result, values)


def _rigid(sort: core.Sort) -> core.Sort:
    """A sort with its variables as opaque sorts, which only variables fit."""
    return core.Carrier(f"?{sort.name}") if isinstance(sort, core.SortVariable) else map_sort(sort, _rigid)


def _takes(parameter: core.Sort, sort: core.Sort, values: dict[str, core.Sort]) -> bool:
    """Whether a parameter takes arguments of a sort; integers where it wants naturals, as calls do."""
    return _matches(parameter, sort, values) or (parameter, sort) == (core.NATURAL, core.INTEGER)


def _matches(pattern: core.Sort, sort: core.Sort, values: dict[str, core.Sort]) -> bool:
    """Whether a value of a sort may stand where a signature wants `pattern`."""
    if isinstance(pattern, core.SortVariable):
        return values.setdefault(pattern.name, sort) == sort
    if not variables_of(pattern):
        return _within(sort, pattern)
    pieces = Inference.pieces(pattern, sort)
    return pieces is not None and all(_matches(a, b, values) for a, b in pieces)


def _gives(result: core.Sort, declared: core.Sort, values: dict[str, core.Sort]) -> bool:
    """Whether what a signature gives is a value of a declared sort."""
    if isinstance(result, core.SortVariable):
        return values.setdefault(result.name, declared) == declared
    if not variables_of(result):
        return _within(result, declared)
    pieces = Inference.pieces(result, declared)
    return pieces is not None and all(_gives(a, b, values) for a, b in pieces)


def _within(sort: core.Sort, larger: core.Sort) -> bool:
    if isinstance(sort, core.Numeric) and isinstance(larger, core.Numeric):
        return rank(sort) <= rank(larger)
    return sort == larger
