"""What a home remembers of publishers and of the tools that it took in (docs/reference/registry.md §3.1).

`sharing/ledger.json` in the home. For each publisher's key: the last root that was accepted, by sequence and hash, so that an older
one and another one under the same number are refused; and the shards that were taken in, so that what is new is found by what differs. For each tool that came from elsewhere: whose it is, from where, when, and its identity; so for saved theories, and which texts each of them had before.

A row of a tool counts only while the version here has the hash that it names: one of a tool that never came says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from kleis.decoding import decode_json
from pif.language.terms import Json
from registry.access.access_file import AccessFile
from registry.sharing.keys import FOLDER

if TYPE_CHECKING:
    from registry.sharing.manifest import Manifest

__all__ = ["Ledger", "LedgerFile", "Provenance", "Seen"]

_FORMAT: Final = 1
_TEXTS: Final = 100


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last root of a publisher that was accepted; `shards` are those of which all was taken in."""

    sequence: int
    root: str
    namespace: str
    shards: dict[str, str] = {}


class Provenance(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a version came from: `publisher/name@version` there, its signer, the source, the moment, its hash and identity.

    Of a saved theory, whose texts have no numbers, also `time` and `stream` of the root that it came with, and while it replaces a
    text of the same publisher, the hash of that as `before`: it is still here where a command was cut off.
    """

    name: str
    key: str
    source: str
    sequence: int
    moment: str
    hash: str
    identity: str
    time: str = ""
    stream: str = ""
    before: str = ""

    def is_followed(self, hash_: str, root: Manifest) -> bool:
        """Whether a root comes after the one of this row, by the same key, and the saved theory with that hash is not changed since."""
        if root.key != self.key:
            return False
        if self.time and root.stream == self.stream:
            later = root.sequence - self.sequence
        else:
            # A row from before times were kept came with a root that was signed before the row was written.
            time = self.time or self.moment
            later = (root.time > time) - (root.time < time)
        return later > 0 if hash_ == self.hash else later >= 0 and "" != self.before == hash_

    def as_json(self) -> dict[str, Json]:
        """The fields of an answer."""
        return {
            "name": self.name, "key": self.key, "from": self.source, "sequence": self.sequence, "pulled": self.moment,
            "identity": self.identity,
        }  # fmt: skip


class Ledger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it: publishers by key (and what their roots are for), provenance by `name@version` here, of saved theories by name; and by
    their names the hashes of texts that were taken in or given away, the last `_TEXTS`."""

    publishers: dict[str, Seen] = {}
    tools: dict[str, Provenance] = {}
    theories: dict[str, Provenance] = {}
    texts: dict[str, tuple[str, ...]] = {}
    format: int = _FORMAT


class LedgerFile:
    """The ledger of a home on disk. Reading it makes nothing."""

    def __init__(self, home: Path) -> None:
        self._file = AccessFile(
            home / FOLDER / "ledger.json", "what is known of publishers", _decoded, Ledger(),
            unreadable="what this home remembers of publishers cannot be read",
            restore="Nothing is pulled until it can, since an older publication could not be told. Restore the file.",
        )  # fmt: skip

    def read(self) -> Ledger:
        """What is remembered now."""
        return self._file.read()

    def origin(self, reference: str, hash_: str) -> Provenance | None:
        """Where the version here with that hash came from; None for one that was made here."""
        row = self.read().tools.get(reference)
        return row if row is not None and row.hash == hash_ else None

    def origin_of_theory(self, name: str, hash_: str) -> Provenance | None:
        """Where the saved theory of that name came from, whose text has that hash; None for one that was saved here."""
        row = self.read().theories.get(name)
        return row if row is not None and row.hash == hash_ else None

    def saw(self, key: str, seen: Seen) -> None:
        """Remember a publisher's root; one with a smaller sequence than is remembered changes nothing."""
        with self._file.changing() as replace:
            ledger = self.read()
            known = ledger.publishers.get(key)
            if known is None or known.sequence <= seen.sequence:
                publishers = {**ledger.publishers, key: seen}
                replace(msgspec.structs.replace(ledger, publishers=publishers))

    def took(self, rows: dict[str, Provenance]) -> None:
        """Remember where versions came from."""
        if rows:
            with self._file.changing() as replace:
                ledger = self.read()
                replace(msgspec.structs.replace(ledger, tools={**ledger.tools, **rows}))

    def took_theories(self, rows: dict[str, Provenance]) -> None:
        """Remember where saved theories came from."""
        if rows:
            with self._file.changing() as replace:
                ledger = self.read()
                replace(
                    msgspec.structs.replace(
                        ledger,
                        theories={**ledger.theories, **rows},
                        texts=_with_texts(ledger.texts, {name: row.hash for name, row in rows.items()}),
                    )
                )

    def gave_theories(self, hashes: Mapping[str, str]) -> None:
        """Remember texts of saved theories, by their names, that others may have of us."""
        known = self.read().texts
        if any(hash_ not in known.get(name, ()) for name, hash_ in hashes.items()):
            with self._file.changing() as replace:
                ledger = self.read()
                replace(msgspec.structs.replace(ledger, texts=_with_texts(ledger.texts, hashes)))

    def forgot(self, references: Iterable[str]) -> None:
        """Drop the rows of versions that did not come in after all."""
        with self._file.changing() as replace:
            ledger = self.read()
            gone = set(references)
            kept = {each: row for each, row in ledger.tools.items() if each not in gone}
            replace(msgspec.structs.replace(ledger, tools=kept))


def _with_texts(
    known: Mapping[str, tuple[str, ...]], hashes: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    more = {
        name: (*(each for each in known.get(name, ()) if each != hash_), hash_)[-_TEXTS:]
        for name, hash_ in hashes.items()
    }
    return {**known, **more}


def _decoded(content: bytes) -> Ledger:
    ledger = decode_json(content, Ledger)
    if ledger.format != _FORMAT:
        raise ValueError(f"format {ledger.format}; this program reads {_FORMAT}")
    return ledger
