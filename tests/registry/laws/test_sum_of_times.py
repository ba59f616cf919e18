"""The laws of one call share one limit of time, however many they are (docs/reference/registry.md §7.8)."""

from __future__ import annotations

import time as real_time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.process import deadline as deadlines
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import Answer
from registry.laws import check_laws
from registry.laws.check_laws import CHECKING, TRYING
from registry.laws.law_prover import LawProver
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace import requests
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS

Json = Any

ANSWER = 50.0
"""Seconds after which a client of `evolve` must have its answer."""

ATTEMPT = 3.0
LOOK = 0.01


class Clock:
    """A clock that goes on by a look at it, so that what looks again and again takes long."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __getattr__(self, name: str) -> Any:
        return getattr(real_time, name)

    def monotonic(self) -> float:
        self.now += LOOK
        return self.now


class Slow(Broker):
    """A broker whose attempts take their time on the clock and find nothing."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.attempts = 0

    def submit(self, engine: str, task: Any, steps: int, **further: Any) -> tuple[int, Future[Answer]]:
        self.attempts += 1
        self.clock.now += ATTEMPT
        future = Future[Answer]()
        future.set_result(Answer(outcome="silent", reason="incomplete", detail="it looked"))
        return self.attempts, future


class SlowProver(LawProver):
    """A prover of slow attempts."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.slow = Slow(clock)

    def broker(self) -> Broker:
        return self.slow


class SlowWorkspace(Workspace):
    """A home whose laws are asked of a slow prover."""

    clock: Clock

    @property
    def prover(self) -> LawProver:  # type: ignore[override]
        if not hasattr(self, "slow"):
            self.slow = SlowProver(self.clock)
        return self.slow


@pytest.mark.parametrize("laws", [1, 12, 40])
def test_the_sum_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, laws: int) -> None:
    clock = Clock()
    monkeypatch.setattr(deadlines, "time", clock)
    monkeypatch.setattr(check_laws, "time", clock)
    workspace = SlowWorkspace(SqliteStore(tmp_path / "home"))
    workspace.clock = clock
    longest = requests.LONGEST / 1_000
    texts = [
        f"∀(x : ℤ). square(x + {each}) = square(x) + {2 * each} * x + {each * each}" for each in range(laws)
    ]
    begun = clock.now
    made = workspace.evolve(
        Evolve("square", "The square", TOOLS["square"], laws=texts), deadline=Deadline(longest)
    )
    workspace.store.close()
    assert len(made["laws"]) == laws
    assert {each["status"] for each in made["laws"]} <= {"tested", "untested"}
    assert clock.now - begun < ANSWER
    assert workspace.slow.slow.attempts <= longest / ATTEMPT + 2


def test_what_follows_the_longest_time_for_proofs_leaves_room_for_the_answer() -> None:
    assert requests.STANDARD <= requests.LONGEST
    assert requests.LONGEST / 1_000 + CHECKING + TRYING < ANSWER
