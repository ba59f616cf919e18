"""Searches in processes of their own, from the server's side: what they use of other machines is charged."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from registry.server.calls.contexts import Call
from registry.server.calls.jobs import ClientJobs, Jobs
from registry.server.calls.schedule import Schedule
from registry.server.calls.search_process import Search
from registry.server.contract.group import Answer
from registry.server.contract.settings import Settings, Site

HERE = "tests.registry.server.calls.test_searches"


def spending(site: Site, arguments: float, search: Search) -> Answer:
    """A job that has said what it may use, and has used less in the end."""
    search.spent(10 * arguments)
    search.spent(arguments)
    return Answer({"spent": arguments}, "")


def hanging(site: Site, arguments: float, search: Search) -> Answer:
    """A job that has said what it may use, and never ends."""
    search.spent(arguments)
    search.progress(1)
    threading.Event().wait()
    return Answer({}, "")


def _call(schedule: Schedule, charged: list[float], begun: asyncio.Event) -> Call:
    async def report(done: float, total: float | None, message: str | None) -> None:
        if done >= 1:
            begun.set()

    jobs = ClientJobs(Jobs(), "", lambda work: work)  # type: ignore[arg-type,return-value]
    return Call(schedule, report, jobs, proved=charged.append)


def test_what_a_search_has_used_elsewhere_is_charged_with_its_own_time(tmp_path: Path) -> None:
    charged: list[float] = []

    async def main() -> None:
        schedule = Schedule()
        call = _call(schedule, charged, asyncio.Event())
        settings = Settings(home=tmp_path)
        answer = await call.search(f"{HERE}:spending", settings, 5_000.0, 40.0)
        assert answer.structured["spent"] == 5_000.0
        idle = list(schedule.searches._idle)
        await schedule.close()
        assert idle
        assert not any(each.lives for each in idle)

    asyncio.run(main())
    assert len(charged) == 1
    assert 5_000 < charged[0] < 6_000


def test_a_call_that_is_cancelled_is_charged_what_its_search_may_have_begun(tmp_path: Path) -> None:
    charged: list[float] = []

    async def main() -> None:
        schedule, begun = Schedule(), asyncio.Event()
        call = _call(schedule, charged, begun)
        task = asyncio.create_task(call.search(f"{HERE}:hanging", Settings(home=tmp_path), 7_000.0, 40.0))
        await begun.wait()
        busy = list(schedule.searches._busy)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await schedule.close()
        assert busy
        assert not any(each.lives for each in busy)

    asyncio.run(main())
    assert len(charged) == 1
    assert 7_000 < charged[0] < 8_000
