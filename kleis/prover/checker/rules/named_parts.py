"""What witnesses name: carriers, symbols and variables of a goal, by their texts and in the goal's order.

See docs/reference/certificates.md §5.1.  A witness has to name all of them, or some of them in order; so no name stands
for two things, and nothing is named that the goal does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.sequent import RejectedError

__all__ = ["arrow", "carrier_sizes", "outermost_variables", "same_names", "some_symbols", "symbol_text"]

_Named = Sequence[tuple[str, Any]]


def symbol_text(symbol: core.Symbol) -> str:
    """How a witness names a symbol: ``• : G × G → G``, ``e : → G``."""
    domain = " × ".join(map(sort_text, symbol.domain))
    return f"{symbol.name} : {domain} → {sort_text(symbol.codomain)}"


def same_names(what: str, given: _Named, expected: Iterable[str]) -> None:
    """Refuses a witness that does not name exactly these, in this order."""
    wanted = list(expected)
    if [name for name, _ in given] != wanted:
        raise RejectedError(f"the {what} of the witness are not, in order, {', '.join(wanted) or 'none'}")


def some_symbols(given: _Named, symbols: Sequence[core.Symbol]) -> list[tuple[core.Symbol, Any]]:
    """The symbols that a witness names, each at most once and in order, with what it says of them."""
    found: list[tuple[core.Symbol, Any]] = []
    rest = iter(symbols)
    for name, data in given:
        symbol = next((each for each in rest if symbol_text(each) == name), None)
        if symbol is None:
            raise RejectedError(f"the goal has no symbol {name!r}, or the witness names it out of order")
        found.append((symbol, data))
    if len(set(map(symbol_text, symbols))) < len(symbols):
        raise RejectedError("two symbols of the goal have one name")
    return found


def carrier_sizes(goal: Goal, given: Sequence[tuple[str, int]], largest: int) -> dict[core.Carrier, int]:
    """The number of elements of every carrier of a goal."""
    same_names("carriers", given, map(sort_text, goal.carriers))
    sizes: dict[core.Carrier, int] = {}
    for sort, (name, size) in zip(goal.carriers, given, strict=True):
        if not isinstance(sort, core.Carrier) or type(size) is not int or not 1 <= size <= largest:
            raise RejectedError(f"{name} is no carrier of 1 to {largest} elements")
        sizes[sort] = size
    return sizes


def outermost_variables(claim: core.Term | None) -> tuple[core.Variable, ...]:
    """The variables of a claim's outermost ∀."""
    found: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        found.extend(claim.variables)
        claim = claim.body
    return tuple(found)


def arrow(sort: core.Sort) -> tuple[tuple[core.Sort, ...], core.Sort]:
    """The sorts of the arguments of a function, and that of its values; a value is a function of no argument."""
    return (sort.domain, sort.codomain) if isinstance(sort, core.FunctionOf) else ((), sort)
