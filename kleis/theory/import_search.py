"""Where imported files are looked for, and which files may be read at all.

See docs/reference/kleis.md §5.1: one resolver everywhere.  An absolute path is taken as it is; any other is tried
beside the importing file, then in the search path: the directories of ``--path``, ``KLEIS_ROOT``, the project's root,
the packaged library.  The first regular file wins.

Two rules keep existing programs running.  ``stdlib/x.kleis`` means x.kleis in the packaged library; and a path
like ``../../stdlib/x.kleis`` that leads nowhere is looked for as ``stdlib/x.kleis``.  ``.kleis`` may be left out.

Invariants
    * Only regular files whose real name ends in ``.kleis`` are imported: a link to another kind of file, a device
      or a pipe is rejected, never opened for reading.
    * ``..`` counts from the importing file only; it never leads out of a directory of the search path.
    * A confined search answers with files below the given roots only, after links are resolved.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from kleis.errors import LoadError
from kleis.spelling import nearest

__all__ = ["MAXIMUM_FILE_SIZE", "ImportSearch", "packaged_library", "read_text", "search_from"]

MAXIMUM_FILE_SIZE = 16 * 1024 * 1024
"""The longest file that is read, in bytes."""

_MARKERS = ("kleis.toml", ".git", "pyproject.toml", "stdlib")
_HIGHEST = 32
_LISTED = 2000
_LONGEST_PATH = 4000


class ImportSearch(msgspec.Struct, frozen=True):
    """The search path.  `confined_to`: None reads anywhere; else only below these directories."""

    path: tuple[Path, ...] = ()
    root: Path | None = None
    library: Path | None = None
    confined_to: tuple[Path, ...] | None = None

    def find(self, wanted: str, directory: Path) -> Path:
        """The real path of the file that ``import "wanted"`` means in a file of `directory`.

        Raises `LoadError` without a place (codes `import-missing`, `import-refused`); the caller adds it.
        """
        if problem := _unusable(wanted):
            raise LoadError(
                f'cannot import "{_shown(wanted)}": {problem}', code="import-refused", found=wanted
            )
        rejected: LoadError | None = None
        for candidate in self._candidates(wanted, directory):
            try:
                return self.admit(candidate)
            except FileNotFoundError:
                continue
            except LoadError as error:
                rejected = rejected or error
        raise rejected or self._missing(wanted, directory)

    def admit(self, candidate: Path) -> Path:
        """The real path of a file that may be imported; `FileNotFoundError` if there is none."""
        try:
            real = candidate.resolve(strict=True)
            status = real.stat()
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, PermissionError):
                raise LoadError(f"{candidate} may not be read", code="import-refused") from error
            raise FileNotFoundError(str(candidate)) from error
        if stat.S_ISDIR(status.st_mode):
            raise FileNotFoundError(str(candidate))
        if not stat.S_ISREG(status.st_mode):
            raise LoadError(f"{candidate} is not a regular file", code="import-refused")
        if real.suffix != ".kleis":
            raise LoadError(
                f"{candidate} is not a Kleis file: its real name is {real.name}",
                code="import-refused",
                hint="imported files end in .kleis",
            )
        if self.confined_to is not None and not any(
            real.is_relative_to(allowed.resolve()) for allowed in self.confined_to
        ):
            raise LoadError(
                f"{candidate} lies outside the directories that may be read",
                code="import-refused",
                hint="import from the project or the library",
            )
        return real

    def directories(self, directory: Path) -> Iterator[Path]:
        """The search path as seen from a file of `directory`, without the library."""
        yield from self.path
        if self.root is not None:
            yield self.root
        project = _project_root(directory)
        if project is not None:
            yield project

    def _candidates(self, wanted: str, directory: Path) -> Iterator[Path]:
        spellings = [wanted] if wanted.endswith(".kleis") else [wanted, wanted + ".kleis"]
        for spelling in spellings:
            yield directory / spelling
        if PurePosixPath(wanted).is_absolute():
            return
        for spelling in spellings:
            inside = _without_ascent(spelling)
            if inside is None:
                continue
            for place in self.directories(directory):
                yield place / inside
            if self.library is not None:
                if inside.parts[:1] == ("stdlib",):
                    yield self.library / PurePosixPath(*inside.parts[1:])
                yield self.library / inside

    def _missing(self, wanted: str, directory: Path) -> LoadError:
        places = list(dict.fromkeys([(directory / wanted).parent, *self.directories(directory)]))
        name = PurePosixPath(wanted).name
        near = nearest(_with_suffix(name), self._neighbours(places), limit=3)
        looked = ", ".join(str(place) for place in places)
        library = " and the library" if self.library is not None else ""
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        return LoadError(
            f'there is no file "{_shown(wanted)}" to import',
            code="import-missing",
            found=wanted,
            hint=f"{hint}looked in {looked}{library}",
        )

    def _neighbours(self, places: list[Path]) -> set[str]:
        """The names of the Kleis files that could have been meant."""
        found: set[str] = set()
        for place in places:
            found.update(_listed(place))
        if self.library is not None:
            for folder, _, names in os.walk(self.library):
                found.update(name for name in names[:_LISTED] if name.endswith(".kleis"))
                if len(found) > _LISTED or Path(folder) != self.library:
                    break
        return found


def search_from(
    environment: Mapping[str, str],
    *,
    path: tuple[Path, ...] = (),
    confined_to: tuple[Path, ...] | None = None,
) -> ImportSearch:
    """The search of a process: `path` before ``KLEIS_ROOT`` of its environment, and the packaged library."""
    root = environment.get("KLEIS_ROOT")
    return ImportSearch(path, Path(root) if root else None, packaged_library(), confined_to)


def packaged_library() -> Path | None:
    """The directory of the library that ships with the package (in a checkout: stdlib/kleis)."""
    package = Path(__file__).resolve().parent.parent
    for directory in (package / "stdlib", package.parent / "stdlib" / "kleis"):
        if directory.is_dir():
            return directory
    return None


def read_text(path: Path, *, shown: str) -> str:
    """The text of a regular file; `LoadError` (codes `file-missing`, `file-refused`, `file-encoding`)."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise LoadError(f"{shown} is not a regular file", code="file-refused", file=shown)
            raw = file.read(MAXIMUM_FILE_SIZE + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(path, shown, error) from error
    if len(raw) > MAXIMUM_FILE_SIZE:
        raise LoadError(f"{shown} is longer than {MAXIMUM_FILE_SIZE} bytes", code="file-refused", file=shown)
    return decode_text(raw, shown=shown)


def decode_text(raw: bytes, *, shown: str) -> str:
    """UTF-8 bytes as text, without a byte order mark; `LoadError` with the place of what is no UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        raise LoadError(
            f"the byte {raw[error.start]:#04x} is no UTF-8",
            code="file-encoding",
            file=shown,
            line=line,
            column=len(before) - (before.rfind("\n") + 1) + 1,
            hint="save the file as UTF-8",
        ) from error


def _unreadable(path: Path, shown: str, error: OSError | ValueError) -> LoadError:
    if isinstance(error, FileNotFoundError):
        near = nearest(path.name, _listed(path.parent))
        return LoadError(
            f"there is no file {shown}",
            code="file-missing",
            file=shown,
            hint=f"did you mean {' or '.join(near)}?" if near else "",
        )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return LoadError(f"{shown} cannot be read: {reason}", code="file-refused", file=shown)


def _unusable(wanted: str) -> str:
    """Why a text cannot be the path of an import; empty if it can."""
    if not wanted.strip():
        return "the path is empty"
    if "\0" in wanted or "\n" in wanted:
        return "the path has a character that no path has"
    if "://" in wanted:
        return "imports are files, not addresses"
    if len(wanted) > _LONGEST_PATH:
        return "the path is too long"
    return ""


def _shown(wanted: str) -> str:
    text = wanted.encode("unicode_escape").decode() if not wanted.isprintable() else wanted
    return text if len(text) <= 120 else text[:117] + "…"


def _with_suffix(name: str) -> str:
    return name if name.endswith(".kleis") else name + ".kleis"


def _without_ascent(spelling: str) -> PurePosixPath | None:
    """The path below a directory of the search path, or None if it would lead out of it.

    Leading ``..`` are dropped before ``stdlib``: other layouts keep their library elsewhere.
    """
    parts = [part for part in PurePosixPath(spelling).parts if part != "."]
    ascents = 0
    while ascents < len(parts) and parts[ascents] == "..":
        ascents += 1
    rest = parts[ascents:]
    if not rest or ".." in rest or (ascents and rest[0] != "stdlib"):
        return None
    return PurePosixPath(*rest)


def _project_root(directory: Path) -> Path | None:
    """The nearest directory above with a marker of a project."""
    here = Path(os.path.abspath(directory))
    for candidate in [here, *here.parents][:_HIGHEST]:
        if any((candidate / marker).exists() for marker in _MARKERS):
            return candidate
    return None


def _listed(directory: Path) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for _, entry in zip(range(_LISTED), entries, strict=False)]
    except (OSError, ValueError):
        return []
    return [name for name in names if name.endswith(".kleis")]
