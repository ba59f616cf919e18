"""Which files the server may read and write: those below the allowed roots.  See docs/reference/lean.md §8.6.

Invariants
----------
- Without a root nothing may be read or written.
- The real path is judged, and judged again on the open file: a link that is put in between is rejected.
- A write never replaces anything: the text is written and synchronised beside, then linked to the first free name.
- No message has a path that the caller did not give.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

__all__ = ["LAKE_FILES", "LONGEST_FILE", "Folders", "PathNotAllowed", "ProjectFile"]

LONGEST_FILE = 10_000_000
"""Bytes of a file that is sent."""

LARGEST_PROJECT = 20_000_000
MOST_FILES = 500
"""What a Lake project that goes along may be; the rest stays here, and the answer says so."""

LAKE_FILES = ("lakefile.toml", "lakefile.lean")
_SENT_BESIDE = (*LAKE_FILES, "lean-toolchain", "lake-manifest.json")
_NUMBERS = 1_000
_LONGEST_PATH, _LONGEST_NAME = 4_000, 240

PathCode = Literal["path_refused", "not_found", "already_exists", "too_large", "not_a_file", "unwritable"]


class PathNotAllowed(Exception):
    """A path that may not be used, or that is not what it should be."""

    def __init__(self, code: PathCode, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code: PathCode = code
        self.message = message
        self.hint = hint


class ProjectFile(msgspec.Struct, frozen=True):
    """A file with the files of its Lake project: `name` is its path in that folder."""

    path: Path
    name: str
    text: str
    files: dict[str, str]
    left_out: int


class Folders:
    """The allowed roots."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(Path(os.path.realpath(root)) for root in roots)

    def real(self, given: str) -> Path:
        """The real path that a text means, if it may be used at all; what it names need not exist.

        A relative path counts from the first root.
        """
        if not self._roots:
            raise PathNotAllowed(
                "path_refused",
                "this server may use no files",
                "start it with --root DIR (repeatable) to allow a directory",
            )
        names = given.replace("\\", "/").split("/")
        too_long = len(given) > _LONGEST_PATH or any(len(name.encode()) > _LONGEST_NAME for name in names)
        if "\0" in given or not given.strip() or too_long:
            raise PathNotAllowed("path_refused", "this is no path of a file")
        real = Path(os.path.realpath(self._roots[0] / given))
        self._check(real)
        return real

    def _check(self, real: Path) -> None:
        if not any(real.is_relative_to(root) for root in self._roots):
            raise PathNotAllowed(
                "path_refused",
                "the path leads out of the directories that this server may use",
                "use a path below a directory given with --root; links are followed before that is judged",
            )

    def read(self, given: str, longest: int = LONGEST_FILE) -> tuple[Path, str]:
        """The real path and the text of a file."""
        real = self.real(given)
        return real, self._text(real, longest)

    def _text(self, real: Path, longest: int) -> str:
        """The text of a file by its real path; checks on the open file that it was not replaced."""
        try:
            descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise PathNotAllowed("not_found", "the file was not found") from error
        except OSError as error:
            raise PathNotAllowed("not_a_file", "the file cannot be opened") from error
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise PathNotAllowed("not_a_file", "this is a directory or a device, not a file")
        with os.fdopen(descriptor, "rb") as file:
            again = Path(os.path.realpath(real))
            self._check(again)
            if again != real or not os.path.samestat(status, os.stat(again)):
                raise PathNotAllowed("path_refused", "the file was replaced while it was opened")
            if status.st_size > longest:
                message = f"the file's size is {status.st_size:,} bytes; {longest:,} are allowed"
                raise PathNotAllowed("too_large", message)
            data = file.read(longest + 1)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PathNotAllowed("not_a_file", "the file is no UTF-8 text") from error

    def project(self, given: str) -> ProjectFile:
        """A Lean file with its Lake project: the nearest folder above it, inside the roots, that has a lakefile."""
        real, text = self.read(given)
        top = next((folder for folder in real.parents if self._is_lake(folder)), None)
        if top is None:
            return ProjectFile(real, real.name, text, {real.name: text}, 0)
        name = real.relative_to(top).as_posix()
        files, left_out = self._along(top, name, text)
        return ProjectFile(real, name, text, files, left_out)

    def _is_lake(self, folder: Path) -> bool:
        inside = any(folder.is_relative_to(root) for root in self._roots)
        return inside and any((folder / name).is_file() for name in LAKE_FILES)

    def _along(self, top: Path, name: str, text: str) -> tuple[dict[str, str], int]:
        """The project's Lean and Lake files, up to the limits; links and hidden folders stay."""
        files = {name: text}
        left_out, size = 0, len(text)
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            for each in sorted(names):
                path = Path(folder, each)
                is_ours = each.endswith(".lean") or (folder == str(top) and each in _SENT_BESIDE)
                relative = path.relative_to(top).as_posix()
                if not is_ours or path.is_symlink() or relative in files:
                    continue
                size += path.stat().st_size
                if len(files) >= MOST_FILES or size > LARGEST_PROJECT:
                    left_out += 1
                    continue
                files[relative] = self._text(Path(os.path.realpath(path)), LONGEST_FILE)
        return files, left_out

    def output(self, given: str) -> Path:
        """The real path of a file that is to be written and is not there yet."""
        real = self.real(given)
        if real.exists():
            raise PathNotAllowed(
                "already_exists", "the output file already exists", "give another output_path"
            )
        if not real.parent.is_dir():
            raise PathNotAllowed("not_found", "the folder of the output file was not found")
        return real

    def write_new(self, target: Path, text: str) -> Path:
        """Write a text to `target`, or where that is taken to ``stem.1.ext``, ``stem.2.ext`` …; the path taken."""
        folder = Path(os.path.realpath(target.parent))
        self._check(folder)
        if not folder.is_dir():
            raise PathNotAllowed("not_found", "the folder of the output file was not found")
        beside = folder / f".{target.name[:80]}.{secrets.token_hex(8)}"
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            return self._linked(beside, folder, target)
        except OSError as error:
            raise PathNotAllowed("unwritable", "the output file cannot be written") from error
        finally:
            beside.unlink(missing_ok=True)

    def _linked(self, beside: Path, folder: Path, target: Path) -> Path:
        for number in range(_NUMBERS + 1):
            name = target.name if number == 0 else f"{target.stem}.{number}{target.suffix}"
            try:
                os.link(beside, folder / name)
            except FileExistsError:
                continue
            return folder / name
        raise PathNotAllowed(
            "already_exists", f"the output file already exists, and {_NUMBERS} numbered ones"
        )
