"""Tasks over a pool of workers: lost ones are asked again, late ones are given up.

Invariants
    * Each task is yielded once: with its answer, or with None where no worker gave one.  The caller decides those itself.
    * A worker that was refused or that failed gets no more tasks of the batch.
    * An answer counts once it has arrived here; what is lost with a worker or a scheduler is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, wait
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import msgspec

from kleis.batches.questions import BatchAnswer, BatchTask
from kleis.batches.work import answer

__all__ = ["Pool", "Unreachable", "executor_pool", "spread"]

ATTEMPTS = 3
"""How often a pool is opened for what is still without an answer."""


class Unreachable(Exception):
    """No worker of a pool can be asked, and why."""


class Pool(Protocol):
    """Workers that answer tasks, on any executor."""

    @property
    def executor(self) -> Executor:
        """Where tasks are submitted."""
        ...

    @property
    def declarations(self) -> object:
        """The first argument of `work.answer`: the bytes, or what stands for them where they travel once a worker."""
        ...


Opening = Callable[[frozenset[str]], AbstractContextManager[Pool]]
"""Opens a pool without the workers that are named.  Raises `Unreachable`."""


class _Plain(msgspec.Struct):
    executor: Executor
    declarations: object


def executor_pool(executor: Executor, declarations: bytes) -> AbstractContextManager[Pool]:
    """Any executor as a pool: it carries the declarations with every task."""
    return nullcontext(_Plain(executor, declarations))


def spread(
    tasks: Sequence[BatchTask],
    opening: Opening,
    *,
    note: Callable[[str], None],
    quiet: float = 300.0,
    attempts: int = ATTEMPTS,
) -> Iterator[tuple[BatchTask, BatchAnswer | None]]:
    """The answers to tasks, as they arrive.

    `note` is told of workers that were refused or failed, and of pools that broke.  When nothing arrives for `quiet`
    seconds, what is outstanding is given up.
    """
    pending = dict(enumerate(tasks))
    shunned: frozenset[str] = frozenset()
    for _ in range(attempts):
        if not pending:
            return
        try:
            with opening(shunned) as pool:
                for number, found in _once(pending, pool, note, quiet):
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
    for task in pending.values():
        yield task, None


class _Quiet(Exception):
    """Nothing arrived for too long."""


def _once(
    pending: dict[int, BatchTask], pool: Pool, note: Callable[[str], None], quiet: float
) -> Iterator[tuple[int, BatchAnswer]]:
    """Submit everything that is pending once; the answers that arrive, those that say no among them."""
    futures = {
        pool.executor.submit(answer, pool.declarations, msgspec.msgpack.encode(task)): number  # type: ignore[arg-type]
        for number, task in pending.items()
    }
    waiting = set(futures)
    broken: set[str] = set()
    try:
        while waiting:
            done, waiting = wait(waiting, timeout=quiet, return_when=FIRST_COMPLETED)
            if not done:
                raise _Quiet
            for future in done:
                try:
                    yield futures[future], msgspec.msgpack.decode(future.result(), type=BatchAnswer)
                except (CancelledError, msgspec.DecodeError) as error:
                    broken.add(f"a task was lost ({type(error).__name__})")
                except Exception as error:  # noqa: BLE001 - whatever the executor raises, the task is asked again
                    broken.add(f"a task was lost ({type(error).__name__}: {str(error)[:200]})")
    finally:
        for future in waiting:
            future.cancel()
        for said in sorted(broken):
            note(f"{said}; it is asked again")


def _why(found: BatchAnswer) -> str:
    if found.refused:
        return f"worker {found.worker} is refused: it has {found.refused}"
    return f"worker {found.worker} cannot work ({found.failure}); its questions go to others"
