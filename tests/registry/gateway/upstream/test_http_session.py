"""Upstreams over HTTP: both generations, and servers that misbehave, each at the cost of its own calls only."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable

import pytest

from registry.gateway.upstream.http_session import header_value
from registry.gateway.upstream.protocol import Notification, Timeouts, UpstreamFailure
from tests.support.gateway.hostile_pool import call, run, text_of
from tests.support.gateway.http_upstream import Asked, answered, by_http, event, head, initialized

SSE = {"content_type": "text/event-stream"}


def _text(said: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": said}]}


def test_a_session_is_kept_told_and_ended() -> None:
    seen: list[tuple[str, str | None, str | None, str | None]] = []

    async def serve(asked: Asked) -> None:
        headers = asked.headers
        seen.append(
            (asked.method, asked.rpc, headers.get("mcp-session-id"), headers.get("mcp-protocol-version"))
        )
        assert headers["x-key"] == "s3cret"
        assert headers["accept-encoding"] == "identity"
        asked.write(initialized(asked) or answered(asked, _text(json.dumps(asked.body["params"]))))

    async def test() -> None:
        async with by_http(serve, headers={"X-Key": "s3cret"}) as (_, upstream):
            arguments = b'{"n":1.0e+2,\n"b":12345678901234567890}'
            said = await upstream.request("tools/call", {"name": b'"t"', "arguments": arguments})
            assert json.loads(text_of(said))["arguments"] == {"n": 100.0, "b": 12345678901234567890}

    run(test)
    assert seen[0] == ("POST", "server/discover", None, "2026-07-28")
    assert seen[1] == ("POST", "initialize", None, None)
    assert ("POST", "tools/call", "s-1", "2025-11-25") in seen
    assert seen[-1] == ("DELETE", None, "s-1", "2025-11-25")


def test_a_call_over_a_stream_with_progress_and_a_request_of_the_server() -> None:
    answers: asyncio.Queue[object] = asyncio.Queue()

    async def serve(asked: Asked) -> None:
        if (known := initialized(asked)) is not None:
            asked.write(known)
        elif asked.rpc is None:
            answers.put_nowait(asked.body)
            asked.write(head(202, content_length="0"))
        else:
            token = asked.body["params"]["_meta"]["progressToken"]
            asked.write(head(200, **SSE) + b"\xef\xbb\xbf: hello\r\n\r\n")
            progress = {"progressToken": token, "progress": 1}
            asked.write(event({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}))
            asked.write(event({"jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": {}}))
            await asked.writer.drain()
            while answers.empty():
                await asyncio.sleep(0.005)
            for each in event(
                {"jsonrpc": "2.0", "id": asked.id, "result": _text("\u2028 é")}, event="message"
            ):
                asked.write(bytes([each]))

    async def test() -> None:
        told: list[Notification] = []
        async with by_http(serve) as (_, upstream):
            assert text_of(await call(upstream, "t", on_notification=told.append)) == "\u2028 é"
        assert told == [Notification("notifications/progress", {"progress": b"1"})]
        refusal = answers.get_nowait()
        assert isinstance(refusal, dict)
        assert (refusal["id"], refusal["error"]["code"]) == (9, -32601)

    run(test)


def _stolen(asked: Asked) -> bytes:
    """An answer to the call that another request's stream waits for."""
    return head(200, **SSE) + event({"jsonrpc": "2.0", "id": asked.id - 1, "result": _text("stolen")})


def _compressed(asked: Asked) -> bytes:
    body = gzip.compress(b" " * 10_000_000)
    return (
        head(200, content_type="application/json", content_encoding="gzip", content_length=str(len(body)))
        + body
    )


HOSTILE: dict[str, tuple[Callable[[Asked], bytes], str]] = {
    "another's answer": (_stolen, "exited"),
    "a bomb": (_compressed, "broken"),
    "a redirect": (lambda _: head(307, location="http://127.0.0.2/", content_length="0"), "unavailable"),
    "no answer": (lambda _: head(202, content_length="0"), "broken"),
    "html": (lambda _: head(200, content_type="text/html") + b"<p>", "broken"),
    "garbage": (lambda _: head(200, content_type="application/json") + b"{", "broken"),
    "a batch": (
        lambda asked: (
            head(200, content_type="application/json") + b'[{"jsonrpc":"2.0","id":%d,"result":{}}]' % asked.id
        ),
        "broken",
    ),
    "a large body": (lambda _: head(200, content_type="application/json") + b" " * 200_000, "too_large"),
    "a large event": (lambda _: head(200, **SSE) + b"data: " + b"x" * 200_000, "too_large"),
    "many lines": (lambda _: head(200, **SSE) + b"data: x\n" * 100_000, "too_large"),
    "an empty stream": (lambda _: head(200, **SSE), "exited"),
    "no credentials": (lambda _: head(401, content_length="0"), "unavailable"),
    "an error": (lambda _: head(500, content_type="application/json") + b'{"error":"s3cret"}', "unavailable"),
    "no HTTP": (lambda _: b"SSH-2.0\r\n\r\n", "unavailable"),
    "nothing": (lambda _: b"", "unavailable"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_answer_that_is_none_costs_its_own_call(kind: str) -> None:
    answer, expected = HOSTILE[kind]

    async def serve(asked: Asked) -> None:
        known = initialized(asked)
        if known is not None:
            asked.write(known)
        elif asked.body["params"]["name"] == "fine":
            while not failed.is_set():
                await asyncio.sleep(0.005)
            asked.write(answered(asked, _text("fine")))
        else:
            asked.write(answer(asked))

    failed = asyncio.Event()

    async def test() -> None:
        async with by_http(serve) as (_, upstream):
            fine = asyncio.create_task(call(upstream, "fine"))
            await asyncio.sleep(0)
            with pytest.raises(UpstreamFailure) as caught:
                await call(upstream, "t")
            failed.set()
            assert caught.value.kind == expected
            assert "s3cret" not in str(caught.value)
            assert text_of(await fine) == "fine"

    run(test)


def test_an_ended_session_is_begun_anew_by_the_next_call() -> None:
    sessions = iter(("one", "two"))

    async def serve(asked: Asked) -> None:
        if asked.rpc == "initialize":
            asked.write(initialized(asked, next(sessions)) or b"")
        elif asked.rpc == "tools/call" and asked.headers["mcp-session-id"] == "one":
            asked.write(head(404, content_length="0"))
        else:
            asked.write(initialized(asked) or answered(asked, _text("second")))

    async def test() -> None:
        async with by_http(serve) as (pool, upstream):
            with pytest.raises(UpstreamFailure) as caught:
                await call(upstream, "t")
            assert caught.value.kind == "exited"
            assert text_of(await call(await pool.get("web", "k"), "t")) == "second"

    run(test)


def test_a_stream_that_breaks_off_is_taken_up_again() -> None:
    waiting: list[int] = []

    async def serve(asked: Asked) -> None:
        if asked.method == "GET" and "last-event-id" in asked.headers:
            assert asked.headers["last-event-id"] == "e-1"
            asked.write(head(200, **SSE))
            asked.write(event({"jsonrpc": "2.0", "id": waiting.pop(), "result": _text("late")}))
        elif (known := initialized(asked)) is not None:
            asked.write(known)
        else:
            waiting.append(asked.id)
            asked.write(head(200, **SSE) + b"id: e-1\nretry: 1\ndata:\n\n")

    async def test() -> None:
        async with by_http(serve) as (_, upstream):
            assert text_of(await call(upstream, "t")) == "late"

    run(test)


def test_the_stream_of_a_session_tells_what_was_not_asked() -> None:
    async def serve(asked: Asked) -> None:
        if asked.method == "GET":
            asked.write(head(200, **SSE))
            asked.write(event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
        else:
            asked.write(initialized(asked) or head(202))

    async def test() -> None:
        told: asyncio.Queue[Notification] = asyncio.Queue()
        async with by_http(serve, told.put_nowait):
            assert await told.get() == Notification("notifications/tools/list_changed", {})

    run(test)


def test_the_new_generation_repeats_in_headers_what_the_body_says() -> None:
    seen: list[dict[str, str]] = []
    schema = {"properties": {"r": {"type": "string", "x-mcp-header": "Region"}, "o": {"type": "string"}}}

    async def serve(asked: Asked) -> None:
        assert asked.headers["mcp-method"] == asked.rpc
        complete = {"resultType": "complete"}
        if asked.rpc == "server/discover":
            said = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            asked.write(answered(asked, {**complete, **said}))
        elif asked.rpc == "tools/list":
            asked.write(answered(asked, {**complete, "tools": [{"name": "t\n", "inputSchema": schema}]}))
        else:
            seen.append(asked.headers)
            asked.write(answered(asked, {**complete, **_text("x")}))

    async def test() -> None:
        async with by_http(serve) as (_, upstream):
            assert upstream.generation == "2026"
            arguments = b'{"r":"a\\r\\nx-evil: 1","o":"b"}'
            await upstream.request("tools/call", {"name": b'"t\\n"', "arguments": arguments})

    run(test)
    (headers,) = seen
    assert headers["mcp-name"] == "=?base64?dAo=?=".lower()
    assert headers["mcp-param-region"].startswith("=?base64?")
    assert "x-evil" not in headers
    assert "mcp-session-id" not in headers


def test_ending_a_call_ends_its_request_in_the_new_generation() -> None:
    async def test() -> None:
        ended = asyncio.Event()

        async def serve(asked: Asked) -> None:
            if asked.rpc == "server/discover":
                said = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
                asked.write(answered(asked, {"resultType": "complete", **said}))
                return
            assert asked.rpc == "tools/call"
            asked.write(head(200, **SSE) + b":\n\n")
            try:
                while True:
                    await asked.writer.drain()
                    asked.write(b":\n\n")
                    await asyncio.sleep(0.005)
            except ConnectionError:
                ended.set()

        async with by_http(serve) as (_, upstream):
            with pytest.raises(UpstreamFailure) as caught:
                await call(upstream, "t", timeout=0.1)
            assert caught.value.kind == "timed_out"
            await ended.wait()

    run(test)


def test_a_server_that_is_not_there() -> None:
    async def test() -> None:
        async def gone(_: Asked) -> None:
            raise ConnectionResetError

        with pytest.raises(UpstreamFailure) as caught:
            async with by_http(gone, timeouts=Timeouts(start=5)):
                pass
        assert caught.value.kind == "unavailable"

    run(test)


@pytest.mark.parametrize(
    ("text", "value"),
    [("a b", "a b"), ("", "=?base64??="), (" a", "=?base64?IGE=?="), ("é", "=?base64?w6k=?=")],
)
def test_values_of_headers(text: str, value: str) -> None:
    assert header_value(text) == value
    assert header_value(value).startswith("=?base64?" if value.startswith("=") else value)
