"""Formulas that may be undefined, translated for languages that have only true and false.

Each formula φ has two translations: T(φ), where it is true, and F(φ), where it is false; where neither holds φ is
undefined.  The encodings for SMT-LIB, TPTP and Lean take the rules for connectives from here and supply how ∧, ∨ and →
are written. See docs/reference/proving.md §4.3.

Invariants
    * The rules are those of the reference semantics (kleis/semantics/reference.py): tests compare.
    * F is None for a formula that is true or false everywhere: F is ¬T then, and is not written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

__all__ = ["Language", "PartialFormula", "conditional", "connective", "equivalence"]

L = TypeVar("L")
Side = TypeVar("Side", covariant=True)


class PartialFormula(Protocol[Side]):
    """A formula as T and F; `total` if it is true or false everywhere."""

    @property
    def true(self) -> Side: ...

    @property
    def false(self) -> Side: ...

    @property
    def total(self) -> bool: ...


class Language(msgspec.Struct, Generic[L], frozen=True):
    """How a language writes ∧, ∨ and →."""

    conjunction: Callable[..., L]
    disjunction: Callable[..., L]
    implication: Callable[[PartialFormula[L], PartialFormula[L]], L]


def connective(language: Language[L], name: str, parts: Sequence[PartialFormula[L]]) -> tuple[L, L | None]:
    """T and F of ∧, ∨, ¬ or →."""
    total = all(part.total for part in parts)
    trues, falses = [part.true for part in parts], [part.false for part in parts]
    match name:
        case "and":
            return language.conjunction(*trues), None if total else language.disjunction(*falses)
        case "or":
            return language.disjunction(*trues), None if total else language.conjunction(*falses)
        case "not":
            return falses[0], None if total else trues[0]
        case _:
            true = language.implication(parts[0], parts[1])
            return true, None if total else language.conjunction(trues[0], falses[1])


def equivalence(language: Language[L], left: PartialFormula[L], right: PartialFormula[L]) -> tuple[L, L]:
    """T and F of an equation between truth values."""
    both, either = language.conjunction, language.disjunction
    return (
        either(both(left.true, right.true), both(left.false, right.false)),
        either(both(left.true, right.false), both(left.false, right.true)),
    )


def conditional(
    language: Language[L], condition: PartialFormula[L], yes: PartialFormula[L], no: PartialFormula[L]
) -> tuple[L, L]:
    """T and F of an ``if`` between formulas."""
    both, either = language.conjunction, language.disjunction
    return (
        either(both(condition.true, yes.true), both(condition.false, no.true)),
        either(both(condition.true, yes.false), both(condition.false, no.false)),
    )
