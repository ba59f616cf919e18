"""Groups with the calls of their tools, their lists and their announcements: all that those who speak for them share.

Invariants
----------
- The tool list depends on the groups and on what the caller may do, never on the connection; schemas are as they stand.
- Changes that come together are announced once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeVar

import msgspec

from registry.access.quotas import Meter
from registry.server.calls.contexts import Changes, ListName
from registry.server.calls.dispatch import Calls, Defects
from registry.server.calls.jobs import JobsElsewhere
from registry.server.calls.lanes import LANES, divided
from registry.server.calls.observation import Observer
from registry.server.calls.schedule import Schedule
from registry.server.calls.stopping import Stopping
from registry.server.contract.group import Answer, Group, PromptSpec, ResourceSpec, TemplateSpec, ToolSpec
from registry.server.offers.wire_forms import INSTRUCTIONS_LIMIT
from registry.server.streams.generations import SERVER_INFO_KEY
from registry.server.streams.messages import Unencodable, encode_json, tool_result

__all__ = ["Failed", "Offer", "Shared"]

Result = TypeVar("Result")


class Shared(JobsElsewhere, Protocol):
    """What the servers of one principal in many processes have in common: how many `workers` there are, the key of what clients
    keep between two rounds, their jobs, and what they tell each other."""

    @property
    def workers(self) -> int: ...

    @property
    def state_key(self) -> bytes: ...

    def share(self, topic: str, text: str) -> None: ...


class Failed(Exception):
    """A defect, which is logged whole; the text is for the client."""


class Offer:
    """Some groups as one server, whoever speaks for it. Use it from one event loop, within `open`.

    `on_changed` announces changed lists; `on_look` is told that something else may stand at addresses that are watched.
    Raises ValueError where the groups do not fit together (see `Calls`) or their instructions are too long.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        *,
        name: str,
        version: str,
        title: str = "",
        observers: Sequence[Observer] = (),
        beside: Offer | None = None,
        meter: Meter | None = None,
        shared: Shared | None = None,
    ) -> None:
        """`observers` are told of every call. `beside`: an offer of the same process, whose lanes it shares and with which it
        ends: its clients take turns with those of the other, and nothing else is common to both. `meter` counts what its
        clients together use. `shared`: what it has in common with those of the same principal in other processes."""
        self.groups: Final = tuple(groups)
        self.name = name
        self.version = version
        self.title = title
        self.shared = shared
        self._owns_schedule = beside is None
        sizes = LANES if shared is None else divided(LANES, shared.workers)
        self.schedule: Schedule = Schedule(sizes) if beside is None else beside.schedule
        self.stopping: Stopping = Stopping() if beside is None else beside.stopping
        self.defects = Defects()
        self.calls = Calls(self.groups, self.schedule, self.defects, observers, meter, shared)
        self.instructions = _instructions(self.groups)
        self.on_changed: Callable[[frozenset[ListName]], Awaitable[None]] = _nobody_listens
        self.on_look: Callable[[], None] = _nobody_looks
        self._changes = (
            Changes(self._tell, self._look)
            if shared is None
            else Changes(self._tell, self._look, shared.share)
        )
        self._modern: dict[str, Any] = {"resultType": "complete", "_meta": {SERVER_INFO_KEY: self.info}}

    @property
    def info(self) -> dict[str, str]:
        """What the server is, as clients are told."""
        titled = {"title": self.title} if self.title else {}
        return {"name": self.name, **titled, "version": self.version}

    def envelope(self, is_modern: bool) -> dict[str, Any]:
        """What a generation of the protocol adds to every result."""
        return self._modern if is_modern else {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Begin and end what all connections share; at the end let go of the groups, the threads and the processes."""
        self._changes.start()
        for group in self.groups:
            group.attach(self._changes)
        try:
            yield
        finally:
            self._changes.close()
            for group in self.groups:
                group.close()
            self.calls.jobs.close()
            if self._owns_schedule:
                await self.schedule.close()

    async def _tell(self, changed: frozenset[ListName]) -> None:
        await self.on_changed(changed)

    def _look(self) -> None:
        self.on_look()

    def sealed(self, answer: Answer, is_modern: bool) -> dict[str, Any]:
        """The wire form, with the object encoded already: an answer that cannot be written is a defect found here."""
        envelope = self.envelope(is_modern)
        try:
            structured = msgspec.Raw(encode_json(answer.structured))
        except Unencodable as error:
            reference = self.defects.record("the writing of an answer", error)
            failed = Answer.error(
                "internal", f"internal error {reference}: the answer cannot be written as JSON"
            )
            return tool_result(failed, envelope)
        return {**tool_result(answer, envelope), "structuredContent": structured}

    # Lists. They raise `Failed`.

    async def tools(self) -> list[ToolSpec]:
        """The tools to list, as of now."""
        return await self.guarded_in(self.calls.specs(), "tools/list")

    def resources(self, method: str = "resources/list") -> list[ResourceSpec]:
        """The resources with fixed addresses."""
        return self.guarded(lambda: [spec for group in self.groups for spec in group.resources()], method)

    def templates(self) -> list[TemplateSpec]:
        """The templates of addresses."""
        return self.guarded(
            lambda: [spec for group in self.groups for spec in group.resource_templates()],
            "resources/templates/list",
        )

    def prompts(self) -> list[PromptSpec]:
        """The prompts."""
        return [spec for group in self.groups for spec in group.prompts()]

    async def guarded_in(self, asking: Awaitable[Result], method: str) -> Result:
        """What a group gives. Raises `Failed`."""
        with self.defects.contain(method) as contained:
            return await asking
        raise Failed(f"internal error {contained.reference}")

    def guarded(self, ask: Callable[[], Result], method: str) -> Result:
        """The same, where it is there at once."""
        with self.defects.contain(method) as contained:
            return ask()
        raise Failed(f"internal error {contained.reference}")


async def _nobody_listens(changed: frozenset[ListName]) -> None:
    """No client has seen a list."""


def _nobody_looks() -> None:
    """No address is watched."""


def _instructions(groups: Sequence[Group]) -> str:
    """The groups' instructions, those of the later groups in brief where they are too long together."""
    texts = [group.instructions for group in groups]
    for place, group in reversed(list(enumerate(groups))):
        if len("\n\n".join(filter(None, texts))) <= INSTRUCTIONS_LIMIT:
            break
        texts[place] = group.brief_instructions or group.instructions
    together = "\n\n".join(filter(None, texts))
    if len(together) > INSTRUCTIONS_LIMIT:
        raise ValueError(
            f"the instructions have {len(together)} characters; {INSTRUCTIONS_LIMIT} are allowed"
        )
    return together
