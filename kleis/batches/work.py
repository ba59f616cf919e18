"""The task as it runs on a worker: questions decided, with the certificates of the verdicts.

Invariants
    * A task is a function of its bytes: it may run twice, and on any worker.
    * A worker with another version answers nothing, and says which version it has.
    * A theory is read once in a process; provers run in the killable processes of one broker.
    * A task that says how many seconds it has is ended after them: no process of it goes on.
"""

from __future__ import annotations

import atexit
import math
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import msgspec

from kleis.batches.engines_here import version_here
from kleis.batches.questions import Asked, BatchAnswer, BatchTask, Declarations, Said
from kleis.budget import deep_thread
from kleis.decoding import decode_msgpack
from kleis.errors import KleisError
from kleis.prover.certificates.shared_verdicts import SharedVerdicts
from kleis.prover.facts import Fact
from kleis.prover.kept_certificates import MadeCertificates
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.process.deadline import Deadline
from kleis.prover.prover import Decision, Prover
from kleis.prover.verdict_cache import RecentVerdicts
from kleis.theory.theory import Theory

__all__ = ["answer", "asked_of", "worker_name"]

_MOST_THEORIES = 64
_CERTIFICATE_SECONDS = 120.0
"""How long a worker waits for the certificates of one question."""


def answer(theories: Mapping[str, bytes], task: bytes) -> bytes:
    """The answer to a task, a `BatchAnswer` as MessagePack; what goes wrong is in it, with the worker's name.

    `theories` are the declarations that its questions name, each under its digest.
    """
    wanted = decode_msgpack(task, BatchTask)
    worker = worker_name()
    if wanted.version != version_here():
        return msgspec.msgpack.encode(BatchAnswer(worker=worker, refused=version_here()))
    found: list[BatchAnswer] = []

    def work() -> None:
        try:
            found.append(_answered(theories, wanted, worker))
        except (KleisError, OSError, MemoryError, RecursionError, RuntimeError, KeyError) as error:
            # Disk or memory is full, or no process can be started: the batch asks another worker.
            found.append(BatchAnswer(worker=worker, failure=f"{type(error).__name__}: {error}"))

    deep_thread(work, "kleis-batch").join()
    if not found:
        found.append(BatchAnswer(worker=worker, failure="the task ended without an answer"))
    return msgspec.msgpack.encode(found[0])


def asked_of(prover: Prover, asked: Asked, facts: Sequence[Fact] = ()) -> Decision:
    """The decision about a question of a batch.  Raises `KleisError` where a text does not parse."""
    from kleis.elaborate.question import read_question
    from kleis.syntax.parser.parser import parse_expression, parse_type

    using = parse_type(asked.using, file="<using>") if asked.using else None
    lemmas = [parse_expression(each, file="<lemma>") for each in asked.lemmas]
    question = read_question(asked.proposition, file="<proposition>")
    return prover.ask(question, using=using, lemmas=lemmas, facts=facts)


def _answered(theories: Mapping[str, bytes], task: BatchTask, worker: str) -> BatchAnswer:
    if not task.seconds:
        return _answered_by(_broker(), theories, task, worker, Deadline(math.inf))
    deadline = Deadline(task.seconds)
    with CancellableBroker(_broker()).until(deadline) as broker:
        return _answered_by(broker, theories, task, worker, deadline)


def _answered_by(
    broker: Broker, theories: Mapping[str, bytes], task: BatchTask, worker: str, deadline: Deadline
) -> BatchAnswer:
    made = MadeCertificates()
    shared = SharedVerdicts(made, broker)
    provers = {
        name: Prover(
            _theory(theories[name]),
            broker=broker,
            cache=RecentVerdicts(),
            elsewhere=shared,
            beside=False,
            effort=task.effort,
        )
        for name in task.theories
    }
    said = []
    try:
        for asked in task.questions:
            if deadline.over:
                break  # what is left has no answer, and is asked elsewhere
            try:
                verdict = asked_of(provers[asked.theory], asked).verdict
            except KleisError:
                said.append(Said(asked.digest, "error"))
                continue
            shared.settle(min(_CERTIFICATE_SECONDS, max(0.0, deadline.until - time.monotonic())))
            said.append(Said(asked.digest, verdict.status, verdict.reason or ""))
    finally:
        shared.close()
    return BatchAnswer(worker=worker, said=tuple(said), certificates=made.kept)


@lru_cache(_MOST_THEORIES)
def _theory(declarations: bytes) -> Theory:
    """The theory of a task, read once in this process."""
    return decode_msgpack(declarations, Declarations).theory()


@cache
def _broker() -> Broker:
    broker = Broker()
    atexit.register(broker.close)
    return broker


def worker_name() -> str:
    """The address of the Dask worker that runs this, or what runs it instead."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        try:
            return str(distributed.get_worker().address)
        except ValueError:
            return "this process"
    return "this process"
