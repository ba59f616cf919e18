"""Proofs that can be written down without searching in Lean.

Specification: issue 10 item 1 ("verified propositions whose proof is a finite decision or a ground instantiation come
with a real Lean proof where that is possible").  No Lean checks them here: whoever shows one says so.

=====================  ==========================================================================================
finite decision        a claim about data types without fields, Bool and closed terms, decided by computing
ground instantiation   axioms at written-out arguments, put together by replacing equals and by modus ponens
                       (kleis/lean/export/proofs/proofs.py)
=====================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.core import (
    BOOL,
    RATIONAL,
    STRING,
    BuiltinCall,
    DataSort,
    DefinitionCall,
    Quantifier,
    Sort,
    SymbolCall,
    Term,
    Variable,
)
from kleis.core.goal import Meaning
from kleis.core.traversal import sorts_of, subterms
from kleis.lean.export.declarations.class_scopes import Scope
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.proofs import instance_proof
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.language.lean_tree import Bind, Cases, Close, Intro, LeanTerm, Tactic

__all__ = ["Proof", "find_proof", "is_decided"]

MAXIMUM_CASES = 1_000


class Proof(msgspec.Struct, frozen=True):
    """Tactics, and what kind of proof they are."""

    tactics: tuple[Tactic, ...]
    method: str


def find_proof(
    meaning: Meaning, statement: LeanTerm, terms: Terms, scope: Scope, definitions: Definitions
) -> Proof | None:
    """A proof of a claim that is known to hold; None where none of our forms fits."""
    claim = meaning.claim
    assert claim is not None
    variables, body = _outermost(claim)
    if is_decided(body, definitions) and (cases := _cases(variables, statement, definitions)) is not None:
        return Proof(cases, "finite decision")
    tactics = instance_proof(meaning, statement, terms, scope)
    return None if tactics is None else Proof(tactics, "ground instantiation")


def _outermost(claim: Term) -> tuple[tuple[Variable, ...], Term]:
    variables: list[Variable] = []
    while isinstance(claim, Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    return tuple(variables), claim


def is_decided(formula: Term, definitions: Definitions) -> bool:
    """Whether Lean's ``decide`` computes a formula once its variables have values.

    Not rational numbers, which it cannot compute with, nor strings, whose functions it does not unfold well, nor
    recursion by a measure, which it does not unfold.
    """
    if not definitions.decidability.formula(formula):
        return False
    waiting, seen = [formula], set[str]()
    while waiting:
        term = waiting.pop()
        if any(each in (RATIONAL, STRING) for each in sorts_of(term)):
            return False
        for each in subterms(term):
            if isinstance(each, SymbolCall | Quantifier):
                return False
            if isinstance(each, BuiltinCall):
                condition = each.operation.condition
                if not definitions.gathering.reads(each.operation):
                    return False
                if condition is not None and not definitions.decidability.formula(condition):
                    return False
            if isinstance(each, DefinitionCall) and each.definition not in seen:
                seen.add(each.definition)
                if definitions.is_measured(each.definition):
                    return False
                waiting.append(definitions.gathering.definitions[each.definition].body)
    return True


def _cases(
    variables: Sequence[Variable], statement: LeanTerm, definitions: Definitions
) -> tuple[Tactic, ...] | None:
    """Cases of every variable, each decided; None where a sort has infinitely many values, or too many."""
    count = 1
    for variable in variables:
        size = _size(variable.sort, definitions)
        if size is None:
            return None
        count *= size
    if count > MAXIMUM_CASES:
        return None
    names = bound_names(statement)
    if len(names) < len(variables):
        return (Close("decide"),) if not names else None
    names = names[: len(variables)]
    return (Intro(names), Cases(names, Close("decide"))) if names else (Close("decide"),)


def _size(sort: Sort, definitions: Definitions) -> int | None:
    if sort == BOOL:
        return 2
    if not isinstance(sort, DataSort):
        return None
    constructors = definitions.data.constructors(sort)
    return None if any(each.fields for each in constructors) else len(constructors)


def bound_names(statement: LeanTerm) -> tuple[str, ...]:
    """The names of the outermost ∀."""
    names: list[str] = []
    while isinstance(statement, Bind) and statement.kind == "∀":
        names += [name for binder in statement.binders for name in binder.names]
        statement = statement.body
    return tuple(names)
