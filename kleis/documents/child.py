"""A job in a process of its own: limited in time and memory, in a directory of its own, without network.

The child gets a request on standard input and gives its answer on standard output, both as MessagePack; it is started
with a fresh environment, closed files and its own session, and is killed with everything it started.  It may not dump
core; where the kernel can refuse it (`confine`), it reaches no network and no files but those of its directories and of
the libraries.  Elsewhere proxies point to a port where nobody listens, and files outside `root` the job itself refuses:
that holds for well-behaved libraries only.  No more of an answer is read than the limit allows.  See
docs/reference/documents.md §3.3.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec

from kleis.decoding import decode_msgpack
from kleis.documents.confine import confine_files, confine_network, library_directories
from kleis.errors import BudgetError, EvaluationError

__all__ = ["Limits", "main", "run_child"]

_T = TypeVar("_T")

_START = (
    "import sys; sys.path[:] = sys.argv[4:]; from kleis.documents.child import main; main(*sys.argv[1:4])"
)
_NOWHERE = "http://127.0.0.1:9"
_POLL = 0.2
_CHUNK = 1 << 16


class Limits(msgspec.Struct, frozen=True):
    """Seconds on the clock, seconds of a processor, megabytes of address space, megabytes of an answer."""

    wall: float = 60.0
    cpu: int = 40
    memory: int = 4096
    answer: int = 64


class _Failure(msgspec.Struct, frozen=True):
    """What a job that raised an error answers."""

    message: str
    hint: str = ""


def run_child(
    job: str,
    request: msgspec.Struct,
    answer: type[_T],
    *,
    purpose: str,
    limits: Limits | None = None,
    directory: Path | None = None,
    running: Callable[[], bool] = lambda: True,
) -> _T:
    """The answer of ``module:function`` to a request, from a child in `directory` (default: a fresh one).

    Raises `EvaluationError` of code ``plot`` or ``document`` as the job says, `BudgetError` where a limit was met or
    `running` turned false.
    """
    within = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="kleis-") as fresh:
        home = Path(fresh)
        process = _started(job, within, directory or home, home)
        try:
            output = _communicate(process, msgspec.msgpack.encode(request), within, purpose, running)
        finally:
            _kill(process)
    if process.returncode != 0 or not output:
        raise BudgetError(
            f"{purpose} was stopped: it ended without an answer",
            code="budget_memory",
            hint=f"make it smaller; it may use {within.memory} MB and {within.cpu} s of a processor",
        )
    kind, body = output[:1], output[1:]
    if kind == b"!":
        failure = decode_msgpack(body, _Failure)
        raise EvaluationError(failure.message, code="document", hint=failure.hint)
    return decode_msgpack(body, answer)


def _started(job: str, limits: Limits, directory: Path, home: Path) -> subprocess.Popen[bytes]:
    path = [os.path.abspath(each) for each in sys.path]
    command = [sys.executable, "-s", "-P", "-c", _START, job, str(limits.cpu), str(limits.memory), *path]
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}
    environment = {
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "HOME": str(home),
        "TMPDIR": str(home),
        "MPLCONFIGDIR": str(home),
        "MPLBACKEND": "agg",
        "OPENBLAS_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "2",
        **{
            name: _NOWHERE
            for each in ("HTTP", "HTTPS", "ALL")
            for name in (f"{each}_PROXY", f"{each.lower()}_proxy")
        },
        **kept,
    }
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=directory,
        start_new_session=True,
        close_fds=True,
    )


def _communicate(
    process: subprocess.Popen[bytes],
    request: bytes,
    limits: Limits,
    purpose: str,
    running: Callable[[], bool],
) -> bytes:
    """Write the request and read the answer, as far as it may go; both at once, since a child may begin to answer early."""
    deadline = time.monotonic() + limits.wall
    most = limits.answer << 20
    output = bytearray()
    left = memoryview(request)
    assert process.stdin is not None
    assert process.stdout is not None
    with selectors.DefaultSelector() as streams:
        for stream, event in ((process.stdin, selectors.EVENT_WRITE), (process.stdout, selectors.EVENT_READ)):
            os.set_blocking(stream.fileno(), False)
            streams.register(stream, event)
        while process.stdout in streams.get_map():
            for key, _ in streams.select(_POLL):
                if key.fileobj is process.stdin:
                    left = left[_written(key.fd, left) :]
                    if not left:
                        streams.unregister(process.stdin)
                        process.stdin.close()
                elif received := os.read(key.fd, _CHUNK):
                    output += received
                else:
                    streams.unregister(process.stdout)
            if len(output) > most:
                raise BudgetError(
                    f"{purpose} gave more than {limits.answer} MB", code="budget_size", hint="make it smaller"
                )
            _go_on(deadline, limits, purpose, running)
    while process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
        _go_on(deadline, limits, purpose, running)
    return bytes(output)


def _written(stream: int, data: memoryview) -> int:
    """How much of the data could be written; all of it where nobody reads any more."""
    try:
        return os.write(stream, data[:_CHUNK])
    except BrokenPipeError:
        return len(data)


def _go_on(deadline: float, limits: Limits, purpose: str, running: Callable[[], bool]) -> None:
    """Raise `BudgetError` where the time is over or nobody waits."""
    wanted = running()
    if wanted and time.monotonic() <= deadline:
        return
    raise BudgetError(
        f"{purpose} was stopped after {limits.wall:g} seconds" if wanted else f"{purpose} was cancelled",
        code="budget_time",
        hint="make it smaller",
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the child and everything in its session."""
    if process.poll() is None:
        with suppress(ProcessLookupError):  # it ended meanwhile
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):  # the rest of a request that nobody reads any more
                stream.close()


def main(job: str, cpu: str, memory: str) -> None:
    """In the child: read the request, run the job, write its answer."""
    confine_network()
    size = int(memory) << 20
    for what, limit in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CPU, int(cpu)),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(what)
        strict = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(what, (strict, strict))
    data = sys.stdin.buffer.read()
    module, _, name = job.partition(":")
    function: Any = getattr(import_module(module), name)
    confine_files(library_directories(), (os.getcwd(), os.environ["HOME"]))
    request = decode_msgpack(data, get_type_hints(function)["request"])
    try:
        answer = b"=" + msgspec.msgpack.encode(function(request))
    except (ValueError, ArithmeticError, RuntimeError, LookupError) as error:
        hint = "; ".join(getattr(error, "hints", ()))
        answer = b"!" + msgspec.msgpack.encode(_Failure(str(error)[:2000] or type(error).__name__, hint))
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    os._exit(0)
