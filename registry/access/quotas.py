"""How much a principal may use: limits for each, set for a server, and one meter for each principal.

`fuel` and `prover-seconds` are for a minute, which begins with the first use in it; `stored-mb`, `sessions` and `calls` are for any
one moment, and so is `team-mb`, which all members of a team have together.
Fuel is reserved before a run and given back where it was not used, so that runs at one time cannot use it twice. What is
used of provers is known afterwards: who has used up the seconds is refused until the minute ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from pif.language.errors import nearest

__all__ = ["MINUTE", "Exceeded", "Meter", "Quotas", "read_quotas"]

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


class Meter:
    """What one principal uses. Use it from one event loop, but for `proved`, which may come from any thread."""

    def __init__(
        self,
        quotas: Quotas,
        home: Path,
        clock: Callable[[], float] = time.monotonic,
        team_size: Callable[[str], int | None] = lambda team: None,
    ) -> None:
        """`team_size`: the bytes that a team stores in which the principal may write; None for every other."""
        self.quotas = quotas
        self._home = home
        self._team_size = team_size
        self._clock = clock
        self._ends = clock()
        self._fuel = 0
        self._reserved = 0
        self._seconds = 0.0

    def begin(
        self, tool: str, scope: str, fuel: int, session: str | None, calls: int, team: str = ""
    ) -> Exceeded | None:
        """Whether a call may begin: None if so, and then `fuel` is reserved until `end`.

        `scope` is the one that the call needs, `session` the theory session that it names, `team` the team whose tools it changes,
        `calls` how many of the principal are under way. It walks the principal's files where what is stored has a limit.
        """
        self._turn()
        return (
            self._of_calls(calls)
            or self._of_fuel(fuel)
            or self._of_provers(tool, scope)
            or (self._of_team(tool, team) if team else self._of_storage(tool, scope))
            or self._of_sessions(scope, session)
        )

    def reserve(self, fuel: int) -> None:
        """Set fuel aside for a run."""
        self._reserved += fuel

    def end(self, reserved: int, used: int) -> None:
        """A run has ended: what it used stays used, the rest of what was reserved is free."""
        self._turn()
        self._reserved -= reserved
        self._fuel += used

    def proved(self, seconds: float) -> None:
        """Provers have worked for so long."""
        self._turn()
        self._seconds += seconds

    def _turn(self) -> None:
        """Begin another minute if the last one is over."""
        now = self._clock()
        if now >= self._ends:
            self._ends = now + MINUTE
            self._fuel, self._seconds = 0, 0.0

    def _until_turn(self) -> int:
        return max(1, round((self._ends - self._clock()) * 1_000))

    def _of_calls(self, calls: int) -> Exceeded | None:
        limit = self.quotas.calls
        if limit is None or calls < limit:
            return None
        return Exceeded(
            "calls", limit, calls, f"{calls} calls of yours are under way", "Wait for one to end.", 1_000
        )

    def _of_fuel(self, fuel: int) -> Exceeded | None:
        limit, used = self.quotas.fuel, self._fuel + self._reserved
        if limit is None or used + fuel <= limit:
            return None
        if fuel > limit:
            hint = f"Ask for `fuel` of {limit} at most, and split longer work by `continue`."
            return Exceeded("fuel", limit, used, f"a run with fuel {fuel} is more than a minute's", hint)
        said = f"{used} of {limit} fuel of this minute is used or set aside for runs under way; this run asks for {fuel}"
        return Exceeded("fuel", limit, used, said, "Ask for less `fuel`, or wait.", self._until_turn())

    def _of_provers(self, tool: str, scope: str) -> Exceeded | None:
        limit, used = self.quotas.prover_seconds, self._seconds
        asks = scope == "theory" or tool in ("evolve", "analyze", "import")
        if limit is None or not asks or tool in _FREEING or used < limit:
            return None
        said = f"provers have worked {used:.0f} s for you in this minute; {limit} are yours"
        return Exceeded("prover-seconds", limit, round(used), said, "Wait.", self._until_turn())

    def _of_storage(self, tool: str, scope: str) -> Exceeded | None:
        limit = self.quotas.stored_mb
        if limit is None or scope not in ("evolve", "theory") or tool in _FREEING:
            return None
        used = _bytes_below(self._home)
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
        there = _names_in(self._home / "sessions")
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
