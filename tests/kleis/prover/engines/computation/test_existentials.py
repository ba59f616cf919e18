"""The engines `witnesses` and `remainders`: their proofs are certificates, changed ones and false claims are refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.prover.checker.format import Certificate, CertificateError, Step
from kleis.prover.checker.kernel import judge
from kleis.prover.engines.computation.existentials import QUOTIENTS, WITNESSES
from kleis.prover.engines.computation.remainders import REMAINDERS
from tests.support.provers.claims import task

DIVIDES = "define divides(a : ℤ, b : ℤ) : Bool = ∃(k : ℤ). b = a * k\n"
FORMS: dict[str, Callable[[int, int], int]] = {
    "x*x + y*y": lambda x, y: x * x + y * y,
    "x^3 + y^3": lambda x, y: x**3 + y**3,
    "x*x - 2*y*y": lambda x, y: x * x - 2 * y * y,
    "3*x + 6*y": lambda x, y: 3 * x + 6 * y,
}
K, M, N = (["var", name] for name in "kmn")


def certificate(program: str, claim: str, steps: Any) -> Certificate:
    goal = digest_of(task(program, claim).goal)
    made = msgspec.convert(steps, tuple[Step, ...])
    return Certificate(status="verified", theory=program, goal=goal, claim=claim, steps=made)


def accepted(program: str, claim: str, steps: Any) -> bool:
    try:
        judge(certificate(program, claim, steps), ("z3",))
    except CertificateError:
        return False
    return True


def asked(*witnesses: Any) -> list[Any]:
    return [{"proof": {"rule": "ask", "witnesses": list(witnesses)}}]


@pytest.mark.parametrize(
    ("engine", "program", "claim"),
    [
        (WITNESSES, "", "∀(a b d : ℤ). (∃(k : ℤ). a = d*k) ∧ (∃(m : ℤ). b = d*m) → (∃(j : ℤ). a + b = d*j)"),
        (WITNESSES, DIVIDES, "∀(a b c x y : ℤ). divides(a, b) ∧ divides(a, c) → divides(a, b*x + c*y)"),
        (WITNESSES, "", "∃(a b c : ℤ). a*a + b*b = c*c ∧ c > 10 ∧ a > 0 ∧ b > 0"),
        (WITNESSES, "", "∀(x : ℝ). ∃(n : ℤ). n ≤ x ∧ x < n + 1"),
        (WITNESSES, "", "∀(a : ℚ). ∃(n : ℕ). n > a"),
        (WITNESSES, "", "∃(f : ℤ → ℤ). ∀(x : ℤ). f(x) ≠ x"),
        (WITNESSES, "", "∃(f g : ℤ → ℤ). ∀(x : ℤ). f(g(x)) = x ∧ f(x) ≠ x"),
        (WITNESSES, "", "∃(f : ℝ → ℤ). ∀(x : ℝ). f(x) ≤ x ∧ x < f(x) + 1"),
        (QUOTIENTS, "", "∀(x : ℝ). x > 0 → (∃(n : ℕ). n * x > 1)"),
        (QUOTIENTS, "", "∀(x y : ℚ). x > 0 → (∃(n : ℕ). n * x > y)"),
        (QUOTIENTS, "", "∀(e : ℝ). e > 0 → (∃(m : ℕ). ∀(n : ℕ). n > m → 1 / n < e)"),
        (QUOTIENTS, "", "∀(a b c : ℚ). a ≠ 0 → (∃(x : ℚ). a * x + b = c)"),
        (QUOTIENTS, "", "∀(a b : ℕ). b > 0 → (∃(q r : ℕ). a = b * q + r ∧ r < b)"),
        (REMAINDERS, "", "∀(x y z : ℤ). x^3 + y^3 + z^3 ≠ 4"),
        (REMAINDERS, "", "∀(x y z w : ℤ). x^3 + y^3 + z^3 ≠ 9 * w + 4"),
        (REMAINDERS, "", "∀(x y : ℤ). x*x = 3*y + 2 → x = y"),
    ],
)
def test_a_proof_is_a_certificate_of_its_claim_alone(engine: Any, program: str, claim: str) -> None:
    answer = engine.run(task(program, claim), 400_000)
    assert answer.outcome == "proved", answer.detail
    steps = msgspec.json.decode(dict(answer.proof)["steps"])
    assert accepted(program, claim, steps)
    assert not accepted("", "∃(x : ℤ). x * x = 2", steps)
    for changed in (steps[1:], [{"proof": {"rule": "remainders"}}], [{"proof": {"rule": "ask"}}]):
        assert not changed or not accepted(program, claim, changed)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(a d : ℤ). (∃(k : ℤ). a = d*k) → (∃(j : ℤ). a + 1 = d*j)",
        "∀(n : ℤ). ∃(m : ℤ). n = 2*m",
        "∃(x : ℤ). x*x = 7",
        "∀(a : ℕ). ∃(b : ℕ). b + 1 = a",
        "∀(x : ℝ). ∃(n : ℤ). n < x ∧ x < n + 1",
        "∃(f : ℤ → ℤ). ∀(x : ℤ). f(x) > x ∧ f(x) < x + 1",
        "∃(f : ℝ → ℤ). ∀(x : ℝ). f(x) = x",
    ],
)
def test_false_claims_have_no_witnesses(claim: str) -> None:
    assert WITNESSES.run(task("", claim), 400_000).outcome == "silent"


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). x ≥ 0 → (∃(n : ℕ). n * x > 1)",
        "∀(x y : ℚ). x ≥ 0 → (∃(n : ℕ). n * x > y)",
        "∀(x : ℝ). x > 0 → (∃(n : ℕ). n * x > 1 ∧ n < 100)",
        "∀(e : ℝ). e ≥ 0 → (∃(m : ℕ). ∀(n : ℕ). n > m → 1 / n < e)",
        "∀(e : ℝ). e > 0 → (∃(m : ℕ). ∀(n : ℕ). n ≥ m → 1 / (n - 3) < e)",
        "∀(a b : ℚ). ∃(x : ℚ). a * x + b = 0",
        "∀(a b : ℤ). b ≠ 0 → (∃(q r : ℤ). a = b * q + r ∧ 0 ≤ r ∧ r < b)",
        "∀(a b : ℤ). b > 0 → (∃(q r : ℤ). a = b * q + r ∧ 0 < r ∧ r < b)",
    ],
)
def test_false_claims_have_no_quotients(claim: str) -> None:
    assert QUOTIENTS.run(task("", claim), 400_000).outcome == "silent"


def test_quotients_are_for_claims_with_variables_of_numbers() -> None:
    assert not QUOTIENTS.applies(task("", "∃(x : ℤ). x * x = 4"))
    assert not QUOTIENTS.applies(task("", "∀(s : String). ∃(n : ℕ). n > 0"))


def test_witnesses_are_checked() -> None:
    claim = "∀(n : ℤ). (∃(k : ℤ). n = 2*k) → (∃(m : ℤ). n + 2 = 2*m)"
    one = ["as", "ℤ", ["number", "1", "ℕ"]]
    more = ["built-in", "plus", "ℤ", K, one]
    assert accepted("", claim, asked(more))
    quotient = ["built-in", "div", "ℤ", N, one]
    real = ["as", "ℝ", K]
    for refused in ([K], [N], [M], [one], [quotient], [real], [["number", "1", "ℕ"]], [more, more]):
        assert not accepted("", claim, asked(*refused))


ONE, ZERO = (["as", "ℝ", ["number", each, "ℕ"]] for each in "10")


def over(above: Any, below: Any, operation: str = "divide", sort: str = "ℝ") -> Any:
    return ["built-in", operation, sort, above, below]


@pytest.mark.parametrize(
    ("claim", "witnesses"),
    [
        ("∀(x : ℝ). x ≠ 0 → (∃(y : ℝ). x * y = 1)", [over(ONE, ["var", "x"])]),
        ("∀(x : ℝ). x ≠ 0 → (∃(y : ℝ). x = y)", [over(ONE, over(ONE, ["var", "x"]))]),
        (
            "∀(n m : ℤ). m > 0 → (∃(q r : ℤ). n = m * q + r ∧ 0 ≤ r ∧ r < m)",
            [over(N, M, "div", "ℤ"), over(N, M, "mod", "ℤ")],
        ),
    ],
)
def test_quotients_are_witnesses_where_they_have_values(claim: str, witnesses: list[Any]) -> None:
    assert accepted("", claim, asked(*witnesses))


@pytest.mark.parametrize(
    ("claim", "witnesses"),
    [
        ("∃(y : ℝ). 0 * y = 1", [over(ONE, ZERO)]),
        ("∀(x : ℝ). ∃(y : ℝ). x * y = 1", [over(ONE, ["var", "x"])]),
        ("∀(x : ℝ). x ≥ 0 → (∃(y : ℝ). x * y = 1)", [over(ONE, ["var", "x"])]),
        ("∀(x : ℝ). x ≠ 0 → (∃(y : ℝ). x * y = 1)", [over(ONE, over(["var", "x"], ONE)), ONE]),
        ("∀(x : ℝ). x ≠ 0 → (∃(y : ℝ). x * y = 1)", [["var", "x"]]),
        # A claim that is true whatever y is has no witness without a value all the same.
        ("∀(x : ℝ). ∃(y : ℝ). y = y ∨ x = x", [over(ONE, ["var", "x"])]),
        ("∀(x : ℝ). ∃(y : ℝ). ¬(y = 5 ∧ x ≠ x)", [over(ONE, ["var", "x"])]),
        ("∀(x : ℝ). ∃(y : ℝ). y ≠ y → x ≠ x", [over(ONE, ["var", "x"])]),
        # Neither is a function that has no value somewhere.
        (
            "∃(f : ℝ → ℝ). ∀(x : ℝ). x ≠ 0 → f(x) * x = 1",
            [["function", [["x", "ℝ"]], over(ONE, ["var", "x"])]],
        ),
        ("∀(n m : ℤ). ∃(r : ℤ). r = mod(n, m)", [over(N, M, "mod", "ℤ")]),
        # Other operations that lack values somewhere are none of those that a witness is made of.
        ("∀(x : ℝ). x > 0 → (∃(y : ℝ). y * y = x)", [["built-in", "sqrt", "ℝ", ["var", "x"]]]),
    ],
)
def test_what_has_no_value_is_no_witness(claim: str, witnesses: list[Any]) -> None:
    assert not accepted("", claim, asked(*witnesses))


QUEENS = (
    "∃(q : ℕ → ℕ). ∀(i j : ℕ). i < {n} ∧ j < {n} → q(i) < {n} ∧ "
    "(i < j → q(i) ≠ q(j) ∧ q(i) + j ≠ q(j) + i ∧ q(i) + i ≠ q(j) + j)"
)
X = ["var", "x"]


def number(value: int) -> Any:
    return ["number", str(value), "ℕ"]


def by_cases(values: list[int]) -> Any:
    """The function of natural numbers with these values at 0, 1, …, and 0 elsewhere."""
    body = number(0)
    for place, value in reversed(list(enumerate(values))):
        body = ["if", ["=", X, number(place)], number(value), body]
    return ["function", [["x", "ℕ"]], body]


def test_functions_by_cases_are_witnesses() -> None:
    claim = QUEENS.format(n=4)
    answer = WITNESSES.run(task("", claim), 400_000)
    assert answer.outcome == "proved", answer.detail
    assert accepted("", claim, msgspec.json.decode(dict(answer.proof)["steps"]))
    assert accepted("", claim, asked(by_cases([1, 3, 0, 2])))
    for refused in ([1, 3, 0, 1], [0, 1, 2, 3], [1, 3, 0], [1, 4, 0, 2]):
        assert not accepted("", claim, asked(by_cases(refused)))
    assert WITNESSES.run(task("", QUEENS.format(n=3)), 400_000).outcome == "silent"


def test_functions_that_have_no_value_somewhere_are_no_witnesses() -> None:
    claim = "∃(q : ℕ → ℕ). ∀(i : ℕ). q(i) = q(i)"
    assert accepted("", claim, asked(by_cases([1])))
    quotient = ["built-in", "div", "ℕ", number(6), X]
    less = ["built-in", "minus", "ℤ", X, number(1)]
    wrong = [
        quotient,
        less,
        ["natural", less],
        ["if", ["=", quotient, number(1)], number(1), number(0)],
        ["if", ["=", X, number(1)], quotient, number(0)],
        ["if", ["=", X, number(1)], number(0), quotient],
        ["var", "i"],
    ]
    for body in wrong:
        assert not accepted("", claim, asked(["function", [["x", "ℕ"]], body]))
    assert not accepted("", claim, asked(["function", [["x", "ℤ"]], number(0)]))
    assert not accepted(
        "", "∀(n : ℕ). ∃(q : ℕ → ℕ). ∀(n : ℕ). q(0) = n", asked(["function", [["x", "ℕ"]], N])
    )


def test_numbers_rounded_are_witnesses_and_roots_are_not() -> None:
    real = "∀(x : ℝ). ∃(n : ℤ). n > x"
    rounded = ["built-in", "floor", "ℤ", ["var", "x"]]
    one = ["as", "ℤ", number(1)]
    assert accepted("", real, asked(["built-in", "plus", "ℤ", rounded, one]))
    assert not accepted("", real, asked(rounded))
    assert not accepted("", real, asked(["built-in", "round", "ℤ", ["var", "x"]]))
    root = ["built-in", "sqrt", "ℝ", ["var", "x"]]
    assert not accepted("", "∀(x : ℝ). ∃(y : ℝ). y * y = x", asked(root))


def test_names_that_meet_stay_apart() -> None:
    """A hypothesis's k is not the claim's k, nor that of another hypothesis, nor one bound inside the conclusion."""
    again = "∀(k : ℤ). (∃(k : ℤ). k > 5) → (∃(j : ℤ). j > 5 ∧ k = k)"
    assert not accepted("", again, asked(K))
    two = "∀(a b : ℤ). (∃(k : ℤ). a = 2*k) ∧ (∃(k : ℤ). b = 2*k) → (∃(j : ℤ). a = 2*j ∧ b = 2*j)"
    assert not accepted("", two, asked(K))
    captured = "∀(n : ℤ). ∃(m : ℤ). ∀(k : ℤ). k ≠ m"
    assert not accepted("", captured, asked(K))
    assert not accepted("", captured, asked(N))
    negative = "¬(∃(x : ℤ). x > 3)"
    assert not accepted("", negative, asked(["as", "ℤ", ["number", "1", "ℕ"]]))


def test_equations_that_have_solutions_are_not_denied() -> None:
    for (left, each), right in product(FORMS.items(), range(-2, 12)):
        claim = f"∀(x y : ℤ). {left} ≠ {right}"
        found = REMAINDERS.run(task("", claim), 200_000).outcome == "proved"
        around = range(-9, 10)
        values = {each(x, y) for x in around for y in around}
        assert not (found and right in values), claim
