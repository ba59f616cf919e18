"""One step of a run: on the reference evaluator, compiled, or first the one and then the other.

A run starts on the reference, with a part of the fuel that compiling would be worth. Only a run that uses it up is
compiled and starts anew; what was compiled is used at once the next time. The compiled attempt reports success or
nothing: in every other case the reference runs from the start and says what is wrong. Evaluation is pure, so nobody
can tell which of them it was, or how often (docs/reference/pif.md §14).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from pif.analysis.facts import multiplies_itself
from pif.compiled.emitter import Bignums, Unsuitable
from pif.compiled.runtime import FAILURES, Cancelled, Declined
from pif.compiled.units import Cache, Prepared, Unit, attempt, is_loaded, must_check_sizes
from pif.language import primitives as table
from pif.language.budget import Budget
from pif.language.errors import PifError, forget
from pif.language.host import Theory, Tool, Tools, later
from pif.language.terms import Term
from pif.language.values import Closure, Continuation, Value, dismantle, is_list
from pif.reference.machine import Code, Machine, Node
from pif.reference.meter import Meter, Way
from pif.reference.resolve import resolve
from pif.reference.run_input import RunInput, following_value, given_result, given_value
from pif.reference.trace import Event

__all__ = ["Step", "Stepper"]

_TRIAL, _TRIAL_A_NODE = 300, 11
"""Fuel that a tool uses on the reference, all its runs together, before it is compiled, and for each node: a ninth of
what compiling it costs, so that where a run is long the trial is no great part of it."""

_LEAST_TRIAL = 1_000
"""The least of it for a run's own code, which seldom comes again: some 0.07 ms, so that it is no great part
of any run of a millisecond, and most runs need no compiling."""

_LOADING = 12_000
"""Further fuel where this process has not loaded the compiler yet, which takes some ten times as long as using it: a
process that is there for one run of some thousand units is not to load it at all."""

_MULTIPLYING = 30_000
"""Fuel before code is compiled that multiplies what calls of itself give: its integers outgrow small ones on the way
back, when the attempt is nearly over, and with them compiled code gains little."""

_LONG = 100_000
"""Fuel beyond which a run is too long for a brief try."""

_DRIVEN_STEPS = 12
"""Driven steps taken one by one before their tool is compiled."""

_metered = partial(resolve, metered=True)


class Step(msgspec.Struct, frozen=True, gc=False):
    """A step that succeeded: its value (a `Continuation` where it asks for another) and the fuel it used."""

    value: Value
    used: int


class Stepper:
    """Runs the steps of one request. With `brief`, the run is a first try that must not take long: nothing is compiled
    for it, and the reference gets no more than so much fuel. With `shares`, an `out_of_fuel` says where the fuel went."""

    def __init__(
        self,
        tools: Tools,
        budget: Budget,
        cache: Cache,
        *,
        theory: Theory | None = None,
        cancelled: Callable[[], bool] | None,
        hook: Callable[[Event], None] | None,
        brief: int | None = None,
        shares: bool = False,
    ) -> None:
        self.shares = shares
        self.tools = tools
        self.theory = theory if brief is None else later(theory)
        self.budget = budget
        self.cache = cache
        self.cancelled = cancelled
        self.hook = hook
        self.brief = brief
        self.compiles = brief is None
        self.resolve = resolve if hook is None else partial(resolve, traced=True)
        self.long_lists: list[Value] = []
        self.made: list[Code] = []
        self.steps = 0

    def end(self) -> None:
        """Let go of what would form cycles or take long to free."""
        dismantle(self.long_lists)
        self.release()

    def release(self) -> None:
        """Let go of the code that was resolved for the steps so far, whose values hold no functions any more."""
        while self.made:
            self.made.pop().release()

    def step(self, program: Tool | Term, given: RunInput, fuel: int) -> Step:
        """Run a program on an input. Raises `PifError` with the fuel used."""
        self.release()
        if self.hook is not None:
            return self.in_full(program, given, fuel)
        ready = self.cache.ready(program)
        if ready is not None:
            return self._prepared_step(ready, program, given, fuel)
        spent = program.spent if isinstance(program, Tool) else 0
        trial = self._trial(program) - spent + (0 if is_loaded() else _LOADING)
        if self.brief is not None:
            if trial <= 0:
                raise PifError("out_of_fuel", "the code is worth compiling, for which there is no time here")
            return self.reference(program, given, self.limited(fuel))
        step = self._first_try(program, given, fuel, trial)
        if step is None and multiplies_itself(program.term if isinstance(program, Tool) else program):
            step = self._first_try(program, given, fuel, _MULTIPLYING - spent)
        return step or self.tried(self.cache.prepared(program), program, given, fuel)

    def _first_try(self, program: Tool | Term, given: RunInput, fuel: int, trial: int) -> Step | None:
        """The reference's step, if it takes no more fuel than the trial has; None where it does, or where linking the
        input would take as long as the trial may."""
        if trial <= 0:
            return None
        is_tried = trial > given.unlinked
        trial += given.charge  # what the input costs is no work that compiling would shorten
        if trial >= fuel:
            return self.in_full(program, given, fuel)
        if not is_tried:
            return None
        try:
            return self.reference(program, given, trial)
        except PifError as error:
            if error.kind != "out_of_fuel":
                raise
            forget(error)
        return None

    def tried(self, prepared: Prepared, program: Tool | Term, given: RunInput, fuel: int) -> Step:
        """The compiled step; where that does not succeed the reference's, which as a rule fails too."""
        step = self.attempt(prepared, given, fuel)
        if step is not None:
            return step
        if prepared.declined:
            return self.in_full(program, given, fuel)
        return self.metered(program, given, fuel) if self.shares else self.reference(program, given, fuel)

    def in_full(self, program: Tool | Term, given: RunInput, fuel: int) -> Step:
        """The reference's step; if it runs out of fuel, taken once more for the shares."""
        try:
            return self.reference(program, given, fuel)
        except PifError as error:
            if error.kind != "out_of_fuel" or not self.shares:
                raise
            forget(error)
        return self.metered(program, given, fuel)

    def _prepared_step(self, ready: Prepared, program: Tool | Term, given: RunInput, fuel: int) -> Step:
        if self.brief is None:
            step = self.tried(ready, program, given, fuel)
            ready.is_long = ready.is_long and step.used > _LONG
            return step
        if ready.is_long:
            raise PifError("out_of_fuel", "the last run of this code was long")
        try:
            return self.attempt(ready, given, fuel) or self.reference(program, given, self.limited(fuel))
        except PifError as error:
            ready.is_long = error.kind in ("out_of_fuel", "cancelled")
            raise

    def _with_value(self, given: RunInput, fuel: int) -> RunInput:
        """The input with its value, where it is no literal and yet gives plain data."""
        if given.is_known or given.written is None:
            return given
        machine = self._machine(self.limited(fuel))
        term = given.term
        assert term is not None
        try:
            code = self.resolve(term, (), "input", None, operand=True)
            self.made.append(code)
            value = code.root.ev((), self.budget.depth, machine)
        except PifError as error:
            forget(error)
            return given
        return given_result(value, machine.used(), given)

    def _machine(self, fuel: int, meter: Meter | None = None) -> Machine:
        budget = self.budget if fuel == self.budget.fuel else msgspec.structs.replace(self.budget, fuel=fuel)
        machine = Machine(
            budget, self.tools, self.resolve if meter is None else _metered,
            theory=self.theory, cancelled=self.cancelled, hook=self.hook if meter is None else None, meter=meter,
        )  # fmt: skip
        machine.long_lists = self.long_lists
        machine.made = self.made
        return machine

    def limited(self, fuel: int) -> int:
        return fuel if self.brief is None else min(fuel, self.brief)

    @staticmethod
    def _trial(program: Tool | Term) -> int:
        if isinstance(program, Tool):
            return _TRIAL + _TRIAL_A_NODE * program.term.nodes
        return max(_LEAST_TRIAL, _TRIAL + _TRIAL_A_NODE * program.nodes)

    def attempt(self, prepared: Prepared, given: RunInput, fuel: int) -> Step | None:
        """The compiled step, or None where it does not succeed."""
        try:
            outcome = attempt(prepared, self._with_value(given, fuel), self, fuel)
        except Cancelled as stopped:
            error = PifError("cancelled", "the run was cancelled")
            error.fuel_used = fuel - stopped.left
            raise error from None
        if prepared.has_grown:
            prepared.has_grown = False
            self.cache.trim()
        return None if outcome is None else Step(outcome[0], fuel - outcome[1])

    def driven(
        self, tool: Tool, value: Value, fuel: int, steps: int, goes_on: Callable[[], bool]
    ) -> tuple[int, int, Value]:
        """Take steps that `continue` asks for, as long as they are one compiled unit's: the values are handed on as
        they are, and charged what their literal terms would be. `goes_on` is asked after each step.

        Answers how many steps were taken, the fuel they used, and the last one's value (a `Continuation` where it
        asks for more). Where anything is out of the ordinary it ends, and the step begun is taken anew by `step`.
        """
        self.steps += 1
        limit = self.budget.result_bytes
        given = given_value(value, limit)
        unit = None if given is None else self._for_driving(tool, given)
        taken, left = 0, fuel
        last: Value = None
        if given is None or unit is None:
            return taken, 0, last
        kind, is_bignum, owner = given.kind, unit.checks_sizes, unit.owner
        runtime, entry = unit.loaded()
        levels = self.budget.depth - 1
        try:
            runtime.begin(self, 0)
            while taken < steps:
                before = left - unit.charge - given.charge
                if (
                    before < 0
                    or given.height > levels
                    or given.kind != kind
                    or (given.is_bignum and not is_bignum)
                ):
                    break
                runtime.refill(before)
                result = entry(given.listed if unit.takes_items else given.value, levels)
                after = runtime.left()
                if after < 0:
                    break
                is_last = type(result) is not Continuation
                if not is_last:
                    given = following_value(result.value, given, limit)
                    if given is None:
                        break
                taken, left, last = taken + 1, after, result
                if is_last or not goes_on() or result.node is not owner:
                    break
        except (*FAILURES, Bignums, Declined, Unsuitable, Cancelled) as error:
            forget(error)
            return taken, fuel - left, last  # the step that was begun counts for nothing
        finally:
            unit.release(runtime, entry)
        return taken, fuel - left, last

    def _for_driving(self, tool: Tool, given: RunInput) -> Unit | None:
        """The unit for driven steps of a tool; a loop that has gone on for a while is worth compiling one."""
        if self.hook is not None:
            return None
        is_long = self.compiles and self.steps > _DRIVEN_STEPS
        prepared = self.cache.prepared(tool) if is_long else self.cache.ready(tool)
        if prepared is None or prepared.declined or not prepared.is_function:
            return None
        checks_sizes = must_check_sizes(prepared, given, self, self.budget.fuel)
        return prepared.unit(given.kind, self.tools, checks_sizes=checks_sizes, only_ready=not is_long)

    def metered(self, program: Tool | Term, given: RunInput, fuel: int) -> Step:
        """The reference's step, with the shares of the fuel in an `out_of_fuel`."""
        return self.reference(program, given, fuel, Meter(fuel))

    def reference(self, program: Tool | Term, given: RunInput, fuel: int, meter: Meter | None = None) -> Step:
        """The step as the reference evaluator takes it."""
        machine = self._machine(fuel, meter)
        try:
            value = self._evaluated(machine, program, given)
        except PifError as error:
            error.fuel_used = machine.used()
            if meter is not None and error.kind == "out_of_fuel":
                error.shares = meter.shares()
            raise
        finally:
            if isinstance(program, Tool):
                program.spent += machine.used()
        return Step(value, machine.used())

    def _evaluated(self, machine: Machine, program: Tool | Term, given: RunInput) -> Value:
        depth = self.budget.depth
        if isinstance(program, Tool):
            code = machine.code_of(program)
        else:
            code = machine.resolve(program, (), "code", None)
            self.made.append(code)
        meter = machine.meter
        own: Way = None if meter is None else (meter.account(code.place, code.owner), None)
        if meter is not None:
            meter.turn(own, machine.left())
        value = code.root.ev((), depth, machine)
        if type(value) is not Closure:
            return value
        if meter is not None:
            meter.turn((meter.account("input", None), own), machine.left())
        argument = self._argument(machine, given, code.root)
        if meter is not None:
            meter.turn(own, machine.left())
        body: Node = value.body
        machine.charge(table.CALL, body)
        return body.ev((argument, value.env), depth - 1, machine)

    def _argument(self, machine: Machine, given: RunInput, root: Node) -> Value:
        """The input's value. A literal one that is sure to fit is charged as a whole; where it might not, or every
        step is told, its nodes are evaluated."""
        depth = self.budget.depth
        is_plain = given.is_known and machine.hook is None and given.height <= depth
        term = None if is_plain and given.charge <= machine.left() else given.term
        if term is None:
            machine.charge(given.charge, root)
            return machine.keep(given.value) if is_list(given.value) else given.value
        code = (self.resolve if machine.meter is None else _metered)(term, (), "input", None, operand=True)
        self.made.append(code)
        return code.root.ev((), depth, machine)
