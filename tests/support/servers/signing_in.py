"""A client that signs in: the SDK's own OAuth client, with a person in front of the browser who consents."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from tests.support.servers.authorization_server import AuthorizationServer
from tests.support.servers.raw_client import MODERN, PATIENCE

__all__ = ["Kept", "call_signed_in"]


class Kept:
    """What a client remembers."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def _signing_in(address: str, issuer: AuthorizationServer, kept: Kept) -> OAuthClientProvider:
    brought: dict[str, str] = {}

    async def redirect(consenting: str) -> None:
        brought.clear()
        brought.update(await issuer.consent(consenting))

    async def come_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=brought["code"], state=brought["state"], iss=brought.get("iss"))

    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl("http://127.0.0.1:9/callback")],
        token_endpoint_auth_method="none",
        client_name="a test",
    )
    return OAuthClientProvider(address, metadata, kept, redirect, come_back)


async def call_signed_in(
    address: str,
    issuer: AuthorizationServer,
    kept: Kept,
    tool: str,
    mode: Any = MODERN,
    trusted: ssl.SSLContext | None = None,
    **arguments: Any,
) -> Any:
    """What a call answers, after whatever the client does to be let in. `trusted`: the certificates of the server."""
    async with (
        asyncio.timeout(PATIENCE),
        httpx2.AsyncClient(
            auth=_signing_in(address, issuer, kept), timeout=PATIENCE, verify=trusted or True
        ) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        return (await client.call_tool(tool, arguments)).structured_content
