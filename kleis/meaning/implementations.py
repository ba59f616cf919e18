"""``implements S(A)``: the axioms of S at A, and what has to be proved for them to hold.

Specification: proving.md §1 ("implements S(T)").

The operations given are definitions at the types of the implementation; the axioms of the structure, which speak of
them there, are obligations.  Until they are proved they are in force as *assumed*, and every verdict that uses one
says so.  A definition of the structure that the implementation gives too becomes the obligation that both have a
value together, and then the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis.core import (
    BOOL,
    Connective,
    DefinitionCall,
    Equals,
    LiteralTerm,
    Quantifier,
    SymbolCall,
    Term,
    Variable,
)
from kleis.core.goal import Axiom, Obligation
from kleis.core.traversal import subterms
from kleis.definedness.conditions import Definedness
from kleis.elaborate.scopes.implements import Implementation
from kleis.elaborate.scopes.scope import Template

if TYPE_CHECKING:
    from kleis.elaborate.elaborator import Elaborator

__all__ = ["axioms_of", "obligations_of"]


def axioms_of(elaborator: Elaborator, implementation: Implementation) -> list[Axiom]:
    """The axioms of the structure at the types of an implementation, of the operations it gives."""
    found = []
    for named in implementation.instance.axioms:
        axiom = elaborator.axiom(named)
        name = f"{implementation.label}::{named.name.partition('::')[2]}"
        found.append(Axiom(name, axiom.formula, "assumed", implementation.place))
    return found


def obligations_of(elaborator: Elaborator, implementation: Implementation) -> list[Obligation]:
    """What has to be proved of an implementation: axioms that mention nothing missing, and equal definitions."""
    missing = set(implementation.missing)
    place, label = implementation.place, implementation.label
    found = [
        Obligation("implements", axiom.name, label, axiom.formula, place)
        for axiom in axioms_of(elaborator, implementation)
        if not any(
            isinstance(each, SymbolCall) and each.symbol in missing for each in subterms(axiom.formula)
        )
    ]
    for name, first, second in implementation.equal:
        formula = _same(elaborator, first, second)
        found.append(Obligation("implements", f"{label}::{name}", label, formula, place))
    return found


def _same(elaborator: Elaborator, first: Template, second: Template) -> Term:
    """Both definitions have a value together, and then the same."""
    left, variables = _call(elaborator, first, ())
    right, _ = _call(elaborator, second, variables)
    definedness = Definedness(elaborator.around((left, right)))
    formula: Term = Equals(left, right)
    sides = [_defined(definedness, each) for each in (left, right)]
    if any(each != _ALWAYS for each in sides):
        both = Connective("implies", (Connective("and", (sides[0], sides[1])), formula))
        formula = Connective("and", (Equals(sides[0], sides[1]), both))
    return Quantifier("forall", variables, formula) if variables else formula


_ALWAYS = LiteralTerm(True, BOOL)


def _defined(definedness: Definedness, term: Term) -> Term:
    """Where a term has a value, as a formula."""
    formula: Term = _ALWAYS
    for need in definedness.needs(term):
        condition = need.proposition
        if condition is not None and not definedness.settled(need):
            formula = condition if formula == _ALWAYS else Connective("and", (formula, condition))
    return formula


def _call(
    elaborator: Elaborator, template: Template, variables: tuple[Variable, ...]
) -> tuple[Term, tuple[Variable, ...]]:
    """A definition at variables of its sorts."""
    definitions = elaborator.definitions
    sorts = tuple(sort for sort in definitions.written_parameters(template) if sort is not None)
    if not variables:
        names = [each.name for each in template.node.parameters]
        variables = tuple(Variable(name, sort) for name, sort in zip(names, sorts, strict=True))

    key = definitions.read_at(template, sorts)
    return DefinitionCall(key, variables, definitions.finished[key].result), variables
