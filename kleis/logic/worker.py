"""The process in which solvers run: it forks one child for every attempt, and never solves itself.

Specification: proving.md §4, provers.md §1 ("Recommended isolation").  Started by kleis/logic/broker.py; requests
come on standard input, answers go to standard output, each as a length and a pickle.

What a child can do to anyone else: nothing.  It has its own session, an address space and a CPU limit, no core
files, no open streams but its answer, and dies with this process.  A hang, a crash or a memory hog ends that child
and is reported for what it was.

Invariants
    * This process is single-threaded and holds no solver state: children are forked from a clean image in which
      the solver library is loaded but no context exists.
    * It reads neither tasks nor answers: a task is unpickled in the child, an answer by the caller.
    * At most `slots` children run at a time; further requests wait, and their guards do not run meanwhile.
    * When standard input ends, every child is killed and the process ends.
    * A child writes one answer or none.  Its group is killed before it is buried, so its number is still its own.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import pickle
import resource
import selectors
import signal
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

import msgspec

from kleis.logic.engine import Answer, load_engine

__all__ = ["Request", "main", "pack", "read_frame", "write_frame"]

_HEADER = struct.Struct(">I")
_MEGABYTE = 1 << 20
_LARGEST_ANSWER = 64 * _MEGABYTE
_PR_SET_PDEATHSIG = 1
_NO_MEMORY = 3
_RECURSION = 10_000
_DESCRIPTORS = 1 << 16


class Request(msgspec.Struct, frozen=True):
    """One attempt.

    number
        The caller's name for it.
    engine
        ``module:attribute`` of an engine.
    task
        What `Engine.run` gets, pickled.
    cpu, wall
        Guards in seconds: what they cut is `killed`.
    memory
        The address space of the child, in megabytes.
    """

    number: int
    engine: str
    task: bytes
    steps: int
    cpu: int
    wall: float
    memory: int


def pack(value: object) -> bytes:
    """A value as bytes.  Terms are nested deeper than Python's usual limit allows pickling."""
    if sys.getrecursionlimit() < _RECURSION:
        sys.setrecursionlimit(_RECURSION)
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def write_frame(stream: int, data: object) -> None:
    """Write a value, length first."""
    body = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    _write_whole(stream, _HEADER.pack(len(body)) + body)


def read_frame(read: Callable[[int], bytes]) -> Any:
    """Read a value; None at the end of the stream, also where it ends within a frame."""
    head = read(_HEADER.size)
    if len(head) < _HEADER.size:
        return None
    (length,) = _HEADER.unpack(head)
    body = read(length)
    return pickle.loads(body) if len(body) == length else None


def _write_whole(stream: int, body: bytes) -> None:
    pending = memoryview(body)
    while pending:
        pending = pending[os.write(stream, pending) :]


class _Child:
    """A running attempt.  `stopped` says who ended it, if somebody did."""

    def __init__(self, request: Request, process: int, pipe: int) -> None:
        self.request = request
        self.process = process
        self.pipe = pipe
        self.received = bytearray()
        self.deadline = time.monotonic() + request.wall
        self.stopped: Answer | None = None

    def stop(self, answer: Answer) -> None:
        """End it for a reason; the first one counts."""
        if self.stopped is None:
            self.stopped = answer
            self.kill()

    def kill(self) -> None:
        """End the child and whatever it started.  Only before it is buried: later its number may be another's."""
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
        self._children: dict[int, _Child] = {}
        self._queue: deque[Request] = deque()
        self._input = bytearray()
        self._selector.register(0, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until standard input ends."""
        open_input = True
        while open_input:
            for key, _ in self._selector.select(self._patience()):
                if key.fd == 0:
                    open_input = self._requests()
                else:
                    self._listen(key.data)
            now = time.monotonic()
            for child in self._children.values():
                if now >= child.deadline:
                    child.stop(_silent("killed", f"stopped after {child.request.wall:g} s"))
            while self._queue and len(self._children) < self._slots:
                self._begin(self._queue.popleft())
        for child in self._children.values():
            child.kill()
            os.waitpid(child.process, 0)

    def _patience(self) -> float | None:
        """How long to wait for anything to happen before a deadline passes."""
        pending = [child.deadline for child in self._children.values() if child.stopped is None]
        return max(0.0, min(pending) - time.monotonic()) if pending else None

    def _requests(self) -> bool:
        """Take what has arrived; False at the end of the input."""
        received = os.read(0, _MEGABYTE)
        if not received:
            return False
        self._input += received
        while len(self._input) >= _HEADER.size:
            (length,) = _HEADER.unpack(self._input[: _HEADER.size])
            if len(self._input) < _HEADER.size + length:
                break
            body = bytes(self._input[_HEADER.size : _HEADER.size + length])
            del self._input[: _HEADER.size + length]
            self._serve(pickle.loads(body))
        return True

    def _serve(self, request: Request | int) -> None:
        """Take an attempt on, or cancel the one with this number."""
        if isinstance(request, Request):
            self._queue.append(request)
            return
        child = self._children.get(request)
        if child is not None:
            child.stop(_CANCELLED)
            return
        for each in self._queue:
            if each.number == request:
                self._queue.remove(each)
                self._answer(request, _CANCELLED)
                return

    def _begin(self, request: Request) -> None:
        try:
            importlib.import_module(request.engine.partition(":")[0])
            self._fork(request)
        except ImportError as error:
            self._answer(request.number, _silent("killed", f"no such engine: {error}"))
        except OSError as error:
            self._answer(request.number, _silent("killed", f"no process: {error}"))

    def _fork(self, request: Request) -> None:
        source, target = os.pipe()
        try:
            parent = os.getpid()
            process = os.fork()
        except OSError:
            os.close(source)
            os.close(target)
            raise
        if process == 0:
            _attempt(request, target, parent)
        os.close(target)
        child = _Child(request, process, source)
        self._children[request.number] = child
        self._selector.register(source, selectors.EVENT_READ, child)

    def _listen(self, child: _Child) -> None:
        """Take what a child wrote; at the end of it, judge."""
        received = os.read(child.pipe, _MEGABYTE)
        if received:
            child.received += received
            if len(child.received) > _LARGEST_ANSWER:
                child.stop(_silent("memory", f"an answer of more than {_LARGEST_ANSWER // _MEGABYTE} MB"))
                child.received.clear()
            return
        self._selector.unregister(child.pipe)
        os.close(child.pipe)
        del self._children[child.request.number]
        child.kill()
        _, status, usage = os.wait4(child.process, 0)
        peak = usage.ru_maxrss // (1024 if sys.platform == "linux" else _MEGABYTE)
        self._answer(child.request.number, _judge(child, status, peak))

    @staticmethod
    def _answer(number: int, answer: Answer | bytes) -> None:
        write_frame(1, (number, answer))


def _silent(reason: Any, detail: str) -> Answer:
    return Answer(outcome="silent", reason=reason, detail=detail)


_CANCELLED = _silent("killed", "cancelled")


def _judge(child: _Child, status: int, peak: int) -> Answer | bytes:
    """The answer of a child as it wrote it, or what became of it.  `peak` is the memory it had, in megabytes."""
    if child.stopped is not None:
        return child.stopped
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return _silent("killed", f"stopped after {child.request.cpu} s of processor time")
        name = signal.Signals(number).name
        if 2 * peak >= child.request.memory:
            # Native code that gets no memory aborts, follows a null pointer, or is shot by the system.
            return _silent("memory", f"{name} with {peak} of {child.request.memory} MB in use")
        return _silent("killed", f"the engine crashed ({name})")
    if os.WEXITSTATUS(status) == _NO_MEMORY:
        return _silent("memory", f"more than {child.request.memory} MB")
    if os.WEXITSTATUS(status) == 0 and child.received:
        return bytes(child.received)
    return _silent("killed", "the engine ended without an answer")


# ── In the child ─────────────────────────────────────────────────────────────────────────────────────────────


class _Ending:
    """Whatever happens within it, the child ends with it: never through code that belongs to the parent."""

    def __init__(self, target: int) -> None:
        self._target = target

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None and not issubclass(kind, MemoryError):
                answer = _silent("killed", f"the engine failed: {kind.__name__}: {error}"[:2000])
                _write_whole(self._target, pack(answer))
        finally:
            # Not sys.exit: nothing of the parent's that was copied here may be flushed or closed twice.
            os._exit(_NO_MEMORY if kind is not None and issubclass(kind, MemoryError) else 0)


def _attempt(request: Request, target: int, parent: int) -> NoReturn:
    """Run an engine in this child, write its answer and end."""
    with _Ending(target):
        _confine(request, target, parent)
        engine = load_engine(request.engine)
        _write_whole(target, pack(engine.run(pickle.loads(request.task), request.steps)))
    raise AssertionError("the child has ended")


def _confine(request: Request, target: int, parent: int) -> None:
    """Give up what a child has no use for: every stream but `target`, and what it may not take."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the worker died before it could take this child with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.closerange(3, target)
    os.closerange(target + 1, _DESCRIPTORS)
    size = request.memory * _MEGABYTE
    _limit(resource.RLIMIT_AS, size, size)
    _limit(resource.RLIMIT_CORE, 0, 0)
    _limit(resource.RLIMIT_CPU, request.cpu, request.cpu + 1)
    sys.setrecursionlimit(_RECURSION)


def _limit(what: int, soft: int, hard: int) -> None:
    """Set a limit, or keep the stricter one that is there."""
    _, most = resource.getrlimit(what)
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(what, (soft, hard))


def main(slots: int) -> None:
    """Serve attempts, so many at a time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    importlib.import_module("z3")
    gc.freeze()
    _Worker(slots).run()
