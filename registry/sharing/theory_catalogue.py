"""What a running server offers of its saved theories (docs/reference/registry.md §3.1).

A text is read anew only if its file was written since. Left out is what cannot be shared, with all that imports it. Texts are not kept: one is
read when it is asked for, and sent only if it has that hash still. Not safe in threads: the catalogue of tools holds its lock.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.storage import Signature, signature_of
from registry.errors import RegistryError
from registry.sharing.manifest import OBJECT_LIMIT, encoded, object_hash
from registry.sharing.theories import (
    TheoryRow,
    row_of,
    saved_names,
    saved_text,
    sharable,
    text_object,
    with_certificates,
)
from registry.sharing.theory_proofs import Proofs, certificate_object

__all__ = ["TheoryCatalogue"]


class _Entry(msgspec.Struct, frozen=True):
    """A saved theory as its file was; the row is None where it cannot be shared."""

    signature: Signature | None
    row: TheoryRow | None


class TheoryCatalogue:
    """The saved theories of one home, for those who pull from its server."""

    def __init__(self, saved: Callable[[], Path], proofs: Callable[[], Proofs | None] = lambda: None) -> None:
        """`saved` brings them up to date where they are copies, and says where they are; `proofs`: whose certificates go with them."""
        self._saved = saved
        self._proofs = proofs
        self._going: dict[str, dict[str, str]] = {}
        self._questions: dict[str, str] = {}
        self._entries: dict[str, _Entry] = {}
        self._places: dict[str, str] = {}
        self._index = b""

    def bring_up_to_date(self) -> str:
        """The hash of the index of what is offered now; empty where nothing is, or more than an index can hold."""
        try:
            saved = self._saved()
        except SessionError as error:
            raise RegistryError("store_error", error.message, file=error.file, hint=error.hint) from error
        entries: dict[str, _Entry] = {}
        for name in saved_names(saved):
            signature = signature_of(saved / f"{name}.kleis")
            known = self._entries.get(name)
            if known is None or known.signature != signature:
                known = _Entry(signature, _row(saved, name))
            entries[name] = known
        self._entries = entries
        rows, _ = sharable({name: each.row for name, each in sorted(entries.items()) if each.row is not None})
        rows = self._with_certificates(rows)
        index = encoded(rows) if rows else b""
        self._index = index if len(index) <= OBJECT_LIMIT else b""
        self._places = {row.object: name for name, row in rows.items()} if self._index else {}
        return object_hash(self._index) if self._index else ""

    def object(self, hash_: str) -> bytes | None:
        """The index as it was offered last, or a text of it; None for what is not there, or not as it was."""
        if self._index and hash_ == object_hash(self._index):
            return self._index
        if hash_ in self._questions:
            return self._certificate(hash_)
        name = self._places.get(hash_)
        text = None if name is None else _text(self._saved(), name)
        content = None if text is None else text_object(text)
        return content if content is not None and object_hash(content) == hash_ else None

    def _with_certificates(self, rows: dict[str, TheoryRow]) -> dict[str, TheoryRow]:
        """The rows with their certificates; those of a text are read anew only if other questions go with it."""
        proofs = self._proofs()
        if proofs is None:
            return rows
        going: dict[str, dict[str, str]] = {}
        for row in rows.values():
            known = self._going.get(row.object, {})
            if proofs.file.of(row.object) != tuple(known):
                known = with_certificates(row, proofs.going_with(row.object)).claimed
            going[row.object] = known
        self._going = going
        self._questions = {hash_: digest for known in going.values() for digest, hash_ in known.items()}
        return {
            name: msgspec.structs.replace(row, certificates=going[row.object] or msgspec.UNSET)
            for name, row in rows.items()
        }

    def _certificate(self, hash_: str) -> bytes | None:
        """The object of a certificate; None where another one is kept by now."""
        proofs = self._proofs()
        kept = None if proofs is None else proofs.storage.get(self._questions[hash_])
        content = None if kept is None else certificate_object(kept)
        return content if content is not None and object_hash(content) == hash_ else None


def _row(saved: Path, name: str) -> TheoryRow | None:
    text = _text(saved, name)
    try:
        return None if text is None else row_of(name, text)
    except RegistryError:
        return None


def _text(saved: Path, name: str) -> str | None:
    try:
        return saved_text(saved, name)
    except RegistryError:
        return None
