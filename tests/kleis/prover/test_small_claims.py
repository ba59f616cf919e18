"""Small claims about numbers are computed where they are asked: the answer is the engine's, and nothing else is.

See docs/reference/proving.md §10.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.prover import portfolio
from kleis.prover.engines.computation.evaluation import EVALUATION
from kleis.prover.portfolio import ORDER, run_portfolio
from kleis.prover.process.broker import Broker
from kleis.prover.process.tally import TALLY
from kleis.prover.protocol.engine import Answer
from kleis.prover.small_claims import STEPS, proved_at_once
from tests.support.provers.claims import task

SMALL = (
    "1 + 1 = 2",
    "1/3 + 1/6 = 1/2",
    "2^100 > 10^30",
    "mod(2^64, 10) = 6 ∧ ¬(1 = 2)",
    "1 = 2 → 3 = 4",
    "-7 < 2 ∨ 1/0 = 1",
    "div(0 - 7, 2) = -4 ↔ max(1, 2) = 2",
)
LEFT_TO_A_CHILD = (
    "1 + 1 = 3",
    "1/0 = 1/0",
    "2^(2^(2^60)) > 1",
    "(9^9)^(9^9) > 1",
    "2^90000 * 2^90000 > 1",
    "factorial(100000) > 1",
    "∀(x : Bool). x = x",
    "length([1, 2, 3]) = 3",
    "π > 3",
    "sqrt(2) < 2",
    " + ".join(["1"] * 300) + " = 300",
)


class _NoProcess(Broker):
    """A broker that may not be asked."""

    def submit(self, job: str, task: Any, steps: int, **rest: Any) -> tuple[int, Future[Answer]]:
        raise AssertionError(f"{job} was to run in a child")


class _Waiting(Broker):
    """A broker whose attempts are answered by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: dict[str, Future[Answer]] = {}
        self.with_solver: list[str] = []

    def submit(
        self, job: str, task: Any, steps: int, *, preload: tuple[str, ...] = (), **rest: Any
    ) -> tuple[int, Future[Answer]]:
        future: Future[Answer] = Future()
        self.begun[job] = future
        if preload:
            self.with_solver.append(job)
        elif job != EVALUATION_JOB:
            future.set_result(Answer(outcome="silent", reason="resource"))
        if preload:
            self.begun[EVALUATION_JOB].set_result(Answer(outcome="proved", steps=3))
            future.set_result(Answer(outcome="silent", reason="killed"))
        return len(self.begun), future


EVALUATION_JOB = ORDER[0].engine


def _kept(answer: Answer) -> Answer:
    return answer


@pytest.mark.parametrize("claim", SMALL)
def test_a_small_claim_needs_no_process(claim: str) -> None:
    before = TALLY.counts
    asked = task("", claim)

    found = run_portfolio(_NoProcess(), asked, confirm=_kept)

    assert found.answer == EVALUATION.run(asked, ORDER[0].steps)
    assert found.entry == ORDER[0]
    assert [each.engine for each in found.attempts] == ["evaluation"]
    assert [each.answer for each in found.recorded] == [found.answer]
    assert (TALLY.counts.attempts, TALLY.counts.steps) == (
        before.attempts + 1,
        before.steps + found.answer.steps,
    )


@pytest.mark.parametrize("claim", LEFT_TO_A_CHILD)
def test_what_is_not_small_or_not_proved_is_left_to_a_child(claim: str) -> None:
    assert proved_at_once(task("", claim)) is None


def test_definitions_axioms_and_data_are_left_to_a_child() -> None:
    recursive = "define f(n : ℕ) : ℕ = if n = 0 then 0 else f(n - 1)\n"
    assert proved_at_once(task(recursive, "f(3) = 0")) is None
    assert proved_at_once(task("structure S { element c : ℤ axiom a : c = 1 }\n", "c = 1", "S")) is None


@given(st.recursive(
    st.integers(-20, 20).map(str) | st.fractions(-3, 3, max_denominator=7).map(lambda each: f"({each})"),
    lambda inner: st.tuples(inner, st.sampled_from("+-*/^"), inner).map(lambda each: f"({' '.join(each)})"),
    max_leaves=8,
), st.sampled_from(["=", "≠", "<", "≤", ">"]), st.integers(-5, 5))  # fmt: skip
def test_the_answer_is_that_of_the_engine(left: str, relation: str, right: int) -> None:
    asked = task("", f"{left} {relation} {right}")
    found = proved_at_once(asked)
    assert found is None or found == EVALUATION.run(asked, ORDER[0].steps)
    assert found is None or found.steps <= STEPS


def test_a_child_finds_the_same() -> None:
    asked = task("", SMALL[3])
    with Broker() as broker:
        _, future = broker.submit(EVALUATION_JOB, asked, ORDER[0].steps, pure=True)
        assert future.result() == proved_at_once(asked)


def test_an_order_without_the_steps_is_followed() -> None:
    few = portfolio.Entry(EVALUATION_JOB, "prove", 2)
    with Broker() as broker:
        found = run_portfolio(broker, task("", SMALL[0]), order=(few,), confirm=_kept)
    assert found.answer is None
    assert found.reasons == ("resource",)


def test_no_solver_is_made_ready_while_evaluation_has_had_no_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refuting chain ends at once here, up to its engines with a solver; they begin when evaluation takes long."""
    monkeypatch.setattr(portfolio, "_AWHILE", 0.05)
    waited: list[float | None] = []

    def wait(running: Any, seconds: float | None, return_when: str) -> tuple[set[Future[Answer]], None]:
        waited.append(seconds)
        done = {each for each in running if each.done()}
        if not done:
            assert seconds is not None, "only evaluation runs, and the others wait for it"
            assert broker.with_solver == []
            monkeypatch.setattr(portfolio, "_AWHILE", 0.0)
        return done, None

    broker = _Waiting()
    monkeypatch.setattr("concurrent.futures.wait", wait)

    found = run_portfolio(broker, task("", "∀(x : Bool). x ∨ ¬x"), confirm=_kept)

    assert found.answer is not None
    assert found.answer.outcome == "proved"
    assert len(broker.with_solver) == 1
    assert waited[0] is not None
    assert waited[-1] is None
