"""What is proved of the library: its laws with their certificates, made before a release and kept beside the tools.

    certificates/sort.json     the laws of `std.sort`, as a store would keep them, and their certificates by hash

`python -m registry.laws.prove_library` (`make certificates`) makes the files; nothing else writes them. The file of a tool
is read when somebody asks for its laws, so a run never reads one.

Invariants
    * A law is `proved` only if it is written with the tool as it was when it was proved, and every tool that the proof
      rests on has the code that it had then. Else it is `untested`: with its certificate, which a check refuses and
      says why, or without one.
    * Nothing in a certificate is believed: `registry.laws.on_evolve.recheck` reads the text only by its hash, and checks
      it from nothing.

ADR 017; issue 7, "certificates in the registry".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from registry.errors import RegistryError
from registry.law_record import KeptLaw

__all__ = ["CERTIFICATES", "UNPROVED", "LibraryLaws", "ProvedTool", "proved_tool"]

CERTIFICATES: Final = "certificates"
"""The directory, in that of the library."""

UNPROVED: Final = "of the library, which has no certificate of it"
"""The label of laws that no file knows."""

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
