"""Units: source that has been vetted and compiled, the runtimes that they are loaded into, and one attempt at a run.

A unit is prepared once for a piece of code and a kind of argument. It may be used as long as the tools whose code it
holds are still the same (`runtime.still_hold`). Runtimes are kept for the next run; two runs never share one.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from pif.compiled.emitter import Bignums, Shallow, Unsuitable
from pif.compiled.runtime import FAILURES, Declined, Runtime, Session, Stopped, still_hold
from pif.compiled.source_grammar import is_generated
from pif.language import primitives as table
from pif.language.errors import forget
from pif.language.host import Tool, Tools
from pif.language.terms import Term, identity
from pif.language.values import ANY, Kind, Quoted, Value
from pif.reference.run_input import RunInput

if TYPE_CHECKING:
    from pif.compiled.generate import Draft

__all__ = ["Cache", "Outcome", "Prepared", "Unit", "attempt", "compiled", "is_loaded", "must_check_sizes"]

_IDLE = 4

_RUNTIME_WEIGHT = 8_000
_WEIGHT_A_CHARACTER = 12


class Unit:
    """Compiled code and what it relies on. `fuel_to_remake`: how much more of it runs use before it is worth compiling
    with more care; 0 where that would change nothing."""

    __slots__ = (
        "__weakref__",
        "charge",
        "checks_sizes",
        "code",
        "constants",
        "fuel_to_remake",
        "idle",
        "is_function",
        "owner",
        "takes_items",
        "used",
        "weight",
    )

    def __init__(
        self,
        draft: Draft,
        *,
        is_function: bool,
        checks_sizes: bool,
        owner: Tool | None = None,
        nodes: int = 0,
    ) -> None:
        self.code = compiled(draft.source)
        self.constants = draft.constants
        self.used = draft.used
        self.charge = draft.charge
        self.takes_items = draft.takes_items
        self.is_function = is_function
        self.checks_sizes = checks_sizes
        self.owner = owner
        self.weight = _WEIGHT_A_CHARACTER * len(draft.source) + _RUNTIME_WEIGHT
        self.fuel_to_remake = _REMAKING_A_NODE * nodes if draft.gave_up else 0
        self.idle: list[tuple[Runtime, Any]] = []

    def loaded(self) -> tuple[Runtime, Any]:
        """A runtime with this unit in it, and the function to start with."""
        try:
            return self.idle.pop()
        except IndexError:
            runtime = Runtime(_compile_quoted, checks_sizes=self.checks_sizes)
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
    try:
        module = _plain_code(source) if is_generated(source) else _checked_code(source)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise Unsuitable(f"CPython does not take the source: {error}") from None
    (function,) = _functions(module)
    if any(_frame(code) > _FRAME for code in _all_functions(function)):
        raise Unsuitable("a function would need too large a frame")
    return function


def _plain_code(source: str) -> CodeType:
    return compile(source, "<pif>", "exec", dont_inherit=True)


def _checked_code(source: str) -> CodeType:
    """The code of source that the grammar does not know, if the policy allows it. It is heavy, and never wanted unless
    the generator has a defect."""
    from pif.compiled.source_policy import checked_code

    return checked_code(source)


_FRAME = 400


def _frame(code: CodeType) -> int:
    return code.co_nlocals + len(code.co_cellvars) + len(code.co_freevars) + code.co_stacksize


def _functions(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _all_functions(code: CodeType) -> Iterator[CodeType]:
    """The functions in a unit's own, at any depth; the unit's own runs once."""
    for function in _functions(code):
        yield function
        yield from _all_functions(function)


def _generate() -> ModuleType:
    """The generator, imported where something is compiled: most processes never do."""
    from pif.compiled import generate

    return generate


def is_loaded() -> bool:
    """Whether this process has compiled anything yet."""
    return "pif.compiled.generate" in sys.modules


def _compile_quoted(runtime: Runtime, quoted: Quoted, names: tuple[str, ...]) -> Any:
    """A function for quoted code that a run evaluates."""
    draft = _generate().draft_value(
        quoted.term, quoted.owner, names, runtime.session.tools, checks_sizes=runtime.checks_sizes
    )
    unit = Unit(draft, is_function=False, checks_sizes=runtime.checks_sizes)
    runtime.used |= draft.used
    return unit.load(runtime)


class Prepared:
    """What is kept of a piece of code: units by kind of argument, and what became of it before.

    `bignum_runs`: for how many more runs bignums are expected, since they came up; `declined`: it stays on the
    reference; `recent`: used since the cache last looked; `has_grown`: a unit was added since then;
    `is_long`: the last brief try was too short.

    Threads share it. `units` is never changed, only replaced, under a lock: whoever reads it has a dictionary that
    stays as it is. The flags are hints, and a lost update of one costs time at most.
    """

    __slots__ = (
        "__weakref__",
        "bignum_runs",
        "declined",
        "has_grown",
        "is_function",
        "is_long",
        "lock",
        "owner",
        "recent",
        "term",
        "units",
    )

    def __init__(self, term: Term, owner: Tool | None) -> None:
        self.term = term
        self.owner = owner
        self.lock = threading.Lock()
        self.units: Mapping[tuple[Kind, bool], Unit] = {}
        self.is_function = term.op == "lam"
        self.bignum_runs = 0
        self.declined = False
        self.has_grown = False
        self.is_long = False
        self.recent = True

    def unit(self, kind: Kind, tools: Tools, *, checks_sizes: bool, only_ready: bool = False) -> Unit | None:
        """The unit for a kind of argument, compiled if need be; None where the code is left to the reference."""
        if checks_sizes and self.bignum_runs > 0:
            self.bignum_runs -= 1
        key = (kind if self.is_function else ANY, checks_sizes)
        unit = self.units.get(key)
        is_old = unit is not None and unit.fuel_to_remake < 0
        if unit is not None:
            if (not unit.used or still_hold(unit.used, tools)) and (only_ready or not is_old):
                return unit
            with self.lock:
                self.units = {kept: other for kept, other in self.units.items() if other is not unit}
        return None if only_ready else self._made(kind, tools, checks_sizes, is_old)

    def _made(self, kind: Kind, tools: Tools, checks_sizes: bool, thorough: bool) -> Unit | None:
        try:
            unit = self._compiled(kind, tools, checks_sizes, thorough)
        except Bignums:
            self.bignum_runs = _BIGNUM_RUNS
            return self._made(kind, tools, True, thorough)
        except Unsuitable:
            self.declined = True
            return None
        key = (kind if self.is_function else ANY, checks_sizes)
        with self.lock:
            self.units = {key: unit} if len(self.units) >= _UNITS else {**self.units, key: unit}
        self.has_grown = True
        return unit

    def _compiled(self, kind: Kind, tools: Tools, checks_sizes: bool, thorough: bool) -> Unit:
        """Compiled with calls written out where they stand; what is too much for CPython then, without that."""
        for inlines in (True, False):
            try:
                if self.is_function:
                    draft = _generate().draft_function(
                        self.term,
                        self.owner,
                        kind,
                        tools,
                        checks_sizes=checks_sizes,
                        inlines=inlines,
                        thorough=thorough,
                    )
                else:
                    draft = _generate().draft_value(
                        self.term, self.owner, (), tools, checks_sizes=checks_sizes, inlines=inlines
                    )
                unit = Unit(
                    draft,
                    is_function=self.is_function,
                    checks_sizes=checks_sizes,
                    owner=self.owner,
                    nodes=self.term.nodes,
                )
                if thorough or not self.is_function:
                    unit.fuel_to_remake = 0
                return unit
            except Unsuitable:
                if not inlines:
                    raise
        raise AssertionError("the last try raises")

    def weight(self) -> int:
        return sum(unit.weight for unit in self.units.values())


_UNITS = 8

_REMAKING_A_NODE = 70_000
"""Fuel of compiled runs, for each node, after which code in which lists were linked for want of tries is compiled with
more of them: ten times as much work as that takes."""

_BIGNUM_RUNS = 16


_BITS, _FUEL, _CHARACTERS = 256, 2**30, 16

Outcome = tuple[Value, int]


def must_check_sizes(prepared: Prepared, given: RunInput, session: Session, fuel: int) -> bool:
    """Whether a run needs a unit that checks the sizes of integers: there may be bignums, or its budget is not what others rely on."""
    budget = session.budget
    return (
        given.is_bignum
        or prepared.bignum_runs > 0
        or fuel >= _FUEL
        or budget.integer_bits < _BITS
        or budget.string_length < _CHARACTERS
    )


def attempt(prepared: Prepared, given: RunInput, session: Session, fuel: int) -> Outcome | None:
    """The outcome of a run, or None where it breaks some rule or is not compiled: then the reference runs it.

    Where the session `compiles` nothing, only what is ready is used. Raises `runtime.Cancelled`.
    """
    checks_sizes = must_check_sizes(prepared, given, session, fuel)
    while not prepared.declined:
        unit = prepared.unit(
            given.kind, session.tools, checks_sizes=checks_sizes, only_ready=not session.compiles
        )
        if unit is None:
            return None
        checks_sizes = unit.checks_sizes
        runtime, entry = unit.loaded()
        try:
            return _run(unit, runtime, entry, given, session, fuel)
        except Shallow:
            checks_sizes = True
        except Bignums:
            checks_sizes = True
            prepared.bignum_runs = _BIGNUM_RUNS
        except (Declined, Unsuitable):
            prepared.declined = True
        except FAILURES as error:
            forget(error)
            return None
        finally:
            unit.release(runtime, entry)
    return None


def _run(
    unit: Unit, runtime: Runtime, entry: Any, given: RunInput, session: Session, fuel: int
) -> Outcome | None:
    depth = session.budget.depth
    if unit.is_function:
        left = fuel - unit.charge - given.charge
        if left < 0 or given.height > depth:
            return None
        runtime.begin(session, left)
        argument = given.listed if unit.takes_items else _argument(runtime, given, session)
        value = entry(argument, depth - 1)
    else:
        runtime.begin(session, fuel)
        value = entry((), depth)
        if callable(value):
            if given.height > depth:
                return None
            runtime.charge(given.charge + table.CALL)
            value = value(_argument(runtime, given, session), depth - 1)
    left = runtime.left()
    if left < 0:
        return None
    if unit.fuel_to_remake > 0:
        unit.fuel_to_remake -= fuel - left
    return value, left


def _argument(runtime: Runtime, given: RunInput, session: Session) -> Value:
    value = given.value
    if not given.is_known:
        assert given.term is not None
        if not session.compiles:
            raise Stopped
        draft = _generate().draft_value(
            given.term, None, (), session.tools, checks_sizes=runtime.checks_sizes, operand=True
        )
        value = Unit(draft, is_function=False, checks_sizes=runtime.checks_sizes).load(runtime)(
            (), session.budget.depth
        )
    return runtime.keep(value) if type(value) is tuple else value


# What has been prepared, by content: bounded memory, the least recently used dropped first. Safe in threads.
#
# A tool keeps a weak reference to what was prepared for it, so that a run need not hash its code again.

_LIMIT = 64 * 2**20

Key = tuple[str, str | None, str | None]


class Cache:
    """Prepared code, at most about `limit` bytes of it."""

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Prepared] = OrderedDict()

    def ready(self, program: Tool | Term) -> Prepared | None:
        """What is at hand for a tool without any work."""
        if isinstance(program, Term) or program.prepared is None:
            return None
        found: Prepared | None = program.prepared()
        if found is not None:
            found.recent = True
        return found

    def prepared(self, program: Tool | Term) -> Prepared:
        """What is kept for a tool or a run's own code; a new entry where there is none."""
        ready = self.ready(program)
        if ready is not None:
            return ready
        owner = program if isinstance(program, Tool) else None
        term = program.term if isinstance(program, Tool) else program
        key = (identity(term), owner.label if owner else None, owner.reference if owner else None)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = Prepared(term, owner)
            found.recent = True
        if owner is not None:
            owner.prepared = weakref.ref(found)
        return found

    def trim(self) -> None:
        """Drop entries until the limit is kept; one that was used since the last look is passed over once."""
        with self._lock:
            weight = sum(prepared.weight() for prepared in self._kept.values())
            while weight > self._limit and len(self._kept) > 1:
                key, prepared = self._kept.popitem(last=False)
                if prepared.recent:
                    prepared.recent = False
                    self._kept[key] = prepared
                else:
                    weight -= prepared.weight()

    def __len__(self) -> int:
        return len(self._kept)
