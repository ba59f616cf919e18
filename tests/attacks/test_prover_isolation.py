"""Engines that hang, crash, hog or lie: the caller stays alive, the next question is answered, nothing is left.

See docs/reference/proving.md §10.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.worker import SPARES
from kleis.prover.protocol.engine import Answer

ROGUES = "tests.support.provers.rogue_engines"
PATIENCE = 60.0
"""Seconds after which a test fails rather than waits; none is ever needed."""


class Trusting(Broker):
    """Takes every job for a pure one, so that children go on to the next."""

    def submit(self, job: str, task: Any, steps: int, **further: Any) -> tuple[int, Future[Answer]]:
        return super().submit(job, task, steps, **{**further, "pure": True})


@pytest.fixture(params=[Broker, Trusting])
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    kind: type[Broker] = request.param
    with kind(guards=Guards(cpu=30, wall=PATIENCE, memory=1024)) as made:
        yield made


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """Where an engine says that it has begun."""
    path = tmp_path / "begun"
    os.mkfifo(path)
    return path


def ask(broker: Broker, engine: str, task: Any = None, steps: int = 1, **guards: Any) -> Answer:
    limits = Guards(**{"cpu": 30, "wall": PATIENCE, "memory": 1024, **guards})
    _, future = broker.submit(f"{ROGUES}:{engine}", task, steps, guards=limits)
    return future.result(PATIENCE)


def answers(broker: Broker) -> bool:
    return ask(broker, "ECHO", "still there?").witness == "still there?"


def worker_of(broker: Broker) -> int:
    return int(ask(broker, "CHILD").detail.split()[1])


def begun(fifo: Path) -> int:
    """The process that says so."""
    return int(fifo.read_text().split()[0])


def ended(process: int) -> bool:
    """Whether a process ends, or has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)


def children_of(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def at_rest(worker: int, most: int = SPARES) -> list[str]:
    """The children of a worker that has answered everything; those that are ending may take a moment."""
    until = time.monotonic() + PATIENCE
    while len(left := children_of(worker)) > most and time.monotonic() < until:
        select.select([], [], [], 0.01)
    return left


def test_a_hang_that_ignores_every_timeout_is_cut_by_the_wall_guard(broker: Broker) -> None:
    answer = ask(broker, "HANG", wall=0.2)
    assert (answer.outcome, answer.reason, answer.detail) == ("silent", "killed", "stopped after 0.2 s")
    assert answers(broker)


def test_endless_computation_in_native_code_is_cut_by_the_cpu_guard(broker: Broker) -> None:
    answer = ask(broker, "SPIN", cpu=1)
    assert (answer.reason, answer.detail) == ("killed", "stopped after 1 s of processor time")
    assert answers(broker)


def test_a_crash_is_reported_as_one(broker: Broker) -> None:
    answer = ask(broker, "CRASH")
    assert (answer.outcome, answer.reason) == ("silent", "killed")
    assert answer.detail == "the engine crashed (SIGSEGV)"
    assert answers(broker)


@pytest.mark.parametrize("engine", ["HOG", "NATIVE_HOG"])
def test_a_memory_hog_gets_no_more_than_it_may_have(broker: Broker, engine: str) -> None:
    answer = ask(broker, engine, memory=400)
    assert (answer.outcome, answer.reason) == ("silent", "memory")
    assert "400 MB" in answer.detail
    assert answers(broker)


def test_an_answer_larger_than_any_is_not_taken(broker: Broker) -> None:
    answer = ask(broker, "BIG", steps=100 << 20)
    assert (answer.outcome, answer.reason) == ("silent", "memory")
    assert answers(broker)


@pytest.mark.parametrize(
    ("engine", "detail"),
    [
        ("GARBAGE", "the engine ended without an answer"),
        ("PICKLED_GARBAGE", "the engine's answer cannot be read"),
        ("STRANGER", "the engine's answer cannot be read"),
        ("NOTHING", "the engine ended without an answer"),
        ("RAISING", "the engine failed: LookupError: the engine has a mistake"),
        ("MISSING", f"the engine failed: AttributeError: module '{ROGUES}' has no attribute 'MISSING'"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(broker: Broker, engine: str, detail: str) -> None:
    answer = ask(broker, engine)
    assert (answer.outcome, answer.reason, answer.detail) == ("silent", "killed", detail)
    assert answers(broker)


def test_an_engine_of_no_module_is_refused(broker: Broker) -> None:
    _, future = broker.submit("tests.support.provers.no_such_module:ENGINE", None, 1)
    assert "no such engine" in future.result(PATIENCE).detail
    assert answers(broker)


def test_a_child_that_closes_its_pipe_and_goes_on_is_ended(broker: Broker, fifo: Path) -> None:
    _, future = broker.submit(f"{ROGUES}:CLOSING", str(fifo), 1)
    process = begun(fifo)
    assert future.result(PATIENCE).reason == "killed"
    assert ended(process)
    assert answers(broker)


def test_a_child_that_was_used_before_has_limits_all_the_same() -> None:
    with Trusting(guards=Guards(cpu=30, wall=PATIENCE, memory=1024)) as broker:
        processes = {ask(broker, "CHILD").detail.split()[0] for _ in range(5)}
        assert len(processes) == 1
        assert ask(broker, "SPIN", cpu=1).detail == "stopped after 1 s of processor time"
        assert ask(broker, "CHILD").detail.split()[0] not in processes
        memory = ask(broker, "HOG", memory=512)
        assert (memory.outcome, memory.reason) == ("silent", "memory")
        assert answers(broker)


def test_what_is_no_pure_job_has_a_new_child_and_ends_with_it() -> None:
    with Broker(guards=Guards(cpu=30, wall=PATIENCE, memory=1024)) as broker:

        def process(*, pure: bool) -> str:
            found = broker.submit(f"{ROGUES}:CHILD", None, 1, pure=pure)[1].result(PATIENCE)
            return found.detail.split()[0]

        first, again = process(pure=True), process(pure=True)
        others = [process(pure=False) for _ in range(3)]
        assert first == again == process(pure=True)
        assert len({first, *others}) == 4


def test_a_child_that_has_grown_takes_no_other_question() -> None:
    with Trusting(guards=Guards(cpu=30, wall=PATIENCE, memory=1024)) as broker:
        before = ask(broker, "CHILD").detail.split()[0]
        assert len(ask(broker, "BIG", steps=48 << 20).witness) == 48 << 20
        assert ask(broker, "CHILD").detail.split()[0] != before


def test_what_a_child_says_after_its_answer_ends_it() -> None:
    with Trusting(guards=Guards(cpu=30, wall=PATIENCE, memory=1024)) as broker:
        before = ask(broker, "CHILD").detail.split()[0]
        assert ask(broker, "TALKING").detail == "the first answer"
        assert ask(broker, "CHILD").detail.split()[0] != before


def test_what_a_child_starts_ends_with_it(broker: Broker, fifo: Path) -> None:
    number, future = broker.submit(f"{ROGUES}:LEAVING", str(fifo), 1)
    process = begun(fifo)
    broker.cancel(number)
    assert future.result(PATIENCE).detail == "cancelled"
    assert ended(process)


def test_cancellation_in_the_middle(broker: Broker, fifo: Path) -> None:
    number, future = broker.submit(f"{ROGUES}:SPIN", str(fifo), 1)
    process = begun(fifo)
    assert not future.done()
    broker.cancel(number)
    answer = future.result(PATIENCE)
    assert (answer.outcome, answer.reason, answer.detail) == ("silent", "killed", "cancelled")
    assert ended(process)
    assert str(process) not in children_of(worker_of(broker))
    assert answers(broker)


def test_what_waits_for_its_turn_can_be_cancelled(fifo: Path) -> None:
    with Broker(slots=1) as broker:
        first, running = broker.submit(f"{ROGUES}:HANG", str(fifo), 1)
        second, waiting = broker.submit(f"{ROGUES}:HANG", None, 1)
        begun(fifo)
        broker.cancel(second)
        assert waiting.result(PATIENCE).detail == "cancelled"
        assert not running.done()
        broker.cancel(first)
        assert running.result(PATIENCE).detail == "cancelled"
        assert answers(broker)


def test_cancelling_what_is_over_or_was_never_asked_does_nothing(broker: Broker) -> None:
    number, future = broker.submit(f"{ROGUES}:ECHO", 1, 1)
    assert future.result(PATIENCE).witness == 1
    broker.cancel(number)
    broker.cancel(999)
    assert answers(broker)


def test_a_flood_runs_a_few_at_a_time_and_every_question_is_answered() -> None:
    with Broker(slots=3) as broker:
        asked = [broker.submit(f"{ROGUES}:SIBLINGS", None, 1)[1] for _ in range(120)]
        at_a_time = [int(each.result(PATIENCE).detail) for each in asked]
        assert len(at_a_time) == 120
        assert max(at_a_time) <= 3 + SPARES
        assert len(at_rest(worker_of(broker))) <= SPARES


def test_a_flood_of_large_questions_and_answers_does_not_block() -> None:
    """Both pipes are full at once: neither side may wait for the other."""
    with Broker(slots=4) as broker:
        task = b"q" * (1 << 20)
        asked = [broker.submit(f"{ROGUES}:ECHO", task, 1)[1] for _ in range(40)]
        assert all(each.result(PATIENCE).witness == task for each in asked)


def test_a_flood_of_crashes_and_hangs_among_honest_questions() -> None:
    with Broker(guards=Guards(cpu=30, wall=0.2, memory=1024), slots=4) as broker:
        kinds = ["ECHO", "CRASH", "HANG", "GARBAGE", "RAISING"] * 6
        honest = Guards(cpu=30, wall=PATIENCE, memory=1024)
        asked = [
            broker.submit(f"{ROGUES}:{kind}", None, 1, guards=honest if kind == "ECHO" else None)[1]
            for kind in kinds
        ]
        outcomes = [each.result(PATIENCE).outcome for each in asked]
        assert outcomes == ["model" if kind == "ECHO" else "silent" for kind in kinds]


def test_children_that_wait_for_a_question_may_die(broker: Broker) -> None:
    for _ in range(5):
        worker = worker_of(broker)
        most = SPARES + isinstance(broker, Trusting)
        idle = [int(each) for each in at_rest(worker, most)]
        assert len(idle) <= most
        for process in idle:
            os.kill(process, signal.SIGKILL)
        assert all(ended(each) for each in idle)
        assert answers(broker)
        assert worker_of(broker) == worker


def test_children_that_wait_for_a_question_end_with_the_worker() -> None:
    with Broker() as broker:
        assert answers(broker)
        idle = [int(each) for each in children_of(worker_of(broker))]
    assert all(ended(each) for each in idle)
    with Broker() as broker:
        assert answers(broker)
        worker = worker_of(broker)
        idle = [int(each) for each in children_of(worker)]
        os.kill(worker, signal.SIGKILL)
        assert all(ended(each) for each in idle)


def test_when_the_worker_is_killed_its_questions_are_answered_and_another_one_starts(
    broker: Broker, fifo: Path
) -> None:
    worker = worker_of(broker)
    _, future = broker.submit(f"{ROGUES}:HANG", str(fifo), 1)
    child = begun(fifo)
    os.kill(worker, signal.SIGKILL)
    answer = future.result(PATIENCE)
    assert (answer.outcome, answer.reason, answer.detail) == ("silent", "killed", "the worker ended")
    assert ended(child)
    assert answers(broker)
    assert worker_of(broker) != worker


def test_closing_answers_everybody_and_leaves_no_process(fifo: Path) -> None:
    broker = Broker()
    worker = worker_of(broker)
    _, future = broker.submit(f"{ROGUES}:HANG", str(fifo), 1)
    child = begun(fifo)
    broker.close()
    assert future.result(PATIENCE).detail == "the worker ended"
    assert ended(child)
    assert ended(worker)
    with pytest.raises(RuntimeError, match="closed"):
        broker.submit(f"{ROGUES}:ECHO", None, 1)
    broker.close()


ORPHANING = """
import os, signal, sys
from kleis.prover.process.broker import Broker
broker = Broker()
broker.submit("tests.support.provers.rogue_engines:SPIN", sys.argv[1], 1)
print(open(sys.argv[1]).read(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_when_the_caller_is_killed_nothing_is_left(fifo: Path) -> None:
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", ORPHANING, str(fifo)],
        capture_output=True,
        text=True,
        cwd=root,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    child, worker = (int(each) for each in done.stdout.split())
    assert ended(child)
    assert ended(worker)


def test_a_child_sees_nothing_of_the_caller(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KLEIS_SECRET", "very secret")
    monkeypatch.chdir(tmp_path)
    names, streams, directory, own_session, hashed = ask(broker, "WORLD").detail.split("; ")
    allocation = {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"}
    threads = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}
    known = {"PYTHONHASHSEED", "PYTHONUTF8", "LC_CTYPE", "LD_LIBRARY_PATH", *allocation, *threads}
    assert set(names.split()) <= known
    assert streams == "/dev/null /dev/null /dev/null"
    assert (directory, own_session) == ("/", "True")
    with Broker() as other:
        assert ask(other, "WORLD").detail.split("; ")[-1] == hashed
