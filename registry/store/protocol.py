"""The tool store: names, their versions, and snapshots that do not change.  See docs/reference/registry.md §2.

`Store` is what the rest of the product knows; `sqlite.sqlite_store.SqliteStore(home)` is the one that ships; `exchange`
moves tools between stores as directories of JSON files.  What a caller may rely on:

- Versions count from 1 for each name and are never used twice, not even after `forget`.
- Evolving the code that is current changes at most its description, and adds to its examples. Any other code makes a new version, also code
  that an older version already had.
- `forget` of the current version moves the name to its newest remaining version; with none left the name is free.
  Forgotten code stops resolving at once for new snapshots and is erased later, when no run can still need it.
- A `Snapshot` answers the same for ever, whatever is written meanwhile by whichever process.
- A call that returned has been written and synchronised to disk; a call that raised has changed nothing, unless its
  message says that this is not known.

Every error is a `registry.errors.RegistryError`. All calls may come from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, Protocol

import msgspec

from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import NO_EXAMPLES, ToolRecord, check_name, content_hash, valid_name
from registry.store.following import Following

__all__ = [
    "DESCRIPTION_LIMIT",
    "PAGE_LIMIT",
    "Adopted",
    "Event",
    "EventKind",
    "Evolved",
    "Forgotten",
    "Lineage",
    "Outcome",
    "Snapshot",
    "Store",
    "check_record",
    "check_spelling",
    "out_of_range",
    "search_words",
]

DESCRIPTION_LIMIT = 8_192

PAGE_LIMIT = 1_000

Outcome = Literal["created", "new_version", "description", "examples", "laws", "unchanged"]

EventKind = Literal["evolve", "describe", "rollback", "forget", "import"]


class Event(msgspec.Struct, frozen=True):
    """One entry of the log. `version` is the one it is about (None: `forget` of the whole name), `current` the one
    the name stood for afterwards (None: none). `hash` is that of `version`'s code, None once it is erased. `principal` is who did it, in the store of a
    team; None in that of one principal."""

    sequence: int
    name: str
    kind: EventKind
    version: int | None
    current: int | None
    description: str | None
    hash: str | None
    moment: str
    principal: str | None = None


class Evolved(msgspec.Struct, frozen=True):
    """What `evolve` leaves behind: the current record, and what became of the request."""

    record: ToolRecord
    outcome: Outcome


class Forgotten(msgspec.Struct, frozen=True):
    """What `forget` did: the versions that no longer resolve, and the one the name now stands for (None: none)."""

    name: str
    versions: tuple[int, ...]
    current: int | None


class Lineage(msgspec.Struct, frozen=True):
    """A name with all its versions, ascending, and which of them is current."""

    name: str
    current: int
    versions: tuple[ToolRecord, ...]


class Adopted(msgspec.Struct, frozen=True):
    """What became of one imported lineage: for each of its versions the version here, and which of these are new."""

    name: str
    numbers: dict[int, int]
    added: tuple[int, ...]
    current: int


class Snapshot(Protocol):
    """The registry at one moment."""

    @property
    def sequence(self) -> int:
        """The number of the last event that this snapshot sees; equal numbers, equal answers."""
        ...

    def record(self, name: str, version: int | None = None) -> ToolRecord | None:
        """The tool of that name (and version; the current one if None), or None where there is none."""
        ...

    def names(self) -> tuple[str, ...]:
        """All names that resolve, by code point."""
        ...

    def lineage(self, name: str) -> Lineage | None:
        """The name's versions that resolve, or None where the name does not."""
        ...

    def nearest(self, name: str) -> str | None:
        """The known name closest in spelling, for hints."""
        ...


class Store(Protocol):
    """Tools that outlive the process."""

    def snapshot(self) -> Snapshot:
        """The registry as it is now. Cheap: the same object as long as nothing was written."""
        ...

    def evolve(
        self,
        name: str,
        *,
        code: str,
        hash: str,
        description: str,
        capabilities: Sequence[str],
        examples: str = NO_EXAMPLES,
        laws: str | None = None,
        certificates: Mapping[str, str] | None = None,
        rounded: RoundedNumbers | None = None,
        python: str | None = None,
        expect_version: int | None = None,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Evolved:
        """Make `code` (canonical text, with its `content_hash`) the current version of `name`.

        `examples` is the JSON text of what it was seen to give; for code that is current they are added to its own.
        `laws` are the laws of the version (None: those it has; a new one has none), `certificates` the texts of their
        certificates by hash. `rounded`: the numbers that lost their fractions when the code was read, `python` the text
        it was translated from; a version keeps what it was made with.

        `expect_version` n: `version_conflict` unless n is current; 0: unless the name is free.
        `dry_run`: the same answer and the same errors, and nothing is kept. `principal`: who does it, for `history`, here and in
        the other changes.
        """
        ...

    def keep_laws(
        self,
        record: ToolRecord,
        laws: str,
        certificates: Mapping[str, str] | None = None,
        *,
        principal: str | None = None,
    ) -> bool:
        """Replace the laws of a version, current or not, with texts of certificates by hash.

        False, and nothing is kept, where the version is gone or its laws are not those of `record` any more.
        """
        ...

    def rollback(
        self, name: str, version: int, *, expect_version: int | None = None, principal: str | None = None
    ) -> ToolRecord:
        """Make a version that the name already has its current one."""
        ...

    def forget(self, name: str, version: int | None = None, *, principal: str | None = None) -> Forgotten:
        """Stop resolving one version, or all of them."""
        ...

    def history(self, name: str) -> tuple[Event, ...]:
        """Everything that happened to the name, oldest first."""
        ...

    def naming(self, name: str) -> tuple[str, ...]:
        """The current tools in whose code that name, plain or of a team, stands as a string, with or without a version, by code
        point."""
        ...

    def namings(self, visit: Callable[[int], None], *, prefix: str = "") -> dict[str, list[str]]:
        """`naming` of every current tool and of all teams' tools at once, in one walk; names that nothing names are left out.

        `prefix`: what code puts before the names of this store's tools. `visit` is told the number of tools looked at since
        it was told last; what it raises ends the walk.
        """
        ...

    def naming_by_run(self) -> tuple[str, ...]:
        """The current tools whose code reads that of tools by names that it computes, by code point."""
        ...

    def page(self, query: str = "", offset: int = 0, limit: int = 50) -> tuple[int, tuple[ToolRecord, ...]]:
        """How many current tools match, and the `limit` of them after `offset`.

        A tool matches when each word of `query` occurs in its name or description, whatever the case. Exact names
        come first, then names that start with the query, names that hold it, and the rest; then by code point.
        """
        ...

    def recent(self, limit: int) -> tuple[ToolRecord, ...]:
        """The tools last evolved, described, rolled back or imported, latest first."""
        ...

    def changed_since(self, sequence: int) -> tuple[str, ...]:
        """The names that something happened to after that event, each once, in any order."""
        ...

    def certificate(self, hash: str) -> str | None:
        """The text of a certificate, or None where there is none of that hash."""
        ...

    def adopt(
        self,
        lineages: Sequence[Lineage],
        *,
        renumber: bool = False,
        certificates: Mapping[str, str] | None = None,
        expect: Mapping[str, int | None] = MappingProxyType({}),
        principal: str | None = None,
    ) -> tuple[Adopted, ...]:
        """Take in lineages from another store, all of them or none.

        A version keeps its number, so that `name@version` goes on meaning the same code. What is here already is
        left alone. A number that stands for other code here, or was given up, is a `version_conflict`; with
        `renumber` such a version and those after it get new numbers instead. A name that gained a version moves to
        the lineage's current one. `expect` has names with the versions that they must stand for now, None for nothing: a
        `version_conflict` where one does not.
        """
        ...

    def backup(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a complete copy to one file, while others go on reading and writing."""
        ...

    def check(self) -> tuple[str, ...]:
        """Everything that is wrong with what is stored, as texts; empty where all is well. Reads it all."""
        ...

    def size(self) -> int:
        """How many bytes are stored, about; what was erased counts no more, what was forgotten and is not erased yet does."""
        ...

    def tidy(self) -> bool:
        """Erase some of what was forgotten before the grace period, as every change does; False where there is no such thing."""
        ...

    def follow(self, told: Callable[[], None]) -> Following | None:
        """Have `told` called, from some thread, after each change, whoever makes it, and after a time in which changes could not be told
        of. `told` may not wait. None where this store tells nobody: look by the clock, as where the following is not live."""
        ...

    def close(self) -> None:
        """Let go of all files. Calling it again does nothing; any other call afterwards is an error."""
        ...


# ── Checks of arguments, made before anything is opened or changed ────────────────────────────────────────────

_QUERY_LIMIT: Final = 1_000
_QUERY_WORDS: Final = 32


def check_spelling(name: str) -> None:
    """Reject what is not spelled like a name; a reserved name is a legal question with the answer "no such tool"."""
    if not valid_name(name):
        check_name(name)


def check_record(record: ToolRecord) -> None:
    """Reject a record that no store may hold."""
    check_name(record.name)
    if len(record.description) > DESCRIPTION_LIMIT:
        raise RegistryError(
            "invalid_argument",
            "the description is too long",
            place="description",
            tool=record.name,
            found=f"{len(record.description)} characters",
            expected=f"{DESCRIPTION_LIMIT} characters at most",
            hint="say what the tool is for in a few sentences",
        )
    _check_text("description", record.description)
    _check_text("code", record.code)
    if record.hash != content_hash(record.code):
        raise RegistryError(
            "internal",
            "a tool was handed to the store with the hash of other code",
            tool=record.name,
            found=record.hash,
            expected=content_hash(record.code),
            hint="report this",
        )


def _check_text(place: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RegistryError(
            "invalid_argument",
            "the text holds a lone surrogate, which is not a character",
            place=place,
            found=f"U+{ord(text[error.start]):04X} at position {error.start}",
            expected="Unicode text",
            hint="leave it out, or send both halves of the pair",
        ) from None


def search_words(query: str) -> list[str]:
    """The words that a tool must hold to match `query`."""
    if len(query) > _QUERY_LIMIT:
        raise out_of_range("query", f"{len(query)} characters", f"{_QUERY_LIMIT} characters at most")
    _check_text("query", query)
    words = query.casefold().split()
    if len(words) > _QUERY_WORDS:
        raise out_of_range("query", f"{len(words)} words", f"{_QUERY_WORDS} words at most")
    return words


def out_of_range(place: str, found: object, expected: str) -> RegistryError:
    """The error of a number or length."""
    return RegistryError(
        "invalid_argument",
        f"{place} is out of range",
        place=place,
        found=str(found),
        expected=expected,
        hint=f"pass {expected}",
    )
