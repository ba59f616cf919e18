"""Timing: alternating rounds in one process until they agree, garbage collection off."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

__all__ = ["SPREAD", "alternating", "geometric_mean", "take_unsettled"]

SPREAD = 0.05
"""How far the figures of parts of a measurement may lie apart, of their middle."""
_PARTS = 4
_LONGER = 3
"""A measurement whose parts do not agree goes on for so many times its seconds."""
_unsettled: list[float] = []


def alternating(
    functions: dict[str, Callable[[], object]],
    *,
    seconds: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
    middle: Callable[[list[float]], float] = statistics.median,
) -> dict[str, float]:
    """The median time of each function in seconds: they take turns, so that all see the same machine.

    With `min` for a middle it is the least. With `time.thread_time` for a clock the time that other processes take is
    left out: for what only computes. Rounds go on until the figures of the parts of the measurement agree; where they
    do not, `take_unsettled` says how far apart they were.
    """
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for function in functions.values():
        function()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        begun = time.perf_counter()
        for part in range(1, _LONGER + 1):
            while time.perf_counter() < begun + part * seconds or len(next(iter(samples.values()))) < 5:
                for name, function in functions.items():
                    start = clock()
                    function()
                    samples[name].append(clock() - start)
            apart = max(_spread(each, middle) for each in samples.values())
            if apart <= SPREAD:
                break
        else:
            _unsettled.append(apart)
    finally:
        if was_enabled:
            gc.enable()
    return {name: middle(times) for name, times in samples.items()}


def take_unsettled() -> list[float]:
    """The spreads of the measurements since the last call that did not settle."""
    taken = [*_unsettled]
    _unsettled.clear()
    return taken


def _spread(times: list[float], middle: Callable[[list[float]], float]) -> float:
    """How far the figures of consecutive parts lie apart, of the figure of all."""
    size = len(times) // _PARTS
    if not size:
        return 0.0
    parts = [middle(times[place * size : (place + 1) * size]) for place in range(_PARTS)]
    return (max(parts) - min(parts)) / middle(times)


def geometric_mean(ratios: list[float]) -> float:
    return statistics.geometric_mean(ratios)
