"""How to serve over HTTP: the address, the web pages that may call, TLS, the authorization server."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from registry.server.contract.page import Page
from registry.server.mcp.oauth import OAuthOptions

__all__ = ["Address", "HttpOptions", "Private", "parse_address"]

Address = tuple[str, int]


class HttpOptions(msgspec.Struct, frozen=True):
    """How to serve over HTTP. `origins`: web pages that may call, such as ``https://example.org``; none by default.
    `certificate` and `key`: PEM files for TLS; the key may stand in the file of the certificate. `oauth`: the authorization
    server whose tokens are taken beside those of the home. `drain_seconds`: for calls under way, once a signal has come."""

    address: Address
    origins: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None
    oauth: OAuthOptions | None = None
    drain_seconds: float = 0.0

    def check(self) -> None:
        """Raises ValueError in words for what cannot be."""
        if self.key is not None and self.certificate is None:
            raise ValueError("--keyfile FILE belongs to a certificate: add --certfile FILE")
        if self.oauth is not None:
            self.oauth.check()
        for origin in self.origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.hostname or origin != _plain(origin):
                raise ValueError(
                    f"--allow-origin {origin}: write the scheme, the host and the port if there is one, "
                    "such as https://example.org"
                )

    def tls(self) -> ssl.SSLContext | None:
        """What to encrypt with. Raises ValueError in words where the files do not serve."""
        if self.certificate is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password="")
        except ssl.SSLError as error:
            what = (
                "the key is not that of the certificate"
                if "MISMATCH" in str(error)
                else "no certificate and key in PEM"
            )
            raise ValueError(f"--certfile {self.certificate}: {what}") from error
        except OSError as error:
            file = self.key if self.key is not None and self.certificate.is_file() else self.certificate
            raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
        return context


class Private(msgspec.Struct, frozen=True):
    """A server that is there for its own page: the `secret` that callers must send, whom `Host` and `Origin` must name besides, its
    `pages`, and who is told the address once it answers."""

    secret: str
    pages: tuple[Page, ...]
    is_serving: Callable[[str], None]


def _plain(origin: str) -> str:
    parts = urlsplit(origin)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


def parse_address(text: str) -> Address:
    """``8000``, ``HOST:PORT``, ``:PORT`` or ``[IPv6]:PORT`` as host and port. Raises ValueError in words."""
    found = re.fullmatch(r"(?:(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:\[\]]*)):)?(?P<port>\d{1,5})", text.strip())
    if found is None or int(found["port"]) > 65_535:
        raise ValueError(f"{text!r} is no address: write HOST:PORT, such as 127.0.0.1:8000")
    return found["six"] or found["host"] or "127.0.0.1", int(found["port"])
