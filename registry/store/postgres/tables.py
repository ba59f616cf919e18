"""The tables in PostgreSQL, and how a schema comes to have them.

They are those of SQLite (`registry.store.sqlite.tables` says what each holds), with the names ordered by code point.
What there is besides:

- `migrations`: the numbered steps that the schema has been through
- `writes`: a mark of each recent write, by which a client whose connection was lost at COMMIT learns what became of it
- `sessions`, `theories`: theory sessions with the text that a file would have, and theories that they are saved as. A
  `revision` is made anew by every write; a `number` is greater than those of all earlier writes of theories
- `lean_jobs`: jobs of Aristotle, as the JSON texts that files would have
- `jobs`: jobs of running servers, with the last time that their server was seen
- `certified_verdicts`: certificates of verdicts by the digest of what was asked

A step is applied in one transaction, under the lock that all writers of the schema take (`LOCK`): of several programs
that start at once one migrates and the others find it done, and none writes meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from registry.errors import RegistryError

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["LOCK", "MIGRATIONS", "NEWEST", "check_schema", "newer_schema", "prepare"]

LOCK: Final = "SELECT pg_advisory_xact_lock(1346979412, hashtext(current_schema()))"
"""Keeps other writers of the schema out until the transaction ends. The first number is ASCII "PIFT"."""

NEWEST: Final = "SELECT max(number) FROM migrations"

_TOOLS: Final = (
    """CREATE TABLE events (
        sequence BIGINT PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('evolve', 'describe', 'rollback', 'forget', 'import')),
        version BIGINT,
        current BIGINT,
        description TEXT,
        moment TEXT COLLATE "C" NOT NULL
    )""",
    "CREATE INDEX events_by_name ON events (name, sequence)",
    "CREATE INDEX events_describing ON events (name, version, sequence) WHERE description IS NOT NULL",
    """CREATE TABLE content (
        hash TEXT COLLATE "C" PRIMARY KEY,
        code TEXT NOT NULL
    )""",
    """CREATE TABLE versions (
        name TEXT COLLATE "C" NOT NULL,
        version BIGINT NOT NULL CHECK (version > 0),
        hash TEXT COLLATE "C" REFERENCES content (hash),
        capabilities TEXT NOT NULL,
        created TEXT NOT NULL,
        evolved BIGINT NOT NULL REFERENCES events (sequence),
        forgotten BIGINT REFERENCES events (sequence),
        rounded TEXT,
        python TEXT,
        PRIMARY KEY (name, version),
        CHECK (hash IS NOT NULL OR forgotten IS NOT NULL)
    )""",
    "CREATE INDEX versions_by_hash ON versions (hash)",
    "CREATE INDEX versions_to_erase ON versions (forgotten) WHERE forgotten IS NOT NULL AND hash IS NOT NULL",
    """CREATE TABLE heads (
        name TEXT COLLATE "C" PRIMARY KEY,
        current BIGINT,
        latest BIGINT NOT NULL,
        changed BIGINT NOT NULL REFERENCES events (sequence),
        folded TEXT NOT NULL
    )""",
    "CREATE INDEX heads_by_change ON heads (changed) WHERE current IS NOT NULL",
    """CREATE TABLE examples (
        name TEXT COLLATE "C" NOT NULL,
        version BIGINT NOT NULL,
        since BIGINT NOT NULL REFERENCES events (sequence),
        examples TEXT NOT NULL,
        PRIMARY KEY (name, version, since),
        FOREIGN KEY (name, version) REFERENCES versions (name, version)
    )""",
    """CREATE TABLE laws (
        name TEXT COLLATE "C" NOT NULL,
        version BIGINT NOT NULL,
        since BIGINT NOT NULL REFERENCES events (sequence),
        laws TEXT NOT NULL,
        PRIMARY KEY (name, version, since),
        FOREIGN KEY (name, version) REFERENCES versions (name, version)
    )""",
    """CREATE TABLE certificates (
        hash TEXT COLLATE "C" PRIMARY KEY,
        certificate TEXT NOT NULL
    )""",
    """CREATE TABLE writes (
        token TEXT COLLATE "C" PRIMARY KEY,
        made TIMESTAMPTZ NOT NULL DEFAULT now()
    )""",
    "CREATE INDEX writes_by_time ON writes (made)",
)

_SHARED: Final = (
    """CREATE TABLE sessions (
        name TEXT COLLATE "C" PRIMARY KEY,
        revision TEXT NOT NULL,
        body TEXT NOT NULL,
        digest TEXT NOT NULL,
        changed TIMESTAMPTZ NOT NULL DEFAULT now()
    )""",
    """CREATE TABLE theories (
        name TEXT COLLATE "C" PRIMARY KEY,
        number BIGINT NOT NULL,
        body TEXT NOT NULL,
        digest TEXT NOT NULL
    )""",
    """CREATE TABLE lean_jobs (
        id TEXT COLLATE "C" PRIMARY KEY,
        created DOUBLE PRECISION NOT NULL,
        submission TEXT NOT NULL,
        record TEXT NOT NULL
    )""",
    """CREATE TABLE jobs (
        id TEXT COLLATE "C" PRIMARY KEY,
        client TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        begun TIMESTAMPTZ NOT NULL DEFAULT now(),
        seen TIMESTAMPTZ NOT NULL DEFAULT now(),
        ended TIMESTAMPTZ,
        status TEXT NOT NULL CHECK (status IN ('in_progress', 'done', 'cancelled')),
        message TEXT NOT NULL,
        answer TEXT,
        stopping BOOLEAN NOT NULL DEFAULT false
    )""",
    """CREATE TABLE certified_verdicts (
        question TEXT COLLATE "C" PRIMARY KEY,
        certificate TEXT NOT NULL,
        hash TEXT NOT NULL,
        attempts TEXT NOT NULL,
        made TIMESTAMPTZ NOT NULL DEFAULT now()
    )""",
    "CREATE INDEX certified_verdicts_by_time ON certified_verdicts (made)",
)

_PRINCIPAL: Final = ('ALTER TABLE events ADD COLUMN principal TEXT COLLATE "C"',)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_TOOLS, _SHARED, _PRINCIPAL)
"""The statements of each step; the first has the number 1. Released steps are never edited."""


def prepare(
    connection: Connection[Any], schema: str, shown: str, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring a new or older schema up to date, all steps or none; those of other programs and newer ones are errors."""
    if check_schema(connection, schema, shown, migrations, may_be_older=True) == len(migrations):
        return
    with connection.transaction():
        # Before the schema is there it is not the current one, so the lock is named by hand.
        connection.execute("SELECT pg_advisory_xact_lock(1346979412, hashtext(%s))", (schema,))
        # The catalogue is asked, not `to_regnamespace`, whose cache may not know what was made while the lock was awaited.
        if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone():
            connection.execute(f"CREATE SCHEMA {schema}")
        version = check_schema(connection, schema, shown, migrations, may_be_older=True)
        if version == 0:
            connection.execute(
                "CREATE TABLE migrations (number INTEGER PRIMARY KEY, program TEXT NOT NULL,"
                " applied TIMESTAMPTZ NOT NULL DEFAULT now())"
            )
        program = metadata.version("pif-kleis")
        for number, step in enumerate(migrations[version:], version + 1):
            for statement in step:
                connection.execute(statement)
            connection.execute("INSERT INTO migrations (number, program) VALUES (%s, %s)", (number, program))


def check_schema(
    connection: Connection[Any],
    schema: str,
    shown: str,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
    *,
    may_be_older: bool = False,
) -> int:
    """How many steps a schema has been through; an error where this program cannot work with it."""
    found = connection.execute("SHOW server_encoding").fetchone()
    if found != ("UTF8",):
        raise RegistryError(
            "store_error",
            "the database cannot hold every text",
            file=shown,
            found=f"encoding {found[0] if found else 'unknown'}",
            expected="encoding UTF8",
            hint="make a database for the tools: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0",
        )
    tables = (
        "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
        " WHERE nspname = %s AND relkind IN ('r', 'v', 'm', 'p')"
    )
    names = {name for (name,) in connection.execute(tables, (schema,))}
    if "migrations" not in names:
        if names:
            raise RegistryError(
                "store_error",
                "the schema holds tables of some other program",
                file=shown,
                found=", ".join(sorted(names)[:5]),
                expected=f"an empty schema, or none named {schema!r}",
                hint="choose another schema at the end of the URL: ?schema=NAME",
            )
        if not may_be_older:
            raise _older(0, len(migrations), shown)
        return 0
    version = int((connection.execute(NEWEST).fetchone() or (0,))[0] or 0)
    if version > len(migrations):
        raise newer_schema(version, len(migrations), shown)
    if version < len(migrations) and not may_be_older:
        raise _older(version, len(migrations), shown)
    return version


def newer_schema(version: int, known: int, shown: str) -> RegistryError:
    """The schema was migrated by a newer program."""
    return RegistryError(
        "store_error",
        "the store was written by a newer version of this program; nothing was changed",
        file=shown,
        found=f"schema {version}",
        expected=f"schema {known} or older",
        hint="update this program, or choose another store with --store",
    )


def _older(version: int, known: int, shown: str) -> RegistryError:
    return RegistryError(
        "store_error",
        "the store was written by an older version of this program, and reading it does not change it"
        if version
        else "there is no store to read",
        file=shown,
        found=f"schema {version}",
        expected=f"schema {known}",
        hint="open it once without --read-only",
    )
