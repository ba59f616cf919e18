"""The tools of a home as files that are named by their content, written to a directory that any web server can serve.

The same tools and the same key give the same bytes: times are those of the versions, signatures are deterministic, and a root
whose content is that of the last one is the last one, number and time included. Objects are written first, the root by a
rename at the end: a directory never says that it has what it has not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX, TEAM_PREFIX, ToolRecord, read_laws
from registry.sharing.identity import Identities, named_in
from registry.sharing.keys import FOLDER, KeyFile
from registry.sharing.manifest import (
    FORMAT,
    INDEX,
    LIBRARY,
    MANIFEST,
    OBJECT_LIMIT,
    SHARD_LIMIT,
    Manifest,
    Offered,
    Row,
    check_namespace,
    encoded,
    object_hash,
    read_manifest,
    shard_of,
    signed,
)
from registry.store.exchange.file_format import record_text
from registry.store.failures import store_errors
from registry.store.protocol import Lineage, Store
from registry.tools.snapshot_tools import SnapshotTools

__all__ = [
    "OBJECTS",
    "Content",
    "Published",
    "content_of",
    "left_out",
    "publish",
    "rooted",
    "row_of",
    "shard_text",
    "with_users",
]

OBJECTS: Final = "objects"
_LAST: Final = "published"
"""Below `sharing` in the home: the last root that was signed."""


class Content(msgspec.Struct, frozen=True):
    """What is offered: shards by number, every object by its hash, the tools with the rows, for an index, and why others were left out."""

    shards: dict[str, str]
    objects: dict[str, bytes]
    tools: dict[str, Offered]
    records: dict[str, ToolRecord]
    left: dict[str, RegistryError] = {}


class Published(msgspec.Struct, frozen=True):
    """What a publication holds, and what of it was written now."""

    manifest: Manifest
    tools: int
    versions: int
    written: int


def content_of(tools: SnapshotTools, store: Store, names: Sequence[str] | None = None) -> Content:
    """All tools of a home that can be shared, or those named, with all that they name.

    Without `names` what cannot be shared is left out, with the tools that name it, and `left` says why. Raises `unknown_tool`; with
    `names`, `not_allowed` and `invalid_argument` for what cannot be shared.
    """
    known: dict[str, tuple[str, ...]] = {}

    def names_of(record: ToolRecord) -> tuple[str, ...]:
        if record.hash not in known:
            known[record.hash] = named_in(record.code)
        return known[record.hash]

    identities = Identities(tools.find, names_of)
    gathered: dict[str, _OneTool] = {}
    left: dict[str, RegistryError] = {}
    waiting = list(_chosen(tools, names))
    while waiting:
        name = waiting.pop()
        if name in gathered or name in left:
            continue
        lineage = tools.lineage(name)
        assert lineage is not None, name
        try:
            gathered[name] = _one_tool(lineage, identities, store)
        except RegistryError as error:
            if names is not None or error.kind == "store_error":
                raise
            left[name] = error
        else:
            waiting += gathered[name].named
    _leave_users(gathered, left)
    objects = {hash_: content for each in gathered.values() for hash_, content in each.objects.items()}
    offered = {name: each.offered for name, each in gathered.items()}
    records = {name: each.current for name, each in gathered.items()}
    return Content(_shards(offered, objects), objects, offered, records, left)


def left_out(*kinds: Mapping[str, RegistryError]) -> list[dict[str, Any]]:
    """What was not given, tools and saved theories by their names, and why, as an answer tells it."""
    return [
        {"root": ascii(name)[1:-1], **error.as_json()}
        for left in kinds
        for name, error in sorted(left.items())
    ]


class _OneTool(msgspec.Struct, frozen=True):
    """One tool with its versions: its row, the objects of these, the tools that they name, the current version."""

    offered: Offered
    objects: dict[str, bytes]
    named: set[str]
    current: ToolRecord


def _one_tool(lineage: Lineage, identities: Identities, store: Store) -> _OneTool:
    """Raises `not_allowed` and `invalid_argument` where the tool cannot be shared, `store_error` where the store does not answer."""
    rows: dict[str, Row] = {}
    objects: dict[str, bytes] = {}
    named: set[str] = set()
    for record in lineage.versions:
        meant = identities.named(record)
        for written, other in meant.items():
            if written.startswith(TEAM_PREFIX):
                raise _of_a_team(record, written)
            if other is not None and not other.name.startswith(LIBRARY_PREFIX):
                named.add(other.name)
        rows[str(record.version)] = row_of(record, meant, identities, store, objects)
    current = next(each for each in lineage.versions if each.version == lineage.current)
    return _OneTool(Offered(lineage.current, rows), objects, named, current)


def _leave_users(gathered: dict[str, _OneTool], left: dict[str, RegistryError]) -> None:
    """Leave out, too, what names something that is left out."""
    users: dict[str, set[str]] = {}
    for name, each in gathered.items():
        for other in each.named:
            users.setdefault(other, set()).add(name)
    out = with_users(left, users)
    for name in out.difference(left):
        other = min(gathered.pop(name).named & out)
        left[name] = RegistryError(
            "not_allowed", "a tool that calls what cannot be shared cannot be shared", tool=name, found=other,
            expected="tools that can be shared", hint=f"Change {other}, of which it is said what is amiss.",
        )  # fmt: skip


def with_users(names: Iterable[str], users: Mapping[str, Collection[str]]) -> set[str]:
    """Names, and those of all tools that name them, directly or through others. `users`: who names a tool."""
    found = set(names)
    waiting = [*found]
    while waiting:
        new = {*users.get(waiting.pop(), ())} - found
        found |= new
        waiting += new
    return found


def row_of(
    record: ToolRecord,
    meant: dict[str, ToolRecord | None],
    identities: Identities,
    store: Store,
    objects: dict[str, bytes],
) -> Row:
    """The row of a version; what it consists of is added to `objects`. Raises `invalid_argument` where it is too large."""
    certificates = []
    for law in read_laws(record.laws):
        text = store.certificate(law.certificate) if law.certificate else None
        if text is not None and len(text) <= OBJECT_LIMIT:
            objects[law.certificate] = text.encode()
            certificates.append(law.certificate)
    content = record_text(record)
    if len(content) > OBJECT_LIMIT:
        raise RegistryError(
            "invalid_argument", "a version is too large to be shared", tool=record.reference,
            found=f"{len(content)} bytes", expected=f"{OBJECT_LIMIT} bytes at most", hint="Divide it into several tools.",
        )  # fmt: skip
    hash_ = object_hash(content)
    objects[hash_] = content
    named = {
        name: None if other is None else LIBRARY if other.name.startswith(LIBRARY_PREFIX) else other.reference
        for name, other in meant.items()
    }
    return Row(record.hash, identities.of(record), hash_, named, tuple(sorted(set(certificates))))


def _shards(offered: dict[str, Offered], objects: dict[str, bytes]) -> dict[str, str]:
    divided: dict[str, dict[str, Offered]] = {}
    for name in sorted(offered):
        divided.setdefault(shard_of(name), {})[name] = offered[name]
    shards: dict[str, str] = {}
    for shard, tools in sorted(divided.items()):
        content = shard_text(tools)
        shards[shard] = object_hash(content)
        objects[shards[shard]] = content
    return shards


def shard_text(tools: dict[str, Offered]) -> bytes:
    """The bytes of a shard. Raises `invalid_argument` where it is too large."""
    content = encoded(tools)
    if len(content) > SHARD_LIMIT:
        raise RegistryError(
            "invalid_argument", "there is more to share than a publication can hold", found=f"{len(content)} bytes of one shard",
            expected="a shard of 4 MB at most", hint="Name the tools to publish.",
        )  # fmt: skip
    return content


def rooted(
    shards: dict[str, str],
    home: Path,
    namespace: str,
    *,
    stream: str = "",
    theories: str = "",
    questions: str = "",
    clock: Callable[[], float] = time.time,
) -> tuple[Manifest, bytes]:
    """The root over those shards, that index of theories and that of questions, and its file, signed by the key of the home for that stream; the last one where nothing differs."""
    from kleis.durable_files import FileLock, write_whole

    check_namespace(namespace)
    keys = KeyFile(home)
    key = keys.public()
    path = home / FOLDER / (f"{_LAST}-{stream}" if stream else _LAST)
    with store_errors(path), FileLock(path.with_name("published.lock")) as lock:
        lock.acquire(None)
        last = read_manifest(path.read_bytes(), str(path), stream) if path.exists() else None
        moment = datetime.fromtimestamp(int(clock()), UTC).isoformat().replace("+00:00", "Z")
        manifest = Manifest(
            FORMAT, 1, namespace, key, 1 if last is None else last.sequence + 1, moment, shards, stream, theories, questions
        )  # fmt: skip
        if last is not None and last.key != key:
            manifest, last = msgspec.structs.replace(manifest, sequence=1), None
        if last is not None and manifest == msgspec.structs.replace(
            last, sequence=manifest.sequence, time=manifest.time
        ):
            return last, path.read_bytes()
        body = encoded(manifest)
        file = signed(keys.sign(body), body)
        write_whole(path, file)
    return manifest, file


def publish(
    directory: Path,
    content: Content,
    manifest: Manifest,
    file: bytes,
    index: bytes,
) -> Published:
    """Write a publication to a directory, which is made where it is not there. Objects that are there are not written again.

    Raises `invalid_argument` where the directory holds something else, `store_error` where it cannot be written.
    """
    from kleis.durable_files import synchronise, write_whole

    with store_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / MANIFEST).exists() and any(
            each.name not in (OBJECTS, INDEX) for each in directory.iterdir()
        ):
            raise RegistryError(
                "invalid_argument", "the directory holds something else", file=str(directory), found="other files",
                expected="an empty directory, or one that `pif publish` wrote", hint="choose another directory",
            )  # fmt: skip
        folder = directory / OBJECTS
        folder.mkdir(exist_ok=True)
        written = 0
        for hash_, text in sorted(content.objects.items()):
            path = folder / f"{hash_}.json"
            if not path.is_file() or path.read_bytes() != text:
                write_whole(path, text, mode=0o644, durable=False)
                written += 1
        synchronise(folder)
        write_whole(directory / INDEX, index, mode=0o644)
        write_whole(directory / MANIFEST, file, mode=0o644)
        for path in folder.iterdir():
            if path.name.endswith(".json") and path.name.removesuffix(".json") not in content.objects:
                path.unlink()
    versions = sum(len(each.versions) for each in content.tools.values())
    return Published(manifest, len(content.tools), versions, written)


def _chosen(tools: SnapshotTools, names: Sequence[str] | None) -> Sequence[str]:
    if names is None:
        return tools.snapshot.names()
    for name in names:
        if tools.snapshot.record(name) is None:
            near = tools.snapshot.nearest(name)
            raise RegistryError(
                "unknown_tool", f"there is no tool of your own named {name[:60]!r}", place="names", tool=name[:60],
                expected="the name of a tool of the home", hint=f"did you mean {near!r}?" if near else "`pif list` shows them",
            )  # fmt: skip
    return names


def _of_a_team(record: ToolRecord, written: str) -> RegistryError:
    return RegistryError(
        "not_allowed", "a tool that calls a team's tool cannot be shared: elsewhere that name means nothing, or something else",
        tool=record.reference, found=written, expected="names of one's own tools and of the library",
        hint="Keep a copy of the team's tool among your own, and call that.",
    )  # fmt: skip
