"""What a publisher says it has: a signed root, shards, rows (docs/reference/registry.md §3.1).

    manifest.signed     the root: a line with its signature, 128 hexadecimal digits, then the bytes that are signed, in JSON
    objects/HASH.json   everything else, by the SHA-256 of its bytes: shards, versions of tools, certificates

A shard has the tools whose names' SHA-256 begins with the same two digits, so that what is new is found by reading the shards that
changed. A row says of one version what its code's hash is, its identity, what the names in its code mean, and which
objects it consists of. None of this is believed: a row that lies is found out by computing what it says.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, TypeVar

import msgspec

from kleis.decoding import decode_json
from pif.language.json_text import TooDeep, check_nesting
from registry.errors import RegistryError
from registry.records import VERSION_LIMIT, check_name, parse_reference
from registry.sharing.identity import PREFIX
from registry.sharing.keys import check_key, check_signature

__all__ = [
    "FORMAT",
    "INDEX",
    "LIBRARY",
    "MANIFEST",
    "MANIFEST_LIMIT",
    "NAMESPACE_RULE",
    "OBJECT_LIMIT",
    "SHARD_LIMIT",
    "STREAMS",
    "Manifest",
    "Offered",
    "Row",
    "check_namespace",
    "decoded",
    "encoded",
    "object_hash",
    "read_manifest",
    "read_shard",
    "shard_of",
    "signed",
    "untrue",
]

MANIFEST: Final = "manifest.signed"
INDEX: Final = "index.html"

MANIFEST_LIMIT: Final = 256 * 1024
SHARD_LIMIT: Final = 4 * 1024 * 1024
OBJECT_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of each kind of file, bounded before anything is decoded."""

LIBRARY: Final = "std"
"""What a row says where a name in its code means a tool of the library."""

STREAMS: Final = {"": "a publication in files", "server": "what a server offers", "push": "a push"}
"""What a root may be signed for, and what people call that."""

NAMESPACE_RULE: Final = "[a-z][a-z0-9-]{0,31}"

_NAMESPACE: Final = re.compile(NAMESPACE_RULE)
FORMAT: Final = "pif-share"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_SHARD: Final = re.compile(r"[0-9a-f]{2}")
_IDENTITY: Final = re.compile(PREFIX + r"[0-9a-f]{64}")
_CODE: Final = re.compile(r"pif1:[0-9a-f]{64}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_LEVELS: Final = 12
_SEQUENCES: Final = 2**53

T = TypeVar("T")


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The root. `sequence` grows by one with each root of the same stream that differs from the one before.

    `stream` is what the root was signed for, so that none is taken for another: empty for a publication in files, `server` for what a
    server offers at the moment, `push` for what is brought to a server. `theories`: the hash of the index of saved theories (`theories`),
    empty where there are none; `questions`: that of the index of certificates that belong to none (`questions`).
    """

    format: str
    format_version: int
    namespace: str
    key: str
    sequence: int
    time: str
    shards: dict[str, str]
    stream: str = ""
    theories: str = ""
    questions: str = ""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version. `names`: for each name in its code the `name@version` that it means, `std` for the library, null for nothing."""

    hash: str
    identity: str
    object: str
    names: dict[str, str | None] = {}
    certificates: tuple[str, ...] = ()


class Offered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool that is offered: its current version, and a row for each, by number."""

    current: int
    versions: dict[str, Row]


def object_hash(content: bytes) -> str:
    """The name of an object: the hex SHA-256 of its bytes."""
    return hashlib.sha256(content).hexdigest()


def shard_of(name: str) -> str:
    """The shard in which a tool of that name is."""
    return hashlib.sha256(name.encode()).hexdigest()[:2]


def encoded(value: object) -> bytes:
    """A root or a shard as bytes: the same for the same content, keys in order, a line feed at the end."""
    return msgspec.json.encode(value, order="deterministic") + b"\n"


def check_namespace(namespace: str) -> str:
    """`namespace` itself; raises `invalid_name` where a publisher's tools may not be called so."""
    if _NAMESPACE.fullmatch(namespace) is None or namespace in ("std", "team"):
        raise RegistryError(
            "invalid_name", "a namespace is what a publisher calls its tools together", place="namespace",
            found=ascii(namespace[:60]), expected=f"{NAMESPACE_RULE}, and neither 'std' nor 'team'", hint="for example ops",
        )  # fmt: skip
    return namespace


def signed(signature: str, content: bytes) -> bytes:
    """The file of a root: in one, so that nobody reads a root with the signature of another."""
    return signature.encode() + b"\n" + content


def read_manifest(file: bytes, place: str, stream: str = "") -> Manifest:
    """The root in a file, which its own key has signed, for that stream. Raises `invalid_argument` where it is not that."""
    signature, _, content = file.partition(b"\n")
    manifest = decoded(content, Manifest, place)
    if manifest.format != FORMAT or manifest.format_version != 1:
        raise untrue(
            place, "the publication has another format", f"{manifest.format}", f"{FORMAT}, version 1"
        )
    if manifest.stream != stream:
        found = f"one for {STREAMS.get(manifest.stream, 'something else')}"
        raise untrue(place, "the root was signed for something else", found, f"one for {STREAMS[stream]}")
    check_namespace(manifest.namespace)
    check_key(manifest.key)
    if not check_signature(manifest.key, signature.decode("ascii", "replace"), content):
        raise untrue(
            place,
            "the signature is not one of these bytes by the key that they name",
            "another signature",
            f"one by {manifest.key}",
        )
    sound = (
        0 < manifest.sequence < _SEQUENCES
        and _TIME.fullmatch(manifest.time) is not None
        and all(not each or _HASH.fullmatch(each) for each in (manifest.theories, manifest.questions))
        and all(_SHARD.fullmatch(each) and _HASH.fullmatch(hash_) for each, hash_ in manifest.shards.items())
    )
    if not sound:
        raise untrue(place, "the root is not spelled as one", "other values", "what `pif publish` writes")
    return manifest


def read_shard(content: bytes, shard: str, place: str) -> dict[str, Offered]:
    """The tools in a shard, every name and number of it checked. Raises `invalid_argument`, `invalid_name`."""
    tools = decoded(content, dict[str, Offered], place)
    for name, offered in tools.items():
        check_name(name)
        if shard_of(name) != shard:
            raise untrue(place, "a tool is in a shard that is not its own", name, f"shard {shard_of(name)}")
        if not offered.versions or str(offered.current) not in offered.versions:
            raise untrue(
                place, f"the current version of {name!r} is missing", str(offered.current), "a row for it"
            )
        for version, row in offered.versions.items():
            reference = parse_reference(f"{name}@{version}")
            assert reference.version is not None
            if reference.version > VERSION_LIMIT or not _sound(row):
                raise untrue(
                    place, f"the row of {reference} is not spelled as one", "other values", "hashes and names"
                )
    return tools


def _sound(row: Row) -> bool:
    hashes = (row.object, *row.certificates)
    return (
        _CODE.fullmatch(row.hash) is not None
        and _IDENTITY.fullmatch(row.identity) is not None
        and all(_HASH.fullmatch(each) for each in hashes)
        and all(to is None or to == LIBRARY or _is_pinned(to) for to in row.names.values())
    )


def _is_pinned(text: str) -> bool:
    try:
        wanted = parse_reference(text)
        check_name(wanted.name)
    except RegistryError:
        return False
    return wanted.version is not None


def decoded(content: bytes, shape: type[T], place: str) -> T:
    """A file of a publication as data of that shape. Raises `invalid_argument`."""
    try:
        check_nesting(content, _LEVELS)
        return decode_json(content, shape)
    except (msgspec.MsgspecError, TooDeep, ValueError) as error:
        raise untrue(
            place, "the file is not what `pif publish` writes", str(error)[:200], "its fields"
        ) from None


def untrue(place: str, message: str, found: str, expected: str) -> RegistryError:
    """The error of a source that does not hold what it says."""
    return RegistryError(
        "invalid_argument", message, file=place, found=ascii(found)[1:-1][:200],
        expected=expected, hint="The source is damaged or lies. Ask its publisher, or pull from another mirror.",
    )  # fmt: skip
