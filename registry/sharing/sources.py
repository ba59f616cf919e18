"""Where a publication is read from: a directory, or a web server that may lie, stall or pour (docs/reference/registry.md §3.1).

A source is asked for two kinds of names only, the root's and hashes: nothing that a publication says becomes a part of a path. What
comes is bounded before it is decoded, and an object is used only if its bytes have the hash that it was asked for by.

Over the web: `https` anywhere, `http` too, since what is read is signed and hashed; no redirect is followed, so that an address
which its owner chose leads nowhere else, neither to another host nor to a file nor into a private network; no content
encoding is accepted, so that nothing grows when it is unpacked; each file has a deadline, however slowly it drips.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self
from urllib.parse import urlsplit

from registry.errors import RegistryError
from registry.sharing.manifest import MANIFEST, MANIFEST_LIMIT, object_hash, untrue
from registry.store.exchange.directory import ExchangeDirectory

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "DirectorySource",
    "Source",
    "WebSource",
    "bounded",
    "hashed",
    "too_large",
    "unreachable",
]

_CONNECT: Final = 10.0
_EACH: Final = 60.0
"""Seconds for a connection, and for one file."""


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
        import httpx2

        parts = urlsplit(address)
        if not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
            raise RegistryError(
                "invalid_argument", "that is no address of a publication", place="from", found=ascii(address[:80]),
                expected="https://HOST/DIRECTORY/, without a user, a question mark or a #", hint="for example https://example.org/tools/",
            )  # fmt: skip
        self.place = address.rstrip("/")
        self._clock = clock
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(_EACH, connect=_CONNECT), follow_redirects=False,
            headers={"accept-encoding": "identity", "user-agent": "pif-kleis"},
        )  # fmt: skip

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
        self._client.close()

    def _read(self, name: str, limit: int) -> bytes:
        import httpx2

        place = f"{self.place}/{name}"
        until = self._clock() + _EACH
        try:
            try:
                return self._asked(place, limit, until)
            except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
                # Web servers close kept connections when they like, and may while a request is on its way. Asking twice
                # changes nothing there; one that also ends the second connection is away.
                return self._asked(place, limit, until)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            raise unreachable(place, str(error) or type(error).__name__) from error

    def _asked(self, place: str, limit: int, until: float) -> bytes:
        with self._client.stream("GET", place) as response:
            _check_head(response, place, limit)
            content = bytearray()
            for part in response.iter_raw():
                content += part
                if len(content) > limit:
                    raise too_large(place, limit)
                if self._clock() > until:
                    raise unreachable(place, f"it took more than {_EACH:.0f} seconds")
            return bytes(content)


def _check_head(response: httpx2.Response, place: str, limit: int) -> None:
    """Refuse what is not the file itself, before a byte of it is read."""
    status = response.status_code
    if 300 <= status < 400:
        raise RegistryError(
            "invalid_argument", "nothing was taken in: the server sends elsewhere, and no redirect is followed", file=place,
            found=ascii(response.headers.get("location", "no address")[:100])[1:-1], expected="the file itself",
            hint="if you trust that address, pull from it",
        )  # fmt: skip
    if status == 404 and place.endswith(MANIFEST):
        raise _no_publication(place)
    if status != 200:
        raise unreachable(place, f"status {status}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        found = response.headers["content-encoding"]
        raise untrue(
            place, "the server sends it packed, though it was asked not to", found, "the bytes themselves"
        )
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and (len(length) > 12 or int(length) > limit):
        raise too_large(place, limit)


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


def too_large(place: str, limit: int) -> RegistryError:
    """The error of more bytes than there may be."""
    return untrue(place, "a file is larger than one may be", f"more than {limit} bytes", f"{limit} at most")


def _no_publication(place: str) -> RegistryError:
    return RegistryError(
        "invalid_argument", "there is no publication", file=place, found=f"no {MANIFEST}",
        expected="a directory that `pif publish` wrote", hint="check the address",
    )  # fmt: skip


def unreachable(place: str, why: str) -> RegistryError:
    """The error of a source that does not answer, or stops."""
    return RegistryError(
        "store_error", "the source cannot be read; nothing was taken in", file=place, found=ascii(why[:200])[1:-1],
        hint="Repeat the command when it can be reached, or pull from a mirror: what is here already is not asked for again.",
    )  # fmt: skip
