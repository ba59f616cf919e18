"""The tool store: names, their versions, and snapshots that do not move (pif-language.md §4, "Versions").

`Store` is what the rest of the product knows; `sqlite.SqliteStore(home)` is the one that ships, `exchange` moves
tools between stores as directories of JSON files. What a caller may rely on:

- Versions count from 1 for each name and are never used twice, not even after `forget`.
- Evolving the code that is current changes at most its description, and adds to its examples. Any other code makes a new version, also code
  that an older version already had.
- `forget` of the current version moves the name to its newest remaining version; with none left the name is free.
  Forgotten code stops resolving at once for new snapshots and is erased later, when no run can still need it.
- A `Snapshot` answers the same for ever, whatever is written meanwhile by whichever process.
- A call that returned has been written and synchronised to disk; a call that raised has changed nothing, unless its
  message says that this is not known.

Every refusal is a `registry.errors.RegistryError`. All calls may come from any thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from registry.records import NO_EXAMPLES, ToolRecord

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
]

DESCRIPTION_LIMIT = 8_192
"""Code points a description may have."""

PAGE_LIMIT = 1_000
"""Records one `page` may hold."""

Outcome = Literal["created", "new_version", "description", "examples", "laws", "unchanged"]
"""What `evolve` did: the name was free, its code changed, its description did, only examples were added, only
the laws changed, nothing."""

EventKind = Literal["evolve", "describe", "rollback", "forget", "import"]


class Event(msgspec.Struct, frozen=True):
    """One entry of the log. `version` is the one it is about (None: `forget` of the whole name), `current` the one
    the name stood for afterwards (None: none). `hash` is that of `version`'s code, None once it is erased."""

    sequence: int
    name: str
    kind: EventKind
    version: int | None
    current: int | None
    description: str | None
    hash: str | None
    moment: str


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
        expect_version: int | None = None,
        dry_run: bool = False,
    ) -> Evolved:
        """Make `code` (canonical text, with its `content_hash`) the current version of `name`.

        `examples` is the JSON text of what it was seen to give; for code that is current they are added to its own.
        `laws` are the laws of the version (None: those it has; a new one has none), `certificates` the texts of their
        certificates by hash.

        `expect_version` n: refused (`version_conflict`) unless n is current; 0: unless the name is free.
        `dry_run`: the same answer and the same refusals, and nothing is kept.
        """
        ...

    def rollback(self, name: str, version: int, *, expect_version: int | None = None) -> ToolRecord:
        """Make a version that the name already has its current one."""
        ...

    def forget(self, name: str, version: int | None = None) -> Forgotten:
        """Stop resolving one version, or all of them."""
        ...

    def history(self, name: str) -> tuple[Event, ...]:
        """Everything that happened to the name, oldest first."""
        ...

    def naming(self, name: str) -> tuple[ToolRecord, ...]:
        """The current tools in whose code that name stands as a string, with or without a version, by code point."""
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

    def certificate(self, hash: str) -> str | None:
        """The text of a certificate, or None where there is none of that hash."""
        ...

    def adopt(
        self,
        lineages: Sequence[Lineage],
        *,
        renumber: bool = False,
        certificates: Mapping[str, str] | None = None,
    ) -> tuple[Adopted, ...]:
        """Take in lineages from another store, all of them or none.

        A version keeps its number, so that `name@version` goes on meaning the same code. What is here already is
        left alone. A number that stands for other code here, or was given up, is a `version_conflict`; with
        `renumber` such a version and those after it get new numbers instead. A name that gained a version moves to
        the lineage's current one.
        """
        ...

    def backup(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a complete copy to one file, while others go on reading and writing."""
        ...

    def check(self) -> tuple[str, ...]:
        """Everything that is wrong with what is stored, in words; empty where all is well. Reads it all."""
        ...

    def close(self) -> None:
        """Let go of all files. Calling it again does nothing; any other call afterwards is refused."""
        ...
