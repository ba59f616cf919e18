"""Truth by brute force where quantifiers range over finite samples, symbols on infinite sorts included.

`decide` leaves a symbol on an infinite sort open, since no list of functions has them all.  A case wants an answer
over the functions that can be listed: all tables on finite domains, a few functions on infinite ones.  So ``true``
is not a proof here; the cases' answers were worked out by hand, and brute force over some hundred models has to agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec

from kleis.core import Carrier, Symbol, SymbolCall, Term
from kleis.core.goal import Goal
from kleis.core.traversal import rebuild
from kleis.semantics.models import Decision, Model, decide, evaluator_of
from kleis.semantics.ranges import Bounds, Ranges

__all__ = ["truth_of"]

_MOST = 2_000
"""So many functions are tried for one symbol."""


def truth_of(meaning: Goal, claim: Term | None = None, *, bounds: Bounds) -> str:
    """``true``, ``false``, ``undefined`` or ``open``; ``true of no model`` if no model was found."""
    if claim is not None:
        meaning = msgspec.structs.replace(meaning, claim=claim)
    decision = decide(meaning, bounds, mode="relativised")
    if decision.status == "open" and meaning.symbols:
        decision = _with_listed_functions(meaning, bounds)
    if decision.status == "disproved":
        return "undefined" if decision.undefined else "false"
    if decision.status == "true" and not decision.models:
        return "true of no model"
    return decision.status


def _with_listed_functions(meaning: Goal, bounds: Bounds) -> Decision:
    meaning = _apart(meaning)
    carriers = [sort for sort in meaning.carriers if isinstance(sort, Carrier)]
    large = _ranges(meaning, dict.fromkeys(carriers, bounds.carrier), bounds)
    small = _ranges(meaning, dict.fromkeys(carriers, 1), bounds)
    functions = {
        symbol.name: listed
        for symbol in meaning.symbols
        if (listed := _listed(symbol, large, small)) is not None
    }
    return decide(meaning, bounds, mode="relativised", functions=functions)


def _ranges(meaning: Goal, sizes: Mapping[Carrier, int], bounds: Bounds) -> Ranges:
    ranges: Ranges = evaluator_of(meaning, Model(sizes, {}), bounds, "relativised").ranges
    return ranges


def _listed(symbol: Symbol, large: Ranges, small: Ranges) -> list[Callable[..., Any]] | None:
    """Functions for a symbol; None where `decide` has all of them itself."""
    tables = large.tables(symbol.domain, symbol.codomain)
    if tables is None:
        # Carriers of one element: a constant function must fit carriers of every size.
        return [each.target for each in small.some_functions(symbol.domain, symbol.codomain)]
    if tables.complete:
        return None
    numbers = range(tables.count)
    if tables.count > _MOST:
        random = Random(1)
        numbers = sorted({random.randrange(tables.count) for _ in range(_MOST)})
    return [tables[number].target for number in numbers]


def _apart(meaning: Goal) -> Goal:
    """The goal with another name for every symbol: overloads have the same one."""
    symbols = {
        each: msgspec.structs.replace(each, name=f"{each.name}#{at}")
        for at, each in enumerate(meaning.symbols)
    }

    def change(term: Term) -> Term:
        term = rebuild(term, change)
        return SymbolCall(symbols[term.symbol], term.arguments) if isinstance(term, SymbolCall) else term

    return msgspec.structs.replace(
        meaning,
        claim=meaning.claim and change(meaning.claim),
        symbols=tuple(symbols.values()),
        axioms=tuple(msgspec.structs.replace(each, formula=change(each.formula)) for each in meaning.axioms),
        definitions=tuple(
            msgspec.structs.replace(each, body=change(each.body)) for each in meaning.definitions
        ),
    )
