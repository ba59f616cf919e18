"""A cluster that a process reaches once, and keeps for everything that it asks; what its workers are busy with is counted.

    kept = KeptCluster("tcp://10.0.0.1:8786")
    kept.reach()                                     # in a thread of its own, at once
    use = Use(told=…)
    Ahead(broker, kept.opening(use), over=lambda: not kept.is_there, …)

`local_cluster` starts workers on this machine, and writes their address where it is told: ``file:PATH`` waits for it.

Invariants
    * Nobody who asks waits for the connection, but a thread of `Ahead`.
    * A cluster that cannot be reached is tried again after `AGAIN` seconds, and no sooner.
    * `Use` believes nothing that a worker says: what is counted is seen from here, and never less than workers can be busy.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kleis.batches.cluster import CONNECTING, DaskPool, close_client, connected, pool_of
from kleis.batches.questions import BatchTask
from kleis.batches.spread import Opening, Pool, Unreachable
from kleis.decoding import decode_msgpack

__all__ = ["AGAIN", "LONGEST_TASK", "KeptCluster", "Use"]

AGAIN = 30.0
"""Seconds after which a cluster that could not be reached is tried again."""

LONGEST_TASK = 120.0
"""Seconds of a task at most."""

_LOOK = 0.1
_FILE = "file:"


class Use:
    """How long workers are at the tasks of one caller, counted so that it is never too little.

    `tasks` that are under way keep as many of the cluster's threads busy, from when they are sent until they answer; one that
    is given up may go on for as long as its task allows.  `told` hears of the bound before each task is sent.
    """

    def __init__(
        self,
        told: Callable[[float], None] = lambda seconds: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._told = told
        self._clock = clock
        self._lock = threading.Lock()
        self._sum = 0.0
        self._tasks = 0
        self._threads = 0
        self._longest = 0.0
        self._since = clock()

    @property
    def threads(self) -> int:
        """The threads of the workers that were seen last."""
        return self._threads

    def bound(self) -> float:
        """The seconds of workers that were used, with those that tasks under way may still take if nobody waits for them."""
        with self._lock:
            self._count()
            return self._sum + min(self._tasks, self._threads) * self._longest

    def found(self, threads: int) -> None:
        """The cluster has so many threads now."""
        with self._lock:
            self._count()
            self._threads = threads

    def begin(self, seconds: float) -> None:
        """A task is about to be sent that may take so many seconds."""
        with self._lock:
            self._count()
            self._tasks += 1
            self._longest = max(self._longest, seconds)
        self._told(self.bound())

    def end(self, gone: bool) -> None:
        """A task has answered; or it is `gone`, and may go on where it is."""
        with self._lock:
            self._count()
            if gone and self._tasks <= self._threads:
                self._sum += self._longest
            self._tasks -= 1

    def _count(self) -> None:
        now = self._clock()
        self._sum += min(self._tasks, self._threads) * (now - self._since)
        self._since = now


class KeptCluster:
    """The connection of this process to one cluster.  Safe in threads."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._client: Any = None
        self._thread: threading.Thread | None = None
        self._failed = ""
        self._tried = float("-inf")

    @property
    def is_there(self) -> bool:
        """Whether it can be asked now."""
        return self._client is not None and self._client.status == "running"

    def reach(self) -> None:
        """Begin to reach it, where it is not there; returns at once."""
        with self._lock:
            under_way = self._thread is not None and self._thread.is_alive()
            if self.is_there or under_way or time.monotonic() - self._tried < AGAIN:
                return
            self._tried = time.monotonic()
            self._failed = ""
            self._thread = threading.Thread(target=self._connect, name="kleis-cluster", daemon=True)
            self._thread.start()

    def opening(self, use: Use) -> Callable[[Mapping[str, bytes]], Opening]:
        """How `Ahead` opens it for one caller, whose use is counted."""

        def opening(theories: Mapping[str, bytes]) -> Opening:
            return lambda shunned: self._open(theories, shunned, use)

        return opening

    def close(self) -> None:
        """Leave it."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            close_client(client)

    @contextmanager
    def _open(self, theories: Mapping[str, bytes], shunned: frozenset[str], use: Use) -> Iterator[Pool]:
        self.reach()
        thread = self._thread
        if not self.is_there and thread is not None:
            thread.join()
        if not self.is_there:
            raise Unreachable(self._failed or f"the cluster {self.address} was lost")
        try:
            # The theories that it holds are its caller's: the cluster lets go of them when nobody here names them any more.
            pool, threads = pool_of(self._client, self.address, theories, shunned)
        except (OSError, TimeoutError, ValueError) as error:
            raise Unreachable(f"the cluster {self.address} cannot be reached ({error})") from error
        use.found(threads)
        yield DaskPool(_Counted(pool.executor, use), pool.held)

    def _connect(self) -> None:
        try:
            address = self._found()
            parts = urlsplit(address)
            # Dask asks a port that refuses again and again until its time is over.
            socket.create_connection((parts.hostname or "", parts.port or 0), timeout=CONNECTING).close()
            client = connected(address)
        except (OSError, TimeoutError, ValueError) as error:
            self._failed = f"the cluster {self.address} cannot be reached ({error})"
            return
        with self._lock:
            before, self._client = self._client, client
        if before is not None:
            with suppress(RuntimeError):
                close_client(before)

    def _found(self) -> str:
        """The address of the scheduler.  Raises `TimeoutError` where workers that are started here take too long."""
        if not self.address.startswith(_FILE):
            return self.address
        file = Path(self.address.removeprefix(_FILE))
        until = time.monotonic() + CONNECTING
        while True:
            with suppress(FileNotFoundError):
                return file.read_text()
            if time.monotonic() > until:
                raise TimeoutError("its workers are not there yet")
            time.sleep(_LOOK)


class _Counted(Executor):
    """An executor that counts what it sends."""

    def __init__(self, executor: Executor, use: Use) -> None:
        self._executor = executor
        self._use = use

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        _, task = args
        seconds = decode_msgpack(task, BatchTask).seconds
        self._use.begin(seconds)
        try:
            future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        except BaseException:
            self._use.end(gone=False)
            raise
        future.add_done_callback(
            lambda done: self._use.end(gone=done.cancelled() or done.exception() is not None)
        )
        return future
