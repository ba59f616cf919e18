"""Batches: verdicts are those of one machine, whatever workers say, and each liar is named."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from kleis.batches import engines_here, tasks
from kleis.batches.batch import Batch
from kleis.batches.questions import Asked, Declarations
from kleis.batches.spread import Pool, Unreachable, executor_pool
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import RecentVerdicts
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader
from tests.support.faulty_workers import FAULTS

THEORY = """
structure Monoid(M) {
  operation e : M
  operation (•) : M × M → M
  axiom left: ∀(x : M). e • x = x
  axiom right: ∀(x : M). x • e = x
}
define double(n : ℤ) : ℤ = n + n
"""
QUESTIONS = [
    Asked("∀(n : ℤ). double(n) = 2 * n"),
    Asked("∀(n : ℤ). double(n) > n"),
    Asked("∀(x : M). e • x = x • e"),
    Asked("∀(x y : M). x • y = y • x"),
    Asked("∀(x : ℤ). x ≠ 3"),
    Asked("∀(x : ℤ). x + 1 > x"),
    Asked("∀(x : ℤ). nothing(x)"),
    Asked("∀(x : ℤ). x + 1 > x"),
]
EXPECTED = ["verified", "disproved", "verified", "disproved", "disproved", "verified", "error", "verified"]


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


class _Workers(Executor):
    """Threads that answer with a fault."""

    def __init__(self, fault: str) -> None:
        self._threads = ThreadPoolExecutor(1)
        self._answer = FAULTS[fault]
        self.tasks = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        return self._threads.submit(self._answer, *args)


def _batch(broker: Broker, **options: Any) -> tuple[Batch, list[str]]:
    notes: list[str] = []
    loading = Loader(ImportSearch()).load_text(THEORY, file="<theory>", directory=Path.cwd())
    return Batch(loading, broker=broker, note=notes.append, **options), notes


def _statuses(batch: Batch, opening: Any = None) -> list[str]:
    found = dict(batch.decide(QUESTIONS, opening))
    return [found[place].status for place in range(len(QUESTIONS))]


def _opening(batch: Batch, *workers: Executor) -> Any:
    """A pool of one worker each time that it is opened; after the last there is none."""
    left = iter(workers)

    def open_pool(shunned: frozenset[str]) -> AbstractContextManager[Pool]:
        worker = next(left, None)
        if worker is None:
            raise Unreachable("no worker is left")
        return executor_pool(worker, batch.theories)

    return open_pool


def test_without_workers_the_verdicts_are_those_of_a_prover(broker: Broker) -> None:
    batch, notes = _batch(broker, jobs=2)
    assert _statuses(batch) == EXPECTED
    assert notes == []
    assert str(batch.progress) == "8 of 8 decided"


def test_declarations_travel_as_text_and_mean_the_same(broker: Broker) -> None:
    batch, _ = _batch(broker)
    import msgspec

    theory = msgspec.msgpack.decode(*batch.theories.values(), type=Declarations).theory()
    prover = Prover(theory, broker=broker)
    from kleis.batches.work import asked_of

    assert asked_of(prover, QUESTIONS[0]).verdict.status == "verified"


def test_honest_workers_take_the_search_over(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their certificates are checked, and nothing of what they cover is searched here."""
    searched: list[str] = []
    search = Prover._search

    def counting(self: Prover, task: Any, base: Any) -> Any:
        if threading.current_thread().name.startswith("kleis-batch_"):
            searched.append(base.claim)
        return search(self, task, base)

    monkeypatch.setattr(Prover, "_search", counting)
    batch, notes = _batch(broker)
    assert _statuses(batch, _opening(batch, _Workers("none"))) == EXPECTED
    assert notes == []
    assert (
        len(searched) <= 1
    )  # of two questions with one goal the second has no certificate left, and no cache
    assert batch.progress.arrived == 6  # one is ill-formed, one is asked twice


@pytest.mark.parametrize("fault", ["lying", "forging"])
def test_a_worker_that_lies_changes_no_verdict_and_is_named(broker: Broker, fault: str) -> None:
    batch, notes = _batch(broker, cache=RecentVerdicts())
    assert _statuses(batch, _opening(batch, _Workers(fault))) == EXPECTED
    assert any("did not pass the check" in each for each in notes)
    assert any("worker this process said" in each for each in notes)


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("full", "No space left on device"),
        ("old", "is refused: it has kleis 0123456789abcdef z3-solver 4.8.0"),
        ("garbling", "a task was lost"),
    ],
)
def test_a_worker_that_cannot_work_is_named_and_another_one_asked(
    broker: Broker, fault: str, named: str
) -> None:
    batch, notes = _batch(broker)
    honest = _Workers("none")
    assert _statuses(batch, _opening(batch, _Workers(fault), honest)) == EXPECTED
    assert any(named in each for each in notes), notes
    assert honest.tasks == 1


def test_a_worker_that_is_slow_is_not_waited_for(broker: Broker) -> None:
    batch, notes = _batch(broker, quiet=0.01)

    class Never(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    assert _statuses(batch, _opening(batch, Never())) == EXPECTED
    assert any("nothing came from the workers" in each for each in notes)


def test_what_is_in_the_cache_is_asked_of_nobody(broker: Broker) -> None:
    cache = RecentVerdicts()
    first, _ = _batch(broker, cache=cache)
    _statuses(first)
    again, _ = _batch(broker, cache=cache)
    workers = _Workers("dying")  # would end this process
    assert _statuses(again, _opening(again, workers)) == EXPECTED
    assert workers.tasks == 0


def test_what_arrived_before_an_interrupt_is_kept(broker: Broker) -> None:
    cache = RecentVerdicts()
    batch, _ = _batch(broker, cache=cache)
    deciding = batch.decide(QUESTIONS[:2], _opening(batch, _Workers("none")))
    place, _ = next(deciding)
    deciding.close()
    kept, _ = _batch(broker, cache=cache)
    assert kept._is_kept(QUESTIONS[place])


def test_unknown_is_searched_here_again_unless_it_is_trusted(broker: Broker) -> None:
    """A worker may say `unknown` of anything: that withholds a verdict, and makes none."""

    class Withholding(_Workers):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            import msgspec

            from kleis.batches.questions import BatchAnswer, BatchTask, Said

            task = msgspec.msgpack.decode(args[1], type=BatchTask)
            said = tuple(Said(each.digest, "unknown", "resource") for each in task.questions)
            future: Future[Any] = Future()
            future.set_result(msgspec.msgpack.encode(BatchAnswer(worker="w", said=said)))
            return future

    batch, _ = _batch(broker)
    assert _statuses(batch, _opening(batch, Withholding("none"))) == EXPECTED
    trusting, _ = _batch(broker, trust_unknown=True)
    statuses = _statuses(trusting, _opening(trusting, Withholding("none")))
    assert set(statuses) == {"unknown", "error"}


def test_tasks_hold_fifty_questions_or_more() -> None:
    asked = [Asked(f"{number} = {number}") for number in range(1_030)]
    parts = [len(each) for each in tasks._parts(asked)]
    assert sum(parts) == 1_030
    assert min(parts) >= 50
    assert [len(each) for each in tasks._parts(asked[:7])] == [7]
    assert list(tasks._parts([])) == []


def test_the_version_is_of_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "batches").mkdir()
    (tmp_path / "one.py").write_text("x = 1\n")
    monkeypatch.setattr(engines_here, "__file__", str(tmp_path / "batches" / "engines_here.py"))
    engines_here.version_here.cache_clear()
    first = engines_here.version_here()
    (tmp_path / "one.py").write_text("x = 2\n")
    engines_here.version_here.cache_clear()
    assert engines_here.version_here() != first
    monkeypatch.undo()
    engines_here.version_here.cache_clear()
