"""A tool run on made-up inputs of its type: its errors and its use of fuel, each with the smallest input found.

The answer is a function of seed, tool, type and numbers. Inputs start small and grow. Errors are distinguished by kind
and place; each is shown with the smallest input found that still gives it, and so is the largest use of fuel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import cast

import msgspec

from pif.analysis.types.sampling import Sampler, shrunk
from pif.analysis.types.tool_types import Typing
from pif.analysis.types.type_text import TypeSyntaxError, parse_type, print_type
from pif.analysis.types.unification import DYNAMIC, Shape, Type, find
from pif.analysis.work import Unfinished
from pif.language.budget import Budget
from pif.language.errors import PifError
from pif.language.host import Tool, Tools
from pif.language.terms import Json, Term, print_term, same_term, term_text
from pif.run.evaluate import Answer, Request, run
from pif.run.read_input import read_input
from registry.errors import RegistryError
from registry.tools.answer_shapes import FuzzAnswer
from registry.tools.code_and_examples import fuel_of

__all__ = ["Fuzzing", "fuzz", "fuzzed_type"]

_SIZE = 12
"""The size of the last inputs: lengths of lists and strings, roughly."""

_TRIES = 400
"""Smaller inputs tried for one error."""

_KINDS = 20
"""Different errors that are reported."""

_STEPS = 1_000
"""How often a tool may `continue` in one example."""


class Fuzzing(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. `input_type` is None for a tool that is no function; `fuel` is that of each run."""

    input_type: Type | None
    seed: int
    examples: int
    fuel: int


def fuzzed_type(typing: Typing, said: str | None) -> Type | None:
    """The type of inputs: the given one, else the inferred one; `?` where none can be inferred, None where the tool is
    certainly no function."""
    if said is not None:
        try:
            return parse_type(said)
        except TypeSyntaxError as error:
            raise RegistryError(
                "invalid_argument", f"`type` is no type: {error}", place="type", found=said[:80],
                expected="a type, such as integer, list(string), pair(integer, integer), {name: string}",
                hint="`help` explains types under the topic `types`.",
            ) from None  # fmt: skip
    if typing.function is not None:
        return typing.function.parts[0]
    known = None if typing.type_ is None else find(typing.type_)
    if isinstance(known, Shape) and known.name != DYNAMIC:
        return None
    return parse_type(DYNAMIC)


class _Ended(Exception):
    """The caller stopped it."""


def fuzz(
    tool: Tool,
    tools: Tools,
    plan: Fuzzing,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] | None = None,
) -> Answer:
    """The answer `{"type": "fuzz", …}`; with what was found so far, once `stop` is true."""
    return _Fuzz(tool, tools, plan, stop).answer(progress)


class _Found:
    """One error: an input that shows it, how often it came, and the error object."""

    def __init__(self, given: Term | None, error: Json) -> None:
        self.given = given
        self.error = error
        self.count = 1


class _Fuzz:
    def __init__(self, tool: Tool, tools: Tools, plan: Fuzzing, stop: Callable[[], bool]) -> None:
        self.tool = tool
        self.tools = tools
        self.plan = plan
        self.stop = stop
        self.budget = Budget(fuel=plan.fuel)
        self.outcomes: Counter[str] = Counter()
        self.errors: dict[tuple[str, str, str], _Found] = {}
        self.fuel: list[int] = []
        self.most: tuple[int, Term | None] = (-1, None)
        self.seen: set[str] = set()
        self.stopped = False

    def answer(self, progress: Callable[[int], None] | None) -> Answer:
        plan = self.plan
        try:
            self.try_all(progress)
        except _Ended:
            self.stopped = True
        answer: FuzzAnswer = {
            "type": "fuzz",
            "tool": self.tool.label,
            "input_type": None if plan.input_type is None else print_type(plan.input_type),
            "seed": plan.seed,
            "examples": sum(self.outcomes.values()),
            "distinct": len(self.seen),
            "outcomes": dict(sorted(self.outcomes.items())),
            "errors": [self.smallest_error(key) for key in sorted(self.errors)],
        }
        if used := sorted(self.fuel):
            answer["fuel"] = {
                "limit": plan.fuel,
                "least": used[0],
                "median": used[len(used) // 2],
                "most": used[-1],
                "most_by": self.shown(
                    self.smallest(self.most[1], lambda answer: fuel_of(answer) >= used[-1])
                ),
            }
        if self.stopped:
            answer["stopped"] = True
        return cast(Answer, answer)

    def try_all(self, progress: Callable[[int], None] | None) -> None:
        plan = self.plan
        if plan.input_type is None:
            self.note(None)
            return
        for number in range(plan.examples):
            size = _SIZE * number // plan.examples
            try:
                given = Sampler(Random(f"{plan.seed}:{number}"), size).input(plan.input_type)
            except Unfinished:
                raise RegistryError(
                    "invalid_argument", "the type of its input is too large for inputs to be made up", place="type",
                    tool=self.tool.label, expected="a smaller type", hint="Pass `type`, or try a part of the tool.",
                ) from None  # fmt: skip
            self.note(given)
            if progress is not None:
                progress(number + 1)

    # One run.

    def ran(self, given: Term | None) -> Answer:
        if self.stop():
            raise _Ended
        data = None if given is None else print_term(given)
        answer = run(
            Request(tool=self.tool.reference, input=data, raw=True, drive=_STEPS), self.tools, self.budget,
            cancelled=self.stop,
        )  # fmt: skip
        if answer.get("stopped") == "cancelled" or _kind(answer) == "cancelled":
            raise _Ended
        return answer

    def note(self, given: Term | None) -> None:
        text = "" if given is None else term_text(given)
        answer = self.ran(given)
        self.seen.add(text)
        self.outcomes[_outcome(answer)] += 1
        key = _error(answer)
        if key in self.errors:
            self.errors[key].count += 1
        elif key is not None and len(self.errors) < _KINDS:
            self.errors[key] = _Found(given, answer["error"])
        used = fuel_of(answer)
        self.fuel.append(used)
        if used > self.most[0]:
            self.most = (used, given)

    # The smallest inputs.

    def smallest_error(self, key: tuple[str, str, str]) -> Json:
        found = self.errors[key]

        def shows(answer: Answer) -> bool:
            if _error(answer) != key:
                return False
            found.error = answer["error"]
            return True

        small = self.smallest(found.given, shows)
        return {"count": found.count, **self.shown(small), "error": found.error}

    def smallest(self, given: Term | None, shows: Callable[[Answer], bool]) -> Term | None:
        """The smallest input that shows something, or the first one where there is no time left to look."""
        type_ = self.plan.input_type
        if given is None or type_ is None:
            return given
        small = given

        def still(smaller: Term) -> bool:
            nonlocal small
            if not shows(self.ran(smaller)):
                return False
            small = smaller
            return True

        try:
            return shrunk(given, type_, still, _TRIES)
        except _Ended:
            self.stopped = True
            return small

    @staticmethod
    def shown(given: Term | None) -> dict[str, Json]:
        """An input as `run` takes it; with `raw` where its strings would be read again."""
        if given is None:
            return {"input": None}
        data = print_term(given)
        try:
            plain = same_term(read_input(data), given)
        except PifError:
            plain = False
        return {"input": data} if plain else {"input": data, "raw": True}


def _kind(answer: Answer) -> str:
    return str(answer["error"]["kind"]) if answer["type"] == "error" else ""


def _outcome(answer: Answer) -> str:
    """How a run ended; a driven one that used its fuel up between steps ran out of fuel."""
    if answer["type"] == "continuation":
        return "continuation"
    return _kind(answer) or "value"


def _error(answer: Answer) -> tuple[str, str, str] | None:
    """The key of an error: kind, place, and the tool whose code the place is in; without a place where fuel or depth ran
    out."""
    if answer["type"] != "error":
        return None
    error = answer["error"]
    kind, path = str(error["kind"]), str(error["path"])
    if kind in ("out_of_fuel", "too_deep"):
        return kind, "", ""
    return kind, "/input" if path.startswith("/input") else path, str(error.get("tool", ""))
