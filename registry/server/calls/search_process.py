"""The process of long searches: one job after another, at low priority, as `searches` sends them.

A job is a function ``job(site, arguments, search) -> Answer``. `site` is this process's own view of the server's home, kept
from job to job, with a prover of its own; `search` says how much time there is, and takes progress.

Invariants
----------
- The process ends when its input does, whatever it is doing: a thread waits for that.
- Whatever is printed goes to the standard error of the server.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kleis.prover.process.pipe_messages import message_of, pack, read_message, write_whole
from pif.run.stack_room import with_room
from registry.server.contract.group import Answer
from registry.server.contract.settings import Settings, Site

__all__ = ["NICENESS", "Search", "main"]

NICENESS = 10
"""What searches and their provers give way to the server by."""

STACK_BYTES = 64 * 1024 * 1024

_RECURSION = 100_000
"""As in the server's process: elaboration would otherwise raise and lower it."""

_PROGRESS_EVERY = 0.1
logger = logging.getLogger(__name__)

Job = Callable[[Site, Any, "Search"], Answer]


class Search:
    """What a job knows of its call."""

    def __init__(self, seconds: float, send: Callable[[tuple[object, ...]], None]) -> None:
        self.seconds = seconds
        self.until = time.monotonic() + seconds
        self._send = send
        self._told = 0.0
        self._lock = threading.Lock()

    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.until

    def left(self) -> float:
        """The seconds that are left."""
        return self.until - time.monotonic()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress, at most ten times a second. Any thread of the job may."""
        now = time.monotonic()
        with self._lock:
            if now - self._told < _PROGRESS_EVERY:
                return
            self._told = now
        self._send(("progress", done, total, message))

    def spent(self, seconds: float) -> None:
        """Say how many seconds of other machines the call has used so far, at most; what is said last is charged."""
        self._send(("spent", seconds))


class _Process:
    def __init__(self, source: int, target: int) -> None:
        self._target = target
        self._sending = threading.Lock()
        self._jobs: queue.SimpleQueue[tuple[str, tuple[Any, ...], float]] = queue.SimpleQueue()
        self._site: Site | None = None
        threading.Thread(target=self._listen, args=(source,), daemon=True).start()

    def _listen(self, source: int) -> None:
        with os.fdopen(source, "rb") as stream:
            while (received := read_message(stream.read)) is not None:
                self._jobs.put(received)
        os._exit(0)  # the server is gone, or has no more use for this process

    def run(self) -> None:
        """Do jobs until the input ends."""
        while True:
            job, given, seconds = self._jobs.get()
            try:
                said: tuple[object, ...] = ("answer", self._answer(job, given, seconds))
            except Exception as error:
                logger.exception("a search failed")
                said = ("failed", f"{type(error).__name__}: {error}"[:500])
            self._send(said)

    def _answer(self, job: str, given: tuple[Any, ...], seconds: float) -> Answer:
        settings, arguments = given
        module, _, name = job.partition(":")
        run: Job = getattr(import_module(module), name)
        return run(self._known(settings), arguments, Search(seconds, self._send))

    def _known(self, settings: Settings) -> Site:
        if self._site is None or self._site.settings != settings:
            if self._site is not None:
                self._site.close()
            self._site = Site(settings)
        return self._site

    def _send(self, said: tuple[object, ...]) -> None:
        with self._sending:
            write_whole(self._target, message_of(pack(said)))


def main() -> None:
    """Serve searches on standard input and output."""
    os.nice(NICENESS)
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    logging.basicConfig(
        stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING
    )
    sys.setrecursionlimit(_RECURSION)
    threading.stack_size(STACK_BYTES)
    worker = threading.Thread(target=with_room, args=(_Process(source, target).run,), daemon=True)
    worker.start()
    worker.join()
