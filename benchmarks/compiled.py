"""The compiled back end against hand-written Python and the reference evaluator; the cost of compiling and starting.

Measured in the thread's own CPU time, since nothing waits. Inputs are decoded before the clock starts; "prepared" code is
compiled before, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from benchmarks.evaluator import WorkloadTools, prepared_reference
from benchmarks.terms import Workload, workloads
from benchmarks.timing import alternating, geometric_mean
from pif.compiled.generate import draft_function
from pif.compiled.units import Cache
from pif.compiled.units import compiled as vetted_code
from pif.language.budget import Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.errors import PifError
from pif.language.host import Tool
from pif.language.terms import literal
from pif.language.value_text import print_value
from pif.reference.run_input import RunInput, given_term
from pif.run.evaluate import Request, run
from pif.run.stepping import Stepper

__all__ = ["COST_LIMITS", "LIMITS", "measure", "measure_costs"]

LIMITS = {"geometric mean / hand": 2.0, "geometric mean / reference": 0.16}
LIMITS |= {f"{workload.name} / hand": 4.0 for workload in workloads()}

FAILING = "a failing run of 1,000,000 units / the reference's"
FAILING_FIRST = "the same, nothing compiled before"
FIXED = "fixed cost of a prepared run, in bare calls"
WHOLE = "a whole prepared run, reading and printing included, in bare calls"
PREPARING = "generating and compiling / compile()"
VETTING = "generating, vetting and compiling / compile()"
DRIVEN = "a driven step / a single run"
COST_LIMITS = {FAILING: 1.2, FAILING_FIRST: 1.2, FIXED: 160.0, PREPARING: 3.5, VETTING: 8.0, DRIVEN: 0.05}

FUEL = 100_000_000
_TIMED = partial(alternating, clock=time.thread_time)


def _stepper(tools: WorkloadTools, fuel: int, cache: Cache) -> Stepper:
    return Stepper(tools, Budget(fuel=fuel), cache, cancelled=None, hook=None)


def _prepared(workload: Workload) -> Callable[[], object]:
    """A compiled run of the workload's tool on its decoded input."""
    tools = WorkloadTools(workload)
    cache = Cache()
    tool = tools.tools[workload.run]
    given = given_term(decode_term(workload.input))
    prepared = cache.prepared(tool)
    session = _stepper(tools, FUEL, cache)

    def call() -> object:
        step = session.attempt(prepared, given, FUEL)
        assert step is not None
        return step.value

    printed = print_value(call(), 1 << 20)
    assert printed is not None
    assert msgspec.json.decode(printed.text) == workload.expected, workload.name
    return call


def measure() -> dict[str, float]:
    """For each workload the ratios to hand-written Python and to the reference, then their geometric means."""
    reserve_stack(20_000)
    hand, reference = {}, {}
    for workload in workloads():
        plain, _ = prepared_reference(workload)
        times = _TIMED(
            {
                "compiled": _prepared(workload),
                "reference": plain,
                "hand": partial(workload.hand, workload.input),
            }
        )
        hand[workload.name] = times["compiled"] / times["hand"]
        reference[workload.name] = times["compiled"] / times["reference"]
    found = {f"{name} / hand": ratio for name, ratio in hand.items()}
    found |= {f"{name} / reference": ratio for name, ratio in reference.items()}
    found["geometric mean / hand"] = geometric_mean(list(hand.values()))
    found["geometric mean / reference"] = geometric_mean(list(reference.values()))
    return found


def _var(name: str) -> Any:
    return {"var": name}


_SELF = {"self": True}
_LESS = {"sub": [_var("n"), 1]}
_DOUBLE_RECURSION = {"lam": "n", "body": {"if": {"cond": {"lt": [_var("n"), 2]}, "then": _var("n"), "else": {
    "add": [{"app": [_SELF, _LESS]}, {"app": [_SELF, {"sub": [_var("n"), 2]}]}]}}}}  # fmt: skip
_SQUARE = {"lam": "x", "body": {"mul": [_var("x"), _var("x")]}}
_STATE = _var("p")
_COUNTDOWN = {"lam": "p", "body": {"if": {"cond": {"lte": [{"fst": _STATE}, 1]}, "then": {"snd": _STATE}, "else": {
    "continue": {"input": {"pair": [{"sub": [{"fst": _STATE}, 1]}, {"add": [{"snd": _STATE}, {"fst": _STATE}]}]}}}}}}  # fmt: skip


class _Tools(WorkloadTools):
    def __init__(self, **codes: Any) -> None:
        self.tools = {name: Tool(name, 1, decode_term(code)) for name, code in codes.items()}


def _failing() -> dict[str, float]:
    """A run out of fuel: the compiled attempt and the reference run that follows, over the reference run alone."""
    tools = _Tools(fib=_DOUBLE_RECURSION)
    tool, given, fuel = tools.tools["fib"], given_term(literal(40)), 1_000_000
    ready = Cache()
    ready.prepared(tool).unit("int", tools, checks_sizes=False)

    def fails(take: Callable[[Tool, RunInput, int], object]) -> None:
        try:
            take(tool, given, fuel)
        except PifError as error:
            assert error.kind == "out_of_fuel"
            return
        raise AssertionError("the run must use up its fuel")

    def at_first() -> None:
        tool.prepared = None
        tool.spent = 0
        fails(_stepper(tools, fuel, Cache()).step)

    def prepared() -> None:
        ready.prepared(tool)
        fails(_stepper(tools, fuel, ready).step)

    functions = {
        "first": at_first,
        "prepared": prepared,
        "reference": lambda: fails(_stepper(tools, fuel, ready).reference),
    }
    times = _TIMED(functions, seconds=4.0)
    return {
        FAILING: times["prepared"] / times["reference"],
        FAILING_FIRST: times["first"] / times["reference"],
    }


_REPEATED = 200


def _nothing(value: int) -> int:
    return value


def _bare() -> None:
    for _ in range(_REPEATED):
        _nothing(1)


def _empty() -> None:
    for _ in range(_REPEATED):
        pass


def _starting() -> dict[str, float]:
    """A run of a trivial term, over a call of an empty Python function."""
    tools = _Tools(square=_SQUARE)
    cache = Cache()
    cache.prepared(tools.tools["square"]).unit("int", tools, checks_sizes=False)
    tool, given = tools.tools["square"], given_term(literal(7))
    session = _stepper(tools, FUEL, cache)
    request, budget = Request(tool="square", input=7), Budget()
    for _ in range(2_000):
        run(request, tools, budget)  # until it is compiled in the process's own cache
    own = tool.prepared
    cache.prepared(tool)

    def steps() -> None:
        for _ in range(_REPEATED):
            session.step(tool, given, FUEL)

    def whole() -> None:
        for _ in range(_REPEATED):
            run(request, tools, budget)

    times = _TIMED({"bare": _bare, "empty": _empty, "steps": steps})
    tool.prepared = own
    times |= _TIMED({"whole": whole})
    call = times["bare"] - times["empty"]
    return {FIXED: (times["steps"] - times["empty"]) / call, WHOLE: (times["whole"] - times["empty"]) / call}


def _preparing() -> dict[str, float]:
    """Compiling the workloads' tools, over Python's own `compile()` of the same source."""
    plain, vetted = [], []
    for workload in workloads():
        tools = WorkloadTools(workload)
        tool = tools.tools[workload.run]
        kind = given_term(decode_term(workload.input)).kind
        generate = partial(draft_function, tool.term, tool, kind, tools, checks_sizes=False)
        source = generate().source
        times = _TIMED(
            {
                "generate": generate,
                "compile": partial(compile, source, "<pif>", "exec"),
                "vet": partial(vetted_code, source),
            },
            seconds=0.3,
        )
        plain.append((times["generate"] + times["compile"]) / times["compile"])
        vetted.append((times["generate"] + times["vet"]) / times["compile"])
    return {PREPARING: geometric_mean(plain), VETTING: geometric_mean(vetted)}


def _driving(steps: int = 300) -> dict[str, float]:
    """A loop by `continue`: driven, and by a `run` for each step; both by the same `run` function."""
    tools = _Tools(countdown=_COUNTDOWN)
    budget = Budget(fuel=5_000_000)
    first = {"pair": [steps + 1, 0]}

    def driven() -> None:
        answer = run(Request(tool="countdown", input=first, drive=10 * steps), tools, budget)
        assert answer["type"] == "value"

    def single() -> None:
        given, step = first, 0
        while True:
            answer = run(Request(tool="countdown", input=given, step=step), tools, budget)
            if answer["type"] == "value":
                return
            given, step = answer["next_input"], answer["step"]

    driven()
    times = _TIMED({"driven": driven, "single": single})
    return {DRIVEN: times["driven"] / times["single"]}


def measure_costs() -> dict[str, float]:
    """The cost of failing, starting, compiling and driving."""
    reserve_stack(20_000)
    return {**_failing(), **_starting(), **_preparing(), **_driving()}
