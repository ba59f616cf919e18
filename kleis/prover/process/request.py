"""What a worker is asked: one attempt, with its limits.

Apart from `attempt`, which confines a child: who asks needs none of that.
"""

from __future__ import annotations

import msgspec

__all__ = ["Request"]


class Request(msgspec.Struct, frozen=True):
    """One attempt.

    number
        The caller's number for it.
    job
        ``module:attribute`` of a function of a task and steps, or of an engine.
    task
        What the job gets, pickled.
    cpu, wall
        Limits in seconds; an attempt that meets one is `killed`.
    memory
        The address space of the child, in megabytes.
    preload
        What the worker has ready for its children: a ``module`` is imported before they are forked, a
        ``module:function`` is also called in each of them, before it reads a request.
    pure
        Whether the answer depends on the task and the steps alone, whatever ran before in the process: then a child that
        has run other such jobs may run it, and may go on to run more.
    """

    number: int
    job: str
    task: bytes
    steps: int
    cpu: int
    wall: float
    memory: int
    preload: tuple[str, ...] = ()
    pure: bool = False
