"""All of a team's server at once: people sign in at a real authorization server, with TLS, by two workers, over PostgreSQL."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from registry.access.principals import oauth_name
from registry.access.tokens import TokenFile
from tests.support import databases
from tests.support.servers.authorization_server import AuthorizationServer, authorization_server
from tests.support.servers.deployment import Deployment, certificate, workers_of
from tests.support.servers.http_server import USUAL
from tests.support.servers.issuer import token_issuer
from tests.support.servers.many_workers import INITIALIZE, OLDER, call_of, message
from tests.support.servers.raw_client import MODERN
from tests.support.servers.signing_in import Kept, call_signed_in

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


class Scene:
    def __init__(self, site: Deployment, server: subprocess.Popen[str], issuer: AuthorizationServer) -> None:
        self.site = site
        self.server = server
        self.issuer = issuer
        self.address = f"https://127.0.0.1:{site.port}/mcp"

    def signed_in(self, person: str, kept: Kept, tool: str, mode: str = MODERN, **arguments: Any) -> Any:
        """What the SDK's client is answered, for a person who consents."""
        self.issuer.person = person
        called = call_signed_in(
            self.address, self.issuer, kept, tool, mode, self.site.trusted, **arguments
        )  # fmt: skip
        return asyncio.run(called)

    @contextmanager
    def alone(self, worker: str) -> Iterator[None]:
        """While this is open, one worker alone takes connections."""
        others = [int(each) for each in workers_of(self.server) - {worker}]
        for each in others:
            os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in others:
                os.kill(each, signal.SIGCONT)

    def sent(
        self, secret: str, body: bytes, reader: str = "", /, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """The status, the headers and the body of what the older protocol sends; `reader`: the worker that reads it first."""
        connection = self.site.connection()
        try:
            if reader:
                with self.alone(reader):
                    connection.connect()  # it is the reader's from now on, and the holder of a session may answer
            given = {**USUAL, **OLDER, **headers, "Authorization": f"Bearer {secret}"}
            connection.request("POST", "/mcp", body, given)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    tmp_path = tmp_path_factory.mktemp("deployment")
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    made, key = certificate(tmp_path)
    schema = f"s{secrets.token_hex(5)}"  # short: those of subjects go on with a digest
    with databases.new_schema() as others, authorization_server() as issuer:
        site = Deployment(
            tmp_path / "home", "--store", f"{others.partition('?')[0]}?schema={schema}", "--certfile", made,
            "--keyfile", key, "--workers", 2, "--memory", 1024, "--drain", 15, "--more", trusted=made,
        )  # fmt: skip
        audience = f"https://127.0.0.1:{site.port}/mcp"
        try:
            server = site.start("--oauth-issuer", issuer.url, "--oauth-audience", audience)
            yield Scene(site, server, issuer)
            site.stop(server)
        finally:
            site.close()
            for (each,) in databases.asked(
                "SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", f"{schema}%"
            ):
                databases.asked(f'DROP SCHEMA "{each}" CASCADE')


def refreshed(issuer: AuthorizationServer, kept: Kept, resource: str) -> str:
    """An access token of the same person for some resource."""
    assert kept.tokens is not None
    assert kept.client is not None
    fields = {
        "grant_type": "refresh_token", "refresh_token": kept.tokens.refresh_token, "client_id": kept.client.client_id,
        "resource": resource,
    }  # fmt: skip
    with httpx2.Client() as http:
        answer = http.post(f"{issuer.url}/token", data=fields)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


def test_two_people_and_a_thief_at_a_deployment_with_everything(scene: Scene) -> None:
    site, alice, bob = scene.site, Kept(), Kept()
    evolved = scene.signed_in("alice", alice, "evolve", name="square", description="squares", code=SQUARE)
    assert evolved["type"] == "tool"
    defined = scene.signed_in(
        "alice", alice, "submit_define", kleis="define third(x : ℤ) : ℤ = x * 3", session="plans"
    )
    assert defined["accepted"]
    assert scene.signed_in("bob", bob, "list", "legacy")["total"] == 0
    assert alice.tokens is not None
    assert bob.tokens is not None
    hers, his = alice.tokens.access_token, bob.tokens.access_token

    _, headers, _ = scene.sent(hers, message("initialize", INITIALIZE))
    session = {"Mcp-Session-Id": headers["Mcp-Session-Id"]}
    body, _, seal = hers.rpartition(".")
    with token_issuer() as theirs:  # another authorization server, for the same person and this very resource
        foreign = theirs.token("alice", aud=scene.address)
        forged = theirs.token("alice", aud=scene.address, iss=scene.issuer.url)
    stolen = {
        "of another authorization server": foreign,
        "in the name of ours": forged,
        "for another resource": refreshed(scene.issuer, alice, "https://other.example.org/mcp"),
        "signed by nobody": body + ".",
        "with another signature": f"{body}.{his.rpartition('.')[2]}",
        "with another body": f"{his.rpartition('.')[0]}.{seal}",
    }
    for worker in workers_of(scene.server):
        with scene.alone(worker):
            assert site.call(hers, "run", code="square", input=7)["value"] == 49
            said = site.call(hers, "evaluate", expression="third(5)", session="plans")
            assert "15" in json.dumps(said)
            # Bob neither sees nor names what is hers.
            assert site.call(his, "list")["total"] == 0
            assert site.call(his, "run", tool="square", input=7)["error"]["kind"] == "unknown_tool"
            unknown = site.call(his, "evaluate", expression="third(5)", session="plans")
            assert unknown["status"] == "error"
            assert "15" not in json.dumps(unknown)
        assert scene.sent(hers, call_of("run", code="square", input=3), worker, **session)[0] == 200
        assert scene.sent(his, message("ping"), worker, **session)[0] == 404
        # The thief is led to the authorization server, and learns nothing else.
        for how, secret in stolen.items():
            status, told, _ = scene.sent(secret, message("ping"), worker, **session)
            assert status == 401, (how, worker)
            led = f"https://127.0.0.1:{site.port}/.well-known/oauth-protected-resource"
            assert led in told["WWW-Authenticate"], how
    assert scene.sent(hers, message("ping"), **session)[0] == 200


def test_who_is_cut_off_is_refused_by_both_workers_and_nobody_else_is(scene: Scene) -> None:
    carol, dan = Kept(), Kept()
    assert scene.signed_in("carol", carol, "list")["total"] == 0
    assert scene.signed_in("dan", dan, "list")["total"] == 0
    assert carol.tokens is not None
    assert dan.tokens is not None
    TokenFile(scene.site.home).revoke(oauth_name(scene.issuer.url, "carol"))
    for worker in workers_of(scene.server):
        with scene.alone(worker):
            assert scene.sent(carol.tokens.access_token, message("ping"))[0] == 401
            assert scene.site.call(dan.tokens.access_token, "list")["total"] == 0
