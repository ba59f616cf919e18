"""Engines that hang, crash, use up memory or answer garbage, for the tests of the broker.  None of them reads its task."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from pathlib import Path
from typing import Any

from kleis.prover.process.pipe_messages import message_of, pack
from kleis.prover.protocol.engine import Answer

__all__ = [
    "BIG",
    "CHILD",
    "CLOSING",
    "CRASH",
    "ECHO",
    "GARBAGE",
    "HANG",
    "HOG",
    "LEAVING",
    "NATIVE_HOG",
    "NOTHING",
    "PICKLED_GARBAGE",
    "RAISING",
    "SIBLINGS",
    "SPIN",
    "STRANGER",
    "TALKING",
    "WORLD",
]

_MEGABYTE = 1 << 20


class Rogue:
    """An engine made of a function of its task."""

    def __init__(self, name: str, run: Any) -> None:
        self.name = name
        self._run = run

    def applies(self, task: Any) -> bool:
        return True

    def run(self, task: Any, steps: int) -> Answer:
        answer = self._run(task, steps)
        return (
            answer
            if isinstance(answer, Answer)
            else Answer(outcome="silent", detail=str(answer), steps=steps)
        )


def _announce(fifo: Any) -> None:
    """Tell the test which process this is, if it wants to know."""
    if fifo is not None:
        with open(fifo, "w") as pipe:
            pipe.write(f"{os.getpid()} {os.getppid()}")


def _hang(fifo: Any, _: int) -> None:
    """Sleep in native code with the interpreter's lock held: no signal handler, no thread, no timeout runs."""
    _announce(fifo)
    library = ctypes.PyDLL(None)
    while True:
        library.pause()


def _spin(fifo: Any, _: int) -> None:
    """Compute in native code for longer than anybody waits."""
    _announce(fifo)
    re.fullmatch(r"(a+)+b", "a" * 60)


def _crash(_: Any, __: int) -> None:
    ctypes.string_at(0)


def _hog(_: Any, __: int) -> None:
    held = []
    while True:
        held.append(bytearray(16 * _MEGABYTE))


def _native_hog(_: Any, __: int) -> None:
    """Take memory as native code does that never looks at what it was given."""
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    while True:
        ctypes.memset(library.malloc(ctypes.c_size_t(16 * _MEGABYTE)), 1, 16 * _MEGABYTE)


def _leave(fifo: Any, _: int) -> None:
    """Start another process and end without an answer."""
    if os.fork() == 0:
        _hang(fifo, 0)
    os.waitpid(-1, 0)


def _close(fifo: Any, _: int) -> None:
    """Close everything, and go on."""
    _announce(fifo)
    os.closerange(3, 256)
    _hang(None, 0)


def _write(answer: bytes) -> None:
    _say(answer)
    os._exit(0)


def _say(answer: bytes) -> None:
    for descriptor in _pipes():
        with contextlib.suppress(OSError):  # one that it reads
            os.write(descriptor, answer)


def _pipes() -> list[int]:
    """The descriptors of this process that are pipes."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        link = Path("/proc/self/fd") / name
        if link.is_symlink() and os.readlink(link).startswith("pipe:"):
            found.append(int(name))
    return found


def _siblings(_: Any, __: int) -> int:
    worker = os.getppid()
    return len(Path(f"/proc/{worker}/task/{worker}/children").read_text().split())


def _world(_: Any, __: int) -> str:
    """What of the caller's world can be seen from here."""
    names = " ".join(sorted(os.environ))
    streams = " ".join(os.readlink(f"/proc/self/fd/{number}") for number in range(3))
    return f"{names}; {streams}; {os.getcwd()}; {os.getsid(0) == os.getpid()}; {hash('kleis')}"


class _Stranger:
    """Pickled as a look at an attribute that is not there."""

    def __reduce__(self) -> Any:
        return (getattr, ("text", "no_such_attribute"))


def _raise(_: Any, __: int) -> None:
    raise LookupError("the engine has a mistake")


def _talk(_: Any, __: int) -> Answer:
    """Write an answer, and then come to another one."""
    _say(message_of(pack(Answer(outcome="silent", detail="the first answer"))))
    return Answer(outcome="silent", detail="the second answer")


HANG = Rogue("hang", _hang)
SPIN = Rogue("spin", _spin)
CRASH = Rogue("crash", _crash)
HOG = Rogue("hog", _hog)
NATIVE_HOG = Rogue("native hog", _native_hog)
LEAVING = Rogue("leaving", _leave)
CLOSING = Rogue("closing", _close)
GARBAGE = Rogue("garbage", lambda _, __: _write(b"no answer at all"))
PICKLED_GARBAGE = Rogue("pickled garbage", lambda _, __: _write(message_of(b"no pickle at all")))
STRANGER = Rogue("stranger", lambda _, __: Answer(outcome="model", witness=_Stranger()))
RAISING = Rogue("raising", _raise)
TALKING = Rogue("talking", _talk)
NOTHING = Rogue("nothing", lambda _, __: os._exit(0))
ECHO = Rogue("echo", lambda task, _: Answer(outcome="model", witness=task))
BIG = Rogue("big", lambda _, steps: Answer(outcome="model", witness=b"x" * steps))
CHILD = Rogue("child", lambda _, __: f"{os.getpid()} {os.getppid()}")
SIBLINGS = Rogue("siblings", _siblings)
WORLD = Rogue("world", _world)
