"""Saved theories that sessions of several owners share: by names such as ``team/ops/groups``, which mean the same for each of them.

Invariants
    * What a shared theory imports is beside it, or of the library: never what the one who loads it has saved.
    * Rights are asked for at each search, and of what is kept at each use: who may not read a shared place any more is answered
      as if it were not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from kleis.errors import LoadError
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.storage import plain_name
from kleis.spelling import nearest
from kleis.theory.import_search import ImportSearch

__all__ = ["NOTHING_SHARED", "SharedSearch", "SharedTheories", "names_in", "place_to_save"]

_SUFFIX = ".kleis"


class SharedTheories(Protocol):
    """The shared places that one owner of sessions may use now: directories by what names in them begin with, without the last ``/``."""

    def readable(self) -> Mapping[str, Path]:
        """Those whose theories may be imported."""
        ...

    def writable(self) -> Mapping[str, Path]:
        """Those in which theories may be saved."""
        ...


class _Nothing:
    def readable(self) -> Mapping[str, Path]:
        return {}

    def writable(self) -> Mapping[str, Path]:
        return {}


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
