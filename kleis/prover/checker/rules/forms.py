"""Formulas without quantifiers whose variables are universal, and their ways to be true.

See docs/reference/certificates.md §3.5.  `skolem_forms` makes them of formulas of the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice, product
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.prover.checker.rules.equation_terms import Term, variables_in

__all__ = ["ALWAYS", "NEVER", "And", "Form", "Iff", "Literal", "Or", "conjunction", "disjunction", "ways"]


class Literal(msgspec.Struct, frozen=True):
    """``left = right`` or its negation; of a predicate, `right` is ``true``."""

    positive: bool
    left: Term
    right: Term


class And(msgspec.Struct, frozen=True):
    """A conjunction; empty: true."""

    parts: tuple[Form, ...]


class Or(msgspec.Struct, frozen=True):
    """A disjunction; empty: false."""

    parts: tuple[Form, ...]


class Iff(msgspec.Struct, frozen=True):
    """Two atoms of which both hold or neither."""

    left: Literal
    right: Literal


Form: TypeAlias = Literal | And | Or | Iff
"""A formula, true for all values of its variables; those of different ∀ are different."""

ALWAYS, NEVER = And(()), Or(())

_WAYS = 12
"""Ways in which one formula is split."""


def conjunction(parts: Sequence[Form]) -> Form:
    """The conjunction of some parts, flat."""
    flat = [one for each in parts for one in (each.parts if isinstance(each, And) else (each,))]
    return NEVER if NEVER in flat else flat[0] if len(flat) == 1 else And(tuple(flat))


def disjunction(parts: Sequence[Form]) -> Form:
    """The disjunction of some parts, flat."""
    flat = [one for each in parts for one in (each.parts if isinstance(each, Or) else (each,))]
    return ALWAYS if ALWAYS in flat else flat[0] if len(flat) == 1 else Or(tuple(flat))


def ways(form: Form) -> tuple[Form, ...]:
    """Forms of which one holds, and each of which implies the whole; the form itself where there would be too many.

    ``∀x y. A(x) ∨ B(y)`` is ``(∀x. A(x)) ∨ (∀y. B(y))``, while ``∀x. A(x) ∨ B(x)`` stays.
    """
    found: tuple[Form, ...]
    match form:
        case Or(parts=parts):
            apart = (ways(each[0]) if len(each) == 1 else (Or(each),) for each in _by_variables(parts))
            found = tuple(chain.from_iterable(apart))
        case And(parts=parts):
            choices = product(*map(ways, parts))
            found = tuple(conjunction(each) for each in islice(choices, _WAYS + 1))
        case _:
            return (form,)
    return found if len(found) <= _WAYS else (form,)


def _by_variables(parts: tuple[Form, ...]) -> list[tuple[Form, ...]]:
    """Disjuncts in groups without common variables."""
    groups: list[tuple[set[core.Variable], tuple[Form, ...]]] = []
    for part in parts:
        variables = set(variables_in(*_terms(part)))
        members: tuple[Form, ...] = (part,)
        apart = []
        for group in groups:
            if group[0] & variables:
                variables, members = variables | group[0], (*group[1], *members)
            else:
                apart.append(group)
        groups = [*apart, (variables, members)]
    return [members for _, members in groups]


def _terms(form: Form) -> list[Term]:
    """The terms in a form."""
    match form:
        case Literal(left=left, right=right):
            return [left, right]
        case Iff(left=one, right=other):
            return [*_terms(one), *_terms(other)]
        case And(parts=parts) | Or(parts=parts):
            return [term for each in parts for term in _terms(each)]
