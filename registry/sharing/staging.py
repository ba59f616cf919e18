"""What a push has brought so far, before any of it is judged (docs/reference/registry.md §3.1).

`sharing/incoming/ROOT` in the home holds the objects of one push by their hashes, which are computed here; ROOT is the hash of its root. So a
page that comes twice is the same, a push that was cut off goes on where it was, and none takes away what another has brought.
Nothing reads them but the arrival of that root; they are removed when that is done. Where others need the room, those of the push
that has waited longest go first.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from registry.errors import RegistryError
from registry.sharing.keys import FOLDER
from registry.sharing.manifest import MANIFEST_LIMIT, OBJECT_LIMIT, object_hash
from registry.sharing.sources import bounded, hashed
from registry.store.failures import store_errors

__all__ = ["Staged", "Wanted"]

_INCOMING: Final = "incoming"
_OBJECTS: Final = 40_000
_BYTES: Final = 256 * 1024 * 1024
"""What waits of all pushes into one home; no push may have more."""


class Wanted(Exception):
    """Objects that have to come before it goes on."""

    def __init__(self, hashes: list[str]) -> None:
        super().__init__(f"{len(hashes)} objects")
        self.hashes = hashes


class Staged:
    """A root that was pushed, with the objects that have come: a source like others."""

    stream = "push"

    def __init__(self, home: Path, place: str, file: bytes) -> None:
        """`file` is the root as it came; `place` is who brought it."""
        self.place = place
        self._file = bounded(file, MANIFEST_LIMIT, place)
        self._folder = home / FOLDER / _INCOMING / object_hash(file)

    def root(self) -> bytes:
        return self._file

    def ahead(self, hashes: Sequence[str]) -> None:
        """Raises `Wanted` for those that have not come."""
        missing = [each for each in dict.fromkeys(hashes) if not (self._folder / each).is_file()]
        if missing:
            raise Wanted(missing)

    def object(self, hash_: str, limit: int) -> bytes:
        with store_errors(self._folder):
            try:
                with (self._folder / hash_).open("rb") as file:
                    content = file.read(limit + 1)
            except FileNotFoundError:
                raise Wanted([hash_]) from None
        return hashed(bounded(content, limit, self.place), hash_, self.place)

    def clear(self) -> None:
        """Remove all that has come."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        """Nothing is held."""

    def add(self, texts: Sequence[str]) -> int:
        """Keep objects until they are asked for; how many. Raises `invalid_argument`, `store_error`."""
        from kleis.durable_files import write_whole

        contents = [self._content(each) for each in texts]
        with store_errors(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(len(contents), sum(map(len, contents)))
            for content in contents:
                write_whole(self._folder / object_hash(content), content, durable=False)
        return len(contents)

    def _content(self, text: str) -> bytes:
        try:
            return bounded(text.encode(), OBJECT_LIMIT, self.place)
        except UnicodeEncodeError:
            raise RegistryError(
                "invalid_argument", "an object is no Unicode text", place="objects", expected="text"
            ) from None

    def _make_room(self, objects: int, size: int) -> None:
        """Remove what other pushes have brought, until these objects have room. Raises `invalid_argument` where they are too many by themselves."""
        others = [each for each in self._folder.parent.iterdir() if each != self._folder]
        others.sort(key=_last_written)
        taken = [_taken(each) for each in (*others, self._folder)]
        while (
            sum(row[0] for row in taken) + objects > _OBJECTS or sum(row[1] for row in taken) + size > _BYTES
        ):
            if not others:
                raise RegistryError(
                    "invalid_argument", "a push has too much at once", place="objects", found=f"{objects + taken[0][0]} objects",
                    expected=f"{_OBJECTS} objects and {_BYTES} bytes at most", hint="push fewer tools or theories at a time",
                )  # fmt: skip
            shutil.rmtree(others.pop(0), ignore_errors=True)
            del taken[0]


def _taken(folder: Path) -> tuple[int, int]:
    """How many objects there are, and how many bytes."""
    try:
        sizes = [each.stat().st_size for each in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):  # that push is done by now, or it is none
        return 0, 0
    return len(sizes), sum(sizes)


def _last_written(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0
