"""Brokers whose engines die at once, or never answer."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer

__all__ = ["Hanging", "Killing"]

_KILLED = Answer(outcome="silent", reason="killed", detail="cut by its guard")


class Killing(Broker):
    """Every attempt is killed by its guard, as long as `kills`; then the broker behind answers."""

    def __init__(self, behind: Broker) -> None:
        super().__init__()
        self.behind = behind
        self.kills = True
        self.count = 0

    def submit(
        self,
        engine: str,
        task: Any,
        steps: int,
        *,
        guards: Guards | None = None,
        preload: tuple[str, ...] = (),
        pure: bool = False,
    ) -> tuple[int, Future[Answer]]:
        self.count += 1
        if not self.kills:
            return self.behind.submit(engine, task, steps, guards=guards, preload=preload, pure=pure)
        future: Future[Answer] = Future()
        future.set_result(_KILLED)
        return -self.count, future

    def cancel(self, number: int) -> None:
        if number > 0:
            self.behind.cancel(number)


class Hanging(Broker):
    """No attempt ever ends by itself. `began` is set when there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.began = threading.Event()
        self.open: dict[int, Future[Answer]] = {}

    def submit(
        self,
        engine: str,
        task: Any,
        steps: int,
        *,
        guards: Guards | None = None,
        preload: tuple[str, ...] = (),
        pure: bool = False,
    ) -> tuple[int, Future[Answer]]:
        future: Future[Answer] = Future()
        number = len(self.open) + 1
        self.open[number] = future
        self.began.set()
        return number, future

    def cancel(self, number: int) -> None:
        future = self.open[number]
        if not future.done():
            future.set_result(_KILLED)
