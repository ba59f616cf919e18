"""The precedences that completion tries, in order.  The choice is a heuristic; soundness does not depend on it.

* Truth values and the least constant of every sort are lowest, then constants, Skolem constants, functions,
  equality, predicates: a predicate that an axiom defines by an equation is unfolded.
* `distributive`: what distributes over another operation is above it, unary functions in between, so that
  ``x · (y + z)`` and ``−(x + y)`` are expanded.
* `inverse last`: unary functions above the others, so that ``(x y)⁻¹`` becomes ``y⁻¹ x⁻¹``.
* `by arity`: functions with more arguments are higher.
* `written`: the order of the functions in which most axioms become smaller from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations

from kleis.core import BOOL, Sort
from kleis.prover.engines.completion.unit_equations import Unit, is_equality
from kleis.prover.engines.first_order_terms import Apply, Function, Term, Variable

__all__ = ["least_constants", "precedences"]

_PERMUTED = 5
"""Orders of so many functions are all tried."""


def precedences(
    functions: Sequence[Function], units: Sequence[Unit], oriented: Callable[[Sequence[Function]], int]
) -> tuple[tuple[Function, ...], ...]:
    """Different precedences, lowest function first, the most promising first.

    `oriented` says how many of the equations decrease as they are written under a precedence.
    """
    counts = _occurrences(functions, units)
    high = _distributing(units)

    def ranked(key: Callable[[Function], tuple[int, ...]]) -> tuple[Function, ...]:
        order = sorted(
            range(len(functions)), key=lambda at: _layer(functions[at], key, counts[functions[at]], at)
        )
        return tuple(functions[at] for at in order)

    arity = ranked(lambda each: (len(each.domain),))
    inverse = ranked(lambda each: (len(each.domain) == 1,))
    distributive = ranked(lambda each: (2 if each in high else int(len(each.domain) == 1),))
    first = distributive if high else inverse
    written = max(_reordered(first), key=oriented, default=first)
    chosen = (
        (first, inverse, arity) if oriented(first) >= oriented(written) else (first, written, inverse, arity)
    )
    return tuple(dict.fromkeys(chosen))


def least_constants(functions: Sequence[Function], sorts: Sequence[Sort]) -> dict[Sort, Function]:
    """The first constant of every sort in which there is one."""
    return {
        sort: next(each for each in functions if each.codomain == sort and not each.domain)
        for sort in sorts
        if any(each.codomain == sort and not each.domain for each in functions)
    }


def _layer(
    function: Function, key: Callable[[Function], tuple[int, ...]], count: int, at: int
) -> tuple[int, tuple[int, ...], int, int]:
    """Where a function stands; rarer ones are higher within a layer, and later ones."""
    if is_equality(function):
        return 4, (), 0, at
    if function.codomain == BOOL:
        truth = function.symbol is None and not function.domain
        return 0 if truth else 5, (len(function.domain),), -count, at
    if not function.domain:
        return 1 if function.symbol is not None else 2, (), -count, at
    return 3, key(function), -count, at


def _reordered(first: tuple[Function, ...]) -> Iterator[tuple[Function, ...]]:
    """The precedence with its functions into carriers in every order, if they are few."""
    moved = [each for each in first if each.domain and each.codomain != BOOL]
    if len(moved) > _PERMUTED:
        return
    for order in islice(permutations(moved), 120):
        new = iter(order)
        yield tuple(next(new) if each in moved else each for each in first)


def _occurrences(functions: Sequence[Function], units: Sequence[Unit]) -> dict[Function, int]:
    counts = dict.fromkeys(functions, 0)
    waiting: list[Term] = [side for each in units for side in (each.left, each.right)]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Apply):
            counts[term.function] = counts.get(term.function, 0) + 1
            waiting.extend(term.arguments)
    return counts


def _distributing(units: Sequence[Unit]) -> set[Function]:
    """The operations f with f(x, g(y, z)) = g(f(…), f(…)), or on the other side, and no such law for g over f."""
    laws = {
        law for each in units for law in (_law(each.left, each.right), _law(each.right, each.left)) if law
    }
    return {outer for outer, inner in laws if outer != inner and (inner, outer) not in laws}


def _law(left: Term, right: Term) -> tuple[Function, Function] | None:
    if not (isinstance(left, Apply) and isinstance(right, Apply) and len(left.arguments) == 2):
        return None
    inner = right.function
    below = [each for each in left.arguments if isinstance(each, Apply)]
    variables = [each for each in left.arguments if isinstance(each, Variable)]
    if len(below) != 1 or len(variables) != 1 or below[0].function != inner or len(inner.domain) != 2:
        return None
    outer = all(isinstance(each, Apply) and each.function == left.function for each in right.arguments)
    return (left.function, inner) if outer else None
