"""Errors of PostgreSQL and of the way to it as `store_error`, with what to do about them.

What became of a change is said in each: an error that the database sent means that the transaction was undone. Only a
connection that is lost while COMMIT is under way leaves it open, and `transactions` asks the database again before it
says so.
"""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from registry.errors import RegistryError
from registry.store.failures import closed

__all__ = ["as_registry_error", "is_lost", "may_be_retried", "not_known", "unreachable"]

_RETRIED: Final = ("40001", "40P01")
"""Serialisation failures and deadlocks: the transaction was undone and may succeed the next time."""

_LOST: Final = ("57P01", "57P02", "57P03", "57P05", "25P03")
"""Ends of a session that the server announces: shutdown, crash of another backend, not ready, idle for too long."""

_OF_THE_POOL: Final = (PoolClosed, PoolTimeout, psycopg.errors.PipelineAborted)
"""What the driver raises without having asked the database; all are operational errors to it."""

_ADVICE: Final[dict[str, tuple[str, str]]] = {
    "55P03": (
        "another process has been writing to the store for too long",
        "try again; see pg_stat_activity",
    ),
    "57014": (
        "the database took too long over a statement",
        "try again; the URL can allow more: ?options=-c%20statement_timeout%3D120s",
    ),
    "25006": (
        "the database can only be read",
        "it is a replica, or set to be read-only: name the primary, or serve with --read-only",
    ),
    "53100": ("the disk of the database is full", "free some space there, then try again"),
    "53200": ("the database ran out of memory", "try again later"),
    "53300": ("the database has too many connections", "raise max_connections there, or use fewer servers"),
    "42501": (
        "the user of the database may not do this",
        "grant it the rights, or name another user in the URL",
    ),
    "28P01": ("the database did not accept the password", "put it into ~/.pgpass or PGPASSWORD"),
    "28000": ("the database does not let this user in", "look at the user in the URL, and at pg_hba.conf"),
    "3D000": ("there is no such database", "make it: createdb NAME"),
    "42P01": ("the tables of the store are gone", "restore the database from a backup"),
    "3F000": ("the schema of the store is gone", "restore the database from a backup"),
    "XX001": ("the database is damaged", "restore it from a backup"),
    "XX002": ("the database is damaged", "rebuild its indexes (REINDEX), or restore it from a backup"),
    "54000": ("the text is too large for the store", "store a smaller tool"),
}


def is_lost(error: BaseException) -> bool:
    """Whether an error means that the connection is gone, whatever was going on."""
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, _OF_THE_POOL):
        return False
    code = error.sqlstate
    return code is None or code in _LOST or code.startswith("08")


def may_be_retried(error: psycopg.Error) -> bool:
    """Whether the database has undone the transaction for the sake of another one."""
    return error.sqlstate in _RETRIED


def as_registry_error(error: Exception, shown: str) -> RegistryError:
    """What an error of the driver means to the caller."""
    if isinstance(error, PoolClosed):
        return closed(shown)
    if isinstance(error, PoolTimeout) or is_lost(error):
        return unreachable(error, shown)
    code = getattr(error, "sqlstate", None) or type(error).__name__
    text = _first_line(error)
    if code in _RETRIED:
        return RegistryError(
            "store_error",
            "the database undid the change again and again for the sake of others; nothing was changed",
            file=shown,
            found=f"{code}: {text}",
            hint="try again later",
        )
    if code not in _ADVICE:
        return RegistryError(
            "internal",
            f"the tool store failed in a way it should not: {text}",
            file=shown,
            found=code,
            hint="report this; `pif doctor` checks the store",
        )
    message, hint = _ADVICE[code]
    return RegistryError(
        "store_error", f"{message}; nothing was changed", file=shown, found=f"{code}: {text}", hint=hint
    )


def unreachable(error: BaseException | None, shown: str) -> RegistryError:
    """No connection to the database, or none that lasts."""
    return RegistryError(
        "store_error",
        "the database does not answer; nothing was changed",
        file=shown,
        found=_first_line(error) if error is not None else None,
        hint="see that it runs and can be reached from here, then try again",
    )


def not_known(error: BaseException, shown: str) -> RegistryError:
    """The connection was lost at COMMIT, and nobody could be asked what became of it."""
    return RegistryError(
        "store_error",
        "the connection to the database was lost while the change was written; whether it was kept is not known",
        file=shown,
        found=_first_line(error),
        hint="read the tool back before you try again",
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
