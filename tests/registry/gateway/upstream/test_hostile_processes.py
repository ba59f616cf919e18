"""Upstreams over stdio that misbehave: each costs its own calls only, and a bounded amount of everything."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from registry.gateway.upstream.pool import Pool
from registry.gateway.upstream.process import INHERITED
from registry.gateway.upstream.protocol import Limits, Notification, Timeouts, UpstreamFailure
from tests.support.gateway.hostile_pool import call, hostile, run, settings, text_of

IMPATIENT = Timeouts(start=20, call=0.3, longest=0.3, close=5)
HASTY = Timeouts(start=20, call=20, close=0.1)


def test_arguments_arrive_byte_by_byte_and_on_one_line() -> None:
    """A line end between values would let a client of HTTP write a whole message, not judged, to a stdio upstream."""

    async def test() -> None:
        async with hostile() as (_, upstream):
            inside = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"crash"}}'
            arguments = (
                b'{ "n":1.0e+2,"b" : 12345678901234567890,"t":"\\u00e9\xc3\xa9","x":[1,\r\n'
                + inside
                + b"\n]}"
            )
            params = {"name": b'"echo"', "arguments": arguments}
            line = text_of(await upstream.request("tools/call", params))
            flat = arguments.replace(b"\r\n", b"  ").replace(b"\n", b" ")
            assert flat.decode() in line
            assert json.loads(line)["params"]["arguments"] == json.loads(arguments)

    run(test)


def test_results_come_back_byte_by_byte() -> None:
    async def test() -> None:
        async with hostile() as (_, upstream):
            answer = await call(upstream, "exact")
            assert answer.result == b'{"n":1.0e+2, "big":12345678901234567890, "x":"\\u00e9" }'
            refused = await call(upstream, "unheard of")
            assert refused.error == b'{"code": -32602, "message": "no such tool"}'

    run(test)


@pytest.mark.parametrize(("tool", "expected"), [("twice", "first"), ("others", "own"), ("garbage", "sound")])
def test_answers_that_are_none_are_dropped(tool: str, expected: str) -> None:
    async def test() -> None:
        async with hostile() as (_, upstream):
            hung = asyncio.create_task(call(upstream, "hang"))
            await asyncio.sleep(0)
            assert text_of(await call(upstream, tool)) == expected
            assert text_of(await call(upstream, "echo"))  # and the next one gets its own
            assert not hung.done() or tool == "others"
            hung.cancel()

    run(test)


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("crash", "exited"), ("killed", "exited"), ("mute", "exited"), ("noise", "broken")],
)
def test_an_end_fails_its_calls_and_the_next_call_starts_anew(tool: str, kind: str) -> None:
    async def test() -> None:
        async with hostile(timeouts=HASTY) as (pool, upstream):
            waiting = asyncio.create_task(call(upstream, "hang"))
            with pytest.raises(UpstreamFailure) as caught:
                await call(upstream, tool)
            assert caught.value.kind == kind
            with pytest.raises(UpstreamFailure):
                await waiting
            with pytest.raises(UpstreamFailure):
                await call(upstream, "echo")
            anew = await pool.get("hostile", "k")
            assert json.loads((await call(anew, "echo")).result or b"")["calls"] == 1

    run(test)


def test_whoever_has_it_is_told_of_an_end_once_and_what_is_watched_is_not_idle() -> None:
    async def test() -> None:
        async with hostile() as (pool, _):
            ends: list[int] = []
            upstream = await pool.get("hostile", "k", lambda said: None, lambda: ends.append(1))
            assert upstream.is_idle
            await upstream.subscribe("x:y")
            assert not upstream.is_idle
            with pytest.raises(UpstreamFailure):
                await call(upstream, "crash")
            assert ends == [1]
            again = await pool.get("hostile", "k", lambda said: None, lambda: ends.append(2))
            await again.close()
            assert ends == [1, 2]

    run(test)


def test_a_second_end_is_held_back() -> None:
    async def test() -> None:
        async with hostile() as (pool, upstream):
            for _ in range(2):
                with pytest.raises(UpstreamFailure, match="ended with status 7"):
                    await call(upstream, "crash")
                upstream = await pool.get("hostile", "k") if _ == 0 else upstream
            with pytest.raises(UpstreamFailure) as caught:
                await pool.get("hostile", "k")
            assert caught.value.kind == "unavailable"
            assert "tried again in" in caught.value.hint
            assert text_of(await call(await pool.get("hostile", "another"), "echo"))

    run(test)


@pytest.mark.parametrize("tool", ["hang", "deaf"])
def test_a_call_without_an_answer_ends_by_its_time(tool: str) -> None:
    async def test() -> None:
        async with hostile(timeouts=Timeouts(start=20, close=0.1)) as (_, upstream):
            with pytest.raises(UpstreamFailure) as caught:
                await call(upstream, tool, timeout=0.05)
            assert caught.value.kind == "timed_out"

    run(test)


def test_a_cancelled_call_is_cancelled_upstream() -> None:
    async def test() -> None:
        told: asyncio.Queue[Notification] = asyncio.Queue()
        async with hostile(on_notification=told.put_nowait) as (_, upstream):
            hung = asyncio.create_task(call(upstream, "hang"))
            await asyncio.sleep(0)
            hung.cancel()
            said = await told.get()
            assert json.loads(said.params["data"]) == {"cancelled": 2}
            with pytest.raises(asyncio.CancelledError):
                await hung

    run(test)


def test_an_upstream_that_reads_nothing_is_written_little() -> None:
    async def test() -> None:
        async with hostile(timeouts=HASTY) as (_, upstream):
            deaf = asyncio.create_task(call(upstream, "deaf"))
            await asyncio.sleep(0)
            large = {"name": b'"echo"', "arguments": b'{"a":"%s"}' % (b"x" * 60_000)}
            calls = [asyncio.create_task(upstream.request("tools/call", large)) for _ in range(20)]
            done, _ = await asyncio.wait([deaf, *calls], return_when=asyncio.FIRST_EXCEPTION)
            kinds = {each.exception().kind for each in done}  # type: ignore[union-attr]
            assert kinds == {"overloaded"}
            for each in [deaf, *calls]:
                each.cancel()

    run(test)


def test_more_calls_than_are_held_are_refused() -> None:
    async def test() -> None:
        async with hostile(limits=Limits(waiting=3)) as (_, upstream):
            hung = [asyncio.create_task(call(upstream, "hang")) for _ in range(3)]
            await asyncio.sleep(0)
            with pytest.raises(UpstreamFailure) as caught:
                await call(upstream, "echo")
            assert caught.value.kind == "overloaded"
            for each in hung:
                each.cancel()
            await asyncio.wait(hung)
            assert text_of(await call(upstream, "echo"))

    run(test)


@pytest.mark.parametrize("tool", ["flood", "pings", "endless"])
def test_a_flood_holds_up_nobody_else_and_no_memory(tool: str) -> None:
    async def test() -> None:
        told = 0

        def count(_: Notification) -> None:
            nonlocal told
            told += 1

        async with hostile(on_notification=count, timeouts=HASTY) as (pool, upstream):
            quiet = await pool.get("hostile", "quiet")
            gc.collect()
            tracemalloc.start()
            try:
                flooding = asyncio.create_task(call(upstream, tool))
                for _ in range(50):
                    assert text_of(await call(quiet, "echo"))
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert peak < 12_000_000, peak
            flooding.cancel()
            await asyncio.wait([flooding])

    run(test)


def test_a_message_beyond_the_limit_is_skipped_and_the_next_is_read() -> None:
    async def test() -> None:
        async with hostile(limits=Limits(message=100_000)) as (_, upstream):
            lost = asyncio.create_task(call(upstream, "large"))
            assert text_of(await call(upstream, "echo"))
            assert not lost.done()
            lost.cancel()

    run(test)


def test_standard_error_is_read_and_its_end_kept() -> None:
    async def test() -> None:
        async with hostile() as (_, upstream):
            assert text_of(await call(upstream, "complain")) == "complained"
            while not upstream.said.endswith("the end"):  # it is another pipe
                await asyncio.sleep(0.005)
            assert len(upstream.said) <= 4_096

    run(test)


def test_requests_of_an_upstream_are_refused_and_pings_answered() -> None:
    async def test() -> None:
        async with hostile() as (_, upstream):
            answers = json.loads(text_of(await call(upstream, "ask")))
            assert answers[0] == {"jsonrpc": "2.0", "id": "s-ping", "result": {}}
            assert [each["error"]["code"] for each in answers[1:]] == [-32601] * 4
            assert answers[3]["id"] == "s-elicitation/create"

    run(test)


def test_progress_goes_to_its_call_without_the_token() -> None:
    async def test() -> None:
        own: list[Notification] = []
        others: list[Notification] = []
        async with hostile(on_notification=others.append) as (_, upstream):
            await call(upstream, "progress", on_notification=own.append, meta={"progressToken": b'"mine"'})
        assert [each.params for each in own] == [{"progress": b"0"}, {"progress": b"1"}, {"progress": b"2"}]
        assert [each.method for each in others] == ["notifications/resources/updated"]

    run(test)


def test_what_belongs_to_the_clients_connection_is_not_handed_on() -> None:
    async def test() -> None:
        meta = {
            "progressToken": b'"mine"',
            "io.modelcontextprotocol/clientInfo": b'{"name":"secret client"}',
            "traceparent": b'"00-1"',
            "example.org/x": b"[1.0]",
        }
        async with hostile() as (_, upstream):
            line = json.loads(text_of(await call(upstream, "echo", meta=meta)))
            assert line["params"]["_meta"] == {"traceparent": "00-1", "example.org/x": [1.0]}

    run(test)


def test_children_go_with_their_upstream() -> None:
    async def test() -> None:
        async with hostile(timeouts=HASTY) as (pool, upstream):
            group = int(text_of(await call(upstream, "children")))
            os.killpg(group, 0)
            await pool.close()
            while _is_alive(group):  # killed, and not yet collected by whoever adopted them
                await asyncio.sleep(0.01)

    run(test)


def _is_alive(group: int) -> bool:
    """Whether a process of a group is there that is no zombie."""
    for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                return True
    return False


def test_an_upstream_sees_little_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIF_SECRET_OF_THE_GATEWAY", "s3cret")

    async def test() -> None:
        async with hostile(env={"TOKEN": "given"}) as (_, upstream):
            seen = json.loads(text_of(await call(upstream, "environment")))
            assert seen["TOKEN"] == "given"
            assert set(seen) <= {*INHERITED, "TOKEN"}

    run(test)


@pytest.mark.parametrize("start", ["quits", "ancient"])
def test_what_does_not_start_says_so_and_its_words_show_no_secret(
    start: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        with pytest.raises(UpstreamFailure) as caught:
            async with hostile(start, secrets=frozenset({"s3cret-value"})):
                pass
        assert "s3cret" not in str(caught.value)

    run(test)
    assert "s3cret" not in caplog.text
    assert ("no licence; the key is …" in caplog.text) == (start == "quits")


def test_a_start_without_an_answer_ends_by_its_time() -> None:
    async def test() -> None:
        with pytest.raises(UpstreamFailure) as caught:
            async with hostile("silent", timeouts=Timeouts(start=0.2, close=0.1)):
                pass
        assert caught.value.kind == "timed_out"

    run(test)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"command": "/no/such/command"}, "hostile cannot be started: No such file or directory"),
        ({"cwd": "/no/such/folder"}, "hostile cannot be started: its `cwd` is no directory"),
        ({"args": ("a\0b",)}, "hostile cannot be started: a zero byte in what it is started with"),
    ],
)
def test_what_cannot_be_started_is_said(wrong: dict[str, Any], said: str) -> None:
    async def test() -> None:
        pool = Pool([dataclasses.replace(settings(), **wrong)])
        with pytest.raises(UpstreamFailure) as caught:
            await pool.get("hostile", "k")
        assert caught.value.message == said
        await pool.close()

    run(test)


def test_two_who_need_one_start_share_it_and_one_may_leave() -> None:
    async def test() -> None:
        async with hostile() as (pool, _):
            first = asyncio.create_task(pool.get("hostile", "new"))
            second = asyncio.create_task(pool.get("hostile", "new"))
            await asyncio.sleep(0)
            first.cancel()
            upstream = await second
            assert upstream is await pool.get("hostile", "new")
            await pool.release("new")
            assert not upstream.is_open

    run(test)


def test_lists_are_read_page_by_page_within_bounds() -> None:
    async def test() -> None:
        async with hostile() as (_, upstream):
            assert await upstream.list_all("tools/list") == [
                b'{"name": "one"}',
                b'{"name": "two", "cursor": "2"}',
            ]
            assert await upstream.list_all("prompts/list") == []
        async with hostile("circle") as (_, upstream):
            with pytest.raises(UpstreamFailure, match="circle"):
                await upstream.list_all("tools/list")
        async with hostile("pages", limits=Limits(pages=5)) as (_, upstream):
            with pytest.raises(UpstreamFailure, match="over 5 pages"):
                await upstream.list_all("tools/list")

    run(test)


def test_a_server_of_the_new_generation_alone_is_found_out() -> None:
    async def test() -> None:
        told: asyncio.Queue[Notification] = asyncio.Queue()
        async with hostile("modern", told.put_nowait) as (_, upstream):
            assert (upstream.generation, upstream.revision) == ("2026", "2026-07-28")
            assert upstream.server_info == b'{"name": "m"}'
            line = json.loads(text_of(await call(upstream, "echo")))
            assert line["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] == {}
            refused = await call(upstream, "input")
            assert b"asks its client for input" in (refused.error or b"")
            await upstream.set_level("debug")
            line = json.loads(text_of(await call(upstream, "echo")))
            assert line["params"]["_meta"]["io.modelcontextprotocol/logLevel"] == "debug"
            said = await told.get()
            assert said == Notification("notifications/tools/list_changed", {})

    run(test)


def test_what_nobody_uses_is_closed_and_started_when_it_is_needed() -> None:
    async def test() -> None:
        async with hostile(timeouts=Timeouts(start=20, call=20, close=5, idle=0.05)) as (pool, upstream):
            hung = asyncio.create_task(call(upstream, "hang"))
            other = await pool.get("hostile", "other")
            while other.is_open:
                await asyncio.sleep(0.01)
            assert upstream.is_open  # a call waits for it
            hung.cancel()
            while upstream.is_open:
                await asyncio.sleep(0.01)
            assert text_of(await call(await pool.get("hostile", "k"), "echo"))

    run(test)
