"""Two workers on one socket, with the SDK's clients of both generations and by bytes."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.support.servers.http_server import HEADERS, Served, call, posted, until_closed
from tests.support.servers.many_workers import (
    Workers,
    answer_in,
    call_of,
    demo_workers,
    message,
    pif_workers,
)
from tests.support.servers.raw_client import MODERN, PATIENCE

MODES = ("legacy", MODERN)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with demo_workers(tmp_path_factory.mktemp("home")) as found:
        yield found


class Sent(threading.Thread):
    """A request under way."""

    def __init__(self, server: Served, body: bytes, method: str = "POST", **headers: str) -> None:
        super().__init__(daemon=True)
        self.answer: tuple[int, Any, bytes] | None = None
        self._ask: Callable[[], Any] = lambda: server.request(method, "/mcp", body, **headers)
        self.start()

    def run(self) -> None:
        self.answer = self._ask()

    def done(self) -> tuple[int, Any]:
        """The status and the message that came back."""
        self.join(PATIENCE)
        assert self.answer is not None
        return self.answer[0], answer_in(self.answer[2]) if self.answer[2] else None


def asked_at(workers: Workers, number: int, body: bytes, method: str = "POST", **headers: str) -> Sent:
    """A request that worker `number` has read; what it needs of another comes when all go on."""
    with workers.only(number):
        sent = Sent(workers.server, body, method, **headers)
        # Connections are taken in their order: once this one is answered, the worker has that one too.
        while sent.answer is None and workers.server.request("GET", "/livez")[0] != 200:
            continue
    return sent


def converse(server: Served, mode: str, talk: Callable[[Client], Any], **options: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE), Client(server.url, mode=mode, **options) as client:
            await talk(client)

    asyncio.run(run())


async def begun(client: Client) -> asyncio.Task[Any]:
    """A call that waits until it is cancelled, and has begun to."""
    seen = asyncio.Event()

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.set()

    task = asyncio.create_task(client.call_tool("wait_for_cancel", {}, progress_callback=note))
    await seen.wait()
    return task


def status_of(workers: Workers, headers: dict[str, str]) -> Any:
    """What the holder of a session counts."""
    body = workers.server.request("POST", "/mcp", call_of("status", "s"), **headers)[2]
    return answer_in(body)["result"]["structuredContent"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_session_is_found_from_each_worker_and_ends_for_both(workers: Workers, number: int) -> None:
    name, headers = workers.open_session(0)
    assert name.startswith("0.")
    sent = asked_at(workers, number, call_of("echo", 7, value=[1]), **headers)
    status, answer = sent.done()
    assert (status, answer["id"]) == (200, 7)
    assert answer["result"]["structuredContent"]["value"] == [1]
    assert asked_at(workers, number, b"", "DELETE", **headers).done()[0] == 200
    for each in (0, 1):
        status, answer = asked_at(workers, each, message("tools/list"), **headers).done()
        assert status == 404
        assert "initialize" in answer["error"]["message"]


def test_a_call_is_cancelled_by_a_message_that_comes_to_another_worker(workers: Workers) -> None:
    _, headers = workers.open_session(0)
    before = status_of(workers, headers)
    Sent(workers.server, call_of("wait_for_cancel", "long"), **headers)
    while status_of(workers, headers)["begun"] == before["begun"]:
        continue
    cancelled = message("notifications/cancelled", {"requestId": "long"}, None)
    assert asked_at(workers, 1, cancelled, **headers).done()[0] == 202
    while status_of(workers, headers)["cancelled"] == before["cancelled"]:
        continue


@pytest.mark.parametrize("mode", MODES)
def test_giving_up_cancels_the_work_wherever_it_is(workers: Workers, mode: str) -> None:
    def counted(number: int) -> Any:
        return asked_at(workers, number, call("status"), **HEADERS | {"Mcp-Name": "status"}).done()[1][
            "result"
        ]["structuredContent"]

    async def talk(client: Client) -> None:
        task = await begun(client)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        while True:  # the client's connection may lead to the other worker, again and again
            found = [await asyncio.to_thread(counted, each) for each in (0, 1)]
            if any(each["begun"] for each in found) and all(
                each["cancelled"] >= each["begun"] for each in found
            ):
                return

    converse(workers.server, mode, talk)


@pytest.mark.parametrize("mode", MODES)
def test_who_waits_for_a_worker_that_is_killed_is_told_and_goes_on(workers: Workers, mode: str) -> None:
    async def talk(client: Client) -> None:
        assert (await client.call_tool("echo", {"value": 1})).structured_content is not None
        task = await begun(client)
        for process in workers.processes().values():
            os.kill(process, signal.SIGKILL)
        with pytest.raises(MCPError, match="whether the call was carried out is not known"):
            await task
        found = await client.call_tool("echo", {"value": 2})
        assert found.structured_content == {"value": 2, "fuel": 10, "style": "plain"}

    workers.wait()
    converse(workers.server, mode, talk)
    workers.wait()


def test_what_another_worker_passed_on_is_told_too_and_the_session_goes_on(workers: Workers) -> None:
    workers.wait()
    _, headers = workers.open_session(0)
    before = status_of(workers, headers)["begun"]
    sent = asked_at(workers, 1, call_of("wait_for_cancel", "mine"), **headers)
    while status_of(workers, headers)["begun"] == before:
        continue
    os.kill(workers.processes()[0], signal.SIGKILL)
    status, answer = sent.done()
    assert (status, answer["id"], answer["error"]["code"]) == (200, "mine", -32000)
    assert "not known" in answer["error"]["message"]
    status, answer = Sent(workers.server, call_of("echo", 2, value=5), **headers).done()
    assert answer["result"]["structuredContent"]["value"] == 5
    workers.wait()


def test_what_was_passed_on_and_not_begun_is_begun_by_the_next_process(workers: Workers) -> None:
    _, headers = workers.open_session(0)
    held = workers.processes()[0]
    with workers.only(1):
        sent = Sent(workers.server, call_of("echo", "mine", value=1), **headers)
        workers.server.request("GET", "/livez")
        os.kill(held, signal.SIGKILL)  # stopped until then: it has read nothing
    status, answer = sent.done()
    assert (status, answer["id"]) == (200, "mine")
    assert answer["result"]["structuredContent"]["value"] == 1
    workers.wait()


def test_a_connection_goes_on_at_another_worker(workers: Workers) -> None:
    workers.wait()
    with workers.only(1):
        connection = workers.server.connect()
        connection.settimeout(PATIENCE)
        connection.sendall(posted(call("echo", value=1)))
        assert b'"value":1' in connection.recv(65_536)
        # Once the next connection is answered, the worker has written down that nothing is under way on this one.
        workers.server.request("GET", "/livez")
        os.kill(workers.processes()[1], signal.SIGKILL)
        connection.sendall(posted(call("echo", value=2)))
    assert b'"value":2' in connection.recv(65_536)
    connection.close()
    workers.wait()


def test_a_session_outlives_its_process_with_what_it_watches(tmp_path: Path) -> None:
    with pif_workers(tmp_path) as workers:
        _, headers = workers.open_session(0)
        server = workers.server
        assert (
            server.request("POST", "/mcp", message("notifications/initialized", None, None), **headers)[0]
            == 202
        )
        watch = message("resources/subscribe", {"uri": "pif://tools"})
        assert server.request("POST", "/mcp", watch, **headers)[0] == 200
        os.kill(workers.processes()[0], signal.SIGKILL)
        status, answer = Sent(server, message("ping"), **headers).done()
        assert (status, answer["result"]) == (200, {})
        events = server.connect()
        lines = [f"{name}: {value}" for name, value in headers.items()]
        head = ["GET /mcp HTTP/1.1", "Host: 127.0.0.1", "Accept: text/event-stream", *lines, "", ""]
        events.sendall("\r\n".join(head).encode())
        events.settimeout(PATIENCE)
        received = events.recv(65_536)
        new = call(
            "evolve",
            name="double",
            description="twice",
            code={"lam": "x", "body": {"mul": [{"var": "x"}, 2]}},
        )
        assert asked_at(workers, 1, new, **HEADERS | {"Mcp-Name": "evolve"}).done()[0] == 200
        while b"notifications/resources/updated" not in received or b"tools/list_changed" not in received:
            part = events.recv(65_536)
            assert part, received
            received += part
        events.close()


def test_what_one_worker_changes_the_others_tell_and_list(tmp_path: Path) -> None:
    def evolve(name: str) -> bytes:
        code = {"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}
        return call("evolve", name=name, description=name, code=code)

    with pif_workers(tmp_path, expose=1) as workers:

        def listed(number: int) -> set[str]:
            _, headers = workers.open_session(number)
            tools = Sent(workers.server, message("tools/list"), **headers).done()[1]["result"]["tools"]
            return {tool["name"] for tool in tools} & {"twice", "other"}

        async def talk(client: Client) -> None:
            with workers.only(0):
                changes = client.listen(tools_list_changed=True, resource_subscriptions=["pif://tools"])
                stream = await changes.__aenter__()
            with workers.only(1):
                await asyncio.to_thread(
                    workers.server.post, evolve("twice"), **HEADERS | {"Mcp-Name": "evolve"}
                )
            seen: set[str] = set()
            async for event in stream:
                seen.add(type(event).__name__)
                if len(seen) == 2:
                    break
            await changes.__aexit__(None, None, None)

        converse(workers.server, MODERN, talk)
        asked_at(workers, 1, evolve("other"), **HEADERS | {"Mcp-Name": "evolve"}).done()
        for number in (0, 1):
            assert listed(number) == {"other"}
        run = call("run", tool="twice", input=2)
        assert asked_at(workers, 1, run, **HEADERS).done()[0] == 200
        assert listed(1) == {"twice"}, "the one that was used last"
        while listed(0) != {"twice"}:
            continue


def test_workers_are_renewed_and_no_call_is_refused(workers: Workers) -> None:
    workers.wait()
    before = set(workers.processes().values())

    async def talk(mode: str) -> None:
        async with Client(workers.server.url, mode=mode) as client:
            calls = 0
            while calls == 0 or before & set(workers.processes().values()):
                answer = await client.call_tool("echo", {"value": calls})
                assert answer.structured_content is not None
                assert answer.structured_content["value"] == calls
                calls += 1
            assert isinstance((await client.list_tools()).tools[0], types.Tool)

    async def run() -> None:
        async with asyncio.timeout(3 * PATIENCE):
            workers.server.process.send_signal(signal.SIGHUP)
            await asyncio.gather(*(talk(mode) for mode in MODES))

    asyncio.run(run())
    workers.wait()


def test_one_signal_ends_all_and_answers_what_is_under_way(tmp_path: Path) -> None:
    with demo_workers(tmp_path) as workers:
        sent = [
            asked_at(workers, number, call("count", steps=1), **HEADERS | {"Mcp-Name": "count"})
            for number in (0, 1)
        ]
        waiting = [workers.server.connect() for _ in range(4)]
        for connection in waiting:
            connection.sendall(posted(call("wait_for_cancel"), "wait_for_cancel"))
        assert all(each.done()[0] == 200 for each in sent)
        processes = workers.processes()
        while sum(_begun(workers, number) for number in (0, 1)) < 4:
            continue
        workers.server.process.send_signal(signal.SIGTERM)
        for connection in waiting:
            assert b'"kind":"cancelled"' in until_closed(connection)
            connection.close()
        status, said = workers.server.ended()
        assert status == 0, said
        assert not any(Path(f"/proc/{process}").exists() for process in processes.values())


def _begun(workers: Workers, number: int) -> int:
    _, answer = asked_at(workers, number, call("status"), **HEADERS | {"Mcp-Name": "status"}).done()
    count: int = answer["result"]["structuredContent"]["begun"]
    return count


def test_the_workers_of_a_supervisor_that_is_killed_end(tmp_path: Path) -> None:
    with demo_workers(tmp_path) as workers:
        processes = workers.processes()
        workers.server.process.kill()
        while any(Path(f"/proc/{process}").exists() for process in processes.values()):
            continue


def test_a_start_that_cannot_be_says_why_and_ends(tmp_path: Path) -> None:
    from tests.support.servers.http_server import started

    (tmp_path / "tools.sqlite").write_bytes(b"this is no database" * 100)
    process = started(tmp_path, workers=2, memory_mb=1024)
    _, said = process.communicate(timeout=3 * PATIENCE)
    assert process.returncode == 1
    assert said.count("tools.sqlite") >= 1
    process = started(tmp_path / "other", workers=8, memory_mb=512)
    _, said = process.communicate(timeout=3 * PATIENCE)
    assert process.returncode == 2
    assert "fewer workers" in said
