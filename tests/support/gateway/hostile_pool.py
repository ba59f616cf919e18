"""A pool with one hostile upstream, and shorthand for calling it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from registry.gateway.upstream.pool import Pool
from registry.gateway.upstream.protocol import Answer, Limits, Notification, Timeouts, UpstreamSettings
from registry.gateway.upstream.running import RunningUpstream

__all__ = ["HOSTILE", "call", "hostile", "run", "settings", "text_of"]

HOSTILE = str(Path(__file__).with_name("hostile_upstream.py"))


def settings(start: str = "plain", **changes: Any) -> UpstreamSettings:
    """Settings of `hostile_upstream.py`. Timeouts are long: no test waits for one that it does not make short itself."""
    given = {
        "timeouts": Timeouts(start=20, call=20, close=5),
        "limits": Limits(message=1_000_000, unsent=100_000),
        **changes,
    }
    return UpstreamSettings("hostile", command=sys.executable, args=("-I", "-S", HOSTILE, start), **given)


@asynccontextmanager
async def hostile(
    start: str = "plain", on_notification: Callable[[Notification], None] | None = None, **changes: Any
) -> AsyncIterator[tuple[Pool, RunningUpstream]]:
    """A pool, and the upstream of the key `k` in it."""
    pool = Pool([settings(start, **changes)])
    try:
        yield pool, await pool.get("hostile", "k", on_notification)
    finally:
        await pool.close()


async def call(upstream: RunningUpstream, tool: str, **more: Any) -> Answer:
    return await upstream.request("tools/call", {"name": json.dumps(tool).encode()}, **more)


def text_of(answer: Answer) -> str:
    """The text of a result's first content block."""
    assert answer.result is not None, answer
    text: str = json.loads(answer.result)["content"][0]["text"]
    return text


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test's coroutine, at most a minute long."""

    async def bounded() -> None:
        async with asyncio.timeout(60):
            await test()

    asyncio.run(bounded())
