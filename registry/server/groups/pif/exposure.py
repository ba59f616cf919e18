"""Which evolved tools are listed as tools of their own: the N used or evolved last, one's own and those of one's teams
(docs/reference/serving.md §6.2).

The order of the list is that of names, so that it changes only when its members do; clients cache it. What other
processes evolve is seen at the next `refresh`; `announce` is called whenever the list has changed. `share` is called with a
name that was used, for the other processes of a server.

A store in files is looked at whenever somebody asks. A database may take seconds: it is looked at in threads (`refresh`), and
what answers at once is what was found last.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pif.language.terms import Json
from registry.errors import RegistryError
from registry.records import RESERVED, ToolRecord, team_of
from registry.server.contract.group import ToolSpec
from registry.server.groups.pif.asks import Asks
from registry.server.groups.pif.exposed_names import LONGEST, exposed_name, name_of
from registry.server.groups.pif.tool_specs import own_tool
from registry.workspace.workspace import Workspace

__all__ = ["Exposure"]

logger = logging.getLogger(__name__)

_LONGEST_REFERENCE = 100
"""Characters of a full name with a version, and some."""


class Exposure:
    """Used from the event loop only."""

    def __init__(
        self,
        workspace: Workspace,
        system: tuple[ToolSpec, ...],
        most: int,
        asks: Asks,
    ) -> None:
        self.announce: Callable[[], None] = lambda: None
        self.share: Callable[[str], None] = lambda name: None
        self._workspace = workspace
        self._asks = asks
        self._asking = asyncio.Lock()
        self._wanted = 0
        self._found = 0
        self._system = system
        self._most = most
        self._used: dict[str, None] = {}
        self._state: object = None
        self._order: tuple[str, ...] = ()
        self._specs: tuple[ToolSpec, ...] = system
        self._shown: dict[str, tuple[ToolRecord, ToolSpec]] = {}
        self._stale = True
        self._trouble = ""

    def used(self, reference: Json) -> None:
        """Note that a tool was asked for; a name that is on the list already changes nothing.

        Other processes of the server are told of it, so that all list the same tools.
        """
        if not isinstance(reference, str) or len(reference) > _LONGEST_REFERENCE or self._most == 0:
            return
        name = reference.partition("@")[0]
        if next(reversed(self._used), None) == name:
            return
        self._note(name)
        self.share(name)

    def used_elsewhere(self, name: str) -> None:
        """Note that a tool was asked for in another process of the server."""
        self._note(name)
        if self._stale and not self._asks.in_threads:
            self._refresh()

    def _note(self, name: str) -> None:
        if name not in self._shown:
            self._stale = True
        self._used.pop(name, None)
        self._used[name] = None
        while len(self._used) > self._most:
            del self._used[next(iter(self._used))]

    def tools(self) -> tuple[ToolSpec, ...]:
        """The list: the system's tools, then the exposed ones; the same object until something changed."""
        if not self._asks.in_threads:
            self._refresh()
        return self._specs

    async def spec(self, exposed: str) -> ToolSpec | None:
        """Any evolved tool, listed or not, by its name of MCP."""
        name = name_of(exposed)
        if name is None:
            return None
        record = await self._asks.put(lambda: self._record(name))
        return None if record is None else self._spec(record)

    def _record(self, name: str) -> ToolRecord | None:
        """The current version of an evolved tool."""
        if team_of(name):
            return self._workspace.tools().find(name)
        return self._workspace.store.snapshot().record(name)

    async def refresh(self) -> None:
        """Rebuild the list and announce it if it has changed.

        Where the store cannot be read the list stays as it was: the calls that need the store say what is wrong, and
        those that do not go on.
        """
        if not self._asks.in_threads:
            self._refresh()
            return
        self._wanted = wanted = self._wanted + 1
        async with self._asking:
            if self._found >= wanted:
                return  # a look that began after this one was wanted has found what there is
            covered, used, known = self._wanted, tuple(self._used), None if self._stale else self._state
            self._stale = False
            try:
                self._adopt(await self._asks.put(lambda: self._look(used, known)))
            except RegistryError as error:
                self._stale = True
                self._say(error)
            except BaseException:
                self._stale = True
                raise
            self._found = covered

    async def refresh_used(self) -> None:
        """The same after a call that changed nothing but which tools were used last; of what others do one is told."""
        if self._stale:
            await self.refresh()

    def _refresh(self) -> None:
        try:
            found = self._look(tuple(self._used), None if self._stale else self._state)
        except RegistryError as error:
            self._say(error)
        else:
            self._stale = False
            self._adopt(found)

    def _say(self, error: RegistryError) -> None:
        if str(error) != self._trouble:
            logger.warning("the list of evolved tools stays as it was: %s (%s)", error, error.found)
        self._trouble = str(error)

    def _look(self, used: tuple[str, ...], known: object) -> tuple[object, dict[str, ToolRecord] | None]:
        """The state of the stores, and the tools to list; None where the state is the known one. Changes nothing."""
        member = self._workspace.member
        teams = () if member is None else member.changes()
        state = self._workspace.store.snapshot().sequence, teams
        if state == known:
            return state, None
        chosen: dict[str, ToolRecord] = {}
        if self._most > 0:
            records = (self._record(name) for name in reversed(used))
            for record in (*filter(None, records), *self._recent()):
                if len(chosen) >= self._most:
                    break
                exposed = exposed_name(record.name)
                if record.name not in RESERVED and len(exposed) <= LONGEST:
                    chosen.setdefault(record.name, record)  # others: `run` reaches them
        return state, chosen

    def _adopt(self, found: tuple[object, dict[str, ToolRecord] | None]) -> None:
        self._trouble = ""
        self._state, chosen = found
        if chosen is None:
            return
        shown = {name: (record, self._spec(record)) for name, record in sorted(chosen.items())}
        before = [record for record, _ in self._shown.values()]
        if [record for record, _ in shown.values()] == before:
            return
        self._shown = shown
        self._specs = (*self._system, *(spec for _, spec in shown.values()))
        self.announce()

    def _recent(self) -> list[ToolRecord]:
        """The tools evolved last, latest first."""
        own, member = [*self._workspace.store.recent(self._most)], self._workspace.member
        shared = [] if member is None else member.recent(self._most)
        return sorted([*own, *shared], key=lambda record: record.created, reverse=True) if shared else own

    def _spec(self, record: ToolRecord) -> ToolSpec:
        known = self._shown.get(record.name)
        if known is not None and known[0] == record:
            return known[1]
        return own_tool(
            exposed_name(record.name), record.name, record.version, record.description, record.hash
        )
