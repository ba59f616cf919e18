"""Numerical names of Kleis against numpy and scipy by hand, both from lists and to lists.

The fixed cost of a call has two parts that are stated: the call itself, as it is for a 2 × 2 matrix, and each entry that becomes a double
and a value again, as it is in a transform, which does little else.  Beyond it stands the ratio for a large matrix.  Without the extra
`numeric` there is nothing to measure.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.timing import alternating
from kleis.budget import Budget
from kleis.builtins.numeric.extra import is_installed
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Program
from kleis.values import Value, list_of

__all__ = ["LIMITS", "measure"]

_NAMES = ("eigenvalues", "svd", "inv")
_SIZE = 150
_BUDGET = Budget(steps=1_000_000_000)

LIMITS = {f"{name} of {_SIZE} rows, beyond the fixed cost": 1.3 for name in _NAMES}


def measure() -> dict[str, float]:
    """Ratios of processor time, and the fixed cost in µs."""
    if not (is_installed("numpy") and is_installed("scipy")):
        return {}
    figures: dict[str, float] = {}
    here, by_hand = _times("fft", _SIZE)
    entry = (here - by_hand) / _SIZE**2
    figures["an entry that is read and written as a value, µs"] = 1e6 * entry
    for name in _NAMES:
        small = _times(name, 2)
        figures[f"{name}: a call, µs"] = 1e6 * (small[0] - small[1])
        fixed = small[0] - small[1] + entry * _SIZE**2
        here, by_hand = _times(name, _SIZE)
        figures[f"{name} of {_SIZE} rows, beyond the fixed cost"] = (here - fixed) / by_hand
    return figures


def _times(name: str, size: int) -> tuple[float, float]:
    """Seconds of a call here and by hand, on a matrix of that size (fft: on a list of its square)."""
    rows = [[1.0 / (1 + i + 2 * j) + (i == j) for j in range(size)] for i in range(size)]
    flat = [entry for row in rows for entry in row]
    given: Value = list_of(flat) if name == "fft" else list_of(list_of(row) for row in rows)
    environment = environment_of(Program(())).bind("a", given)
    asked = parse_expression(f"{name}(a)")
    by_hand = _by_hand(name, flat if name == "fft" else rows)
    for _ in range(5):
        evaluate(asked, environment, _BUDGET)
    found = alternating(
        {"here": lambda: evaluate(asked, environment, _BUDGET), "by hand": by_hand}, clock=time.thread_time
    )
    return found["here"], found["by hand"]


def _by_hand(name: str, given: list[float] | list[list[float]]) -> Callable[[], object]:
    import numpy

    match name:
        case "eigenvalues":
            return lambda: numpy.linalg.eigvals(numpy.array(given)).tolist()
        case "svd":
            return lambda: [each.tolist() for each in numpy.linalg.svd(numpy.array(given))]
        case "inv":
            return lambda: numpy.linalg.inv(numpy.array(given)).tolist()
        case _:
            return lambda: numpy.fft.fft(numpy.array(given)).tolist()
