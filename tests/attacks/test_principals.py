"""Two principals and an attacker over real HTTP: nothing of another can be seen, named, changed, cancelled or guessed.

Alice has tools, a theory session, a job; Mallory has a token as good as hers and knows every name. What Mallory is answered about
what is Alice's must be what a server would answer on which Alice never was: most tests ask before and after she worked and
compare the answers whole, since a difference in a hint or a count tells as much as the thing itself.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated

from registry.access.principals import ALL_SCOPES
from registry.access.tokens import FILE, TokenFile
from tests.support.servers.http_server import HEADERS, Served, answer_of, call, posted, serving, until_closed
from tests.support.servers.principals import Caller, token
from tests.support.servers.raw_client import MODERN, PATIENCE, initialize

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
TWICE = {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}
LONG = {"structure": "nothing", "wait": False}


class Scene:
    def __init__(self, server: Served, home: Path) -> None:
        self.server = server
        self.home = home
        self.alice = Caller(server, token(home, "alice"))
        self.mallory = Caller(server, token(home, "mallory"))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    token(home, "first")
    with serving(home, groups="pif,theory", more=True) as server:
        yield Scene(server, home)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")


def evolved(caller: Caller, name: str, code: Any = SQUARE, description: str = "a tool") -> None:
    assert caller.call("evolve", name=name, description=description, code=code)["type"] == "tool"


# ── who is nobody ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "sent",
    ["", "Bearer", "Bearer ", "Basic YWxpY2U6YWxpY2U=", "Bearer alice", "Bearer pif_" + "A" * 43, "Bearer \xff\xfe", "bearer  ",
     "Bearer null", "Bearer undefined", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.", "Bearer " + "a" * 20_000],
)  # fmt: skip
def test_who_has_no_token_is_let_in_nowhere(scene: Scene, sent: str) -> None:
    headers = {"Authorization": sent} if sent else {}
    for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/metrics")):
        body = call("list") if method == "POST" else None
        status, received, _ = scene.server.request(method, path, body, **HEADERS, **headers)
        assert status == 401
        challenge = received["WWW-Authenticate"]
        assert challenge.startswith('Bearer realm="pif"')
        given = sent.partition(" ")[2].strip() and sent.lower().startswith("bearer")
        assert ("invalid_token" in challenge) == bool(given)


def test_a_token_is_nothing_but_the_whole_of_it(scene: Scene) -> None:
    secret = token(scene.home, "whole")
    assert Caller(scene.server, secret).status_of("list")[0] == 200
    digest = next(each.sha256 for each in TokenFile(scene.home).read().all if each.name == "whole")
    for wrong in (
        secret[:-1],
        secret + "A",
        secret.lower(),
        secret.removeprefix("pif_"),
        digest,
        f"{secret} {secret}",
    ):
        assert Caller(scene.server, wrong).status_of("list")[0] == 401
    assert secret not in (scene.home / FILE).read_text()


def test_two_headers_of_which_one_is_good_are_none(scene: Scene) -> None:
    good = scene.alice.headers["Authorization"]
    body = call("list")
    with scene.server.connect() as connection:
        sent = posted(body, "list", Authorization=good)
        connection.sendall(sent.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer x\r\n\r\n", 1))
        assert answer_of(connection)[0] == 400


def test_an_expired_token_is_refused_in_the_same_words_as_an_unknown_one(scene: Scene) -> None:
    late = Caller(scene.server, token(scene.home, "late", expires=time.time() - 1))
    unknown = Caller(scene.server, "pif_unknown")
    assert late.post("tools/list", {})[::2] == unknown.post("tools/list", {})[::2]
    assert late.status_of("list") == unknown.status_of("list")
    assert late.status_of("list")[0] == 401


# ── revocation ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_revoked_token_is_refused_at_once_and_replaying_does_not_help(scene: Scene) -> None:
    caller = Caller(scene.server, token(scene.home, "gone"))
    with scene.server.connect() as connection:
        request = posted(call("list"), "list", Authorization=caller.headers["Authorization"])
        connection.sendall(request)
        assert answer_of(connection)[0] == 200
        TokenFile(scene.home).revoke("gone")
        connection.sendall(request)  # the very bytes, on the connection that was let in
        assert answer_of(connection)[0] == 401
    assert caller.status_of("list")[0] == 401
    assert scene.alice.status_of("list")[0] == 200


def test_streams_and_sessions_of_a_revoked_token_end(scene: Scene) -> None:
    secret = token(scene.home, "watcher")
    headers = {"Authorization": f"Bearer {secret}"}
    body = json.dumps(initialize(1)).encode()
    status, received, _ = scene.server.request("POST", "/mcp", body, **headers)
    assert status == 200
    session = received["mcp-session-id"]
    with scene.server.connect() as connection:
        lines = [
            "GET /mcp HTTP/1.1",
            "Host: 127.0.0.1",
            "Accept: text/event-stream",
            f"Mcp-Session-Id: {session}",
        ]
        connection.sendall(
            "\r\n".join([*lines, f"Authorization: Bearer {secret}", "Connection: close", "", ""]).encode()
        )
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        TokenFile(scene.home).revoke("watcher")
        until_closed(connection)  # or the test ends by the connection's patience
    again = token(
        scene.home, "watcher"
    )  # the same principal by another token: the session has ended with its own
    status, _, _ = scene.server.request(
        "GET", "/mcp", None, **{"Authorization": f"Bearer {again}", "Mcp-Session-Id": session}
    )
    assert status == 404


def test_a_call_under_way_ends_with_its_token(scene: Scene) -> None:
    secret = token(scene.home, "slow")
    again = {"lam": "n", "body": {"continue": {"input": {"add": [{"var": "n"}, 1]}}}}
    evolved(Caller(scene.server, secret), "endless", again)
    body = call("run", tool="endless", input=0, drive=1_000_000, fuel=5_000_000)
    with scene.server.connect() as connection:
        connection.sendall(posted(body, "run", Authorization=f"Bearer {secret}"))
        assert Caller(scene.server, secret).status_of("list")[0] == 200  # it runs: this has passed it
        TokenFile(scene.home).revoke("slow")
        assert answer_of(connection)[0] in (200, 401)  # 200 where it had ended before


# ── scopes ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_a_token_may_not_is_refused_and_the_scope_is_named(scene: Scene) -> None:
    reader = Caller(scene.server, token(scene.home, "rita", frozenset(["read"])))
    for tool, arguments, scope in (
        ("run", {"code": 1}, "run"), ("evolve", {"name": "x", "description": "x", "code": SQUARE}, "evolve"),
        ("forget", {"name": "x"}, "evolve"), ("evaluate", {"expression": "1 = 1"}, "theory"), ("nothing_like_it", {}, "run"),
        ("check_job", {}, "theory"), ("import", {"directory": "x"}, "evolve"),
    ):  # fmt: skip
        status, challenge = reader.status_of(tool, **arguments)
        assert (status, 'error="insufficient_scope"' in challenge, f'scope="{scope}"' in challenge) == (
            403,
            True,
            True,
        ), tool
    assert reader.status_of("list")[0] == 200
    assert reader.tools() == {"list", "help", "history", "diff", "describe_schema", "list_session"}
    runner = Caller(scene.server, token(scene.home, "rudi", frozenset(["run"])))
    for method in ("resources/list", "prompts/list", "resources/templates/list"):
        assert runner.post(method, {})[0] == 403
    assert runner.post("resources/read", {"uri": "pif://tools"}, "pif://tools")[0] == 403
    assert runner.post("tasks/cancel", {"taskId": "x"})[0] == 403  # what nobody has thought of


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evolve","arguments":ARGUMENTS,"_meta":META,"name":"list"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":ARGUMENTS,"_meta":META,"name":"evolve"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"evolve","arguments":ARGUMENTS,"_meta":META},"method":"tools/call"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evolve","arguments":ARGUMENTS,"_meta":META},"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"params":{"name":"list","arguments":{}},"method":"tools/call","params":{"name":"evolve","arguments":ARGUMENTS,"_meta":META}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools\\/call","params":{"n\\u0061me":"evolve","arguments":ARGUMENTS,"_meta":META}}',
    ],
)  # fmt: skip
def test_a_request_that_two_readers_take_differently_evolves_nothing(scene: Scene, body: bytes) -> None:
    secret = token(scene.home, "twofold", frozenset(["read", "run"]))
    meta = json.loads(call("list"))["params"]["_meta"]
    arguments = {"name": "smuggled", "description": "x", "code": SQUARE}
    body = body.replace(b"ARGUMENTS", json.dumps(arguments).encode()).replace(
        b"META", json.dumps(meta).encode()
    )
    caller = Caller(scene.server, secret)
    for tool in ("evolve", "list"):
        for method in ("tools/call", "tools/list"):
            headers = HEADERS | {"Mcp-Name": tool, "Mcp-Method": method}
            scene.server.request("POST", "/mcp", body, **headers, **caller.headers)
    scene.server.request("POST", "/mcp", body, **caller.headers)
    assert caller.call("list")["total"] == 0


def test_counters_are_for_the_administrator_and_name_nobody(scene: Scene) -> None:
    evolved(scene.alice, "counted")
    scene.alice.call("counted", input=3)
    assert scene.server.request("GET", "/metrics", **scene.mallory.headers)[0] == 403
    admin = Caller(scene.server, token(scene.home, "adam", frozenset(["admin"])))
    status, _, text = scene.server.request("GET", "/metrics", **admin.headers)
    assert status == 200
    for name in (b"alice", b"mallory", b"counted"):
        assert name not in text


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────

GUESSES: list[tuple[str, dict[str, Any]]] = [
    ("secret_sum", {"input": 1}),
    ("secret_sun", {"input": 1}),
    ("run", {"code": "secret_sum", "input": 1}),
    ("run", {"code": "secret_sum@1", "input": 1}),
    ("run", {"code": "secret_sun", "input": 1}),
    ("run", {"code": "alice/secret_sum", "input": 1}),
    ("run", {"code": "../alice/secret_sum", "input": 1}),
    ("run", {"code": "team/secret_sum", "input": 1}),
    ("run", {"code": {"app": ["secret_sum", 1]}, "input": 1}),
    ("run", {"code": {"code_of": "secret_sum"}, "input": 1}),
    ("run", {"code": {"lam": "n", "body": {"code_of": {"var": "n"}}}, "input": "secret_sum"}),
    ("analyze", {"code": "secret_sum"}),
    ("analyze", {"code": "std.sum", "against": "secret_sum"}),
    ("history", {"name": "secret_sum"}),
    ("diff", {"left": "secret_sum"}),
    ("rollback", {"name": "secret_sum", "version": 1}),
    ("forget", {"name": "secret_sum"}),
    ("forget", {"name": "secret_sum@1"}),
    ("fuzz", {"name": "secret_sum"}),
    ("list", {}),
    ("list", {"query": "secret"}),
    ("help", {"category": "secret_sum"}),
    ("help", {"category": "tools"}),
    ("import", {"directory": "taken_along"}),
    ("import", {"directory": "../../alice/exchange/taken_along"}),
    ("list_session", {"session": "*"}),
    ("list_session", {"session": "plans"}),
    ("describe_schema", {"session": "plans"}),
    ("describe_schema", {"name": "hidden", "session": "plans"}),
    ("evaluate", {"expression": "hidden(3)", "session": "plans"}),
    ("evaluate", {"expression": "hiddem(3)", "session": "default"}),
    ("evaluate", {"expression": "hidden(3)", "session": "../../alice/sessions/plans"}),
    ("load_theory", {"imports": ["kept_by_alice"], "session": "mine"}),
    ("load_theory", {"imports": ["../../alice/theories/kept_by_alice.kleis"], "session": "mine"}),
    ("compare", {"propositions": ["1 = 1"], "sessions": ["plans"]}),
    ("check_job", {}),
    ("undo", {"session": "plans"}),
]

ADDRESSES = [
    "pif://tools", "pif://graph", "pif://tools/secret_sum", "pif://tools/secret_sum@1", "kleis://sessions/plans",
    "kleis://sessions/plans/hidden", "pif://tools/..%2Falice", "kleis://sessions/..%2F..%2Falice%2Fsessions%2Fplans",
]  # fmt: skip


def seen(caller: Caller) -> list[Any]:
    """All that a caller is told who guesses, without what differs from moment to moment."""
    told = [(tool, caller.call(tool, **arguments)) for tool, arguments in GUESSES]
    read = [(uri, caller.ask("resources/read", {"uri": uri}, uri)) for uri in ADDRESSES]
    listed = [caller.ask(method) for method in ("tools/list", "resources/list", "prompts/list")]
    completed = [
        caller.ask(
            "completion/complete",
            {"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": name, "value": ""}},
        )
        for uri, name in (("kleis://sessions/{session}", "session"), ("pif://tools/{name}", "name"))
    ]
    return [*told, *read, *listed, *completed]


def test_all_that_is_told_to_who_guesses_is_told_where_there_is_nothing(scene: Scene) -> None:
    seen(scene.mallory)  # what is made by asking, such as a session's file, is there now
    before = seen(scene.mallory)
    evolved(scene.alice, "secret_sum", description="adds what is secret")
    evolved(scene.alice, "secret_sum", TWICE, description="adds what is secret")
    hidden = scene.alice.call("submit_define", kleis="define hidden(x : ℤ) : ℤ = x * 7", session="plans")
    assert hidden["accepted"]
    assert scene.alice.call("save_theory", name="kept_by_alice", session="plans")["status"] == "saved"
    assert scene.alice.call("export", directory="taken_along")["type"] != "error"
    assert "project_id" in scene.alice.call(
        "evaluate", expression="∀(x : ℤ). x = x", session="plans", wait=False
    )
    for now, then in zip(seen(scene.mallory), before, strict=True):
        assert now == then
    # … and nothing of it was changed by guessing.
    assert scene.alice.call("secret_sum", input=8)["value"] == 16
    assert scene.alice.call("run", code="secret_sum@1", input=8)["value"] == 64
    assert scene.alice.call("evaluate", expression="hidden(3)", session="plans")["result"] == "21"


def test_a_helper_cannot_be_swapped(scene: Scene) -> None:
    evolved(scene.alice, "helper", SQUARE)
    uses = {"lam": "x", "body": {"app": ["helper", {"var": "x"}]}}
    evolved(scene.alice, "uses_helper", uses)
    evolved(scene.mallory, "helper", TWICE)
    evolved(scene.mallory, "helper", SQUARE)
    evolved(scene.mallory, "helper", TWICE)
    assert scene.alice.call("uses_helper", input=5)["value"] == 25
    scene.mallory.call("forget", name="helper")
    assert scene.alice.call("uses_helper", input=5)["value"] == 25
    evolved(scene.mallory, "uses_helper", uses | {"body": 0})
    assert scene.alice.call("uses_helper", input=5)["value"] == 25
    assert scene.mallory.call("helper", input=5)["type"] == "error"


def test_the_owner_of_the_home_is_one_of_them(scene: Scene) -> None:
    owner = Caller(scene.server, token(scene.home, "owner", ALL_SCOPES))
    evolved(owner, "of_the_owner")
    assert scene.mallory.call("run", code="of_the_owner", input=2)["type"] == "error"
    assert "of_the_owner" not in scene.mallory.tools()
    evolved(scene.alice, "of_alice")
    assert owner.call("run", code="of_alice", input=2)["type"] == "error"


# ── ids ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_job_is_nobody_else_s_by_its_id(scene: Scene) -> None:
    begun = scene.alice.call("evaluate", expression="∀(x : ℤ). x + 0 = x", wait=False)
    number = begun["project_id"]
    made_up = "job-" + "0" * 32
    for arguments in ({}, {"cancel": True}):
        told = scene.mallory.call("check_job", project_id=number, **arguments)
        other = scene.mallory.call("check_job", project_id=made_up, **arguments)
        assert json.dumps(told).replace(number, made_up) == json.dumps(other)
    while (found := scene.alice.call("check_job", project_id=number))["status"] == "in_progress":
        pass
    assert found["status"] == "done"


def opened(caller: Caller) -> str:
    status, received, _ = caller.server.request(
        "POST", "/mcp", json.dumps(initialize(1)).encode(), **caller.headers
    )
    assert status == 200
    session: str = received["mcp-session-id"]
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
    caller.server.request("POST", "/mcp", note, **caller.headers, **{"Mcp-Session-Id": session})
    return session


def test_a_session_of_the_protocol_is_nobody_else_s_by_its_id(scene: Scene) -> None:
    session = opened(scene.alice)
    theirs = {"Mcp-Session-Id": session}
    ping = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "ping"}).encode()
    for method, body in (("POST", ping), ("GET", None), ("DELETE", None)):
        status, _, said = scene.server.request(method, "/mcp", body, **theirs, **scene.mallory.headers)
        unknown, _, other = scene.server.request(
            method, "/mcp", body, **{"Mcp-Session-Id": "0" * 32}, **scene.mallory.headers
        )
        assert (status, said) == (unknown, other)
        assert status == 404
    assert scene.server.request("POST", "/mcp", ping, **theirs, **scene.alice.headers)[0] == 200


def test_a_request_cannot_be_cancelled_by_who_guesses_its_id(scene: Scene) -> None:
    session, mine = opened(scene.alice), opened(scene.mallory)
    again = {"continue": {"input": {"add": [{"var": "n"}, 1]}}}
    branch = {"cond": {"lt": [{"var": "n"}, 4_000]}, "then": again, "else": {"var": "n"}}
    evolved(scene.alice, "counter", {"lam": "n", "body": {"if": branch}})
    asked = {"jsonrpc": "2.0", "id": 77, "method": "tools/call",
             "params": {"name": "run", "arguments": {"tool": "counter", "input": 0, "drive": 5_000, "fuel": 1_000_000}}}  # fmt: skip
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}
    note = json.dumps(cancel).encode()
    body = json.dumps(asked).encode()
    with scene.server.connect() as connection:
        headers = {
            "MCP_Protocol_Version": "2025-11-25",
            "Mcp_Method": "",
            "Mcp_Name": "",
            "Mcp_Session_Id": session,
        }
        connection.sendall(
            posted(body, Authorization=scene.alice.headers["Authorization"], Connection="close", **headers)
        )
        for target in (session, mine):
            for each in (note, note):
                scene.server.request(
                    "POST", "/mcp", each, **{"Mcp-Session-Id": target}, **scene.mallory.headers
                )
        said = until_closed(connection)
    assert b'"value":4000' in said, said


def test_nobody_is_told_that_another_changed_something(scene: Scene) -> None:
    told: list[Any] = []
    mine = asyncio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.append(message)
            mine.set()

    async def talk() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            httpx2.AsyncClient(headers=scene.mallory.headers) as http,
            Client(
                streamable_http_client(scene.server.url, http_client=http),
                mode="legacy",
                message_handler=note,
            ) as client,
        ):
            await client.list_tools()
            for number in range(3):
                await asyncio.to_thread(evolved, scene.alice, f"noise_{number}")
                await client.list_tools(cache_mode="refresh")
            assert told == []
            await asyncio.to_thread(evolved, scene.mallory, "signal")
            await mine.wait()
            await client.list_tools(cache_mode="refresh")
        assert len(told) == 1

    asyncio.run(talk())


# ── the server itself ────────────────────────────────────────────────────────────────────────────────────────


def test_a_server_that_is_open_closes_with_the_first_token_and_stays_closed(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        nobody = Caller(server, "")
        evolved(nobody, "before")
        assert json.loads(server.request("GET", "/")[2])["authorization"].startswith("none")
        alice = Caller(server, token(tmp_path, "alice"))
        assert nobody.status_of("list")[0] == 401
        assert json.loads(server.request("GET", "/")[2])["authorization"] == "Bearer"
        assert alice.call("list")["total"] == 0
        (tmp_path / FILE).unlink()
        assert nobody.status_of("list")[0] == 401  # a file that is taken away opens nothing
        assert alice.status_of("list")[0] == 401
        owner = Caller(server, token(tmp_path, "owner"))
        assert owner.call("before", input=4)["value"] == 16


def test_tokens_that_cannot_be_read_let_nobody_in_but_the_owner_by_the_secret(tmp_path: Path) -> None:
    secret = token(tmp_path, "alice")
    with serving(tmp_path, token="the-secret-of-the-environment") as server:
        alice, owner = Caller(server, secret), Caller(server, "the-secret-of-the-environment")
        assert alice.status_of("list")[0] == 200
        for damage in (b"", b"{", b'{"tokens":[],"format":2}', b'{"tokens":[{"id":"x"}],"format":1}'):
            (tmp_path / FILE).write_bytes(damage)
            assert alice.status_of("list")[0] == 503
            assert Caller(server, "").status_of("list")[0] == 401
            assert owner.status_of("list")[0] == 200
    with serving(tmp_path) as server:
        assert Caller(server, "").status_of("list")[0] == 401


def test_no_log_holds_a_token(tmp_path: Path) -> None:
    secret = token(tmp_path, "alice")
    with serving(tmp_path, log="json", log_arguments=True) as server:
        assert Caller(server, secret).call("list")["total"] == 0
        assert Caller(server, secret + "x").status_of("list")[0] == 401
        server.process.send_signal(signal.SIGTERM)
        status, said = server.ended()
    assert status == 0
    (line,) = [json.loads(each) for each in said.splitlines()]
    assert line["client"] == "principal alice"
    assert secret not in said


def test_proofs_in_processes_that_principals_share_are_about_their_own_tools(scene: Scene) -> None:
    law = "∀(x : ℤ). measured(x) ≥ 0"
    for _ in range(2):  # the processes of searches go from one to the other and back
        for caller, code, holds in ((scene.alice, SQUARE, True), (scene.mallory, TWICE, False)):
            answer = caller.call(
                "evolve", name="measured", description="d", code=code, laws=[law], timeout_ms=20_000
            )
            assert (answer["type"] == "tool") == holds, answer
    assert scene.alice.call("measured", input=-3)["value"] == 9
    assert scene.mallory.call("run", code="measured", input=1)["type"] == "error"


def test_nobody_is_told_what_happens_at_another_s_address(scene: Scene) -> None:
    uris = ["pif://tools/watched_tool", "kleis://sessions/watched", "pif://tools/mine"]

    async def talk() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            httpx2.AsyncClient(headers=scene.mallory.headers) as http,
            Client(streamable_http_client(scene.server.url, http_client=http), mode=MODERN) as client,
            client.listen(tools_list_changed=True, resource_subscriptions=uris) as stream,
        ):
            await asyncio.to_thread(evolved, scene.alice, "watched_tool")
            define = "define watched_function(x : ℤ) : ℤ = x"
            await asyncio.to_thread(scene.alice.call, "submit_define", kleis=define, session="watched")
            await asyncio.to_thread(evolved, scene.mallory, "mine")
            told: list[Any] = []
            async for event in stream:  # all addresses are looked at together
                told.append(event)
                if isinstance(event, ResourceUpdated):
                    break
        assert [each.uri for each in told if isinstance(each, ResourceUpdated)] == ["pif://tools/mine"]
        assert len(told) == 2  # and one change of the list: Mallory's

    asyncio.run(talk())
