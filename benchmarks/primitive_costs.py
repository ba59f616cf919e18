"""What a unit of fuel costs in the worst case: each operation of the table on the hostile operands that it declares.

Time is given as a ratio to a unit of `add` in the reference evaluator, taken in the same run; memory as the most bytes
that are allocated at any moment of the operation, for a unit that it used.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from benchmarks.hostile_operands import operand
from pif.analysis.facts import free_names
from pif.compiled.units import Cache
from pif.language.budget import RETAINED_BYTES, Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.host import Answer, Question, Refusal, Tool
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json, Term, print_term
from pif.language.values import Continuation, Record
from pif.reference.run_input import RunInput, given_data, given_value
from pif.run.stack_room import with_room
from pif.run.stepping import Stepper

__all__ = [
    "LIMITS",
    "RATIO",
    "Hostile",
    "Trial",
    "allocated",
    "cases",
    "measure",
    "no_collector",
    "plain",
    "timed",
]

FUEL = 10**9
"""Less than 2^30, from which on integers are not assumed to be small."""

LEAST, MOST = 20_000, 10_000
"""Fuel that is worth measuring, and the most repetitions."""


class Hostile(msgspec.Struct, frozen=True):
    """One case: an operation, its term with operands as free names."""

    operation: str
    label: str
    term: Term


class _Host:
    """The one tool, and a theory that answers at once."""

    def __init__(self, tool: Tool) -> None:
        self.hostile = tool

    def tool(self, reference: str) -> Tool | None:
        return self.hostile if reference.partition("@")[0] == "hostile" else None

    def nearest(self, name: str) -> str | None:
        return None

    def ask(
        self, operation: str, question: Question, cancelled: Callable[[], bool] | None
    ) -> Answer | Refusal:
        return Answer(None, 0)


def cases() -> Iterator[Hostile]:
    """Every declared case of the table."""
    for name, row in PRIMITIVES.items():
        for written in row.hostile:
            yield Hostile(name, f"{name}: {written}", decode_term(written_term(name, written)))


def written_term(name: str, written: str) -> Json:
    """A declared case as a term: its JSON, or the operation on operands that are named."""
    if written.startswith("{"):
        return msgspec.json.decode(written)
    operands = [{"var": word} for word in written.split()]
    return {name: operands if PRIMITIVES[name].shape == "many" else operands[0]}


def program(case: Hostile, kept: bool) -> tuple[Term, Record]:
    """A function of its operands, in a record, and of how often it runs the operation; and that record."""
    names = sorted(free_names(case.term) - {"function", "each", "times"})
    body = print_term(case.term)
    if case.operation != "continue":
        body = {
            "fold": [
                {"lam": "each", "body": {"cons": [body, {"fst": {"var": "each"}}]} if kept else body},
                [],
                {"range": [0, {"var": "times"}]},
            ]
        }
    body = {"let": {"function": {"lam": "x", "body": 1}}, "in": body}
    for name in ("times", *names):
        body = {"let": {name: {"get": [{"var": "all"}, name]}}, "in": body}
    given = Record({name: operand(name) for name in names})
    return decode_term({"lam": "all", "body": body}), given


class Trial:
    """One case made ready for one evaluator. `run` answers with the fuel used, None where it is not compiled."""

    def __init__(self, case: Hostile, *, compiled: bool, kept: bool = False) -> None:
        self.case = case
        self.compiled = compiled
        term, self.operands = program(case, kept)
        self.tool = Tool("hostile", 1, term)
        self.cache = Cache()
        self.prepared = self.cache.prepared(self.tool)

    def given(self, times: int) -> RunInput:
        return given_data(Record({**self.operands.fields, "times": times}), 0)

    def run(self, times: int, first: RunInput | None = None) -> int | None:
        """Run the operation so many times."""
        return with_room(lambda: self._run(times, first))

    def _run(self, times: int, first: RunInput | None) -> int | None:
        host = _Host(self.tool)
        stepper = Stepper(host, Budget(fuel=FUEL), self.cache, theory=host, cancelled=None, hook=None)
        given: RunInput | None = first or self.given(times)
        rounds = times if self.case.operation == "continue" else 1
        try:
            return self._steps(stepper, given, times, rounds)
        finally:
            stepper.end()

    def _steps(self, stepper: Stepper, given: RunInput | None, times: int, rounds: int) -> int | None:
        used = 0
        for _ in range(rounds):
            assert given is not None
            if self.compiled:
                step = stepper.attempt(self.prepared, given, FUEL)
            else:
                step = stepper.reference(self.tool, given, FUEL)
            if step is None:
                return None
            used += step.used
            if type(step.value) is Continuation:
                value = step.value.value
                given = given_value(Record({**value.fields, "times": times}), 2**40)
        return used


def timed(trial: Trial, *, seconds: float = 0.02, rounds: int = 3) -> float | None:
    """Seconds for a unit of fuel, the least of some rounds; None where it is not compiled."""
    times = 1
    while True:
        taken, used = _once(trial, times)
        if used is None:
            return None
        if (taken >= seconds and used > LEAST) or times >= MOST or used > FUEL // 100:
            break
        times = max(times * 2, min(times * 20, int(times * seconds / max(taken, 1e-6) * 1.2)))
    least = taken / used
    for _ in range(rounds - 1):
        taken, again = _once(trial, times)
        least = min(least, taken / (again or used))
    return least


def _once(trial: Trial, times: int) -> tuple[float, int | None]:
    start = time.thread_time()
    used = trial.run(times)
    return time.thread_time() - start, used


def allocated(trial: Trial) -> float | None:
    """The most bytes allocated at any moment of a run, for a unit of its fuel; None where it is not compiled.

    Nothing is collected while it runs: what forms a cycle counts as well.
    """
    used = trial.run(1)
    if used is None:
        return None
    # What `continue` hands on is walked once more at each step, outside of the fuel: fewer steps, which ask for more.
    least = LEAST // 10 if trial.case.operation == "continue" else LEAST
    times = max(1, min(MOST, least // used))
    given = trial.given(times)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        used = trial.run(times, given)
        most = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return None if used is None else most / used


@contextmanager
def no_collector() -> Iterator[None]:
    """CPython's cyclic collector off, as it is while anything runs, and the stack that deep values need."""
    reserve_stack(20_000)
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def plain() -> float:
    """Seconds for a unit of `add` on the reference evaluator: what all times are compared with."""
    sum_of_two = Hostile("add", "add", decode_term({"add": [{"var": "zero"}, 1]}))
    taken = timed(Trial(sum_of_two, compiled=False), seconds=0.1, rounds=5)
    assert taken is not None
    return taken


def measure() -> dict[str, float]:
    """For each operation the worst of its cases: time as a multiple of `add`, and bytes a unit."""
    found: dict[str, float] = {}
    with no_collector():
        unit = plain()
        found[UNIT] = unit * 1e9
        for case in cases():
            for compiled in (False, True):
                name = f"{case.operation}, compiled" if compiled else case.operation
                trial = Trial(case, compiled=compiled)
                if (taken := timed(trial)) is not None:
                    _worst(found, f"{name}: time", taken / unit)
                for kept in (False, True):
                    trial = Trial(case, compiled=compiled, kept=kept and case.operation != "continue")
                    if (bytes_ := allocated(trial)) is not None:
                        _worst(found, f"{name}: bytes", bytes_)
    return found


def _worst(found: dict[str, float], name: str, figure: float) -> None:
    found[name] = max(found.get(name, 0.0), figure)


RATIO = 20.0
"""Units of `add` that a unit of anything may take."""

UNIT = "a unit of `add` on the reference evaluator, ns"
LIMITS = {
    **{f"{name}{back_end}: time": RATIO for name in PRIMITIVES for back_end in ("", ", compiled")},
    **{
        f"{name}{back_end}: bytes": float(RETAINED_BYTES)
        for name in PRIMITIVES
        for back_end in ("", ", compiled")
    },
}
