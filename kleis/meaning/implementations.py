"""``implements S(A)``: the axioms of S at A, and what has to be proved for them to hold.

Specification: proving.md §1 ("implements S(T)").

The operations given are definitions at the types of the implementation; the axioms of the structure, with those
definitions for its symbols, are obligations.  Until they are proved they are in force as *assumed*, and every verdict
that uses one says so.  A definition of the structure that the implementation gives too becomes the obligation that
both have a value together, and then the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis.meaning.core import DefinitionCall, Equals, Quantifier, Symbol, SymbolCall, Term
from kleis.meaning.globals_in_force import Implementation
from kleis.meaning.meaning import Axiom, Obligation
from kleis.meaning.passes import read_piece
from kleis.meaning.scope import Template
from kleis.meaning.terms import rebuild

if TYPE_CHECKING:
    from kleis.meaning.elaborate import Elaborator

__all__ = ["axioms_of", "obligations_of"]


def axioms_of(elaborator: Elaborator, implementation: Implementation) -> list[Axiom]:
    """The axioms of the structure at the types of an implementation, of the operations it gives."""
    given = {symbol: _key(elaborator, template) for symbol, template in implementation.given.items()}
    found = []
    for named in implementation.instance.axioms:
        axiom = elaborator.axiom(named)
        name = f"{implementation.label}::{named.name.partition('::')[2]}"
        found.append(Axiom(name, _with_definitions(axiom.formula, given), "assumed", implementation.place))
    return found


def obligations_of(elaborator: Elaborator, implementation: Implementation) -> list[Obligation]:
    """What has to be proved of an implementation."""
    missing = set(implementation.missing)
    found = []
    for axiom in axioms_of(elaborator, implementation):
        if not _mentions(axiom.formula, missing):
            found.append(
                Obligation("implements", axiom.name, implementation.label, axiom.formula, implementation.place)
            )
    return found


def _key(elaborator: Elaborator, template: Template) -> str:
    """The definition that an implementation gives, read."""
    sorts = tuple(
        sort for sort in elaborator.definitions.written_parameters(template) if sort is not None
    )
    keys: list[str] = []

    def read(unit: object) -> Term:
        from kleis.meaning.expressions import Unit

        assert isinstance(unit, Unit)
        key, result = elaborator.definitions.instance(template, sorts, template.node, unit)
        keys.append(key)
        return DefinitionCall(key, (), result)

    read_piece(elaborator.definitions, template.scope, read, frame=template.key, allow_free=False)
    return keys[-1]


def _with_definitions(term: Term, given: dict[Symbol, str]) -> Term:
    """A term with calls of definitions for calls of symbols."""
    changed = rebuild(term, lambda part: _with_definitions(part, given))
    if isinstance(changed, SymbolCall) and changed.symbol in given:
        return DefinitionCall(given[changed.symbol], changed.arguments, changed.symbol.codomain)
    return changed


def _mentions(term: Term, symbols: set[Symbol]) -> bool:
    from kleis.meaning.terms import subterms

    return any(isinstance(each, SymbolCall) and each.symbol in symbols for each in subterms(term))


_ = (Equals, Quantifier)
