"""One job in a process of its own: what a child of the worker does, and how it is confined.

See docs/reference/proving.md §10.

A child can do nothing to anyone else.  It has its own session, limits on address space and processor time, no core
files, no open streams but its own two, and dies with the worker.  A hang, a crash or a memory hog ends that child and is
reported as what it was.

    worker                      child
    fork ──────────────────────▶ confine, warm up
         ◀────────────── READY ─ wait
    request ───────────────────▶ set the limits, run the job
         ◀───────────── answer ─ end; after a job that keeps nothing: READY, and wait
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import NoReturn

from kleis.prover.process.pipe_messages import RECURSION, message_of, pack, read_message, write_whole
from kleis.prover.process.request import Request
from kleis.prover.protocol.engine import FAILED, Answer, load_job

__all__ = ["NO_MEMORY", "READY", "attempt", "peak_of"]

READY = b"\x01"
"""What a child writes when it begins to read a request."""

NO_MEMORY = 3
"""The exit status of a child that ran out of memory."""

_MEGABYTE = 1 << 20
_GROWN = 64
"""Megabytes by which a child may grow and still take a further request: that is to have as much as in a new child."""
_PR_SET_PDEATHSIG = 1
_DESCRIPTORS = 1 << 16


class _Ending:
    """Ends the child when the block ends, whatever happened in it, without running code of the parent."""

    def __init__(self, target: int) -> None:
        self._target = target

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None and not issubclass(kind, MemoryError):
                detail = f"{FAILED}{kind.__name__}: {error}"[:2000]
                write_whole(
                    self._target, message_of(pack(Answer(outcome="silent", reason="killed", detail=detail)))
                )
        finally:
            # Not sys.exit: nothing of the parent's that was copied here may be flushed or closed twice.
            os._exit(NO_MEMORY if kind is not None and issubclass(kind, MemoryError) else 0)


def attempt(source: int, target: int, parent: int, warm_up: Iterable[Callable[[], object]]) -> NoReturn:
    """Get ready, read a request from `source`, run its job, write its answer to `target`, and end.

    After a pure job the next request is read.  Where the job fails, the child ends.
    """
    with _Ending(target):
        _confine(source, target, parent)
        for each in warm_up:
            each()
        begun = peak_of(resource.getrusage(resource.RUSAGE_SELF))
        os.write(target, READY)
        with os.fdopen(source, "rb") as stream:
            while (request := read_message(stream.read)) is not None:
                if not request.pure:
                    stream.close()
                _limit(request)
                run = load_job(request.job)
                write_whole(target, message_of(pack(run(pickle.loads(request.task), request.steps))))
                if not request.pure or peak_of(resource.getrusage(resource.RUSAGE_SELF)) > begun + _GROWN:
                    break
                os.write(target, READY)
        # If there is no request, the worker has closed the pipe: this child is not needed.
    raise AssertionError("the child has ended")


def _confine(source: int, target: int, parent: int) -> None:
    """Leave the session of the worker, and close every stream but the two of this child."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the worker died before it could take this child with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    first, second = sorted((source, target))
    os.closerange(3, first)
    os.closerange(first + 1, second)
    os.closerange(second + 1, _DESCRIPTORS)
    _set_limit(resource.RLIMIT_CORE, 0, 0)
    sys.setrecursionlimit(RECURSION)


def _limit(request: Request) -> None:
    """Set the limits of the request: what the child has used before does not count.

    A hard limit can never be raised again, so a child that may get another request has only the other one, which ends
    it as well.
    """
    size = request.memory * _MEGABYTE
    seconds = int(time.process_time()) + request.cpu
    _set_limit(resource.RLIMIT_AS, size, None if request.pure else size)
    _set_limit(resource.RLIMIT_CPU, seconds, None if request.pure else seconds + 1)


def _set_limit(what: int, soft: int, hard: int | None) -> None:
    """Set a limit, or keep the stricter one that is there; the hard limit stays where None is given."""
    _, most = resource.getrlimit(what)
    if hard is None:
        hard = most
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(what, (soft, hard))


def peak_of(usage: resource.struct_rusage) -> int:
    """The most memory that a process has had, in megabytes."""
    return usage.ru_maxrss // (1024 if sys.platform == "linux" else _MEGABYTE)
