"""A team's store: the names in its tables are plain, and what is asked of it and answered are names as everybody has them.

Invariants
----------
- Every name that comes in is one of this team's, every name that goes out is. A store itself refuses a name with `/`, so no
  import can forge one.
- Tools come in by `evolve` and `adopt`, whose callers keep only code whose names are spelled in full; other code has no tool,
  however it came in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import msgspec

from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import NO_EXAMPLES, ToolRecord, full_name, nearest_name, own_name
from registry.store.following import Following
from registry.store.protocol import Adopted, Event, Evolved, Forgotten, Lineage, Snapshot, Store
from registry.teams.last_change import LastChange

__all__ = ["TeamSnapshot", "TeamStore"]

_GUESS = re.compile(r"(did you mean ')(?!team/)([^'/]+')")
"""A store's guess which of its tools was meant."""


class _Names:
    """Plain names and full ones."""

    def __init__(self, team: str) -> None:
        self.team = team
        self.prefix = full_name(team, "")

    def plain(self, name: str) -> str | None:
        """The name in the tables; None for one that is not this team's."""
        return name.removeprefix(self.prefix) if name.startswith(self.prefix) else None

    def record(self, record: ToolRecord) -> ToolRecord:
        return msgspec.structs.replace(record, name=self.prefix + record.name)

    def own(self, lineage: Lineage) -> Lineage:
        """A lineage as the tables have it."""
        plain = own_name(lineage.name)
        versions = tuple(msgspec.structs.replace(each, name=plain) for each in lineage.versions)
        return Lineage(plain, lineage.current, versions)

    def lineage(self, lineage: Lineage) -> Lineage:
        versions = tuple(self.record(each) for each in lineage.versions)
        return Lineage(self.prefix + lineage.name, lineage.current, versions)


class TeamSnapshot:
    """The tools of a team at one moment; see `registry.store.protocol.Snapshot`."""

    def __init__(self, names: _Names, inner: Snapshot) -> None:
        self._names = names
        self.inner = inner
        self._records: dict[tuple[str, int | None], ToolRecord | None] = {}

    @property
    def sequence(self) -> int:
        return self.inner.sequence

    def record(self, name: str, version: int | None = None) -> ToolRecord | None:
        plain = self._names.plain(name)
        if plain is None:
            return None
        found = self.inner.record(plain, version)
        if found is None:
            return None
        known = self._records.get((plain, version))
        if known is None:
            if len(self._records) > 1_000:
                self._records.clear()
            known = self._records[plain, version] = self._names.record(found)
        return known

    def names(self) -> tuple[str, ...]:
        return tuple(self._names.prefix + name for name in self.inner.names())

    def lineage(self, name: str) -> Lineage | None:
        plain = self._names.plain(name)
        found = None if plain is None else self.inner.lineage(plain)
        return None if found is None else self._names.lineage(found)

    def nearest(self, name: str) -> str | None:
        """The team's name closest to a full or plain one: full."""
        plain = self._names.plain(name)
        close = nearest_name(name if plain is None else plain, self.inner.names())
        return None if close is None else self._names.prefix + close


class TeamStore:
    """See `registry.store.protocol.Store`; the store behind it is shared by all members and closed by `TeamStores`. What is
    changed by it is changed by `principal`."""

    def __init__(
        self, team: str, inner: Store, principal: str | None = None, last: LastChange | None = None
    ) -> None:
        """`last`: the last change of `inner`, where somebody knows of it already."""
        self.team = team
        self._principal = principal
        self._names = _Names(team)
        self.inner = inner
        self._seen: TeamSnapshot | None = None
        self.last = LastChange(inner) if last is None else last

    def by(self, principal: str) -> TeamStore:
        """The same store, changed by that principal."""
        return TeamStore(self.team, self.inner, principal, self.last)

    def last_change(self) -> int:
        """The number of the last event, as of the last change that was told of; where none is told of, of a second ago at most."""
        return self.last.number()

    def follow(self, told: Callable[[], None]) -> Following | None:
        """Have `told` called after each change, whoever makes it."""
        return self.inner.follow(told)

    def snapshot(self) -> TeamSnapshot:
        """The team's tools as they are now; the same object as long as nothing was written."""
        inner, seen = self.inner.snapshot(), self._seen
        if seen is None or seen.inner is not inner:
            seen = self._seen = TeamSnapshot(self._names, inner)
        return seen

    def evolve(
        self,
        name: str,
        *,
        code: str,
        hash: str,
        description: str,
        capabilities: Sequence[str],
        examples: str = NO_EXAMPLES,
        laws: str | None = None,
        certificates: Mapping[str, str] | None = None,
        rounded: RoundedNumbers | None = None,
        python: str | None = None,
        expect_version: int | None = None,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Evolved:
        """Make `code`, whose names are spelled in full, the current version of `name`."""
        with self._named(name) as plain:
            evolved = self.inner.evolve(
                plain, code=code, hash=hash, description=description, capabilities=capabilities, examples=examples,
                laws=laws, certificates=certificates, rounded=rounded, python=python, expect_version=expect_version,
                dry_run=dry_run, principal=principal or self._principal,
            )  # fmt: skip
        return Evolved(self._names.record(evolved.record), evolved.outcome)

    def keep_laws(
        self,
        record: ToolRecord,
        laws: str,
        certificates: Mapping[str, str] | None = None,
        *,
        principal: str | None = None,
    ) -> bool:
        with self._named(record.name) as plain:
            kept = msgspec.structs.replace(record, name=plain)
            return self.inner.keep_laws(kept, laws, certificates, principal=principal or self._principal)

    def rollback(
        self, name: str, version: int, *, expect_version: int | None = None, principal: str | None = None
    ) -> ToolRecord:
        with self._named(name) as plain:
            who = principal or self._principal
            back = self.inner.rollback(plain, version, expect_version=expect_version, principal=who)
        return self._names.record(back)

    def forget(self, name: str, version: int | None = None, *, principal: str | None = None) -> Forgotten:
        with self._named(name) as plain:
            forgotten = self.inner.forget(plain, version, principal=principal or self._principal)
        return Forgotten(name, forgotten.versions, forgotten.current)

    def history(self, name: str) -> tuple[Event, ...]:
        with self._named(name) as plain:
            events = self.inner.history(plain)
        return tuple(msgspec.structs.replace(event, name=name) for event in events)

    def naming(self, name: str) -> tuple[str, ...]:
        """The team's tools in whose code that name stands."""
        return tuple(self._names.prefix + each for each in self.inner.naming(name))

    def namings(self, visit: Callable[[int], None], *, prefix: str = "") -> dict[str, list[str]]:
        found = self.inner.namings(visit, prefix=self._names.prefix)
        return {named: [self._names.prefix + each for each in namers] for named, namers in found.items()}

    def naming_by_run(self) -> tuple[str, ...]:
        """None: such code is refused in a team."""
        return ()

    def page(self, query: str = "", offset: int = 0, limit: int = 50) -> tuple[int, tuple[ToolRecord, ...]]:
        total, records = self.inner.page(query, offset, limit)
        return total, tuple(self._names.record(each) for each in records)

    def recent(self, limit: int) -> tuple[ToolRecord, ...]:
        return tuple(self._names.record(each) for each in self.inner.recent(limit))

    def changed_since(self, sequence: int) -> tuple[str, ...]:
        return tuple(self._names.prefix + each for each in self.inner.changed_since(sequence))

    def certificate(self, hash: str) -> str | None:
        return self.inner.certificate(hash)

    def adopt(
        self,
        lineages: Sequence[Lineage],
        *,
        renumber: bool = False,
        certificates: Mapping[str, str] | None = None,
        expect: Mapping[str, int | None] = MappingProxyType({}),
        principal: str | None = None,
    ) -> tuple[Adopted, ...]:
        """Take in lineages of full names, whose code has its names spelled in full."""
        own = [self._names.own(each) for each in lineages]
        who = principal or self._principal
        plain = {own_name(name): version for name, version in expect.items()}
        found = self.inner.adopt(
            own, renumber=renumber, certificates=certificates, expect=plain, principal=who
        )
        self.last.forget()
        return tuple(msgspec.structs.replace(each, name=self._names.prefix + each.name) for each in found)

    def backup(self, path: Path, *, overwrite: bool = False) -> None:
        self.inner.backup(path, overwrite=overwrite)

    def check(self) -> tuple[str, ...]:
        return self.inner.check()

    def size(self) -> int:
        return self.inner.size()

    def tidy(self) -> bool:
        return self.inner.tidy()

    def close(self) -> None:
        """Nothing: other members use it."""

    @contextmanager
    def _named(self, name: str) -> Iterator[str]:
        """The plain form of a name of this team; errors that are raised in the block say the full one."""
        plain = self._names.plain(name)
        if plain is None:
            raise RegistryError(
                "invalid_name", f"that is no tool of the team {self.team!r}", place="name", found=name[:80]
            )
        try:
            yield plain
        except RegistryError as error:
            raise _renamed(error, plain, name) from None
        finally:
            self.last.forget()  # it may have been a write


def _renamed(error: RegistryError, plain: str, name: str) -> RegistryError:
    """An error of the store about one of its tools, with the name that its caller gave."""

    prefix = name.removesuffix(plain)

    def said(text: str | None) -> str | None:
        if text is None:
            return None
        text = text.replace(repr(plain), repr(name)).replace(f" {plain}@", f" {name}@")
        return _GUESS.sub(lambda guess: f"{guess[1]}{prefix}{guess[2]}", text)

    tool = error.tool
    if tool is not None and tool.partition("@")[0] == plain:
        tool = name + tool[len(plain) :]
    found = error.found
    if found is not None and found.partition("@")[0] == plain:
        found = name + found[len(plain) :]
    return RegistryError(
        error.kind, said(error.message) or "", place=error.place, file=error.file, tool=tool, found=found,
        expected=error.expected, hint=said(error.hint), counterexample=error.counterexample,
    )  # fmt: skip
