"""The operations of a store, over the two things that each store does its own way: reading and writing.

A store says how a question is put to a connection (`_read`) and how a change is carried out in one transaction
(`_write`). Both may run what they are given again, after a connection was lost, so that it changes nothing else.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar

from pif.language.warnings import RoundedNumbers
from registry.records import (
    NAME_RULE,
    NO_EXAMPLES,
    NO_LAWS,
    TEAM_PREFIX,
    TEAM_RULE,
    ToolRecord,
    team_of,
)
from registry.store.failures import Place
from registry.store.following import Following
from registry.store.protocol import (
    PAGE_LIMIT,
    Adopted,
    Event,
    Evolved,
    Forgotten,
    Lineage,
    check_record,
    check_spelling,
    out_of_range,
    search_words,
)
from registry.store.sql.changes import Change, propose
from registry.store.sql.queries import has_erasable, last_sequence, record_at, unknown_tool
from registry.store.sql.rows import Rows

__all__ = ["GRACE", "PATIENCE", "SqlStore"]

T = TypeVar("T")

PATIENCE: Final = 10.0
"""Seconds a write waits for other processes."""

GRACE: Final = 3_600.0
"""Seconds between `forget` and erasing; longer than any run, whose snapshot may still need the code."""

_CODES: Final = (
    "FROM heads JOIN versions ON versions.name = heads.name AND versions.version = heads.current"
    " JOIN content ON content.hash = versions.hash"
)
"""The current tools with their code."""

_NAMED: Final = re.compile(rf'"((?:{TEAM_PREFIX}{TEAM_RULE}/)?{NAME_RULE})(?:@[0-9]+)?"')
"""A string in code that could be a tool's name, with or without a version."""

_AT_ONCE: Final = 500
"""Codes that `namings` looks at between two calls of `visit`: some milliseconds."""


class SqlStore(ABC):
    """What `registry.store.protocol.Store` asks for, where it is the same in every database."""

    _place: Place
    _grace: float
    _clock: Callable[[], float]

    @abstractmethod
    def _read(self, question: Callable[[Rows], T], *, together: bool = False) -> T:
        """The answer to a question; see `registry.store.sql.rows.Reading`."""

    @abstractmethod
    def _write(self, act: Callable[[Change], T], moment: str | None = None) -> T:
        """Carry out a change in one transaction: written and on disk when this returns, or undone.

        `moment`: the time of the change, where it is known already. What was forgotten before the grace period is erased with it.
        """

    def follow(self, told: Callable[[], None]) -> Following | None:
        """None: this store tells nobody; a database does."""
        return None

    def tidy(self) -> bool:
        """Erase some of what was forgotten before the grace period; False, and nothing is written, where there is no such thing."""
        before = self._moment(self._grace)
        if not self._read(lambda rows: has_erasable(rows, before)):
            return False
        self._write(lambda change: None)
        return True

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
        """Make `code` the current version of `name`; see `registry.store.protocol.Store.evolve`."""
        moment = self._moment()
        wanted = ToolRecord(
            name,
            0,
            description,
            code,
            hash,
            tuple(sorted(capabilities)),
            moment,
            examples,
            laws or NO_LAWS,
            rounded,
            python,
        )
        check_record(wanted)
        keep_laws = laws is None
        if dry_run:
            return self._read(
                lambda reader: propose(reader, self._place, wanted, expect_version, keep_laws=keep_laws),
                together=True,
            )

        def evolve(change: Change) -> Evolved:
            change.principal = principal
            change.certificates(certificates or {})
            return change.evolve(wanted, expect_version, keep_laws=keep_laws)

        return self._write(evolve, moment)

    def keep_laws(
        self,
        record: ToolRecord,
        laws: str,
        certificates: Mapping[str, str] | None = None,
        *,
        principal: str | None = None,
    ) -> bool:
        """Replace the laws of a version, if they are still those of `record`; see `registry.store.protocol.Store`."""
        check_spelling(record.name)

        def keep(change: Change) -> bool:
            change.principal = principal
            if not change.keep_laws(record, laws):
                return False
            change.certificates(certificates or {})
            return True

        return self._write(keep)

    def rollback(
        self, name: str, version: int, *, expect_version: int | None = None, principal: str | None = None
    ) -> ToolRecord:
        """Make a version that the name already has its current one."""
        check_spelling(name)

        def roll_back(change: Change) -> ToolRecord:
            change.principal = principal
            return change.rollback(name, version, expect_version)

        return self._write(roll_back)

    def forget(self, name: str, version: int | None = None, *, principal: str | None = None) -> Forgotten:
        """Stop resolving one version, or all of them; the name moves to its newest remaining version."""
        check_spelling(name)

        def forget(change: Change) -> Forgotten:
            change.principal = principal
            return change.forget(name, version)

        return self._write(forget)

    def certificate(self, hash: str) -> str | None:
        """The text of a certificate, or None where there is none of that hash."""
        statement = "SELECT certificate FROM certificates WHERE hash = ?"
        row = self._read(lambda reader: reader.execute(statement, (hash,)).fetchone())
        return None if row is None else str(row[0])

    def adopt(
        self,
        lineages: Sequence[Lineage],
        *,
        renumber: bool = False,
        certificates: Mapping[str, str] | None = None,
        expect: Mapping[str, int | None] = MappingProxyType({}),
        principal: str | None = None,
    ) -> tuple[Adopted, ...]:
        """Take in lineages from another store, all of them or none."""
        for lineage in lineages:
            for record in lineage.versions:
                check_record(record)

        def adopt(change: Change) -> tuple[Adopted, ...]:
            change.principal = principal
            change.expect_current(expect)
            change.certificates(certificates or {})
            return change.adopt(lineages, renumber=renumber)

        return self._write(adopt)

    def history(self, name: str) -> tuple[Event, ...]:
        """Everything that happened to the name, oldest first; also of a name that was forgotten."""
        check_spelling(name)

        def question(reader: Rows) -> tuple[Event, ...]:
            rows = reader.execute(
                "SELECT events.sequence, events.name, events.kind, events.version, events.current,"
                "       events.description, versions.hash, events.moment, events.principal"
                "  FROM events LEFT JOIN versions"
                "    ON versions.name = events.name AND versions.version = events.version"
                " WHERE events.name = ? ORDER BY events.sequence",
                (name,),
            ).fetchall()
            if not rows:
                raise unknown_tool(reader, name)
            return tuple(Event(*row) for row in rows)

        return self._read(question, together=True)

    def page(self, query: str = "", offset: int = 0, limit: int = 50) -> tuple[int, tuple[ToolRecord, ...]]:
        """How many current tools match, and the `limit` of them after `offset`."""
        words = search_words(query)
        if not 0 <= offset < 2**63:
            raise out_of_range("offset", offset, "0 or more")
        if not 1 <= limit <= PAGE_LIMIT:
            raise out_of_range("limit", limit, f"1 to {PAGE_LIMIT}")
        matching = "FROM heads WHERE current IS NOT NULL" + " AND instr(folded, ?) > 0" * len(words)

        def question(reader: Rows) -> tuple[int, tuple[ToolRecord, ...]]:
            # One walk through the heads, ranked here: quicker than counting and sorting in SQL.
            names = [name for (name,) in reader.execute(f"SELECT name {matching} ORDER BY name", words)]
            if words:
                names.sort(key=partial(_rank, " ".join(words)))
            chosen = names[offset : offset + limit]
            return len(names), self._records(reader, last_sequence(reader), chosen)

        return self._read(question, together=True)

    def naming(self, name: str) -> tuple[str, ...]:
        """The current tools in whose code that name stands as a string; what the code says by it is not looked at."""
        if not team_of(name):
            check_spelling(name)
        return self._holding(f'"{name}"', f'"{name}@')

    def naming_by_run(self) -> tuple[str, ...]:
        """The current tools whose code has a `code_of` of a term: of a name it is printed as a string."""
        return self._holding('"code_of":{', '"code_of":[')

    def _holding(self, *texts: str) -> tuple[str, ...]:
        """The current tools in whose code one of two texts stands."""
        statement = (
            f"SELECT heads.name {_CODES} WHERE instr(content.code, ?) > 0 OR instr(content.code, ?) > 0"
            " ORDER BY heads.name"
        )
        rows = self._read(lambda reader: reader.execute(statement, texts).fetchall())
        return tuple(found for (found,) in rows)

    def namings(self, visit: Callable[[int], None], *, prefix: str = "") -> dict[str, list[str]]:
        """`naming` of all tools, in one walk; see `registry.store.protocol.Store`."""

        def question(reader: Rows) -> dict[str, list[str]]:
            found: dict[str, list[str]] = {}
            heads = reader.execute("SELECT name FROM heads WHERE current IS NOT NULL")
            names = {prefix + name for (name,) in heads}
            rows = reader.execute(f"SELECT heads.name, content.code {_CODES} ORDER BY heads.name")
            while some := rows.fetchmany(_AT_ONCE):
                visit(len(some))
                for namer, code in some:
                    for named in {*_NAMED.findall(code)}:
                        if named in names or named.startswith(TEAM_PREFIX):
                            found.setdefault(named, []).append(namer)
            return found

        return self._read(question, together=True)

    def recent(self, limit: int) -> tuple[ToolRecord, ...]:
        """The tools last evolved, described, rolled back or imported, latest first."""
        if not 0 <= limit <= PAGE_LIMIT:
            raise out_of_range("limit", limit, f"0 to {PAGE_LIMIT}")

        def question(reader: Rows) -> tuple[ToolRecord, ...]:
            latest = "SELECT name FROM heads WHERE current IS NOT NULL ORDER BY changed DESC LIMIT ?"
            names = [name for (name,) in reader.execute(latest, (limit,))]
            return self._records(reader, last_sequence(reader), names)

        return self._read(question, together=True)

    def changed_since(self, sequence: int) -> tuple[str, ...]:
        """The names that something happened to after that event."""
        statement = "SELECT DISTINCT name FROM events WHERE sequence > ?"
        rows = self._read(lambda reader: reader.execute(statement, (sequence,)).fetchall())
        return tuple(name for (name,) in rows)

    def _records(self, reader: Rows, sequence: int, names: Sequence[str]) -> tuple[ToolRecord, ...]:
        records = (record_at(reader, self._place, sequence, name, None) for name in names)
        return tuple(record for record in records if record is not None)

    def _moment(self, ago: float = 0.0) -> str:
        """The time, or that of `ago` seconds earlier, as the store writes it; such texts sort as the moments they stand for."""
        then = datetime.fromtimestamp(self._clock() - ago, UTC)
        return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _rank(start: str, name: str) -> tuple[int, str]:
    """Where a match stands in a page: the name itself, names that start so, that hold it, the rest."""
    folded = name.lower()
    if folded == start:
        return 0, name
    if folded.startswith(start):
        return 1, name
    return (2 if start in folded else 3), name
