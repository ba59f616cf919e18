"""This server as a protected resource of an authorization server, as MCP's authorization chapter asks, on the SDK's pieces.

The SDK has the document that leads a client to the authorization server (RFC 9728), the question `TokenVerifier`, and the check
that a token is for this resource; what a token must be is `registry.access.access_tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.requests import HTTPConnection
from starlette.routing import Route

from registry.access.access_tokens import AccessTokens, OAuthPrincipal
from registry.access.issuer import Issuer, check_url
from registry.access.key_set import KeySet
from registry.access.principals import USUAL_SCOPES
from registry.access.tokens import TokenFile
from registry.access.verifier import revoked

__all__ = ["WELL_KNOWN", "OAuthOptions", "ProtectedResource", "sdk_user"]

WELL_KNOWN = "/.well-known/oauth-protected-resource"

SCOPES = tuple(sorted(USUAL_SCOPES))
"""What clients are told to ask for; a refusal names what else something needs."""


_ADDRESS: TypeAdapter[AnyHttpUrl] = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
"""Reads an address without adding a slash to one that has no path: clients compare issuers letter by letter."""


class OAuthOptions(msgspec.Struct, frozen=True):
    """Whose tokens are taken (`issuer`), for which resource (`audience`: the address of MCP here, as clients write it), by which
    keys (`jwks`: empty where the issuer's metadata says it), and whether a token need not say that it is an access token."""

    issuer: str
    audience: str
    jwks: str = ""
    any_type: bool = False

    def check(self) -> None:
        """Raises ValueError in words for what cannot be."""
        for option, url, missing in (
            ("--oauth-issuer", self.issuer, "URL says whose tokens are taken: the address of the authorization server"),
            ("--oauth-audience", self.audience, "URL says for what: the address of this server as clients write it, with its path"),
        ):  # fmt: skip
            if not url:
                raise ValueError(f"{option} {missing}")
            check_url(option, url)
        if self.jwks:
            check_url("--oauth-jwks", self.jwks)


class ProtectedResource(TokenVerifier):
    """This server for one authorization server. `routes`: the documents beside MCP, by their paths."""

    def __init__(self, options: OAuthOptions, tokens: TokenFile | None) -> None:
        resource = _ADDRESS.validate_python(options.audience)
        spellings = {
            form for each in (options.audience, str(resource)) for form in (each, each.removesuffix("/"))
        }
        self._resource = options.audience
        self._tokens = AccessTokens(
            options.issuer, sorted(spellings), KeySet(Issuer(options.issuer, options.jwks).keys),
            any_type=options.any_type, tokens=tokens,
        )  # fmt: skip
        self._backend = BearerAuthBackend(self, resource_server_url=resource)
        self.metadata_url = str(build_resource_metadata_url(resource))
        (route,) = create_protected_resource_routes(
            resource,
            [_ADDRESS.validate_python(options.issuer)],
            scopes_supported=list(SCOPES),
            resource_name="PIF + Kleis",
        )
        self.routes: Mapping[str, Route] = {
            path: Route(path, endpoint=route.endpoint, methods=["GET", "OPTIONS"]) for path in (route.path, WELL_KNOWN)
        }  # fmt: skip

    async def verify_token(self, token: str) -> AccessToken | None:
        """What the SDK knows of a token, which is good. Raises `Denied` for any other."""
        principal = await self._tokens.principal(token)
        return AccessToken(
            token=token, client_id=principal.client, scopes=sorted(principal.scopes), expires_at=int(principal.ends),
            resource=self._resource, subject=principal.subject, claims={"iss": principal.issuer, "principal": principal},
        )  # fmt: skip

    async def principal(self, authorization: bytes) -> OAuthPrincipal:
        """Who sends this header. Raises `Denied`."""
        found = await self._backend.authenticate(
            HTTPConnection({"type": "http", "headers": [(b"authorization", authorization)]})
        )
        if found is None:
            raise revoked()
        principal = (found[1].access_token.claims or {})["principal"]
        assert isinstance(principal, OAuthPrincipal)
        return principal

    def still_valid(self, principal: OAuthPrincipal) -> bool:
        """Whether the token that let this principal in would let it in now."""
        return self._tokens.still_valid(principal)


def sdk_user(principal: OAuthPrincipal) -> AuthenticatedUser:
    """A principal as the SDK knows callers: it keeps a session for the client, issuer and subject that began it."""
    return AuthenticatedUser(
        AccessToken(
            token="", client_id=principal.client, scopes=sorted(principal.scopes), subject=principal.subject,
            claims={"iss": principal.issuer},
        )
    )  # fmt: skip
