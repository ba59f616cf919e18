"""A server behind a server: a tool or saved theory that is asked for and is not here is pulled, checked and kept (docs/reference/registry.md §3.1).

What comes is judged as any arrival, and nothing that is here gets a newer version by it: only names that stand for nothing here are asked
for, and a tool comes in only if all that it names is as it was there.

An upstream that is away, slow or hostile costs a caller at most the wait of one question: the next ones are not put for a while, and neither
are names again that it did not have.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kleis.prover.process.deadline import Deadline
from registry.errors import RegistryError
from registry.records import valid_name
from registry.sharing.keys import TrustFile
from registry.sharing.pull import Puller
from registry.sharing.server_source import ServerSource
from registry.sharing.theories import check_theory_name
from registry.sharing.theory_pull import Shelf, pull_theory
from registry.sharing.web import unreachable
from registry.sharing.wire import Server

if TYPE_CHECKING:
    from registry.workspace.workspace import Workspace

__all__ = ["WAIT", "Upstream"]

WAIT: Final = 10.0
"""Seconds that one call waits for an upstream at most."""

_AWAY: Final = 30.0
"""Seconds for which one that could not be reached is not asked again."""

_UNKNOWN: Final = 60.0
"""Seconds for which it is not asked again for a name that it did not have, or that was refused."""

_REMEMBERED: Final = 4_096
_TOGETHER: Final = 20
"""Names that one call asks for."""

_TOOL: Final = ""
_THEORY: Final = "theory"
"""What a name that was not there is remembered with."""

_Pull = Callable[[Puller, str], dict[str, Any]]

logger = logging.getLogger(__name__)


class Upstream:
    """Where a home reads through to. Safe in threads: one question is put at a time, and who comes meanwhile waits as long at most."""

    def __init__(
        self,
        workspace: Workspace,
        home: Path,
        opened: Callable[[], Server],
        *,
        trust: Sequence[TrustFile] = (),
        seconds: float = WAIT,
        clock: Callable[[], float] = time.monotonic,
        shelf: Callable[[], Shelf] | None = None,
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        """`opened` gives a wire to the server, which is closed here. `trust`: as for `Puller`. `shelf`: where saved theories are; None
        where none is asked for. `has_room`: whether more may be kept now; it may block."""
        self._shelf = shelf
        self._workspace = workspace
        self._home = home
        self._opened = opened
        self._trust = trust
        self._seconds = seconds
        self._clock = clock
        self._has_room = has_room
        self._lock = threading.Lock()
        self._away = float("-inf")
        self._unknown: OrderedDict[str, float] = OrderedDict()

    def missing(self, references: Iterable[str]) -> list[str]:
        """Those of some names, with or without versions, that stand for nothing here and may be asked for now."""
        now = self._clock()
        if now < self._away:
            return []
        tools = self._workspace.tools()
        found = []
        for reference in dict.fromkeys(references):
            name, _, version = reference.partition("@")
            is_named = len(reference) <= 80 and valid_name(name) and (not version or version.isdecimal())
            if is_named and self._unknown.get(reference, now) <= now and tools.find(reference) is None:
                found.append(reference)
        return found[:_TOGETHER]

    def fetch(self, references: Iterable[str]) -> None:
        """Pull what is missing of these. What does not come is told in the log, and is as if it were nowhere."""
        self._in_turn(lambda: self.missing(references), lambda puller, each: puller.one(each), _TOOL)

    def fetch_theories(self, names: Iterable[str]) -> None:
        """The same with saved theories that are not here, each with what it imports."""
        wanted = [*dict.fromkeys(names)]
        if self._shelf is not None and wanted:
            shelf = self._shelf()
            self._in_turn(
                lambda: self._missing_theories(wanted),
                lambda puller, each: pull_theory(puller, each, shelf),
                _THEORY,
            )

    def _missing_theories(self, names: Sequence[str]) -> list[str]:
        now = self._clock()
        if now < self._away:
            return []
        found = []
        for name in names:
            try:
                plain = check_theory_name(name)
            except RegistryError:
                continue  # a path, a theory of a team, or a module of the library
            if self._unknown.get(f"{_THEORY} {plain}", now) <= now:
                found.append(plain)
        return found[:_TOGETHER]

    def _in_turn(self, missing: Callable[[], list[str]], pull: _Pull, kind: str) -> None:
        until = self._clock() + self._seconds
        if not self._lock.acquire(timeout=self._seconds):
            return
        try:
            wanted = missing()
            if wanted and self._may_keep():
                self._fetch(wanted, until, pull, kind)
        finally:
            self._lock.release()

    def _may_keep(self) -> bool:
        try:
            if self._has_room():
                return True
            full = RegistryError(
                "store_error", "there is no room to keep more", found="a quota that is used up"
            )
            self._is_away(full)
        except RegistryError as error:
            self._is_away(error)
        return False

    def _fetch(self, wanted: list[str], until: float, pull: _Pull, kind: str) -> None:
        try:
            source = ServerSource(_Hurried(self._opened(), until, self._clock))
        except RegistryError as error:
            self._is_away(error)
            return
        try:
            puller = Puller(
                self._workspace, self._home, source, trust=self._trust, replaces=False,
                deadline=Deadline(max(0.1, until - self._clock())),
            )  # fmt: skip
            for each in wanted:
                self._one(each, pull(puller, each), kind)
        except RegistryError as error:
            self._is_away(error)
        finally:
            source.close()

    def _one(self, reference: str, answer: dict[str, Any], kind: str) -> None:
        if answer["type"] != "error":
            came = answer["added"] or answer.get("theories", ())
            logger.info("%s was pulled from upstream: %s", reference, ", ".join(came))
            return
        error = answer["error"]
        if error["kind"] == "store_error":
            raise RegistryError("store_error", error["message"], found=error.get("found"))
        if error["kind"] != "unknown_tool":
            logger.warning("%s was not pulled from upstream: %s", reference, error["message"])
        self._unknown[f"{kind} {reference}".strip()] = self._clock() + _UNKNOWN
        while len(self._unknown) > _REMEMBERED:
            self._unknown.popitem(last=False)

    def _is_away(self, error: RegistryError) -> None:
        self._away = self._clock() + _AWAY
        logger.warning("upstream is not asked for %.0f s: %s (%s)", _AWAY, error, error.found)


class _Hurried:
    """A wire whose calls have one end together."""

    def __init__(self, wire: Server, until: float, clock: Callable[[], float]) -> None:
        self.place = wire.place
        self._wire = wire
        self._until = until
        self._clock = clock

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        if self._clock() >= self._until:
            raise unreachable(self.place, "it took too long")
        return self._wire.call(tool, **arguments)

    def close(self) -> None:
        self._wire.close()
