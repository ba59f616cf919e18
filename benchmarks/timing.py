"""Timing: alternating rounds in one process, medians, garbage collection off."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

__all__ = ["alternating", "geometric_mean"]


def alternating(
    functions: dict[str, Callable[[], object]],
    *,
    seconds: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The median time of each function in seconds: they take turns, so that all see the same machine.

    With `time.thread_time` for a clock the time that other processes take is left out: for what only computes.
    """
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for function in functions.values():
        function()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(next(iter(samples.values()))) < 5:
            for name, function in functions.items():
                start = clock()
                function()
                samples[name].append(clock() - start)
    finally:
        if was_enabled:
            gc.enable()
    return {name: statistics.median(times) for name, times in samples.items()}


def geometric_mean(ratios: list[float]) -> float:
    return statistics.geometric_mean(ratios)
