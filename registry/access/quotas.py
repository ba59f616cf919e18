"""How much a principal may use: limits for each, set for a server, and one meter for each principal, in all its processes.

`fuel` and `prover-seconds` are for a minute, which begins with the first use in it; `stored-mb`, `sessions` and `calls` are for any
one moment, and so is `team-mb`, which all members of a team have together.
Fuel is reserved before a run and given back where it was not used, so that runs at one time cannot use it twice. What is
used of provers is known afterwards: who has used up the seconds is refused until the minute ends.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from pif.language.errors import nearest
from registry.access.shared_use import Use

__all__ = ["MINUTE", "Exceeded", "InUse", "Meter", "Quotas", "read_quotas"]

MINUTE: Final = 60.0

MEGABYTE: Final = 2**20

_FREEING: Final = frozenset(("forget", "undo", "check_job", "cancel"))
"""Tools that make room, or stop something: they are never refused for want of room."""


class Quotas(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """The limits of each principal but the owner; None for none. The names are those that people write."""

    fuel: int | None = None
    prover_seconds: int | None = None
    stored_mb: int | None = None
    sessions: int | None = None
    calls: int | None = None
    team_mb: int | None = None


def read_quotas(texts: Sequence[str]) -> Quotas:
    """Quotas as people write them: ``fuel=1000000``. Raises ValueError in words."""
    names = {field.encode_name: field.name for field in msgspec.structs.fields(Quotas)}
    found: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in names:
            close = nearest(name, names)
            meant = f"did you mean {close}? " if close else ""
            raise ValueError(f"--quota {text}: there is no such quota; {meant}quotas: {', '.join(names)}")
        if not (number.isascii() and number.isdigit() and 0 < len(number) < 16 and int(number) > 0):
            raise ValueError(f"--quota {text}: write a whole number above 0, such as {name}=100")
        if names[name] in found:
            raise ValueError(f"--quota {text}: {name} is given twice")
        found[names[name]] = int(number)
    return Quotas(**found)


class Exceeded(msgspec.Struct, frozen=True):
    """What a call would go beyond. `retry_after_ms`: when there is room again; None where the caller has to make it."""

    quota: str
    limit: int
    used: int
    message: str
    hint: str
    retry_after_ms: int | None = None


class InUse(msgspec.Struct, frozen=True):
    """What a principal has in a database: bytes of rows, and names of theory sessions."""

    stored: int
    sessions: frozenset[str]


class Meter:
    """What one principal uses. Use it from one event loop, but for `proved`, which may come from any thread.

    `use` is where it is counted: in this process unless it is said. Its clock must be one that all who count have. `rows`: what of
    the principal's is in a database; it may block, so `measure` asks it in a thread. `team_size`: the bytes that a team stores in
    which the principal may write; None for every other.
    """

    def __init__(
        self,
        quotas: Quotas,
        home: Path,
        clock: Callable[[], float] = time.monotonic,
        rows: Callable[[], InUse] | None = None,
        use: Use | None = None,
        team_size: Callable[[str], int | None] = lambda team: None,
    ) -> None:
        self.quotas = quotas
        self._home = home
        self._rows = rows
        self._in_rows = InUse(0, frozenset())
        self._team_size = team_size
        self._clock = clock
        self._use = use or Use()

    async def measure(self) -> None:
        """Learn what of the principal's is in a database, before `begin`, where that has limits. Raises what `rows` raises."""
        if self._rows is not None and not (self.quotas.stored_mb is self.quotas.sessions is None):
            self._in_rows = await asyncio.to_thread(self._rows)

    def begin(self, tool: str, scope: str, fuel: int, session: str | None, team: str = "") -> Exceeded | None:
        """Begin a call, with `fuel` set aside until `end`; or what it would go beyond, and nothing was begun.

        `scope` is the one that the call needs, `session` the theory session that it names, `team` the team whose tools it changes. It
        walks the principal's files where what is stored has a limit.
        """
        exceeded = self._of_team(tool, team) if team else self._of_storage(tool, scope)
        exceeded = exceeded or self._of_sessions(scope, session)
        with self._use.changing() as use:
            self._turn(use)
            exceeded = (
                self._of_calls(use)
                or self._of_fuel(use, fuel)
                or self._of_provers(use, tool, scope)
                or exceeded
            )
            if exceeded is None:
                use.begin(fuel)
        return exceeded

    def end(self, reserved: int, used: int) -> None:
        """A call has ended: what it used stays used, the rest of what was set aside is free."""
        with self._use.changing() as use:
            self._turn(use)
            use.end(reserved)
            use.fuel += used

    def proved(self, seconds: float) -> None:
        """Provers have worked for so long."""
        with self._use.changing() as use:
            self._turn(use)
            use.seconds += seconds

    def _turn(self, use: Use) -> None:
        """Begin another minute if the last one is over."""
        now = self._clock()
        if now >= use.ends:
            use.ends = now + MINUTE
            use.fuel, use.seconds = 0, 0.0

    def _until_turn(self, use: Use) -> int:
        return max(1, round((use.ends - self._clock()) * 1_000))

    def _of_calls(self, use: Use) -> Exceeded | None:
        limit, calls = self.quotas.calls, use.calls
        if limit is None or calls < limit:
            return None
        return Exceeded(
            "calls", limit, calls, f"{calls} calls of yours are under way", "Wait for one to end.", 1_000
        )

    def _of_fuel(self, use: Use, fuel: int) -> Exceeded | None:
        limit, used = self.quotas.fuel, use.fuel + use.reserved
        if limit is None or used + fuel <= limit:
            return None
        if fuel > limit:
            hint = f"Ask for `fuel` of {limit} at most, and split longer work by `continue`."
            return Exceeded("fuel", limit, used, f"a run with fuel {fuel} is more than a minute's", hint)
        said = f"{used} of {limit} fuel of this minute is used or set aside for runs under way; this run asks for {fuel}"
        return Exceeded("fuel", limit, used, said, "Ask for less `fuel`, or wait.", self._until_turn(use))

    def _of_provers(self, use: Use, tool: str, scope: str) -> Exceeded | None:
        limit, used = self.quotas.prover_seconds, use.seconds
        asks = scope == "theory" or tool in ("evolve", "analyze", "import")
        if limit is None or not asks or tool in _FREEING or used < limit:
            return None
        said = f"provers have worked {used:.0f} s for you in this minute; {limit} are yours"
        return Exceeded("prover-seconds", limit, round(used), said, "Wait.", self._until_turn(use))

    def _of_storage(self, tool: str, scope: str) -> Exceeded | None:
        limit = self.quotas.stored_mb
        if limit is None or scope not in ("evolve", "theory") or tool in _FREEING:
            return None
        used = _bytes_below(self._home) + self._in_rows.stored
        if used < limit * MEGABYTE:
            return None
        said = f"{used / MEGABYTE:.1f} MB of yours are stored; {limit} are allowed"
        hint = "Forget tools, undo submissions, or ask the owner of the server."
        return Exceeded("stored-mb", limit, used // MEGABYTE, said, hint)

    def _of_team(self, tool: str, team: str) -> Exceeded | None:
        limit = self.quotas.team_mb
        if limit is None or tool in _FREEING:
            return None
        used = self._team_size(team)
        if used is None or used < limit * MEGABYTE:
            return None
        said = f"{used / MEGABYTE:.1f} MB of the team {team!r} are stored; {limit} are allowed"
        hint = "Forget tools of the team, or ask the owner of the server."
        return Exceeded("team-mb", limit, used // MEGABYTE, said, hint)

    def _of_sessions(self, scope: str, session: str | None) -> Exceeded | None:
        limit = self.quotas.sessions
        if limit is None or scope != "theory" or session is None:
            return None
        there = _names_in(self._home / "sessions") if self._rows is None else self._in_rows.sessions
        if session in there or len(there) < limit:
            return None
        said = f"you have {len(there)} theory sessions; {limit} are allowed"
        return Exceeded(
            "sessions", limit, len(there), said, "Work in one that is there: `list_session` shows them."
        )


def _names_in(directory: Path) -> set[str]:
    try:
        return set(os.listdir(directory))
    except OSError:
        return set()


def _bytes_below(directory: Path) -> int:
    """The bytes of all files; what goes away meanwhile counts nothing."""
    total = 0
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    total += _bytes_below(Path(entry.path))
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    except OSError:
        return total
    return total
