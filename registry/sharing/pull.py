"""Tools taken in from a publication: one with all that it names, or all that is new (docs/reference/registry.md §3.1).

In order: the root is read, its signature and its signer are judged, and it may not be older than what was seen; rows and objects
are fetched and computed anew (`arrival`); the workspace runs examples and checks laws, and adopts in one transaction. What a
tool and all that it names bring is taken in whole or not at all; a source that ends in the middle leaves what was
taken in before, and the same command goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pif.language.errors import PifError
from registry.errors import RegistryError
from registry.records import ToolRecord, parse_reference
from registry.sharing.arrival import Arrival, Arrived, Shards
from registry.sharing.keys import TrustFile
from registry.sharing.ledger import LedgerFile, Provenance, Seen
from registry.sharing.manifest import Manifest, read_manifest, shard_of, untrue
from registry.sharing.sources import Source

if TYPE_CHECKING:
    from registry.workspace.workspace import Workspace

__all__ = ["Puller"]

_TOGETHER: Final = 100
"""Tools taken in by one transaction, where all that is new is; where that is refused, each is by itself."""

Progress = Callable[[int, int], None]
"""Told how many tools of how many are done."""


class Puller:
    """One publication, and the home that takes from it."""

    def __init__(self, workspace: Workspace, home: Path, source: Source) -> None:
        self._workspace = workspace
        self._source = source
        self._ledger = LedgerFile(home)
        self._trust = TrustFile(home)
        self.manifest, self._root = self._accepted()
        self._saw({})  # from now on no older root counts, whatever becomes of what is asked for
        self._shards = Shards(source, self.manifest)

    @property
    def publisher(self) -> str:
        """What the owner of the home calls the publisher."""
        return self._trust.read().trusted.get(self.manifest.key, self.manifest.namespace)

    def offered(self) -> Iterator[tuple[str, int]]:
        """Names and current versions of all that there is."""
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
        return {"type": "pulled", "publisher": self._publisher(), "tool": arrived.roots[0], **answer["done"]}

    def all(self, progress: Progress = lambda done, of: None) -> dict[str, Any]:
        """Take in all that is new, as much of it as can be; what is refused is told by name. Work is proportional to what is new.

        Raises `store_error` where the source cannot be read any more; what was taken in before stays.
        """
        known = self._seen()
        changed = {shard: hash_ for shard, hash_ in self.manifest.shards.items() if known.get(shard) != hash_}
        roots = [
            f"{name}@{offered.current}"
            for shard in sorted(changed)
            for name, offered in sorted(self._shards.tools(shard).items())
        ]
        added: list[str] = []
        refused: list[dict[str, Any]] = []
        laws: list[Any] = []
        fetched = 0
        for start in range(0, len(roots), _TOGETHER):
            for answer, reference in self._taken_together(roots[start : start + _TOGETHER]):
                if answer["type"] == "error":
                    refused.append({"root": reference, **answer["error"]})
                else:
                    added += answer["done"]["added"]
                    laws += answer["done"].get("laws", [])
                    fetched += answer["done"]["fetched"]
            progress(min(start + _TOGETHER, len(roots)), len(roots))
        unfinished = {shard_of(each["root"].partition("@")[0]) for each in refused}
        self._saw({shard: hash_ for shard, hash_ in self.manifest.shards.items() if shard not in unfinished})
        return {
            "type": "synchronised", "publisher": self._publisher(), "looked_at": len(roots), "fetched": fetched,
            "added": added, "refused": refused, **({"laws": laws} if laws else {}),
        }  # fmt: skip

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
        self._ledger.took(rows)
        done: dict[str, Any] = {"added": [], "fetched": arrived.fetched}
        if arrived.lineages:
            answer = self._workspace.take_in(arrived.lineages, arrived.certificates)
            if answer["type"] == "error":
                self._ledger.forgot(rows)
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
            f"{self.manifest.namespace}/{there}", self.manifest.key, self._source.place, self.manifest.sequence, moment,
            record.hash, arrived.rows[record.reference].identity,
        )  # fmt: skip

    def _arrival(self) -> Arrival:
        def replaceable(here: ToolRecord) -> bool:
            origin = self._ledger.origin(here.reference, here.hash)
            return origin is not None and origin.key == self.manifest.key

        return Arrival(self._shards, self._workspace.tools(), replaceable)

    def _accepted(self) -> tuple[Manifest, str]:
        """The root, if its signer is trusted and it is not older than what was seen of it; and the hash of its file."""
        file = self._source.root()
        place = self._source.place
        manifest = read_manifest(file, place)
        trust = self._trust.read()
        if manifest.key in trust.revoked:
            raise RegistryError(
                "not_allowed", "nothing was taken in: the key that signed the publication is revoked", file=place,
                found=manifest.key, hint="ask the publisher for its new key",
            )  # fmt: skip
        if manifest.key not in trust.trusted:
            raise RegistryError(
                "not_allowed", "nothing was taken in: the key that signed the publication is not trusted here", file=place,
                found=manifest.key, expected="a key of `pif trust list`",
                hint=f"Ask the publisher, on another way, what `pif key show` prints; if it is that, then pif trust add {manifest.key} --as {manifest.namespace}",
            )  # fmt: skip
        root = hashlib.sha256(file).hexdigest()
        seen = self._ledger.read().publishers.get(manifest.key)
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
        seen = self._ledger.read().publishers.get(self.manifest.key)
        return {} if seen is None else seen.shards

    def _saw(self, shards: dict[str, str]) -> None:
        """Remember the root; and the shards of which all was taken in, where that is known."""
        kept = shards or self._seen()
        self._ledger.saw(
            self.manifest.key, Seen(self.manifest.sequence, self._root, self.manifest.namespace, kept)
        )

    def _named(self, wanted: str) -> tuple[str, int | None]:
        namespace, divided, plain = wanted.partition("/")
        if divided and namespace != self.manifest.namespace:
            raise RegistryError(
                "unknown_tool", f"the publication is of the namespace {self.manifest.namespace!r}", place="name",
                found=ascii(namespace[:60])[1:-1], expected=f"{self.manifest.namespace}/NAME, or NAME",
                hint="pull it from where its publisher publishes",
            )  # fmt: skip
        reference = parse_reference(plain if divided else wanted)
        if reference.team:
            raise RegistryError(
                "invalid_name", "tools of teams are not published", place="name", found=wanted[:60]
            )
        return reference.name, reference.version

    def _publisher(self) -> dict[str, Any]:
        return {
            "name": self.publisher, "namespace": self.manifest.namespace, "key": self.manifest.key,
            "sequence": self.manifest.sequence, "time": self.manifest.time, "from": self._source.place,
        }  # fmt: skip
