"""An authorization server as this one sees it: where its keys are, and the keys as it publishes them.

What is fetched are two documents, at addresses that the owner of this server named or that the issuer's own metadata names
(RFC 8414, or OpenID Connect Discovery); nothing that a token says is an address here. Over HTTPS, but to this machine.
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPMessage
from ipaddress import ip_address
from typing import IO, Any, Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from kleis.decoding import decode_json
from pif.language.json_text import TooDeep, check_nesting

__all__ = ["DOCUMENT_BYTES", "NESTING", "SECONDS", "Issuer", "IssuerError", "check_url"]

DOCUMENT_BYTES: Final = 256 * 1024
"""Of a document of the issuer's."""

NESTING: Final = 100
"""Arrays and objects inside one another, in a document: a decoder goes a C frame deeper for each."""

SECONDS: Final = 5.0
"""In which a document comes whole."""


class IssuerError(Exception):
    """What was asked for could not be had; its text says what and why, for the log."""


def check_url(option: str, url: str) -> SplitResult:
    """The parts of an address of an issuer or a resource. Raises ValueError in words, about `option`."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if (
        not host
        or parts.scheme not in ("https", "http")
        or not url.isascii()
        or any(each in url for each in ' "\\<>')
    ):
        raise ValueError(f"{option} {url!a}: write a whole address, such as https://auth.example.org")
    if parts.query or parts.fragment or parts.username is not None or "?" in url or "#" in url:
        raise ValueError(f"{option} {url}: an address here has no query, no fragment and no user")
    if parts.scheme == "http" and not _is_this_machine(host):
        raise ValueError(f"{option} {url}: it must begin with https://, unless it is of this machine")
    return parts


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _Metadata(msgspec.Struct):
    issuer: str
    jwks_uri: str


class Issuer:
    """The authorization server whose tokens are taken. `jwks`: where its keys are; empty where its metadata says so."""

    def __init__(self, url: str, jwks: str = "") -> None:
        self.url = url
        self._jwks = jwks

    def keys(self) -> bytes:
        """The document with its keys as it is now. It waits for the network. Raises IssuerError."""
        deadline = time.monotonic() + SECONDS
        return _fetched(self._jwks or self._find_keys(deadline), deadline)

    def _find_keys(self, deadline: float) -> str:
        reasons = []
        for address in _metadata_addresses(self.url):
            try:
                document = _fetched(address, deadline)
                check_nesting(document, NESTING)
                found = decode_json(document, _Metadata)
            except (msgspec.MsgspecError, UnicodeDecodeError, TooDeep) as error:
                reasons.append(f"{address}: {error}")
                continue
            except IssuerError as error:
                reasons.append(str(error))
                continue
            if found.issuer != self.url:
                raise IssuerError(f"{address} is about {found.issuer[:200]!a}, not about {self.url}")
            try:
                scheme = check_url("jwks_uri", found.jwks_uri).scheme
            except ValueError as error:
                raise IssuerError(f"{address}: {error}") from None
            if scheme != urlsplit(self.url).scheme:
                raise IssuerError(
                    f"{address}: the keys stand at {found.jwks_uri}, which is no address like the issuer's"
                )
            return found.jwks_uri
        raise IssuerError("; ".join(reasons))


def _metadata_addresses(issuer: str) -> list[str]:
    """Where the metadata of an issuer stand, the first that is there counts."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return [
        f"{origin}/.well-known/oauth-authorization-server{path}",
        f"{origin}/.well-known/openid-configuration{path}",
        *([f"{origin}{path}/.well-known/openid-configuration"] if path else []),
    ]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An address that was checked is the one that answers."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def _fetched(address: str, deadline: float) -> bytes:
    opener = urllib.request.build_opener(_NoRedirect)
    request = urllib.request.Request(address, headers={"Accept": "application/json", "User-Agent": "pif"})
    parts: list[bytes] = []
    size = 0
    try:
        with opener.open(request, timeout=max(0.1, deadline - time.monotonic())) as answer:
            while part := _part_of(answer):
                parts.append(part)
                size += len(part)
                if size > DOCUMENT_BYTES:
                    raise IssuerError(f"{address}: more than {DOCUMENT_BYTES:,} bytes")
                if time.monotonic() > deadline:
                    raise IssuerError(f"{address}: not whole within {SECONDS:g} s")
    except (OSError, HTTPException, ValueError) as error:
        reason = f"status {error.code}" if isinstance(error, urllib.error.HTTPError) else str(error)
        raise IssuerError(f"{address}: {reason[:200]}") from None
    return b"".join(parts)


def _part_of(answer: Any) -> bytes:
    part: bytes = answer.read1(65_536)
    return part
