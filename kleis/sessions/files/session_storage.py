"""Where the texts of sessions and saved theories are: a protocol, and the directories of a home.

A session is a text under a name, with a revision that every write makes anew.  Whoever writes says which revision the work
began from; where another one is there by now nothing is written.  So of two writers that meet one repeats its work, also
where they are on two machines (docs/reference/registry.md §12.9).

Invariants, of every storage
    * A reader sees a text as it was before a write or as it is after it; a write that raised has changed nothing, unless
      its message says that this is not known.
    * Two texts never have one revision of a name.
    * Errors are `SessionError`; every call may come from any thread.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.storage import (
    Signature,
    locked,
    make_directory,
    plain_name,
    read_whole,
    signature_of,
    write_whole,
)

__all__ = ["FILE_NAME", "DirectoryStorage", "SessionStorage", "check_replacing", "theory_exists"]

FILE_NAME = "session.kleis"


class SessionStorage(Protocol):
    """Sessions by name, and theories that they are saved as."""

    def place(self, name: str) -> str:
        """Where a session is or would be, for people.  `session-name` for what is no name."""
        ...

    def names(self) -> list[str]:
        """The sessions that are there, in order."""
        ...

    def revision(self, name: str) -> Hashable:
        """The revision of a session; None if there is none."""
        ...

    def read(self, name: str) -> tuple[bytes, Hashable] | None:
        """The text of a session with its revision; None if there is none."""
        ...

    def write(self, name: str, body: bytes, before: Hashable) -> Hashable:
        """Make `body` the text of a session whose revision is still `before` (None: that is not there yet).

        The new revision; None, and nothing is written, where somebody else wrote meanwhile.
        """
        ...

    def replace(self, name: str, body: bytes) -> Hashable:
        """Make `body` the text of a session, whatever is there.  The new revision."""
        ...

    def update_saved(self) -> None:
        """Bring the saved theories that others wrote to where they are imported from."""
        ...

    def saved(self, name: str) -> bool:
        """Whether a theory of this name is saved."""
        ...

    def save(self, name: str, body: bytes, *, overwrite: bool) -> Path:
        """Keep a theory under a name; the file that it is imported from.  `save-exists` without `overwrite`."""
        ...

    def renew(self, name: str, body: bytes, before: bytes) -> bool:
        """Make `body` the text of a saved theory that is still `before`; False, and nothing is written, where it is not."""
        ...


class DirectoryStorage:
    """A directory of sessions, one folder each, and a directory of saved theories.  See `SessionStorage`."""

    def __init__(self, workspace: Path, saved: Path) -> None:
        self._workspace = workspace
        self._saved = saved

    def file(self, name: str) -> Path:
        """The file of a session."""
        directory = self._workspace / plain_name(name, what="a session", code="session-name")
        if directory.is_symlink():
            raise SessionError(
                "the session cannot be read: it is a link, not a directory",
                code="session-broken",
                file=str(directory),
                hint="mend the file, or begin anew with load_theory",
            )
        return directory / FILE_NAME

    def place(self, name: str) -> str:
        """The path of a session's file."""
        return str(self.file(name))

    def names(self) -> list[str]:
        """The folders that hold a session's file."""
        try:
            found = os.listdir(self._workspace)
        except OSError:
            return []
        return sorted(name for name in found if (self._workspace / name / FILE_NAME).is_file())

    def revision(self, name: str) -> Signature | None:
        """The signature of the file."""
        return signature_of(self.file(name))

    def read(self, name: str) -> tuple[bytes, Signature] | None:
        """The bytes of the file."""
        return read_whole(self.file(name))

    def write(self, name: str, body: bytes, before: Hashable) -> Signature | None:
        """Replace the file under the lock of its folder."""
        with self._writing(name):
            if self.revision(name) != before:
                return None
            return write_whole(self.file(name), body)

    def replace(self, name: str, body: bytes) -> Signature:
        """Replace the file, whatever it holds."""
        with self._writing(name):
            return write_whole(self.file(name), body)

    def _writing(self, name: str) -> AbstractContextManager[None]:
        directory = self.file(name).parent
        make_directory(directory)
        return locked(directory)

    def update_saved(self) -> None:
        """Nothing: the files are what is imported."""

    def saved(self, name: str) -> bool:
        """Whether the file is there."""
        return (self._saved / f"{name}.kleis").is_file()

    def save(self, name: str, body: bytes, *, overwrite: bool) -> Path:
        """Write the file."""
        target = self._saved / f"{name}.kleis"
        make_directory(self._saved)
        with locked(self._saved):
            check_replacing(target, overwrite)
            write_whole(target, body)
        return target

    def renew(self, name: str, body: bytes, before: bytes) -> bool:
        """Replace the file."""
        target = self._saved / f"{name}.kleis"
        with locked(self._saved):
            there = read_whole(target)
            if there is None or there[0] != before:
                return False
            write_whole(target, body)
        return True


def check_replacing(target: Path, overwrite: bool) -> None:
    """Raise `SessionError` unless the target is free, or a saved theory that may be replaced."""
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise SessionError(
            f"{target.name} is there and no plain file",
            code="save-refused",
            found=target.stem,
            hint="choose another name",
        )
    if target.exists() and not overwrite:
        raise theory_exists(target.stem)


def theory_exists(name: str) -> SessionError:
    """The error of a saved theory that is not to be replaced."""
    return SessionError(
        f"there is a saved theory {name} already",
        code="save-exists",
        found=name,
        hint="choose another name, or pass overwrite: true",
    )
