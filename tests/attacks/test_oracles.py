"""Attacks on runs that ask a theory: floods, huge and hostile questions, engines that die or hang, cancellation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kleis.prover.process.broker import Broker
from kleis.theory.theory import Theory
from pif.language.budget import Budget
from pif.language.primitives import ASK, ASK_PROVER
from pif.run.evaluate import Answer, Request, run
from registry.oracles.theory_oracle import LONGEST, TheoryRun, TheorySnapshot
from tests.support.provers.brokers import Hanging, Killing
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.tool_dictionary import Dictionary
from tests.support.theories.small_theories import prelude

X = {"var": "x"}


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def ask(theory: Any, code: Any, input: Any = None, *, fuel: int = 100_000, **more: Any) -> Answer:
    return run(Request(code=code, input=input), Dictionary(), Budget(fuel=fuel), theory=theory, **more)


class Counting:
    """A theory's view that counts what is asked."""

    def __init__(self, inside: TheoryRun) -> None:
        self.inside = inside
        self.count = 0

    def ask(self, operation: str, question: Any, cancelled: Any) -> Any:
        self.count += 1
        return self.inside.ask(operation, question, cancelled)


FLOOD = {
    "lam": "x",
    "body": {
        "fold": [
            {
                "lam": "p",
                "body": {
                    "get": [{"verify": {"concat": [{"show": {"snd": {"var": "p"}}}, " = 1"]}}, "verdict"]
                },
            },
            "",
            {"range": [0, X]},
        ]
    },
}


def test_a_flood_of_questions_ends_with_the_fuel(broker: Broker) -> None:
    counting = Counting(TheorySnapshot(Theory(), broker=broker).for_run())
    found = ask(counting, FLOOD, 1_000_000, fuel=15_000)
    assert found["error"]["kind"] in ("out_of_fuel", "value_too_large")
    assert counting.count <= 15_000 // ASK_PROVER


def test_a_flood_of_listings_ends_with_the_fuel(broker: Broker) -> None:
    counting = Counting(TheorySnapshot(prelude(), broker=broker).for_run())
    step = {"lam": "p", "body": {"length": {"axioms": "Ring"}}}
    found = ask(counting, {"lam": "x", "body": {"fold": [step, 0, {"range": [0, X]}]}}, 900, fuel=30_000)
    assert found["error"]["kind"] == "out_of_fuel"
    assert counting.count <= 30_000 // ASK


@pytest.mark.parametrize("size", [LONGEST + 1, 1_000_000])
def test_a_huge_question_is_not_read(broker: Broker, size: int) -> None:
    theory = TheorySnapshot(Theory(), broker=broker)
    code = {"lam": "x", "body": {"get": [{"verify": {"concat": ["1 = 1 ", X]}}, "verdict"]}}
    found = ask(theory.for_run(), code, "x" * size, fuel=1_000_000)
    assert found["value"] == "error"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000, "[" * 5_000, "¬" * 5_000 + "true", "∀(x : ℤ). " * 1_000 + "true", "1 + " * 4_000 + "1 = 1",
        "λ x . " * 2_000 + "x", "\x00", "\ud800", "𝄞" * 1_000, "f(" * 3_000,
    ],
)  # fmt: skip
def test_hostile_texts_are_answered(broker: Broker, text: str) -> None:
    theory = TheorySnapshot(Theory(), broker=broker)
    for operation in ("verify", "kleis"):
        answer = theory.for_run().ask(operation, text, None)
        assert answer is not None
    assert ask(theory.for_run(), {"add": [40, 2]})["value"] == 42


@pytest.mark.parametrize("operation", ["add", "not", "list", "app"])
def test_deeply_nested_quoted_questions_are_answered(broker: Broker, operation: str) -> None:
    term: Any = 1
    for _ in range(380):
        match operation:
            case "add":
                term = {"add": [term, 1]}
            case "list":
                term = [term]
            case "app":
                term = {"app": [{"var": "f"}, term]}
            case _:
                term = {"not": term}
    theory = TheorySnapshot(Theory(), broker=broker)
    found = ask(theory.for_run(), {"verify": {"quote": term}})
    assert found["value"]["verdict"] == "error"


def test_an_expression_that_does_not_end_is_stopped(broker: Broker) -> None:
    from tests.support.theories.small_theories import theory_of

    theory = TheorySnapshot(theory_of("define loop(n : ℤ) : ℤ = loop(n + 1)"), broker=broker)
    found = ask(theory.for_run(), {"kleis": "loop(0)"}, fuel=5_000_000)
    assert found["error"]["kind"] == "oracle_error"
    assert "steps" in found["error"]["message"]


def test_an_answer_that_a_guard_cut_is_an_error_in_this_run_and_is_not_kept(broker: Broker) -> None:
    killing = Killing(broker)
    theory = TheorySnapshot(Theory(), broker=killing)
    code = {"get": [{"verify": "∀(x : ℤ). x + 0 = x"}, "verdict"]}
    first = ask(theory.for_run(), code)
    assert first["error"]["kind"] == "oracle_error"
    assert "guard" in first["error"]["message"]
    same_run = theory.for_run()
    assert ask(same_run, code)["type"] == "error"
    killing.kills = False
    assert ask(same_run, code)["type"] == "error", "a run agrees with itself"
    assert ask(theory.for_run(), code)["value"] == "verified", "and the next one asks again"


def test_a_cut_answer_is_the_same_error_in_compiled_code(broker: Broker) -> None:
    theory = TheorySnapshot(Theory(), broker=Killing(broker))
    code = {
        "lam": "x",
        "body": {"fold": [{"lam": "p", "body": {"verify": "∀(x : ℤ). x + 0 = x"}}, 0, {"range": [0, X]}]},
    }
    plain = ask(theory.for_run(), code, 3)
    with compiling_at_once():
        assert ask(theory.for_run(), code, 3) == plain
    assert plain["error"]["kind"] == "oracle_error"


def test_a_run_that_waits_for_a_hanging_engine_is_cancelled() -> None:
    hanging = Hanging()
    theory = TheorySnapshot(Theory(), broker=hanging)
    found = ask(theory.for_run(), {"verify": "∀(x : ℤ). x * x * x ≠ 7"}, cancelled=hanging.began.is_set)
    assert found["error"]["kind"] == "cancelled"
    assert all(future.done() for future in hanging.open.values())


def test_a_run_that_waits_for_another_one_is_cancelled() -> None:
    hanging = Hanging()
    theory = TheorySnapshot(Theory(), broker=hanging)
    stop = threading.Event()
    first: list[Answer] = []
    thread = threading.Thread(
        target=lambda: first.append(
            ask(theory.for_run(), {"verify": "1 = 1 ∧ ∀(x : ℤ). x ≠ 7"}, cancelled=stop.is_set)
        )
    )
    thread.start()
    assert hanging.began.wait(30)
    waiting = ask(theory.for_run(), {"verify": "∀(x : ℤ). x ≠ 8"}, cancelled=lambda: True)
    assert waiting["error"]["kind"] == "cancelled"
    stop.set()
    thread.join(30)
    assert first[0]["error"]["kind"] == "cancelled"


def test_a_run_whose_time_is_over_is_told_how_to_go_on() -> None:
    theory = TheorySnapshot(Theory(), broker=Hanging())
    found = ask(theory.for_run(until=0.0), {"verify": "∀(x : ℤ). x * x * x ≠ 7"})
    assert found["error"]["kind"] == "oracle_error"
    assert "again" in found["error"]["hint"]


def test_questions_nested_in_evals_are_charged_like_others(broker: Broker) -> None:
    theory = TheorySnapshot(Theory(), broker=broker)
    inner: Any = {"get": [{"verify": "1 = 1"}, "verdict"]}
    plain = ask(theory.for_run(), inner)
    for _ in range(5):
        inner = {"eval": {"quote": inner}}
    nested = ask(theory.for_run(), inner)
    assert nested["value"] == plain["value"]
    assert nested["fuel_used"] > plain["fuel_used"]
    deep: Any = {"verify": "1 = 1"}
    for _ in range(120):
        deep = {"eval": {"quote": deep}}
    assert ask(theory.for_run(), deep)["error"]["kind"] == "eval_depth_exceeded"
