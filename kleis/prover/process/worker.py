"""The worker process: forks one child for each attempt, and never solves itself.

See docs/reference/proving.md §10.  Started by `broker`; requests come on standard input, answers go to standard output
(`pipe_messages`).  What a child does, and how it is confined, is in `attempt`.

Most of what an attempt at a small question costs is the first use of memory in a fresh process, so children are forked
ahead: idle ones have warmed up and wait for a request.  What warms a solver up takes several
times what a bare process does, so requests that ask no solver have children of their own.  A child takes one request and
ends; after a request for a pure job it is idle again, with all that it has made ready meanwhile, for others of that kind.

Invariants
    * This process is single-threaded and holds no solver state: children are forked from a clean image in which
      the solver library is loaded but no context exists.
    * It reads neither tasks nor answers: a task is unpickled in the child, an answer by the caller.
    * At most `slots` children run at a time; further requests wait, and their limits do not run meanwhile.
    * A request is written only to a child that has said that it is reading, so this process never waits for one.
    * What is no pure job runs in a new child: how Z3 goes about a question depends on what it was asked before.
    * When standard input ends, every child is killed and the process ends.
    * A child writes one answer or none; it counts as soon as it is whole, whatever becomes of the child.
    * The group of a child is killed before the child is reaped, so its number is still its own.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import selectors
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeAlias

from kleis.prover.process.attempt import NO_MEMORY, READY, attempt, peak_of
from kleis.prover.process.deadline import processors
from kleis.prover.process.pipe_messages import first_message, write_message
from kleis.prover.process.request import Request
from kleis.prover.protocol.engine import Answer

__all__ = ["SPARES", "main"]

SPARES = 1
"""Idle children that are kept ready for each kind of request: the two chains of a question mostly want two kinds."""

_MEGABYTE = 1 << 20
_LARGEST_ANSWER = 64 * _MEGABYTE
_WARM_UP = 60.0
"""Seconds after which a child that is not ready is given up."""
_REST = 5.0
"""The same for a child that has answered."""


_Kind: TypeAlias = tuple[str, ...]
"""The functions, as ``module:function``, that a child calls before it reads a request."""


class _Child:
    """A process: warming up, ready, at an attempt, or ending after it has answered.

    `kind` names what has warmed it up; `stopped` is the answer where the worker ended it; `used` says whether it has
    answered before.
    """

    def __init__(self, process: int, source: int, pipe: int, kind: _Kind) -> None:
        self.process = process
        self.kind = kind
        self.source = source
        self.pipe = pipe
        self.ready = False
        self.request: Request | None = None
        self.received = bytearray()
        self.deadline: float | None = time.monotonic() + _WARM_UP
        self.stopped: Answer | None = None
        self.answered = False
        self.used = False

    def stop(self, answer: Answer) -> None:
        """End the child with this answer; the first reason counts."""
        if self.stopped is None:
            self.stopped = answer
            self.kill()

    def close(self) -> None:
        """Write no more to the child."""
        if self.source >= 0:
            os.close(self.source)
            self.source = -1

    def kill(self) -> None:
        """End the child and whatever it started.  Only before it is reaped: later its number may be another's."""
        for end in (os.killpg, os.kill):
            try:
                end(self.process, signal.SIGKILL)
            except ProcessLookupError:
                continue


class _Worker:
    """The loop of the process."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._selector = selectors.DefaultSelector()
        self._idle: list[_Child] = []
        self._running: dict[int, _Child] = {}
        self._queue: deque[Request] = deque()
        self._input = bytearray()
        self._kinds: dict[_Kind, list[Callable[[], object]]] = {}
        self._selector.register(0, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until standard input ends."""
        open_input = True
        while open_input:
            for key, _ in self._selector.select(self._patience()):
                if key.fd == 0:
                    open_input = self._requests()
                elif self._is_registered(key):
                    self._listen(key.data)
                self._hand_out()
            self._guard()
        children = (*self._idle, *self._running.values())
        for child in children:
            child.kill()
        for child in children:
            os.waitpid(child.process, 0)

    def _is_registered(self, key: selectors.SelectorKey) -> bool:
        """Whether the child is still listened to: an earlier event of the same batch may have reaped it."""
        known = self._selector.get_map().get(key.fd)
        return known is not None and known.data is key.data

    def _patience(self) -> float | None:
        """Seconds until the next deadline; None without one."""
        pending = [
            child.deadline
            for child in (*self._idle, *self._running.values())
            if child.stopped is None and child.deadline is not None
        ]
        return max(0.0, min(pending) - time.monotonic()) if pending else None

    def _guard(self) -> None:
        now = time.monotonic()
        for child in (*self._idle, *self._running.values()):
            if child.deadline is not None and now >= child.deadline:
                seconds = child.request.wall if child.request is not None else _WARM_UP
                child.stop(_silent("killed", f"stopped after {seconds:g} s"))

    # ── requests ─────────────────────────────────────────────────────────────────────────────────────────

    def _requests(self) -> bool:
        """Take what has arrived; False at the end of the input."""
        received = os.read(0, _MEGABYTE)
        if not received:
            return False
        self._input += received
        while (body := first_message(self._input)) is not None:
            self._serve(pickle.loads(body))
        return True

    def _serve(self, request: Request | int) -> None:
        """Queue an attempt, or cancel the one with this number."""
        if isinstance(request, Request):
            self._enqueue(request)
            return
        child = self._running.get(request)
        if child is not None:
            child.stop(_CANCELLED)
            return
        for each in self._queue:
            if each.number == request:
                self._queue.remove(each)
                self._answer(request, _CANCELLED)
                return

    def _enqueue(self, request: Request) -> None:
        try:
            self._load(request)
        except ImportError as error:
            self._answer(request.number, _silent("killed", f"no such engine: {error}"))
            return
        self._queue.append(request)

    def _load(self, request: Request) -> None:
        """Import what a request needs, so that children have it from the start.

        Those that are idle already import it themselves: that takes less than another child.
        """
        modules = dict.fromkeys(name.partition(":")[0] for name in (*request.preload, request.job))
        new = [each for each in modules if each not in sys.modules]
        if new:
            with _kept_from_collection():
                for each in new:
                    importlib.import_module(each)
        kind = _kind(request)
        if kind not in self._kinds:
            named = (each.partition(":") for each in kind)
            self._kinds[kind] = [getattr(sys.modules[module], function) for module, _, function in named]

    def _hand_out(self) -> None:
        """Give waiting requests to ready children, and keep enough of these.

        One for a pure job waits for a child that has just answered: that is ready before another would be forked.
        """
        resting = Counter(each.kind for each in self._idle if each.used and not each.ready)
        for request in list(self._queue):
            if len(self._running) >= self._slots:
                break
            kind = _kind(request)
            ready = [each for each in self._idle if each.ready and each.kind == kind]
            used = [each for each in ready if each.used and request.pure]
            if not used and request.pure and resting[kind]:
                resting[kind] -= 1
                continue
            for child in (*used, *(each for each in ready if not each.used)):
                if self._begun(child, request):
                    break
        if not self._queue and not self._running:
            return
        free = self._slots - len(self._running)
        waiting = Counter((_kind(each), each.pure) for each in islice(self._queue, max(0, free)))
        for kind in self._kinds:
            idle = sum(each.kind == kind and not each.used for each in self._idle)
            lasting = sum(each.kind == kind and each.used for each in self._idle)
            wanted = waiting[kind, False] + max(0, waiting[kind, True] - lasting)
            for _ in range(idle, max(SPARES, wanted)):
                if not self._forked(kind):
                    break

    def _begun(self, child: _Child, request: Request) -> bool:
        """Write a waiting request to a child that reads.  One that has died is reaped; the request waits on."""
        try:
            write_message(child.source, request)
        except OSError:
            self._reap(child)
            return False
        self._queue.remove(request)
        self._idle.remove(child)
        if not request.pure:
            child.close()
        child.request = request
        child.deadline = time.monotonic() + request.wall * _crowding()
        self._running[request.number] = child
        return True

    def _forked(self, kind: _Kind) -> bool:
        """Fork one more child of a kind, and say whether that was possible; if not, the first request that waits for it is rejected."""
        source, theirs = os.pipe()[::-1], os.pipe()
        try:
            parent = os.getpid()
            process = os.fork()
        except OSError as error:
            for end in (*source, *theirs):
                os.close(end)
            self._reject_first(kind, _silent("killed", f"no process: {error}"))
            return False
        if process == 0:
            attempt(source[1], theirs[1], parent, self._kinds[kind])
        os.close(source[1])
        os.close(theirs[1])
        child = _Child(process, source[0], theirs[0], kind)
        self._idle.append(child)
        self._selector.register(child.pipe, selectors.EVENT_READ, child)
        return True

    def _reject_first(self, kind: _Kind, answer: Answer) -> None:
        request = next((each for each in self._queue if _kind(each) == kind), None)
        if request is not None:
            self._queue.remove(request)
            self._answer(request.number, answer)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────

    def _listen(self, child: _Child) -> None:
        """Read what a child wrote; at the end of its output, decide what became of it."""
        received = os.read(child.pipe, _MEGABYTE)
        if child.request is None and received == READY:
            self._ready(child)
        elif received and child.request is None:
            self._reap(child)  # it says something that it was not asked
        elif received:
            child.received += received
            self._receive(child)
        elif child.request is None:
            was_ready = child.ready or child.used
            self._reap(child)
            if not was_ready:
                self._reject_first(child.kind, _silent("killed", "the solver cannot be started"))
        else:
            status, peak = self._reap(child)
            if not child.answered:
                self._answer(child.request.number, _judge(child, child.request, status, peak))

    def _receive(self, child: _Child) -> None:
        """Pass on a whole answer at once: ending a process with much memory takes a while."""
        if len(child.received) > _LARGEST_ANSWER:
            child.stop(_silent("memory", f"an answer of more than {_LARGEST_ANSWER // _MEGABYTE} MB"))
            child.received.clear()
        elif child.request is not None and child.stopped is None and not child.answered:
            body = first_message(child.received)
            if body is not None:
                child.answered = True
                number = child.request.number
                if child.request.pure:
                    self._rest(child)
                else:
                    child.kill()
                self._answer(number, body)

    def _rest(self, child: _Child) -> None:
        """Have a child that has answered be idle again, where there are not enough of its kind."""
        assert child.request is not None, "it has answered"
        del self._running[child.request.number]
        child.request = None
        child.answered = child.ready = False
        child.used = True
        child.deadline = time.monotonic() + _REST
        self._idle.append(child)
        if sum(each.kind == child.kind and each.used for each in self._idle) > self._slots:
            self._reap(child)
        elif child.received == READY:
            self._ready(child)
        elif child.received:
            self._reap(child)

    @staticmethod
    def _ready(child: _Child) -> None:
        """A child waits for a request."""
        child.received.clear()
        child.ready = True
        child.deadline = None

    def _reap(self, child: _Child) -> tuple[int, int]:
        """End and reap a child; its exit status, and the memory it had in megabytes."""
        self._selector.unregister(child.pipe)
        os.close(child.pipe)
        if child.request is None:
            self._idle.remove(child)
        else:
            del self._running[child.request.number]
        child.close()
        child.kill()
        _, status, usage = os.wait4(child.process, 0)
        return status, peak_of(usage)

    @staticmethod
    def _answer(number: int, answer: Answer | bytes) -> None:
        write_message(1, (number, answer))


def _crowding() -> float:
    """How many processes want one processor: so much longer does an attempt take than on a quiet machine.

    Else an attempt that decides there would be killed here, and a later engine decide, or none.
    """
    try:
        wanting = os.getloadavg()[0]
    except OSError:
        return 1.0
    return max(1.0, wanting / processors())


@contextmanager
def _kept_from_collection() -> Iterator[None]:
    """Collect no garbage while modules are imported, which make many objects and hardly any garbage, and none of them later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _kind(request: Request) -> _Kind:
    return tuple(each for each in request.preload if ":" in each)


def _silent(reason: Any, detail: str) -> Answer:
    return Answer(outcome="silent", reason=reason, detail=detail)


_CANCELLED = _silent("killed", "cancelled")


def _judge(child: _Child, request: Request, status: int, peak: int) -> Answer:
    """The answer for a child that has not answered.  `peak` is the memory it had, in megabytes."""
    if child.stopped is not None:
        return child.stopped
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return _silent("killed", f"stopped after {request.cpu} s of processor time")
        name = signal.Signals(number).name
        if 2 * peak >= request.memory:
            # Native code without memory aborts, follows a null pointer, or is killed by the system.
            return _silent("memory", f"{name} with {peak} of {request.memory} MB in use")
        return _silent("killed", f"the engine crashed ({name})")
    if os.WEXITSTATUS(status) == NO_MEMORY:
        return _silent("memory", f"more than {request.memory} MB")
    return _silent("killed", "the engine ended without an answer")


def main(slots: int, niceness: int) -> None:
    """Serve attempts, so many at a time, at lower priority by so much."""
    gc.freeze()
    gc.enable()  # it was off for the imports of this module
    os.nice(niceness)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker(slots).run()
    os._exit(0)  # nothing is left to write, and to free every module takes as long as a small question
