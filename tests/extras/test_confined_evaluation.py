"""What calls numerical libraries runs in a process that is killed at its deadline; the values are the same as ever."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest

from kleis.budget import STANDARD_BUDGET
from kleis.errors import BudgetError, EvaluationError, KleisError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.sessions.confined_evaluation import calls_libraries, evaluate_confined
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory
from kleis.values import render_value
from tests.support.theories.numerics import needs_numeric
from tests.support.theories.small_theories import theory_of

PROGRAM = """
define oscillator(w) = λ t y . [nth(y, 1), 0 - w * w * nth(y, 0)]
define swings(w) = ode45(oscillator(w), [1, 0], [0, 1], 1/2)
define hilbert(n) = list_map(λ i . list_map(λ j . 1 / (i + j + 1), range(n)), range(n))
define twice(x) = 2 * x
define roots_of(x) = twice(x)
structure Solved(T) { operation solved : T → T }
implements Solved(ℝ) { operation solved(x) = nth(solve([[2]], [x]), 0) }
"""


@pytest.fixture(scope="module")
def theory() -> Theory:
    return theory_of(PROGRAM)


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


def confined(text: str, theory: Theory, broker: Broker, seconds: float = 300.0) -> str:
    """What an expression gives in a child, as text."""
    found = evaluate_confined(parse_expression(text), theory, broker, Deadline(seconds), file="<expression>")
    return f"{render_value(found.value)} {found.approximate} {found.output} {len(found.pictures)}"


def here(text: str, theory: Theory) -> str:
    """What it gives in this process."""
    found = evaluate(parse_expression(text), environment_of(theory), STANDARD_BUDGET)
    return f"{render_value(found.value)} {found.approximate} {found.output} {len(found.pictures)}"


def rounded(text: str) -> str:
    """A text with its floats to twelve digits: BLAS gives other last digits with other threads and alignments."""
    return re.sub(r"-?\d+\.\d+(e[+-]?\d+)?", lambda found: f"{float(found[0]):.12g}", text)


@needs_numeric
@pytest.mark.parametrize(
    "text",
    [
        "svd([[1, 2], [3, 4]])",
        "swings(2)",
        "roots([0 - 2, 0, 1])",
        "interval(sqrt(2))",
        "solved(3)",
        "eigenvalues([[x]])",
        "(let s = eigenvalues([[2]]) in λ x . nth(s, 0))",
        "plot([1, 2], eigenvalues([[1, 0], [0, 2]]))",
        "length(ifft(fft(linspace(0, 1, 4096))))",
        "ifft(fft(range(3000)))",
    ],
)
def test_values_are_those_of_this_process(theory: Theory, broker: Broker, text: str) -> None:
    assert calls_libraries(parse_expression(text), theory)
    assert rounded(confined(text, theory, broker)) == rounded(here(text, theory))


@needs_numeric
@pytest.mark.parametrize(
    "text",
    [
        "inv([[1, 2], [2, 4]])",
        "svd([[1, 2], [3]])",
        "svd([])",
        "svd([[10^400]])",
        "cholesky([[0 - 1]])",
        "nth(eigenvalues([[1]]), 7)",
        "svd(hilbert(600))",
        "ode45(λ t y . [nth(y, 0)^2], [1], [0, 2])",
    ],
)
def test_errors_are_those_of_this_process(theory: Theory, broker: Broker, text: str) -> None:
    with pytest.raises((EvaluationError, BudgetError)) as expected:
        here(text, theory)
    with pytest.raises(type(expected.value)) as found:
        confined(text, theory, broker)
    assert {**found.value.as_dict(), "file": ""} == {**expected.value.as_dict(), "file": ""}


HOSTILE = (
    "list_map(λ n . eig(hilbert(200)), range(1000))",
    "ode45(λ t y . [0 - 1000000000 * (nth(y, 0) - cos(t))], [1], [0, 1000])",
    "list_map(λ n . expm(hilbert(150)), range(1000))",
    "list_map(λ n . roots(list_map(λ i . 1 + i, range(60))), range(1000))",
)


@needs_numeric
@pytest.mark.parametrize("text", HOSTILE)
def test_what_takes_too_long_is_killed_and_the_next_question_is_answered(
    theory: Theory, broker: Broker, text: str
) -> None:
    with pytest.raises(BudgetError) as caught:
        confined(text, theory, broker, 2.0)
    assert caught.value.code == "budget_time"
    assert "stopped after 2 s" in caught.value.message
    assert confined("eigenvalues([[2]])", theory, broker).startswith("[≈2]")


@needs_numeric
def test_who_goes_away_leaves_nothing_running(theory: Theory, broker: Broker) -> None:
    gone = threading.Event()
    threading.Timer(0.5, gone.set).start()
    deadline = Deadline(300.0, left=gone.is_set)
    with pytest.raises(BudgetError):
        evaluate_confined(parse_expression(HOSTILE[0]), theory, broker, deadline, file="<expression>")
    assert gone.is_set()
    assert confined("eigenvalues([[2]])", theory, broker).startswith("[≈2]")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("1 + 1", False),
        ("twice(3)", False),
        ("roots_of(2)", False),
        ("ndarray_flatten(x)", False),
        ("swings(1)", True),
        ("list_map(λ x . swings(x), [1])", True),
        ("solved(2)", True),
        ("enclose(f, 0, 1)", True),
    ],
)
def test_only_what_calls_libraries_goes_elsewhere(theory: Theory, text: str, calls: bool) -> None:
    assert calls_libraries(parse_expression(text), theory) == calls


def test_what_calls_none_starts_no_process(theory: Theory) -> None:
    """A broker that is closed starts none."""
    broker = Broker()
    broker.close()
    assert confined("twice(21)", theory, broker).startswith("42 ")
    with pytest.raises(KleisError):
        confined("swings(1)", theory, broker)
