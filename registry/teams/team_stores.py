"""The stores of all teams of one home, each opened when it is first asked for and then kept. Safe in threads.

One process opens a team's store once, whoever asks: what members have in common are the store's files or connections.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from registry.errors import RegistryError
from registry.store.following import Following
from registry.store.open_store import open_store, team_home, team_url
from registry.store.protocol import Store
from registry.store.timed_store import Timed, timed
from registry.teams.last_change import LastChange
from registry.teams.team_store import TeamStore

__all__ = ["TeamStores"]


class _Following:
    """See `registry.store.protocol.Following`."""

    def __init__(self, stores: TeamStores, told: Callable[[], None]) -> None:
        self.told = told
        self._stores = stores

    @property
    def is_live(self) -> bool:
        return self._stores.is_live

    def close(self) -> None:
        self._stores.left(self)


class TeamStores:
    """Who may use which is not asked here: `member.Member` does."""

    def __init__(
        self, home: Path, url: str = "", *, read_only: bool = False, store_timed: Timed | None = None
    ) -> None:
        """`home` and `url` are those of the owner's tools; `store_timed` is told how long each operation took."""
        self._home = home
        self._url = url
        self._read_only = read_only
        self._timed = store_timed
        self._lock = threading.Lock()
        self._open: dict[str, TeamStore] = {}
        self._stores: list[Store] = []
        self._closed = False
        self._following: tuple[_Following, ...] = ()

    def of(self, team: str) -> TeamStore:
        """The store of a team that there is. Raises RegistryError where it cannot be opened."""
        known = self._open.get(team)
        if known is not None:
            return known
        with self._lock:
            if self._closed:
                raise RegistryError("store_error", "the stores of the teams are closed")
            known = self._open.get(team)
            if known is None:
                store = open_store(
                    team_home(self._home, team), team_url(self._url, team), read_only=self._read_only
                )
                self._stores.append(store)
                shared = store if self._timed is None else timed(store, self._timed)
                known = self._open[team] = TeamStore(team, shared, last=LastChange(shared, self._changed))
        return known

    def follow(self, told: Callable[[], None]) -> Following:
        """Have `told` called after changes of any team's tools."""
        following = _Following(self, told)
        self._following = (*self._following, following)
        return following

    def left(self, following: _Following) -> None:
        """Tell one no more."""
        self._following = tuple(each for each in self._following if each is not following)

    @property
    def is_live(self) -> bool:
        """Whether the changes of all stores that are open are told of now."""
        return all(store.last.is_told for store in tuple(self._open.values()))

    def _changed(self) -> None:
        for each in self._following:
            each.told()

    def size(self, team: str) -> int:
        """How many bytes a team stores: its tools, and the files of its theories."""
        theories = team_home(self._home, team) / "theories"
        found = self.of(team).size()
        try:
            with os.scandir(theories) as entries:
                return found + sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
        except OSError:
            return found

    def theories(self, team: str) -> tuple[str, ...]:
        """The names of the theories that a team shares."""
        from kleis.sessions.files.shared_theories import names_in  # not needed to run a tool

        return tuple(names_in(team_home(self._home, team) / "theories"))

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            self._closed = True
            for team in self._open.values():
                team.last.close()
            for store in self._stores:
                store.close()
            self._stores.clear()
            self._open.clear()
