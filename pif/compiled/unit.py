"""Units: source that has been vetted and compiled, the runtimes that they are loaded into, and one attempt at a run.

A unit is prepared once for a piece of code and a kind of argument. It may be used as long as the tools whose code it
holds are still the same (`runtime.still_hold`). Runtimes are kept for the next run; two runs never share one.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any, NamedTuple

from pif import primitives as table
from pif.compiled.emitter import Unsuitable, WideIntegers
from pif.compiled.generate import Draft, draft_function, draft_value
from pif.compiled.kinds import ANY, Kind
from pif.compiled.runtime import FAILURES, Declined, Runtime, State, Stopped, still_hold
from pif.given import Given
from pif.reference.machine import Tool, Tools
from pif.terms import Term
from pif.values import Quoted, Value

__all__ = ["Compiled", "Outcome", "Prepared", "Unit", "compiled"]

_IDLE = 4
"""Runtimes that a unit keeps for later runs."""

_RUNTIME_WEIGHT = 8_000
_WEIGHT_A_CHARACTER = 12
"""Bytes of compiled code for a character of source, about."""


class Unit:
    """Compiled code and what it relies on."""

    __slots__ = (
        "__weakref__",
        "charge",
        "code",
        "constants",
        "idle",
        "is_function",
        "used",
        "weighs",
        "weight",
    )

    def __init__(self, draft: Draft, *, is_function: bool, weighs: bool) -> None:
        self.code = compiled(draft.source)
        self.constants = draft.constants
        self.used = draft.used
        self.charge = draft.charge
        self.is_function = is_function
        self.weighs = weighs
        self.weight = _WEIGHT_A_CHARACTER * len(draft.source) + _RUNTIME_WEIGHT
        self.idle: list[tuple[Runtime, Any]] = []

    def loaded(self) -> tuple[Runtime, Any]:
        """A runtime with this unit in it, and the function to start with."""
        try:
            return self.idle.pop()
        except IndexError:
            runtime = Runtime(_compile_quoted, weighs=self.weighs)
            return runtime, self.load(runtime)

    def load(self, runtime: Runtime) -> Any:
        """Make the unit's functions in a runtime; the one to start with."""
        return FunctionType(self.code, runtime.globals)(self.constants)

    def release(self, runtime: Runtime, entry: Any) -> None:
        runtime.end()
        if len(self.idle) < _IDLE:
            self.idle.append((runtime, entry))


def compiled(source: str) -> CodeType:
    """The code of the one function in generated source, vetted. Raises `Unsuitable` where CPython's own limits are
    met."""
    from pif.compiled.policy import checked_code  # heavy, and wanted only where something is compiled

    try:
        module = checked_code(source)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise Unsuitable(f"CPython does not take the source: {error}") from None
    return next(constant for constant in module.co_consts if isinstance(constant, CodeType))


def _compile_quoted(runtime: Runtime, quoted: Quoted, names: tuple[str, ...]) -> Any:
    """A function for quoted code that a run evaluates."""
    draft = draft_value(quoted.term, quoted.owner, names, runtime.state.tools, weighs=runtime.weighs)
    unit = Unit(draft, is_function=False, weighs=runtime.weighs)
    runtime.used |= draft.used
    return unit.load(runtime)


class Outcome(NamedTuple):
    """A run that succeeded: its value (or a `Continuation`) and the fuel left."""

    value: Value
    left: int


class Prepared:
    """What is kept of a piece of code: units by kind of argument, and what became of it before.

    `spent`: fuel that the reference has used on it; `weighs`: wide integers came up; `declined`: it stays on the
    reference; `recent`: used since the cache last looked.
    """

    __slots__ = ("__weakref__", "declined", "owner", "recent", "spent", "term", "units", "weighs")

    def __init__(self, term: Term, owner: Tool | None) -> None:
        self.term = term
        self.owner = owner
        self.units: dict[tuple[Kind, bool], Unit] = {}
        self.spent = 0
        self.weighs = False
        self.declined = False
        self.recent = True

    def found(self, kind: Kind, tools: Tools) -> Unit | None:
        """The unit for a kind of argument, if there is one that still holds."""
        key = (kind if self.term.op == "lam" else ANY, self.weighs)
        unit = self.units.get(key)
        if unit is None or not unit.used or still_hold(unit.used, tools):
            return unit
        del self.units[key]
        return None

    def unit(self, kind: Kind, tools: Tools) -> Unit | None:
        """The unit for a kind of argument, compiled if need be; None where the code is left to the reference."""
        if self.declined:
            return None
        unit = self.found(kind, tools)
        if unit is not None:
            return unit
        is_function = self.term.op == "lam"
        try:
            if is_function:
                draft = draft_function(self.term, self.owner, kind, tools, weighs=self.weighs)
            else:
                draft = draft_value(self.term, self.owner, (), tools, weighs=self.weighs)
            unit = Unit(draft, is_function=is_function, weighs=self.weighs)
        except WideIntegers:
            self.weighs = True
            return self.unit(kind, tools)
        except Unsuitable:
            self.declined = True
            return None
        if len(self.units) >= _UNITS:
            self.units.clear()
        self.units[kind if is_function else ANY, self.weighs] = unit
        return unit

    def weight(self) -> int:
        return sum(unit.weight for unit in self.units.values())


_UNITS = 8
"""Units kept for one piece of code."""


class Compiled:
    """Attempts at runs of one piece of code with compiled units."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared

    def attempt(self, given: Given, state: State, *, only_ready: bool = False) -> Outcome | None:
        """The outcome, or None where the run breaks some rule or is not compiled: then the reference runs it.

        With `only_ready` nothing is compiled for it. Raises `runtime.Cancelled`.
        """
        prepared = self.prepared
        if given.is_wide or state.budget.integer_bits < _BITS or state.budget.fuel >= _FUEL:
            prepared.weighs = True
        while True:
            if prepared.declined:
                return None
            find = prepared.found if only_ready else prepared.unit
            unit = find(given.kind, state.tools)
            if unit is None:
                return None
            runtime, entry = unit.loaded()
            try:
                return _run(unit, runtime, entry, given, state)
            except WideIntegers:
                prepared.weighs = True
            except (Declined, Unsuitable):
                prepared.declined = True
            except FAILURES:
                return None
            finally:
                unit.release(runtime, entry)


_BITS, _FUEL = 256, 2**30
"""What units that do not weigh integers rely on (`scalars`)."""


def _run(unit: Unit, runtime: Runtime, entry: Any, given: Given, state: State) -> Outcome | None:
    budget = state.budget
    depth = budget.depth
    if unit.is_function:
        left = budget.fuel - unit.charge - given.charge
        if left < 0 or given.height > depth:
            raise Stopped
        runtime.begin(state, left)
        value = entry(_argument(runtime, given, state), depth - 1)
    else:
        runtime.begin(state, budget.fuel)
        value = entry((), depth)
        if callable(value):
            if given.height > depth:
                raise Stopped
            runtime.charge(given.charge + table.CALL)
            value = value(_argument(runtime, given, state), depth - 1)
    left = runtime.left()
    if left < 0:
        raise Stopped
    return Outcome(value, left)


def _argument(runtime: Runtime, given: Given, state: State) -> Value:
    if given.is_known:
        value = given.value
    else:
        assert given.term is not None
        draft = draft_value(given.term, None, (), state.tools, weighs=runtime.weighs, operand=True)
        unit = Unit(draft, is_function=False, weighs=runtime.weighs)
        value = unit.load(runtime)((), state.budget.depth)
    return runtime.keep(value)
