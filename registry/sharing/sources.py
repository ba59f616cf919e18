"""Where a publication is read from: a directory, or a web server that may lie, stall or pour (docs/reference/registry.md §3.1).

A source is asked for two kinds of names only, the root's and hashes: nothing that a publication says becomes a part of a path. What
comes is bounded before it is decoded, and an object is used only if its bytes have the hash that it was asked for by.

Over the web: `https` anywhere, `http` too, since what is read is signed and hashed; see `web` for the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from registry.errors import RegistryError
from registry.sharing.manifest import MANIFEST, MANIFEST_LIMIT, object_hash, untrue
from registry.sharing.web import Web, host_of, too_large, unreachable
from registry.store.exchange.directory import ExchangeDirectory

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "DirectorySource",
    "Source",
    "WebSource",
    "bounded",
    "hashed",
]


class Source(Protocol):
    """A publication somewhere."""

    @property
    def place(self) -> str:
        """Where it is, without what is secret."""
        ...

    @property
    def stream(self) -> str:
        """What its roots are signed for (`manifest.STREAMS`)."""
        ...

    def root(self) -> bytes:
        """The file of the root. Raises `invalid_argument`, `store_error`."""
        ...

    def ahead(self, hashes: Sequence[str]) -> None:
        """Told which objects are asked for next, so that one that answers in pages can fetch them together. Raises as `root`."""
        ...

    def object(self, hash_: str, limit: int) -> bytes:
        """The object with that hash, of at most `limit` bytes. Raises as `root`."""
        ...

    def close(self) -> None:
        """Let go of connections and descriptors."""
        ...


class DirectorySource:
    """A directory that `pif publish` wrote. No link in it is followed."""

    stream = ""

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        self._root = ExchangeDirectory(path)
        try:
            self._objects = ExchangeDirectory(Path("objects"), inside=self._root)
        except BaseException:
            self._root.__exit__(None, None, None)
            raise

    def root(self) -> bytes:
        content = self._root.read(MANIFEST)
        if content is None:
            raise _no_publication(self.place)
        return bounded(content, MANIFEST_LIMIT, f"{self.place}/{MANIFEST}")

    def ahead(self, hashes: Sequence[str]) -> None:
        """Files are read one by one."""

    def object(self, hash_: str, limit: int) -> bytes:
        place = f"{self.place}/objects/{hash_}.json"
        content = self._objects.read(f"{hash_}.json")
        if content is None:
            raise untrue(place, "an object is missing that the publication says it has", "nothing", hash_)
        return hashed(bounded(content, limit, place), hash_, place)

    def close(self) -> None:
        self._objects.__exit__(None, None, None)
        self._root.__exit__(None, None, None)


class WebSource:
    """A publication behind a web server."""

    stream = ""

    def __init__(self, address: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        host_of(address, what="a publication", place="from", example="https://example.org/tools/")
        self.place = address.rstrip("/")
        self._web = Web({}, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def root(self) -> bytes:
        return self._read(MANIFEST, MANIFEST_LIMIT)

    def ahead(self, hashes: Sequence[str]) -> None:
        """Files are read one by one."""

    def object(self, hash_: str, limit: int) -> bytes:
        name = f"objects/{hash_}.json"
        return hashed(self._read(name, limit), hash_, f"{self.place}/{name}")

    def close(self) -> None:
        self._web.close()

    def _read(self, name: str, limit: int) -> bytes:
        place = f"{self.place}/{name}"

        def check(response: httpx2.Response) -> None:
            if response.status_code == 404 and name == MANIFEST:
                raise _no_publication(place)
            if response.status_code != 200 and not 300 <= response.status_code < 400:
                raise unreachable(place, f"status {response.status_code}")

        return self._web.ask("GET", place, limit, check, again=True)


def hashed(content: bytes, hash_: str, place: str) -> bytes:
    """The bytes of an object; raises `invalid_argument` where they have another hash than they were asked for by."""
    found = object_hash(content)
    if found != hash_:
        raise untrue(place, "an object has another hash than it was asked for by", found, hash_)
    return content


def bounded(content: bytes, limit: int, place: str) -> bytes:
    """The bytes of a file; raises `invalid_argument` where there are too many."""
    if len(content) > limit:
        raise too_large(place, limit)
    return content


def _no_publication(place: str) -> RegistryError:
    return RegistryError(
        "invalid_argument", "there is no publication", file=place, found=f"no {MANIFEST}",
        expected="a directory that `pif publish` wrote", hint="check the address",
    )  # fmt: skip
