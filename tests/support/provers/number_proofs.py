"""Proofs by the rules about numbers, about lists by size, and by clauses, as they stand in certificates.

Which claims hold was worked out by hand; each false one is false, or undefined, at a point that is easily found.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kleis.prover.checker.rules.identities import asked_for
from kleis.prover.checker.rules.laws import law
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.superposition.certified import clausal_proof
from kleis.prover.engines.superposition.engine import Superposition
from tests.support.provers.claims import task
from tests.support.provers.engine_proofs import World

__all__ = ["NUMBER_WORLDS", "identity"]

_ASK: dict[str, Any] = {"rule": "ask"}


def _by(rule: str, **fields: Any) -> dict[str, Any]:
    return {"steps": [{"proof": {"rule": rule, **fields}}]}


def identity(claim: str, theory: str = "") -> tuple[str, dict[str, Any]]:
    """A claim with its proof by forms, after a step that shows what these ask for."""
    given = task(theory, claim)
    assert given.goal.claim is not None
    asked, _ = asked_for(given.goal, given.goal.claim, 1_000_000)
    if asked is None:
        return claim, _by("identity")
    steps = [{"proof": _ASK, "shows": term_data(asked)}, {"proof": {"rule": "identity", "given": "step 1"}}]
    return claim, {"steps": steps}


def _by_law(claim: str, name: str) -> tuple[str, dict[str, Any]]:
    shown = {"proof": {"rule": "law", "name": name}, "shows": term_data(law(name))}
    return claim, {"steps": [shown, {"proof": {**_ASK, "given": ["step 1"]}}]}


def _by_clauses(theory: str, claim: str) -> tuple[str, dict[str, Any]]:
    asked = task(theory, claim)
    answer = Superposition().run(asked, 60_000)
    assert answer.outcome == "proved", claim
    return claim, {"steps": [{"proof": msgspec.to_builtins(clausal_proof(asked, answer))}]}


_BY_SIZE: dict[str, Any] = _by(
    "induction", on="l", size=True, cases=[{"name": "Nil", "proof": _ASK}, {"name": "Cons", "proof": _ASK}]
)

_NUMBERS = World(
    "",
    (
        identity("∀(x : ℝ). sin(x)^2 + cos(x)^2 = 1"),
        identity("∀(x : ℝ). x > 0 → (x * x) / x = x"),
        identity("∀(A B : Matrix(2, 2, ℝ)). det(A * B) = det(A) * det(B)"),
        identity("∀(x : ℝ, m n : ℕ). x^(m + n) = x^m * x^n"),
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * (n + 1) / 2", _by("sums", on="n")),
        ("∀(n : ℕ). mod(3^(2 * n + 1) + 2^(n + 2), 7) = 0", _by("remainders")),
        ("∀(p q : ℤ). q ≠ 0 → p^2 ≠ 2 * q^2", _by("rational roots")),
        ("∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → exp(x) < 3", _by("subdivision", precision=32)),
        ("∃(x : ℝ). cos(x) = x", _by("sign change", low="0", high="1", precision=32)),
        ("√2 + √3 > 3.14", _by("enclosures", precision=32)),
        _by_law("∀(x : ℝ). sin(x) * sin(x) ≤ 1", "pythagoras"),
        ("∀(l : List(ℤ)). length(l) ≥ 0", _BY_SIZE),
    ),
    (
        "∀(x : ℝ). sin(x)^2 + cos(x)^2 = 2",
        "∀(x : ℝ). sin(2 * x) = 2 * sin(x)",
        "∀(x : ℝ). (x * x) / x = x",
        "∀(x : ℝ). x ≥ 0 → (x * x) / x = x",
        "∀(x : ℝ). √(x * x) = x",
        "∀(x y : ℝ). ln(x * y) = ln(x) + ln(y)",
        "∀(x : ℝ, m n : ℕ). x^(m * n) = x^m * x^n",
        "∀(x : ℝ, n : ℤ). x^(n + 1) = x^n * x",
        "∀(A B : Matrix(2, 2, ℝ)). A * B = B * A",
        "∀(n : ℕ). Σ(1, n, λ i . i) = n * n / 2",
        "∀(n : ℕ). Σ(0, n, λ i . 1 / (i - 3)) = Σ(0, n, λ i . 1 / (i - 3))",
        "∀(n : ℕ). mod(3^n + 2^(n + 2), 7) = 0",
        "∀(n : ℤ). mod(n^2, 4) = 0",
        "∀(p q : ℤ). p^2 ≠ 2 * q^2",
        "∀(x : ℚ). 6 * x^2 - 5 * x + 1 ≠ 0",
        "∀(x : ℝ). x^2 ≠ 2",
        "∀(x : ℝ). 0 ≤ x ∧ x ≤ 2 → exp(x) < 3",
        "∀(x : ℝ). exp(x) < 3",
        "∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → 1 / x < 2 ∨ 1 / x > 1",
        "∃(x : ℝ). cos(x) = x ∧ x < 0",
        "∃(x : ℝ). 1 / x = 0",
        "√2 + √3 > 3.15",
        "ln(1 - √2) < 1",
        "∀(x : ℝ). sin(x) * sin(x) < 1",
        "∀(l : List(ℤ)). length(l) > 0",
        "∀(l : List(ℤ)). head(l) = head(l)",
    ),
)

_ORDER = (
    "structure Order(A) { operation le : A → A → Bool\n  element a : A\n  element b : A\n"
    "  axiom total : ∀(x y : A). le(x, y) ∨ le(y, x)\n"
    "  axiom between : ∀(x y z : A). le(x, y) ∧ le(y, z) → le(x, z)\n"
    "  axiom same : ∀(x y : A). le(x, y) ∧ le(y, x) → x = y }\n"
)
_ORDERED = World(
    _ORDER,
    (
        _by_clauses(_ORDER, "using Order(A) ∀(x y : A). le(x, y) ∨ x ≠ y"),
        _by_clauses(_ORDER, "using Order(A) ∀(x y : A). x = y ∨ ¬(le(x, y)) ∨ ¬(le(y, x))"),
        _by_clauses(_ORDER, "using Order(A) ∀(x y z : A). ¬(le(x, y)) ∧ le(x, z) → le(y, z)"),
    ),
    (
        "using Order(A) ∀(x y : A). le(x, y)",
        "using Order(A) ∀(x y : A). x = y",
        "using Order(A) a = b",
        "using Order(A) le(a, b)",
        "using Order(A) ∃(x : A). ¬(le(x, x))",
        "using Order(A) ∀(x y z : A). le(x, y) ∧ le(x, z) → le(y, z)",
    ),
)
"""All six are false of the numbers 0, 1, 2 in their order, with a = 1 and b = 0."""

NUMBER_WORLDS: tuple[World, ...] = (_NUMBERS, _ORDERED)
