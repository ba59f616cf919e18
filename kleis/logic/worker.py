"""The process in which solvers run: it forks one child for every attempt, and never solves itself.

Specification: proving.md §4, provers.md §1 ("Recommended isolation").  Started by kleis/logic/broker.py as
``python -m kleis.logic.worker``; requests come on standard input, answers go to standard output.

What a child can do to anyone else: nothing.  It has its own session, an address space and a CPU limit, no core
files, and dies with this process.  A hang, a crash or a memory hog ends that child and is reported for what it was.

Invariants
    * This process is single-threaded and holds no solver state: children are forked from a clean image in which
      the solver library is loaded but no context exists.
    * When standard input ends, every child is killed and the process ends.
    * A child writes one answer or none; what it writes is read before its fate is judged.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import pickle
import resource
import selectors
import signal
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec

from kleis.logic.engine import Answer

__all__ = ["Request", "main", "read_frame", "write_frame"]

_HEADER = struct.Struct(">I")
_MEGABYTE = 1 << 20
_PR_SET_PDEATHSIG = 1


class Request(msgspec.Struct, frozen=True):
    """One attempt.

    number
        The caller's name for it.
    engine
        ``module:attribute`` of an engine.
    cpu, wall
        Guards in seconds: what they cut is `killed`.  memory
        The address space of the child, in megabytes.
    """

    number: int
    engine: str
    task: Any
    steps: int
    cpu: int
    wall: float
    memory: int


def write_frame(stream: int, data: object) -> None:
    """Write a value, length first."""
    body = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    pending = memoryview(_HEADER.pack(len(body)) + body)
    while pending:
        pending = pending[os.write(stream, pending) :]


def read_frame(read: Callable[[int], bytes]) -> Any:
    """Read a value; None at the end of the stream."""
    head = read(_HEADER.size)
    if len(head) < _HEADER.size:
        return None
    (length,) = _HEADER.unpack(head)
    return pickle.loads(read(length))


class _Child:
    """A running attempt."""

    def __init__(self, request: Request, process: int, pipe: int) -> None:
        self.request = request
        self.process = process
        self.pipe = pipe
        self.received = bytearray()
        self.deadline = time.monotonic() + request.wall
        self.late = False

    def kill(self) -> None:
        """End the child and whatever it started."""
        for end in (os.killpg, os.kill):
            try:
                end(self.process, signal.SIGKILL)
            except ProcessLookupError:
                continue


class _Worker:
    """The loop of the process."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, _Child] = {}
        self._input = bytearray()
        os.set_blocking(0, False)
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
            for child in list(self._children.values()):
                if time.monotonic() >= child.deadline and not child.late:
                    child.late = True
                    child.kill()
        for child in self._children.values():
            child.kill()

    def _patience(self) -> float | None:
        """How long to wait for anything to happen before a deadline passes."""
        pending = [child.deadline for child in self._children.values() if not child.late]
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
        """Begin an attempt, or cancel the one with this number."""
        if isinstance(request, int):
            child = self._children.get(request)
            if child is not None:
                child.late = True
                child.kill()
            return
        try:
            self._fork(request)
        except OSError as error:
            self._answer(request, Answer(outcome="silent", reason="resource", detail=f"no process: {error}"))

    def _fork(self, request: Request) -> None:
        source, target = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(source)
            _attempt(request, target)
        os.close(target)
        child = _Child(request, process, source)
        self._children[request.number] = child
        self._selector.register(source, selectors.EVENT_READ, child)

    def _listen(self, child: _Child) -> None:
        """Take what a child wrote; at the end of it, judge."""
        received = os.read(child.pipe, _MEGABYTE)
        if received:
            child.received += received
            return
        self._selector.unregister(child.pipe)
        os.close(child.pipe)
        del self._children[child.request.number]
        _, status = os.waitpid(child.process, 0)
        child.kill()
        self._answer(child.request, _judge(child, status))

    @staticmethod
    def _answer(request: Request, answer: Answer) -> None:
        write_frame(1, (request.number, answer))


def _judge(child: _Child, status: int) -> Answer:
    """The answer of a child, or what became of it."""
    if not child.late and os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        answer: Answer = pickle.loads(bytes(child.received))
        return answer
    if child.late:
        return Answer(outcome="silent", reason="killed", detail="stopped by the guard on time")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGXCPU, signal.SIGKILL):
            return Answer(outcome="silent", reason="killed", detail="stopped by the guard on processor time")
        name = signal.Signals(number).name
        return Answer(outcome="silent", reason="killed", detail=f"the engine crashed ({name})")
    if os.WEXITSTATUS(status) == _NO_MEMORY:
        return Answer(outcome="silent", reason="memory", detail=f"more than {child.request.memory} MB")
    return Answer(outcome="silent", reason="killed", detail="the engine ended without an answer")


_NO_MEMORY = 3


def _attempt(request: Request, target: int) -> None:
    """Run an engine in this child, write its answer and end; never returns."""
    code = 1
    try:
        _confine(request)
        module, _, attribute = request.engine.partition(":")
        engine = getattr(importlib.import_module(module), attribute)
        body = pickle.dumps(engine.run(request.task, request.steps), pickle.HIGHEST_PROTOCOL)
        pending = memoryview(body)
        while pending:
            pending = pending[os.write(target, pending) :]
        code = 0
    except MemoryError:
        code = _NO_MEMORY
    finally:
        # Not sys.exit: nothing of the parent's that was copied here may be flushed or closed twice.
        sys.stderr.flush()
        os._exit(code)


def _confine(request: Request) -> None:
    """Give up what a child has no use for."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    size = request.memory * _MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (request.cpu, request.cpu + 1))
    sys.setrecursionlimit(20_000)


def main() -> None:
    """Serve attempts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    importlib.import_module("z3")
    _Worker().run()


if __name__ == "__main__":
    main()
