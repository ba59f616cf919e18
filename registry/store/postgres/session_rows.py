"""Theory sessions as rows of a database: `kleis.sessions.files.session_storage.SessionStorage` for several machines.

A row has the text that the file of a home would have. A write is a transaction of the store (`transactions`), which
compares the revision under the lock of writers, so that of two machines that submit at once one does its work again.

Saved theories are rows too. What a session imports is read from files, so each server keeps copies of them in a directory
of its own home, which are written before anything is imported and when another server has saved something. Nothing else is
kept there; what stands in a row and has the name of no file is left out.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import TypeVar

from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.session_storage import theory_exists
from kleis.sessions.files.storage import (
    MAXIMUM_SIZE,
    locked,
    make_directory,
    plain_name,
    read_whole,
    write_whole,
)
from registry.errors import RegistryError
from registry.store.postgres.connections import Connections
from registry.store.postgres.transactions import Transactions
from registry.store.sql.rows import Rows

__all__ = ["SessionRows", "changed_texts", "digest_of_text", "put_session", "put_theory"]

T = TypeVar("T")


class SessionRows:
    """The sessions of one schema. See `SessionStorage`."""

    def __init__(self, connections: Connections, transactions: Transactions, copies: Path) -> None:
        """`copies`: the directory of this server's copies of saved theories."""
        self.copies = copies
        self._connections = connections
        self._transactions = transactions
        self._lock = threading.Lock()
        self._copied = 0  # the greatest number of a theory that is here

    def place(self, name: str) -> str:
        """The session in the words of an error: its name and the database."""
        return f"session {_checked(name)} in {self._connections.shown}"

    def names(self) -> list[str]:
        """The names of the rows."""
        rows = self._ask(lambda reader: reader.execute("SELECT name FROM sessions ORDER BY name").fetchall())
        return [name for (name,) in rows]

    def revision(self, name: str) -> Hashable:
        """The revision of the row."""
        statement = "SELECT revision FROM sessions WHERE name = ?"
        row = self._ask(lambda reader: reader.execute(statement, (_checked(name),)).fetchone())
        return None if row is None else str(row[0])

    def read(self, name: str) -> tuple[bytes, Hashable] | None:
        """The text of the row. `session-broken` where it is not what was written."""
        statement = "SELECT revision, digest, body FROM sessions WHERE name = ?"
        row = self._ask(lambda reader: reader.execute(statement, (_checked(name),)).fetchone())
        if row is None:
            return None
        if digest_of_text(row[2]) != row[1]:
            raise SessionError(
                "the session cannot be read: its text is not the one that was written",
                code="session-broken",
                file=self.place(name),
                hint="restore the database from a backup, or begin anew with load_theory",
            )
        return row[2].encode(), str(row[0])

    def write(self, name: str, body: bytes, before: Hashable) -> Hashable:
        """Replace the text if its revision is still `before`."""
        text = _text(body, _checked(name))

        def act(rows: Rows) -> str | None:
            row = rows.execute("SELECT revision FROM sessions WHERE name = ?", (name,)).fetchone()
            if (None if row is None else row[0]) != before:
                return None
            return put_session(rows, name, text)

        return self._change(act)

    def replace(self, name: str, body: bytes) -> Hashable:
        """Replace the text."""
        text = _text(body, _checked(name))
        return self._change(lambda rows: put_session(rows, name, text))

    def update_saved(self) -> None:
        """Write copies of the theories that were saved since the last look."""
        newest = "SELECT coalesce(max(number), 0) FROM theories"
        if self._ask(lambda reader: reader.execute(newest).fetchone())[0] <= self._copied:
            return
        with self._lock:
            changed = "SELECT name, number, digest, body FROM theories WHERE number > ? ORDER BY number"
            for name, number, digest, body in self._ask(
                lambda reader: reader.execute(changed, (self._copied,)).fetchall()
            ):
                if digest_of_text(body) == digest:
                    self._copy(name, body.encode())
                self._copied = max(self._copied, number)

    def _copy(self, name: str, body: bytes) -> None:
        try:
            target = self.copies / f"{plain_name(name, what='a saved theory', code='save-name')}.kleis"
        except SessionError:
            return  # no program of ours wrote that name, and it shall not lead to another directory
        make_directory(self.copies)
        with locked(self.copies):
            there = read_whole(target)
            if there is None or there[0] != body:
                write_whole(target, body)

    def saved(self, name: str) -> bool:
        """Whether there is such a row."""
        statement = "SELECT 1 FROM theories WHERE name = ?"
        return self._ask(lambda reader: reader.execute(statement, (name,)).fetchone()) is not None

    def save(self, name: str, body: bytes, *, overwrite: bool) -> Path:
        """Write the row; the path of the copy."""
        text = _text(body, name)

        def act(rows: Rows) -> bool:
            there = rows.execute("SELECT 1 FROM theories WHERE name = ?", (name,)).fetchone()
            if there is not None and not overwrite:
                return False
            put_theory(rows, name, text)
            return True

        if not self._change(act):
            raise theory_exists(name)
        self.update_saved()
        return self.copies / f"{name}.kleis"

    def renew(self, name: str, body: bytes, before: bytes) -> bool:
        """Replace the row."""
        text = _text(body, name)

        def act(rows: Rows) -> bool:
            there = rows.execute("SELECT body FROM theories WHERE name = ?", (name,)).fetchone()
            if there is None or there[0].encode() != before:
                return False
            put_theory(rows, name, text)
            return True

        replaced = self._change(act)
        self.update_saved()
        return replaced

    def _ask(self, question: Callable[[Rows], T]) -> T:
        try:
            return self._connections.ask(question)
        except RegistryError as error:
            raise _session_error(error, "session-unreadable") from error

    def _change(self, act: Callable[[Rows], T]) -> T:
        try:
            return self._transactions.run(act)
        except RegistryError as error:
            raise _session_error(error, "session-unwritable") from error


def digest_of_text(text: str) -> str:
    """The SHA-256 that stands beside a text, by which a copy is compared with what was written."""
    return hashlib.sha256(text.encode()).hexdigest()


def changed_texts(rows: Rows) -> Iterator[str]:
    """What is wrong with the texts of sessions and saved theories, as texts. Reads them all."""
    for table, what in (("sessions", "session"), ("theories", "saved theory")):
        answer = rows.execute(f"SELECT name, body, digest FROM {table} ORDER BY name")
        while some := answer.fetchmany(20):
            for name, body, digest in some:
                if digest_of_text(body) != digest:
                    yield f"the text of the {what} {name} is not the one that was written"


def put_session(rows: Rows, name: str, text: str) -> str:
    """Write a session's row, inside a transaction. The new revision."""
    revision = secrets.token_hex(16)
    rows.execute(
        "INSERT INTO sessions (name, revision, body, digest) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE"
        " SET revision = excluded.revision, body = excluded.body, digest = excluded.digest, changed = now()",
        (name, revision, text, digest_of_text(text)),
    )
    return revision


def put_theory(rows: Rows, name: str, text: str) -> None:
    """Write a saved theory's row, inside a transaction that holds the lock of writers."""
    rows.execute(
        "INSERT INTO theories (name, number, body, digest)"
        " SELECT ?, coalesce(max(number), 0) + 1, ?, ? FROM theories ON CONFLICT (name) DO UPDATE"
        " SET number = excluded.number, body = excluded.body, digest = excluded.digest",
        (name, text, digest_of_text(text)),
    )


def _checked(name: str) -> str:
    return plain_name(name, what="a session", code="session-name")


def _text(body: bytes, name: str) -> str:
    """The text of a session, as a row can hold it."""
    why = f"it is longer than {MAXIMUM_SIZE} bytes" if len(body) > MAXIMUM_SIZE else ""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        why = "it is no Unicode text"
    if why:
        raise SessionError(
            f"{name} cannot be written: {why}; nothing was kept",
            code="session-unwritable",
            found=name,
            hint="save_theory keeps what there is, for a new session to import",
        )
    return text


def _session_error(error: RegistryError, code: str) -> SessionError:
    """What an error of the store means to somebody who works in a session."""
    is_busy = (error.found or "").startswith("55P03")
    return SessionError(
        f"the sessions cannot be used: {error.message}",
        code="session-busy" if is_busy else code,
        file=error.file or "",
        found=error.found or "",
        hint=error.hint or "",
    )
