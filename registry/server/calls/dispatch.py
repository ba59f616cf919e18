"""Calls of tools, from the raw name and arguments to an `Answer`. Knows no MCP library.

Invariants
----------
- `answer` always answers: unknown tools, bad arguments, errors and defects are values. Only cancellation raises.
- No exception's text is in an answer. An exception that should not have happened is logged whole; the client sees an
  error of kind `internal` with a reference that the log repeats (`Defects`).
- The order of tools is that of the groups, and within a group its own; where two groups offer a name, the first has it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec

from pif.language.budget import DEFAULT_FUEL
from pif.language.errors import nearest
from pif.run.evaluate import fuel_told
from registry.access.quotas import Meter, Spent, Stored
from registry.access.required_scopes import EVOLVED, scope_of_tool
from registry.errors import RegistryError
from registry.records import RESERVED, team_of
from registry.server.calls.argument_check import Checker
from registry.server.calls.confirmation import can_be_asked, confirmed
from registry.server.calls.contexts import Call, Report
from registry.server.calls.jobs import ClientJobs, Job, Jobs, JobsElsewhere
from registry.server.calls.lanes import Busy
from registry.server.calls.observation import CallRecord, Observer, Outcome, request_origin
from registry.server.calls.schedule import Schedule
from registry.server.calls.searches import SearchFailed
from registry.server.contract.group import Answer, CallContext, Group, ToolSpec
from registry.server.contract.questions import Client, InputRequired

__all__ = ["ALL_CALLS", "CALLS", "Calls", "Contained", "Defects", "too_busy"]

CALLS = 256
"""Calls of one client under way at once."""

ALL_CALLS = 1_024
"""Calls under way at once."""

RETRY_AFTER_MS = 1_000
"""When to ask again where so many calls are under way."""

logger = logging.getLogger(__name__)

_NAMED = 12


class _Entry(msgspec.Struct, frozen=True):
    group: Group
    spec: ToolSpec
    checker: Checker

    @property
    def is_evolved(self) -> bool:
        return self.group.name == "pif" and self.spec.name not in RESERVED


class Calls:
    """The tools of some groups, by name. Use it from one event loop.

    Raises ValueError where two groups list the same tool, or a tool's schema and its type do not say the same.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        schedule: Schedule,
        defects: Defects,
        observers: Sequence[Observer] = (),
        meter: Meter | None = None,
        elsewhere: JobsElsewhere | None = None,
    ) -> None:
        """`meter` counts what these clients together use, where that has limits; `elsewhere` has jobs of theirs too."""
        self._groups = tuple(groups)
        self._meter = meter
        self._observers = tuple(observers)
        self._schedule = schedule
        self._defects = defects
        board = next((each.job_board for each in groups if each.job_board is not None), None)
        self.jobs = Jobs(elsewhere, board)
        self._running = 0
        self._of_client: dict[str, int] = {}
        self._listed = [group.tools() for group in self._groups]
        self._entries: dict[str, _Entry] = {}
        for group, specs in zip(self._groups, self._listed, strict=True):
            for spec in specs:
                if spec.name in self._entries:
                    other = self._entries[spec.name].group.name
                    raise ValueError(f"groups {other} and {group.name} both list the tool {spec.name}")
                self._entries[spec.name] = _Entry(group, spec, Checker(spec))

    async def specs(self) -> list[ToolSpec]:
        """The tools to list, as of now."""
        await self._look()
        return [entry.spec for entry in self._entries.values()]

    def is_interactive(self, name: Any) -> bool:
        """Whether a call of this tool may ask its client or write to its log: it needs `answer_or_ask`."""
        entry = self._entries.get(name) if isinstance(name, str) else None
        return entry is not None and (entry.spec.interactive or entry.spec.may_ask)

    def required_scope(self, name: Any, arguments: Any) -> str:
        """The scope that a call of this tool needs; of a name that is no tool, that of the tools which anybody may add."""
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None and isinstance(name, str):
            with self._defects.contain(f"the search for {name[:100]!r}"):
                self._refresh()  # the tools of a group may change; what no group lists is an evolved one, or none
                entry = self._entries.get(name)
        if entry is None or entry.is_evolved:
            return EVOLVED
        return scope_of_tool(entry.group.name, entry.spec.name, arguments)

    def refused(self, name: Any, kind: str, message: str, hint: str) -> Answer:
        """The answer of a call whose question was not answered, with the fields that the tool's errors have."""
        entry = self._entries.get(name) if isinstance(name, str) else None
        unchanged = ": nothing was changed" if entry is not None and entry.spec.may_ask else ""
        answer = Answer.error(kind, f"{message}{unchanged}", hint=hint)
        return answer if entry is None else _with_error_fields(entry.spec, answer)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema that a tool's arguments are advertised with; None where there is no such tool."""
        self._refresh()
        entry = self._entries.get(name)
        return None if entry is None else entry.spec.input_schema

    async def answer(self, name: Any, arguments: Any, report: Report | None, whose: str = "") -> Answer:
        """Answer a call of a tool that is not interactive. `report` sends progress, or is None where the client wants
        none. `whose` call it is: its clients share the server fairly."""
        answer = await self.answer_or_ask(name, arguments, report, None, whose=whose)
        if isinstance(answer, Answer):
            return answer
        with self._defects.contain(f"tool {name}") as contained:
            raise TypeError("a tool that is not interactive asked its client")
        return contained.answer()

    async def answer_or_ask(
        self, name: Any, arguments: Any, report: Report | None, client: Client | None, whose: str = ""
    ) -> Answer | InputRequired:
        """Answer a call, or say what its client has to be asked first. `client` is None where it cannot be asked."""
        found: list[_Entry] = []
        if not self._observers:
            return await self._answered(name, arguments, report, client, whose, found)
        began, begun = time.time(), time.perf_counter()
        answer: Answer | InputRequired | None = None
        try:
            answer = await self._answered(name, arguments, report, client, whose, found)
            return answer
        finally:
            entry = found[0] if found else None
            self._observed(name, entry, arguments, answer, whose, began, time.perf_counter() - begun)

    def _observed(
        self,
        name: Any,
        entry: _Entry | None,
        arguments: Any,
        answer: Answer | InputRequired | None,
        whose: str,
        began: float,
        seconds: float,
    ) -> None:
        """Tell the observers of a call. `answer` is None where it was cancelled."""
        shown = name if isinstance(name, str) else ""
        outcome, kind, fuel = _seen(answer)
        record = CallRecord(
            tool=shown[:200], group="" if entry is None else entry.group.name, outcome=outcome, kind=kind,
            begun=began, seconds=seconds, fuel=fuel, whose=whose, request=request_origin(),
        )  # fmt: skip
        for observer in self._observers:
            with self._defects.contain("an observer of calls"):
                observer.ended(
                    msgspec.structs.replace(record, arguments=arguments)
                    if observer.wants_arguments
                    else record
                )

    async def _answered(
        self,
        name: Any,
        arguments: Any,
        report: Report | None,
        client: Client | None,
        whose: str,
        found: list[_Entry],
    ) -> Answer | InputRequired:
        """The answer; the tool is put into `found`."""
        if not isinstance(name, str):
            return Answer.error("invalid_argument", "`name` must be the name of a tool, a string", path="")
        entry: _Entry | None = None
        with self._defects.contain(f"the search for {name[:100]!r}") as contained:
            entry = await self._as_of_now(name)
            if entry is None:
                return self._unknown(name)
        if entry is None:
            return contained.answer()
        found.append(entry)
        answer = await self._of_tool(entry, arguments, report, client, whose)
        return answer if isinstance(answer, InputRequired) else _with_error_fields(entry.spec, answer)

    async def _of_tool(
        self, entry: _Entry, arguments: Any, report: Report | None, client: Client | None, whose: str
    ) -> Answer | InputRequired:
        checked: msgspec.Struct | Answer | None = None
        name = entry.spec.name
        with self._defects.contain(f"the preparation of a call of {name[:100]!r}") as contained:
            checked = entry.checker.check(arguments)
        if checked is None:
            return contained.answer()
        if isinstance(checked, Answer):
            return checked
        if entry.spec.may_ask and client is not None and can_be_asked(client.capabilities):
            try:
                question = await self._question(entry, checked, whose)
            except Busy as busy:
                return too_busy(f"the server is busy: {busy.message}", busy.retry_after_ms)
            undecided = None if question is None else confirmed(question, client)
            if undecided is not None:
                return undecided
        stored: Stored | None = None
        if self._meter is not None:
            with self._defects.contain(f"the measuring before a call of {name[:100]!r}") as contained:
                stored = await self._meter.measure(*self._about(entry, checked))
            if stored is None:
                return contained.answer()
        mine = self._of_client.get(whose, 0)
        if mine >= CALLS or self._running >= ALL_CALLS:
            return too_busy(f"{max(mine, self._running)} calls are under way", RETRY_AFTER_MS)
        fuel, answer = self._fuel_of(entry, checked), None
        spent = Spent()
        if self._meter is not None and stored is not None:
            exceeded = self._exceeded(self._meter, entry, checked, fuel, stored)
            if exceeded is not None:
                return exceeded
        self._running += 1
        self._of_client[whose] = mine + 1
        telling = fuel_told.set(None if self._meter is None else spent.add)
        try:
            answer = await self._perform(entry, checked, report, client, whose)
            return answer
        finally:
            fuel_told.reset(telling)
            if self._meter is not None:
                # Of what was cancelled it is not known how much it used.
                seen = 0 if answer is None else min(fuel, _seen(answer)[2])
                self._meter.end(fuel, max(fuel, spent.fuel) if answer is None else seen or spent.fuel)
            self._running -= 1
            left = self._of_client[whose] - 1
            if left:
                self._of_client[whose] = left
            else:
                del self._of_client[whose]

    def _fuel_of(self, entry: _Entry, arguments: msgspec.Struct) -> int:
        """The fuel that a call may use: of those that run something."""
        if self.required_scope(entry.spec.name, None) != EVOLVED:
            return 0
        asked = getattr(arguments, "fuel", None)
        return asked if isinstance(asked, int) else DEFAULT_FUEL

    def _about(self, entry: _Entry, arguments: msgspec.Struct) -> tuple[str, str, str | None, str]:
        """What a meter asks of a call: the tool, its scope, the session that it names, the team that it changes."""
        session, name = getattr(arguments, "session", None), entry.spec.name
        named = session if isinstance(session, str) else None
        directory = getattr(arguments, "directory", None)
        scope = self.required_scope(name, {"directory": directory} if isinstance(directory, str) else None)
        if scope not in ("evolve", "theory"):
            return name, scope, named, ""
        changed, into = getattr(arguments, "name", None), getattr(arguments, "team", None)
        team = team_of(changed) if isinstance(changed, str) else ""
        return name, scope, named, team or (into if isinstance(into, str) else "")

    def _exceeded(
        self, meter: Meter, entry: _Entry, arguments: msgspec.Struct, fuel: int, stored: Stored
    ) -> Answer | None:
        """The answer of a call that would go beyond a quota; None where the meter counts it from now on."""
        name, scope, session, team = self._about(entry, arguments)
        found = meter.begin(name, scope, fuel, session, team, stored)
        if found is None:
            return None
        more: dict[str, Any] = {"quota": found.quota, "limit": found.limit, "used": found.used}
        hint = found.hint
        if found.retry_after_ms is not None:
            more["retry_after_ms"] = found.retry_after_ms
            hint += f" There is room again in {found.retry_after_ms:,} ms."
        return Answer.error("quota_exceeded", found.message, hint=hint, **more)

    async def _question(self, entry: _Entry, arguments: msgspec.Struct, whose: str) -> str | None:
        """What a person should agree to before this call; None where it destroys nothing."""
        name = entry.spec.name
        busy: Busy | None = None
        with self._defects.contain(f"the question before a call of {name}"):
            try:
                return await self._schedule.in_thread(
                    "writes", whose, lambda: entry.group.question(name, arguments)
                )
            except Busy as error:
                busy = error
        if busy is not None:
            raise busy
        return f"What `{name}` would change could not be found out. Call it all the same?"

    async def _perform(
        self,
        entry: _Entry,
        arguments: msgspec.Struct,
        report: Report | None,
        client: Client | None,
        whose: str,
    ) -> Answer | InputRequired:
        def jobs_answering(
            work: Callable[[CallContext], Awaitable[Answer | InputRequired]],
        ) -> Callable[[Job], Awaitable[Answer]]:
            async def answer(job: Job) -> Answer:
                found = await self._contained(
                    name, work, Call(self._schedule, job.note, jobs, whose, is_job=True, proved=proved)
                )
                if isinstance(found, Answer):
                    return found
                return Answer.error("internal", "a job asked its client, which nobody can answer")

            return answer

        name, group = entry.spec.name, entry.group
        proved = None if self._meter is None else self._meter.proved
        jobs = ClientJobs(self.jobs, whose, jobs_answering)
        call = Call(self._schedule, report, jobs, whose, client=client, proved=proved)
        return await self._contained(name, lambda context: group.call(name, arguments, context), call)

    async def _contained(
        self, name: str, work: Callable[[CallContext], Awaitable[Answer | InputRequired]], call: Call
    ) -> Answer | InputRequired:
        """The answer of some work, whatever happens in it but cancellation."""
        with self._defects.contain(f"tool {name}") as contained:
            try:
                answer = await work(call)
                await call.finish()
                return answer
            except Busy as busy:
                return too_busy(f"the server is busy: {busy.message}", busy.retry_after_ms)
            except SearchFailed as failed:
                return too_busy(str(failed), RETRY_AFTER_MS)
            except asyncio.CancelledError:
                call.cancel()
                raise
        call.cancel()
        return contained.answer()

    async def _look(self) -> None:
        """Rebuild the table from what the groups have now."""
        for group in self._groups:
            await group.refresh()
        self._refresh()

    def _refresh(self) -> None:
        """Rebuild the table where a group's list is another object than before. A defective tool is left out."""
        listed = [group.tools() for group in self._groups]
        if all(new is old for new, old in zip(listed, self._listed, strict=True)):
            return
        entries: dict[str, _Entry] = {}
        for group, specs in zip(self._groups, listed, strict=True):
            for spec in specs:
                if spec.name not in entries:
                    entry = self._kept(group, spec)
                    if entry is not None:
                        entries[spec.name] = entry
        self._listed = listed
        self._entries = entries

    def _kept(self, group: Group, spec: ToolSpec) -> _Entry | None:
        old = self._entries.get(spec.name)
        if old is not None and old.spec is spec:
            return old
        with self._defects.contain(f"the specification of tool {spec.name}"):
            return _Entry(group, spec, Checker(spec))
        return None

    async def _as_of_now(self, name: str) -> _Entry | None:
        """The tool of that name.  Only evolved tools come and go; the store is not asked about the others."""
        entry = self._entries.get(name)
        if entry is not None and not entry.is_evolved:
            return entry
        await self._look()
        return await self._find(name)

    async def _find(self, name: str) -> _Entry | None:
        entry = self._entries.get(name)
        if entry is not None:
            return entry
        for group in self._groups:
            spec = await group.find(name)
            if spec is not None:
                return _Entry(group, spec, Checker(spec))
        return None

    def _unknown(self, name: str) -> Answer:
        close = nearest(name, self._entries)
        some = ", ".join(itertools.islice(self._entries, _NAMED))
        more = ", …" if len(self._entries) > _NAMED else ""
        hint = f"Did you mean `{close}`?" if close else f"Tools: {some}{more}."
        shown = name if len(name) <= 100 else name[:99] + "…"
        return Answer.error("unknown_tool", f"there is no tool `{shown}`", hint=hint)


def too_busy(message: str, retry_after_ms: int) -> Answer:
    """The answer where there is no room for a call. Nothing of it was begun."""
    hint = f"Ask again in {retry_after_ms:,} ms."
    return Answer.error("too_busy", message, hint=hint, retry_after_ms=retry_after_ms)


def _seen(answer: Answer | InputRequired | None) -> tuple[Outcome, str, int]:
    """How a call ended, the kind of its error, and the fuel of its runs."""
    if answer is None:
        return "cancelled", "", 0
    if isinstance(answer, InputRequired):
        return "asked", "", 0
    error, problem = answer.structured.get("error"), answer.structured.get("problem")
    said = error if isinstance(error, dict) else problem if isinstance(problem, dict) else answer.structured
    fuel = said.get("fuel_used")
    used = fuel if isinstance(fuel, int) else 0
    if not answer.is_error:
        return "ok", "", used
    kind = str(said.get("kind") or said.get("code", ""))  # errors of Kleis have codes
    return ("busy" if kind == "too_busy" else "error"), kind, used


def _with_error_fields(spec: ToolSpec, answer: Answer) -> Answer:
    if spec.error_fields is None or not answer.is_error:
        return answer
    missing = {name: value for name, value in spec.error_fields.items() if name not in answer.structured}
    if not missing:
        return answer  # as it is, so that its warnings stay first
    return msgspec.structs.replace(answer, structured={**missing, **answer.structured})


class Contained:
    """A `with` block that no `Exception` leaves. Cancellation and interpreter exits pass through."""

    def __init__(self, defects: Defects, where: str) -> None:
        self._defects = defects
        self._where = where
        self.reference = ""
        self._error: RegistryError | None = None

    def __enter__(self) -> Contained:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if isinstance(error, RegistryError) and error.kind != "internal":
            self._error = error  # no defect: the store, mostly, and its text is written for clients
            return True
        self.reference = self._defects.record(self._where, error)
        return True

    def answer(self) -> Answer:
        """What the client gets instead of an answer."""
        if self._error is not None:
            error = self._error.as_json()
            hint = f"\n{self._error.hint}" if self._error.hint else ""
            return Answer({"type": "error", "error": error}, f"{self._error}{hint}", is_error=True)
        hint = "The server goes on. If it happens again, report it with the server's log."
        return Answer.error("internal", f"internal error {self.reference}", hint=hint)


class Defects:
    """Numbers the defects of one server, so that a client can name one without having seen it."""

    def __init__(self) -> None:
        self._count = 0

    def contain(self, where: str) -> Contained:
        """A block whose exceptions are recorded as having happened in `where`."""
        return Contained(self, where)

    def record(self, where: str, error: Exception) -> str:
        """Log an exception with its traceback; returns its reference."""
        self._count += 1
        reference = f"E{self._count:04d}"
        logger.error("internal error %s in %s", reference, where, exc_info=error)
        return reference
