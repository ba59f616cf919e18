"""A real authorization server on this machine: Authlib's, with Flask, and a person who consents to everything.

It has the metadata of RFC 8414, dynamic registration, authorization codes with PKCE, refresh tokens, and JWTs as access tokens
(RFC 9068), which are for the resource that was asked for (RFC 8707).
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from authlib.integrations.flask_oauth2 import AuthorizationServer as AuthlibServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, grants
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from flask import Flask, jsonify, request
from joserfc.jwk import KeySet, RSAKey
from werkzeug.serving import make_server

__all__ = ["AuthorizationServer", "authorization_server"]

SCOPES = "read run evolve theory policy admin"


class Client(ClientMixin):  # type: ignore[misc]
    """A client that registered itself: a public one, as programs on people's machines are."""

    def __init__(self, client_id: str, metadata: dict[str, Any]) -> None:
        self.client_id = client_id
        self.metadata = metadata

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return str(self.metadata["redirect_uris"][0])

    def get_allowed_scope(self, scope: str) -> str:
        return " ".join(each for each in scope.split() if each in SCOPES.split())

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.metadata["redirect_uris"]

    def check_client_secret(self, client_secret: str) -> bool:
        return False

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


class Granted(AuthorizationCodeMixin):  # type: ignore[misc]
    """A code, or a refresh token, and what it was given for."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def get_redirect_uri(self) -> str:
        return str(self.redirect_uri)  # type: ignore[attr-defined]

    def get_scope(self) -> str:
        return str(self.scope)  # type: ignore[attr-defined]

    def check_client(self, client: Client) -> bool:
        return bool(self.client_id == client.client_id)  # type: ignore[attr-defined]

    def get_nonce(self) -> None:
        return None

    def get_auth_time(self) -> None:
        return None

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class Person:
    def __init__(self, subject: str) -> None:
        self.subject = subject

    def get_user_id(self) -> str:
        return self.subject


class AuthorizationServer:
    """The server at `url`. `person`: who is in front of the browser. `scope`: what they consent to; None for all that is asked.
    `lifetime`: seconds of an access token. `asked`: what came to the endpoints, by their names."""

    def __init__(self) -> None:
        self.person = "alice"
        self.scope: str | None = None
        self.lifetime = 600
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.key = RSAKey.generate_key(2048, parameters={"kid": secrets.token_hex(4), "use": "sig"})
        self.clients: dict[str, Client] = {}
        self.codes: dict[str, Granted] = {}
        self.refreshing: dict[str, Granted] = {}
        self.url = ""
        self.app = Flask(__name__)
        self._serve()

    def _serve(self) -> None:
        app, outer = self.app, self
        server = AuthlibServer(app, query_client=self.clients.get, save_token=self._save)

        class CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
            TOKEN_ENDPOINT_AUTH_METHODS = ("none",)

            def save_authorization_code(self, code: str, request: Any) -> None:
                data = request.payload.data
                outer.codes[code] = Granted(
                    client_id=request.client.client_id, redirect_uri=request.payload.redirect_uri,
                    scope=request.scope if outer.scope is None else outer.scope, subject=request.user.subject,
                    code_challenge=data.get("code_challenge"), code_challenge_method=data.get("code_challenge_method"),
                    resource=data.get("resource"),
                )  # fmt: skip

            def query_authorization_code(self, code: str, client: Client) -> Granted | None:
                found = outer.codes.get(code)
                return found if found is not None and found.check_client(client) else None

            def delete_authorization_code(self, authorization_code: Granted) -> None:
                outer.codes = {
                    key: each for key, each in outer.codes.items() if each is not authorization_code
                }

            def authenticate_user(self, authorization_code: Granted) -> Person:
                self.request.granted = authorization_code
                return Person(authorization_code.subject)  # type: ignore[attr-defined]

        class RefreshGrant(grants.RefreshTokenGrant):  # type: ignore[misc]
            TOKEN_ENDPOINT_AUTH_METHODS = ("none",)

            def authenticate_refresh_token(self, refresh_token: str) -> Granted | None:
                self.request.granted = outer.refreshing.get(refresh_token)
                return self.request.granted  # type: ignore[no-any-return]

            def authenticate_user(self, refresh_token: Granted) -> Person:
                return Person(refresh_token.subject)  # type: ignore[attr-defined]

            def revoke_old_credential(self, refresh_token: Granted) -> None:
                """It goes on being good."""

        class Tokens(JWTBearerTokenGenerator):  # type: ignore[misc]
            def get_jwks(self) -> Any:
                return outer.key

            def get_audiences(self, client: Client, user: Person, scope: str) -> str:
                # RFC 8707: the resource of the request, which may not be another than that of the grant.
                return str(request.form.get("resource", ""))

        class Registration(ClientRegistrationEndpoint):  # type: ignore[misc]
            def authenticate_token(self, request: Any) -> str:
                return "anybody"

            def get_server_metadata(self) -> dict[str, Any]:
                return outer.metadata()

            def save_client(
                self, client_info: dict[str, Any], client_metadata: dict[str, Any], request: Any
            ) -> Client:
                made = outer.clients[client_info["client_id"]] = Client(
                    client_info["client_id"], client_metadata
                )
                made.client_info = {"client_id": client_info["client_id"]}  # type: ignore[attr-defined]
                made.client_metadata = client_metadata  # type: ignore[attr-defined]
                return made

        server.register_grant(CodeGrant, [CodeChallenge(required=True)])
        server.register_grant(RefreshGrant)
        server.register_endpoint(Registration)
        server.register_token_generator(
            "default",
            Tokens(self.url, refresh_token_generator=lambda *a, **k: secrets.token_urlsafe(16),
                   expires_generator=lambda *a, **k: outer.lifetime),
        )  # fmt: skip
        self._tokens = server

        @app.get("/.well-known/oauth-authorization-server")
        def metadata() -> Any:
            return jsonify(outer.metadata())

        @app.get("/jwks")
        def jwks() -> Any:
            return jsonify(KeySet([outer.key]).as_dict(private=False))

        @app.get("/authorize")
        def authorize() -> Any:
            outer.asked.append(("authorize", request.args.to_dict()))
            granting = server.get_consent_grant(end_user=Person(outer.person))
            return server.create_authorization_response(grant_user=Person(outer.person), grant=granting)

        @app.post("/token")
        def token() -> Any:
            outer.asked.append(("token", request.form.to_dict()))
            return server.create_token_response()

        @app.post("/register")
        def register() -> Any:
            outer.asked.append(("register", request.get_json()))
            return server.create_endpoint_response("client_registration")

    def _save(self, token: dict[str, Any], request: Any) -> None:
        granted = request.granted
        if "refresh_token" in token:
            self.refreshing[token["refresh_token"]] = granted

    def metadata(self) -> dict[str, Any]:
        """RFC 8414."""
        return {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register", "jwks_uri": f"{self.url}/jwks", "scopes_supported": SCOPES.split(),
            "response_types_supported": ["code"], "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"], "code_challenge_methods_supported": ["S256"],
        }  # fmt: skip

    async def consent(self, address: str) -> dict[str, str]:
        """What a browser brings back that is sent to `address`: the fields of the redirection."""
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(address)
        assert answer.status_code == 302, answer.text
        fields = parse_qs(urlsplit(answer.headers["location"]).query)
        return {name: values[0] for name, values in fields.items()}


@contextmanager
def authorization_server() -> Iterator[AuthorizationServer]:
    """A server that answers while this is open."""
    made = AuthorizationServer()
    server = make_server("127.0.0.1", 0, made.app, threaded=True)
    made.url = f"http://127.0.0.1:{server.server_port}"
    made._tokens._token_generators["default"].issuer = made.url
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
