"""Runs: from a request to one of the three answers of docs/reference/pif.md §6 (value, continuation, error).

`run` is what the server's `run` tool and the command line call. Answers are values. It raises nothing but what its host's
look-ups do (`errors.HostError`): a defect below it is logged, and its answer is an error of the kind `internal`. Which
evaluator takes a step is decided in `stepping` and nowhere else; the answer does not depend on it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import msgspec

from pif.compiled.units import Cache
from pif.language.budget import JSON_LEVELS, Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.errors import HostError, PifError, forget
from pif.language.host import Theory, Tool, Tools, missing_tool
from pif.language.json_text import JsonError, load_json
from pif.language.reification import NotData, TooDeepTerm, TooManyNodes, at_most, literal_term
from pif.language.terms import Json, Term, print_term, same_term
from pif.language.text_mistakes import hint_for, is_meant_as_json
from pif.language.value_text import FunctionInData, print_value
from pif.language.values import Continuation, Value, kind_of
from pif.language.warnings import Fractions, PifWarning, Rounding, warned
from pif.reference.run_input import RunInput, given_data, given_term, given_value
from pif.reference.trace import Event, Ring, debug_writer, debugging
from pif.run.plain_input import plain_input
from pif.run.read_input import KeptStrings, read_data, read_input
from pif.run.stack_room import with_room
from pif.run.stepping import Stepper

if TYPE_CHECKING:
    from pif.run.answer_shapes import ContinuationAnswer, ValueAnswer

__all__ = ["Answer", "Request", "collector_paused", "fuel_told", "run"]

Answer = dict[str, Json]
"""`{"type": "value" | "continuation" | "error", …}`, exactly as docs/reference/pif.md §6 gives it."""

_FRAMES = 2_500
"""Python frames beside those of the evaluation's levels: the caller's, and walks over written terms."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. `tool` names a registered tool; without it `code` is a tool's name, a term, or a term's text.

    `raw` and `data` say how `input` is read; `step` is the steps taken before, `drive` how many further ones may be
    taken here; `trace` is how many of the last events to return. `as_term`: the value is printed as the literal term that
    evaluates to it, so that kinds show; one that holds a function is then a `type_error`. `fractions`: what becomes of
    numbers with a fraction in the code and the input.
    """

    code: Json = None
    tool: str | None = None
    input: Json = None
    raw: bool = False
    data: bool = False
    step: int = 0
    drive: int = 0
    trace: int = 0
    as_term: bool = False
    fractions: Fractions = "round"


class _Pause:
    """CPython's cyclic collector is switched off while anything evaluates: values are acyclic, and walking them over
    and over would take most of a long run's time. The switch is the process's, so runs are counted."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running = 0
        self.was_enabled = False

    def __enter__(self) -> None:
        with self.lock:
            if self.running == 0:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.running += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self.lock:
            self.running -= 1
            if self.running == 0 and self.was_enabled:
                gc.enable()


collector_paused = _Pause()
"""Keeps the cyclic garbage collector off for the length of a run."""

fuel_told: ContextVar[Callable[[int], None] | None] = ContextVar("fuel_told", default=None)
"""Is told the fuel of each run of this context that has ended, also of those that nobody shows: of examples, of laws."""

_cache = Cache()
"""Compiled code is the process's, like the code objects it holds; what it holds is bounded."""


def run(
    request: Request,
    tools: Tools,
    budget: Budget,
    *,
    theory: Theory | None = None,
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[int], None] | None = None,
    pause: Callable[[], bool] | None = None,
    brief: int | None = None,
    kept: Callable[[], KeptStrings] | None = None,
    advice: Callable[[str], str | None] | None = None,
    shares: bool = False,
) -> Answer:
    """Run a request on a snapshot of the registry.

    `theory` is what the operations of the group "theory" ask. `kept` says which strings of the input stay strings,
    where the caller knows what the function takes; `advice` what to use instead of a name that nothing has.
    `cancelled` is asked often, from the thread that runs (between driven steps it leaves the continuation so far,
    marked `"stopped": "cancelled"`); `progress` is told the step after each one driven; where
    `pause` answers true between steps, the continuation so far is the answer, marked `"stopped": "paused"`.
    With `shares`, a first step that runs out of fuel says where the fuel went, which takes the step once more.
    With `brief` the run is a first try that must not take long: nothing is compiled for it, and where nothing is ready
    it gets no more than so much fuel. Its `out_of_fuel` says only that the run takes longer.
    """
    ring = Ring(request.trace) if request.trace > 0 else None
    hook: Callable[[Event], None] | None = ring
    if debugging():
        hook = debug_writer(also=ring)
    reserve_stack(budget.depth * (1 if hook is None and not shares else 2) + _FRAMES)
    with collector_paused:
        stepper = Stepper(
            tools, budget, _cache, theory=theory, cancelled=cancelled, hook=hook, brief=brief, shares=shares
        )
        running = _Run(request, stepper, progress, pause, kept, advice)
        try:
            answer = warned(with_room(running.answer), running.warnings())
        except HostError:
            raise
        except Exception as defect:
            import logging  # only for this: what runs a term imports no logging

            logger = logging.getLogger(__name__)
            logger.exception("a run failed by a defect")
            answer = _defect(defect, running.fuel_used)
        finally:
            stepper.end()
    if (told := fuel_told.get()) is not None:
        told(running.fuel_used)
    if ring is not None:
        answer["trace"] = list(ring.events)
    return answer


def _defect(defect: Exception, fuel_used: int) -> Answer:
    """The answer where something failed that no term and no input may make fail."""
    return {
        "type": "error",
        "error": {
            "kind": "internal",
            "message": f"a defect of this program: {type(defect).__name__}",
            "path": "",
            "hint": "The log says where. Report it with the code and the input of the run.",
            "fuel_used": fuel_used,
        },
    }


class _Run:
    """One request: its first step and those driven after it."""

    def __init__(
        self,
        request: Request,
        stepper: Stepper,
        progress: Callable[[int], None] | None,
        pause: Callable[[], bool] | None,
        kept: Callable[[], KeptStrings] | None,
        advice: Callable[[str], str | None] | None,
    ) -> None:
        self.advice = advice
        self.request = request
        self.kept = kept
        self.stepper = stepper
        self.tools = stepper.tools
        self.budget = stepper.budget
        self.progress = progress
        self.pause = pause
        self.fuel_used = 0
        self.step = request.step
        self.rounding = Rounding(request.fractions)
        self.tool: Tool | None = None

    def warnings(self) -> list[PifWarning]:
        """What this run must say before its answer."""
        found = self.rounding.warnings()
        if self.tool is not None and self.tool.rounded is not None:
            found.append(
                self.tool.rounded.warning(
                    "fraction_rounded_in_tool", f"{self.tool.label} was kept with rounded numbers"
                )
            )
        return found

    def answer(self) -> Answer:
        request = self.request
        try:
            program = self.program()
            self.tool = program if isinstance(program, Tool) else None
            outcome = self.one_step(program, self.given())
            while isinstance(outcome, _Next) and self.step - request.step - 1 < request.drive:
                stopped = self.stopped()
                if stopped is not None:
                    return self.continuation(outcome, stopped)
                reached = outcome
                self.stepper.shares = False  # from here on running out of fuel is no error
                try:
                    outcome = self.further_steps(reached)
                except PifError as error:
                    if error.kind in ("out_of_fuel", "cancelled"):
                        forget(error)
                        return self.continuation(reached, error.kind)
                    raise
        except PifError as error:
            if self.advice is not None:
                error.advised(self.advice)
            error.fuel_used += self.fuel_used
            forget(error)
            return {"type": "error", "error": error.as_json()}
        return self.continuation(outcome, None) if isinstance(outcome, _Next) else outcome

    def given(self) -> RunInput:
        request = self.request
        if request.data:
            return given_data(*read_data(request.input, self.rounding))
        term = partial(read_input, request.input, raw=request.raw, rounding=self.rounding, kept=self.kept)
        return plain_input(request.input, term, raw=request.raw) or given_term(term())

    def stopped(self) -> str | None:
        """Why no further step is to be taken now, if so."""
        if self.pause is not None and self.pause():
            return "paused"
        cancelled = self.stepper.cancelled
        return "cancelled" if cancelled is not None and cancelled() else None

    def further_steps(self, before: _Next) -> Answer | _Next:
        """At least one step after the first: as many as go on compiled, else one."""
        steps = self.request.drive - (self.step - self.request.step - 1)
        taken, used, value = self.stepper.driven(before.tool, before.value, self.left(), steps, self.goes_on)
        if taken == 0:
            outcome = self.one_step(before.tool, given_term(before.term(self.budget.result_bytes)))
            if self.progress is not None:
                self.progress(self.step)
            return outcome
        self.fuel_used += used
        if type(value) is Continuation:
            return _Next(value.node, value.value)
        if self.progress is not None:
            self.progress(self.step)
        return self.finished(value)

    def goes_on(self) -> bool:
        """A driven step was taken: whether another may be."""
        self.step += 1
        if self.progress is not None:
            self.progress(self.step)
        return self.stopped() is None

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
            return decode_term(code, rounding=self.rounding)
        tool = self.tools.tool(code)
        if tool is not None:
            return tool
        try:
            data = load_json(code, levels=JSON_LEVELS)
        except JsonError as error:
            if is_meant_as_json(code):
                raise PifError(
                    "parse_error",
                    f"the code is not JSON: {error}",
                    found=f"a string of {len(code)} characters",
                    expected="a tool's name, or a term",
                    hint=hint_for(code),
                ) from None
            missing = missing_tool(code, self.tools)
            raise PifError(
                "parse_error",
                f'"{code[:80]}" is neither a tool\'s name nor the JSON text of a term: {missing.message}',
                found=f"a string of {len(code)} characters",
                expected="a tool's name, or a term",
                hint=hint_for(code) or missing.hint,
                unknown=code,
            ) from None
        except ValueError as error:
            raise PifError("term_too_deep", str(error)) from None
        return decode_term(data, rounding=self.rounding)

    def left(self) -> int:
        return self.budget.fuel - self.fuel_used

    def one_step(self, program: Tool | Term, given: RunInput) -> Answer | _Next:
        """One run: the code's value, called on the input where it is a function."""
        left = self.left()
        if left < 1:
            raise PifError("out_of_fuel", f"all {self.budget.fuel} units of fuel are used")
        step = self.stepper.step(program, given, left)
        self.fuel_used += step.used
        if type(step.value) is not Continuation:
            return self.finished(step.value)
        following = self.next(step.value)
        if following is None:  # the reference takes the same step, and knows the place to name
            following = self.next(self.stepper.reference(program, given, left).value)
            assert following is not None
        self.step += 1
        return following

    def finished(self, value: Value) -> Answer:
        try:
            printed = print_value(value, self.budget.result_bytes, as_term=self.request.as_term)
        except FunctionInData:
            raise PifError(
                "type_error", "the result is, or holds, a function, which no JSON says", found="a function",
                expected="data", hint="Give what the function gives for some argument.",
            ) from None  # fmt: skip
        if printed is None:
            raise PifError(
                "result_too_large",
                f"the result prints to more than {self.budget.result_bytes} bytes",
                expected=f"at most {self.budget.result_bytes} bytes of UTF-8",
                hint="Return a part or a summary; a value that shares its parts is small only in memory.",
            )
        answer: ValueAnswer = {"type": "value"}
        answer |= cast("ValueAnswer", printed.fields())
        answer["kind"] = kind_of(value)
        if self.request.step or self.request.drive:
            answer["step"] = self.step
        answer["fuel_used"] = self.fuel_used
        return cast(Answer, answer)

    def next(self, marker: Continuation) -> _Next | None:
        """The next step that a `continue` asks for: its input must be a written term within the limits of results.

        Where it is not, the place to name is a node of the reference's; for a compiled step the answer is None.
        """
        node = marker.node
        is_compiled = isinstance(node, Tool)
        following = _Next(node if is_compiled else node.origin()[0].owner, marker.value)
        limit = self.budget.result_bytes
        if given_value(marker.value, limit) is not None:
            return following
        try:
            following.written = literal_term(marker.value, at_most(limit))
            if print_value(marker.value, limit, as_term=True) is None:
                raise TooManyNodes
        except (NotData, TooDeepTerm, TooManyNodes) as error:
            if is_compiled:
                return None
            _refuse_next(node.input, error, limit)
        return following

    def continuation(self, following: _Next, stopped: str | None) -> Answer:
        term = following.term(self.budget.result_bytes)
        data = print_term(term)
        answer: ContinuationAnswer = {
            "type": "continuation",
            "message": "Recursive step needed. Call run again with:",
            "tool": following.tool.reference,
            "next_input": data,
            "step": self.step,
            "fuel_used": self.fuel_used,
        }
        if not _reads_back(data, term):
            answer["raw"] = True
        if stopped is not None:
            answer["stopped"] = stopped
        return cast(Answer, answer)


def _refuse_next(node: Any, error: Exception, limit: int) -> NoReturn:
    """The error of an input that no written term can be, at the node that gave it."""
    match error:
        case NotData():
            node.fail("type_error", "the input of `continue` holds a function", found=str(error), expected="data",
                      hint="Pass a tool's name and use `code_of` and `eval` instead.")  # fmt: skip
        case TooDeepTerm():
            node.fail("term_too_deep", "the input of `continue` nests deeper than a written term may")
        case _:
            node.fail("result_too_large", f"the input of `continue` prints to more than {limit} bytes")
    raise error


class _Next:
    """A step that is asked for: the tool, and the value whose literal term is its input."""

    __slots__ = ("tool", "value", "written")

    def __init__(self, tool: Tool, value: Value) -> None:
        self.tool = tool
        self.value = value
        self.written: Term | None = None

    def term(self, limit: int) -> Term:
        """The input as a term, made when it is first wanted."""
        if self.written is None:
            self.written = literal_term(self.value, at_most(limit))
        return self.written


def _reads_back(data: Json, term: Term) -> bool:
    """Whether input normalisation leaves the input of a continuation as it is."""
    try:
        return same_term(read_input(data), term)
    except PifError:
        return False
