"""Completion of names, versions and teams of tools."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from registry.records import TEAM_PREFIX, full_name
from registry.store.protocol import Snapshot
from registry.tools.snapshot_tools import SnapshotTools
from registry.workspace.workspace import Workspace

__all__ = ["Completion"]

_LAST = "\U0010ffff"
"""No name goes on with this character, so it ends the names that begin with a text."""


class Completion:
    """The values that a client may mean. Asked in worker threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._names: tuple[Snapshot, tuple[str, ...], tuple[str, ...]] | None = None

    def values(self, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        """The values of an argument that begin with `prefix`, best first."""
        tools = self._workspace.tools()
        team = given.get("team", "")
        if argument == "team":
            rights = {} if self._workspace.member is None else self._workspace.member.rights()
            return [each for each in rights if each.startswith(prefix)]
        if argument == "name" and team:
            begin = full_name(team, "")
            return [
                each.removeprefix(begin) for each in tools.names_of_teams() if each.startswith(begin + prefix)
            ]
        if argument == "name":
            shared = (
                tools.names_of_teams() if prefix and prefix.startswith(TEAM_PREFIX[: len(prefix)]) else ()
            )
            return [*self._names_with(tools, prefix), *(each for each in shared if each.startswith(prefix))]
        if argument != "version":
            return ()
        name = given.get("name", "")
        lineage, current = tools.lineage(name), tools.find(name)
        records = lineage.versions if lineage else [current] if current else []
        versions = [str(record.version) for record in records]
        return [version for version in reversed(versions) if version.startswith(prefix)]

    def _names_with(self, tools: SnapshotTools, prefix: str) -> Sequence[str]:
        """The names that begin so, those of the home first: both lists are in the order of code points, so a part of each
        answers, however many there are. A list is read once for each state of the registry."""
        known = self._names
        if known is None or known[0] is not tools.snapshot:
            known = tools.snapshot, tools.snapshot.names(), tools.library.names()
            self._names = known
        found: list[str] = []
        for names in known[1:]:
            begin = bisect_left(names, prefix)
            found += names[begin : bisect_left(names, prefix + _LAST, begin)]
        return found
