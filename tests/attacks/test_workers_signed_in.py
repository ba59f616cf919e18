"""Sessions between workers, of people who sign in elsewhere: two workers on a socket that systemd hands over, over PostgreSQL, with the
tokens of an authorization server. Alice's session is held by worker 0; every request of it here is read by worker 1 first.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.access.principals import oauth_name
from registry.access.tokens import TokenFile
from tests.support.databases import asked, new_schema
from tests.support.servers.deployment import handing_over
from tests.support.servers.http_server import HEADERS, Served, call, environment
from tests.support.servers.issuer import AUDIENCE, TokenIssuer, token_issuer
from tests.support.servers.many_workers import OLDER, Workers, answer_in, call_of, message
from tests.support.servers.pif_server import command

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
PING = message("ping")


class Scene:
    def __init__(self, workers: Workers, home: Path, issuer: TokenIssuer) -> None:
        self.workers = workers
        self.home = home
        self.issuer = issuer

    def headers(self, subject: str = "alice", **changed: Any) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.issuer.token(subject, **changed)}"}

    def sent(self, session: str, who: dict[str, str], body: bytes | None = PING, method: str = "POST",
             reader: int = 1) -> tuple[int, bytes, str]:  # fmt: skip
        """What a request of a session is answered that worker `reader` has read; the other one goes on as soon as it has."""
        with self.workers.only(reader):
            connection = self.workers.server.connect()
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(65_536)  # it is the reader's from now on
        with connection:
            return asked_on(connection, method, {**OLDER, **who, "Mcp-Session-Id": session}, body)

    def at(self, number: int, who: dict[str, str], tool: str, /, **arguments: Any) -> Any:
        """A call of the newer protocol."""
        with self.workers.only(number):
            headers = {**HEADERS, "Mcp-Name": tool, **who}
            status, answer = self.workers.server.post(call(tool, **arguments), **headers)
        assert status == 200, answer
        return answer["result"]["structuredContent"]


def asked_on(
    connection: socket.socket, method: str, headers: dict[str, str], body: bytes | None
) -> tuple[int, bytes, str]:
    """The status, the body and the challenge of a request that is the last one on a connection."""
    usual = {
        "Host": "127.0.0.1", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "Connection": "close", "Content-Length": str(len(body or b"")),
    }  # fmt: skip
    lines = [f"{name}: {value}" for name, value in {**usual, **headers}.items()]
    connection.sendall("\r\n".join([f"{method} /mcp HTTP/1.1", *lines, "", ""]).encode() + (body or b""))
    said = b""
    while part := connection.recv(65_536):
        said += part
    head, _, rest = said.partition(b"\r\n\r\n")
    challenge = next(
        (line for line in head.decode().split("\r\n") if line.lower().startswith("www-auth")), ""
    )
    return int(head.split()[1]), rest, challenge


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    listening = socket.create_server(("127.0.0.1", 0), backlog=1_024)
    schema = f"w{secrets.token_hex(5)}"  # short: those of subjects go on with a digest
    with new_schema() as others, token_issuer() as issuer, listening:
        store = f"{others.partition('?')[0]}?schema={schema}"
        words = command(
            home, http="127.0.0.1:8000", workers=2, memory_mb=1024, store=store, drain=20, oauth_issuer=issuer.url,
            oauth_audience=AUDIENCE,
        )  # fmt: skip
        process = subprocess.Popen(
            handing_over(listening.fileno(), *words), pass_fds=(listening.fileno(),), env=environment(),
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            server = Served(process)
            assert server.port == listening.getsockname()[1]
            yield Scene(Workers(server), home, issuer)
            process.send_signal(signal.SIGTERM)
            assert server.ended()[0] == 0
        finally:
            process.kill()
            process.communicate()
            for (each,) in asked("SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", f"{schema}%"):
                asked(f'DROP SCHEMA "{each}" CASCADE')


def test_a_session_is_passed_on_for_its_subject_alone(scene: Scene) -> None:
    name, _ = scene.workers.open_session(0, **scene.headers())
    assert scene.sent(name, scene.headers())[0] == 200
    unknown = scene.sent("0" * 32, scene.headers("mallory"))
    assert unknown[0] == 404
    number, random, seal = name.split(".")
    own, _ = scene.workers.open_session(1, **scene.headers("mallory"))
    for forged in (
        name,
        f"1.{random}.{seal}",
        f"{number}.{random}.{own.split('.')[2]}",
        f"{number}.{random}",
    ):
        for reader in (0, 1):
            assert scene.sent(forged, scene.headers("mallory"), reader=reader) == unknown, forged
    for method in ("GET", "DELETE"):
        assert scene.sent(name, scene.headers("mallory"), None, method)[0] == 404
    assert scene.sent(name, scene.headers())[0] == 200


def test_the_scopes_are_those_of_each_request_s_token_not_of_the_session_s(scene: Scene) -> None:
    evolving = call_of("evolve", 1, name="square", description="d", code=SQUARE)
    name, _ = scene.workers.open_session(0, **scene.headers(scope="read run"))
    status, _, challenge = scene.sent(name, scene.headers(scope="read run"), evolving)
    assert (status, 'error="insufficient_scope"' in challenge, 'scope="evolve"' in challenge) == (
        403,
        True,
        True,
    )
    status, body, _ = scene.sent(name, scene.headers(scope="read run evolve"), evolving)
    assert (status, answer_in(body)["result"]["structuredContent"]["type"]) == (200, "tool")
    # Having stepped up once helps no other token.
    assert scene.sent(name, scene.headers(scope="read run"), evolving)[0] == 403
    assert scene.sent(name, scene.headers(scope=""), call_of("list"))[0] == 403


def test_an_expired_token_is_refused_by_who_passes_on_and_the_session_goes_on_with_a_new_one(
    scene: Scene,
) -> None:
    soon = int(time.time()) + 2
    brief = scene.headers("eve", exp=soon)
    name, _ = scene.workers.open_session(0, **brief)
    while (status := scene.sent(name, brief)[0]) == 200:
        continue
    assert status == 401
    assert time.time() >= soon
    assert scene.sent(name, scene.headers("eve"))[0] == 200
    for wrong in ({"aud": "https://other.example.org/mcp"}, {"iss": "https://evil.example.org"}, {"exp": 1}):
        assert scene.sent(name, scene.headers("eve", **wrong))[0] == 401


def test_a_subject_that_is_cut_off_is_refused_by_every_worker_at_once(scene: Scene) -> None:
    gone = scene.headers("gone", iat=int(time.time()) - 60)
    name, _ = scene.workers.open_session(0, **gone)
    assert scene.sent(name, gone)[0] == 200
    TokenFile(scene.home).revoke(oauth_name(scene.issuer.url, "gone"))
    for reader in (0, 1):
        assert scene.sent(name, gone, reader=reader)[0] == 401
    other, _ = scene.workers.open_session(0, **scene.headers("alice"))
    assert scene.sent(other, scene.headers("alice"))[0] == 200


def test_what_a_killed_worker_held_is_made_again_for_its_subject_alone(scene: Scene) -> None:
    name, _ = scene.workers.open_session(0, **scene.headers("carol", scope="read run"))
    body = call_of("evolve", 1, name="cube", description="d", code=SQUARE)
    os.kill(scene.workers.processes()[0], signal.SIGKILL)
    scene.workers.wait()
    unknown = scene.sent("0" * 32, scene.headers("mallory"))
    assert scene.sent(name, scene.headers("mallory")) == unknown
    # Made again at the request of a token that may do more, it does not let the lesser one do that.
    assert scene.sent(name, scene.headers("carol"), PING)[0] == 200
    assert scene.sent(name, scene.headers("carol", scope="read run"), body)[0] == 403
    status, said, _ = scene.sent(name, scene.headers("carol"), body)
    assert (status, answer_in(said)["result"]["structuredContent"]["type"]) == (200, "tool")
    for number in (0, 1):  # and the newer protocol asks either worker
        assert scene.at(number, scene.headers("carol"), "run", tool="cube", input=3)["value"] == 9
        assert scene.at(number, scene.headers("mallory"), "list")["total"] == 0
