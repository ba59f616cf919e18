"""Growing work: each workload's tool at several sizes, and what deciding when to compile costs.

Runs are timed in the thread's own CPU time. "First" runs begin with nothing compiled and nothing spent, and count the
compilation; what is loaded once for a process, the generator and its policy, is loaded before.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.evaluator import WorkloadTools
from benchmarks.terms import workloads
from benchmarks.timing import alternating
from pif.compiled.units import Cache
from pif.language.budget import Budget, reserve_stack
from pif.language.decode import decode_term
from pif.reference.run_input import RunInput, given_term
from pif.run.stepping import Stepper

__all__ = ["FIRST_LIMITS", "LIMITS", "measure", "measure_first_runs"]

FUEL = 100_000_000
_LONG = 1e-3
"""Seconds from which a first run is compared with the better evaluator."""

_NUMBERS = random.Random(27)

_SIZES: dict[str, tuple[tuple[int, ...], Callable[[int], Any]]] = {
    "01": ((1_000, 3_000, 10_000), lambda n: [_NUMBERS.randrange(-500, 500) for _ in range(n)]),
    "02": ((20, 60, 150), lambda n: n),
    "03": ((14, 18, 22), lambda n: n),
    "04": ((30, 100, 300), lambda n: [_NUMBERS.randrange(1_000) for _ in range(n)]),
    "05": ((100, 300, 1_000), lambda n: n),
    "07": ((1_000, 3_000, 10_000), lambda n: [_NUMBERS.randrange(-500, 500) for _ in range(n)]),
    "08": ((100, 300, 1_000), lambda n: n),
}
"""Sizes of each workload, and its input of a size. Products of the factorial pass a machine word on the way."""

_FIRST_SIZES: dict[str, tuple[int, ...]] = {
    "01": (1, 10, 100, 1_000, 2_000, 3_000, 10_000), "02": (20, 60, 150, 300, 500, 800), "03": (10, 14, 16, 18, 22),
    "04": (1, 10, 24, 26, 28, 30, 34, 40, 60, 100, 300), "05": (10, 100, 200, 300, 600, 1_000),
    "07": (1, 10, 100, 700, 1_000, 3_000, 10_000), "08": (10, 60, 80, 100, 150, 300, 1_000),
}  # fmt: skip
"""Sizes of first runs: many about where compiling begins to be worth it."""

_OWN = ("01", "04", "07")
"""Workloads whose code runs without a tool as well."""

_EXPONENT = "exponent of the compiled time over the fuel"
_NAMES = tuple(workload.name for workload in workloads())
LIMITS = {f"{name}: {_EXPONENT}": 1.1 for name in _NAMES if not name.startswith("02")}
LIMITS[f"{_NAMES[0]}: {_EXPONENT}"] = 1.2
"""Adding up reads each integer and does nothing else: what grows is the time that memory takes, beyond the caches."""

_MOST = "most"
FIRST_LIMITS = {_MOST: 1.15}

_LARGER = 10
"""How many times the size the long lists have where growth is fitted: shorter ones fit into the caches."""


def _places(
    larger: int, sizes_of: dict[str, tuple[int, ...]]
) -> list[tuple[str, int, WorkloadTools, Any, RunInput]]:
    """(name, size, tools, tool, input) for every size of every workload."""
    found = []
    for place, workload in enumerate(workloads()):
        key = workload.name[:2] if workload.name[:2].isdigit() else list(_SIZES)[place]
        made = _SIZES[key][1]
        for size in (size * larger if key in ("01", "07") else size for size in sizes_of[key]):
            tools = WorkloadTools(workload)
            given = given_term(decode_term(made(size)))
            found.append((workload.name, size, tools, tools.tools[workload.run], given))
    return found


def _first_places() -> list[tuple[str, WorkloadTools, Any, RunInput]]:
    """(name, tools, program, input) for first runs: of tools, and of their code as the run's own."""
    places = _places(1, _FIRST_SIZES)
    found = [(f"{name}: {size}", tools, tool, given) for name, size, tools, tool, given in places]
    own = [place for place in places if list(_SIZES)[_NAMES.index(place[0])] in _OWN]
    return found + [
        (f"{name}, no tool: {size}", tools, tool.term, given) for name, size, tools, tool, given in own
    ]


def _fresh(tools: WorkloadTools) -> Stepper:
    for tool in tools.tools.values():
        tool.prepared, tool.spent = None, 0
    return Stepper(tools, Budget(fuel=FUEL), Cache(), cancelled=None, hook=None)


def _exponent(points: list[tuple[float, float]]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def measure() -> dict[str, float]:
    """For each workload microseconds of a prepared run at each size, and the exponent of its time over its fuel."""
    reserve_stack(20_000)
    found: dict[str, float] = {}
    points: dict[str, list[tuple[float, float]]] = {}
    for name, size, tools, tool, given in _places(
        _LARGER, {key: sizes for key, (sizes, _) in _SIZES.items()}
    ):
        session = _fresh(tools)
        prepared = session.cache.prepared(tool)
        step = session.attempt(prepared, given, FUEL)
        assert step is not None
        run = partial(session.attempt, prepared, given, FUEL)
        taken = alternating({"run": run}, clock=time.thread_time, seconds=0.3)["run"]
        found[f"{name}: {size}, µs"] = taken * 1e6
        points.setdefault(name, []).append((step.used, taken))
    for name, pairs in points.items():
        found[f"{name}: {_EXPONENT}"] = _exponent(pairs)
    return found


def measure_first_runs() -> dict[str, float]:
    """First runs over the better of the two evaluators, where that one takes a millisecond; then the most."""
    reserve_stack(20_000)
    found: dict[str, float] = {}
    for name, tools, tool, given in _first_places():

        def reference(tools: WorkloadTools = tools, tool: Any = tool, given: RunInput = given) -> None:
            _fresh(tools).reference(tool, given, FUEL)

        def compiled(tools: WorkloadTools = tools, tool: Any = tool, given: RunInput = given) -> None:
            session = _fresh(tools)
            assert session.attempt(session.cache.prepared(tool), given, FUEL) is not None

        def first(tools: WorkloadTools = tools, tool: Any = tool, given: RunInput = given) -> None:
            _fresh(tools).step(tool, given, FUEL)

        times = alternating(
            {"reference": reference, "compiled": compiled, "first": first},
            clock=time.thread_time,
            seconds=0.5,
        )
        best = min(times["reference"], times["compiled"])
        if best >= _LONG:
            found[name] = times["first"] / best
    found[_MOST] = max(found.values())
    return found
