"""What a push has brought so far, before any of it is judged (docs/reference/registry.md §3.1).

`sharing/incoming` in the home holds objects by their hashes, which are computed here. So a page that comes twice is the same,
and a push that was cut off goes on where it was. Nothing reads them but the arrival of a root that names them; all are
removed when that is done, and when others are too many.
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

__all__ = ["Staged", "Wanted", "staged_objects"]

_INCOMING: Final = "incoming"
_OBJECTS: Final = 40_000
_BYTES: Final = 256 * 1024 * 1024
"""What waits of all pushes into one home."""


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
        self._folder = _folder(home)

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


def staged_objects(home: Path, texts: Sequence[str], place: str) -> int:
    """Keep objects until they are asked for; how many. Raises `invalid_argument`, `store_error`."""
    from kleis.durable_files import write_whole

    contents = []
    for text in texts:
        try:
            contents.append(bounded(text.encode(), OBJECT_LIMIT, place))
        except UnicodeEncodeError:
            raise RegistryError(
                "invalid_argument", "an object is no Unicode text", place="objects", expected="text"
            ) from None
    folder = _folder(home)
    with store_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sizes = [each.stat().st_size for each in folder.iterdir()]
        if len(sizes) + len(contents) > _OBJECTS or sum(sizes) + sum(map(len, contents)) > _BYTES:
            for each in folder.iterdir():
                each.unlink(missing_ok=True)
        for content in contents:
            write_whole(folder / object_hash(content), content, durable=False)
    return len(contents)


def _folder(home: Path) -> Path:
    return home / FOLDER / _INCOMING
