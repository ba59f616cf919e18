"""How much a principal may use: limits for each, set for a server, and one meter for each principal, in all its processes.

`fuel` and `prover-seconds` are for a minute, which begins with the first use in it; `stored-mb`, `sessions` and `calls` are for any
one moment, and so is `team-mb`, which all members of a team have together.
Fuel is reserved before a run and given back where it was not used, so that runs at one time cannot use it twice. What is
used of provers, and the fuel of examples and laws, is known afterwards: who has used up a minute's is refused until the minute
ends, and what went beyond it is taken from the minutes that follow.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from pif.language.errors import nearest
from registry.access.shared_use import Use

__all__ = ["MINUTE", "Exceeded", "InUse", "Meter", "Quotas", "Spent", "Stored", "read_quotas"]

MINUTE: Final = 60.0

MEGABYTE: Final = 2**20

_RUNNING: Final = frozenset(("evolve", "import", "rollback", "fuzz", "check_laws", "analyze"))
"""Tools that run examples, laws or made-up inputs: how much fuel that takes is known when they have ended."""

_PROVING: Final = frozenset(("evolve", "import", "analyze", "check_laws"))
"""Tools that may ask provers, besides those of the scope `theory` and runs with a session."""

_FREEING: Final = frozenset(("forget", "undo", "check_job", "cancel"))
"""Tools that make room, or stop something: they are never refused for want of room."""

_CACHES: Final = frozenset(("parsed", "verdicts", "certified", "database"))
"""Folders of a home that have bounds of their own and that nobody can make smaller by what they do."""

_TOOLS: Final = "tools."
"""How the names of the files of the tools begin, which do not shrink: what is in them is asked of the store."""


_GRACE: Final = "an hour"
"""How long what was forgotten is kept for runs that still use it (`registry.store`)."""


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
    """What a principal has in the store of its tools: bytes, and the names of theory sessions where they are there too."""

    stored: int
    sessions: frozenset[str] | None = None


class Stored(msgspec.Struct, frozen=True):
    """What is stored: by a principal in bytes and sessions, and by a team in which it may write; None where that has no limit, or
    matters nothing for a call."""

    own: int | None = None
    sessions: frozenset[str] | None = None
    team: int | None = None


NOTHING_STORED: Final = Stored()


class Spent:
    """The fuel of all runs of one call. `add` may come from any thread."""

    def __init__(self) -> None:
        self.fuel = 0
        self._lock = threading.Lock()

    def add(self, fuel: int) -> None:
        """A run has ended that used so much."""
        with self._lock:
            self.fuel += fuel


class Meter:
    """What one principal uses. Use it from one event loop, but for `proved` and `stored`, which may come from any thread.

    `use` is where it is counted: in this process unless it is said. Its clock must be one that all who count have. `in_store`: what
    the principal has there. `team_size`: the bytes that a team stores in which the principal may write; None for every other.
    `tidy`: erase some of what was forgotten long enough ago, in the store of that team or, without a name, the principal's; False
    where there is nothing to erase. All three may block.
    """

    def __init__(
        self,
        quotas: Quotas,
        home: Path,
        clock: Callable[[], float] = time.monotonic,
        in_store: Callable[[], InUse] = lambda: InUse(0),
        use: Use | None = None,
        team_size: Callable[[str], int | None] = lambda team: None,
        tidy: Callable[[str], bool] = lambda team: False,
    ) -> None:
        self.quotas = quotas
        self._home = home
        self._in_store = in_store
        self._tidy = tidy
        self._team_size = team_size
        self._clock = clock
        self._use = use or Use()

    async def measure(self, tool: str, scope: str, session: str | None, team: str = "") -> Stored:
        """`stored`, asked in a thread where there is something to ask: files are walked and a database may be slow."""
        if not (
            self._asks_own(tool, scope)
            or self._asks_sessions(scope, session)
            or (team and self._asks_team(tool))
        ):
            return NOTHING_STORED
        return await asyncio.to_thread(self.stored, tool, scope, session, team)

    def stored(self, tool: str, scope: str, session: str | None, team: str = "") -> Stored:
        """What is stored, as far as it matters for a call; it may block. Raises what `in_store`, `team_size` and `tidy` raise."""
        of_team = bool(team) and self._asks_team(tool)
        own = self._asks_own(tool, scope) and not of_team
        sessions = self._asks_sessions(scope, session)
        found = self._stored(own, sessions, team if of_team else "")
        if self._of_team(team, found.team) or self._of_storage(found.own):
            if not self._tidy(team if of_team else ""):
                return found
            while self._tidy(team if of_team else ""):
                continue
            found = self._stored(own, sessions, team if of_team else "")
        return found

    def has_room(self) -> bool:
        """Whether the principal may keep more now; it may block. Raises as `stored`."""
        return self._of_storage(self.stored("evolve", "evolve", None).own) is None

    def _stored(self, own: bool, sessions: bool, team: str) -> Stored:
        in_store = self._in_store() if own or sessions else InUse(0)
        names = in_store.sessions
        if sessions and names is None:
            names = frozenset(_names_in(self._home / "sessions"))
        return Stored(
            own=_bytes_kept(self._home) + in_store.stored if own else None,
            sessions=names if sessions else None,
            team=self._team_size(team) if team else None,
        )

    def _asks_own(self, tool: str, scope: str) -> bool:
        limited = self.quotas.stored_mb is not None
        return limited and scope in ("evolve", "theory") and tool not in _FREEING

    def _asks_sessions(self, scope: str, session: str | None) -> bool:
        return self.quotas.sessions is not None and scope == "theory" and session is not None

    def _asks_team(self, tool: str) -> bool:
        return self.quotas.team_mb is not None and tool not in _FREEING

    def begin(
        self,
        tool: str,
        scope: str,
        fuel: int,
        session: str | None,
        team: str = "",
        stored: Stored = NOTHING_STORED,
    ) -> Exceeded | None:
        """Begin a call, with `fuel` set aside until `end`; or what it would go beyond, and nothing was begun.

        `scope` is the one that the call needs, `session` the theory session that it names, `team` the team whose tools it changes,
        and `stored` what was measured for it.
        """
        exceeded = (
            self._of_team(team, stored.team) if stored.team is not None else self._of_storage(stored.own)
        )
        exceeded = exceeded or self._of_sessions(session, stored.sessions)
        with self._use.changing() as use:
            self._turn(use)
            exceeded = (
                self._of_calls(use)
                or self._of_fuel(use, tool, fuel)
                or self._of_provers(use, tool, scope, session)
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
        """Begin another minute if the last one is over, with what the minutes since have not paid of what went beyond a limit.

        A minute that ends later than one does is of another clock, or of one that went back: it is over.
        """
        now = self._clock()
        if use.ends - MINUTE - 1.0 <= now < use.ends:
            return
        minutes = 1 + int(max(0.0, now - use.ends) // MINUTE)
        use.ends = now + MINUTE
        fuel, seconds = self.quotas.fuel, self.quotas.prover_seconds
        use.fuel = 0 if fuel is None else max(0, use.fuel - minutes * fuel)
        use.seconds = 0.0 if seconds is None else max(0.0, use.seconds - minutes * seconds)

    def _until_room(self, use: Use, beyond: float, limit: int) -> int:
        """Milliseconds until minutes have ended in which so much more than a minute's limit is paid."""
        minutes = max(0, math.ceil(beyond / limit))
        return max(1, round((use.ends - self._clock() + minutes * MINUTE) * 1_000))

    def _of_calls(self, use: Use) -> Exceeded | None:
        limit, calls = self.quotas.calls, use.calls
        if limit is None or calls < limit:
            return None
        return Exceeded(
            "calls", limit, calls, f"{calls} calls of yours are under way", "Wait for one to end.", 1_000
        )

    def _of_fuel(self, use: Use, tool: str, fuel: int) -> Exceeded | None:
        limit, used = self.quotas.fuel, use.fuel + use.reserved
        asked = max(fuel, int(tool in _RUNNING))
        if limit is None or used + asked <= limit:
            return None
        if fuel > limit:
            hint = f"Ask for `fuel` of {limit} at most, and split longer work by `continue`."
            return Exceeded("fuel", limit, used, f"a run with fuel {fuel} is more than a minute's", hint)
        said = f"{used} of {limit} fuel of this minute is used or set aside for runs under way; this run asks for {asked}"
        return Exceeded(
            "fuel",
            limit,
            used,
            said,
            "Ask for less `fuel`, or wait.",
            self._until_room(use, use.fuel + asked - 2 * limit, limit),
        )

    def _of_provers(self, use: Use, tool: str, scope: str, session: str | None) -> Exceeded | None:
        limit, used = self.quotas.prover_seconds, use.seconds
        asks = scope == "theory" or tool in _PROVING or (scope == "run" and session is not None)
        if limit is None or not asks or tool in _FREEING or used < limit:
            return None
        said = f"provers have worked {used:.0f} s for you in this minute; {limit} are yours"
        return Exceeded(
            "prover-seconds",
            limit,
            round(used),
            said,
            "Wait.",
            self._until_room(use, used - 2 * limit + 1e-9, limit),
        )

    def _of_storage(self, used: int | None) -> Exceeded | None:
        limit = self.quotas.stored_mb
        if limit is None or used is None or used < limit * MEGABYTE:
            return None
        said = f"{used / MEGABYTE:.1f} MB of yours are stored; {limit} are allowed"
        hint = (
            f"Forget tools, which count for {_GRACE} more, undo submissions, or ask the owner of the server."
        )
        return Exceeded("stored-mb", limit, used // MEGABYTE, said, hint)

    def _of_team(self, team: str, used: int | None) -> Exceeded | None:
        limit = self.quotas.team_mb
        if limit is None or used is None or used < limit * MEGABYTE:
            return None
        said = f"{used / MEGABYTE:.1f} MB of the team {team!r} are stored; {limit} are allowed"
        hint = f"Forget tools of the team, which count for {_GRACE} more, or ask the owner of the server."
        return Exceeded("team-mb", limit, used // MEGABYTE, said, hint)

    def _of_sessions(self, session: str | None, there: frozenset[str] | None) -> Exceeded | None:
        limit = self.quotas.sessions
        if limit is None or there is None or session in there or len(there) < limit:
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


def _bytes_kept(home: Path) -> int:
    """The bytes of all files of a home but caches and the tools."""
    try:
        with os.scandir(home) as entries:
            kept = [each for each in entries if each.name not in _CACHES and not each.name.startswith(_TOOLS)]
            return sum(_bytes_of(each) for each in kept)
    except OSError:
        return 0


def _bytes_of(entry: os.DirEntry[str]) -> int:
    """The bytes of a file, or of all files below a folder; what goes away meanwhile counts nothing."""
    try:
        if not entry.is_dir(follow_symlinks=False):
            return entry.stat(follow_symlinks=False).st_size
        with os.scandir(entry) as entries:
            return sum(map(_bytes_of, entries))
    except OSError:
        return 0
