"""A `match` of many texts looks them up; value, steps and errors are those of trying case by case."""

from __future__ import annotations

from random import Random

import pytest

from kleis.budget import Budget
from kleis.errors import KleisError
from kleis.evaluator import matching
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluated
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.values import render_value

BUDGET = Budget(steps=20_000, depth=1_000, size=100_000)


def outcome(source: str, question: str, budget: Budget) -> tuple[object, int]:
    environment = environment_of(parse_program(source))
    found, steps = evaluated(parse_expression(question), environment, budget)
    return (found.as_dict() if isinstance(found, KleisError) else render_value(found.value)), steps


def program(random: Random) -> str:
    """A match with a long run of texts, some twice, some guarded, and other patterns around it."""
    cases = []
    for place in range(random.randint(0, 3)):
        cases.append(f"{place} => 0 - {place}")
    for place in range(random.randint(8, 30)):
        guard = f" if n > {random.randint(0, 3)}" if random.random() < 0.3 else ""
        cases.append(f'"k{random.randint(0, 20)}"{guard} => {place}')
    if random.random() < 0.5:
        cases.append(f"{random.choice(['_', 'other'])} => 1000")
        cases.append('"k1" => 1001')
    return f"define f(x, n) = match x {{ {' | '.join(cases)} }}"


QUESTIONS = [f'f("k{place}", {number})' for place in range(22) for number in (0, 2)] + [
    'f("", 0)', "f(1, 0)", "f(unknown, 0)", 'f("k3", m)', "f([1], 0)",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_the_index_changes_neither_value_nor_steps(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = program(Random(seed))
    budgets = (BUDGET, Budget(steps=40, depth=1_000, size=100_000))
    with_index = [outcome(source, each, budget) for each in QUESTIONS for budget in budgets]
    monkeypatch.setattr(matching, "_FEWEST_INDEXED", 1_000_000)
    assert [outcome(source, each, budget) for each in QUESTIONS for budget in budgets] == with_index


def test_the_index_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    equal = matching.equal
    monkeypatch.setattr(matching, "equal", lambda a, b, meter: tried.append(str(a)) or equal(a, b, meter))
    source = "define f(x) = match x { " + " | ".join(f'"k{each}" => {each}' for each in range(50)) + " }"
    assert outcome(source, 'f("k49")', BUDGET)[0] == "49"
    assert tried == ["k49"]
