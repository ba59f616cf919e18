"""What servers on several machines share besides tools, where their store is a database: theory sessions and jobs.

A home keeps these in files of its own, so for a store in a home there is nothing here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from registry.store.protocol import Store

if TYPE_CHECKING:
    from kleis.prover.kept_certificates import CertificateFiles, CertificateStorage
    from registry.store.job_board import JobBoard
    from registry.store.postgres.locked_rows import LockedRows
    from registry.store.postgres.postgres_store import PostgresStore
    from registry.store.postgres.session_rows import SessionRows

__all__ = [
    "certificate_files",
    "certificate_storage",
    "database_of",
    "job_board",
    "locked_rows",
    "session_rows",
    "usage",
]

COPIES = "database"
"""The folder of a home for copies of what is kept in databases."""


def database_of(store: Store) -> PostgresStore | None:
    """The store, where it is a database; None for the one in a home."""
    if not hasattr(store, "transactions"):  # the driver is loaded for a database only
        return None
    from registry.store.postgres.postgres_store import PostgresStore

    return store if isinstance(store, PostgresStore) else None


def session_rows(store: Store, home: Path) -> SessionRows | None:
    """The theory sessions of a database, with copies of saved theories in `home`; None where sessions are files."""
    database = database_of(store)
    if database is None:
        return None
    from registry.store.postgres.session_rows import SessionRows

    place = hashlib.sha256(database.connections.shown.encode()).hexdigest()[:16]
    return SessionRows(database.connections, database.transactions, home / COPIES / place / "theories")


def locked_rows(store: Store) -> LockedRows | None:
    """The rows of a database that have locks; None where there is none."""
    database = database_of(store)
    if database is None:
        return None
    from registry.store.postgres.locked_rows import LockedRows

    return LockedRows(database.address, database.connections, database.transactions)


def job_board(store: Store) -> JobBoard | None:
    """The jobs of the servers over a database; None where there is none."""
    database = database_of(store)
    if database is None:
        return None
    from registry.store.postgres.job_board_rows import JobBoardRows

    return JobBoardRows(database.connections, database.transactions)


def certificate_storage(store: Store, home: Path) -> CertificateStorage:
    """Where certificates of verdicts are shared: in a database, else as `certificate_files`."""
    database = database_of(store)
    if database is None:
        return certificate_files(home)
    from registry.store.postgres.certificate_rows import CertificateRows

    return CertificateRows(database.connections, database.transactions)


def certificate_files(home: Path) -> CertificateFiles:
    """The certificates that a home got from a database, with theories that were pulled, or of questions."""
    from kleis.prover.kept_certificates import CERTIFICATES, CertificateFiles

    return CertificateFiles(home / CERTIFICATES)


def usage(store: Store) -> tuple[int, frozenset[str]]:
    """The bytes of all texts in a database, and the names of its theory sessions; nothing of a store in a home."""
    database = database_of(store)
    if database is None:
        return 0, frozenset()
    from registry.store.postgres.usage import sessions_and_bytes

    return database.connections.ask(sessions_and_bytes)
