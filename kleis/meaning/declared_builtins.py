"""Declarations that name a built-in.

Specification: proving.md §1 ("A declaration that names a built-in is that built-in at sorts the built-in has,
elsewhere an overload").
"""

from __future__ import annotations

from kleis.builtins.rows.table import find_builtin
from kleis.builtins.signatures.shapes import Argument, Signature, Waiting
from kleis.builtins.signatures.signature_table import signatures
from kleis.core import BOOL, Carrier, Numeric, Sort, SortVariable, Symbol
from kleis.elaborate.scopes.scope import BuiltinName, Candidate, Polymorphic
from kleis.elaborate.sorts.sort_inference import Inference, map_sort, rank, substitute_sort, variables_of

__all__ = ["as_builtin", "is_builtin"]

_CONNECTIVES = frozenset({"logical_and", "logical_or", "logical_not", "implies", "iff"})


def is_builtin(name: str, candidate: Candidate) -> bool:
    """Whether a declared operation is the built-in of that name, at sorts that the built-in has.

    It is if the built-in takes arguments of the declared sorts and gives a value of the declared sort, perhaps by
    coercions: ``abs : ℤ → ℤ`` is the built-in, whose values are in ℕ; ``(-) : ℕ × ℕ → ℕ`` is another operation.
    """
    row = find_builtin(name)
    if row is None or not isinstance(candidate, Symbol | Polymorphic):
        return False
    domain = tuple(map(_rigid, candidate.domain))
    codomain = _rigid(candidate.codomain)
    if row.name in ("equals", "neq"):
        return len(domain) == 2 and domain[0] == domain[1] and codomain == BOOL
    if row.name in _CONNECTIVES:
        return all(each == BOOL for each in (*domain, codomain))
    found = signatures(row, tuple(Argument(sort) for sort in domain))
    return not isinstance(found, Waiting) and any(_has(each, domain, codomain) for each in found)


def _rigid(sort: Sort) -> Sort:
    """A sort with its variables as sorts of their own, which fit nothing but variables."""
    return Carrier(f"?{sort.name}") if isinstance(sort, SortVariable) else map_sort(sort, _rigid)


def _has(signature: Signature, domain: tuple[Sort, ...], codomain: Sort) -> bool:
    values: dict[str, Sort] = {}
    if not all(map(lambda a, b: _matches(a, b, values), signature.parameters, domain)):
        return False
    return _within(substitute_sort(signature.result, values), codomain)


def _matches(pattern: Sort, sort: Sort, values: dict[str, Sort]) -> bool:
    """Whether a value of a sort may stand where a signature wants `pattern`."""
    if isinstance(pattern, SortVariable):
        return values.setdefault(pattern.name, sort) == sort
    if not variables_of(pattern):
        return _within(sort, pattern)
    pieces = Inference.pieces(pattern, sort)
    return pieces is not None and all(_matches(a, b, values) for a, b in pieces)


def _within(sort: Sort, larger: Sort) -> bool:
    if isinstance(sort, Numeric) and isinstance(larger, Numeric):
        return rank(sort) <= rank(larger)
    return sort == larger


def as_builtin(candidate: Candidate) -> Candidate:
    """The built-in that a declared operation is, if it is one; else the candidate."""
    if isinstance(candidate, Symbol) and is_builtin(candidate.name, candidate):
        row = find_builtin(candidate.name)
        assert row is not None
        return BuiltinName(row)
    return candidate
