"""A worker process as its broker has it: started, asked, and the futures of its answers.

See docs/reference/proving.md §10.

Invariants
    * Every request gets exactly one answer, whatever becomes of the process.
    * Nothing is written while the lock that answers need is held: a worker that waits for its answers to be taken would
      never take the request.
    * A worker sees the packages of this process, nothing of its environment but the library path, and hashes
      strings the same way every time.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import Future

from kleis.prover.process.pipe_messages import read_message, write_message
from kleis.prover.process.request import Request
from kleis.prover.protocol.engine import Answer

__all__ = ["Connection", "gone"]

_START = "import gc, sys; gc.disable(); sys.path[:] = sys.argv[3:]; from kleis.prover.process.worker import main; main(int(sys.argv[1]), int(sys.argv[2]))"
_UNREADABLE = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What unpickling raises where the bytes are no pickle, or name what is not here."""

_ENDING = 5.0
"""Seconds after which a worker that was told to end is killed."""

_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

_ALLOCATION = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
"""Keeps memory that a solver frees for its next run, instead of returning it to the system, and asks for it in large pages:
a context of Z3 is 16 MB, and to fault its pages in one by one takes longer than most questions (glibc only)."""

_ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Numerical libraries that a worker has ready start no threads: it forks."""


class Connection:
    """One worker process, and the futures of its answers.  `niceness`: by how much it gives way to this process."""

    def __init__(self, slots: int, niceness: int) -> None:
        self._process = _started(slots, niceness)
        self._state = threading.Lock()
        self._sending = threading.Lock()
        self._waiting: dict[int, Future[Answer]] = {}
        self._open = True
        self._listener = threading.Thread(target=self._listen, name="kleis-broker", daemon=True)
        self._listener.start()

    @property
    def open(self) -> bool:
        """Whether the worker was running when last checked."""
        return self._open and self._process.poll() is None

    def submit(self, request: Request, future: Future[Answer]) -> bool:
        """Send a request; False, with the future untouched, if the worker is gone."""
        with self._state:
            if not self._open:
                return False
            self._waiting[request.number] = future
        if self._sent(request):
            return True
        with self._state:
            # If the listener has taken it already, it has answered.
            return self._waiting.pop(request.number, None) is None

    def cancel(self, number: int) -> None:
        """Tell the worker that an attempt is cancelled."""
        with self._state:
            wanted = number in self._waiting
        if wanted:
            self._sent(number)

    def close(self) -> None:
        """End the worker and its children; every pending future gets an answer."""
        with self._sending:
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._listener.join(
            timeout=_ENDING
        )  # the listener waits for the process; `Popen.wait` with a limit would poll
        if self._listener.is_alive():
            self._process.kill()
            self._listener.join()

    def _sent(self, message: Request | int) -> bool:
        with self._sending:
            stream = self._process.stdin
            assert stream is not None
            if stream.closed:
                return False
            try:
                write_message(stream.fileno(), message)
            except OSError:
                return False
            return True

    def _listen(self) -> None:
        """Set the futures of answers until the worker ends, then those that are left."""
        stream = self._process.stdout
        assert stream is not None
        while (received := read_message(stream.read)) is not None:
            number, answer = received
            with self._state:
                future = self._waiting.pop(number, None)
            if future is not None:
                future.set_result(_read(answer))
        stream.close()
        with self._state:
            self._open = False
            left, self._waiting = self._waiting, {}
        with self._sending:
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._process.wait()
        for future in left.values():
            future.set_result(gone("the worker ended"))


def _started(slots: int, niceness: int) -> subprocess.Popen[bytes]:
    path = [os.path.abspath(each) for each in sys.path]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-s", "-P", "-c", _START, str(slots), str(niceness), *path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", **_ALLOCATION, **_ALONE, **environment},
        cwd="/",
        start_new_session=True,
    )


def _read(answer: Answer | bytes) -> Answer:
    """The answer of a child, unpickled here for the first time: it may be anything."""
    if isinstance(answer, Answer):
        return answer
    try:
        read = pickle.loads(answer)
    except _UNREADABLE:
        return gone("the engine's answer cannot be read")
    return read if isinstance(read, Answer) else gone("the engine answered something else")


def gone(detail: str) -> Answer:
    """The answer of an attempt that the processes left without one."""
    return Answer(outcome="silent", reason="killed", detail=detail)
