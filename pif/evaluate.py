"""Runs: from a request to one of the three answers of pif-language.md §6 (value, continuation, error).

`run` is what the server's `run` tool and the command line call. Answers are values; nothing a user can write makes it
raise. The one evaluator so far is the reference; a compiled one would be chosen here and nowhere else.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import msgspec

from pif import primitives as table
from pif.budget import JSON_LEVELS, Budget, reserve_stack
from pif.decode import decode_term
from pif.errors import PifError
from pif.input import read_data, read_input
from pif.json_text import JsonError, load_json
from pif.reference.machine import Machine, Node, Tool, Tools, missing_tool
from pif.reference.resolve import resolve
from pif.reification import NotData, TooDeepTerm, TooManyNodes, at_most, literal_term
from pif.terms import Json, Term, print_term, same_term
from pif.trace import Event, Ring, debug_writer, debugging
from pif.values import Closure, Continuation, Value, dismantle, is_list, kind_of, print_value

__all__ = ["Answer", "Request", "collector_paused", "run"]

Answer = dict[str, Json]
"""`{"type": "value" | "continuation" | "error", …}`, exactly as pif-language.md §6 gives it."""

_FRAMES = 2_500
"""Python frames beside those of the evaluation's levels: the caller's, and walks over written terms."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. `tool` names a registered tool; without it `code` is a tool's name, a term, or a term's text.

    `raw` and `data` say how `input` is read; `step` is the steps taken before, `drive` how many further ones may be
    taken here; `trace` is how many of the last events to return.
    """

    code: Json = None
    tool: str | None = None
    input: Json = None
    raw: bool = False
    data: bool = False
    step: int = 0
    drive: int = 0
    trace: int = 0


class _Pause:
    """CPython's cyclic collector is switched off while anything evaluates: values are acyclic, and walking them over
    and over would take most of a long run's time. The switch is the process's, so runs are counted."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running = 0
        self.was_enabled = False


_pause = _Pause()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector off for the length of a run."""
    with _pause.lock:
        if _pause.running == 0:
            _pause.was_enabled = gc.isenabled()
            gc.disable()
        _pause.running += 1
    try:
        yield
    finally:
        with _pause.lock:
            _pause.running -= 1
            if _pause.running == 0 and _pause.was_enabled:
                gc.enable()


def run(
    request: Request,
    tools: Tools,
    budget: Budget,
    *,
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[int], None] | None = None,
    pause: Callable[[], bool] | None = None,
) -> Answer:
    """Run a request on a snapshot of the registry.

    `cancelled` is asked often, from the thread that runs (between driven steps it leaves the continuation so far,
    marked `"stopped": "cancelled"`); `progress` is told the step after each one driven; where
    `pause` answers true between steps, the continuation so far is the answer, marked `"stopped": "paused"`.
    """
    ring = Ring(request.trace) if request.trace > 0 else None
    hook: Callable[[Event], None] | None = ring
    if debugging():
        hook = debug_writer(also=ring)
    reserve_stack(budget.depth * (1 if hook is None else 2) + _FRAMES)
    with collector_paused():
        this = _Run(request, tools, budget, cancelled, hook)
        answer = this.answer(progress, pause)
        dismantle(this.long_lists)
    if ring is not None:
        answer["trace"] = list(ring.events)
    return answer


class _Run:
    """One request: its first step and those driven after it."""

    def __init__(
        self,
        request: Request,
        tools: Tools,
        budget: Budget,
        cancelled: Callable[[], bool] | None,
        hook: Callable[[Event], None] | None,
    ) -> None:
        self.request = request
        self.tools = tools
        self.budget = budget
        self.cancelled = cancelled
        self.hook = hook
        self.resolve = resolve if hook is None else partial(resolve, traced=True)
        self.long_lists: list[Value] = []
        self.fuel_used = 0
        self.step = request.step

    def answer(self, progress: Callable[[int], None] | None, pause: Callable[[], bool] | None) -> Answer:
        request = self.request
        try:
            program = self.program()
            given = read_data(request.input) if request.data else read_input(request.input, raw=request.raw)
            outcome = self.one_step(program, given)
            driven = 0
            while isinstance(outcome, _Next) and driven < request.drive:
                if pause is not None and pause():
                    return self.continuation(outcome, "paused")
                if self.cancelled is not None and self.cancelled():
                    return self.continuation(outcome, "cancelled")
                try:
                    following = self.one_step(outcome.tool, outcome.term)
                except PifError as error:
                    if error.kind in ("out_of_fuel", "cancelled"):
                        return self.continuation(outcome, error.kind)
                    raise
                outcome = following
                driven += 1
                if progress is not None:
                    progress(self.step)
        except PifError as error:
            error.fuel_used += self.fuel_used
            return {"type": "error", "error": error.as_json()}
        return self.continuation(outcome, None) if isinstance(outcome, _Next) else outcome

    def program(self) -> Tool | Term:
        """What to run: a tool, or a term of the run's own."""
        request = self.request
        if request.tool is not None:
            tool = self.tools.tool(request.tool)
            if tool is not None:
                return tool
            raise missing_tool(request.tool, self.tools)
        code = request.code
        if not isinstance(code, str):
            return decode_term(code)
        tool = self.tools.tool(code)
        if tool is not None:
            return tool
        try:
            data = load_json(code, levels=JSON_LEVELS)
        except JsonError:
            missing = missing_tool(code, self.tools)
            raise PifError(
                "parse_error",
                f'"{code[:80]}" is neither a tool\'s name nor the JSON text of a term: {missing.message}',
                found=f"a string of {len(code)} characters",
                expected="a tool's name, or a term",
                hint=missing.hint,
            ) from None
        except ValueError as error:
            raise PifError("term_too_deep", str(error)) from None
        return decode_term(data)

    def one_step(self, program: Tool | Term, given: Term | tuple[Value, int]) -> Answer | _Next:
        """One run: the code's value, called on the input where it is a function."""
        left = self.budget.fuel - self.fuel_used
        if left < 1:
            raise PifError("out_of_fuel", f"all {self.budget.fuel} units of fuel are used")
        budget = msgspec.structs.replace(self.budget, fuel=left)
        machine = Machine(budget, self.tools, self.resolve, cancelled=self.cancelled, hook=self.hook)
        machine.long_lists = self.long_lists
        try:
            value = self.value(machine, program, given)
            outcome = self.next(value) if type(value) is Continuation else self.printed(value, machine)
        except PifError as error:
            error.fuel_used = machine.used()
            raise
        self.fuel_used += machine.used()
        if isinstance(outcome, _Next):
            self.step += 1
        else:
            outcome["fuel_used"] = self.fuel_used
        return outcome

    def value(self, machine: Machine, program: Tool | Term, given: Term | tuple[Value, int]) -> Value:
        depth = self.budget.depth
        if isinstance(program, Tool):
            code = machine.code_of(program)
        else:
            code = self.resolve(program, (), "code", None)
        value = code.root.ev((), depth, machine)
        if type(value) is not Closure:
            return value
        if isinstance(given, Term):
            argument = self.resolve(given, (), "input", None, operand=True).root.ev((), depth, machine)
        else:
            argument, charge = given
            machine.charge(charge, code.root)
            if is_list(argument):
                machine.keep(argument)
        body: Node = value.body
        machine.charge(table.CALL, body)
        return body.ev((argument, value.env), depth - 1, machine)

    def printed(self, value: Value, machine: Machine) -> Answer:
        printed = print_value(value, self.budget.result_bytes)
        if printed is None:
            raise PifError(
                "result_too_large",
                f"the result prints to more than {self.budget.result_bytes} bytes",
                expected=f"at most {self.budget.result_bytes} bytes of UTF-8",
                hint="Return a part or a summary; a value that shares its parts is small only in memory.",
            )
        answer: Answer = {"type": "value", **printed.fields(), "kind": kind_of(value)}
        if self.request.step or self.request.drive:
            answer["step"] = self.step
        return answer

    def next(self, marker: Continuation) -> _Next:
        """The next step that a `continue` asks for: its input as a written term, within the limits of results."""
        node = marker.node
        tool = node.origin()[0].owner
        limit = self.budget.result_bytes
        try:
            term = literal_term(marker.value, at_most(limit))
        except NotData as error:
            node.input.fail("type_error", "the input of `continue` holds a function", found=str(error),
                            expected="data", hint="Pass a tool's name and use `code_of` and `eval` instead.")  # fmt: skip
        except TooDeepTerm:
            node.input.fail("term_too_deep", "the input of `continue` nests deeper than a written term may")
        except TooManyNodes:
            node.input.fail("result_too_large", f"the input of `continue` prints to more than {limit} bytes")
        printed = print_value(marker.value, limit, as_term=True)
        if printed is None:
            node.input.fail("result_too_large", f"the input of `continue` prints to more than {limit} bytes")
        return _Next(tool, term)

    def continuation(self, following: _Next, stopped: str | None) -> Answer:
        data = print_term(following.term)
        answer: Answer = {
            "type": "continuation",
            "message": "Recursive step needed. Call run again with:",
            "tool": following.tool.reference,
            "next_input": data,
            "step": self.step,
            "fuel_used": self.fuel_used,
        }
        if not _reads_back(data, following.term):
            answer["raw"] = True
        if stopped is not None:
            answer["stopped"] = stopped
        return answer


class _Next:
    """A step that is asked for: the tool, and its input as a term."""

    __slots__ = ("term", "tool")

    def __init__(self, tool: Tool, term: Term) -> None:
        self.tool = tool
        self.term = term


def _reads_back(data: Json, term: Term) -> bool:
    """Whether input normalisation leaves the input of a continuation as it is."""
    try:
        return same_term(read_input(data), term)
    except PifError:
        return False
