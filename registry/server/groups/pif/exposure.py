"""Which evolved tools are listed as tools of their own: the N used or evolved last (docs/reference/serving.md §6.2).

The order of the list is that of names, so that it changes only when its members do; clients cache it. What other
processes evolve is seen at the next `refresh`; `announce` is called whenever the list has changed. `share` is called with a
name that was used, for the other processes of a server.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from pif.language.terms import Json
from registry.errors import RegistryError
from registry.records import RESERVED, ToolRecord, parse_reference
from registry.server.contract.group import ToolSpec
from registry.server.groups.pif.tool_specs import own_tool
from registry.store.protocol import Store

__all__ = ["Exposure"]

logger = logging.getLogger(__name__)


class Exposure:
    """Used from the event loop only."""

    def __init__(self, store: Store, system: tuple[ToolSpec, ...], most: int) -> None:
        self.announce: Callable[[], None] = lambda: None
        self.share: Callable[[str], None] = lambda name: None
        self._store = store
        self._system = system
        self._most = most
        self._used: dict[str, None] = {}
        self._sequence = -1
        self._order: tuple[str, ...] = ()
        self._specs: tuple[ToolSpec, ...] = system
        self._shown: dict[str, tuple[ToolRecord, ToolSpec]] = {}
        self._stale = True
        self._trouble = ""

    def used(self, reference: Json) -> None:
        """Note that a tool was asked for; a name that is on the list already changes nothing.

        Other processes of the server are told of it, so that all list the same tools.
        """
        if not isinstance(reference, str) or len(reference) > 64 or self._most == 0:
            return
        name = reference.partition("@")[0]
        if next(reversed(self._used), None) == name:
            return
        self._note(name)
        self.share(name)

    def used_elsewhere(self, name: str) -> None:
        """Note that a tool was asked for in another process of the server."""
        self._note(name)
        self.refresh_used()

    def _note(self, name: str) -> None:
        if name not in self._shown:
            self._stale = True
        self._used.pop(name, None)
        self._used[name] = None
        while len(self._used) > self._most:
            del self._used[next(iter(self._used))]

    def tools(self) -> tuple[ToolSpec, ...]:
        """The list: the system's tools, then the exposed ones; the same object until something changed."""
        self.refresh()
        return self._specs

    def spec(self, name: str) -> ToolSpec | None:
        """Any evolved tool, listed or not."""
        try:
            if parse_reference(name).version is not None:
                return None
        except RegistryError:
            return None
        record = self._store.snapshot().record(name)
        return None if record is None else self._spec(record)

    def refresh(self) -> None:
        """Rebuild the list and announce it if it has changed.

        Where the store cannot be read the list stays as it was: the calls that need the store say what is wrong, and
        those that do not go on.
        """
        try:
            self._rebuild()
        except RegistryError as error:
            if str(error) != self._trouble:
                logger.warning("the list of evolved tools stays as it was: %s (%s)", error, error.found)
            self._trouble = str(error)
        else:
            self._trouble = ""

    def refresh_used(self) -> None:
        """The same after a call that changed nothing but which tools were used last; what others do is polled for."""
        if self._stale:
            self.refresh()

    def _rebuild(self) -> None:
        snapshot = self._store.snapshot()
        if snapshot.sequence == self._sequence and not self._stale:
            return
        chosen: dict[str, ToolRecord] = {}
        if self._most > 0:
            for name in reversed(self._used):
                record = snapshot.record(name)
                if record is not None and name not in RESERVED and len(chosen) < self._most:
                    chosen[name] = record
            for record in self._store.recent(self._most):
                if len(chosen) >= self._most:
                    break
                if record.name not in RESERVED:  # kept before the name was: `run` reaches it
                    chosen.setdefault(record.name, record)
        self._sequence = snapshot.sequence
        self._stale = False
        shown = {name: (record, self._spec(record)) for name, record in sorted(chosen.items())}
        before = [record for record, _ in self._shown.values()]
        if [record for record, _ in shown.values()] == before:
            return
        self._shown = shown
        self._specs = (*self._system, *(spec for _, spec in shown.values()))
        self.announce()

    def _spec(self, record: ToolRecord) -> ToolSpec:
        known = self._shown.get(record.name)
        if known is not None and known[0] == record:
            return known[1]
        return own_tool(record.name, record.version, record.description, record.hash)
