"""Assembles a `Goal` from a claim, the axioms assumed, and everything that these reach.

See docs/reference/proving.md §1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from kleis import core
from kleis.builtins.real_constants import CONSTANT_READINGS
from kleis.core.goal import (
    Axiom,
    DataType,
    Goal,
    Instance,
    NameResolution,
    Obligation,
    OpenQuestion,
    Termination,
)
from kleis.core.sort_printing import sort_text, sorts_text
from kleis.core.traversal import Reached, subterms
from kleis.elaborate.scopes.structure_scope import StructureInstance
from kleis.problems import Place, Problem

__all__ = ["assemble", "closed_claim", "uniquely_named", "with_readings"]


def closed_claim(term: core.Term, free: Sequence[core.Variable]) -> core.Term:
    """A claim with its free names bound by an outermost ∀, merged with one that is there."""
    if not free:
        return term
    if isinstance(term, core.Quantifier) and term.kind == "forall":
        return core.Quantifier("forall", (*free, *term.variables), term.body)
    return core.Quantifier("forall", tuple(free), term)


def assemble(
    claim: core.Term | None,
    free: Sequence[core.Variable],
    instances: Sequence[Instance],
    axioms: Sequence[Axiom],
    reached: Reached,
    *,
    terminations: Mapping[str, Termination],
    places: Mapping[str, Place],
    data: tuple[tuple[DataType, ...], ...],
    higher_order: Iterable[str],
    polymorphic: Collection[core.Symbol],
    obligations: Sequence[Obligation],
    warnings: Sequence[Problem],
    place: Place,
) -> Goal:
    """The goal of a claim, with everything it reaches."""
    definitions = tuple(reached.definitions.values())
    recursive = [(each.key, terminations[each.key]) for each in definitions if each.key in terminations]
    needed = [obligation for _, each in recursive for obligation in each.obligations]
    open_questions = [
        *_not_terminating(definitions, terminations, places),
        *_higher_order(claim, axioms, reached, frozenset(higher_order), polymorphic, place),
    ]
    return Goal(
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
        unsettled=tuple(open_questions),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _symbol_order(symbol: core.Symbol) -> tuple[str, str]:
    return symbol.name, sorts_text((*symbol.domain, symbol.codomain))


def _not_terminating(
    definitions: Sequence[core.Definition],
    terminations: Mapping[str, Termination],
    places: Mapping[str, Place],
) -> Iterable[OpenQuestion]:
    for each in definitions:
        termination = terminations.get(each.key)
        if termination is not None and termination.kind == "unknown":
            message = f"termination of {each.name} not shown: {termination.reason}"
            yield OpenQuestion("termination", message, places[each.key])


def _higher_order(
    claim: core.Term | None,
    axioms: Sequence[Axiom],
    reached: Reached,
    higher_order: frozenset[str],
    polymorphic: Collection[core.Symbol],
    place: Place,
) -> Iterable[OpenQuestion]:
    """Parts that need a higher-order logic; `higher_order` are data types with functions that give the type itself."""
    for sort in reached.sorts:
        if isinstance(sort, core.DataSort) and sort.name in higher_order:
            message = f"{sort.name} has functions among its parts that give it again"
            yield OpenQuestion("higher-order", message, place)
        if isinstance(sort, core.Carrier) and any(
            isinstance(each, core.FunctionOf) for each in sort.arguments
        ):
            yield OpenQuestion("higher-order", f"{sort_text(sort)} is a family over functions", place)
    for symbol in reached.symbols:
        if symbol in polymorphic:
            message = f"{symbol.name} is an operation for all types, in a structure"
            yield OpenQuestion("higher-order", message, place)
    sources = [(claim, place)] if claim is not None else []
    sources += [(axiom.formula, axiom.place) for axiom in axioms]
    for term, where in sources:
        for each in subterms(term):
            if isinstance(each, core.Quantifier) and any(_of_functions(v.sort) for v in each.variables):
                yield OpenQuestion("higher-order", "a quantifier over functions of functions", where)


def _of_functions(sort: core.Sort) -> bool:
    """Whether a sort is one of functions that take or give functions."""
    return isinstance(sort, core.FunctionOf) and any(
        isinstance(each, core.FunctionOf) for each in (*sort.domain, sort.codomain)
    )


def uniquely_named(axiom: Axiom, instance: StructureInstance, others: Sequence[Axiom]) -> Axiom:
    """The axiom under a name that no other has: qualified by its instance, then with a number."""
    taken = {each.name for each in others}
    if axiom.name not in taken:
        return axiom
    arguments = ", ".join(sort_text(each) for each in instance.instance.arguments)
    owner = f"{instance.structure}({arguments})" if arguments else instance.structure
    name, count = f"{owner}::{axiom.name}", 1
    while name in taken:
        count += 1
        name = f"{owner}::{count}::{axiom.name}"
    return msgspec.structs.replace(axiom, name=name)


def with_readings(goal: Goal, file: str, free: Sequence[core.Variable], constants: Sequence[str]) -> Goal:
    """The goal with the sorts that were inferred for its free names, and what names of constants were read as."""
    readings = [
        NameResolution("free", each.name, f"{each.name} : {sort_text(each.sort)}", Place(file, 0, 0))
        for each in free
    ]
    readings += [
        NameResolution("constant", each, CONSTANT_READINGS[each], Place(file, 0, 0)) for each in constants
    ]
    return msgspec.structs.replace(goal, readings=tuple(readings))
