"""The group `pif`: evolve, run, list, help, analyze, and every evolved tool under its own name (docs/reference/serving.md §6.1).

Handlers are thin: a request in, a `Workspace` method, its object out. Beside that, what only a server has: which work
leaves the event loop, which tools are listed, resources and completion.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec

from kleis.errors import KleisError
from kleis.prover.process.deadline import Deadline
from pif.language.budget import RETAINED_BYTES
from pif.language.schema import term_schema
from pif.run.evaluate import Answer as Result
from pif.run.evaluate import Request
from registry.errors import RegistryError
from registry.records import NO_LAWS, team_of, valid_name
from registry.server.calls.waking import Waking
from registry.server.contract.group import (
    Announcer,
    Answer,
    CallContext,
    Group,
    LaneName,
    PromptSpec,
    ResourceSpec,
    ResourceText,
    TemplateSpec,
    ToolSpec,
)
from registry.server.contract.prompts import PIF_PROMPTS
from registry.server.contract.settings import Settings, Site
from registry.server.groups.pif.asks import Asks
from registry.server.groups.pif.completion import Completion
from registry.server.groups.pif.exposed_names import name_of
from registry.server.groups.pif.exposure import Exposure
from registry.server.groups.pif.operations import Exchange, Places, asked_for, performed, with_origin
from registry.server.groups.pif.text import encoded, rendered
from registry.server.groups.pif.tool_specs import (
    BRIEF_INSTRUCTIONS,
    INSTRUCTIONS,
    MORE_TOOLS,
    SHARING_TOOLS,
    TOOLS,
)
from registry.sharing.ledger import LedgerFile
from registry.store.following import Following
from registry.tools.help import help_on
from registry.workspace import requests
from registry.workspace.workspace import Workspace

if TYPE_CHECKING:
    from registry.oracles.theory_oracle import TheorySnapshot
    from registry.server.calls.search_process import Search
    from registry.sharing.service import SharingService
    from registry.sharing.upstream import Upstream

__all__ = ["Exchange", "PifGroup", "make", "search"]

SEARCH = "registry.server.groups.pif.group:search"

ANSWER_WITHIN = 45.0
"""Seconds after which a driven run answers with the continuation it has: clients give up at 50 or 60."""

PROGRESS_EVERY = 0.1
"""Seconds between two reports of progress, at least: short steps are thousands a second."""

USED = "pif used"
"""The topic of names that were used, among the processes of a server."""

POLL = 2.0
"""Seconds between two looks whether another process has changed the tools, where that is not told of."""

SELDOM = 30.0
"""The same where it is: a connection may be dead and not know it yet."""

WAIT_FOR_UPSTREAM = 12.0
"""Seconds that a call waits for the server behind this one, when that has been given its own time."""

_FETCHING = 2
"""Threads that wait for it, so that they are none of those that other work needs."""

_STATES = 4_096
"""States of watched tools that are kept until the registry changes."""


def make(site: Site) -> Group:
    """The group over the home's tools."""
    settings = site.settings
    return PifGroup(
        site.workspace,
        Exchange(settings.home),
        settings,
        expose=settings.expose,
        more=settings.more,
        theory_of=lambda session: site.oracles.get(session),
        sharing=lambda: site.sharing,
        upstream=site.upstream,
    )


def search(site: Site, asked: tuple[str, Any], search: Search) -> Answer:
    """What a tool that asks for proofs of laws does in a process of its own (`asked`: its name and arguments)."""
    deadline = Deadline(search.seconds, progress=search.progress)
    places = Places(Exchange(site.settings.home), lambda: site.sharing)
    return rendered(performed(site.workspace, places, *asked, deadline=deadline))


class PifGroup(Group):
    """The tools of one workspace.

    `expose`: how many evolved tools are listed as tools of their own. `more`: offer the second list. `exchange` is
    the directory under which `export` and `import` may work: an agent names a directory in it, never a path.
    """

    name = "pif"
    instructions = INSTRUCTIONS
    brief_instructions = BRIEF_INSTRUCTIONS

    def __init__(
        self,
        workspace: Workspace,
        exchange: Callable[[str], Path],
        settings: Settings,
        *,
        expose: int,
        more: bool,
        theory_of: Callable[[str], TheorySnapshot] | None = None,
        sharing: Callable[[], SharingService] | None = None,
        upstream: Upstream | None = None,
    ) -> None:
        self.workspace = workspace
        self._theory_of = theory_of
        self._exchange = exchange
        self._places = Places(exchange, sharing, LedgerFile(settings.home))
        self._upstream = upstream
        self._fetching = None if upstream is None else ThreadPoolExecutor(_FETCHING, "pif-upstream")
        self._settings = settings
        self._system = TOOLS + MORE_TOOLS if more else TOOLS + SHARING_TOOLS if settings.share else TOOLS
        self._asks = Asks(in_threads=bool(settings.store))
        self._exposure = Exposure(workspace, self._system, expose, self._asks)
        if workspace.member is not None:
            workspace.member.open()
        self._polling: asyncio.Task[None] | None = None
        self._waking = Waking()
        self._following: list[Following] = []
        self._states: dict[str, tuple[int, int]] = {}
        self._completion = Completion(workspace)

    def attach(self, announcer: Announcer) -> None:
        self._exposure.announce = announcer.tools_changed
        self._exposure.share = lambda name: announcer.share(USED, name)

        def changed() -> None:
            self._waking.wake()
            announcer.look()

        self._following += self.workspace.follow(changed)
        self._polling = asyncio.get_running_loop().create_task(self._poll())

    def told(self, topic: str, text: str) -> None:
        if topic == USED:
            self._exposure.used_elsewhere(text)
            self._waking.wake()

    @property
    def is_told(self) -> bool:
        return bool(self._following) and all(each.is_live for each in self._following)

    async def _poll(self) -> None:
        """Tell clients of tools that other processes evolve."""
        while True:
            await self._waking.within(SELDOM if self.is_told else POLL)
            try:
                if self.workspace.member is not None:
                    await self._asks.put(self.workspace.member.open)
            except RegistryError:
                continue
            await self._exposure.refresh()

    def close(self) -> None:
        if self._polling is not None:
            self._polling.cancel()
        for each in self._following:
            each.close()
        if self._fetching is not None:
            self._fetching.shutdown(wait=False, cancel_futures=True)
        self._asks.close()
        self.workspace.close()

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._exposure.tools()

    async def refresh(self) -> None:
        if self._asks.in_threads:
            await self._exposure.refresh()

    async def find(self, name: str) -> ToolSpec | None:
        found = await self._exposure.spec(name)
        wanted = name_of(name) if found is None and self._upstream is not None else None
        if wanted is None or team_of(wanted):
            return found
        await self._fetch([wanted])
        return await self._exposure.spec(name)

    async def _fetch(self, wanted: Sequence[str]) -> None:
        """Have tools that are asked for and are not here pulled from upstream, for a bounded time."""
        upstream = self._upstream
        if upstream is None or not await self._asks.put(lambda: upstream.missing(wanted)):
            return
        with suppress(TimeoutError):  # the thread goes on by itself: what it pulls is here for the next call
            loop = asyncio.get_running_loop()
            fetched = loop.run_in_executor(self._fetching, upstream.fetch, wanted)
            await asyncio.wait_for(asyncio.shield(fetched), WAIT_FOR_UPSTREAM)

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        if self._upstream is not None:
            await self._fetch(asked_for(arguments))
        match name:
            case "run":
                result = await self._run(arguments, context)
            case "help":
                result = help_on(arguments.category, self.workspace.library)
            case "fuzz":
                result = await self._fuzz(arguments, context)
            case _ if any(spec.name == name for spec in self._system):
                answer = await self._system_call(name, arguments, context)
                await self._exposure.refresh()
                return answer
            case _:
                result = await self._perform(
                    Request(tool=name_of(name), input=arguments.input), None, context
                )
        await self._exposure.refresh_used()
        return rendered(result)

    def _needs_search(self, name: str, arguments: Any) -> bool:
        """Whether a call may ask for proofs of laws, which take long."""
        match name:
            case "evolve":
                if arguments.laws:
                    return True
                record = self.workspace.tools().find(arguments.name)  # one's own, or that of a team
                return record is not None and record.laws != NO_LAWS
            case "analyze":
                return arguments.against is not msgspec.UNSET
            case "import":
                return bool(arguments.directory) or arguments.after is not None
            case _:
                return name == "check_laws"

    async def _system_call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        seconds = (getattr(arguments, "timeout_ms", None) or requests.STANDARD) / 1_000
        if await self._asks.put(lambda: self._needs_search(name, arguments)):
            return await context.search(SEARCH, self._settings, (name, arguments), seconds)
        deadline = Deadline(seconds, left=context.cancelled.is_set, progress=context.progress)
        lane: LaneName = "runs" if name == "analyze" else "writes"
        return rendered(
            await context.run_in_worker(
                lambda: performed(self.workspace, self._places, name, arguments, deadline=deadline),
                lane=lane,
            )
        )

    async def _run(self, arguments: requests.Run, context: CallContext) -> Result:
        code, tool = arguments.code, arguments.tool
        if (code is msgspec.UNSET) == (tool is msgspec.UNSET):
            given = "both" if tool is not msgspec.UNSET else "neither"
            return _error(
                f"`run` takes either `code` or `tool`, and {given} is given",
                'Example: {"code": "square", "input": 7}',
            )
        request = Request(
            code=None if code is msgspec.UNSET else code,
            tool=None if tool is msgspec.UNSET else tool,
            input=arguments.input,
            raw=arguments.raw,
            data=arguments.data,
            step=arguments.step,
            drive=arguments.drive,
            trace=arguments.trace,
        )
        result = await self._perform(request, arguments.fuel, context, arguments.session)
        if result["type"] == "continuation" and arguments.session is not None:
            result["session"] = arguments.session  # to be passed again, like `tool`
        return result

    async def _fuzz(self, arguments: requests.Fuzz, context: CallContext) -> Result:
        """Try a tool in a worker thread, and tell what has been found when a client would give up."""
        deadline = time.monotonic() + ANSWER_WITHIN

        def work() -> Result:
            return self.workspace.fuzz(
                arguments, stop=lambda: context.cancelled.is_set() or time.monotonic() > deadline
            )

        return await context.run_in_worker(work, share=self._share(arguments.fuel))

    def _share(self, fuel: int | None) -> float:
        """The part of the memory of runs that one with this fuel may use. One that may use more than there is gets its
        error from the workspace, at once."""
        try:
            share = self.workspace.fuel(fuel) * RETAINED_BYTES / self.workspace.admission.limit
        except RegistryError:
            return 0.0
        return share if share <= 1 else 0.0

    async def _perform(
        self, request: Request, fuel: int | None, context: CallContext, session: str | None = None
    ) -> Result:
        """Run on the event loop if that takes about a millisecond, else in a worker thread."""
        self._exposure.used(request.tool if request.tool is not None else request.code)
        if session is None:
            brief = await self._run_briefly(request, fuel, context)
            if brief is not None:
                return brief
        deadline = time.monotonic() + ANSWER_WITHIN
        told = 0.0

        def progress(step: int) -> None:
            nonlocal told
            if (now := time.monotonic()) - told >= PROGRESS_EVERY:
                told = now
                context.progress(step - request.step, request.drive, f"step {step}")

        def work() -> Result:
            theory = None
            if session is not None and self._theory_of is not None:
                try:
                    theory = self._theory_of(session).for_run(until=deadline)
                except KleisError as error:
                    return _error(error.message, error.hint, path="/session")
                except RegistryError as error:
                    return {"type": "error", "error": error.as_json()}
            return self.workspace.run(
                request,
                fuel=fuel,
                theory=theory,
                cancelled=context.cancelled.is_set,
                progress=progress,
                pause=lambda: time.monotonic() > deadline,
            )

        return await context.run_in_worker(work, share=self._share(fuel), proves=session is not None)

    async def _run_briefly(self, request: Request, fuel: int | None, context: CallContext) -> Result | None:
        def work() -> Result | None:
            return self.workspace.run_briefly(request, fuel=fuel)

        return await (self._asks.put(work) if self._asks.in_threads else context.quick(work))

    def question(self, name: str, arguments: Any) -> str | None:
        match arguments:
            case requests.Forget(name=reference):
                return self._question_of_forgetting(reference)
            case (
                requests.Evolve(name=tool, force=True, dry_run=False)
                | requests.Rollback(name=tool, force=True)
            ):
                record = self.workspace.tools().find(tool)
                if record is None or record.name != tool:
                    return None
                return f"Replace {record.reference} even if examples of the tools that use it fail then?"
            case requests.Export(directory=directory, overwrite=True):
                try:
                    is_there = self._exchange(directory).exists()
                except RegistryError:
                    return None  # the call says what is wrong with the name
                return f"Replace the export {directory}, which is there already?" if is_there else None
            case _:
                return None

    def _question_of_forgetting(self, reference: str) -> str | None:
        name, _, version = reference.partition("@")
        lineage = self.workspace.tools().lineage(name)
        if lineage is None:
            return None
        if version:
            return f"Forget version {version[:10]} of the tool {name} for good?"
        return f"Forget the tool {name} for good, with all its versions ({len(lineage.versions)})?"

    # Resources.

    def resources(self) -> Sequence[ResourceSpec]:
        return (
            ResourceSpec(uri="pif://tools", name="tools", title="All evolved tools"),
            ResourceSpec(
                uri="pif://graph", name="graph", title="Which tools use which", mime_type="image/svg+xml"
            ),
            ResourceSpec(
                uri="pif://graph.json", name="graph as data", title="Which tools use which, as data"
            ),
            ResourceSpec(uri="pif://schema/term", name="term schema", title="JSON Schema of PIF terms"),
        )

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return (
            TemplateSpec(
                uri_template="pif://tools/{name}", name="tool", title="A tool: term, hash, versions"
            ),
            TemplateSpec(
                uri_template="pif://tools/{name}@{version}",
                name="tool version",
                title="One version of a tool",
            ),
            TemplateSpec(uri_template="pif://tools/team/{team}", name="team", title="All tools of a team"),
            TemplateSpec(
                uri_template="pif://tools/team/{team}/{name}", name="team tool", title="A tool of a team"
            ),
        )

    async def read(self, uri: str) -> ResourceText | None:
        return await self._asks.put(lambda: self._read(uri))

    def _read(self, uri: str) -> ResourceText | None:
        match uri.split("/"):
            case ["pif:", "", "tools"]:
                found = self.workspace.list(requests.List(limit=1_000), types=False)
            case ["pif:", "", "tools", "team", team] if team:
                found = self.workspace.list(requests.List(limit=1_000, team=team), types=False)
            case ["pif:", "", "tools", *parts]:
                shown = self.workspace.show(_reference(parts))
                found = with_origin(shown, self.workspace, self._places.ledger)
            case ["pif:", "", "graph"]:
                drawn = self.workspace.graph(picture=True)
                return None if drawn["type"] == "error" else ResourceText(drawn["svg"], "image/svg+xml")
            case ["pif:", "", "graph.json"]:
                found = self.workspace.graph()
                found.pop("mermaid", None)
            case ["pif:", "", "schema", "term"]:
                found = term_schema()
            case _:
                return None
        if found.get("type") == "error":
            return None
        return ResourceText(encoded(found))

    def state(self, uri: str) -> object:
        match uri.split("/"):
            case ["pif:", "", "tools" | "graph" | "graph.json"]:
                return self.workspace.store.snapshot().sequence
            case ["pif:", "", "tools", "team", team] if self.workspace.member is not None:
                return dict(self.workspace.member.changes()).get(team)
            case ["pif:", "", "tools", *parts]:
                return self._tool_state(_reference(parts))
            case _:
                return None

    def _tool_state(self, reference: str) -> object:
        """The version that a reference stands for, with its laws; the library's tools never change."""
        if team_of(reference):
            record = self.workspace.tools().find(reference)
            return None if record is None else hash(record)
        snapshot = self.workspace.store.snapshot()
        known = self._states.get(reference)
        if known is None or known[0] != snapshot.sequence:
            name, _, version = reference.partition("@")
            number = int(version) if version.isascii() and version.isdigit() and len(version) < 11 else None
            record = snapshot.record(name, number) if valid_name(name) else None
            known = snapshot.sequence, hash(record)
            self._states[reference] = known
            while len(self._states) > _STATES:
                del self._states[next(iter(self._states))]
        return known[1]

    def prompts(self) -> Sequence[PromptSpec]:
        return PIF_PROMPTS

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        return self._completion.values(argument, prefix, given)


def _reference(parts: Sequence[str]) -> str:
    """The tool that the end of an address names: a full name in parts, or as one part in which `/` is escaped."""
    return unquote("/".join(parts))


def _error(message: str, hint: str, *, path: str | None = None) -> Result:
    error = {"kind": "invalid_argument", "message": message, "hint": hint}
    if path is not None:
        error["path"] = path
    return {"type": "error", "error": error}
