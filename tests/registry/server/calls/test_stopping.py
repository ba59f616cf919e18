"""The stop of a server: every call is answered, and none is begun."""

from __future__ import annotations

import asyncio

import pytest

from registry.server.calls.stopping import Stopping
from registry.server.contract.group import Answer


def kind(answer: Answer) -> str:
    error = answer.structured["error"]
    assert isinstance(error, dict)
    return str(error["kind"])


def test_calls_under_way_are_cancelled_and_answered() -> None:
    seen: list[str] = []

    async def work() -> Answer:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        raise AssertionError

    async def run() -> list[Answer]:
        stopping = Stopping()
        calls = [asyncio.ensure_future(stopping.answer(work())) for _ in range(3)]
        await asyncio.sleep(0)
        stopping.stop()
        stopping.stop()
        return await asyncio.gather(*calls)

    assert [kind(answer) for answer in asyncio.run(run())] == ["cancelled"] * 3
    assert seen == ["cancelled"] * 3


def test_later_calls_are_not_begun() -> None:
    async def work() -> Answer:
        raise AssertionError

    async def run() -> Answer:
        stopping = Stopping()
        stopping.stop()
        return await stopping.answer(work())

    answer = asyncio.run(run())
    assert kind(answer) == "cancelled"
    assert "not begun" in answer.structured["error"]["message"]


def test_what_is_no_stop_passes() -> None:
    async def late() -> Answer:
        raise TimeoutError("of the work's own")

    async def for_ever() -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    async def run() -> None:
        stopping = Stopping()
        with pytest.raises(TimeoutError, match="of the work's own"):
            await stopping.answer(late())
        task = asyncio.ensure_future(stopping.answer(for_ever()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
