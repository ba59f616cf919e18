"""Who may call over HTTP (docs/reference/serving.md §3.1, §3.6): whoever has a token of the home or of the authorization server,
or a request that names this machine.

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

from registry.access.access_tokens import OAuthPrincipal
from registry.access.principals import Principal
from registry.access.verifier import Denied, Verifier
from registry.server.mcp.oauth import ProtectedResource
from registry.server.streams.messages import INVALID_REQUEST, protocol_error

__all__ = ["TOKEN", "Access", "Refused", "is_local"]

TOKEN = "PIF_HTTP_TOKEN"
"""The environment variable with the secret that callers send as ``Authorization: Bearer …``: they are the owner then."""


class Refused(Exception):
    """A request that is answered here: the status, the error in words, and headers."""

    def __init__(
        self, status: int, said: str, *headers: tuple[bytes, bytes], code: int = INVALID_REQUEST
    ) -> None:
        super().__init__(said)
        self.status = status
        self.headers = headers
        self.error = protocol_error(None, code, said)


class Access(msgspec.Struct, frozen=True):
    """Who may call: those whom the verifier knows; those whose tokens an authorization server has issued, if there is one; where
    it is open, this machine and web pages of the `origins`.

    `always_names`: callers must name this machine although they have a token.
    """

    verifier: Verifier
    origins: tuple[str, ...] = ()
    resource: ProtectedResource | None = None
    always_names: bool = False

    async def check(self, headers: Mapping[bytes, bytes]) -> Principal:
        """Who calls. Raises `Refused`."""
        self.check_names(headers)
        authorization = headers.get(b"authorization", b"")
        try:
            try:
                return self.verifier.principal(authorization)
            except Denied as denied:
                if self.resource is None or denied.status != 401 or not authorization:
                    raise
            return await self.resource.principal(authorization)
        except Denied as denied:
            raise self.refusal(denied) from None

    def still_valid(self, principal: Principal) -> bool:
        """Whether what let this principal in would let it in now, with the same scopes: asked of streams while they are open."""
        if isinstance(principal, OAuthPrincipal):
            return self.resource is not None and self.resource.still_valid(principal)
        return self.verifier.still_valid(principal)

    def refusal(self, denied: Denied) -> Refused:
        """A refusal as an answer over HTTP: one that asks for a token says where the authorization server is named."""
        if not denied.authenticate:
            return Refused(denied.status, denied.said)
        where = "" if self.resource is None else f', resource_metadata="{self.resource.metadata_url}"'
        return Refused(
            denied.status, denied.said, (b"www-authenticate", (denied.authenticate + where).encode())
        )

    def check_names(self, headers: Mapping[bytes, bytes]) -> None:
        """Whether `Host` and `Origin` are of this machine, which they need not be where a token is needed, unless
        `always_names`. Raises `Refused`."""
        if not (self.always_names or self.verifier.is_open):
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
