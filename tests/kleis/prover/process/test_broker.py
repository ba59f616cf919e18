"""The broker with honest engines: tasks and answers arrive whole, from several threads, in the order of their numbers.

See docs/reference/proving.md §10.  What dishonest engines do is in tests/attacks/test_prover_isolation.py.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from kleis.core import BOOL, Connective, LiteralTerm, Term
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.process import worker
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.pipe_messages import pack, read_message, write_message
from kleis.prover.protocol.engine import Answer, Task
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory
from tests.support.terms.recursion import deep_in_c

DIRECT = "kleis.prover.engines.solvers.script_engines:DIRECT"
ECHO = "tests.support.provers.rogue_engines:ECHO"
PATIENCE = 60.0


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def task(proposition: str) -> Task:
    return Task(Elaborator(Theory()).proposition(parse_expression(proposition)))


def answered(future: Future[Answer]) -> Answer:
    return future.result(PATIENCE)


def test_a_task_and_its_answer_go_through_whole(broker: Broker) -> None:
    _, proved = broker.submit(DIRECT, task("∀(x : ℤ). x ≤ x"), 1_000_000)
    _, refuted = broker.submit(DIRECT, task("∀(x : ℤ). x ≠ 42"), 1_000_000)
    assert answered(proved).outcome == "proved"
    assert answered(refuted).outcome == "refuted"
    assert answered(refuted).witness.assignment == {"x": 42}


def test_the_same_task_has_the_same_answer_in_every_worker() -> None:
    question = task("∀(x y : ℤ). x * x + y * y ≠ 25")
    found = []
    for _ in range(2):
        with Broker() as broker:
            found.append(answered(broker.submit(DIRECT, question, 1_000_000)[1]))
    assert found[0] == found[1]
    assert found[0].outcome == "refuted"


def test_a_class_is_an_engine_too(broker: Broker) -> None:
    _, future = broker.submit("kleis.prover.engines.solvers.script_engines:Direct", task("1 = 1"), 1_000_000)
    assert answered(future).outcome == "proved"


def test_every_attempt_has_a_number_of_its_own(broker: Broker) -> None:
    numbers = [broker.submit(ECHO, place, 1)[0] for place in range(20)]
    assert numbers == sorted(set(numbers))


def test_several_threads_share_a_broker() -> None:
    with Broker(slots=4) as broker:
        wrong: list[object] = []

        def work(name: int) -> None:
            for place in range(15):
                _, future = broker.submit(ECHO, (name, place), 1)
                if future.result(PATIENCE).witness != (name, place):
                    wrong.append((name, place))

        threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_future_cannot_be_cancelled_behind_the_brokers_back(broker: Broker) -> None:
    _, future = broker.submit(ECHO, 1, 1)
    assert not future.cancel()
    assert answered(future).witness == 1


def test_the_brokers_guards_count_where_none_are_given() -> None:
    with Broker(guards=Guards(cpu=30, wall=0.1, memory=512)) as broker:
        _, future = broker.submit("tests.support.provers.rogue_engines:HANG", None, 1)
        assert answered(future).detail == "stopped after 0.1 s"


@pytest.mark.parametrize(("load", "longer"), [(0.2, 1.0), (2.0, 1.0), (9.0, 4.5)])
def test_a_crowded_machine_has_longer_limits_of_elapsed_time(
    load: float, longer: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "processors", lambda: 2)
    monkeypatch.setattr(worker.os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert worker._crowding() == longer


@deep_in_c
def test_terms_deeper_than_pythons_usual_limit_go_through(broker: Broker) -> None:
    term: Term = LiteralTerm(True, BOOL)
    for _ in range(1_000):
        term = Connective("not", (term,))
    assert sys.getrecursionlimit() >= 1_000
    _, future = broker.submit(ECHO, Task(Goal(claim=term)), 1)
    depth = 0
    inner = answered(future).witness.goal.claim
    while isinstance(inner, Connective):
        (inner,), depth = inner.arguments, depth + 1
    assert depth == 1_000


def test_closing_twice_and_closing_unused_does_nothing() -> None:
    unused = Broker()
    unused.close()
    unused.close()
    with pytest.raises(RuntimeError, match="closed"):
        unused.submit(ECHO, 1, 1)


def test_frames() -> None:
    import os

    source, target = os.pipe()
    write_message(target, {"a": [1, 2]})
    os.write(target, pack("cut off")[:5])
    os.close(target)
    with os.fdopen(source, "rb") as stream:
        assert read_message(stream.read) == {"a": [1, 2]}
        assert read_message(stream.read) is None
        assert read_message(stream.read) is None
