"""Files from a source, believed only as far as they are computed here.

`Arrival` follows what one tool names through the rows of a publication and fetches what is not here. Then `checked` makes sure of
the one thing that matters: with these versions added to this home, each of them has the identity that its row says, so
every name in its code means here what it meant there. Codes are decoded and hashed anew on the way. Examples, laws
and certificates are for `registry.workspace` to check, which takes the tools in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX, ToolRecord, check_name, parse_reference
from registry.sharing.identity import REACHED_AT_MOST, Identities, named_in
from registry.sharing.manifest import (
    LIBRARY,
    OBJECT_LIMIT,
    SHARD_LIMIT,
    Manifest,
    Offered,
    Row,
    read_shard,
    shard_of,
    untrue,
)
from registry.sharing.sources import Source
from registry.store.exchange.file_format import read_record
from registry.store.protocol import Lineage
from registry.tools.code_and_examples import verified
from registry.tools.snapshot_tools import SnapshotTools

__all__ = ["Arrival", "Arrived", "Shards"]

_BYTES: Final = 128 * 1024 * 1024
"""What one tool and all that it names may have together."""

_SHARD_BYTES: Final = 32 * 1024 * 1024
"""What all shards that are read of a publication may have together."""

Replaceable = Callable[[ToolRecord], bool]
"""Whether a version here, the current one of its name, came from this publisher and was not changed since."""


class Shards:
    """The rows of a publication, each shard read once."""

    def __init__(self, source: Source, manifest: Manifest) -> None:
        self.source = source
        self.manifest = manifest
        self.names: dict[str, tuple[str, ...]] = {}
        """The names in codes that were looked at, by hash: kept from one arrival to the next."""
        self._read: dict[str, dict[str, Offered]] = {}
        self._budget = _SHARD_BYTES

    def was_read(self, shard: str) -> bool:
        """Whether a shard was read."""
        return shard in self._read

    def ahead(self, shards: Iterable[str]) -> None:
        """Fetch shards that are not read yet, together where the source can."""
        missing = {each for each in shards if each not in self._read}
        hashes = [hash_ for each in sorted(missing) if (hash_ := self.manifest.shards.get(each)) is not None]
        if hashes:
            self.source.ahead(hashes)

    def tools(self, shard: str) -> dict[str, Offered]:
        """The tools in a shard; none where the root has no such shard."""
        if shard not in self._read:
            hash_ = self.manifest.shards.get(shard)
            self._read[shard] = {} if hash_ is None else self._fetched(shard, hash_)
        return self._read[shard]

    def _fetched(self, shard: str, hash_: str) -> dict[str, Offered]:
        place = f"{self.source.place}/objects/{hash_}.json"
        content = self.source.object(hash_, SHARD_LIMIT)
        self._budget -= len(content)
        if self._budget < 0:
            raise untrue(
                place, "the publication offers too much", "more", f"{_SHARD_BYTES} bytes of shards at most"
            )
        return read_shard(content, shard, place)

    def tool(self, name: str) -> Offered | None:
        """What is offered under a name."""
        return self.tools(shard_of(name)).get(name)


class Arrived:
    """What came: the versions asked for, as they are called here; those that are new here, as lineages; certificates; the rows of
    all; of one that has another name here, its name there; how many objects were fetched; what the names stood for here when that was
    looked at."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self.roots = roots
        self.lineages: list[Lineage] = []
        self.certificates: dict[str, str] = {}
        self.rows: dict[str, Row] = {}
        self.called_there: dict[str, str] = {}
        self.fetched = 0
        self.expect: dict[str, int | None] = {}


class Arrival:
    """One tool on its way in, with all that it names."""

    def __init__(self, shards: Shards, tools: SnapshotTools, replaceable: Replaceable) -> None:
        self._shards = shards
        self._tools = tools
        self._replaceable = replaceable
        self._budget = _BYTES
        self._names: dict[str, tuple[str, ...]] = shards.names
        self._identities_here = Identities(tools.find, self._named)

    def of(self, name: str, version: int | None, as_name: str | None = None) -> Arrived:
        """A tool, its current version there or the one asked for, under its own name or `as_name`, with all that it names.

        Raises `unknown_tool` where it is not offered, `version_conflict` where a name means something else here, `invalid_argument`
        where the source lies.
        """
        offered = self._shards.tool(name)
        if offered is None or (version is not None and str(version) not in offered.versions):
            raise _not_offered(self._shards.source.place, name, version, offered)
        return self._arrived([f"{name}@{offered.current if version is None else version}"], as_name)

    def of_all(self, roots: Sequence[str]) -> Arrived:
        """Several versions at once, each `name@version` of the publication, with all that they name. Raises as `of`."""
        return self._arrived(roots, None)

    def _arrived(self, roots: Sequence[str], as_name: str | None) -> Arrived:
        arrived = Arrived(tuple(roots))
        rows: dict[str, Row] = {}
        for root in roots:
            self._follow(root, rows)
        self._shards.source.ahead([*self._missing(rows)])
        records = {reference: self._record(reference, row, arrived) for reference, row in rows.items()}
        for reference, row in rows.items():
            named = self._named(records[reference])
            if set(named) != set(row.names):
                place = self._shards.source.place
                raise untrue(
                    place,
                    f"the row of {reference} has other names than its code",
                    " ".join(sorted(row.names)[:5]) or "none",
                    " ".join(named[:5]) or "none",
                )
        if as_name is not None and as_name != roots[0].partition("@")[0]:
            records, rows, moved = self._renamed(records, rows, roots[0], check_name(as_name))
            arrived.roots, arrived.called_there = (moved,), {moved: roots[0]}
        arrived.rows = rows
        lineages = self._lineages(records)
        self._check(lineages, records, rows)
        arrived.lineages = [each for each in lineages if self._adds(each)]
        for each in arrived.lineages:
            here = self._tools.snapshot.record(each.name)
            arrived.expect[each.name] = None if here is None else here.version
        return arrived

    def _adds(self, lineage: Lineage) -> bool:
        """Whether a lineage has a version that is not here."""
        here = self._tools.snapshot.record
        return any(here(each.name, each.version) is None for each in lineage.versions)

    def _follow(self, root: str, found: dict[str, Row]) -> None:
        """Add the rows of a version and of all that it names, by `name@version`: at most `REACHED_AT_MOST`, circles or not."""
        waiting = [root]
        before = len(found)
        place = self._shards.source.place
        while waiting:
            level = {each: parse_reference(each) for each in waiting if each not in found}
            self._shards.ahead(shard_of(each.name) for each in level.values())
            waiting = []
            for reference, wanted in level.items():
                offered = self._shards.tool(wanted.name)
                row = None if offered is None else offered.versions.get(str(wanted.version))
                if row is None:
                    message = "a tool names one that the publication does not have"
                    raise untrue(place, message, reference, "a row for it")
                found[reference] = row
                if len(found) - before > REACHED_AT_MOST:
                    raise untrue(place, "a tool names too many others", root, f"{REACHED_AT_MOST} at most")
                waiting += [to for to in row.names.values() if to is not None and to != LIBRARY]

    def _missing(self, rows: dict[str, Row]) -> Iterator[str]:
        """The objects of versions that are not here."""
        for reference, row in rows.items():
            if not self._is_here(reference, row):
                yield row.object
                yield from row.certificates

    def _is_here(self, reference: str, row: Row) -> bool:
        wanted = parse_reference(reference)
        here = self._tools.snapshot.record(wanted.name, wanted.version)
        return here is not None and here.hash == row.hash

    def missing(self, roots: Sequence[str]) -> list[str]:
        """The objects of versions, and of all that they name, that are not here. Raises as `of`."""
        rows: dict[str, Row] = {}
        for root in roots:
            self._follow(root, rows)
        return [*dict.fromkeys(self._missing(rows))]

    def is_settled(self, reference: str) -> bool:
        """Whether a version of the publication is here and means here what it means there: nothing of it is to be taken in."""
        wanted = parse_reference(reference)
        offered = self._shards.tool(wanted.name)
        row = None if offered is None else offered.versions.get(str(wanted.version))
        if row is None or not self._is_here(reference, row):
            return False
        record = self._tools.snapshot.record(wanted.name, wanted.version)
        try:
            return record is not None and self._identities_here.of(record) == row.identity
        except RegistryError:
            return False  # it reaches too many: the arrival says so

    def _record(self, reference: str, row: Row, arrived: Arrived) -> ToolRecord:
        """A version: the one here, where its code is that; else fetched, decoded and hashed anew."""
        wanted = parse_reference(reference)
        here = self._tools.snapshot.record(wanted.name, wanted.version)
        if here is not None and here.hash == row.hash:
            return here
        place = f"{self._shards.source.place}/objects/{row.object}.json"
        content = self._fetched(row.object, arrived)
        record = read_record(content, place, verified)
        if (record.reference, record.hash) != (reference, row.hash):
            raise untrue(
                place,
                "an object is not the version that its row says",
                f"{record.reference} with {record.hash}",
                f"{reference} with {row.hash}",
            )
        for hash_ in row.certificates:
            arrived.certificates[hash_] = self._fetched(hash_, arrived).decode(errors="replace")
        return record

    def _fetched(self, hash_: str, arrived: Arrived) -> bytes:
        content = self._shards.source.object(hash_, min(OBJECT_LIMIT, self._budget))
        self._budget -= len(content)
        arrived.fetched += 1
        return content

    def _renamed(
        self, records: dict[str, ToolRecord], rows: dict[str, Row], root: str, name: str
    ) -> tuple[dict[str, ToolRecord], dict[str, Row], str]:
        """The tool asked for under another name, as the next version of that name."""
        from msgspec.structs import replace

        if any(root in row.names.values() for row in rows.values()):
            raise RegistryError(
                "invalid_argument", "a tool that is named by what it names cannot have another name here", place="as",
                tool=root, hint="Pull it into a home of its own: --home DIR.",
            )  # fmt: skip
        lineage = self._tools.snapshot.lineage(name)
        number = 1 if lineage is None else max(each.version for each in lineage.versions) + 1
        same = None if lineage is None else next(
            (each for each in lineage.versions if each.hash == records[root].hash), None
        )  # fmt: skip
        moved = same or replace(records[root], name=name, version=number, laws="[]")
        kept = {key: value for key, value in records.items() if key != root}
        kept_rows = {key: value for key, value in rows.items() if key != root}
        return {**kept, moved.reference: moved}, {**kept_rows, moved.reference: rows[root]}, moved.reference

    def _lineages(self, records: dict[str, ToolRecord]) -> list[Lineage]:
        """The versions by name; the current one is what names without a version mean there."""
        by_name: dict[str, list[ToolRecord]] = {}
        for record in records.values():
            by_name.setdefault(record.name, []).append(record)
        lineages = []
        for name, versions in sorted(by_name.items()):
            versions.sort(key=lambda each: each.version)
            offered = self._shards.tool(name)
            numbers = [each.version for each in versions]
            current = offered.current if offered is not None and offered.current in numbers else numbers[-1]
            lineages.append(Lineage(name, current, tuple(versions)))
        return lineages

    def _check(self, lineages: list[Lineage], records: dict[str, ToolRecord], rows: dict[str, Row]) -> None:
        """Refuse what would change the meaning of a name here, and what would not mean here what it meant there."""
        after: dict[str, ToolRecord] = dict(records)
        for lineage in lineages:
            current = next(each for each in lineage.versions if each.version == lineage.current)
            for record in lineage.versions:
                other = self._tools.snapshot.record(record.name, record.version)
                if other is not None and other.hash != record.hash:
                    raise _means_another(record, other)
            here = self._tools.find(lineage.name)
            if (
                here is not None
                and here.hash != current.hash
                and (here.name.startswith(LIBRARY_PREFIX) or not self._replaceable(here))
            ):
                raise _means_another(current, here)
            after[lineage.name] = current if here is None or self._adds(lineage) else here

        def find(reference: str) -> ToolRecord | None:
            return after[reference] if reference in after else self._tools.find(reference)

        identities = Identities(find, self._named)
        for reference, record in records.items():
            found = identities.of(record)
            if found != rows[reference].identity:
                raise _other_meaning(reference, found, rows[reference], identities.named(record))

    def _named(self, record: ToolRecord) -> tuple[str, ...]:
        if record.hash not in self._names:
            self._names[record.hash] = named_in(record.code)
        return self._names[record.hash]


def _not_offered(place: str, name: str, version: int | None, offered: Offered | None) -> RegistryError:
    versions = "" if offered is None else ", ".join(sorted(offered.versions, key=int)[:20])
    return RegistryError(
        "unknown_tool", f"there is no {name if version is None else f'{name}@{version}'} at {place}", place="name",
        tool=name, expected=f"a version of it: {versions}" if versions else "a tool of that publication",
        hint="`pif pull --from ADDRESS` without a name lists what there is",
    )  # fmt: skip


def _means_another(record: ToolRecord, here: ToolRecord) -> RegistryError:
    return RegistryError(
        "version_conflict", f"the name {record.name!r} means something else here; nothing was taken in", place="name",
        tool=here.reference, found=f"{here.hash} here", expected=record.hash,
        hint=f"`--as NAME` takes the tool that was asked for in under another name; `--home DIR` takes all of it into a home of its own. Here {here.reference} stays as it is.",
    )  # fmt: skip


def _other_meaning(
    reference: str, found: str, row: Row, named: dict[str, ToolRecord | None]
) -> RegistryError:
    here = {
        name: None if to is None else LIBRARY if to.name.startswith(LIBRARY_PREFIX) else to.reference
        for name, to in named.items()
    }
    different = sorted(name for name in {*here, *row.names} if here.get(name) != row.names.get(name))
    about = f"; `{different[0][:60]}` in its code does" if different else ""
    return RegistryError(
        "version_conflict", f"{reference} would not mean here what it means there{about}; nothing was taken in", place="name",
        tool=reference, found=f"{found} here", expected=row.identity,
        hint="A name in its code means something else here, or is missing there, or the libraries differ; `--home DIR` takes it into a home of its own.",
    )  # fmt: skip
