"""Long searches in processes of their own: they hold no thread of the server, and can be killed.

`Searches` keeps processes that have done a search for the next one: each has loaded what a search needs. A process that
is cancelled, late or broken is killed, with the provers that it began (they end when their input does). The other side
is `search_process`.

Invariants
----------
- One search at a time in a process. Its answer, its failure, or the end of the process ends the search.
- What a search runs is named by an address (``module:function``); only this server names any.
- When the server ends, however it ends, the input of its processes ends, and they with it. Where it closes them, the
  event loop hears of the end of each before it is closed itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import subprocess
import sys
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kleis.prover.process.pipe_messages import HEADER, message_of, pack
from registry.server.contract.group import Answer

__all__ = ["SECRETS", "SearchFailed", "Searches"]

KEPT = 2
"""Idle processes."""

IDLE = 60.0
"""Seconds after which an idle process is ended."""

GRACE = 6.0
"""Seconds after its time that a search has to answer with what it has; then its process is killed."""

_REAPED = 5.0
"""Seconds within which a killed process has ended."""

_START = (
    "import sys; sys.path[:] = sys.argv[1:]; from registry.server.calls.search_process import main; main()"
)
SECRETS = ("PIF_HTTP_TOKEN", "ARISTOTLE_API_KEY")
"""Variables that a search has no use for."""

_BUFFER = 1 << 20
logger = logging.getLogger(__name__)

Told = Callable[[float, float | None, str | None], None]
Spent = Callable[[float], None]


class SearchFailed(Exception):
    """A search ended without an answer; the message says why."""


class _Process:
    """One process and its two pipes."""

    def __init__(self, transport: asyncio.SubprocessTransport, process: asyncio.subprocess.Process) -> None:
        self._transport = transport
        self._process = process
        self.expiry: asyncio.TimerHandle | None = None

    @classmethod
    async def start(cls) -> _Process:
        path = [str(Path(each).resolve()) for each in sys.path]
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(limit=_BUFFER, loop=loop),
            sys.executable, "-s", "-P", "-c", _START, *path,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, start_new_session=True,
            env={name: value for name, value in os.environ.items() if name not in SECRETS},
        )  # fmt: skip
        return cls(transport, asyncio.subprocess.Process(transport, protocol, loop))

    @property
    def lives(self) -> bool:
        return self._process.returncode is None

    @property
    def number(self) -> int:
        """The process id."""
        return self._process.pid

    async def send(self, request: object) -> None:
        stream = self._process.stdin
        assert stream is not None
        stream.write(message_of(pack(request)))
        await stream.drain()

    async def receive(self) -> Any:
        """The next message. Raises `EOFError` where the process has ended."""
        stream = self._process.stdout
        assert stream is not None
        try:
            (length,) = HEADER.unpack(await stream.readexactly(HEADER.size))
            return pickle.loads(await stream.readexactly(length))
        except asyncio.IncompleteReadError as error:
            raise EOFError from error

    def kill(self) -> None:
        if self.expiry is not None:
            self.expiry.cancel()
        self._transport.close()  # which kills what still runs


class Searches:
    """The processes of one server. Use it from one event loop."""

    def __init__(self) -> None:
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._killed: set[_Process] = set()

    def processes(self) -> list[int]:
        """The ids of the processes that are at a search."""
        return [each.number for each in self._busy]

    async def run(
        self, job: str, given: tuple[object, ...], seconds: float, told: Told, spent: Spent
    ) -> Answer:
        """The answer of the job (`search_process`). Cancelling kills it; so does its time, with a moment of grace. `spent` hears how
        many seconds of other machines it has used.

        Raises `SearchFailed` where the process ended or was late, and what the job raised as `RuntimeError`.
        """
        process = await self._taken()
        self._busy.add(process)
        answered = False
        try:
            async with asyncio.timeout(seconds + GRACE):
                await process.send((job, given, seconds))
                while True:
                    kind, *rest = await process.receive()
                    if kind == "progress":
                        told(*rest)
                        continue
                    if kind == "spent":
                        spent(*rest)
                        continue
                    answered = True
                    if kind == "failed":
                        raise RuntimeError(f"a search failed: {rest[0]}")
                    answer: Answer = rest[0]
                    return answer
        except TimeoutError:
            raise SearchFailed(f"the search gave no answer within {seconds:g} s") from None
        except (EOFError, ConnectionError) as error:
            raise SearchFailed("the process of the search ended") from error
        finally:
            self._busy.discard(process)
            if answered:
                self._keep(process)
            else:
                self._kill(process)

    async def _taken(self) -> _Process:
        while self._idle:
            process = self._idle.pop()
            if process.expiry is not None:
                process.expiry.cancel()
            if process.lives:
                return process
        return await _Process.start()

    def _keep(self, process: _Process) -> None:
        if len(self._idle) >= KEPT:
            self._kill(process)
            return
        process.expiry = asyncio.get_running_loop().call_later(IDLE, self._expire, process)
        self._idle.append(process)

    def _expire(self, process: _Process) -> None:
        if process in self._idle:
            self._idle.remove(process)
            self._kill(process)

    def _kill(self, process: _Process) -> None:
        process.kill()
        self._killed = {each for each in (*self._killed, process) if each.lives}

    async def close(self) -> None:
        """Kill all processes, and wait for their ends, of which the event loop would otherwise hear when it is no more."""
        for process in (*self._idle, *self._busy):
            self._kill(process)
        self._idle.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAPED):
                while any(each.lives for each in self._killed):
                    await asyncio.sleep(0.005)
