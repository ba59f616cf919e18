"""Runs of tools and terms under the limits of a workspace, and what is said of their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pif.analysis.types.tool_types import Typing, typing_of
from pif.language.budget import DEFAULT_FUEL, MAXIMUM_FUEL, RETAINED_BYTES, Budget
from pif.language.errors import PifError
from pif.language.host import Theory, missing_tool
from pif.language.terms import Json
from pif.language.warnings import Fractions, Rounding, warned
from pif.run.evaluate import Answer, Request, run
from registry.errors import RegistryError
from registry.records import ToolRecord, parse_reference, team_of
from registry.store.protocol import Store
from registry.teams.member import Member, Views
from registry.teams.team_store import TeamStore
from registry.tools.argument_types import applied, function_warning, kept_strings
from registry.tools.code_and_examples import read_code, verified
from registry.tools.library import Library
from registry.tools.snapshot_tools import SnapshotTools, TeamTools, TermCache, TypeCache
from registry.workspace.run_scheduling import Admission, BriefTools, answer_briefly, is_brief, needs_words

__all__ = ["ToolRunner"]


def _named(request: Request, tools: SnapshotTools) -> ToolRecord | None:
    """The tool that a run names, if it names one."""
    name = request.tool if request.tool is not None else request.code
    return tools.find(name) if isinstance(name, str) else None


class ToolRunner:
    """A store of tools over the standard library, and the limits under which they run.

    `maximum_fuel` is what one run may ask for, `default_fuel` what it gets unasked; `memory` (bytes) is what the runs
    at one time may retain together; `fractions` is what becomes of numbers with a fraction in code, inputs and examples.
    """

    def __init__(
        self,
        store: Store,
        *,
        maximum_fuel: int = MAXIMUM_FUEL,
        default_fuel: int = DEFAULT_FUEL,
        memory: int = 512 * 2**20,
        library: Library | None = None,
        fractions: Fractions = "round",
        admission: Admission | None = None,
        member: Member | None = None,
    ) -> None:
        """`admission` stands for a `memory` that is shared with other workspaces; `member` says which teams' tools are in reach."""
        self.store = store
        self.fractions = fractions
        self.library = library or Library(verified)
        self.maximum_fuel = maximum_fuel
        self.default_fuel = min(default_fuel, maximum_fuel)
        self.admission = admission or Admission(memory)
        self.member = member
        self._terms = TermCache()
        self._types = TypeCache()

    def advice(self, word: str) -> str | None:
        """What does here what other languages call so."""
        from registry.tools.advice import advice  # not needed to run a tool

        return advice(word, self.library)

    def tools(self) -> SnapshotTools:
        """A snapshot of the tools; over a team's store, of that team's tools as its code means them."""
        if isinstance(self.store, TeamStore):
            return TeamTools(self.store.team, self.store.snapshot(), self._terms, self.library)
        return SnapshotTools(self.store.snapshot(), self._terms, self.library, self._views())

    def _views(self) -> Views | None:
        return None if self.member is None else Views(self.member)

    def record(self, reference: str) -> ToolRecord:
        """The record that `name` or `name@version` names, or `unknown_tool`."""
        wanted = parse_reference(reference)
        record = self.tools().find(str(wanted))
        if record is not None:
            return record
        missing = missing_tool(reference, self.tools())
        raise RegistryError("unknown_tool", missing.message, found=missing.found, hint=missing.hint)

    def run(
        self,
        request: Request,
        *,
        fuel: int | None = None,
        theory: Theory | None = None,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        pause: Callable[[], bool] | None = None,
    ) -> Answer:
        """Run a tool or a term under exact limits, with a theory to ask if there is one.

        A string stays a string where the tool's type says that it takes one. A value that is a function comes with a
        warning that says how the tool is called.
        """
        try:
            fuel = self.fuel(fuel)
            tools = self.tools()
            record = _named(request, tools)
            with self.admission.of(fuel * RETAINED_BYTES):
                budget = Budget(fuel=fuel, ceiling=self.maximum_fuel)
                answer = run(
                    self._asked(request), tools, budget,
                    theory=theory, cancelled=cancelled, progress=progress, pause=pause,
                    kept=None if record is None else lambda: kept_strings(self._types.typing(record, tools)),
                    advice=self.advice, shares=True,
                )  # fmt: skip
            return self._explained(answer, request, record, tools)
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}

    @staticmethod
    def _locate(error: dict[str, Json], tools: SnapshotTools) -> None:
        """Add the place in the Python that was written, where an error is in the code of a tool that was."""
        failed = tools.find(error["tool"]) if "tool" in error else None
        if failed is not None and failed.python is not None:
            from registry.tools.python_places import locate  # loads the translator

            locate(error, failed, tools)

    def _explained(
        self, answer: Answer, request: Request, record: ToolRecord | None, tools: SnapshotTools
    ) -> Answer:
        """An answer that is probably not what was wanted, with what may be the reason."""
        error = answer.get("error", {})
        self._locate(error, tools)
        if error.get("kind") == "out_of_fuel" and error["fuel_used"] >= self.maximum_fuel:
            error["hint"] += f" {self._maximum()}"
        if not needs_words(request, answer):
            return answer
        from registry.tools.advice import curried_folds, misread, read_otherwise

        is_function = answer.get("kind") == "function"
        if answer["type"] == "error" and (hint := read_otherwise(request, answer["error"])):
            answer["error"]["hint"] = hint
        elif answer["type"] == "value" and not is_function:
            return warned(answer, misread(request.code, answer.get("value")))
        typing: Typing | None = None
        if record is not None:
            found = curried_folds(self._terms.tool(record, record.reference).term)
        else:
            try:
                term = read_code(request.code, tools.nearest)
                found = curried_folds(term)
                typing = typing_of(term, tools) if is_function and not found else None
            except PifError:  # the answer says what is wrong with the code
                found = []
        if is_function and record is not None:
            typing = self._types.typing(record, tools)
        if typing is not None and not found:
            found = [function_warning(None if record is None else record.name, typing, 1, request.input)]
        return warned(answer, found)

    def run_on(
        self, name: str, arguments: Sequence[Json], request: Request, *, fuel: int | None = None, **how: Any
    ) -> Answer:
        """Call a curried tool on several arguments, one after another; the last is the input of the run.

        `raw` and `data` of `request` are about all of them; `how` is as for `run`.
        """
        rounding = Rounding(self.fractions)
        try:
            record = self.record(name)
            typing = self._types.typing(record, self.tools())
            asked = applied(name, arguments, request, typing, rounding)
        except PifError as error:
            return {"type": "error", "error": error.advised(self.advice).as_json()}
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}
        answer = warned(self.run(asked, fuel=fuel, **how), rounding.warnings())
        if answer.get("kind") == "function":
            # What was run is code made here: the warning of its value is replaced by one about the tool.
            told = function_warning(record.name, typing, len(arguments), arguments[-1])
            others = [each for each in answer.pop("warnings", ()) if each["code"] != told.code]
            answer = warned({"warnings": others, **answer} if others else answer, [told])
        return answer

    def run_briefly(self, request: Request, *, fuel: int | None = None) -> Answer | None:
        """The answer of `run` if it ends within a millisecond or two, else None: then call `run`.

        A first try under smaller limits; purity makes a second one invisible.
        """
        if request.drive or request.trace or not is_brief(request.code, request.input):
            return None
        try:
            fuel = self.fuel(fuel)
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}
        return answer_briefly(
            self._asked(request),
            fuel,
            BriefTools(self.store.snapshot(), self._terms, self.library, self._views()),
            self.advice,
        )

    def _asked(self, request: Request) -> Request:
        """A request with what the workspace says of fractions, in which what is spelled as a team's tool is a tool's name."""
        if isinstance(request.code, str) and request.tool is None and team_of(request.code):
            request = msgspec.structs.replace(request, code=None, tool=request.code)
        if self.fractions == "round":
            return request
        return msgspec.structs.replace(request, fractions=self.fractions)

    def fuel(self, asked: int | None) -> int:
        """The fuel of a run; an error for more than the maximum, which it names."""
        if asked is None:
            return self.default_fuel
        if not 1 <= asked <= self.maximum_fuel:
            raise RegistryError(
                "invalid_argument", f"`fuel` must be from 1 to {self.maximum_fuel}", place="fuel", found=str(asked),
                expected=f"1 to {self.maximum_fuel}",
                hint=f"{self._maximum()} Split longer work by `continue` and `drive`.",
            )  # fmt: skip
        return asked

    def _maximum(self) -> str:
        return (
            f"The most for one run is {self.maximum_fuel}, which PIF_MAX_FUEL or `pif serve --max-fuel` sets."
        )
