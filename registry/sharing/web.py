"""Requests to somebody's web server, which may lie, stall or pour (docs/reference/registry.md §3.1).

No redirect is followed, so that an address leads nowhere but to itself: to no other host, no file, no private network. No content
encoding is accepted, so that nothing grows when it is unpacked. An answer is bounded before it is held, and has a deadline however slowly
it drips.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from registry.errors import RegistryError
from registry.sharing.manifest import untrue

if TYPE_CHECKING:
    import httpx2

__all__ = ["Web", "host_of", "too_large", "unreachable"]

_CONNECT: Final = 10.0
_EACH: Final = 60.0
"""Seconds for a connection, and for one answer."""

_TRIES: Final = 3
"""How often a request that changes nothing is made: on a kept connection, on another, and on one that a busy server ends."""


def host_of(address: str, *, what: str, place: str, example: str) -> str:
    """The host of an address. Raises `invalid_argument` for one that has no host, or has a user, a question mark or a #."""
    parts = urlsplit(address)
    if not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
        raise RegistryError(
            "invalid_argument", f"that is no address of {what}", place=place, found=ascii(address[:80]),
            expected="https://HOST/…, without a user, a question mark or a #", hint=f"for example {example}",
        )  # fmt: skip
    return parts.hostname


class Web:
    """A client of one web server."""

    def __init__(
        self,
        headers: Mapping[str, str],
        *,
        seconds: float = _EACH,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds`: what one answer may take."""
        import httpx2

        self._seconds = seconds
        self._clock = clock
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(seconds, connect=min(seconds, _CONNECT)), follow_redirects=False,
            headers={"accept-encoding": "identity", "user-agent": "pif-kleis", **headers},
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def ask(
        self,
        method: str,
        address: str,
        limit: int,
        check: Callable[[httpx2.Response], None],
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = False,
    ) -> bytes:
        """The body of an answer, of at most `limit` bytes. `check` refuses by what stands before the body, by raising.

        With `again` a request whose connection ends is made up to three times: web servers close kept connections when they like, and may
        while a request is on its way. That is for requests that change nothing.

        Raises `store_error` where the server cannot be reached or stops, `invalid_argument` where it sends elsewhere, packed or too much.
        """
        import httpx2

        until = self._clock() + self._seconds

        def asked() -> bytes:
            with self._client.stream(method, address, content=content, headers=headers) as response:
                check(response)
                _check_form(response, address, limit)
                return self._read(response, address, limit, until)

        try:
            for _ in range(_TRIES - 1 if again else 0):
                with suppress(httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
                    return asked()
            return asked()
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            raise unreachable(address, str(error) or type(error).__name__) from error

    def _read(self, response: httpx2.Response, address: str, limit: int, until: float) -> bytes:
        content = bytearray()
        for part in response.iter_raw():
            content += part
            if len(content) > limit:
                raise too_large(address, limit)
            if self._clock() > until:
                raise unreachable(address, f"it took more than {self._seconds:.0f} seconds")
        return bytes(content)


def _check_form(response: httpx2.Response, address: str, limit: int) -> None:
    """Refuse what is not the answer itself, before a byte of it is read."""
    if 300 <= response.status_code < 400:
        raise RegistryError(
            "invalid_argument", "the server sends elsewhere, and no redirect is followed", file=address,
            found=ascii(response.headers.get("location", "no address")[:100])[1:-1], expected="an answer from there",
            hint="if you trust that address, name it",
        )  # fmt: skip
    packed = response.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise untrue(
            address, "the server sends it packed, though it was asked not to", packed, "the bytes themselves"
        )
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and (len(length) > 12 or int(length) > limit):
        raise too_large(address, limit)


def too_large(place: str, limit: int) -> RegistryError:
    """The error of more bytes than there may be."""
    return untrue(place, "it is larger than it may be", f"more than {limit} bytes", f"{limit} at most")


def unreachable(place: str, why: str) -> RegistryError:
    """The error of a place that does not answer, or stops."""
    return RegistryError(
        "store_error", "it cannot be reached, or stopped answering", file=place, found=ascii(why[:200])[1:-1],
        hint="Repeat the command when it can be reached, or pull from a mirror: what has come or gone already is not sent again.",
    )  # fmt: skip
