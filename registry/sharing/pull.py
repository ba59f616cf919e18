"""Tools taken in from a publication: one with all that it names, or all that is new (docs/reference/registry.md §3.1).

In order: the root is read, its signature and its signer are judged, and it may not be older than what was seen; rows and objects
are fetched and computed anew (`arrival`); the workspace runs examples and checks laws, and adopts in one transaction. What a
tool and all that it names bring is taken in whole or not at all; a source that ends in the middle leaves what was
taken in before, and the same command goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pif.language.errors import PifError
from registry.errors import RegistryError
from registry.records import ToolRecord, parse_reference
from registry.sharing.arrival import Arrival, Arrived, Shards
from registry.sharing.keys import TrustFile
from registry.sharing.ledger import LedgerFile, Provenance, Seen
from registry.sharing.manifest import Manifest, read_manifest, untrue
from registry.sharing.sources import Source

if TYPE_CHECKING:
    from kleis.prover.process.deadline import Deadline
    from registry.workspace.workspace import Workspace

__all__ = ["TOGETHER", "Puller", "Taken"]

TOGETHER: Final = 100
"""Tools taken in by one transaction, where all that is new is; where that is refused, each is by itself."""

Progress = Callable[[int, int], None]
"""Told how many tools of how many are done."""


class Taken:
    """What was taken in, what was refused, and what ended it before all was looked at."""

    def __init__(self) -> None:
        self.ended: RegistryError | None = None
        self.added: list[str] = []
        self.refused: list[dict[str, Any]] = []
        self.laws: list[Any] = []
        self.fetched = 0

    def add(self, more: Taken) -> None:
        """Count more in."""
        self.added += more.added
        self.refused += more.refused
        self.laws += more.laws
        self.fetched += more.fetched

    def as_json(self) -> dict[str, Any]:
        """The fields of an answer."""
        more = {"laws": self.laws} if self.laws else {}
        ended = {} if self.ended is None else {"ended": self.ended.as_json()}
        return {"fetched": self.fetched, "added": self.added, "refused": self.refused, **more, **ended}


class Puller:
    """One publication, and the home that takes from it."""

    def __init__(
        self,
        workspace: Workspace,
        home: Path,
        source: Source,
        *,
        trust: Sequence[TrustFile] = (),
        replaces: bool = True,
        deadline: Deadline | None = None,
    ) -> None:
        """`trust`: who else says whom to trust, beside the home itself: a key is trusted if one of them trusts it and none has revoked
        it. Without `replaces` nothing that is here gets a newer version. `deadline` limits the time for proofs of laws."""
        self._workspace = workspace
        self.replaces = replaces
        self._deadline = deadline
        self.source = source
        self.ledger = LedgerFile(home)
        self._trust = (TrustFile(home), *trust)
        self.manifest, self._root = self._accepted()
        self._saw({})  # from now on no older root counts, whatever becomes of what is asked for
        self._shards = Shards(source, self.manifest)

    @property
    def publisher(self) -> str:
        """What the owner of the home calls the publisher."""
        names = (each.read().trusted.get(self.manifest.key) for each in self._trust)
        return next(filter(None, names), self.manifest.namespace)

    def plain(self, wanted: str) -> str:
        """A name without the namespace in front of it. Raises `unknown_tool` where that is another one."""
        namespace, divided, plain = wanted.partition("/")
        if divided and namespace != self.manifest.namespace:
            raise RegistryError(
                "unknown_tool", f"the publication is of the namespace {self.manifest.namespace!r}", place="name",
                found=ascii(namespace[:60])[1:-1], expected=f"{self.manifest.namespace}/NAME, or NAME",
                hint="pull it from where its publisher publishes",
            )  # fmt: skip
        return plain if divided else wanted

    def offered(self) -> Iterator[tuple[str, int]]:
        """Names and current versions of all that there is."""
        self._shards.ahead(self.manifest.shards)
        for shard in sorted(self.manifest.shards):
            for name, offered in sorted(self._shards.tools(shard).items()):
                yield name, offered.current

    def one(self, wanted: str, as_name: str | None = None) -> dict[str, Any]:
        """Take in `NAME`, `NAME@VERSION`, or either after `NAMESPACE/`; the answer of a command. Errors are answers too."""
        try:
            name, version = self._named(wanted)
            arrived = self._arrival().of(name, version, as_name)
        except (RegistryError, PifError) as error:
            return {"type": "error", "error": error.as_json()}
        answer = self._taken(arrived)
        if answer["type"] == "error":
            return answer
        return {"type": "pulled", "publisher": self.described(), "tool": arrived.roots[0], **answer["done"]}

    def all(self, progress: Progress = lambda done, of: None) -> dict[str, Any]:
        """Take in all that is new, as much of it as can be; what is refused is told by name. Work is proportional to what is new.

        Where the source cannot be read any more after some was taken in, the answer has that, and the error as `ended`; before that the
        error is raised.
        """
        roots = self.new()
        total = Taken()
        for start in range(0, len(roots), TOGETHER):
            try:
                total.add(self.some(roots[start : start + TOGETHER]))
            except RegistryError as error:
                if start == 0:
                    raise
                total.ended = error
                break
            progress(min(start + TOGETHER, len(roots)), len(roots))
        else:
            self.finish({each["root"] for each in total.refused})
        return {
            "type": "synchronised",
            "publisher": self.described(),
            "looked_at": len(roots),
            **total.as_json(),
        }

    def new(self) -> list[str]:
        """The current versions that are offered and are not here as they are there, in shards that differ from those of the last time."""
        known = self._seen()
        changed = [shard for shard, hash_ in self.manifest.shards.items() if known.get(shard) != hash_]
        self._shards.ahead(changed)
        arrival = self._arrival()
        roots = (
            f"{name}@{offered.current}"
            for shard in sorted(changed)
            for name, offered in sorted(self._shards.tools(shard).items())
        )
        return [each for each in roots if not arrival.is_settled(each)]

    def missing(self, roots: Sequence[str]) -> list[str]:
        """The objects of these versions, and of what they name, that are not here. Raises as `one` answers."""
        return self._arrival().missing(roots)

    def some(self, roots: list[str]) -> Taken:
        """Take in some of what is new: together, or where that is refused one by one. Raises `store_error`."""
        taken = Taken()
        for answer, reference in self._taken_together(roots):
            if answer["type"] == "error":
                taken.refused.append({"root": reference, **answer["error"]})
            else:
                taken.added += answer["done"]["added"]
                taken.laws += answer["done"].get("laws", [])
                taken.fetched += answer["done"]["fetched"]
        return taken

    def finish(self, refused: Container[str]) -> None:
        """Remember what was taken in: all shards but those that have something which was refused."""
        unfinished = {
            shard
            for shard in self.manifest.shards
            if self._shards.was_read(shard)
            and any(f"{name}@{each.current}" in refused for name, each in self._shards.tools(shard).items())
        }
        self._saw({shard: hash_ for shard, hash_ in self.manifest.shards.items() if shard not in unfinished})

    def _taken_together(self, roots: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
        answer = self._attempt(roots)
        if answer["type"] != "error" or len(roots) == 1:
            yield answer, roots[0]
            return
        for root in roots:
            yield self._attempt([root]), root

    def _attempt(self, roots: list[str]) -> dict[str, Any]:
        try:
            return self._taken(self._arrival().of_all(roots))
        except (RegistryError, PifError) as error:
            if isinstance(error, RegistryError) and error.kind == "store_error":
                raise
            return {"type": "error", "error": error.as_json()}

    def _taken(self, arrived: Arrived) -> dict[str, Any]:
        """Take in what arrived. Where each version came from is remembered before it is here: nothing replaces a name without."""
        rows = {
            record.reference: self._provenance(record, arrived)
            for lineage in arrived.lineages
            for record in lineage.versions
        }
        self.ledger.took(rows)
        done: dict[str, Any] = {"added": [], "fetched": arrived.fetched}
        if arrived.lineages:
            answer = self._workspace.take_in(
                arrived.lineages, arrived.certificates, expect=arrived.expect, deadline=self._deadline
            )
            if answer["type"] == "error":
                self.ledger.forgot(rows)
                return answer
            done["added"] = [
                f"{each['name']}@{version}" for each in answer["tools"] for version in each["added"]
            ]
            if "laws" in answer:
                done["laws"] = answer["laws"]
        return {"type": "taken", "done": done}

    def _provenance(self, record: ToolRecord, arrived: Arrived) -> Provenance:
        moment = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        there = arrived.called_there.get(record.reference, record.reference)
        return Provenance(
            f"{self.manifest.namespace}/{there}", self.manifest.key, self.source.place, self.manifest.sequence, moment,
            record.hash, arrived.rows[record.reference].identity,
        )  # fmt: skip

    def _arrival(self) -> Arrival:
        def replaceable(here: ToolRecord) -> bool:
            origin = self.ledger.origin(here.reference, here.hash)
            return self.replaces and origin is not None and origin.key == self.manifest.key

        return Arrival(self._shards, self._workspace.tools(), replaceable)

    def _accepted(self) -> tuple[Manifest, str]:
        """The root, if its signer is trusted and it is not older than what was seen of it; and the hash of its file."""
        file = self.source.root()
        place = self.source.place
        manifest = read_manifest(file, place, self.source.stream)
        trust = [each.read() for each in self._trust]
        if any(manifest.key in each.revoked for each in trust):
            raise RegistryError(
                "not_allowed", "nothing was taken in: the key that signed the publication is revoked", file=place,
                found=manifest.key, hint="ask the publisher for its new key",
            )  # fmt: skip
        if not any(manifest.key in each.trusted for each in trust):
            raise RegistryError(
                "not_allowed", "nothing was taken in: the key that signed the publication is not trusted here", file=place,
                found=manifest.key, expected="a key of `pif trust list`",
                hint=f"Ask the publisher, on another way, what `pif key show` prints; if it is that, then pif trust add {manifest.key} --as {manifest.namespace}",
            )  # fmt: skip
        root = hashlib.sha256(file).hexdigest()
        seen = self.ledger.read().publishers.get(_stream_of(manifest))
        if seen is not None and (
            manifest.sequence < seen.sequence or (manifest.sequence == seen.sequence and root != seen.root)
        ):
            raise untrue(
                place,
                "the publication is older than one that was seen, or another under the same number",
                f"number {manifest.sequence}",
                f"number {seen.sequence} as it was seen, or a later one",
            )
        return manifest, root

    def _seen(self) -> dict[str, str]:
        seen = self.ledger.read().publishers.get(_stream_of(self.manifest))
        return {} if seen is None else seen.shards

    def _saw(self, shards: dict[str, str]) -> None:
        """Remember the root; and the shards of which all was taken in, where that is known."""
        kept = shards or self._seen()
        self.ledger.saw(
            _stream_of(self.manifest), Seen(self.manifest.sequence, self._root, self.manifest.namespace, kept)
        )

    def _named(self, wanted: str) -> tuple[str, int | None]:
        reference = parse_reference(self.plain(wanted))
        if reference.team:
            raise RegistryError(
                "invalid_name", "tools of teams are not published", place="name", found=wanted[:60]
            )
        return reference.name, reference.version

    def described(self) -> dict[str, Any]:
        """The publisher in an answer."""
        return {
            "name": self.publisher, "namespace": self.manifest.namespace, "key": self.manifest.key,
            "sequence": self.manifest.sequence, "time": self.manifest.time, "from": self.source.place,
        }  # fmt: skip


def _stream_of(manifest: Manifest) -> str:
    """Under what a publisher's roots are remembered: those of each stream are numbered for themselves."""
    return f"{manifest.key} {manifest.stream}".rstrip()
