"""The reference evaluator against hand-written Python, without parsing and decoding of the input."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import msgspec

from benchmarks.terms import Workload, workloads
from benchmarks.timing import alternating, geometric_mean
from pif.language.budget import Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.value_text import print_value
from pif.language.values import Closure
from pif.reference.machine import Machine
from pif.reference.resolve import resolve

__all__ = ["LIMIT", "WorkloadTools", "measure", "prepared_reference"]

LIMIT = 60.0
"""The most that the geometric mean of the ratios may be."""


class WorkloadTools:
    """The tools of one workload."""

    def __init__(self, workload: Workload) -> None:
        self.tools = {name: Tool(name, 1, decode_term(code)) for name, code in workload.tools.items()}

    def tool(self, reference: str) -> Tool | None:
        return self.tools.get(reference)

    def nearest(self, name: str) -> str | None:
        return None


def prepared_reference(workload: Workload) -> tuple[Callable[[], object], int]:
    """A call of the workload's tool on its input, and the fuel that the call uses."""
    tools = WorkloadTools(workload)
    budget = Budget(fuel=100_000_000)
    machine = Machine(budget, tools, resolve)
    function = machine.code_of(tools.tools[workload.run]).root.ev((), budget.depth, machine)
    given = resolve(decode_term(workload.input), (), "input", None).root.ev((), budget.depth, machine)
    assert type(function) is Closure

    def call() -> object:
        run = Machine(budget, tools, resolve)
        value = function.body.ev((given, function.env), budget.depth - 1, run)
        nonlocal used
        used = run.used()
        return value

    used = 0
    printed = print_value(call(), 1 << 20)
    assert printed is not None
    assert msgspec.json.decode(printed.text) == workload.expected, workload.name
    return call, used


def measure() -> dict[str, float]:
    """For each workload the ratio to hand-written Python; then the geometric mean and nanoseconds a unit of fuel."""
    reserve_stack(20_000)
    found: dict[str, float] = {}
    per_unit = []
    for workload in workloads():
        call, used = prepared_reference(workload)
        times = alternating(
            {"pif": call, "hand": partial(workload.hand, workload.input)}, clock=time.thread_time
        )
        found[workload.name] = times["pif"] / times["hand"]
        per_unit.append(times["pif"] / used * 1e9)
    found["geometric mean"] = geometric_mean(list(found.values()))
    found["ns a unit (geometric mean)"] = geometric_mean(per_unit)
    return found
