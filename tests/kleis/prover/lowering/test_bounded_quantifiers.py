"""Quantifiers over few integers are written out: by the encoder and by the checker, which agree with brute force."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
import z3

from kleis import core
from kleis.prover.checker.reductions.bounded import numbers_of
from kleis.prover.lowering.bounded_quantifiers import written_out
from kleis.prover.smt.script import encode
from tests.support.provers.claims import task
from tests.support.provers.naive import of_goal, verdict

WIDE = range(-12, 13)
"""All numbers that the random guards leave are in here."""

SIGNS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "≤": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "≥": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
}


def quantifier_of(text: str) -> core.Quantifier:
    """The claim of a proposition, which is a quantifier."""
    claim = task("", text).goal.claim
    assert isinstance(claim, core.Quantifier)
    return claim


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("∀(i : ℤ). 0 ≤ i ∧ i < 8 → i * i < 50", 8),
        ("∀(i : ℕ). i < 8 → i * i < 50", 8),
        ("∃(i : ℕ). i < 8 ∧ i * i = 49", 8),
        ("∀(i j : ℤ). 0 ≤ i ∧ i < j ∧ j < 8 → i * j < 50", 28),
        ("∀(i : ℤ). 0 ≤ i → i < 8 → i * i < 50", 8),
        ("∀(i : ℤ). ∀(j : ℤ). 3 > i ∧ i ≥ -2 ∧ j = i → i * j < 50", 5),
        ("∀(i : ℤ). 5 < i ∧ i < 3 → i = 0", 0),
        ("∀ i j < 4. i + j < 7", 16),
    ],
)
def test_how_many_instances(text: str, count: int) -> None:
    instances = written_out(quantifier_of(text))
    assert instances is not None
    assert len(instances) == count


@pytest.mark.parametrize(
    "text",
    [
        "∀(i : ℤ). i < 8 → i * i < 50",
        "∀(i : ℤ). 0 ≤ i ∨ i < 8 → i * i < 50",
        "∃(i : ℤ). 0 ≤ i ∧ i < 8 → i * i = 49",
        "∀(x : ℝ). 0 ≤ x ∧ x < 8 → x * x < 64",
        "∀(i : ℕ). i < 1000 → i * i < 1000000",
        "∀(i j : ℕ). i < 40 ∧ j < 40 → i * j < 1600",
        "∀(i j : ℤ). i < j ∧ j < i → i = 0",
        "∀(n i : ℕ). i < n → i * i < n * n",
    ],
)
def test_what_has_no_bounds_or_too_many_values_stays(text: str) -> None:
    term = quantifier_of(text)
    assert written_out(term) is None
    assert numbers_of(term, 512) is None


def random_claim(chance: Random) -> tuple[str, bool]:
    """A quantifier over two integers with random bounds, and its truth."""
    kind = chance.choice(["∀", "∃"])
    low, high = chance.randrange(-4, 3), chance.randrange(-3, 5)
    conjuncts: list[tuple[str, Callable[[int, int], bool]]] = [
        (f"{low} ≤ i", lambda i, j: low <= i),
        (f"j < {high}", lambda i, j: j < high),
    ]
    sign, turned = chance.choice(["<", "≤", "="]), chance.random() < 0.3
    compare = SIGNS[sign]
    conjuncts.append((f"i {sign} j", lambda i, j: compare(i, j)))
    if turned:
        other = chance.choice([">", "≥"])
        least = chance.randrange(-5, 4)
        beyond = SIGNS[other]
        conjuncts.append((f"i {other} {least}", lambda i, j: beyond(i, least)))
    chance.shuffle(conjuncts)
    a, b, c = (chance.randrange(-3, 4) for _ in range(3))
    last = chance.choice(list(SIGNS))
    body = SIGNS[last]
    guard = " ∧ ".join(text for text, _ in conjuncts)
    arrow = "→" if kind == "∀" else "∧"
    text = f"{kind}(i j : ℤ). {guard} {arrow} {a} * i * j {last} {b} * j + {c}"
    truths = [
        (all(holds(i, j) for _, holds in conjuncts), body(a * i * j, b * j + c))
        for i, j in product(WIDE, repeat=2)
    ]
    if kind == "∀":
        return text, all(then for given, then in truths if given)
    return text, any(then for given, then in truths if given)


def test_brute_force_agrees_with_encoder_and_checker() -> None:
    chance = Random(5)
    seen = set()
    for _ in range(80):
        text, truth = random_claim(chance)
        asked = task("", f"(p ∨ ¬p) ∧ ({text})")
        script = encode(asked)
        assert "forall" not in script.text()
        solver = z3.Solver(ctx=z3.Context())
        solver.from_string(script.text())
        assert str(solver.check()) == ("unsat" if truth else "sat"), text
        closed = task("", text).goal
        assert verdict(closed) == ("true" if truth else "false"), text
        seen.add(truth)
    assert seen == {True, False}


def test_partial_instances_keep_their_truth_value() -> None:
    """Undefined at one value and false at none: undefined; false at another: false, in both translations."""
    for text, expected in (
        ("∀(i : ℤ). 0 ≤ i ∧ i < 3 → 6 / (i - 1) < 7", "undefined"),
        ("∀(i : ℤ). 0 ≤ i ∧ i < 3 → 6 / (i - 1) < 6", "false"),
        ("∃(i : ℤ). 0 ≤ i ∧ i < 3 ∧ 6 / (i - 1) > 5", "true"),
        ("∀(i : ℤ). 2 ≤ i ∧ i < 4 → 6 / (i - 1) < 7", "true"),
    ):
        assert verdict(task("", text).goal) == expected


def test_the_checker_writes_out_inner_quantifiers() -> None:
    pigeons = task(
        "",
        "∀(f : ℤ → ℤ). (∀ i < 5. 0 ≤ f(i) ∧ f(i) < 4) → (∃ i j < 5. i < j ∧ f(i) = f(j))",
    )
    script = of_goal(pigeons.goal).text()
    assert "forall" not in script
    assert "exists" not in script
