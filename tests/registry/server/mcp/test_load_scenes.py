"""Scenes with several clients of one server over HTTP: long searches of one hold up nobody else.

See docs/reference/serving.md §5.5. Outcomes are asserted, never times; `make bench` has the figures.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.registry.server.mcp.test_http import Served, serving
from tests.support.servers.raw_client import MODERN

PATIENCE = 240.0
GROUP = {"structure": "Group", "limit": 1_000}
TRIVIAL = "∀(x : ℝ). x + 0 = x"


@pytest.fixture
def served(tmp_path: Path) -> Any:
    with serving(tmp_path / "home", groups="pif,theory") as server:
        yield server


def clients(served: Served, talk: Callable[..., Awaitable[None]], count: int = 2) -> None:
    """A conversation with so many clients at once, each of its own connection; the first of the older protocol."""

    async def run() -> None:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            ready: list[asyncio.Future[Client]] = [
                asyncio.get_running_loop().create_future() for _ in range(count)
            ]
            done = asyncio.Event()
            for number in range(count):
                mode = "legacy" if number == 0 else MODERN
                group.create_task(_connected(served.url, mode, ready[number], done))
            try:
                await talk(*[await each for each in ready])
            finally:
                done.set()

    asyncio.run(run())


async def _connected(url: str, mode: str, ready: asyncio.Future[Client], done: asyncio.Event) -> None:
    async with (
        httpx2.AsyncClient(timeout=PATIENCE) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        ready.set_result(client)
        await done.wait()


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    found = answer.structured_content
    assert found is not None
    return found


def searchers(server: int) -> list[int]:
    """The processes of searches of a server that are there now."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                text = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == server and b"search_process" in text:
                found.append(int(entry.name))
    return found


async def eventually(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.05)


def test_another_client_is_answered_while_one_explores(served: Served) -> None:
    """The scene of four long searches: proofs and runs of the other client are answered, and rightly, meanwhile."""

    async def talk(explorer: Client, other: Client) -> None:
        searches = [asyncio.create_task(ask(explorer, "explore", **GROUP)) for _ in range(4)]
        await eventually(lambda: len(searchers(served.process.pid)) == 4)
        for number in range(3):
            assert (await ask(other, "evaluate", expression=TRIVIAL))["status"] == "verified"
            assert (await ask(other, "run", code={"add": [number, 2]}))["value"] == number + 2
        assert not any(each.done() for each in searches), "the searches were not long enough to show anything"
        for each in searches:
            each.cancel()
        await asyncio.gather(*searches, return_exceptions=True)
        await eventually(lambda: not searchers(served.process.pid))  # cancelling kills

    clients(served, talk)


def test_searches_make_progress_and_give_way(served: Served) -> None:
    async def talk(explorer: Client) -> None:
        told: list[float] = []
        enough = asyncio.Event()

        async def note(done: float, total: float | None, message: str | None) -> None:
            told.append(done)
            if len(told) >= 3:
                enough.set()

        search = asyncio.create_task(explorer.call_tool("explore", GROUP, progress_callback=note))
        await eventually(lambda: len(searchers(served.process.pid)) == 1)
        (process,) = searchers(served.process.pid)
        await eventually(
            lambda: os.getpriority(os.PRIO_PROCESS, process) > os.getpriority(os.PRIO_PROCESS, 0)
        )
        await enough.wait()
        assert told == sorted(set(told))
        os.kill(process, signal.SIGKILL)
        said = await search
        assert said.structured_content is not None
        error = said.structured_content["error"]
        assert (error["kind"], error["retry_after_ms"] > 0) == ("too_busy", True)
        assert (await ask(explorer, "evaluate", expression=TRIVIAL))["status"] == "verified"

    clients(served, talk, count=1)


def test_a_job_outlives_its_client(served: Served) -> None:
    """It is begun by one connection and finished when that is gone; another that has the id reads it, one that guesses
    does not, and a list shows one's own only."""
    numbers: list[str] = []

    async def begin(client: Client) -> None:
        for arguments in ({"expression": TRIVIAL}, {"expression": "1 +"}):
            state = await ask(client, "evaluate", **arguments, wait=False)
            assert (state["type"], state["status"]) == ("job", "in_progress")
            numbers.append(state["project_id"])
        assert len((await ask(client, "check_job"))["jobs"]) == 2

    async def come_back(client: Client) -> None:
        assert (await ask(client, "check_job"))["jobs"] == []
        found = [await finished(client, number) for number in numbers]
        assert [each["status"] for each in found] == ["done", "done"]
        assert [each["answer"]["status"] for each in found] == ["verified", "error"]
        guessed = await client.call_tool("check_job", {"project_id": "job-" + "0" * 32})
        assert guessed.is_error

    clients(served, begin, count=1)
    clients(served, come_back, count=1)


async def finished(client: Client, number: str) -> dict[str, Any]:
    while (found := await ask(client, "check_job", project_id=number))["status"] == "in_progress":
        assert found["retry_after_s"] > 0
        await asyncio.sleep(0.1)
    return found


def test_a_cancelled_job_ends_its_search(served: Served) -> None:
    async def talk(client: Client) -> None:
        state = await ask(client, "explore", **GROUP, wait=False)
        await eventually(lambda: len(searchers(served.process.pid)) == 1)
        stopped = await ask(client, "check_job", project_id=state["project_id"], cancel=True)
        assert stopped["status"] == "cancelled"
        await eventually(lambda: not searchers(served.process.pid))
        assert (await ask(client, "check_job", project_id=state["project_id"]))["status"] == "cancelled"

    clients(served, talk, count=1)
