"""Tasks over a pool of workers: lost ones are asked again, late ones are given up.

Invariants
    * Each task is yielded once: with its answer, or with None where no worker gave one.  The caller decides those itself.
    * A worker that was refused or that failed gets no more tasks of the batch.
    * An answer counts once it has arrived here; what is lost with a worker or a scheduler is asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from kleis.batches.questions import BatchAnswer, BatchTask
from kleis.batches.work import answer
from kleis.decoding import decode_msgpack

__all__ = ["QUIET", "Kind", "Opening", "Pool", "Unreachable", "executor_pool", "spread", "spread_of"]

ATTEMPTS = 3
"""How often a pool is opened for what is still without an answer."""

QUIET = 300.0
"""Seconds without any answer after which workers are given up."""

_LOOK = 0.2
"""Seconds between looks at whether the caller still wants answers."""


class Travelling(Protocol):
    """A task: data, and the names of what a worker has to hold for it."""

    @property
    def theories(self) -> Sequence[str]:
        """The names, in `Pool.held`."""
        ...


class Came(Protocol):
    """An answer: whose it is, and in words why the worker was refused or could not work, else empty."""

    @property
    def worker(self) -> str: ...

    @property
    def refused(self) -> str: ...

    @property
    def failure(self) -> str: ...


T = TypeVar("T", bound=Travelling)
A = TypeVar("A", bound=Came)


class Kind(msgspec.Struct, Generic[T, A], frozen=True):
    """What is asked of workers: the function that runs there, of what they hold and a task as MessagePack, and the type of its answer."""

    work: Callable[[Mapping[str, Any], bytes], bytes]
    answer: type[A]


class Unreachable(Exception):
    """No worker of a pool can be asked, and why."""


class Pool(Protocol):
    """Workers that answer tasks, on any executor."""

    @property
    def executor(self) -> Executor:
        """Where tasks are submitted."""
        ...

    @property
    def held(self) -> Mapping[str, object]:
        """For each theory its declarations: the bytes, or what stands for them where they travel once a worker."""
        ...


Opening = Callable[[frozenset[str]], AbstractContextManager[Pool]]
"""Opens a pool without the workers that are named.  Raises `Unreachable`."""


class _Plain(msgspec.Struct):
    executor: Executor
    held: Mapping[str, object]


def executor_pool(executor: Executor, theories: Mapping[str, bytes]) -> AbstractContextManager[Pool]:
    """Any executor as a pool: it carries the declarations with every task."""
    return nullcontext(_Plain(executor, theories))


QUESTIONS: Kind[BatchTask, BatchAnswer] = Kind(answer, BatchAnswer)


def spread(
    tasks: Sequence[BatchTask],
    opening: Opening,
    *,
    note: Callable[[str], None],
    quiet: float = QUIET,
    attempts: int = ATTEMPTS,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[BatchTask, BatchAnswer | None]]:
    """`spread_of` for questions to the prover."""
    return spread_of(QUESTIONS, tasks, opening, note=note, quiet=quiet, attempts=attempts, stop=stop)


def spread_of(
    kind: Kind[T, A],
    tasks: Sequence[T],
    opening: Opening,
    *,
    note: Callable[[str], None],
    quiet: float = QUIET,
    attempts: int = ATTEMPTS,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[T, A | None]]:
    """The answers to tasks, as they arrive.

    `note` is told of workers that were refused or failed, and of pools that broke.  When nothing arrives for `quiet`
    seconds, what is outstanding is given up; so it is when `stop` says that nobody wants it any more.
    """
    pending = dict(enumerate(tasks))
    shunned: frozenset[str] = frozenset()
    for _ in range(attempts):
        if not pending:
            return
        try:
            with opening(shunned) as pool:
                for number, found in _once(kind, pending, pool, note, _Patience(quiet, stop)):
                    if found.refused or found.failure:
                        shunned = shunned | {found.worker}
                        note(_why(found))
                    else:
                        yield pending.pop(number), found
        except Unreachable as error:
            note(str(error))
            break
        except _Quiet:
            note(f"nothing came from the workers for {quiet:g} s: what is open is decided here")
            break
        except _Stopped:
            break
    for task in pending.values():
        yield task, None


class _Quiet(Exception):
    """Nothing arrived for too long."""


class _Stopped(Exception):
    """Nobody wants what is outstanding."""


class _Patience(msgspec.Struct, frozen=True):
    quiet: float
    stop: Callable[[], bool]

    def next_of(self, waiting: set[Future[bytes]]) -> tuple[set[Future[bytes]], set[Future[bytes]]]:
        """Those that are done, at least one, and the others.  Raises `_Quiet` or `_Stopped`."""
        until = time.monotonic() + self.quiet
        while not self.stop():
            left = until - time.monotonic()
            if left <= 0:
                raise _Quiet
            done, others = wait(waiting, timeout=min(left, _LOOK), return_when=FIRST_COMPLETED)
            if done:
                return done, others
        raise _Stopped


def _once(
    kind: Kind[T, A], pending: dict[int, T], pool: Pool, note: Callable[[str], None], patience: _Patience
) -> Iterator[tuple[int, A]]:
    """Submit everything that is pending once; the answers that arrive, those that say no among them."""
    futures = {_submitted(kind, pool, task): number for number, task in pending.items()}
    waiting = set(futures)
    broken: set[str] = set()
    try:
        while waiting:
            done, waiting = patience.next_of(waiting)
            for future in done:
                try:
                    yield futures[future], decode_msgpack(future.result(), kind.answer)
                except (CancelledError, msgspec.DecodeError) as error:
                    broken.add(f"a task was lost ({type(error).__name__})")
                except Exception as error:  # noqa: BLE001 - whatever the executor raises, the task is asked again
                    broken.add(f"a task was lost ({type(error).__name__}: {str(error)[:200]})")
    finally:
        for future in waiting:
            future.cancel()
        for said in sorted(broken):
            note(f"{said}; it is asked again")


def _submitted(kind: Kind[T, A], pool: Pool, task: T) -> Future[bytes]:
    """A task with what it needs, on its way."""
    needed: Any = {each: pool.held[each] for each in task.theories}
    return pool.executor.submit(kind.work, needed, msgspec.msgpack.encode(task))


def _why(found: Came) -> str:
    if found.refused:
        return f"worker {found.worker} is refused: it has {found.refused}"
    return f"worker {found.worker} cannot work ({found.failure}); what it had goes to others"
