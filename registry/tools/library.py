"""The standard library: tools that come with the program, under every home, and that nobody can change.

A tool of the library is `std.NAME`, always. It is also `NAME` as long as the home has no tool of that name (and no system
tool has it), so that an agent may call `map`, or make a `map` of its own: the library's tools name each other by
`std.`, and go on meaning each other. Names that start with `std.` cannot be evolved.

The files are evolve files (a list of `{"name", "description", "code", "examples", …}`); beside what `evolve` takes they
say what the analysis finds (`type`, `cost`), for readers, and the tests hold the two together. Nothing is written to
the home. Files are read when a name is first looked for, a tool's code is checked and hashed when it is first used; what
is proved of it is read when somebody asks for its laws (`registry.tools.library`): records of the library hold none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

import pif
from pif.language.terms import Json
from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX, NO_EXAMPLES, RESERVED, KeptLaw, ToolRecord, nearest_name
from registry.store.exchange.file_format import Verified

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
    """Where the files are: beside `pif` in an installed program, in `stdlib/pif` of a checkout."""
    package = Path(pif.__file__).parent
    installed = package / "stdlib"
    return installed if installed.is_dir() else package.parent / "stdlib" / "pif"


class Library:
    """The tools of one directory. Safe in threads: what two of them work out is the same."""

    def __init__(self, verify: Callable[[Json], Verified], directory: Path | None = None) -> None:
        """`verify` makes a tool's code what it is kept as."""
        self._verify = verify
        self._directory = directory or directory_of_the_library()
        self._lock = threading.Lock()
        self._records: dict[str, ToolRecord] = {}
        self._laws = LibraryLaws(self._directory)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """What the files say, by the names without the prefix, in code-point order."""
        found: dict[str, Entry] = {}
        for path in sorted(self._directory.glob("*.json")):
            try:
                listed = msgspec.json.decode(path.read_bytes(), type=list[Entry] | Entry)
            except (OSError, msgspec.MsgspecError) as error:
                raise RegistryError(
                    "internal", f"a file of the standard library cannot be read: {error}", place=str(path),
                    hint="install the program again",
                ) from None  # fmt: skip
            for entry in listed if isinstance(listed, list) else [listed]:
                found[entry.name] = msgspec.structs.replace(entry, topic=path.stem)
        return dict(sorted(found.items()))

    def entry(self, name: str) -> Entry | None:
        """What the files say of a tool, by either of its names."""
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
        """What is known of the laws of a tool of this library."""
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
    """The refusal of what would change a tool of the library, which was called `name`."""
    short = record.name.removeprefix(LIBRARY_PREFIX)
    return RegistryError(
        "invalid_argument", f"{record.name} is a tool of the standard library, which has one version and cannot be changed",
        place="name", tool=record.name, found=name, expected="a tool of this home",
        hint=f"`show` tells what it is; a tool of your own named {short!r} would stand in front of it.",
    )  # fmt: skip


# What is proved of the library: its laws with their certificates, made before a release and kept beside the tools.
#
#     certificates/sort.json     the laws of `std.sort`, as a store would keep them, and their certificates by hash
#
# `python -m registry.laws.prove_library` (`make certificates`) makes the files; nothing else writes them. The file of a tool
# is read when somebody asks for its laws, so a run never reads one.
#
# Invariants
#     * A law is `proved` only if it is written with the tool as it was when it was proved, and every tool that the proof
#       rests on has the code that it had then. Else it is `untested`: with its certificate, which a check refuses and
#       says why, or without one.
#     * Nothing in a certificate is believed: `recheck` of `registry.laws.on_evolve` reads the text only by its hash, and checks
#       it from nothing.

CERTIFICATES: Final = "certificates"

UNPROVED: Final = "of the library, which has no certificate of it"

_UNREAD: Final = "install the program again; in a checkout, `make certificates`"


class ProvedTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file: a tool (`std.NAME`), its laws, and the certificates by hash as JSON."""

    tool: str
    laws: tuple[KeptLaw, ...]
    certificates: dict[str, msgspec.Raw]

    def certificate(self, hash_: str) -> str | None:
        """The text that a certificate's hash is of, however the file lays it out.

        What is no JSON is given as it stands: it has another hash.
        """
        found = self.certificates.get(hash_)
        if found is None:
            return None
        try:
            return msgspec.json.encode(msgspec.json.decode(found), order="sorted").decode()
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return bytes(found).decode(errors="replace")

    def as_file(self) -> bytes:
        """The file, for git: one line a field, certificates in the order of their laws."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def proved_tool(tool: str, laws: Sequence[KeptLaw], certificates: Mapping[str, str]) -> ProvedTool:
    """The file of a tool, from its laws and the texts of their certificates by hash."""
    texts = {hash_: msgspec.Raw(text.encode()) for hash_, text in certificates.items()}
    return ProvedTool(tool, tuple(laws), texts)


class LibraryLaws:
    """The files of one library. Safe in threads: what two of them read is the same."""

    def __init__(self, directory: Path) -> None:
        """`directory` is that of the library; there may be no certificates in it."""
        self.directory = directory / CERTIFICATES
        self._read: dict[str, ProvedTool] = {}

    def laws(
        self, tool: str, written: Sequence[str], hash_of: Callable[[str], str | None]
    ) -> tuple[KeptLaw, ...]:
        """What is known of the laws that are written with a tool of the library, `std.NAME`.

        `hash_of` gives the hash of the code of a tool of the library as it is now.
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
            found = msgspec.json.decode(path.read_bytes(), type=ProvedTool)
        except FileNotFoundError:
            return ProvedTool(tool, (), {})
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise RegistryError(
                "internal", f"the certificates of {tool} cannot be read: {error}", place=str(path), hint=_UNREAD
            ) from None  # fmt: skip
        if found.tool != tool:
            raise RegistryError(
                "internal", "a file of certificates is about another tool", place=str(path), found=found.tool,
                expected=tool, hint=_UNREAD,
            )  # fmt: skip
        return found


def _current(law: KeptLaw, hash_of: Callable[[str], str | None]) -> KeptLaw:
    """A law that was proved; no longer so where a tool that it rests on has other code."""
    same = all(hash_of(label.partition("@")[0]) == hash_ for label, hash_ in law.tools.items())
    return law if same else msgspec.structs.replace(law, status="untested")


def _unproved(law: str) -> KeptLaw:
    return KeptLaw(law, "untested", labels=(UNPROVED,))
