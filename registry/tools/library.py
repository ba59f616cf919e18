"""The standard library: read-only tools that come with the program, below every home (docs/reference/registry.md §4).

A tool of the library is always `std.NAME`. It is also `NAME` unless the home or the system has a tool of that name. The
library's own code names its tools by `std.`, so a tool of the home never changes what a library tool does.

The files are evolve files (a list of `{"name", "description", "code", "examples", …}`) with the inferred `type` and `cost`
beside; tests compare these with the analysis. Files are read when a name is first looked up, and a tool's code is checked
and hashed when it is first used.

Laws and their certificates are in files of their own, `certificates/sort.json` for `std.sort`, which
`registry.laws.prove_library` makes before a release. Such a file is read when the tool's laws are asked for, so a run
never reads one, and records of the library hold no laws.

Invariants
    * A law is `proved` only if it is still written with its tool, and every tool that the proof rests on still has the
      code with which it was proved. Otherwise it is `untested`: with its certificate, which a check then rejects, or
      without one.
    * Certificates are not trusted: `recheck` of `registry.laws.on_evolve` compares the hash of the text and checks
      everything in it again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

import pif
from kleis.decoding import decode_json
from pif.language.terms import Json
from registry.errors import RegistryError
from registry.records import (
    LIBRARY_PREFIX,
    NO_EXAMPLES,
    RESERVED,
    KeptLaw,
    ToolRecord,
    believed,
    nearest_name,
)
from registry.store.exchange.file_format import Verified
from registry.tools.full_names import FullNames

__all__ = [
    "CERTIFICATES",
    "UNPROVED",
    "Entry",
    "Library",
    "LibraryLaws",
    "ProvedTool",
    "directory_of_the_library",
    "proved_tool",
    "unchangeable",
]

_VERSION: Final = 1
_CREATED: Final = "2026-11-21T00:00:00.000Z"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One tool in a file of the library."""

    name: str
    description: str
    type: str | None
    cost: dict[str, Json]
    code: Json
    examples: msgspec.Raw
    laws: tuple[str, ...] = ()
    topic: str = ""


def directory_of_the_library() -> Path:
    """The directory of the files: beside `pif` in an installed program, `stdlib/pif` in a checkout."""
    package = Path(pif.__file__).parent
    installed = package / "stdlib"
    return installed if installed.is_dir() else package.parent / "stdlib" / "pif"


class Library:
    """The tools of one directory. Safe in threads: records that two threads make are equal."""

    def __init__(self, verify: Callable[[Json], Verified], directory: Path | None = None) -> None:
        """`verify` checks, closes and hashes a tool's code."""
        self._verify = verify
        self._directory = directory or directory_of_the_library()
        self._lock = threading.Lock()
        self._records: dict[str, ToolRecord] = {}
        self._laws = LibraryLaws(self._directory)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of the files, by names without the prefix, in code-point order."""
        found: dict[str, Entry] = {}
        for path in sorted(self._directory.glob("*.json")):
            try:
                listed = decode_json(path.read_bytes(), list[Entry] | Entry)
            except (OSError, msgspec.MsgspecError) as error:
                raise RegistryError(
                    "internal", f"a file of the standard library cannot be read: {error}", file=str(path),
                    hint="install the program again",
                ) from None  # fmt: skip
            for entry in listed if isinstance(listed, list) else [listed]:
                found[entry.name] = msgspec.structs.replace(entry, topic=path.stem)
        return dict(sorted(found.items()))

    @cached_property
    def full_names(self) -> FullNames:
        """How names are spelled in the code of teams over this library."""
        return FullNames(self)

    def entry(self, name: str) -> Entry | None:
        """The entry of a tool, by either of its names."""
        if name in RESERVED:
            return None
        return self.entries.get(name.removeprefix(LIBRARY_PREFIX))

    def record(self, name: str, version: int | None = None) -> ToolRecord | None:
        """The tool of that name, `std.map` or `map`, or None."""
        entry = self.entry(name)
        if entry is None or version not in (None, _VERSION):
            return None
        known = self._records.get(entry.name)
        if known is None:
            code = self._verify(entry.code)
            known = ToolRecord(
                LIBRARY_PREFIX + entry.name, _VERSION, entry.description, code.code, code.hash, code.capabilities,
                _CREATED, msgspec.json.format(bytes(entry.examples), indent=-1).decode() or NO_EXAMPLES,
            )  # fmt: skip
            with self._lock:
                known = self._records.setdefault(entry.name, known)
        return known

    def laws(self, record: ToolRecord) -> tuple[KeptLaw, ...]:
        """The laws of a tool of this library, proved or not."""
        entry, own = self.entry(record.name), self.record(record.name)
        if entry is None or own is None or own.hash != record.hash:
            return ()
        return self._laws.laws(own.name, entry.laws, self._hash)

    def certificate(self, name: str, hash_: str) -> str | None:
        """The text of a certificate of a law of the tool `std.NAME`, or None where there is none of that hash."""
        return self._laws.certificate(name, hash_)

    def _hash(self, name: str) -> str | None:
        record = self.record(name)
        return None if record is None else record.hash

    def names(self) -> tuple[str, ...]:
        """The full names of all tools, by code point."""
        return tuple(LIBRARY_PREFIX + name for name in self.entries)

    def nearest(self, name: str) -> str | None:
        """The name closest in spelling: full where a full one was asked for."""
        if name.startswith(LIBRARY_PREFIX):
            return nearest_name(name, self.names())
        return nearest_name(name, [known for known in self.entries if known not in RESERVED])

    def matching(self, words: Sequence[str]) -> tuple[ToolRecord, ...]:
        """The tools that hold every word in name, topic or description, whatever the case; names first."""
        folded = [word.casefold() for word in words]
        found = [
            entry.name
            for entry in self.entries.values()
            if all(
                word in f"{LIBRARY_PREFIX}{entry.name}\n{entry.topic}\n{entry.description}".casefold()
                for word in folded
            )
        ]
        if folded:
            found.sort(
                key=lambda name: (name.casefold() != folded[0], folded[0] not in name.casefold(), name)
            )
        records = (self.record(LIBRARY_PREFIX + name) for name in found)
        return tuple(record for record in records if record is not None)


def unchangeable(record: ToolRecord, name: str) -> RegistryError:
    """The error for a change of a tool of the library, which was called `name`."""
    short = record.name.removeprefix(LIBRARY_PREFIX)
    return RegistryError(
        "invalid_argument", f"{record.name} is a tool of the standard library, which has one version and cannot be changed",
        place="name", tool=record.name, found=name, expected="a tool of this home",
        hint=f"`show` tells what it is; a tool of your own named {short!r} would stand in front of it.",
    )  # fmt: skip


# ── Laws and certificates ────────────────────────────────────────────────────────────────────────────────────

CERTIFICATES: Final = "certificates"

UNPROVED: Final = "of the library, which has no certificate of it"
"""The label of a law of the library that was not proved."""

_UNREAD: Final = "install the program again; in a checkout, `make certificates`"


class ProvedTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file: a tool (`std.NAME`), its laws, and the certificates by hash as JSON."""

    tool: str
    laws: tuple[KeptLaw, ...]
    certificates: dict[str, msgspec.Raw]

    def certificate(self, hash_: str) -> str | None:
        """The text of a certificate as it stands in the file: in one line, which ends.

        One that is laid out otherwise is another text, with another hash.
        """
        found = self.certificates.get(hash_)
        return None if found is None else bytes(found).decode(errors="replace") + "\n"

    def as_file(self) -> bytes:
        """The file, for git: one line a field of a law, one line a certificate, in the order of their laws."""
        listed = {hash_: bytes(text).decode() for hash_, text in self.certificates.items()}
        laws = msgspec.json.format(msgspec.json.encode(self.laws), indent=1).decode()
        lines = ",\n".join(f'  "{hash_}": {text}' for hash_, text in listed.items())
        tool = msgspec.json.encode(self.tool).decode()
        return f'{{\n "tool": {tool},\n "laws": {laws},\n "certificates": {{\n{lines}\n }}\n}}\n'.encode()


def proved_tool(tool: str, laws: Sequence[KeptLaw], certificates: Mapping[str, str]) -> ProvedTool:
    """The file of a tool, from its laws and the texts of their certificates by hash."""
    texts = {hash_: msgspec.Raw(text.strip().encode()) for hash_, text in certificates.items()}
    return ProvedTool(tool, tuple(laws), texts)


class LibraryLaws:
    """The certificates of one library. Safe in threads: what two threads read is equal."""

    def __init__(self, directory: Path) -> None:
        """`directory` is that of the library; it may have no certificates."""
        self.directory = directory / CERTIFICATES
        self._read: dict[str, ProvedTool] = {}

    def laws(
        self, tool: str, written: Sequence[str], hash_of: Callable[[str], str | None]
    ) -> tuple[KeptLaw, ...]:
        """The laws that are `written` with a tool of the library, `std.NAME`, each with its status.

        `hash_of` gives the hash of the present code of a tool of the library.
        """
        if not written:
            return ()
        known = {law.law: law for law in self._file(tool).laws}
        return tuple(_current(known[law], hash_of) if law in known else _unproved(law) for law in written)

    def certificate(self, tool: str, hash_: str) -> str | None:
        """The text of a certificate of a tool's law, or None where there is none of that hash."""
        return self._file(tool).certificate(hash_)

    def _file(self, tool: str) -> ProvedTool:
        known = self._read.get(tool)
        if known is None:
            known = self._read.setdefault(tool, self._decoded(tool))
        return known

    def _decoded(self, tool: str) -> ProvedTool:
        path = self.directory / f"{tool.partition('.')[2]}.json"
        try:
            found = decode_json(path.read_bytes(), ProvedTool)
        except FileNotFoundError:
            return ProvedTool(tool, (), {})
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise RegistryError(
                "internal", f"the certificates of {tool} cannot be read: {error}", file=str(path), hint=_UNREAD
            ) from None  # fmt: skip
        if found.tool != tool:
            raise RegistryError(
                "internal", "a file of certificates is about another tool", file=str(path), found=found.tool,
                expected=tool, hint=_UNREAD,
            )  # fmt: skip
        return found


def _current(law: KeptLaw, hash_of: Callable[[str], str | None]) -> KeptLaw:
    """A law that was proved; `untested` where a tool that it rests on has other code."""
    law = believed(law)
    same = all(hash_of(label.partition("@")[0]) == hash_ for label, hash_ in law.tools.items())
    return law if same else msgspec.structs.replace(law, status="untested")


def _unproved(law: str) -> KeptLaw:
    return KeptLaw(law, "untested", labels=(UNPROVED,))
