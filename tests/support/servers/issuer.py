"""An issuer of access tokens on this machine: its metadata, its keys, and tokens signed as a test wants them.

It asks nobody for consent; the authorization server with a person in it is `tests.support.servers.authorization_server`.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

__all__ = ["AUDIENCE", "SigningKey", "TokenIssuer", "new_key", "token_issuer"]

AUDIENCE = "https://pif.example.org/mcp"
"""The resource that tests' tokens are for."""


class SigningKey:
    """A key of an issuer: what signs, and what it publishes."""

    def __init__(self, kid: str, algorithm: str, private: Any) -> None:
        self.kid = kid
        self.algorithm = algorithm
        self.private = private
        public = private.public_key()
        jwk = jwt.get_algorithm_by_name(algorithm).to_jwk(public, as_dict=True)
        self.jwk: dict[str, Any] = {**jwk, "kid": kid, "use": "sig", "alg": algorithm}
        self.jwk.pop("key_ops", None)
        self.pem: bytes = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@cache
def new_key(kid: str, algorithm: str = "RS256", bits: int = 2048) -> SigningKey:
    """The key of this name: the same in all tests of a process, since making one takes long."""
    if algorithm.startswith("ES"):
        curve = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}[algorithm]
        return SigningKey(kid, algorithm, ec.generate_private_key(curve))
    if algorithm == "EdDSA":
        return SigningKey(kid, algorithm, ed25519.Ed25519PrivateKey.generate())
    return SigningKey(kid, algorithm, rsa.generate_private_key(65_537, bits))


class TokenIssuer:
    """An issuer at `url`. `published` is the document of its keys; `is_lost`: it answers 500; `asked` counts requests."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.key = new_key("one")
        self.published: Any = {"keys": [self.key.jwk]}
        self.metadata: dict[str, Any] = {"issuer": self.url, "jwks_uri": f"{self.url}/jwks"}
        self.is_lost = False
        self.asked: Counter[str] = Counter()

    def body(self, path: str) -> bytes | None:
        self.asked[path] += 1
        if path == "/.well-known/oauth-authorization-server":
            return json.dumps(self.metadata).encode()
        if path == "/jwks":
            return (
                self.published if isinstance(self.published, bytes) else json.dumps(self.published).encode()
            )
        return None

    def claims(self, subject: str = "alice", **changed: Any) -> dict[str, Any]:
        """Claims of a good token, but for what is changed; None takes a claim away."""
        now = int(time.time())
        usual = {
            "iss": self.url, "sub": subject, "aud": AUDIENCE, "iat": now, "exp": now + 600, "client_id": "a client",
            "scope": "read run evolve theory", "jti": f"{subject} {now}",
        }  # fmt: skip
        return {name: value for name, value in {**usual, **changed}.items() if value is not None}

    def token(self, subject: str = "alice", *, key: SigningKey | None = None, headers: dict[str, Any] | None = None,
              **changed: Any) -> str:  # fmt: skip
        """A signed token. `headers` are changed as the claims are."""
        key = key or self.key
        given = {"typ": "at+jwt", "kid": key.kid, **(headers or {})}
        # Signed as bytes: `jwt.encode` refuses claims that a test wants to be wrong.
        return jwt.PyJWS().encode(
            json.dumps(self.claims(subject, **changed)).encode(), key.private, key.algorithm,
            {name: value for name, value in given.items() if value is not None},
        )  # fmt: skip


@contextmanager
def token_issuer() -> Iterator[TokenIssuer]:
    """An issuer that answers while this is open."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = None if issuer.is_lost else issuer.body(self.path)
            status = 500 if issuer.is_lost else 404 if body is None else 200
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = TokenIssuer(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
