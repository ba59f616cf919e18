"""Homes that publish and pull, in this process; and publications whose publisher lies and signs that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from registry.sharing.keys import KeyFile, TrustFile
from registry.sharing.manifest import (
    MANIFEST,
    Manifest,
    Offered,
    Row,
    encoded,
    object_hash,
    read_manifest,
    read_shard,
    shard_of,
    signed,
)
from registry.sharing.places import opened
from registry.sharing.publication import content_of, publish, rooted
from registry.sharing.pull import Puller
from registry.sharing.sources import Source
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["LAW", "SQUARE", "TWICE", "Peer", "calling", "forged", "rerooted", "row_of", "two_homes"]

X = {"var": "x"}
SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
TWICE = {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}
LAW = "∀(n : ℤ). square(n) ≥ 0"


def calling(name: str, argument: Any = X) -> Any:
    """A tool that calls another."""
    return {"lam": "x", "body": {"app": [name, argument]}}


class Peer:
    """A home with its store."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.workspace = Workspace(SqliteStore(home))

    def close(self) -> None:
        self.workspace.close()

    def evolve(self, name: str, code: Any, **options: Any) -> dict[str, Any]:
        fields = {"name": name, "description": f"about {name}", "code": code, **options}
        answer = self.workspace.evolve(msgspec.convert(fields, Evolve))
        assert answer["type"] == "tool", answer
        return answer

    def key(self) -> str:
        keys = KeyFile(self.home)
        return keys.public() if keys.path.exists() else keys.create()

    def publish(self, directory: Path, *names: str, clock: Callable[[], float] = lambda: 0.0) -> Manifest:
        self.key()
        content = content_of(self.workspace.tools(), self.workspace.store, names or None)
        manifest, file = rooted(content.shards, self.home, "ops", clock=clock)
        publish(directory, content, manifest, file, b"index")
        return manifest

    def trusts(self, other: Peer, label: str = "ops") -> None:
        self.trusts_key(other.key(), label)

    def trusts_key(self, key: str, label: str = "ops") -> None:
        TrustFile(self.home).add(key, label)

    def puller(self, source: Source | Path | str) -> Puller:
        return Puller(
            self.workspace, self.home, opened(str(source)) if isinstance(source, Path | str) else source
        )

    def pull(self, source: Source | Path | str, name: str, as_name: str | None = None) -> dict[str, Any]:
        return self.puller(source).one(name, as_name)

    def tools(self) -> dict[str, str]:
        """What every name here stands for: `name@version` → hash, and name → its current version."""
        snapshot = self.workspace.store.snapshot()
        found: dict[str, str] = {}
        for name in snapshot.names():
            lineage = snapshot.lineage(name)
            assert lineage is not None
            found |= {each.reference: each.hash for each in lineage.versions} | {name: str(lineage.current)}
        return found


def row_of(directory: Path, reference: str) -> Row:
    """The row of a version in a publication."""
    name, _, version = reference.partition("@")
    return _shard(directory, shard_of(name))[name].versions[version]


def forged(
    directory: Path, liar: Peer, reference: str, change: Callable[[Row], Row], content: bytes | None = None
) -> None:
    """Change a row of a publication, and with `content` the object that it names, and sign that."""
    name, _, version = reference.partition("@")
    shard = shard_of(name)
    tools = _shard(directory, shard)
    row = change(tools[name].versions[version])
    if content is not None:
        row = msgspec.structs.replace(row, object=_added(directory, content))
    offered = Offered(tools[name].current, {**tools[name].versions, version: row})
    hash_ = _added(directory, encoded({**tools, name: offered}))
    rerooted(
        directory, liar, lambda root: msgspec.structs.replace(root, shards={**root.shards, shard: hash_})
    )


def rerooted(directory: Path, liar: Peer, change: Callable[[Manifest], Manifest]) -> None:
    """Change the root of a publication, under the next number, and sign it."""
    root = read_manifest((directory / MANIFEST).read_bytes(), "")
    body = encoded(change(msgspec.structs.replace(root, sequence=root.sequence + 1)))
    (directory / MANIFEST).write_bytes(signed(KeyFile(liar.home).sign(body), body))


def _shard(directory: Path, shard: str) -> dict[str, Offered]:
    root = read_manifest((directory / MANIFEST).read_bytes(), "")
    content = (directory / "objects" / f"{root.shards[shard]}.json").read_bytes()
    return read_shard(content, shard, "")


def _added(directory: Path, content: bytes) -> str:
    hash_ = object_hash(content)
    (directory / "objects" / f"{hash_}.json").write_bytes(content)
    return hash_


def two_homes(folder: Path) -> tuple[Peer, Peer]:
    """Alice, who has a tool and one that calls it, and Bob, who has one of his own and trusts her key."""
    alice, bob = Peer(folder / "alice"), Peer(folder / "bob")
    alice.evolve("square", SQUARE, examples=[{"input": 3, "output": 9}])
    alice.evolve("fourth", calling("square", {"app": ["square", {"var": "x"}]}))
    bob.evolve("mine", {"lam": "x", "body": "mine"})
    bob.trusts(alice)
    return alice, bob
