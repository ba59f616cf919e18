"""From a claim and the structures in force to a `Meaning`: everything that is reached, and nothing else.

Specification: proving.md §1 ("A proposition uses the axioms of its connected component"; "Definitions"; "Data types").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kleis.core import Carrier, DataSort, Definition, FunctionOf, Quantifier, Sort, Symbol, Term, Variable
from kleis.core.goal import Axiom, DataType, Instance, Meaning, Obligation, Reading, Termination, Unsettled
from kleis.core.sort_printing import sort_text, sorts_text
from kleis.core.traversal import Reached, subterms
from kleis.problems import Place, Problem

__all__ = ["assemble", "closed_claim"]


def closed_claim(term: Term, free: Sequence[Variable]) -> Term:
    """A claim with its free names bound by an outermost ∀, merged with one that is there."""
    if not free:
        return term
    if isinstance(term, Quantifier) and term.kind == "forall":
        return Quantifier("forall", (*free, *term.variables), term.body)
    return Quantifier("forall", tuple(free), term)


def assemble(
    claim: Term | None,
    free: Sequence[Variable],
    instances: Sequence[Instance],
    axioms: Sequence[Axiom],
    reached: Reached,
    *,
    terminations: Mapping[str, Termination],
    places: Mapping[str, Place],
    data: tuple[tuple[DataType, ...], ...],
    higher_order: Iterable[str],
    polymorphic: Collection[Symbol],
    obligations: Sequence[Obligation],
    readings: Sequence[Reading],
    warnings: Sequence[Problem],
    place: Place,
) -> Meaning:
    """The meaning of a claim whose surroundings have been found."""
    definitions = tuple(reached.definitions.values())
    recursive = [(each.key, terminations[each.key]) for each in definitions if each.key in terminations]
    needed = [obligation for _, each in recursive for obligation in each.obligations]
    unsettled = [
        *_not_terminating(definitions, terminations, places),
        *_higher_order(claim, axioms, reached, frozenset(higher_order), polymorphic, place),
    ]
    return Meaning(
        claim=claim,
        free=tuple(free),
        instances=tuple(dict.fromkeys(instances)),
        carriers=tuple(sorted(reached.carriers, key=sort_text)),
        symbols=tuple(sorted(reached.symbols, key=_symbol_order)),
        axioms=tuple(axioms),
        definitions=definitions,
        terminations=tuple(recursive),
        data=data,
        obligations=(*obligations, *needed),
        unsettled=tuple(unsettled),
        readings=tuple(dict.fromkeys(readings)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _symbol_order(symbol: Symbol) -> tuple[str, str]:
    return symbol.name, sorts_text((*symbol.domain, symbol.codomain))


def _not_terminating(
    definitions: Sequence[Definition], terminations: Mapping[str, Termination], places: Mapping[str, Place]
) -> Iterable[Unsettled]:
    for each in definitions:
        termination = terminations.get(each.key)
        if termination is not None and termination.kind == "unknown":
            message = f"termination of {each.name} not shown: {termination.reason}"
            yield Unsettled("termination", message, places[each.key])


def _higher_order(
    claim: Term | None,
    axioms: Sequence[Axiom],
    reached: Reached,
    refused: frozenset[str],
    polymorphic: Collection[Symbol],
    place: Place,
) -> Iterable[Unsettled]:
    """Parts that only a higher-order logic expresses."""
    for sort in reached.sorts:
        if isinstance(sort, DataSort) and sort.name in refused:
            message = f"{sort.name} has functions among its parts that give it again"
            yield Unsettled("higher-order", message, place)
        if isinstance(sort, Carrier) and any(isinstance(each, FunctionOf) for each in sort.arguments):
            yield Unsettled("higher-order", f"{sort_text(sort)} is a family over functions", place)
    for symbol in reached.symbols:
        if symbol in polymorphic:
            message = f"{symbol.name} is an operation for all types, in a structure"
            yield Unsettled("higher-order", message, place)
    sources = [(claim, place)] if claim is not None else []
    sources += [(axiom.formula, axiom.place) for axiom in axioms]
    for term, where in sources:
        for each in subterms(term):
            if isinstance(each, Quantifier) and any(_of_functions(v.sort) for v in each.variables):
                yield Unsettled("higher-order", "a quantifier over functions of functions", where)


def _of_functions(sort: Sort) -> bool:
    """Whether a sort is one of functions that take or give functions."""
    return isinstance(sort, FunctionOf) and any(
        isinstance(each, FunctionOf) for each in (*sort.domain, sort.codomain)
    )
