"""One step of a run: on the reference evaluator, compiled, or first the one and then the other.

A run starts on the reference, with no more fuel than compiling would be worth. Only a run that uses it up is
compiled and starts anew; what was compiled is used at once the next time. The compiled attempt reports success or
nothing: in every other case the reference runs from the start and says what is wrong. Evaluation is pure, so nobody
can tell which of them it was, or how often (evaluator.md §3, §4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import msgspec

from pif import primitives as table
from pif.budget import Budget
from pif.compiled.cache import Cache
from pif.compiled.emitter import Unsuitable, WideIntegers
from pif.compiled.runtime import FAILURES, Cancelled, Declined, State
from pif.compiled.unit import Compiled, Prepared
from pif.errors import PifError
from pif.given import Given, given_value
from pif.reference.machine import Machine, Node, Tool, Tools
from pif.reference.resolve import resolve
from pif.terms import Term
from pif.trace import Event
from pif.values import Closure, Continuation, Value, is_list

__all__ = ["Step", "Stepper"]

_TRIAL_A_NODE = 600
"""Fuel for each node of the code that a run uses on the reference before compiling it is worth its price."""

_LEAST_TRIAL = 2_000

_DRIVEN_STEPS = 12
"""Driven steps taken one by one before their tool is compiled."""


class Step(NamedTuple):
    """A step that succeeded: its value (a `Continuation` where it asks for another) and the fuel it used."""

    value: Value
    used: int
    is_compiled: bool


class Stepper:
    """Runs the steps of one request. `compiles`: whether this is the time and place to compile anything."""

    def __init__(
        self,
        tools: Tools,
        budget: Budget,
        cache: Cache,
        *,
        cancelled: Callable[[], bool] | None,
        hook: Callable[[Event], None] | None,
        compiles: bool,
    ) -> None:
        self.tools = tools
        self.budget = budget
        self.cache = cache
        self.cancelled = cancelled
        self.hook = hook
        self.compiles = compiles
        self.resolve = resolve if hook is None else partial(resolve, traced=True)
        self.long_lists: list[Value] = []
        self.steps = 0

    def step(self, program: Tool | Term, given: Given, fuel: int) -> Step:
        """Run a program on an input. Raises `PifError` with the fuel used."""
        if self.hook is not None:
            return self.reference(program, given, fuel)
        ready = self.cache.ready(program)
        if ready is not None:
            return self.attempt(ready, given, fuel, compiles=self.compiles) or self.reference(
                program, given, fuel
            )
        trial = self._trial(program)
        if trial >= fuel or not self.compiles:
            return self.reference(program, given, fuel)
        if trial > 0:
            try:
                return self.reference(program, given, trial)
            except PifError as error:
                if error.kind != "out_of_fuel":
                    raise
        prepared = self.cache.prepared(program)
        return self.attempt(prepared, given, fuel, compiles=True) or self.reference(program, given, fuel)

    @staticmethod
    def _trial(program: Tool | Term) -> int:
        if isinstance(program, Tool):
            return max(_LEAST_TRIAL, _TRIAL_A_NODE * program.term.nodes) - program.spent
        return max(_LEAST_TRIAL, _TRIAL_A_NODE * program.nodes)

    def attempt(self, prepared: Prepared, given: Given, fuel: int, *, compiles: bool) -> Step | None:
        """The compiled step, or None where it does not succeed."""
        units = len(prepared.units)
        try:
            outcome = Compiled(prepared).attempt(given, self.state(fuel), only_ready=not compiles)
        except Cancelled as stopped:
            error = PifError("cancelled", "the run was cancelled")
            error.fuel_used = fuel - stopped.left
            raise error from None
        if len(prepared.units) > units:
            self.cache.trim()
        return None if outcome is None else Step(outcome.value, fuel - outcome.left, True)

    def driven(self, tool: Tool, value: Value, fuel: int, steps: int) -> Iterator[Step]:
        """The steps that `continue` asks for, as long as they are one compiled unit's: the values are handed on as
        they are, and charged what their literal terms would be. Where anything is out of the ordinary it ends, and
        the step that was begun is taken anew by `step`.
        """
        self.steps += 1
        prepared = None if self.hook is not None else self._for_driving(tool)
        limit = self.budget.result_bytes
        given = given_value(value, limit)
        if prepared is None or given is None:
            return
        find = prepared.unit if self.compiles else prepared.found
        unit = find(given.kind, self.tools)
        if unit is None or not unit.is_function:
            return
        kind = given.kind
        runtime, entry = unit.loaded()
        state = self.state(fuel)
        depth = self.budget.depth
        try:
            for _ in range(steps):
                before = fuel - unit.charge - given.charge
                if before < 0 or given.height > depth or (given.is_wide and not unit.weighs):
                    return
                runtime.begin(state, before)
                result = entry(given.value, depth - 1)
                left = runtime.left()
                if left < 0:
                    return
                is_last = type(result) is not Continuation
                following = None if is_last else given_value(result.value, limit)
                if following is None and not is_last:
                    return
                yield Step(result, fuel - left, True)
                if following is None or result.node is not prepared.owner or following.kind != kind:
                    return
                fuel = left
                given = following
        except (*FAILURES, WideIntegers, Declined, Unsuitable, Cancelled):
            return  # the step that was begun counts for nothing
        finally:
            unit.release(runtime, entry)

    def _for_driving(self, tool: Tool) -> Prepared | None:
        """What is prepared for a tool; a loop that has gone on for a while is worth preparing for."""
        ready = self.cache.ready(tool)
        if ready is None and self.compiles and self.steps > _DRIVEN_STEPS:
            ready = self.cache.prepared(tool)
        return None if ready is None or ready.declined else ready

    def state(self, fuel: int) -> State:
        return State(self.limited(fuel), self.tools, self.cancelled, self.long_lists)

    def limited(self, fuel: int) -> Budget:
        return self.budget if fuel == self.budget.fuel else msgspec.structs.replace(self.budget, fuel=fuel)

    def reference(self, program: Tool | Term, given: Given, fuel: int) -> Step:
        """The step as the reference evaluator takes it."""
        machine = Machine(
            self.limited(fuel), self.tools, self.resolve, cancelled=self.cancelled, hook=self.hook
        )
        machine.long_lists = self.long_lists
        try:
            value = self._evaluated(machine, program, given)
        except PifError as error:
            error.fuel_used = machine.used()
            raise
        finally:
            if isinstance(program, Tool):
                program.spent += machine.used()
        return Step(value, machine.used(), False)

    def _evaluated(self, machine: Machine, program: Tool | Term, given: Given) -> Value:
        depth = self.budget.depth
        if isinstance(program, Tool):
            code = machine.code_of(program)
        else:
            code = self.resolve(program, (), "code", None)
        value = code.root.ev((), depth, machine)
        if type(value) is not Closure:
            return value
        argument = self._argument(machine, given, code.root)
        body: Node = value.body
        machine.charge(table.CALL, body)
        return body.ev((argument, value.env), depth - 1, machine)

    def _argument(self, machine: Machine, given: Given, root: Node) -> Value:
        """The input's value. A literal one that is sure to fit is charged as a whole; where it might not, or every
        step is told, its nodes are evaluated."""
        depth = self.budget.depth
        is_plain = given.is_known and machine.hook is None and given.height <= depth
        if given.term is None or (is_plain and given.charge <= machine.left()):
            machine.charge(given.charge, root)
            return machine.keep(given.value) if is_list(given.value) else given.value
        return self.resolve(given.term, (), "input", None, operand=True).root.ev((), depth, machine)
