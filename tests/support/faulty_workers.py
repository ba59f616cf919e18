"""Workers of batches that do not do what they should, for tests: in this process, or as a process of a Dask cluster.

    python -m tests.support.faulty_workers scheduler PORT [HOST]
    python -m tests.support.faulty_workers worker ADDRESS FAULT [HOST]

Each prints its address when it is ready, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping

import msgspec

from kleis.batches import work
from kleis.batches.questions import BatchAnswer
from kleis.prover.kept_certificates import KeptCertificate

Answering = Callable[[Mapping[str, bytes], bytes], bytes]

_honest = work.answer


def lying(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """Every verdict turned round, and every certificate that of another goal."""
    found = msgspec.msgpack.decode(_honest(theories, task), type=BatchAnswer)
    turned = {"verified": "disproved", "disproved": "verified", "unknown": "verified"}
    said = tuple(
        msgspec.structs.replace(each, status=turned.get(each.status, each.status)) for each in found.said
    )
    goals, kept = list(found.certificates), list(found.certificates.values())
    shuffled = dict(zip(goals, kept[1:] + kept[:1], strict=True))
    return msgspec.msgpack.encode(msgspec.structs.replace(found, said=said, certificates=shuffled))


def forging(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """Every verdict `verified`, by a certificate in which the status was changed."""
    found = msgspec.msgpack.decode(_honest(theories, task), type=BatchAnswer)
    said = tuple(msgspec.structs.replace(each, status="verified") for each in found.said)
    forged = {
        goal: KeptCertificate(kept.certificate.replace('"disproved"', '"verified"'), kept.attempts)
        for goal, kept in found.certificates.items()
    }
    return msgspec.msgpack.encode(msgspec.structs.replace(found, said=said, certificates=forged))


def full(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker whose disk is full."""
    before = work._theory

    def no_room(data: bytes) -> object:
        del data
        raise OSError(errno.ENOSPC, "No space left on device")

    work._theory = no_room  # type: ignore[assignment]
    try:
        return _honest(theories, task)
    finally:
        work._theory = before


def old(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker with another version."""
    before = work.version_here
    work.version_here = lambda: "kleis 0123456789abcdef z3-solver 4.8.0 python 3.9"  # type: ignore[assignment]
    try:
        return _honest(theories, task)
    finally:
        work.version_here = before


def slow(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker that is stopped for a while in the middle of each task, as a machine that swaps."""
    threading.Event().wait(1.5)
    return _honest(theories, task)


def full_disk(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker that writes each task on its disk first; the directory is the environment's `TMPDIR`, and may be full."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"\0" * 2**20)
            file.flush()
    except OSError as error:
        found = BatchAnswer(worker=work.worker_name(), failure=f"{type(error).__name__}: {error}")
        return msgspec.msgpack.encode(found)
    return _honest(theories, task)


def hanging(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker that never answers."""
    threading.Event().wait()
    return b""


def dying(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker that is killed in the middle."""
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


def garbling(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """A worker that answers no data of ours."""
    return b"\x93\x01"


FAULTS: dict[str, Answering] = {
    "none": _honest,
    "lying": lying,
    "forging": forging,
    "full": full,
    "old": old,
    "slow": slow,
    "full_disk": full_disk,
    "hanging": hanging,
    "dying": dying,
    "garbling": garbling,
}


async def _scheduler(port: int, host: str) -> None:
    from distributed import Scheduler

    async with Scheduler(host=host, port=port, dashboard=False) as scheduler:
        await _until_input_ends(scheduler.address)


async def _worker(address: str, fault: str, host: str) -> None:
    from distributed import Worker

    work.answer = FAULTS[fault]  # what tasks name is looked up in the module
    async with Worker(address, nthreads=1, dashboard=False, host=host) as worker:
        await _until_input_ends(worker.address)


async def _until_input_ends(address: str) -> None:
    print(address, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # a hanging task would be waited for


if __name__ == "__main__":
    if sys.argv[1] == "scheduler":
        asyncio.run(_scheduler(int(sys.argv[2]), *(sys.argv[3:] or ["127.0.0.1"])))
    else:
        asyncio.run(_worker(sys.argv[2], sys.argv[3], *(sys.argv[4:] or ["127.0.0.1"])))
