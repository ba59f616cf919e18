"""Who may call over HTTP (docs/reference/serving.md §3.1, §3.6): whoever has a token, or a request that names this machine.

Where no token is needed a request must name this machine in `Host` and `Origin`, or an origin that was allowed at the start, so
that no web page can reach the server.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

from registry.access.principals import Principal
from registry.access.verifier import Denied, Verifier
from registry.server.streams.messages import INVALID_REQUEST, protocol_error

__all__ = ["CONNECTION", "TOKEN", "Access", "Refused", "is_local", "refusal"]

TOKEN = "PIF_HTTP_TOKEN"
"""The environment variable with the secret that callers send as ``Authorization: Bearer …``: they are the owner then."""


CONNECTION = "connection"
"""In the state of a request: the connection that it came on."""


class Refused(Exception):
    """A request that is answered here: the status, the error in words, and headers."""

    def __init__(
        self, status: int, said: str, *headers: tuple[bytes, bytes], code: int = INVALID_REQUEST
    ) -> None:
        super().__init__(said)
        self.status = status
        self.headers = headers
        self.error = protocol_error(None, code, said)


def refusal(denied: Denied) -> Refused:
    """What the verifier refuses, as an answer over HTTP."""
    if not denied.authenticate:
        return Refused(denied.status, denied.said)
    return Refused(denied.status, denied.said, (b"www-authenticate", denied.authenticate.encode()))


class Access(msgspec.Struct, frozen=True):
    """Who may call: those whom the verifier knows; where it is open, this machine and web pages of the `origins`."""

    verifier: Verifier
    origins: tuple[str, ...] = ()

    def check(self, headers: Mapping[bytes, bytes]) -> Principal:
        """Who calls. Raises `Refused`."""
        self.check_names(headers)
        try:
            return self.verifier.principal(headers.get(b"authorization", b""))
        except Denied as denied:
            raise refusal(denied) from None

    def check_names(self, headers: Mapping[bytes, bytes]) -> None:
        """Whether `Host` and `Origin` are of this machine, which they need not be where a token is needed. Raises `Refused`."""
        if not self.verifier.is_open:
            return
        host = headers.get(b"host", b"").decode("latin-1")
        if not _names_this_machine(f"//{host}"):
            raise Refused(421, "`Host` must name this machine, such as 127.0.0.1 or localhost")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and origin not in self.origins and not _is_own_origin(origin):
            raise Refused(403, "pages of this `Origin` may not call; the server's --allow-origin permits one")


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _names_this_machine(address: str) -> bool:
    """Whether the host of an address, such as ``//127.0.0.1:8000``, is this machine and nothing else is in it."""
    if not _PLAIN.fullmatch(address):
        return False
    try:
        return is_local((urlsplit(address).hostname or "").lower())
    except ValueError:
        return False


_PLAIN = re.compile(r"(?:https?:)?//(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?")


def _is_own_origin(origin: str) -> bool:
    return origin.startswith("http") and _names_this_machine(origin)
