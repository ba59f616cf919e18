"""Malformed HTTP: request lines, headers, lengths, chunks, names and ends that are not as they should be.

Each example is one connection with bytes on it. What h11 makes of them says what must come back: a status for what is no
HTTP, an answer for each request that is whole, nothing for a part of one. After each the server answers a good request,
and its memory stays bounded. `PIF_EXAMPLES=10000` tries as many.
"""

from __future__ import annotations

import json
import signal
import socket
import struct
from collections.abc import Iterator

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from registry.server.mcp.http_connection import HEAD_BYTES
from tests.support.servers.http_server import Served, answer_of, call, hasty, posted
from tests.support.servers.raw_client import initialize

MEMORY = 250_000_000
"""Of the server, at its most."""

GOOD = posted(call("echo", value="good"))
OLDER = posted(json.dumps(initialize(1)).encode(), MCP_Protocol_Version="", Mcp_Method="", Mcp_Name="")
CHUNKED = posted(b"", Content_Length="", Transfer_Encoding="chunked")
PROPER = {200, 202, 400, 401, 403, 404, 405, 406, 408, 411, 413, 415, 417, 421, 431, 501, 503, 505}


class Target:
    """A server, and a connection of its own for good requests."""

    def __init__(self, server: Served, good: socket.socket) -> None:
        self.server = server
        self._good = good

    def lives(self) -> None:
        self._good.sendall(GOOD)
        status, _, body = answer_of(self._good)
        assert status == 200
        assert json.loads(body)["result"]["structuredContent"]["value"] == "good"


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with hasty() as server:
        with server.connect() as good:
            yield Target(server, good)
        assert server.memory() < MEMORY
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")  # and nothing was logged


# ── what is sent ─────────────────────────────────────────────────────────────────────────────────────────────

junk = st.binary(max_size=60)
token = st.sampled_from(
    [
        b"GET",
        b"POST",
        b"get",
        b"",
        b"P OST",
        b"\x00",
        b"CONNECT",
        b"PRI",
        b"A" * 100,
        b"\xff",
        b"DELETE",
        b"PUT",
    ]
)
targets = st.sampled_from(
    [b"/mcp", b"/", b"", b"*", b"/mcp/../x", b"/%2e%2e", b"http://evil/mcp", b"/\x00", b"/\xff", b"/" + b"a" * 70_000,
     b"/mcp?" + b"q" * 500, b"/%zz", b"//mcp", b"/mcp#x"]
)  # fmt: skip
versions = st.sampled_from(
    [
        b"HTTP/1.1",
        b"HTTP/1.0",
        b"HTTP/0.9",
        b"HTTP/2.0",
        b"HTTP/9.9",
        b"http/1.1",
        b"",
        b"HTTP/1.1 x",
        b"\xff",
    ]
)
ends = st.sampled_from([b"\r\n", b"\n", b"\r", b"\r\r\n", b"\n\r\n", b"\x00", b""])
names = st.sampled_from(
    [b"Host", b"Origin", b"Content-Length", b"Transfer-Encoding", b"Content-Type", b"Accept", b"Connection", b"Upgrade",
     b"Expect", b"Mcp-Session-Id", b"MCP-Protocol-Version", b"Mcp-Method", b"Mcp-Name", b"Last-Event-ID", b"X",
     b"Authorization", b" X", b"X ", b"X:Y", b"", b"\xff", b"Mcp-Param-X"]
)  # fmt: skip
values = st.sampled_from(
    [b"", b"evil.example", b"null", b"http://127.0.0.1.evil", b"-1", b"+5", b"0x10", b"1e3", b"99999999999999999999999",
     b"5, 6", b"4194305", b"chunked", b"gzip", b"chunked, chunked", b"identity", b"close", b"keep-alive, Upgrade",
     b"websocket", b"h2c", b"100-continue", b"200-continue", b"2099-01-01", b"2025-11-25", b"2026-07-28", b"\x00", b"\xff",
     b"a" * (HEAD_BYTES + 100), b"a\r\n b", b"a\nX: y", b"=?base64?zzz?=", b"text/plain", b"*/*;q=x", b"127.0.0.1",
     b"[::1", b"127.0.0.1:99999999", b"127.0.0.1, evil"]
)  # fmt: skip
headers = st.lists(st.tuples(names, st.one_of(values, junk)), max_size=6)
chunks = st.lists(
    st.sampled_from(
        [b"5\r\nabcde\r\n", b"zz\r\n", b"-1\r\n", b"FFFFFFFFFFFFFFFFFFFF\r\n", b"5;ext=" + b"e" * 20_000 + b"\r\n", b"0\r\n\r\n",
         b"0\r\nX: y\r\n\r\n", b"0\r\n" + b"T: t\r\n" * 5_000, b"2\r\n{}\r\n", b"5\r\nabc\r\n", b"\r\n", b"400001\r\n", b"5\nabcde\n",
         b"1_0\r\n", b" 5\r\n", b"0x5\r\n"]
    ),
    max_size=6,
).map(b"".join)  # fmt: skip


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A request put together of parts of which some are wrong."""
    end = draw(ends)
    first = b" ".join([draw(token), draw(targets), draw(versions)]) + draw(ends)
    fields = b"".join(name + b": " + value + draw(ends) for name, value in draw(headers))
    return first + fields + end + draw(junk)


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A good request with other headers, or with bytes changed, taken away, put in, or cut off."""
    base = draw(st.sampled_from([GOOD, OLDER, CHUNKED]))
    head, _, body = base.partition(b"\r\n\r\n")
    for name, value in draw(headers):
        wanted = [line for line in head.split(b"\r\n") if draw(st.booleans()) or not line.startswith(name)]
        head = b"\r\n".join([*wanted, name + b": " + value])
    whole = head + b"\r\n\r\n" + body
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(whole)))
        whole = whole[:place] + draw(junk) + whole[place + draw(st.integers(0, 20)) :]
    return whole[: draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole))))]


in_chunks = chunks.map(lambda text: CHUNKED + text)
together = st.lists(st.one_of(changed(), st.just(GOOD)), min_size=2, max_size=4).map(b"".join)
manners = st.sampled_from(["read", "read in pieces", "go", "reset", "end"])


# ── what must come back ──────────────────────────────────────────────────────────────────────────────────────


def expected(sent: bytes) -> tuple[int, int | None, bool]:
    """By h11: how many requests are whole, the status where what comes next is no HTTP, and whether more is awaited."""
    parser = h11.Connection(h11.SERVER, HEAD_BYTES)
    whole = 0
    if not sent:
        return whole, None, True
    parser.receive_data(sent)
    try:
        while True:
            event = parser.next_event()
            if isinstance(event, h11.EndOfMessage):
                whole += 1
                parser.send(h11.Response(status_code=404, headers=[("content-length", "0")]))
                parser.send(h11.EndOfMessage())
                if parser.our_state is not h11.DONE:
                    return whole, None, False
                parser.start_next_cycle()
            elif event is h11.NEED_DATA or event is h11.PAUSED:
                return whole, None, True
    except h11.RemoteProtocolError as error:
        return whole, error.error_status_hint, False


def attacked(server: Served, sent: bytes, manner: str) -> None:
    """Send the bytes, and see that what comes back is as it should be."""
    whole, status, awaited = expected(sent)
    with server.connect() as connection:
        try:
            step = 7 if manner == "read in pieces" and len(sent) < 2_000 else len(sent) or 1
            for start in range(0, len(sent), step):
                connection.sendall(sent[start : start + step])
            if manner == "end":
                connection.shutdown(socket.SHUT_WR)
            elif manner == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif manner.startswith("read"):
                read(connection, whole if awaited else whole + 1)
        except (BrokenPipeError, ConnectionResetError):
            # Refused and closed before all was sent: as no HTTP, after a request, or by its head.
            assert status is not None or whole or b"\r\n\r\n" in sent


def read(connection: socket.socket, count: int) -> None:
    """So many answers at most, each a proper one."""
    for _ in range(count):
        try:
            found, fields, body = answer_of(connection)
        except EOFError:
            return
        assert found in PROPER, (found, body)
        assert b"Traceback" not in body
        if found >= 400:
            assert body or found in (405, 406)
        if fields.get("transfer-encoding") == "chunked":
            return


@given(sent=st.one_of(lines(), changed(), in_chunks, together, junk), manner=manners)
@example(sent=b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", manner="read")
@example(sent=b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n", manner="read")
@example(sent=b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", manner="read")
@example(sent=CHUNKED + b"zz\r\n", manner="read")
@example(
    sent=posted(b"{}", Host="evil", Content_Length="", Transfer_Encoding="chunked") + b"zz\r\n", manner="read"
)
@example(sent=GOOD + b"\x00\x01\x02\r\n\r\n", manner="read")
@example(sent=GOOD[:-5], manner="end")
@example(sent=GOOD[:-5], manner="reset")
@example(sent=posted(b"{}", Expect="200-continue"), manner="read")
@example(sent=b"CONNECT /mcp HTTP/1.0\r\n\r\n", manner="read")
def test_what_is_no_request_is_refused(target: Target, sent: bytes, manner: str) -> None:
    attacked(target.server, sent, manner)
    target.lives()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * (HEAD_BYTES + 1), 431),
        (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
        (CHUNKED + b"zz\r\n", 400),
    ],
)
def test_what_is_no_http_is_said_in_words(target: Target, sent: bytes, status: int) -> None:
    with target.server.connect() as connection:
        connection.sendall(sent)
        found, fields, body = answer_of(connection)
        assert (found, fields["connection"]) == (status, "close")
        assert json.loads(body)["error"]["code"] == -32600
        assert connection.recv(1) == b""
