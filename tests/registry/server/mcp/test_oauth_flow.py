"""The whole way of a client: from a refusal to the authorization server, through consent, to calls, by the SDK's own OAuth client
and a real authorization server (Authlib's)."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest

from registry.access.principals import oauth_name
from tests.support.servers.authorization_server import AuthorizationServer, authorization_server
from tests.support.servers.http_server import Served, serving
from tests.support.servers.principals import Caller, token
from tests.support.servers.raw_client import MODERN
from tests.support.servers.signing_in import Kept, call_signed_in

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


class Scene:
    def __init__(self, server: Served, issuer: AuthorizationServer, home: Path) -> None:
        self.server = server
        self.issuer = issuer
        self.home = home

    async def call(self, kept: Kept, tool: str, mode: Any = MODERN, **arguments: Any) -> Any:
        return await call_signed_in(self.server.url, self.issuer, kept, tool, mode, **arguments)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    address = f"127.0.0.1:{port}"
    with (
        authorization_server() as issuer,
        serving(
            home, address=address, oauth_issuer=issuer.url, oauth_audience=f"http://{address}/mcp"
        ) as server,
    ):
        yield Scene(server, issuer, home)


@pytest.mark.parametrize("mode", [MODERN, "legacy"])
def test_a_client_that_knows_nothing_finds_its_way_in(scene: Scene, mode: str) -> None:
    scene.issuer.asked.clear()
    scene.issuer.person = f"ann of {mode}"
    kept = Kept()
    evolved = asyncio.run(scene.call(kept, "evolve", mode, name="square", description="squares", code=SQUARE))
    assert evolved["type"] == "tool"
    assert asyncio.run(scene.call(kept, "run", mode, code="square", input=7))["value"] == 49
    (authorized,) = [fields for name, fields in scene.issuer.asked if name == "authorize"]
    (exchanged,) = [fields for name, fields in scene.issuer.asked if name == "token"]
    assert authorized["code_challenge_method"] == "S256"
    assert authorized["resource"] == exchanged["resource"] == scene.server.url
    assert set(authorized["scope"].split()) == {"read", "run", "evolve", "theory"}
    assert kept.tokens is not None
    header = jwt.get_unverified_header(kept.tokens.access_token)
    assert header["typ"] == "at+jwt"
    assert (scene.home / "principals" / oauth_name(scene.issuer.url, scene.issuer.person)).is_dir()


def test_two_people_have_tools_of_their_own(scene: Scene) -> None:
    ann, bea = Kept(), Kept()
    scene.issuer.person = "ann"
    asyncio.run(scene.call(ann, "evolve", name="of_ann", description="squares", code=SQUARE))
    scene.issuer.person = "bea"
    assert asyncio.run(scene.call(bea, "list"))["total"] == 0
    assert asyncio.run(scene.call(bea, "run", code="of_ann", input=1))["type"] == "error"
    assert asyncio.run(scene.call(ann, "list"))["total"] == 1
    local = Caller(scene.server, token(scene.home, "ann"))
    assert local.call("list")["total"] == 0


def test_a_scope_that_is_missing_is_asked_for_when_it_is_needed(scene: Scene) -> None:
    scene.issuer.person, scene.issuer.scope = "carl", "read"
    kept = Kept()
    try:
        assert asyncio.run(scene.call(kept, "list"))["total"] == 0
        scene.issuer.scope = None
        evolved = asyncio.run(scene.call(kept, "evolve", name="square", description="squares", code=SQUARE))
    finally:
        scene.issuer.scope = None
    assert evolved["type"] == "tool"
    assert kept.tokens is not None
    assert (
        "evolve" in jwt.decode(kept.tokens.access_token, options={"verify_signature": False})["scope"].split()
    )


def test_an_expired_token_is_renewed_without_a_person(scene: Scene) -> None:
    scene.issuer.person, scene.issuer.lifetime = "dora", -5
    kept = Kept()
    scene.issuer.asked.clear()
    with pytest.raises(BaseExceptionGroup):
        asyncio.run(scene.call(kept, "list"))  # what it gets has expired before it is used
    scene.issuer.lifetime = 600
    assert asyncio.run(scene.call(kept, "list"))["total"] == 0


def test_a_token_for_another_resource_is_not_taken(scene: Scene) -> None:
    with authorization_server() as theirs, httpx2.Client() as http:
        assert http.get(f"{theirs.url}/jwks").status_code == 200
    scene.issuer.person = "eve"
    kept = Kept()
    asyncio.run(scene.call(kept, "list"))
    assert kept.tokens is not None
    assert kept.client is not None
    with httpx2.Client() as http:
        fields = {
            "grant_type": "refresh_token", "refresh_token": kept.tokens.refresh_token, "client_id": kept.client.client_id,
            "resource": "https://other.example.org/mcp",
        }  # fmt: skip
        answer = http.post(f"{scene.issuer.url}/token", data=fields)
    assert answer.status_code == 200, answer.text
    assert Caller(scene.server, answer.json()["access_token"]).status_of("list")[0] == 401
    assert Caller(scene.server, kept.tokens.access_token).status_of("list")[0] == 200


def test_the_document_of_the_resource_leads_to_the_issuer(scene: Scene) -> None:
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"):
        status, headers, body = scene.server.request("GET", path)
        assert status == 200
        said = json.loads(body)
        assert said["resource"] == scene.server.url
        assert said["authorization_servers"] == [scene.issuer.url]
        assert said["scopes_supported"] == ["evolve", "read", "run", "theory"]
        assert said["bearer_methods_supported"] == ["header"]
        assert headers["Content-Type"] == "application/json"
    status, headers, _ = scene.server.request("POST", "/mcp", b"{}")
    assert status == 401
    assert (
        f'resource_metadata="{scene.server.url.removesuffix("/mcp")}/.well-known/'
        in headers["WWW-Authenticate"]
    )
    assert json.loads(scene.server.request("GET", "/")[2])["resource_metadata"].endswith(
        "/oauth-protected-resource/mcp"
    )
    assert scene.server.request("POST", "/.well-known/oauth-protected-resource")[0] == 405
    assert scene.server.request("GET", "/.well-known/oauth-protected-resource/other")[0] == 401
