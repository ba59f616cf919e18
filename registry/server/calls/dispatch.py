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
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec

from pif.language.errors import nearest
from registry.errors import RegistryError
from registry.server.calls.argument_check import Checker
from registry.server.calls.confirmation import can_be_asked, confirmed
from registry.server.calls.contexts import Call, Report, Workers
from registry.server.contract.group import Answer, Group, ToolSpec
from registry.server.contract.questions import Client, InputRequired

__all__ = ["CALLS", "Calls", "Contained", "Defects"]

CALLS = 256
"""Calls under way at once."""

logger = logging.getLogger(__name__)

_NAMED = 12


class _Entry(msgspec.Struct, frozen=True):
    group: Group
    spec: ToolSpec
    checker: Checker


class Calls:
    """The tools of some groups, by name. Use it from one event loop.

    Raises ValueError where two groups list the same tool, or a tool's schema and its type do not say the same.
    """

    def __init__(self, groups: Sequence[Group], workers: Workers, defects: Defects) -> None:
        self._groups = tuple(groups)
        self._workers = workers
        self._defects = defects
        self._running = 0
        self._listed = [group.tools() for group in self._groups]
        self._entries: dict[str, _Entry] = {}
        for group, specs in zip(self._groups, self._listed, strict=True):
            for spec in specs:
                if spec.name in self._entries:
                    other = self._entries[spec.name].group.name
                    raise ValueError(f"groups {other} and {group.name} both list the tool {spec.name}")
                self._entries[spec.name] = _Entry(group, spec, Checker(spec))

    def specs(self) -> list[ToolSpec]:
        """The tools to list, as of now."""
        self._refresh()
        return [entry.spec for entry in self._entries.values()]

    def is_interactive(self, name: Any) -> bool:
        """Whether a call of this tool may ask its client or write to its log: it needs `answer_or_ask`."""
        entry = self._entries.get(name) if isinstance(name, str) else None
        return entry is not None and (entry.spec.interactive or entry.spec.may_ask)

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

    async def answer(self, name: Any, arguments: Any, report: Report | None) -> Answer:
        """Answer a call of a tool that is not interactive. `report` sends progress, or is None where the client wants
        none."""
        answer = await self.answer_or_ask(name, arguments, report, None)
        if isinstance(answer, Answer):
            return answer
        with self._defects.contain(f"tool {name}") as contained:
            raise TypeError("a tool that is not interactive asked its client")
        return contained.answer()

    async def answer_or_ask(
        self, name: Any, arguments: Any, report: Report | None, client: Client | None
    ) -> Answer | InputRequired:
        """Answer a call, or say what its client has to be asked first. `client` is None where it cannot be asked."""
        if not isinstance(name, str):
            return Answer.error("invalid_argument", "`name` must be the name of a tool, a string", path="")
        entry: _Entry | None = None
        with self._defects.contain(f"the search for {name[:100]!r}") as contained:
            self._refresh()
            entry = self._find(name)
            if entry is None:
                return self._unknown(name)
        if entry is None:
            return contained.answer()
        answer = await self._of_tool(entry, arguments, report, client)
        return answer if isinstance(answer, InputRequired) else _with_error_fields(entry.spec, answer)

    async def _of_tool(
        self, entry: _Entry, arguments: Any, report: Report | None, client: Client | None
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
            question = await self._question(entry, checked)
            undecided = None if question is None else confirmed(question, client)
            if undecided is not None:
                return undecided
        if self._running >= CALLS:
            hint = "Wait for one of them to end, then try again."
            return Answer.error("too_busy", f"{CALLS} calls are under way", hint=hint)
        self._running += 1
        try:
            return await self._perform(entry, checked, Call(self._workers, report, client))
        finally:
            self._running -= 1

    async def _question(self, entry: _Entry, arguments: msgspec.Struct) -> str | None:
        """What a person should agree to before this call; None where it destroys nothing."""
        name = entry.spec.name
        with self._defects.contain(f"the question before a call of {name}"):
            return await self._workers.run(lambda: entry.group.question(name, arguments))
        return f"What `{name}` would change could not be found out. Call it all the same?"

    async def _perform(self, entry: _Entry, arguments: msgspec.Struct, call: Call) -> Answer | InputRequired:
        with self._defects.contain(f"tool {entry.spec.name}") as contained:
            try:
                answer = await entry.group.call(entry.spec.name, arguments, call)
                await call.finish()
                return answer
            except asyncio.CancelledError:
                call.cancel()
                raise
        call.cancel()
        return contained.answer()

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

    def _find(self, name: str) -> _Entry | None:
        entry = self._entries.get(name)
        if entry is not None:
            return entry
        for group in self._groups:
            spec = group.find(name)
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
