"""The sessions of one workspace: submit, try, undo, load, save, list.

See docs/reference/registry.md §12 and docs/adr/013-theory-sessions.md.

Invariants
    * The text in the storage is the truth.  Whoever is about to write says what the work began from; if another process
      wrote meanwhile, the work is done again on what is there now.
    * Nothing is written before every stage has passed, and then at once.
    * Verifying holds no lock: a slow submission delays no other.
    * Adding an item reads and elaborates that item alone, whatever the session holds.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from kleis.errors import KleisError
from kleis.prover.certificates.claimed_verdicts import ClaimedVerdicts
from kleis.prover.kept_certificates import CertificateFiles
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.imported_theory import PRELUDE, ImportedTheories, ImportedTheory
from kleis.sessions.files.places import Places, find_places
from kleis.sessions.files.record import Item, ItemKind, Record, heading, item_text, plain_text, read_record
from kleis.sessions.files.session_storage import FILE_NAME, DirectoryStorage, SessionStorage
from kleis.sessions.files.shared_theories import NOTHING_SHARED, SharedTheories, place_to_save, shared_title
from kleis.sessions.files.storage import plain_name
from kleis.sessions.files.universe import Universe, item_file
from kleis.sessions.submission import Checked, check
from kleis.sessions.verification import Verification, verify_all
from kleis.syntax.tree import Import, Structure
from kleis.theory.parse_cache import ParseCache
from kleis.theory.theory import Theory

if TYPE_CHECKING:
    from kleis.prover.certificates.shared_verdicts import SharedVerdicts
    from kleis.prover.kept_certificates import CertificateStorage
    from kleis.prover.process.broker import Broker
    from kleis.prover.verdict_cache import VerdictCache

__all__ = ["DEFAULT_SESSION", "FILE_NAME", "Sessions", "open_sessions"]

DEFAULT_SESSION = "default"

Found = TypeVar("Found")

_WARMING = 30.0
_CHANGED = "changed"
"""Stands for the digest of imports that the items were not checked against."""

_KEPT = 256
"""At most so many universes are cached; those of other sessions are read again."""


class _Held(msgspec.Struct, frozen=True):
    """A session as it was last read or written; `edited` if a person changed the text since the last submission."""

    universe: Universe
    body: bytes
    revision: Hashable
    edited: bool = False


class Sessions:
    """The sessions of one workspace.  Safe to use from several threads and processes at once."""

    def __init__(
        self,
        places: Places,
        library: ImportedTheories,
        *,
        storage: SessionStorage | None = None,
        verdicts: VerdictCache | None = None,
        certificates: CertificateStorage | None = None,
        broker: Broker | None = None,
        owns_broker: bool = False,
    ) -> None:
        """`storage`: where the sessions are, if not in the directories of `places`. `certificates`: where those of the verdicts
        of other machines are, and where those found here go."""
        from kleis.prover.process.broker import Broker

        self.places = places
        self.storage: SessionStorage = storage or DirectoryStorage(places.workspace, places.saved)
        self.imported_theories = library
        self.verdicts = verdicts
        self.broker = broker or Broker()
        self._shared = None if certificates is None else _shared_verdicts(certificates, self.broker)
        self.provers = Provers(self.broker, verdicts, self._shared)
        self._owns_broker = owns_broker or broker is None
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Held] = OrderedDict()

    def close(self) -> None:
        """Stop what is running."""
        if self._shared is not None:
            self._shared.close()
        if self._owns_broker:
            self.broker.close()

    def prepare(self) -> None:
        """Build the parser's tables before threads do."""
        from kleis.syntax.parser.parser import parse_expression

        parse_expression("1")

    def warm_up(self) -> None:
        """Start the solvers' process, so that the first question need not wait for it."""
        from kleis.syntax.parser.parser import parse_expression

        with self.provers.prover(Theory(), Deadline(_WARMING)) as prover:
            prover.verify(parse_expression("∀(x : ℝ). x + 0 = x"))

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────

    def theory(self, name: str = DEFAULT_SESSION) -> Theory:
        """The declarations of a session as it stands now; a session that is not there begins with the prelude.

        Raises `KleisError` where the name is not allowed or the session cannot be read.
        """
        return self.universe(name).theory

    def universe(self, name: str = DEFAULT_SESSION) -> Universe:
        """A session as it stands now."""
        return self._held(name).universe

    def names(self) -> list[str]:
        """The sessions that were written."""
        return self.storage.names()

    def records(self) -> list[tuple[str, Record | SessionError]]:
        """What the sessions hold, without loading any; an error for one that cannot be read."""
        found: list[tuple[str, Record | SessionError]] = []
        for name in self.names():
            try:
                read = self.storage.read(name)
                text = read[0].decode("utf-8") if read is not None else heading((), "")
                found.append((name, read_record(text, file=self.place(name))))
            except SessionError as error:
                found.append((name, error))
            except UnicodeDecodeError:
                found.append((name, _broken(self.place(name), "it is no UTF-8")))
        return found

    def text(self, name: str) -> str | None:
        """The text of a session; None if there is no such session."""
        read = self.storage.read(name)
        return read[0].decode("utf-8", "replace") if read is not None else None

    def saved(self, as_name: str) -> bool:
        """Whether a theory of this name is saved; false for what is no name."""
        prefix, _, plain = as_name.removesuffix(".kleis").rpartition("/")
        directory = self.imported_theories.shared.readable().get(prefix) if prefix else self.places.saved
        try:
            plain_name(plain, what="the name of a saved theory", code="save-name")
        except SessionError:
            return False
        if prefix:
            return directory is not None and (directory / f"{plain}.kleis").is_file()
        return self.storage.saved(plain)

    def place(self, name: str) -> str:
        """Where a session is or would be, for people."""
        return self.storage.place(name)

    def revision(self, name: str) -> Hashable:
        """What changes with every write of a session; None where there is none."""
        return self.storage.revision(name)

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────

    def submit(
        self, name: str, text: str, kind: ItemKind | None, deadline: Deadline
    ) -> tuple[Checked, Universe]:
        """Check a submission and keep it if it passes; the finding, and the session after it."""

        def work(held: _Held) -> tuple[Checked, Universe | None, bytes]:
            checked = check(held.universe, text, kind, self.provers, deadline)
            if checked.grown is None or checked.item is None:
                return checked, None, b""
            if held.edited:
                return checked, checked.grown, _body(checked.grown)
            added = item_text(checked.item).encode("utf-8", "surrogatepass")
            return checked, checked.grown, held.body + added

        return self._change(name, work, deadline)

    def attempt(self, name: str, text: str, deadline: Deadline) -> tuple[Checked, Universe]:
        """Check a submission of any kind and keep nothing."""
        universe = self.universe(name)
        return check(universe, text, None, self.provers, deadline), universe

    def undo(self, name: str, deadline: Deadline) -> tuple[Item, Universe]:
        """Drop the last item; it, and the session without it."""

        def work(held: _Held) -> tuple[Item, Universe | None, bytes]:
            last, before = held.universe.last, held.universe.before
            if last is None or before is None:
                raise SessionError(
                    f"the session {name} has no submission to undo",
                    code="session-empty",
                    found=name,
                    hint="list_session shows what a session holds",
                )
            return last, before, _body(before)

        return self._change(name, work, deadline)

    def load(
        self, name: str, imports: Sequence[str], deadline: Deadline
    ) -> tuple[Verification, Universe | None]:
        """Begin a session anew with some imports.  On any failure it stays as it was.

        The structures of files that are not of the library are verified; the universe is None if they clash.
        """
        plain_name(name, what="a session", code="session-name")
        self.storage.update_saved()
        names = self.imported_theories.canonical_names(imports)
        imported = self.imported_theories.theory_of(names)
        found = verify_all(imported.theory, _own_structures(imported), self.provers, deadline)
        if found.status in ("inconsistent", "rejected"):
            return found, None
        if deadline.abandoned:
            return found, None
        universe = Universe.of(name, imported)
        body = _body(universe)
        self._keep(name, _Held(universe, body, self.storage.replace(name, body)))
        return found, universe

    def add_imports(
        self, name: str, imports: Sequence[str], deadline: Deadline
    ) -> tuple[Verification, Checked | None, Universe]:
        """Let a session import more: what it holds is checked again on top.  On any failure it stays as it was.

        Returns the finding on the imports, that on the first item that does not pass with them (None where all do), and
        the session.
        """
        names = self.imported_theories.canonical_names(imports)

        def work(held: _Held) -> tuple[tuple[Verification, Checked | None], Universe | None, bytes]:
            before = held.universe
            imported = self.imported_theories.theory_of(
                tuple(dict.fromkeys((*before.imported.imports, *names)))
            )
            found = verify_all(imported.theory, _own_structures(imported), self.provers, deadline)
            if found.status in ("inconsistent", "rejected"):
                return (found, None), None, b""
            grown = Universe.of(name, imported)
            for item in before.items():
                checked = check(grown, item.text, item.kind, self.provers, deadline)
                if checked.grown is None:
                    return (found, checked), None, b""
                grown = checked.grown
            return (found, None), grown, _body(grown)

        (found, failed), universe = self._change(name, work, deadline)
        return found, failed, universe

    def save(self, name: str, as_name: str, *, overwrite: bool) -> Path:
        """Write a session as a theory that others can import; the file's path. A name with a ``/`` is that of a shared place."""
        universe = self.universe(name)
        prefix, _, plain = as_name.removesuffix(".kleis").rpartition("/")
        imports, directory = universe.imported.imports, self.places.saved
        title = f"Theory saved from the session {name}."
        if prefix:
            shared = self.imported_theories.shared
            directory, title = place_to_save(shared, prefix), shared_title(name, shared.saver())
            imports = self._imports_beside(universe.imported, prefix, directory)
        plain_name(plain, what="the name of a saved theory", code="save-name")
        _check_circle(universe.imported, directory / f"{plain}.kleis")
        body = plain_text(imports, universe.items(), title=title)
        storage = DirectoryStorage(self.places.workspace, directory) if prefix else self.storage
        return storage.save(plain, body.encode("utf-8", "surrogatepass"), overwrite=overwrite)

    def _imports_beside(self, imported: ImportedTheory, prefix: str, directory: Path) -> tuple[str, ...]:
        """What a shared theory imports, by names that lead from its file. Raises `SessionError` where that is of somebody's own."""
        outside = next(
            (path for path, _ in imported.stamps if not self.imported_theories.is_shared(path, directory)),
            None,
        )
        if outside is not None:
            raise SessionError(
                f"the session imports {outside.name}, which others of {prefix} may not have", code="save-refused",
                found=outside.stem, expected=("the library", f"theories of {prefix}"),
                hint=f"save {outside.stem} as {prefix}/{outside.stem} first, and load that",
            )  # fmt: skip
        return tuple(each.removeprefix(f"{prefix}/") for each in imported.imports)

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────

    def _change(
        self, name: str, work: Callable[[_Held], tuple[Found, Universe | None, bytes]], deadline: Deadline
    ) -> tuple[Found, Universe]:
        """Repeat `work` until its result is based on what is there, and write it; a universe of None writes nothing."""
        while True:
            held = self._held(name)
            found, grown, body = work(held)
            if grown is None:
                return found, held.universe
            if deadline.abandoned:
                raise SessionError(
                    "the call was cancelled; nothing was kept", code="session-busy", hint="submit it again"
                )
            revision = self.storage.write(name, body, held.revision)
            if revision is not None:
                self._keep(name, _Held(grown, body, revision))
                return found, grown
            if deadline.over:
                raise SessionError(
                    f"others kept writing to the session {name} for {deadline.seconds:g} s; nothing was kept",
                    code="session-busy",
                    hint="submit it again",
                )

    def _held(self, name: str) -> _Held:
        """The session as it is now; from the cache where nobody wrote to it."""
        with self._lock:
            known = self._open.get(name)
        revision = self.storage.revision(name)
        self.storage.update_saved()
        if (
            known is not None
            and revision == known.revision
            and self.imported_theories.is_current(known.universe.imported)
        ):
            return known
        held = self._read(name, known)
        self._keep(name, held)
        return held

    def _read(self, name: str, known: _Held | None) -> _Held:
        read = self.storage.read(name)
        if read is None:
            universe = Universe.of(name, self.imported_theories.theory_of((PRELUDE,)))
            return _Held(universe, _body(universe), None)
        body, revision = read
        self.storage.update_saved()  # what is imported was saved before the session that imports it
        place = self.place(name)
        try:
            record = read_record(body.decode("utf-8"), file=place)
        except UnicodeDecodeError:
            raise _broken(place, "it is no UTF-8") from None
        try:
            imported = self.imported_theories.theory_of(record.imports)
        except KleisError as error:
            raise _broken(place, f"what it imports cannot be loaded: {error}") from error
        return _Held(_rebuilt(name, record, imported, known), body, revision, edited=not record.basis)

    def _keep(self, name: str, held: _Held) -> None:
        with self._lock:
            self._open[name] = held
            self._open.move_to_end(name)
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)


def open_sessions(
    home: Path,
    *,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    roots: Sequence[Path] = (),
    cache: ParseCache | None = None,
    broker: Broker | None = None,
    owns_broker: bool = False,
    storage: SessionStorage | None = None,
    saved: Path | None = None,
    workspace: Path | None = None,
    certificates: CertificateStorage | None = None,
    shared: SharedTheories = NOTHING_SHARED,
) -> Sessions:
    """The sessions of a home; with `owns_broker` they close the given one.

    `storage` is where the sessions are, if not in the home, and `saved` the directory where it keeps what can be imported;
    `workspace` a directory of sessions in the place of the home's; `certificates` where those of verdicts are shared with other machines; `shared` theories of others that they may load.
    Raises `SessionError` where the configuration cannot be read.
    """
    from kleis.prover.verdict_cache import VerdictCache

    known = os.environ if environment is None else environment
    places = find_places(home, known, directory or Path.cwd())
    if saved is not None:
        places = msgspec.structs.replace(places, saved=saved)
    if workspace is not None:
        places = msgspec.structs.replace(places, workspace=workspace)
    library = ImportedTheories(places.saved, known, roots=roots, cache=cache, shared=shared)
    return Sessions(
        places,
        library,
        storage=storage,
        verdicts=VerdictCache(places.verdicts),
        certificates=certificates,
        broker=broker,
        owns_broker=owns_broker,
    )


def _shared_verdicts(certificates: CertificateStorage, broker: Broker) -> SharedVerdicts | ClaimedVerdicts:
    """The verdicts of other machines."""
    if isinstance(certificates, CertificateFiles):
        return ClaimedVerdicts(certificates, broker)
    from kleis.prover.certificates.shared_verdicts import SharedVerdicts

    return SharedVerdicts(certificates, broker)


# ── Files and universes ──────────────────────────────────────────────────────────────────────────────────────


def _own_structures(imported: ImportedTheory) -> list[str]:
    """The structures of imported files that are not of the library."""
    return [
        entry.declaration.name
        for entry in imported.theory.entries
        if entry.file in imported.own and isinstance(entry.declaration, Structure)
    ]


def _body(universe: Universe) -> bytes:
    """The whole text of a session's file."""
    imported = _CHANGED if universe.stale else universe.imported.digest
    parts = [heading(universe.imported.imports, imported), *map(item_text, universe.items())]
    return "".join(parts).encode("utf-8", "surrogatepass")


def _rebuilt(name: str, record: Record, imported: ImportedTheory, known: _Held | None) -> Universe:
    """The universe of a record; if it extends the known one, only the further items are read."""
    stale = bool(record.basis) and record.basis != imported.digest
    universe = Universe.of(name, imported, stale=stale)
    items = record.items
    if known is not None and known.universe.imported is imported and known.universe.stale == stale:
        before = known.universe.items()
        if list(items[: len(before)]) == before:
            universe, items = known.universe, items[len(before) :]
    for item in items:
        universe = _with(universe, item)
    return universe


def _with(universe: Universe, item: Item) -> Universe:
    """The universe with an item that was accepted earlier."""
    from kleis.syntax.parser.parser import parse_source

    file = item_file(universe.session, universe.count + 1)
    result = parse_source(item.text, file=file)
    if result.errors:
        raise _broken(file, f"item {universe.count + 1} is no Kleis: {result.errors[0]}")
    program = msgspec.structs.replace(
        result.program, items=tuple(each for each in result.program.items if not isinstance(each, Import))
    )
    return universe.extended(item, program, universe.theory.include(program))


def _broken(place: str, why: str) -> SessionError:
    return SessionError(
        f"the session cannot be read: {why}",
        code="session-broken",
        file=place,
        hint="mend the file, or begin anew with load_theory",
    )


def _check_circle(imported: ImportedTheory, target: Path) -> None:
    """Raise `SessionError` if a session imports the theory it would be saved as."""
    if any(path == target.resolve() for path, _ in imported.stamps):
        raise SessionError(
            f"this session imports {target.name}: the saved theory would import itself",
            code="save-circular",
            found=target.stem,
            hint="save it under another name",
        )
