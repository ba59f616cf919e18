"""The registry as a run sees it: the evaluator's `Tools` over a store's snapshot (docs/reference/pif.md §4.3).

A tool's code is decoded once, whichever snapshot asks first, so the cost of a run does not depend on the number of tools.
Types are cached too: a tool's type depends on its code and on the tools that it names, so it is cached with the hashes of
all of them, and inferred again when one has changed. Nothing is stored: a type is a fact about a snapshot.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Container, Mapping
from types import MappingProxyType

from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.work import STEPS, Work
from pif.language.decode import decode_text
from pif.language.host import Tool
from pif.language.terms import Term
from registry.errors import RegistryError
from registry.records import (
    LIBRARY_PREFIX,
    TEAM_PREFIX,
    KeptLaw,
    Reference,
    ToolRecord,
    full_name,
    parse_reference,
    read_laws,
    team_of,
)
from registry.store.protocol import Lineage, Snapshot
from registry.teams.member import Views
from registry.teams.team_store import TeamSnapshot
from registry.tools.library import Library

__all__ = ["LibraryTools", "Overlay", "SnapshotTools", "TeamTools", "TermCache", "TypeCache"]

_NODES_KEPT = 200_000
"""Nodes of all terms that a `TermCache` keeps."""

_TYPES_KEPT = 2_000
"""Types that a `TypeCache` keeps."""


class TermCache:
    """Decoded tools by name, version and hash, the least recently used dropped first. Safe in threads."""

    def __init__(self, nodes: int = _NODES_KEPT) -> None:
        self._limit = nodes
        self._lock = threading.Lock()
        self._tools: OrderedDict[tuple[str, int, str, str], Tool] = OrderedDict()
        self._nodes = 0

    def tool(self, record: ToolRecord, reference: str) -> Tool:
        """The tool of a record, which was named by `reference`."""
        key = (record.name, record.version, record.hash, reference)
        with self._lock:
            known = self._tools.get(key)
            if known is not None:
                self._tools.move_to_end(key)
                return known
        made = Tool(
            record.name, record.version, decode_text(record.code), reference=reference, rounded=record.rounded
        )
        with self._lock:
            known = self._tools.setdefault(key, made)
            if known is made:
                self._nodes += made.term.nodes
            while self._nodes > self._limit and len(self._tools) > 1:
                _, dropped = self._tools.popitem(last=False)
                self._nodes -= dropped.term.nodes
        return known


class LibraryTools:
    """The library alone, as its own laws see it, whatever tools a home has."""

    def __init__(self, library: Library, cache: TermCache) -> None:
        self.library = library
        self._cache = cache

    def find(self, reference: str) -> ToolRecord | None:
        """The record for `name` or `name@version`, or None."""
        wanted = _parsed(reference)
        return None if wanted is None else self.library.record(wanted.name, wanted.version)

    def tool(self, reference: str) -> Tool | None:
        """The tool for `name` or `name@version`, or None."""
        record = self.find(reference)
        return None if record is None else self._cache.tool(record, reference)

    def nearest(self, name: str) -> str | None:
        return self.library.nearest(name)

    def names(self) -> tuple[str, ...]:
        """The full names of all tools of the library."""
        return self.library.names()

    def laws(self, record: ToolRecord) -> tuple[KeptLaw, ...]:
        """The laws of a tool of the library."""
        return self.library.laws(record)

    def kept_laws(self, name: str) -> tuple[KeptLaw, ...]:
        """The laws of the current version of a name; none where there is no such tool."""
        record = self.find(name)
        return () if record is None else self.laws(record)


def _parsed(reference: str) -> Reference | None:
    try:
        return parse_reference(reference)
    except RegistryError:
        return None


class SnapshotTools:
    """The tools of one snapshot, over those of the library; and by their full names those of the teams of `views`.

    `drafts`, which are stored nowhere, come before both.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        cache: TermCache,
        library: Library,
        views: Views | None = None,
        drafts: Mapping[str, ToolRecord] = MappingProxyType({}),
    ) -> None:
        self.snapshot = snapshot
        self._drafts = drafts
        self._cache = cache
        self._library = library
        self._views = views
        self.library = LibraryTools(library, cache)

    def find(self, reference: str) -> ToolRecord | None:
        """The record for `name` or `name@version`, or None."""
        wanted = _parsed(reference)
        if wanted is None:
            return None
        name, version = wanted.name, wanted.version
        if wanted.team:
            snapshot = self._of_team(wanted.team)
            return None if snapshot is None else snapshot.record(name, version)
        return self._plain(name, version)

    def _plain(self, name: str, version: int | None) -> ToolRecord | None:
        if version is None and name in self._drafts:
            return self._drafts[name]
        record = self.snapshot.record(name, version)
        if record is None and (version is None or self.snapshot.record(name) is None):
            return self._library.record(name, version)
        return record

    def _of_team(self, team: str) -> TeamSnapshot | None:
        return None if self._views is None else self._views.snapshot(team)

    def tool(self, reference: str) -> Tool | None:
        """The tool for `name` or `name@version`, or None; a team's only if its code leaves no name to its caller."""
        record = self.find(reference)
        if record is None:
            return None
        made = self._cache.tool(record, reference)
        if record.name.startswith(TEAM_PREFIX):
            team = team_of(record.name)
            return made if self._library.full_names.is_spelled(made.term, team, record.hash) else None
        return made

    def as_written(self, record: ToolRecord) -> SnapshotTools:
        """The tools that the names in the text of a version's code mean: those of its team, or these."""
        team = team_of(record.name)
        snapshot = self._of_team(team) if team else None
        return self if snapshot is None else TeamTools(team, snapshot, self._cache, self._library)

    def spelled(self, term: Term) -> Term:
        """A term as it is kept: names of one's own tools stay as they are."""
        return term

    def lineage(self, name: str) -> Lineage | None:
        """The versions of a name that resolve; None where it does not, or is the library's."""
        team = team_of(name)
        snapshot = self._of_team(team) if team else self.snapshot
        return None if snapshot is None else snapshot.lineage(name)

    def nearest(self, name: str) -> str | None:
        if self._views is not None and name.startswith(TEAM_PREFIX):
            return self._views.nearest(name)
        shared = None if self._views is None else self._views.named(name.partition("@")[0])
        return shared or self.snapshot.nearest(name) or self._library.nearest(name)

    def names(self) -> tuple[str, ...]:
        """All names that resolve: drafts, those of the home, then those of the library."""
        return (*self._drafts, *self.snapshot.names(), *self._library.names())

    def names_of_teams(self) -> tuple[str, ...]:
        """The full names of all tools of teams in reach."""
        return () if self._views is None else self._views.names()

    def laws(self, record: ToolRecord) -> tuple[KeptLaw, ...]:
        """The laws of a version: those kept with it, or those of the library."""
        if record.name.startswith(LIBRARY_PREFIX):
            return self._library.laws(record)
        return read_laws(record.laws)

    def kept_laws(self, name: str) -> tuple[KeptLaw, ...]:
        """The laws of the current version of a name; none where there is no such tool."""
        record = self.find(name)
        return () if record is None else self.laws(record)

    def certificate(self, record: ToolRecord, hash_: str) -> str | None:
        """The certificate of a law of one of the library's tools, or None."""
        return self._library.certificate(record.name, hash_)


class TeamTools(SnapshotTools):
    """The tools as the code of a team means them: a plain name is one of the team's, else the library's."""

    def __init__(self, team: str, snapshot: TeamSnapshot, cache: TermCache, library: Library) -> None:
        super().__init__(snapshot, cache, library)
        self.team = team
        self._snapshot = snapshot

    def _plain(self, name: str, version: int | None) -> ToolRecord | None:
        full = full_name(self.team, name)
        record = self.snapshot.record(full, version)
        if record is None and (version is None or self.snapshot.record(full) is None):
            return self._library.record(name, version)
        return record

    def _of_team(self, team: str) -> TeamSnapshot | None:
        return self._snapshot if team == self.team else None

    def spelled(self, term: Term, coming: Container[str] = ()) -> Term:
        """A term with its names in full; `coming` are plain names of tools that the team is about to have. Raises `not_allowed`
        where it makes names while it runs."""
        has = self._has if not coming else lambda name: name in coming or self._has(name)
        return self._library.full_names.spelled(term, self.team, has)

    def in_full(self, reference: str) -> str:
        """A name in full. Raises `not_allowed` for one that code of the team may not have."""
        return self._library.full_names.name_in_full(reference, self.team, self._has)

    def _has(self, name: str) -> bool:
        return self.snapshot.record(full_name(self.team, name)) is not None


class Overlay:
    """A snapshot in which one name stands for a tool that is not stored yet; its examples run on this."""

    def __init__(
        self, below: SnapshotTools | LibraryTools | Overlay, name: str, version: int, term: Term
    ) -> None:
        self._below = below
        spelled = (
            (name, name.rpartition("/")[2]) if team_of(name) else (name,)
        )  # as a team's examples may say it
        self._tools = {
            reference: Tool(name, version, term, reference=reference)
            for each in spelled
            for reference in (each, f"{each}@{version}")
        }
        self.new = self._tools[name]

    def tool(self, reference: str) -> Tool | None:
        return self._tools.get(reference) or self._below.tool(reference)

    def as_written(self, record: ToolRecord) -> Overlay:
        """These tools: the new one's code was read over them."""
        return self

    def spelled(self, term: Term) -> Term:
        """A term as it is kept over what stands below."""
        return term if isinstance(self._below, LibraryTools) else self._below.spelled(term)

    def nearest(self, name: str) -> str | None:
        return self._below.nearest(name)

    def kept_laws(self, name: str) -> tuple[KeptLaw, ...]:
        """The laws that are kept with the current version of a name, which may be about other code than is here."""
        return self._below.kept_laws(name)


class TypeCache:
    """Types by name, version and hash, the least recently used dropped first. Safe in threads."""

    def __init__(self, kept: int = _TYPES_KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], tuple[tuple[str | None, ...], Typing]] = OrderedDict()

    def typing(self, record: ToolRecord, tools: SnapshotTools, work: Work | None = None) -> Typing:
        """The type of a registered tool. Of `work`, which is for several, it takes no more than one question may."""
        key = (record.reference, record.hash)
        with self._lock:
            kept = self._known.get(key)
            if kept is not None:
                self._known.move_to_end(key)
        if kept is not None and kept[0] == _hashes(kept[1], tools):
            return kept[1]
        tool = tools.tool(record.reference)
        steps = STEPS if work is None else max(0, min(STEPS, work.steps - work.used))
        own = Work(steps)
        found = Typing(None, {}, (), (), ()) if tool is None else typing_of(tool, tools, own)
        if work is not None:
            work.used += min(own.used, steps)
        if found.unfinished and steps < STEPS:
            return found  # with all its steps it may be finished
        with self._lock:
            self._known[key] = (_hashes(found, tools), found)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return found


def _hashes(typing: Typing, tools: SnapshotTools) -> tuple[str | None, ...]:
    """The present versions and hashes of the tools that a type depends on."""
    records = [tools.find(name) for name in typing.depends]
    return tuple([f"{record.version} {record.hash}" if record else None for record in records])
