"""The process above the workers: starts them on one listening socket, starts again what ends, renews and ends them all.

It reads no request and opens neither store nor prover, so that nothing which a client sends can end it. Workers inherit the
listening socket: a connection that waits in its queue when a worker ends is taken by another one (ADR 038).

Invariants
----------
- While workers are renewed or started again, connections are taken by the others, or wait in the queue of the socket.
- A worker that ends without being told is started again, after a pause that doubles while it does not live for long.
- A worker that leaves `HUNG` pings unanswered is killed.
- Whoever waits for an answer of a worker that ends is told so; other connections go on at another (`kept_connections`).
- When the supervisor ends, however it ends, so do the workers: they see the end of its channel.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from registry.server.workers.kept_connections import Keeper
from registry.server.workers.member import KEPT_FILE, METRICS_DIRECTORY, USE_FILE
from registry.server.workers.orders import (
    Channel,
    Drain,
    Ended,
    Find,
    Found,
    Kept,
    Opened,
    Orders,
    Ping,
    Pong,
    Ready,
    RecentNotes,
    Relayed,
    Station,
    Stations,
)
from registry.server.workers.session_table import SessionTable

__all__ = ["COLUMNS", "STOPPING", "Supervisor", "WorkerProgram", "shared_directory", "worker_program"]

STARTING: Final = 120.0
"""Seconds in which a worker takes connections."""

STOPPING: Final = 2.5
"""Seconds that workers have for their end, which takes them two at most; then they are killed."""

PINGS: Final = 5.0
HUNG: Final = 6
"""Seconds between two pings, and how many a worker may leave unanswered."""

SHORTEST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 30.0
LONG_LIFE: Final = 60.0
"""Seconds: the first and the longest pause before a worker is started again, and the life after which the next is the first."""

DESCRIPTORS: Final = 2_400
"""Of a worker: its connections are kept here too."""

COLUMNS: Final = 2
"""Places of one worker in shared tables: a process and the one that it replaces live side by side."""

_START = "import sys; sys.path[:] = sys.argv[4:]; from registry.server.serve import work; work(*map(int, sys.argv[1:4]))"

WorkerProgram = Callable[[int, int, int], Sequence[str]]
"""The command line of a worker that inherits three descriptors: its channel, the listening socket, that of kept connections."""

logger = logging.getLogger(__name__)


def worker_program(channel: int, listening: int, kept: int) -> list[str]:
    """The command line of a worker that inherits three sockets."""
    path = [str(Path(each).resolve()) for each in sys.path]
    return [sys.executable, "-s", "-P", "-c", _START, str(channel), str(listening), str(kept), *path]


class _Process:
    """One worker's process."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        channel: Channel,
        station: Station,
        column: int,
        keeper: Keeper,
    ) -> None:
        self.keeper = keeper
        self.process = process
        self.channel = channel
        self.station = station
        self.column = column
        self.is_ready = asyncio.Event()
        self.unanswered = 0
        self.ended = asyncio.ensure_future(process.wait())

    @property
    def shown(self) -> str:
        return f"worker {self.station.number} (process {self.process.pid})"

    def signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.process.returncode is None:
            try:
                self.process.send_signal(number)
            except ProcessLookupError:
                logger.debug("%s ended by itself", self.shown)


class Supervisor:
    """The workers of one server. `orders` are those of each, with what differs filled in here; `on_ready` is called when the first
    takes connections, `on_end` with the column of each process that has ended."""

    def __init__(
        self,
        orders: Orders,
        listening: socket.socket,
        *,
        on_ready: Callable[[], None],
        on_end: Callable[[int], None],
        program: WorkerProgram = worker_program,
        seconds: float = 0.0,
    ) -> None:
        """`seconds`: how long workers may answer what is under way at their end, before they stop."""
        self._stopping = STOPPING + seconds
        self._orders = orders
        self._listening = listening
        self._on_ready = on_ready
        self._on_end = on_end
        self._program = program
        self._sessions = SessionTable()
        self._notes = RecentNotes()
        self._processes: list[_Process] = []
        self._generations = [0] * orders.workers
        self._current: list[_Process | None] = [None] * orders.workers
        self._renewing = asyncio.Lock()
        self._stopped = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._status = 0
        self._homeless: list[socket.socket] = []
        self._turn = 0

    async def run(self) -> int:
        """Serve until a signal; the exit status, that of the first worker where this never takes a connection."""
        loop = asyncio.get_running_loop()
        _allow_descriptors(self._orders.workers)
        for ending in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(ending, self._stop, ending)
        loop.add_signal_handler(signal.SIGHUP, lambda: self._spawn(self.renew()))
        first = await self._start(0)
        if first is None:
            was_stopped = self._stopped.is_set()
            status = await self._end()
            return status if was_stopped else max(1, self._status)
        self._on_ready()
        for number in range(self._orders.workers):
            self._spawn(self._keep(number, first if number == 0 else None))
        self._spawn(self._watch())
        await self._stopped.wait()
        return await self._end()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("a task of the supervisor failed", exc_info=task.exception())

    # one worker

    async def _start(self, number: int) -> _Process | None:
        """Start a process for a number, and wait until it takes connections; None where it does not. It becomes the one of its
        number, and the one before it is told to leave."""
        process = await self._launch(number)
        ready = asyncio.ensure_future(process.is_ready.wait())
        stopped = asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait(
            {ready, process.ended, stopped}, timeout=STARTING, return_when=asyncio.FIRST_COMPLETED
        )
        ready.cancel()
        stopped.cancel()
        if not process.is_ready.is_set() or process.process.returncode is not None:
            if process.process.returncode is None:
                process.signal(signal.SIGTERM if self._stopped.is_set() else signal.SIGKILL)
            self._status = await process.ended
            return None
        before, self._current[number] = self._current[number], process
        if before is not None and before.process.returncode is None:
            before.station = msgspec.structs.replace(before.station, is_leaving=True)
        self._announce()
        homeless, self._homeless = self._homeless, []
        for connection in homeless:
            self._give(connection)
        return process

    async def _launch(self, number: int) -> _Process:
        generation = self._generations[number]
        self._generations[number] += 1
        column = number * COLUMNS + generation % COLUMNS
        orders = msgspec.structs.replace(
            self._orders, number=number, generation=generation, column=column, is_first=number == 0 and generation == 0
        )  # fmt: skip
        ours, theirs = socket.socketpair()
        keeper = Keeper(Path(self._orders.directory) / f"{KEPT_FILE}-{number}-{generation}", self._give)
        with theirs, keeper.theirs:
            inherited = (theirs.fileno(), self._listening.fileno(), keeper.theirs.fileno())
            started = await asyncio.create_subprocess_exec(
                *self._program(*inherited),
                pass_fds=inherited,
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        path = str(Path(self._orders.directory) / f"{number}-{generation}")
        process = _Process(
            started, await Channel.over(ours), Station(number, generation, path), column, keeper
        )
        for record in (orders, *self._notes.all()):
            process.channel.tell(record)
        self._processes.append(process)
        self._spawn(self._hear(process))
        self._spawn(self._bury(process))
        return process

    async def _keep(self, number: int, process: _Process | None) -> None:
        """Let there be a worker of this number."""
        loop = asyncio.get_running_loop()
        failures = 0
        while not self._stopped.is_set():
            begun = loop.time()
            if process is None:
                async with self._renewing:
                    process = None if self._stopped.is_set() else await self._start(number)
            while process is not None:
                await process.ended
                now = self._current[number]
                process = now if now is not process else None
            if self._stopped.is_set():
                return
            failures = 0 if loop.time() - begun > LONG_LIFE else failures + 1
            pause = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** min(failures, 16))
            logger.warning("worker %d is started again in %.1f s", number, pause)
            await self._sleep(pause)

    async def _bury(self, process: _Process) -> None:
        status = await process.ended
        self._processes.remove(process)
        process.channel.close()
        self._on_end(process.column)
        number = process.station.number
        if self._current[number] is process:
            self._current[number] = None
            self._sessions.left(number)
        process.keeper.end()
        Path(process.station.path).unlink(missing_ok=True)
        self._announce()
        if status != 0 and process.is_ready.is_set() and not self._stopped.is_set():
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            logger.error("%s %s", process.shown, how)

    async def _hear(self, process: _Process) -> None:
        async for record in process.channel.records():
            match record:
                case Ready():
                    process.is_ready.set()
                case Pong():
                    process.unanswered = 0
                case Opened(session=session, state=state):
                    self._sessions.opened(session, state)
                case Kept(session=session, key=key, body=body):
                    self._sessions.kept(session, key, body)
                case Ended(session=session):
                    if not process.station.is_leaving:  # else its successor may have it
                        self._sessions.ended(session)
                case Find(session=session):
                    process.channel.tell(Found(session, self._sessions.find(session)))
                case Relayed():
                    self._notes.note(record)
                    for each in self._processes:
                        if each is not process:
                            each.channel.tell(record)
                case _:
                    logger.warning("%s said something that is not for the supervisor", process.shown)

    def _give(self, connection: socket.socket) -> None:
        """Give a connection that a worker has left to another one; it waits where there is none."""
        there = [each for each in self._current if each is not None and each.process.returncode is None]
        self._turn += 1
        for place in range(len(there)):
            if there[(self._turn + place) % len(there)].keeper.give(connection):
                return
        if self._stopped.is_set() or len(self._homeless) >= DESCRIPTORS:
            connection.close()
        else:
            self._homeless.append(connection)

    def _announce(self) -> None:
        """Tell all where all are."""
        there = Stations(tuple(each.station for each in self._processes if each.is_ready.is_set()))
        for each in self._processes:
            each.channel.tell(there)

    async def _watch(self) -> None:
        """Kill what hangs, forget what nobody comes back for."""
        while not self._stopped.is_set():
            await self._sleep(PINGS)
            self._sessions.forget()
            for each in self._processes:
                if each.is_ready.is_set():
                    if each.unanswered >= HUNG:
                        logger.error("%s has not answered %d pings and is killed", each.shown, HUNG)
                        each.signal(signal.SIGKILL)
                    each.unanswered += 1
                    each.channel.tell(Ping())

    async def _sleep(self, seconds: float) -> None:
        """Wait, or until the end."""
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            return

    # all of them

    async def renew(self) -> None:
        """Replace the workers by new ones, one by one: each takes connections before the one before it is told to leave."""
        async with self._renewing:
            for number in range(self._orders.workers):
                before = self._current[number]
                if before is None or self._stopped.is_set():
                    continue  # it is about to be started anyway
                after = await self._start(number)
                if after is None:
                    if not self._stopped.is_set():
                        logger.error("worker %d is not renewed: the new one did not start", number)
                    return
                before.channel.tell(Drain())
                logger.warning("worker %d is renewed", number)
                await before.ended

    def _stop(self, number: int) -> None:
        """The first signal ends the workers as it would end a server alone; the second kills them."""
        loop = asyncio.get_running_loop()
        if self._stopped.is_set():
            for each in self._processes:
                each.signal(signal.SIGKILL)
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self._stopped.set()
        for each in self._processes:
            each.signal(signal.SIGTERM)

    async def _end(self) -> int:
        """Wait until all have ended, and kill what has not in time."""
        self._stopped.set()
        ended = [each.ended for each in self._processes]
        if ended:
            _, late = await asyncio.wait(ended, timeout=self._stopping)
            for each in tuple(self._processes):
                if each.ended in late:
                    logger.error("%s did not end in time and is killed", each.shown)
                    each.signal(signal.SIGKILL)
            await asyncio.wait(ended)
        for connection in self._homeless:
            connection.close()
        for task in tuple(self._tasks):
            task.cancel()
        return 0


def _allow_descriptors(workers: int) -> None:
    """Let there be as many descriptors as connections may be open, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS * (workers + 1)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def shared_directory() -> Path:
    """A new directory for the workers of one server, which only its user may enter. Raises OSError."""
    directory = Path(tempfile.mkdtemp(prefix="pif-"))
    try:
        (directory / METRICS_DIRECTORY).mkdir()
        (directory / USE_FILE).touch(mode=0o600)
    except OSError:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    return directory
