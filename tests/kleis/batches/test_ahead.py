"""Workers asked ahead: a command's verdicts stay those of one machine, and nothing waits longer than it has to."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from kleis.batches import work
from kleis.batches.ahead import Ahead
from kleis.batches.questions import Asked, Declarations
from kleis.batches.spread import Opening, Pool, Unreachable, executor_pool
from kleis.explore.explore import Subject, explore
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Expression
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader, Loading
from tests.support.faulty_workers import FAULTS

THEORY = """
structure Group(G) {
  operation e : G
  operation inv : G → G
  operation (•) : G × G → G
  axiom associative: ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom left_unit: ∀(x : G). e • x = x
  axiom left_inverse: ∀(x : G). inv(x) • x = e
}
"""
LAWS = ["x • e = x", "inv(e) = e", "x • y = y • x", "e • e = e"]


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


def _loading() -> Loading:
    return Loader(ImportSearch()).load_text(THEORY, file="<theory>", directory=Path.cwd())


class _Threads(Executor):
    """One thread that answers with a fault, and counts."""

    def __init__(self, fault: str) -> None:
        self._threads = ThreadPoolExecutor(1)
        self._answer = FAULTS[fault]
        self.tasks = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        return self._threads.submit(self._answer, *args)


def _cluster(worker: Executor) -> Any:
    def opening(theories: Mapping[str, bytes]) -> Opening:
        def open_pool(shunned: frozenset[str]) -> AbstractContextManager[Pool]:
            if shunned:
                raise Unreachable("no worker is left")
            return executor_pool(worker, theories)

        return open_pool

    return opening


@pytest.mark.parametrize("fault", ["none", "lying"])
def test_exploring_finds_the_same_whatever_workers_say(broker: Broker, fault: str) -> None:
    loading = _loading()
    laws = [parse_expression(each) for each in LAWS]
    axioms = tuple(
        (name, parse_expression(text))
        for name, text in (
            ("associative", "(x • y) • z = x • (y • z)"),
            ("left_unit", "e • x = x"),
            ("left_inverse", "inv(x) • x = e"),
        )
    )
    subject = Subject("Group", "G", {"e": 0, "inv": 1, "•": 2}, axioms)
    alone = Prover(loading.theory, broker=broker)
    expected = explore(subject, laws, alone.verify)
    worker = _Threads(fault)
    notes: list[str] = []
    with Ahead(broker, _cluster(worker), note=notes.append) as ahead:
        about = ahead.about(Declarations.of(loading))
        prover = Prover(loading.theory, broker=broker, elsewhere=ahead.arrived)

        def ask(proposition: Expression) -> Any:
            about.wait(proposition)
            return prover.verify(proposition)

        found = explore(subject, laws, ask, ahead=about.ask)
    assert [(each.law, each.status, each.at) for each in found.findings] == [
        (each.law, each.status, each.at) for each in expected.findings
    ]
    assert worker.tasks > 0
    assert {"none": notes == [], "lying": "did not pass" in str(notes)}[fault]


def test_waiting_ends_when_it_is_closed_and_no_thread_is_left(broker: Broker) -> None:
    class Never(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    ahead = Ahead(broker, _cluster(Never()))
    about = ahead.about(Declarations.of(_loading()))
    proposition = parse_expression("∀(x : ℤ). x = x")
    about.ask([proposition])
    waiting = threading.Thread(target=about.wait, args=(proposition,))
    waiting.start()
    ahead.close()
    waiting.join(10)
    assert not waiting.is_alive()
    assert not any(each.name == "kleis-ahead" for each in threading.enumerate())
    about.ask([parse_expression("∀(x : ℤ). x = x + 1")])  # nothing is asked any more
    assert ahead.asked == 1


def test_waiting_ends_with_the_time_and_what_was_not_asked_is_not_waited_for(broker: Broker) -> None:
    class Never(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    over = threading.Event()
    with Ahead(broker, _cluster(Never()), over=over.is_set) as ahead:
        about = ahead.about(Declarations.of(_loading()))
        proposition = parse_expression("∀(x : ℤ). x = x")
        about.wait(proposition)
        about.ask([proposition])
        over.set()
        about.wait(proposition)
        assert str(ahead) == "0 of 1 answered by workers"


def test_a_task_of_several_theories_is_answered_in_each(broker: Broker) -> None:
    """The same words mean two things."""
    import msgspec

    from kleis.batches.questions import BatchAnswer
    from kleis.batches.tasks import tasks_of

    texts = ["define f(n : ℤ) : ℤ = n + 1", "define f(n : ℤ) : ℤ = n - 1"]
    loaded = [Loader(ImportSearch()).load_text(each, file="<f>", directory=Path.cwd()) for each in texts]
    with Ahead(broker, _cluster(_Threads("none"))) as ahead:
        about = [ahead.about(Declarations.of(each)) for each in loaded]
        asked = [each.asked(parse_expression("∀(n : ℤ). f(n) > n")) for each in about]
        (task,) = tasks_of(asked)
        theories = {name: ahead._theories[name] for name in task.theories}
    answer = msgspec.msgpack.decode(work.answer(theories, msgspec.msgpack.encode(task)), type=BatchAnswer)
    assert [each.status for each in answer.said] == ["verified", "disproved"]
    assert len({each.question for each in answer.said}) == 2
    missing = work.answer({}, msgspec.msgpack.encode(task))
    assert "KeyError" in msgspec.msgpack.decode(missing, type=BatchAnswer).failure
    assert Asked("p", theory="a").digest != Asked("p", theory="b").digest
