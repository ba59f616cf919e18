"""What a `fold` makes of its accumulator, and what one of its calls costs at most and at least.

The function is run once on an accumulator whose bounds are symbols. A bound that comes back as a fixed one, or as
itself and something more, has a solution for any number of items; the others have none. All bounds grow with the
symbols in them, so that putting in a bound for all calls bounds each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pif.analysis.cost.operation_costs import Cost, Unbounded
from pif.analysis.cost.polynomials import ZERO, Polynomial, larger, smaller, symbol
from pif.analysis.cost.value_sizes import ANYTHING, List, Measure, joined, mapped, same_shape

__all__ = ["after_fold"]

_TRIES = 6

Step = Callable[[Measure], tuple[Measure, Cost]]
Bounds = dict[str, Polynomial | None]


def after_fold(initial: Measure, items: List, step: Step, fresh: Iterator[int]) -> tuple[Measure, Cost]:
    """The accumulator after all items, and the cost of one call. Raises `Unbounded`.

    `fresh` numbers the symbols: a fold inside the function has symbols of its own beside those of this one.
    """
    start = initial
    for _ in range(_TRIES):
        names = _Names(fresh)
        symbolic = mapped(start, names.low, names.high)
        found, cost = step(symbolic)
        if same_shape(joined(symbolic, found), symbolic) and same_shape(joined(found, symbolic), symbolic):
            return _solved(start, names, joined_parts(found, symbolic), items, cost)
        start = joined(start, mapped(found, lambda low: ZERO, lambda high: ZERO))
    raise Unbounded("what a `fold` accumulates changes its shape")


class _Names:
    """A symbol for each bound of a measure, lower and upper ones apart, in the order of `mapped`."""

    def __init__(self, fresh: Iterator[int]) -> None:
        self.lows: dict[str, Polynomial] = {}
        self.highs: Bounds = {}
        self._number = fresh

    def low(self, before: Polynomial) -> Polynomial:
        name = f"<low {next(self._number)}>"
        self.lows[name] = before
        return symbol(name)

    def high(self, before: Polynomial | None) -> Polynomial | None:
        name = f"<high {next(self._number)}>"
        self.highs[name] = before
        return symbol(name)


def joined_parts(found: Measure, symbolic: Measure) -> Measure:
    """What came back, in the shape of what went in: parts without any value stay as they were."""
    if found is None:
        return symbolic
    blank = mapped(symbolic, lambda low: low, lambda high: high)
    return found if same_shape(found, blank) else joined(found, blank)


def _solved(start: Measure, names: _Names, found: Measure, items: List, cost: Cost) -> tuple[Measure, Cost]:
    lows: list[Polynomial] = []
    highs: list[Polynomial | None] = []

    def low(bound: Polynomial) -> Polynomial:
        lows.append(bound)
        return bound

    def high(bound: Polynomial | None) -> Polynomial | None:
        highs.append(bound)
        return ZERO  # what is made of it is not used; None would stop the walk

    mapped(found, low, high)
    if found == ANYTHING or len(lows) != len(names.lows) or len(highs) != len(names.highs):
        during_low: dict[str, Polynomial] = dict.fromkeys(names.lows, ZERO)
        during: Bounds = dict.fromkeys(names.highs, None)
        after_low = during_low
    else:
        during = _solve_highs(names.highs, dict(zip(names.highs, highs, strict=True)), items.high)
        during_low, after_low = _solve_lows(names.lows, dict(zip(names.lows, lows, strict=True)), items.low)
    least = cost.low.put(during_low)
    most = cost.high.put(during)
    if most is None:
        raise Unbounded("what a `fold` accumulates grows in a way that is not bounded")
    assert least is not None
    left, right = iter(after_low.values()), iter(during.values())
    return mapped(start, lambda _: next(left), lambda _: next(right)), Cost(least, most)


def _solve_highs(before: Bounds, after: Bounds, count: Polynomial | None) -> Bounds:
    """Upper bounds for all calls and for what is left at the end."""
    solved: Bounds = {}
    while len(solved) < len(before):
        progress = False
        for name in [name for name in before if name not in solved]:
            first, then = before[name], after[name]
            open_ = set() if then is None else (then.names() & before.keys()) - solved.keys()
            if first is None or then is None:
                solved[name] = None
            elif not open_:
                value = then.put(solved)
                solved[name] = None if value is None else larger(first, value)
            elif open_ == {name} and (added := _added(then, name)) is not None:
                more = added.put(solved)
                solved[name] = None if more is None or count is None else first + count * more
            else:
                continue
            progress = True
        if not progress:
            solved |= dict.fromkeys(before.keys() - solved.keys(), None)
    return {name: solved[name] for name in before}


def _solve_lows(
    before: dict[str, Polynomial], after: dict[str, Polynomial], count: Polynomial
) -> tuple[dict[str, Polynomial], dict[str, Polynomial]]:
    """Lower bounds for all calls, and for what is left at the end."""
    during: dict[str, Polynomial] = {}
    end: dict[str, Polynomial] = {}
    for name, first in before.items():
        then = after[name]
        others = (then.names() & before.keys()) - {name}
        added = None if others else _added(then, name)
        if not others and name not in then.names():
            during[name] = end[name] = smaller(first, then)
        elif added is not None:
            during[name], end[name] = first, first + count * added
        else:
            during[name] = end[name] = ZERO
    return during, end


def _added(bound: Polynomial, name: str) -> Polynomial | None:
    """What is added to a symbol each time, where that is all that is done to it."""
    rest = bound.without(name)
    own = {monomial: number for monomial, number in bound.terms.items() if monomial not in rest.terms}
    return rest if all(monomial == ((name, 1),) and number == 1 for monomial, number in own.items()) else None
