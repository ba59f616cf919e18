"""What a server over HTTP refuses, how long it waits, and how it ends. See docs/reference/serving.md §3."""

from __future__ import annotations

import json
import select
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.server.mcp.http_bodies import SMALL_BODY
from registry.server.mcp.http_requests import BODY, NESTING
from tests.support.servers.http_server import (
    HEADERS,
    Served,
    answer_of,
    call,
    hasty,
    posted,
    until_closed,
)
from tests.support.servers.raw_client import MODERN, PATIENCE, initialize

PING = call("echo", value="here")
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with hasty() as server:
        yield server


def lives(server: Served) -> None:
    """The server answers a good request."""
    with server.connect() as connection:
        connection.sendall(posted(PING))
        status, _, body = answer_of(connection)
        assert status == 200
        assert json.loads(body)["result"]["structuredContent"]["value"] == "here"


def opened(server: Served) -> str:
    """A new session of the 2025 protocol."""
    status, headers, _ = server.request("POST", "/mcp", json.dumps(initialize(1)).encode())
    assert status == 200
    return headers["Mcp-Session-Id"]


def listed(server: Served, session: str) -> int:
    body = b'{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
    headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    return server.request("POST", "/mcp", body, **headers)[0]


# ── heads ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "127.0.0.1@evil.example"}, 421),
        ({"Host": "localhost:80:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Origin": "file://127.0.0.1"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": ""}, 415),
        ({"Content_Length": str(BODY + 1)}, 413),
    ],
)
def test_a_head_is_judged_before_the_body_comes(served: Served, changed: dict[str, str], status: int) -> None:
    with served.connect() as connection:
        head, _, _ = posted(PING, **changed).partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")  # and not a byte more
        found, _, body = answer_of(connection)
        assert found == status
        assert json.loads(body)["error"]["message"]


def test_the_token_is_asked_for_before_the_body_comes() -> None:
    with hasty(token="secret") as server, server.connect() as connection:
        head, _, _ = posted(PING).partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")
        status, headers, _ = answer_of(connection)
        assert (status, headers["www-authenticate"]) == (401, 'Bearer realm="pif"')


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:5", "[::1]", "LOCALHOST:80", "127.1.2.3"])
def test_names_of_this_machine(served: Served, host: str) -> None:
    assert served.post(PING, **HEADERS | {"Mcp-Name": "echo"}, Host=host, Origin=f"http://{host}")[0] == 200


def test_a_client_that_waits_for_leave_to_send(served: Served) -> None:
    with served.connect() as connection:
        head, _, body = posted(PING, Expect="100-continue").partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")
        assert connection.recv(64).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert answer_of(connection)[0] == 200
    with served.connect() as connection:
        head, _, body = posted(PING, Expect="100-continue", Host="evil").partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")
        assert until_closed(connection).startswith(b"HTTP/1.1 421 ")


def test_what_is_there(served: Served) -> None:
    status, headers, text = served.request("GET", "/")
    about = json.loads(text)
    assert (status, about["endpoint"], about["name"]) == (200, "/mcp", "demo")
    assert MODERN in about["protocol_versions"]
    status, headers, text = served.request("HEAD", "/")
    assert (status, text) == (200, b"")
    assert int(headers["Content-Length"]) > 0
    assert served.request("GET", "/", Host="evil.example")[0] == 421
    assert served.request("POST", "/", b"{}")[0] == 405
    assert served.request("GET", "/other")[0] == 404
    status, headers, _ = served.request("PUT", "/mcp", b"{}")
    assert (status, headers["Allow"]) == (405, "GET, POST, DELETE")
    with hasty(token="secret") as closed:
        assert closed.request("GET", "/")[0] == 200
        assert closed.request("GET", "/other")[0] == 401


def test_there_is_nothing_to_resume(served: Served) -> None:
    headers = {"Mcp-Session-Id": opened(served), "MCP-Protocol-Version": "2025-11-25", "Last-Event-ID": "5"}
    status, _, text = served.request("GET", "/mcp", **headers)
    assert status == 400
    assert "without Last-Event-ID" in json.loads(text)["error"]["message"]
    assert served.request("GET", "/mcp", **{"Last-Event-ID": "5"})[0] == 400


def test_no_request_is_put_on_the_connection_of_a_stream_that_may_end(served: Served) -> None:
    """A client of the 2025 protocol would, and lose it: with TLS it learns of the end of a connection after that of the stream."""
    session = opened(served)
    with served.connect() as connection:
        connection.settimeout(PATIENCE)
        head = (
            f"Accept: text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {session}\r\n"
        )
        connection.sendall(f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n".encode())
        said = b""
        while b"\r\n\r\n" not in said:
            said += connection.recv(65_536)
    lines = said.partition(b"\r\n\r\n")[0].lower().splitlines()
    assert lines[0].startswith(b"http/1.1 200")
    assert b"content-type: text/event-stream" in b" ".join(lines)
    assert lines.count(b"connection: close") == 1
    _, headers, _ = served.request("POST", "/mcp", PING, **HEADERS)
    assert "Connection" not in headers


@pytest.mark.parametrize(("version", "marked"), [("2025-11-25", None), (MODERN, "complete")])
def test_a_refused_call_has_the_form_of_its_protocol(
    served: Served, version: str, marked: str | None
) -> None:
    nested: Any = 0
    for _ in range(NESTING):
        nested = [nested]
    status, answer = served.post(call("echo", value=nested), **{"MCP-Protocol-Version": version})
    assert status == 200
    assert answer["result"]["structuredContent"]["error"]["kind"] == "term_too_deep"
    assert answer["result"].get("resultType") == marked


def test_pages_of_other_origins_only_where_they_are_allowed(served: Served) -> None:
    page = "https://example.org"
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "mcp-method,content-type",
    }
    status, headers, _ = served.request("OPTIONS", "/mcp", Origin=page, **asked)
    assert status == 403
    assert "Access-Control-Allow-Origin" not in headers
    _, headers, _ = served.request("POST", "/mcp", PING, Origin=f"http://localhost:{served.port}")
    assert "Access-Control-Allow-Origin" not in headers
    with hasty(origins=[page]) as server:
        status, headers, _ = server.request("OPTIONS", "/mcp", Origin=page, **asked)
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, page)
        assert "mcp-method" in headers["Access-Control-Allow-Headers"]
        sent = HEADERS | {"Mcp-Name": "echo", "Origin": page}
        status, headers, _ = server.request("POST", "/mcp", PING, **sent)
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, page)
        status, headers, _ = server.request("POST", "/mcp", PING, **sent | {"Origin": "https://evil.example"})
        assert status == 403
        assert "Access-Control-Allow-Origin" not in headers


# ── sockets ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_requests_sent_together_are_answered_in_their_order(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(b"".join(posted(call("echo", value=number)) for number in range(20)))
        for number in range(20):
            status, _, body = answer_of(connection)
            assert (status, json.loads(body)["result"]["structuredContent"]["value"]) == (200, number)


def test_a_refused_body_is_not_taken_for_the_next_request(served: Served) -> None:
    smuggled = posted(call("add_tool", name="smuggled"), "add_tool")
    refused = posted(PING, Host="evil", Content_Length=str(len(smuggled))).partition(b"\r\n\r\n")[0]
    with served.connect() as connection:
        connection.sendall(refused + b"\r\n\r\n" + smuggled + posted(PING))
        assert answer_of(connection)[0] == 421
        assert answer_of(connection)[0] == 200
    assert b"smuggled" not in served.request("POST", "/mcp", call("status"), **HEADERS)[2]


def test_small_answers_are_not_held_back() -> None:
    """TCP_NODELAY is on: asyncio sets it where the listening socket knows its protocol."""
    from registry.server.mcp.listening import listen

    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.proto == socket.IPPROTO_TCP
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


def test_a_client_that_sends_everything_first_gets_its_answer(served: Served) -> None:
    """The connection is not reset while the client sends, even where it asked to be closed after the answer."""
    for length in (BODY + 1, 3 * BODY):
        with served.connect() as connection:
            connection.sendall(posted(b"x" * length, Connection="close"))
            assert answer_of(connection)[0] == 413
            assert connection.recv(1) == b""


# ── deadlines ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sent", [b"", b"P", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX:"])
def test_a_head_that_does_not_come(sent: bytes) -> None:
    with hasty(head=0.2) as server:
        with server.connect() as connection:
            connection.sendall(sent)
            assert until_closed(connection).startswith(b"HTTP/1.1 408 ")
        lives(server)


def test_a_head_that_comes_byte_by_byte() -> None:
    """Every byte is new, and none moves the deadline."""
    with hasty(head=0.5) as server, server.connect() as connection:
        stopped = threading.Event()

        def drip() -> None:
            while not stopped.wait(0.02):
                try:
                    connection.sendall(b"X")
                except OSError:
                    return

        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            until_closed(connection)  # or it waits in vain: a reset may take the answer away
        finally:
            stopped.set()
            dripping.join()
        lives(server)


def test_a_body_that_does_not_come() -> None:
    with hasty(body=0.2) as server:
        with server.connect() as connection:
            connection.sendall(posted(PING, Content_Length="5000"))
            assert until_closed(connection).startswith(b"HTTP/1.1 408 ")
        lives(server)


def test_a_connection_without_requests_is_closed() -> None:
    with hasty(idle=0.2) as server, server.connect() as connection:
        connection.sendall(posted(PING))
        assert answer_of(connection)[0] == 200
        assert until_closed(connection) == b""


def test_the_rest_of_a_refused_body_is_not_waited_for() -> None:
    with hasty(unread=0.2) as server, server.connect() as connection:
        connection.sendall(posted(PING, Host="evil", Content_Length="5000"))
        assert answer_of(connection)[0] == 421
        assert until_closed(connection) == b""


def test_a_client_that_does_not_read() -> None:
    with hasty(blocked=0.2) as server:
        with server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            large = posted(call("echo", value="x" * (BODY // 2)))
            connection.sendall(large)
            # The answer is twice as long as the question; what the system does not take waits in the server.
            connection.settimeout(PATIENCE)
            while not _is_cut(connection, large):
                pass
        lives(server)


def _is_cut(connection: socket.socket, data: bytes) -> bool:
    """Whether the server has cut a connection that only sends. Fails where it lets it wait."""
    try:
        connection.sendall(data)
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


# ── room ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_half_sent_bodies_stay_within_the_budget() -> None:
    with hasty() as server:
        lives(server)
        before = server.memory()
        sent = posted(call("echo", value="x" * (BODY - 1_000)))[: BODY - 2_000]
        connections = []
        try:
            for _ in range(40):
                connection = server.connect()
                connections.append(connection)
                threading.Thread(target=_send_quietly, args=(connection, sent), daemon=True).start()
            waiting, refused = set(connections), 0
            while refused < 30:
                ready, _, _ = select.select(waiting, [], [], PATIENCE)
                assert ready, refused
                for connection in ready:
                    waiting.discard(connection)
                    refused += answer_of(connection)[0] == 503
            lives(server)
        finally:
            for connection in connections:
                connection.close()
        assert server.memory() - before < 120 * MEGABYTE
        lives(server)


def _send_quietly(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        return


def test_the_longest_unfinished_body_gives_way() -> None:
    with hasty(bodies=4 * SMALL_BODY) as server, server.connect() as greedy:
        greedy.sendall(posted(b"x" * 3 * SMALL_BODY, Content_Length=str(BODY)))
        assert (
            server.post(call("echo", value="y" * 2 * SMALL_BODY), **HEADERS | {"Mcp-Name": "echo"})[0] == 200
        )
        status, headers, _ = answer_of(greedy)
        assert (status, headers["retry-after"]) == (503, "2")


def test_the_session_that_was_idle_for_longest_makes_room() -> None:
    with hasty(sessions=3) as server:
        first, second, third = (opened(server) for _ in range(3))
        assert listed(server, first) == 200
        fourth = opened(server)
        assert listed(server, second) == 404
        assert [listed(server, each) for each in (first, third, fourth)] == [200, 200, 200]


def test_a_session_with_an_open_stream_is_not_idle() -> None:
    with hasty(sessions=1) as server:
        session = opened(server)
        with server.connect() as stream:
            stream.sendall(
                b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                b"MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session.encode() + b"\r\n\r\n"
            )
            assert stream.recv(64).startswith(b"HTTP/1.1 200 ")
            status, headers, _ = server.request("POST", "/mcp", json.dumps(initialize(1)).encode())
            assert (status, headers["Retry-After"]) == (503, "2")
            assert listed(server, session) == 200
        lives(server)


def test_sessions_do_not_run_out() -> None:
    with hasty(sessions=20) as server:
        sessions = [opened(server) for _ in range(100)]
        assert [listed(server, each) for each in sessions[-20:]] == [200] * 20
        assert listed(server, sessions[0]) == 404


def test_a_connection_without_a_request_makes_room() -> None:
    with hasty(connections=8) as server:
        waiting = [server.connect() for _ in range(30)]
        lives(server)
        assert until_closed(waiting[0]) == b""
        for connection in waiting:
            connection.close()


# ── TLS ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of its own making, with its key in the same file."""
    folder = tmp_path_factory.mktemp("tls")
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", "key.pem", "-out", "certificate.pem", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=IP:127.0.0.1"]  # fmt: skip
    try:
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "certificate.pem").read_text())
    return both


def test_tls(certificate: Path) -> None:
    with hasty(certificate=str(certificate)) as server:
        assert server.url.startswith("https://")
        trusting = ssl.create_default_context(cafile=certificate)
        with trusting.wrap_socket(server.connect(), server_hostname="127.0.0.1") as connection:
            for _ in range(2):
                connection.sendall(posted(PING))
                assert answer_of(connection)[0] == 200
        with server.connect() as plain:
            plain.sendall(posted(PING))
            assert b"200" not in until_closed(plain)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")


def test_a_certificate_that_does_not_serve(tmp_path: Path, certificate: Path) -> None:
    from registry.server.mcp.http_options import HttpOptions

    nowhere = tmp_path / "none.pem"
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        HttpOptions(("", 0), (), nowhere).tls()
    nowhere.write_text("no PEM")
    with pytest.raises(ValueError, match="no certificate and key in PEM"):
        HttpOptions(("", 0), (), nowhere).tls()
    with pytest.raises(ValueError, match="add --certfile"):
        HttpOptions(("", 0), (), None, nowhere).check()
    assert HttpOptions(("", 0), (), certificate).tls() is not None


# ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_answers_what_is_under_way(number: signal.Signals) -> None:
    with hasty() as server:
        session = opened(server)
        stream, older, newer, idle, half = (server.connect() for _ in range(5))
        of_session = f"MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {session}\r\n".encode()
        stream.sendall(
            b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + of_session + b"\r\n"
        )
        assert stream.recv(64).startswith(b"HTTP/1.1 200 ")
        waiting = call("wait_for_cancel")
        newer.sendall(posted(waiting, "wait_for_cancel"))
        older.sendall(
            posted(waiting, "wait_for_cancel", MCP_Protocol_Version="2025-11-25", Mcp_Session_Id=session)
        )
        half.sendall(posted(PING, Content_Length="5000"))
        _until_begun(server, 2)
        server.process.send_signal(number)
        for connection in (older, newer):
            said = until_closed(connection)
            assert b"200 OK" in said
            assert b"the server is being stopped" in said
            assert said.endswith((b"0\r\n\r\n", b"}"))  # whole: the last chunk, or the body's last byte
        assert until_closed(stream).endswith(b"0\r\n\r\n")
        assert until_closed(idle) == b""
        until_closed(half)
        assert server.ended() == (0, "")
        for connection in (stream, older, newer, idle, half):
            connection.close()


def _until_begun(server: Served, count: int) -> None:
    headers = HEADERS | {"Mcp-Name": "status"}
    for _ in range(1_000):
        if server.post(call("status"), **headers)[1]["result"]["structuredContent"]["begun"] == count:
            return
    raise AssertionError("the calls do not begin")
