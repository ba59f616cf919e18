"""The URL of a database: read, completed with what every connection is set to, and shown without its password.

`postgresql://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` is what libpq reads, several hosts and all its parameters
included (`?host=a,b&target_session_attrs=read-write`), and `schema`, which is ours: the schema that holds the tables.
The password is better kept in `~/.pgpass` or `PGPASSWORD`, which libpq reads as well.
"""

from __future__ import annotations

import hashlib
import re
from importlib import import_module
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import msgspec

from registry.errors import RegistryError

__all__ = [
    "SCHEMA",
    "Address",
    "beside",
    "check_driver",
    "is_address",
    "of_principal",
    "of_team",
    "principal_part",
    "read_address",
    "without_password",
]

SCHEMA: Final = "pif"
"""The schema of the tables, where the URL names none."""

STATEMENT_SECONDS: Final = 30
"""Seconds that one statement may take, where the URL does not say (`options=-c statement_timeout=…`)."""

IDLE_SECONDS: Final = 60
"""Seconds after which the database ends a transaction that nothing is asked in: a stopped process keeps no lock."""

_SCHEMES: Final = ("postgresql", "postgres")
_SCHEMA_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SECRETS: Final = ("password", "sslpassword")
_DEFAULTS: Final = {
    "application_name": "pif",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",  # milliseconds: a machine that has gone is noticed while a call waits
}


class Address(msgspec.Struct, frozen=True):
    """A database: what libpq is given, the schema of the tables, and the URL as errors show it."""

    connection: str
    schema: str
    shown: str


def is_address(text: str) -> bool:
    """Whether a text is meant as the URL of a database, not as a directory."""
    return text.partition("://")[0].lower() in _SCHEMES and "://" in text


def read_address(url: str, *, patience: float, read_only: bool = False) -> Address:
    """The database that a URL names. Nothing is connected. `patience`: seconds that a lock is waited for.

    Raises RegistryError: `invalid_argument` for what is no such URL, `store_error` where the driver is missing.
    """
    shown = without_password(url)
    schema, plain = _schema_of(url, shown)
    check_driver(shown)
    from psycopg import ProgrammingError, conninfo

    try:
        given = {
            key: str(value) for key, value in conninfo.conninfo_to_dict(plain).items() if value is not None
        }
    except (ProgrammingError, ValueError) as error:
        raise _no_address(shown, without_password(str(error).strip(), url)) from None
    settings = [
        f"-c statement_timeout={STATEMENT_SECONDS}s",
        f"-c lock_timeout={max(1, round(patience * 1_000))}ms",
        f"-c idle_in_transaction_session_timeout={IDLE_SECONDS}s",
        given.get("options", ""),
        f"-c search_path={schema}",
        f"-c default_transaction_read_only={'on' if read_only else 'off'}",
        "-c default_transaction_isolation=read\\ committed",
    ]
    options = " ".join(each for each in settings if each)
    complete = {**_DEFAULTS, **given, "options": options, "client_encoding": "utf8"}
    return Address(conninfo.make_conninfo("", **complete), schema, shown)


def of_principal(url: str, name: str) -> str:
    """The URL of the same database with the schema of another principal: each has tables that no other reads.

    Raises RegistryError where the schema's name would be too long.
    """
    return beside(url, f"__{principal_part(name)}")


def principal_part(name: str) -> str:
    """A principal's name in that of its schema.

    `name` is spelled by `registry.access.principals.NAME_RULE`, so that no two principals have one schema; the name of a
    subject of an authorization server has dots, may be longer than a schema's, and is a hash there, longer than any name by
    that rule.
    """
    short = f"oauth_{hashlib.sha256(name.encode()).hexdigest()[:40]}" if "." in name else name
    return short.replace("-", "_")


def of_team(url: str, team: str) -> str:
    """The URL of the same database with the schema of a team. A principal's name starts with a letter, so no schema is both.

    `team` is spelled by `registry.records.TEAM_RULE`. Raises RegistryError where the schema's name would be too long.
    """
    return beside(url, f"__0{team.replace('-', '_')}")


def beside(url: str, more: str) -> str:
    """The URL of the same database with a schema whose name goes on with `more`."""
    schema, plain = _schema_of(url, without_password(url))
    parts = urlsplit(plain)
    own = schema + more
    query = urlencode([*_query(parts.query), ("schema", own)], quote_via=quote)
    made = urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))
    _schema_of(made, without_password(made))
    return made


def check_driver(shown: str) -> None:
    """Raises RegistryError that names the extra where the driver cannot be used."""
    try:
        for each in ("psycopg", "psycopg_pool"):
            import_module(each)
    except ImportError as error:
        raise RegistryError(
            "store_error",
            "a store in PostgreSQL needs the driver, which is not installed or cannot be loaded",
            place="--store",
            file=shown or None,
            found=str(error),
            expected="psycopg 3 with its pool",
            hint="install the extra: pip install 'pif-kleis[postgres]'; without --store the tools are in the home",
        ) from error


def without_password(text: str, url: str = "") -> str:
    """A URL without its passwords; or, with `url`, a text that may hold that URL's passwords, without them."""
    if url:
        for secret in _secrets_of(url):
            text = text.replace(secret, "***")
        return text
    try:
        parts = urlsplit(text)
        user, at, hosts = parts.netloc.rpartition("@")
        user = user.partition(":")[0]
        query = urlencode(
            [(key, value) for key, value in _query(parts.query) if key not in _SECRETS], safe="/,"
        )
        return urlunsplit((parts.scheme, user + at + hosts, parts.path, query, ""))
    except ValueError:
        return f"{text.partition('://')[0]}://…"


def _secrets_of(url: str) -> list[str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    password = parts.netloc.rpartition("@")[0].partition(":")[2]
    found = [password, *(value for key, value in _query(parts.query) if key in _SECRETS)]
    return [form for each in found if each for form in (each, quote(each))]


def _schema_of(url: str, shown: str) -> tuple[str, str]:
    """The schema that a URL names, and the URL without it."""
    if not is_address(url):
        raise _no_address(shown, "it does not start with postgresql://")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _no_address(shown, str(error)) from None
    query = _query(parts.query)
    schema = next((value for key, value in query if key == "schema"), SCHEMA)
    if not _SCHEMA_NAME.fullmatch(schema) or schema.startswith("pg_"):
        raise RegistryError(
            "invalid_argument",
            "the schema in the URL of the store cannot be used",
            place="--store",
            found=ascii(schema[:80]),
            expected="lower-case letters, digits and '_', not 'pg_' in front",
            hint=f"leave schema out: it is {SCHEMA!r} then",
        )
    if schema == SCHEMA and not any(key == "schema" for key, _ in query):
        return schema, url
    left = urlencode([(key, value) for key, value in query if key != "schema"], quote_via=quote)
    return schema, urlunsplit((parts.scheme, parts.netloc, parts.path, left, ""))


def _query(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)


def _no_address(shown: str, why: str) -> RegistryError:
    return RegistryError(
        "invalid_argument",
        f"that is no URL of a database: {why}",
        place="--store",
        found=shown[:200],
        expected="postgresql://USER@HOST:PORT/DATABASE",
        hint="for example --store postgresql://pif@db.example.org/tools; without --store the tools are in the home",
    )
