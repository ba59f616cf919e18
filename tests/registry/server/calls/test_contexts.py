"""Worker threads, progress and announcements of changes, without a server around them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from registry.server.calls import contexts
from registry.server.calls.contexts import Beat, Call, Changes, ListName
from registry.server.calls.jobs import ClientJobs, Jobs
from registry.server.calls.schedule import Schedule
from registry.server.calls.workers import Workers


def run(talk: Callable[[Workers], Awaitable[None]], count: int = 2) -> None:
    async def main() -> None:
        workers = Workers(count)
        async with asyncio.timeout(60):
            await talk(workers)
        workers.close()

    asyncio.run(main())


def test_what_a_search_tells_after_it_was_said_to_go_on_is_not_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A client is told of what has grown only, and a slow start is followed by the first thing told, of which nothing is done."""
    monkeypatch.setattr(contexts, "BEAT", 0.0)
    told: list[tuple[float, str]] = []

    class Told(Call):
        def __init__(self) -> None:
            self._loop = asyncio.get_running_loop()

        def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
            told.append((done, message or ""))

    async def main() -> None:
        beat = Beat(Told())
        beating = asyncio.create_task(beat.go())
        for done, message in ((0.0, "one"), (0.0, "two"), (1.0, "three")):
            reached = len(told) + 2
            while len(told) < reached:
                await asyncio.sleep(0)
            beat.told(done, 2, message)
        beating.cancel()

    asyncio.run(main())
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert [message for _, message in told if "since" not in message] == ["one", "two", "three"]
    assert dict(told)[1.0] == "three"


def test_results_and_errors_come_back() -> None:
    def stop() -> None:
        raise StopIteration("x")

    async def talk(workers: Workers) -> None:
        assert await workers.run(lambda: threading.current_thread().daemon)
        with pytest.raises(ZeroDivisionError):
            await workers.run(lambda: 1 // 0)
        with pytest.raises(RuntimeError, match="StopIteration"):
            await workers.run(stop)

    run(talk)


@pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="from 3.12 on Python counts recursion through C itself, and stops it before a stack of 8 MB is full",
)
def test_threads_have_a_deep_stack() -> None:
    class Deep:
        """Comparing these recurses through C, 25,000 levels: more than the usual 8 MB of stack hold."""

        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Deep) and self.inner == other.inner

        def __hash__(self) -> int:
            return 0

    def build() -> Any:
        deep: Any = None
        for _ in range(25_000):
            deep = Deep(deep)
        return deep

    async def talk(workers: Workers) -> None:
        left, right = build(), build()
        assert await workers.run(lambda: left == right)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        run(talk)
    finally:
        sys.setrecursionlimit(before)


def test_more_work_than_threads() -> None:
    seen = set()

    def work(number: int) -> int:
        seen.add(threading.get_ident())
        return number

    async def talk(workers: Workers) -> None:
        results = await asyncio.gather(
            *(workers.run(lambda number=number: work(number)) for number in range(100))
        )
        assert results == list(range(100))

    run(talk, 3)
    assert 1 <= len(seen) <= 3


def test_threads_that_were_let_go_take_no_work_and_end_what_they_have() -> None:
    async def main() -> None:
        workers = Workers(1, "asking", stack_bytes=0)
        go_on = threading.Event()

        def waits() -> str:
            go_on.wait(60)
            return threading.current_thread().name

        begun = asyncio.create_task(workers.run(waits))
        queued = asyncio.create_task(workers.run(lambda: "queued"))
        await asyncio.sleep(0)  # both are with the thread
        workers.close()
        with pytest.raises(RuntimeError, match="asking"):
            await workers.run(lambda: "late")
        go_on.set()
        async with asyncio.timeout(60):
            assert await asyncio.gather(begun, queued) == ["asking-1", "queued"]

    asyncio.run(main())


def test_work_that_is_cancelled_before_it_began_never_begins() -> None:
    begun = []
    gate = threading.Event()

    async def talk(workers: Workers) -> None:
        first = asyncio.create_task(workers.run(gate.wait))
        await asyncio.sleep(0)
        second = asyncio.create_task(workers.run(lambda: begun.append(2)))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        gate.set()
        await first
        await workers.run(lambda: begun.append(3))
        assert begun == [3]

    run(talk, 1)


def test_a_thread_that_does_not_stop_blocks_nobody_else() -> None:
    gate = threading.Event()

    async def talk(workers: Workers) -> None:
        stuck = asyncio.create_task(workers.run(gate.wait))
        await asyncio.sleep(0)
        stuck.cancel()
        await asyncio.gather(stuck, return_exceptions=True)
        assert await workers.run(lambda: 5) == 5
        gate.set()

    run(talk, 2)


def test_at_least_one_thread() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Workers(0)


def test_progress_is_merged_grows_and_ends_with_the_last() -> None:
    sent: list[float] = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        sent.append(done)
        await asyncio.sleep(0)

    async def talk(workers: Workers) -> None:
        call = Call(Schedule(), report, ClientJobs(Jobs(), "", lambda work: work))

        def work() -> None:
            for done in (1, 5, 3, 5, *range(6, 2_000)):
                call.progress(done)

        await call.run_in_worker(work)
        await call.finish()
        assert sent == sorted(set(sent))
        assert sent[-1] == 1_999
        call.cancel()
        call.progress(3_000)
        await call.finish()
        assert sent[-1] == 1_999

    run(talk)


def test_changes_that_come_together_are_told_once() -> None:
    told: list[set[ListName]] = []
    gate = asyncio.Event()

    async def tell(changed: frozenset[ListName]) -> None:
        told.append(set(changed))
        await gate.wait()

    async def talk(workers: Workers) -> None:
        changes = Changes(tell)
        changes.tools_changed()  # before anybody listens
        changes.start()

        def change() -> None:
            for _ in range(100):
                changes.tools_changed()

        await workers.run(change)
        await asyncio.sleep(0)
        changes.resources_changed()
        changes.resources_changed()
        changes.tools_changed()
        changes.prompts_changed()
        await asyncio.sleep(0)
        gate.set()
        while len(told) < 2:
            await asyncio.sleep(0)
        for _ in range(5):
            await asyncio.sleep(0)
        assert told == [{"tools"}, {"tools", "resources", "prompts"}]
        changes.close()
        changes.tools_changed()
        await asyncio.sleep(0)
        assert len(told) == 2

    run(talk)
