"""What one principal may read and write of the teams' tools, as its rights are at the moment of asking.

A team that a principal is not in and a team that there is not are one case: nothing is opened, and nothing is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pif.language.errors import nearest
from registry.access.teams import Right, TeamFile
from registry.errors import RegistryError
from registry.records import ToolRecord, full_name, team_of
from registry.store.following import Following
from registry.teams.team_store import TeamSnapshot, TeamStore
from registry.teams.team_stores import TeamStores

__all__ = ["Member", "Views"]


class Member:
    """One principal, by its name, and the teams of a home."""

    def __init__(self, principal: str, file: TeamFile, stores: TeamStores) -> None:
        self.principal = principal
        self._file = file
        self._stores = stores
        self._trouble = ""
        self._as_this: dict[str, TeamStore] = {}

    def rights(self) -> Mapping[str, Right]:
        """What it may do, by the names of its teams in order."""
        return self._file.rights(self.principal)

    def store(self, team: str) -> TeamStore | None:
        """The store of a team that it may read; None for every other name."""
        return self._of(team) if team in self.rights() else None

    def _of(self, team: str) -> TeamStore:
        """The store of a team, whose history says that this principal made the changes."""
        shared = self._stores.of(team)
        known = self._as_this.get(team)
        if known is None or known.inner is not shared.inner:
            known = self._as_this[team] = shared.by(self.principal)
        return known

    def store_for(self, team: str, *, writing: bool) -> TeamStore:
        """The same. Raises `unknown_team`, and `not_allowed` where it may read and wants to write."""
        rights = self.rights()
        right = rights.get(team)
        if right is None:
            raise self._unknown(team, rights)
        if writing and right != "write":
            raise RegistryError(
                "not_allowed", f"you may read the tools of the team {team!r} and not change them", place="name", found=team,
                expected="a member that may write", hint="Ask the owner of the server: `pif team add --write` lets you.",
            )  # fmt: skip
        return self._of(team)

    @staticmethod
    def _unknown(team: str, rights: Mapping[str, Right]) -> RegistryError:
        close = nearest(team, rights)
        hint = (
            "`list` shows the teams that you are in."
            if rights
            else "The owner of the server makes teams: `pif team create`."
        )
        return RegistryError(
            "unknown_team", f"you are in no team {team[:60]!r}", place="name", found=team[:60],
            expected=", ".join(rights) or "a team: you are in none", hint=f"Did you mean {close!r}?" if close else hint,
        )  # fmt: skip

    def open(self) -> None:
        """Open the stores of its teams, which may take long. One that cannot be opened is told of when it is asked for."""
        for _ in self.stores():
            pass

    def changes(self) -> tuple[tuple[str, int], ...]:
        """Its teams, each with the number of the last change of its tools: equal where it finds the same tools."""
        return tuple((store.team, store.last_change()) for store in self.stores())

    def follow(self, told: Callable[[], None]) -> Following:
        """Have `told` called after changes of the tools of teams, of any team: who may see which is judged at the look."""
        return self._stores.follow(told)

    def recent(self, limit: int) -> list[ToolRecord]:
        """The tools that were last changed in each of its teams."""
        return [record for store in self.stores() for record in store.recent(limit)]

    def theories(self, team: str) -> tuple[str, ...]:
        """The names of the theories of a team that it may read; none of every other name."""
        return self._stores.theories(team) if team in self.rights() else ()

    def size(self, team: str) -> int | None:
        """How many bytes a team stores in which it may write; None for every other name."""
        return self._stores.size(team) if self.rights().get(team) == "write" else None

    def tidy(self, team: str) -> bool:
        """Erase some of what was forgotten in a team in which it may write; False where there is nothing to erase."""
        return self.rights().get(team) == "write" and self._of(team).tidy()

    def stores(self) -> Iterator[TeamStore]:
        """The stores of its teams that can be read."""
        for team in self.rights():
            try:
                store = self._of(team)
                store.last_change()  # raises where it cannot be read
            except RegistryError as error:
                if str(error) != self._trouble:
                    self._trouble = str(error)
                    _log(team, error)
                continue
            yield store


class Views:
    """The snapshots of the teams that one run sees: each is taken at the first name of its team, and membership is judged then
    too, and once."""

    def __init__(self, member: Member) -> None:
        self._member = member
        self._taken: dict[str, TeamSnapshot | None] = {}

    def snapshot(self, team: str) -> TeamSnapshot | None:
        """That of a team; None where the member may not read it or there is none."""
        if team not in self._taken:
            store = self._member.store(team)
            self._taken[team] = None if store is None else store.snapshot()
        return self._taken[team]

    def names(self) -> tuple[str, ...]:
        """The full names of all tools that the member may read, by teams."""
        return tuple(name for store in self._member.stores() for name in self._of(store).names())

    def _of(self, store: TeamStore) -> TeamSnapshot:
        known = self._taken.get(store.team)
        if known is None:
            known = self._taken[store.team] = store.snapshot()
        return known

    def nearest(self, name: str) -> str | None:
        """The full name closest in spelling to a misspelt one, of all that the member may read."""
        stores = {store.team: store for store in self._member.stores()}
        given = team_of(name)
        chosen = [given] if given in stores else [*stores]
        if given and given not in stores:
            close = nearest(given, stores)
            chosen = [] if close is None else [close]
        plain = name.partition("@")[0].rpartition("/")[2]
        found = (self._of(stores[team]).nearest(plain) for team in chosen)
        return next((each for each in found if each is not None), None)

    def named(self, plain: str) -> str | None:
        """The full name of a team's tool of that plain name, of the first team that has one."""
        for store in self._member.stores():
            record = self._of(store).record(full_name(store.team, plain))
            if record is not None:
                return record.name
        return None


def _log(team: str, error: RegistryError) -> None:
    import logging  # only for this: what asks once, as `pif run` does, mostly finds no trouble

    logging.getLogger(__name__).error(
        "the tools of the team %s cannot be read: %s (%s)", team, error, error.found
    )
