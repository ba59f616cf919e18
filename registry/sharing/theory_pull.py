"""Saved theories taken in from a publication, each with those that it imports (docs/reference/registry.md §3.1).

Invariants
    * A saved theory that is here stays as it is, whatever comes, also one that is only imported: but one that came from the same key and was
      not changed since is followed by a newer text of that key.
    * What a theory imports is written before it: a pull that was cut off or killed leaves theories that have all they import.
    * Where a theory came from is remembered before it is here, and counts only while its text is the one that came.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kleis.prover.kept_certificates import KeptCertificate
from kleis.prover.process.broker import Broker
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.session_storage import SessionStorage
from registry.errors import RegistryError
from registry.sharing.ledger import Provenance
from registry.sharing.manifest import OBJECT_LIMIT, object_hash, untrue
from registry.sharing.pull import Puller
from registry.sharing.theories import (
    TheoryRow,
    check_theory_name,
    in_order,
    read_index,
    read_text,
    saved_names,
    saved_text,
    text_object,
)
from registry.sharing.theory_check import check_texts, check_users
from registry.sharing.theory_proofs import Proofs, read_certificate_object

if TYPE_CHECKING:
    from kleis.sessions.sessions import Sessions

__all__ = ["Shelf", "missing_texts", "new_theories", "offered_theories", "pull_theories", "pull_theory"]

_TOGETHER: Final = 200
_BYTES: Final = 32 * 1024 * 1024
"""Theories, and bytes of their texts, that one theory and all that it imports may be."""


class Shelf(msgspec.Struct, frozen=True):
    """The saved theories of a home: what keeps them, the directory that has them or copies of them, and who reads texts."""

    storage: SessionStorage
    saved: Path
    broker: Broker
    proofs: Proofs | None = None
    """Where certificates of what they state are filed; None where none are."""

    @classmethod
    def of(cls, sessions: Sessions, proofs: Proofs) -> Shelf:
        """Those beside some sessions."""
        return cls(sessions.storage, sessions.places.saved, sessions.broker, proofs)

    def unfiled(self, row: TheoryRow) -> dict[str, str]:
        """The certificates of a row, by questions, for which none is filed here."""
        if self.proofs is None:
            return {}
        get = self.proofs.storage.get
        return {digest: hash_ for digest, hash_ in row.claimed.items() if get(digest) is None}

    def has(self, name: str, row: TheoryRow) -> bool:
        """Whether a theory is here under that name, with the text of that row."""
        try:
            text = saved_text(self.saved, name)
        except RegistryError:
            return False
        return text is not None and object_hash(text_object(text)) == row.object


def offered_theories(puller: Puller) -> dict[str, TheoryRow]:
    """The theories that a publication has."""
    hash_ = puller.manifest.theories
    if not hash_:
        return {}
    return read_index(puller.source.object(hash_, OBJECT_LIMIT), _place(puller, hash_))


def new_theories(puller: Puller, shelf: Shelf) -> list[str]:
    """The theories that are offered and are not here as they are there, or have certificates that are not, in order of names; but those
    whose text is an older one of what is here. Raises as `offered_theories`."""
    _bring_up_to_date(shelf)
    ledger = puller.ledger.read()

    def is_new(name: str, row: TheoryRow) -> bool:
        if shelf.has(name, row):
            return bool(shelf.unfiled(row))
        known = ledger.theories.get(name)
        was_cut_off = known is not None and bool(known.before)
        return was_cut_off or row.object not in ledger.texts.get(name, ()) or not shelf.storage.saved(name)

    return [name for name, row in sorted(offered_theories(puller).items()) if is_new(name, row)]


def missing_texts(puller: Puller, names: Sequence[str], shelf: Shelf) -> list[str]:
    """The objects of these theories, and of what they import, that are not here; none of one that would be refused unread."""
    rows = offered_theories(puller)
    found: dict[str, None] = {}
    for name in names:
        try:
            order = in_order([name], rows, puller.source.place)
        except RegistryError:
            continue  # said by `pull_theory`
        if len(order) <= _TOGETHER:
            found |= dict.fromkeys(rows[each].object for each in order if not shelf.has(each, rows[each]))
            found |= dict.fromkeys(hash_ for each in order for hash_ in shelf.unfiled(rows[each]).values())
    return [*found]


def pull_theories(
    puller: Puller, names: Sequence[str], shelf: Shelf, seconds: float | None = None
) -> dict[str, Any]:
    """Take in these theories one after the other, at least one, and no more after so many seconds; the fields of an answer.

    `looked_at` says how many. Where the source cannot be read any more the error is in `ended`, or is raised if nothing was done before.
    """
    until = None if seconds is None else time.monotonic() + seconds
    found: dict[str, Any] = {"looked_at": 0, "fetched": 0, "theories": [], "refused": []}
    filed = 0
    for name in names:
        if until is not None and found["looked_at"] and time.monotonic() > until:
            break
        answer = pull_theory(puller, name, shelf)
        if answer["type"] != "error":
            found["theories"] += answer["theories"]
            found["fetched"] += answer["fetched"]
            filed += answer.get("certificates", 0)
            if filed:
                found["certificates"] = filed
        elif answer["error"]["kind"] != "store_error":
            found["refused"].append({"root": name, **answer["error"]})
        elif found["looked_at"]:
            return {**found, "ended": answer["error"]}
        else:
            raise _error_of(answer["error"])
        found["looked_at"] += 1
    return found


def pull_theory(puller: Puller, wanted: str, shelf: Shelf, as_name: str | None = None) -> dict[str, Any]:
    """Take in `NAME` or `NAMESPACE/NAME` and what it imports; the answer of a command. Errors are answers too."""
    try:
        _bring_up_to_date(shelf)
        name = check_theory_name(puller.plain(wanted))
        rows = offered_theories(puller)
        if name not in rows:
            raise RegistryError(
                "invalid_argument", f"there is no theory {name} at {puller.source.place}", place="theory", found=name,
                expected=", ".join(sorted(rows)[:10]) or "a theory of that publication",
                hint="`pif pull --from ADDRESS` without a name lists what there is",
            )  # fmt: skip
        taking = _Taking(puller, rows, in_order([name], rows, puller.source.place), name)
        taking.fetch(shelf.saved, check_theory_name(as_name or name))
        with TemporaryDirectory(prefix="pif-") as folder:
            taking.check(shelf.broker, Path(folder), shelf.saved)
        claims = taking.claims(shelf)
        added = taking.write(shelf.storage, shelf.saved)
        filed = 0 if shelf.proofs is None else taking.file(claims, shelf.proofs)
    except (RegistryError, SessionError) as error:
        return {"type": "error", "error": _as_registry_error(error).as_json()}
    return {
        "type": "pulled", "publisher": puller.described(), "theory": taking.called[name], "fetched": taking.fetched,
        "added": [], "theories": added, **({"certificates": filed} if filed else {}),
    }  # fmt: skip


class _Taking:
    """One theory on its way in, with all that it imports. `called`: for each its name here."""

    def __init__(
        self, puller: Puller, rows: Mapping[str, TheoryRow], order: Sequence[str], root: str
    ) -> None:
        if len(order) > _TOGETHER:
            raise untrue(
                puller.source.place, "a theory imports too many others", root, f"{_TOGETHER} at most"
            )
        self._puller = puller
        self._rows = rows
        self._order = order
        self._root = root
        self._texts: dict[str, str] = {}
        self._new: list[str] = []
        self._replaced: dict[str, str] = {}
        self._left = _BYTES
        self.called = {name: name for name in order}
        self.fetched = 0

    def fetch(self, saved: Path, as_name: str) -> None:
        """The texts; those that are here with the same hash are not asked for. Raises `version_conflict` where a name says something
        else here that is not followed."""
        self.called[self._root] = as_name
        here = {each.casefold(): each for each in saved_names(saved)}
        if as_name != self._root and as_name in self._order:
            raise _says_another(as_name, "a theory that comes along", "another name")
        for name in self._order:
            called, row = self.called[name], self._rows[name]
            known = here.get(called.casefold(), called)
            if known != called:
                raise _says_another(called, f"{known}, which differs in capitals only", "a name of its own")
            text = saved_text(saved, called)
            if text is not None:
                found = object_hash(text_object(text))
                if found == row.object:
                    self._texts[name] = text
                elif self._follows(name, found):
                    self._replaced[name] = text
                else:
                    raise _says_another(called, f"{found} here", row.object)
        missing = [name for name in self._order if name not in self._texts]
        self._puller.source.ahead([self._rows[name].object for name in missing])
        for name in missing:
            hash_ = self._rows[name].object
            content = self._puller.source.object(hash_, OBJECT_LIMIT)
            self._left -= len(content)
            if self._left < 0:
                raise untrue(
                    self._puller.source.place,
                    "theories are too long together",
                    self._root,
                    f"{_BYTES} bytes at most",
                )
            self._texts[name] = read_text(content, hash_, _place(self._puller, hash_))
        self._new, self.fetched = missing, len(missing)

    def _follows(self, name: str, found: str) -> bool:
        """Whether what the publisher has comes after the text with that hash, which is here and came from there."""
        ledger = self._puller.ledger.read()
        called = self.called[name]
        known = ledger.theories.get(called)
        return (
            self._puller.replaces
            and known is not None
            and known.name.rpartition("/")[2] == name
            and (
                self._rows[name].object == known.hash
                or self._rows[name].object not in ledger.texts.get(called, ())
            )
            and known.is_followed(found, self._puller.manifest)
        )

    def check(self, broker: Broker, folder: Path, saved: Path) -> None:
        """Raise `invalid_argument` unless all that is new can be read and imports what its row says, `version_conflict` unless what is
        here and imports what is replaced can be read too."""
        if not self._new:
            return
        for name, text in self._texts.items():
            (folder / f"{name}.kleis").write_bytes(text.encode())
        place = self._puller.source.place
        check_texts(broker, folder, self._rows, self._order, place)
        if self._replaced:
            arriving = {self.called[name]: (self._rows[name], text) for name, text in self._texts.items()}
            check_users(broker, saved, arriving, {self.called[name] for name in self._replaced}, place)

    def claims(self, shelf: Shelf) -> dict[str, KeptCertificate]:
        """Certificates that are not filed here, by their questions, as much of them as may come. One that the source has not, or that is
        spelled as none, is left out: to withhold is all that it can do."""
        wanted = {
            digest: hash_ for name in self._order for digest, hash_ in shelf.unfiled(self._rows[name]).items()
        }
        self._puller.source.ahead([*wanted.values()])
        found: dict[str, KeptCertificate] = {}
        for digest, hash_ in wanted.items():
            try:
                content = self._puller.source.object(hash_, OBJECT_LIMIT)
            except RegistryError as error:
                if error.kind == "store_error":
                    raise
                continue
            self._left -= len(content)
            if self._left < 0:
                break
            kept = read_certificate_object(content, hash_, _place(self._puller, hash_))
            if kept is not None:
                found[digest] = kept
                self.fetched += 1
        return found

    def file(self, claims: Mapping[str, KeptCertificate], proofs: Proofs) -> int:
        """File certificates as claimed, after the texts; how many."""
        filed = [digest for digest, kept in claims.items() if proofs.claim(digest, kept)]
        rows = {
            row.object: [*filter(claims.__contains__, row.claimed)]
            for row in map(self._rows.__getitem__, self._order)
        }
        proofs.file.add(rows)
        return len(filed)

    def write(self, storage: SessionStorage, saved: Path) -> list[str]:
        """Save what is new, what is imported first; the names here."""
        moment = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        manifest, ledger = self._puller.manifest, self._puller.ledger
        rows = {
            self.called[name]: Provenance(
                f"{manifest.namespace}/{name}", manifest.key, self._puller.source.place, manifest.sequence, moment,
                self._rows[name].object, self._rows[name].object, manifest.time, manifest.stream, self._hash_before(name),
            )
            for name in self._new
        }  # fmt: skip
        ledger.took_theories(rows)
        for name in self._new:
            called = self.called[name]
            if name in self._replaced:
                if not storage.renew(called, self._texts[name].encode(), self._replaced[name].encode()):
                    raise _says_another(called, "a text that was saved meanwhile", self._rows[name].object)
                ledger.took_theories({called: msgspec.structs.replace(rows[called], before="")})
                continue
            try:
                storage.save(called, self._texts[name].encode(), overwrite=False)
            except SessionError as error:
                if error.code != "save-exists":
                    raise
                storage.update_saved()
                if saved_text(saved, called) != self._texts[name]:
                    raise _says_another(
                        called, "a text that was saved meanwhile", self._rows[name].object
                    ) from None
        return [*rows]

    def _hash_before(self, name: str) -> str:
        text = self._replaced.get(name)
        return "" if text is None else object_hash(text_object(text))


def _place(puller: Puller, hash_: str) -> str:
    return f"{puller.source.place}/objects/{hash_}.json"


def _says_another(name: str, found: str, expected: str) -> RegistryError:
    return RegistryError(
        "version_conflict", f"the saved theory {name!r} says something else here; nothing was taken in", place="theory",
        found=found, expected=expected,
        hint="`--as NAME` takes the theory that was asked for in under another name; `--home DIR` takes all of it into a home of its own.",
    )  # fmt: skip


def _bring_up_to_date(shelf: Shelf) -> None:
    try:
        shelf.storage.update_saved()
    except SessionError as error:
        raise _as_registry_error(error) from error


def _error_of(error: Mapping[str, Any]) -> RegistryError:
    return RegistryError(error["kind"], error["message"], found=error.get("found"), hint=error.get("hint"))


def _as_registry_error(error: RegistryError | SessionError) -> RegistryError:
    if isinstance(error, RegistryError):
        return error
    return RegistryError("store_error", error.message, file=error.file, found=error.found, hint=error.hint)
