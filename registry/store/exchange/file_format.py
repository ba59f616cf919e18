"""The files of an export: their fields, their text, and how they are read from a source that is not trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from kleis.decoding import decode_json
from pif.language.budget import JSON_LEVELS, reserve_stack
from pif.language.errors import PifError
from pif.language.json_text import TooDeep, check_nesting
from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import (
    NO_EXAMPLES,
    NO_LAWS,
    NOT_CHECKED,
    VERSION_LIMIT,
    KeptLaw,
    ToolRecord,
    laws_text,
    read_laws,
)
from registry.store.protocol import check_record

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "Entry",
    "Manifest",
    "Verified",
    "Verifier",
    "blaming",
    "malformed",
    "manifest_text",
    "read_manifest",
    "read_record",
    "record_text",
]

FORMAT: Final = "pif-export"
FORMAT_VERSION: Final = 1

_STACK: Final = 4_000
"""Python's limit also guards msgspec; a term's nesting must fit with the caller's own frames."""

_LEVELS: Final = JSON_LEVELS + 8
_INDENTED_AT_MOST: Final = 8

_Decoded = TypeVar("_Decoded")


class Verified(msgspec.Struct, frozen=True):
    """What a verifier makes of a code: its canonical text, the hash of that, and its capabilities."""

    code: str
    hash: str
    capabilities: tuple[str, ...]


Verifier = Callable[[str], Verified]
"""JSON text of a tool's code → what it is; raises `PifError` or `RegistryError` where it is no tool."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool in the manifest: its current version and the files of all its versions."""

    current: int
    files: tuple[str, ...]


class Manifest(msgspec.Struct, frozen=True):
    """What an export says of itself."""

    format: str
    format_version: int
    tools: dict[str, Entry]


class _VersionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    version: int
    hash: str
    description: str
    created: str
    capabilities: tuple[str, ...]
    code: msgspec.Raw
    examples: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    laws: tuple[KeptLaw, ...] = ()
    rounded: RoundedNumbers | None = None
    python: str | None = None


def manifest_text(tools: dict[str, Entry]) -> bytes:
    """The text of a manifest."""
    compact = msgspec.json.encode(Manifest(FORMAT, FORMAT_VERSION, tools))
    return msgspec.json.format(compact, indent=2) + b"\n"


def record_text(record: ToolRecord) -> bytes:
    """The text of one version's file."""
    reserve_stack(_STACK)
    compact = msgspec.json.encode(
        _VersionFile(
            name=record.name,
            version=record.version,
            hash=record.hash,
            description=record.description,
            created=record.created,
            capabilities=record.capabilities,
            code=msgspec.Raw(record.code.encode()),
            examples=msgspec.Raw(record.examples.encode())
            if record.examples != NO_EXAMPLES
            else msgspec.UNSET,
            laws=read_laws(record.laws),
            rounded=record.rounded,
            python=record.python,
        )
    )
    text = msgspec.json.format(compact, indent=2)
    if (
        len(text) > _INDENTED_AT_MOST * len(compact) + 1_000
    ):  # deep terms: mostly spaces, and the square of the depth
        text = compact
    return text + b"\n"


def read_manifest(content: bytes, place: str) -> Manifest:
    """The manifest in a file's content; `place` is that file."""
    manifest = _decoded(content, Manifest, place)
    if manifest.format != FORMAT or manifest.format_version != FORMAT_VERSION:
        raise malformed(
            place,
            "the export has another format",
            f"{manifest.format!r}, version {manifest.format_version}",
            f"{FORMAT!r}, version {FORMAT_VERSION}",
        )
    return manifest


def read_record(content: bytes, place: str, verify: Verifier) -> ToolRecord:
    """The version in a file's content, with its code decoded and its hash computed anew."""
    file = _decoded(content, _VersionFile, place)
    if not 0 < file.version <= VERSION_LIMIT:
        raise malformed(place, "the version is out of range", str(file.version), f"1 to {VERSION_LIMIT}")
    moment = _moment(file.created, place)
    with blaming(place):
        verified = verify(bytes(file.code).decode())
        if verified.hash != file.hash:
            raise malformed(
                place, "the code has another hash than the file says", verified.hash, ascii(file.hash)
            )
        record = ToolRecord(
            name=file.name,
            version=file.version,
            description=file.description,
            code=verified.code,
            hash=verified.hash,
            capabilities=verified.capabilities,
            created=moment,
            examples=_examples(file.examples, place),
            laws=_laws(file.laws),
            rounded=file.rounded,
            python=file.python,
        )
        check_record(record)
    return record


class _Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    output: msgspec.Raw
    input: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    arguments: tuple[msgspec.Raw, ...] | msgspec.UnsetType = msgspec.UNSET
    raw: bool = False
    data: bool = False


def _examples(raw: msgspec.Raw | msgspec.UnsetType, place: str) -> str:
    """The examples of a version, written as this program writes them."""
    if raw is msgspec.UNSET:
        return NO_EXAMPLES
    listed = _decoded(bytes(raw), tuple[_Example, ...], place)
    return msgspec.json.format(msgspec.json.encode(listed), indent=-1).decode()


def _laws(laws: tuple[KeptLaw, ...]) -> str:
    """The laws of a version that comes from elsewhere, all claimed. Of what the file says of them only that is left by
    which they are checked here (`registry.laws.imported`): lemmas, the certificate's hash, and the tools' hashes."""
    claimed = (
        KeptLaw(
            each.law, "claimed", reason=NOT_CHECKED, lemmas=each.lemmas, tools=each.tools,
            certificate=each.certificate, format=each.format,
        )
        for each in laws
    )  # fmt: skip
    return laws_text(tuple(claimed)) if laws else NO_LAWS


def _moment(text: str, place: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError("no time zone")
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError):
        raise malformed(
            place, "`created` is no moment", ascii(text), "for example 2026-01-31T12:00:00Z"
        ) from None


def malformed(place: str, message: str, found: str, expected: str) -> RegistryError:
    """The error of a file that is no part of a sound export."""
    return RegistryError(
        "invalid_argument",
        f"the export cannot be imported: {message}",
        file=place,
        found=found if len(found) <= 200 else found[:197] + "...",
        expected=expected,
        hint="nothing was imported; export again from where it came from, or mend the file",
    )


@contextmanager
def blaming(place: str) -> Iterator[None]:
    """Let errors of names and codes say which file they are about."""
    try:
        yield
    except PifError as error:
        raise malformed(
            f"{place}#/code{error.path}",
            f"its code is refused ({error.kind}): {error.message}",
            error.found or "that code",
            error.expected or "the code of a tool",
        ) from error
    except RegistryError as error:
        if error.file == place:
            raise
        raise malformed(
            place, error.message, error.found or "that", error.expected or "what `evolve` would accept"
        ) from error


def _decoded(content: bytes, shape: type[_Decoded], place: str) -> _Decoded:
    reserve_stack(_STACK)
    try:
        content.decode()
        check_nesting(content, _LEVELS)
        return decode_json(content, shape)
    except UnicodeDecodeError as error:
        raise malformed(place, "the file is not UTF-8", f"byte {error.start}", "UTF-8 text") from None
    except TooDeep as error:
        raise malformed(place, str(error), "more", f"{_LEVELS} levels at most") from None
    except msgspec.MsgspecError as error:
        raise malformed(
            place, "the file is not what `export` writes", str(error), f"the fields of {FORMAT}"
        ) from None
