"""Lanes: whose turn it is, how much one client gets, and when there is no room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.server.calls.lanes import Busy, Lane, LaneSize


def run(talk: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(60):
            await talk()

    asyncio.run(main())


def begin(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.get_running_loop().create_task(coroutine)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Crowd:
    """Clients that enter a lane; `turns` are theirs in order."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.turns: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def _enter(self, client: str, share: float) -> None:
        await self.lane.enter(client, share)
        self.turns.append(client)

    async def come(self, clients: str, share: float = 0.0) -> None:
        for client in clients:
            self.tasks.append(begin(self._enter(client, share)))
            await settle()

    async def go(self, clients: str, share: float = 0.0) -> None:
        for client in clients:
            self.lane.leave(client, share)
            await settle()


def test_one_client_leaves_the_last_place_to_another() -> None:
    async def talk() -> None:
        crowd = Crowd(Lane("runs", LaneSize(5)))
        await crowd.come("aaaaaaa")
        assert crowd.turns == ["a"] * 4
        await crowd.come("b")
        assert crowd.turns == [*"aaaab"]

    run(talk)


def test_turns_go_round_and_one_client_gets_at_most_half_while_another_waits() -> None:
    async def talk() -> None:
        crowd = Crowd(Lane("runs", LaneSize(4)))
        await crowd.come("aaaaaaa")
        await crowd.come("bbbb")
        assert "".join(crowd.turns) == "aaab"
        await crowd.go("a")
        assert "".join(crowd.turns) == "aaabb", "the place of a goes to b, who has less than half"
        await crowd.go("a")
        assert "".join(crowd.turns) == "aaabba"
        await crowd.go("b")
        assert "".join(crowd.turns) == "aaabbab"
        await crowd.go("ab")
        assert sorted(crowd.turns[-2:]) == ["a", "b"]

    run(talk)


def test_beyond_the_bounds_the_answer_is_busy_at_once() -> None:
    async def talk() -> None:
        crowd = Crowd(Lane("runs", LaneSize(2, 4)))
        await crowd.come("aaa")  # one runs, two wait: half of the room
        with pytest.raises(Busy) as said:
            await crowd.lane.enter("a")
        assert said.value.retry_after_ms >= 100
        await crowd.come("bbb")
        with pytest.raises(Busy):
            await crowd.lane.enter("c")
        assert crowd.lane.waiting == 4

    run(talk)


def test_a_turn_that_does_not_come_is_busy_too() -> None:
    async def talk() -> None:
        lane = Lane("runs", LaneSize(1))
        await lane.enter("a")
        with pytest.raises(Busy, match="turn"):
            await lane.enter("b", patience=0.01)
        assert lane.waiting == 0
        lane.leave("a")
        await lane.enter("b")

    run(talk)


def test_memory_is_waited_for_in_order() -> None:
    """What needs little does not pass what needs much: that would wait for ever."""

    async def talk() -> None:
        crowd = Crowd(Lane("runs", LaneSize(8)))
        await crowd.come("a", 0.75)
        await crowd.come("b", 0.75)
        await crowd.come("c", 0.125)
        assert crowd.turns == ["a"]
        await crowd.go("a", 0.75)
        assert crowd.turns == ["a", "b", "c"]

    run(talk)


def test_whoever_gives_up_makes_room() -> None:
    async def talk() -> None:
        crowd = Crowd(Lane("runs", LaneSize(8)))
        await crowd.come("a", 0.75)
        await crowd.come("b", 0.75)
        await crowd.come("c", 0.125)
        crowd.tasks[1].cancel()
        await settle()
        assert crowd.turns == ["a", "c"]

    run(talk)


def test_a_place_that_comes_in_the_moment_of_cancelling_is_given_back() -> None:
    async def talk() -> None:
        lane = Lane("runs", LaneSize(1))
        await lane.enter("a")
        waiting = begin(lane.enter("b"))
        await settle()
        lane.leave("a")  # b's turn has come, but b has not been woken
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.wait_for(lane.enter("c"), 10)

    run(talk)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["come", "go", "drop"])), max_size=60))
def test_no_order_of_events_loses_a_place(events: list[tuple[str, str]]) -> None:
    """Never more than the places, never an idle place that somebody may have, and all is free in the end."""
    places = 3

    async def talk() -> None:
        lane = Lane("runs", LaneSize(places, 100))
        tasks: dict[str, list[asyncio.Task[None]]] = {each: [] for each in "abc"}

        def held(client: str) -> int:
            return sum(each.done() and not each.cancelled() for each in tasks[client])

        for client, event in events:
            if event == "come":
                tasks[client].append(begin(lane.enter(client)))
            elif event == "go" and held(client):
                first = next(each for each in tasks[client] if each.done() and not each.cancelled())
                tasks[client].remove(first)
                lane.leave(client)
            elif event == "drop":
                for each in [each for each in tasks[client] if not each.done()][:1]:
                    each.cancel()
            await settle()
            running = {each: held(each) for each in "abc"}
            waiting = {each for each in "abc" if any(not task.done() for task in tasks[each])}
            assert sum(running.values()) <= places
            for each in waiting:
                allowed = max(1, places // 2 if waiting - {each} else places - 1)
                assert running[each] >= allowed or sum(running.values()) == places
        for client, mine in tasks.items():
            for each in mine:
                each.cancel()
            await settle()
            for _ in range(held(client)):
                lane.leave(client)
        await asyncio.wait_for(lane.enter("d"), 10)
        assert lane.waiting == 0

    run(talk)
