"""Saved theories that sessions of several owners share: by names such as ``team/ops/groups``, which mean the same for each of them.

Invariants
    * What a shared theory imports is beside it, or of the library: never what the one who loads it has saved.
    * Rights are asked for at each search, and of what is kept at each use: who may not read a shared place any more is answered
      as if it were not there.
    * A shared theory says in its first line who saved it and when, in words that no session can put there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypedDict

from kleis.errors import LoadError
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.storage import plain_name
from kleis.spelling import nearest
from kleis.theory.import_search import ImportSearch

__all__ = [
    "NOTHING_SHARED",
    "Saved",
    "SharedSearch",
    "SharedTheories",
    "names_in",
    "place_to_save",
    "savings",
    "shared_title",
]

_SUFFIX = ".kleis"

_TITLE = re.compile(r"// Theory saved from the session \S+ by (\S+) at (\S+Z)\.")
_LONGEST_TITLE = 500
"""Characters; the name of a session has 64, that of who saves 240."""


class Saved(TypedDict):
    """Who saved a shared theory, and when (UTC)."""

    name: str
    by: str
    at: str


class SharedTheories(Protocol):
    """The shared places that one owner of sessions may use now: directories by what names in them begin with, without the last ``/``."""

    def readable(self) -> Mapping[str, Path]:
        """Those whose theories may be imported."""
        ...

    def writable(self) -> Mapping[str, Path]:
        """Those in which theories may be saved."""
        ...

    def saver(self) -> str:
        """The name by which the others know this owner; it has no blank."""
        ...


class _Nothing:
    def readable(self) -> Mapping[str, Path]:
        return {}

    def writable(self) -> Mapping[str, Path]:
        return {}

    def saver(self) -> str:
        return "nobody"


NOTHING_SHARED = _Nothing()


class SharedSearch(ImportSearch, frozen=True, kw_only=True):
    """A search that finds shared theories by their names, and for them what is beside them or of the library."""

    readable: Callable[[], Mapping[str, Path]]

    def find(self, wanted: str, directory: Path) -> Path:
        """See `ImportSearch.find`."""
        places = self.readable()
        prefix, _, plain = wanted.rpartition("/")
        if prefix in places:
            return self._shared(wanted, plain, places[prefix])
        here = next((each for each in places.values() if each.resolve() == directory.resolve()), None)
        if here is not None:
            return self._beside(here).find(wanted, directory)
        return super().find(wanted, directory)

    def prefix_of(self, path: Path) -> str | None:
        """What the name of a shared theory begins with; None for another file."""
        return next(
            (prefix for prefix, each in self.readable().items() if path.parent == each.resolve()), None
        )

    def _beside(self, here: Path) -> ImportSearch:
        library = self.library
        return ImportSearch((), None, library, (here,) if library is None else (here, library))

    def _shared(self, wanted: str, plain: str, here: Path) -> Path:
        stem = plain.removesuffix(_SUFFIX)
        try:
            plain_name(stem, what="the name of a shared theory", code="save-name")
            return self._beside(here).admit(here / f"{stem}{_SUFFIX}")
        except (FileNotFoundError, SessionError):
            close = nearest(stem, names_in(here), limit=3)
            hint = f"did you mean {' or '.join(close)}?" if close else "save_theory saves one there"
            raise LoadError(
                f'there is no shared theory "{wanted[:120]}"', code="import-missing", found=wanted, hint=hint
            ) from None


def names_in(directory: Path) -> list[str]:
    """The names of the theories that are saved in a directory."""
    try:
        found = os.listdir(directory)
    except OSError:
        return []
    return sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX))


def shared_title(session: str, saver: str) -> str:
    """The title of a theory that is saved in a shared place now."""
    moment = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return f"Theory saved from the session {session} by {saver} at {moment}."


def savings(shared: SharedTheories, names: Iterable[str]) -> list[Saved]:
    """Who saved those of some theories that are shared. One that came there another way says nothing."""
    places, found = shared.readable(), list[Saved]()
    for name in names:
        prefix, _, plain = name.removesuffix(_SUFFIX).rpartition("/")
        title = _first_line(places[prefix] / f"{plain}{_SUFFIX}") if prefix in places else ""
        if said := _TITLE.fullmatch(title):
            found.append({"name": f"{prefix}/{plain}", "by": said[1], "at": said[2]})
    return found


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(_LONGEST_TITLE).removesuffix("\n")
    except OSError:
        return ""


def place_to_save(shared: SharedTheories, prefix: str) -> Path:
    """The directory of a shared place in which theories may be saved. Raises `SessionError`."""
    found = shared.writable().get(prefix)
    if found is not None:
        return found
    readable = shared.readable()
    if prefix in readable:
        raise SessionError(
            f"you may load the theories of {prefix} and not save any there", code="save-refused", found=prefix[:80],
            hint="save it under a plain name, for yourself",
        )  # fmt: skip
    raise SessionError(
        f"there is no place {prefix[:80]} to save theories in", code="save-name", found=prefix[:80],
        expected=(*readable,) or ("a plain name",), hint="a plain name, such as groups, saves it for yourself",
    )  # fmt: skip
