"""Proofs by forms of lists, arcs and matrices, by laws taken at functions, and denials, as they stand in certificates.

Each kind has a world of its own, so that forgeries of each can be counted.  Which claims hold was worked out by hand; each
false one is false, or undefined, at a point that is easily found.
"""

from __future__ import annotations

from typing import Any

from kleis.prover.checker.write_terms import term_data
from tests.support.provers.claims import task
from tests.support.provers.engine_proofs import World
from tests.support.provers.number_proofs import identity

__all__ = ["FORM_WORLDS"]

_ASK: dict[str, Any] = {"rule": "ask"}

_VECTORS = """
define dot(u : List(ℝ), v : List(ℝ)) : ℝ = sum(map(λ p . fst(p) * snd(p), zip(u, v)))
define head_or(l : List(ℝ), x : ℝ) : ℝ = match l { [] => x | Cons(h, _) => h }
"""

_LISTS = World(
    _VECTORS,
    (
        identity("∀(a b x y : ℝ). dot([a, b], [x, y]) = dot([y, x], [b, a])", _VECTORS),
        identity("∀(a b : ℝ). b ≠ 0 → head_or([a * b / b], 1 / b) = a", _VECTORS),
        identity("∀(a b : ℝ). vec_add([a, b], [b, a]) = map(λ x . x + a + b, [0, 0])", _VECTORS),
        identity("∀(a b c : ℝ). zip([a, b], [c]) = [(a, c)] ∧ length(append([a], [b])) = 2", _VECTORS),
        identity("∀(a : ℝ). a ≠ 1 → fst((a, [1 / (a - 1)])) = a", _VECTORS),
    ),
    (
        "∀(a b : ℝ). [a, b] = [b, a]",
        "∀(a b x y : ℝ). dot([a, b], [x, y]) = dot([a, b], [y, x])",
        "∀(a b : ℝ). head_or([a * b / b], 1 / b) = a",
        "∀(a b : ℝ). head_or([a], 1 / b) = a",
        "∀(a : ℝ). head_or([], a) = 0",
        "∀(a : ℝ). [1 / a] = [1 / a]",
        "∀(a b : ℝ). length([1 / a, b]) = 2",
        "∀(a b : ℝ). length([a, b]) = 1",
        "∀(a b c : ℝ). zip([a, b], [c]) = [(a, c), (b, c)]",
        "∀(a b : ℝ). zip([a], [a, 1 / b]) = [(a, a)]",
        "∀(a b c : ℝ). vec_add([a], [b, c]) = vec_add([a], [b, c])",
        "∀(a : ℝ). fst((a, [1 / (a - 1)])) = a",
        "∀(a : ℝ). map(λ x . 1 / x, [a, 1]) = map(λ x . 1 / x, [a, 1])",
        "∀(l : List(ℝ)). head_or(l, 0) = 0",
        "∀(a : ℝ). (let l = [1 / a] in 2) = 2",
        "∀(a : ℝ). head([a]) = nth([a], 1)",
    ),
)

_ARCS = World(
    "",
    (
        identity("∀(x : ℝ). tan(atan(x)) = x"),
        identity("∀(x : ℝ). cos(atan(x)) * √(1 + x^2) = 1"),
        identity("∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → sin(asin(x)) = x"),
        identity("∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → asin(x) + acos(x) = π / 2"),
        identity("asin(1 / 2) = π / 6 ∧ acos(-1 / 2) = 2 * π / 3"),
        identity("∀(x : ℝ). x ≥ 1 → cosh(acosh(x)) = x"),
        identity("∀(x y : ℝ). y ≠ 0 → atan((x * y) / y - x) = 0"),
    ),
    (
        "∀(x : ℝ). asin(sin(x)) = x",
        "∀(x : ℝ). acos(cos(x)) = x",
        "∀(x : ℝ). atan(tan(x)) = x",
        "∀(x : ℝ). sin(asin(x)) = x",
        "∀(x : ℝ). -1 ≤ x → sin(asin(x)) = x",
        "∀(x : ℝ). asin(x) + acos(x) = π / 2",
        "∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → asin(x) = acos(x)",
        "∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → tan(asin(x)) * √(1 - x^2) = x",
        "∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → cos(asin(x)) = x",
        "∀(x : ℝ). x ≠ 0 → atan(1 / x) = π / 2 - atan(x)",
        "∀(x y : ℝ). atan((x * y) / y - x) = 0",
        "∀(x : ℝ). acosh(cosh(x)) = x",
        "∀(x : ℝ). cosh(acosh(x)) = x",
        "∀(x : ℝ). atanh(x) = atanh(x)",
        "∀(x : ℝ). tan(x) * cos(x) = sin(x)",
        "asin(2) = asin(2)",
        "asin(2) - asin(2) = 0",
        "acos(1 / 2) = π / 6",
        "acos(-1 / 2) = -2 * π / 3",
        "atan(1) = 5 * π / 4",
    ),
)
"""At x = −2 each claim that lacks a hypothesis is false or undefined; the others at 1, at 1/2, or as they stand."""

_INVERSE = (
    "matrix([[a, b], [c, d]]) * scalar_matrix_mul(1 / (a * d - b * c), matrix([[d, -b], [-c, a]])) = eye(2)"
)
_MATRICES = World(
    "",
    (
        identity("∀(A B : Matrix(2, 2, ℝ)). transpose(A * B) = transpose(B) * transpose(A)"),
        identity("∀(A : Matrix(2, 3, ℝ), B : Matrix(3, 2, ℝ)). trace(A * B) = trace(B * A)"),
        identity(f"∀(a b c d : ℝ). a * d - b * c ≠ 0 → {_INVERSE}"),
        identity("∀(a b : ℝ). b ≠ 0 → det(matrix([[a / b, 1], [0, b]])) = a"),
        identity("∀(A : Matrix(2, 2, ℝ)). det(transpose(A)) = det(A)"),
    ),
    (
        "∀(A B : Matrix(2, 2, ℝ)). A * B = B * A",
        "∀(A B : Matrix(2, 2, ℝ)). transpose(A * B) = transpose(A) * transpose(B)",
        "∀(A B : Matrix(2, 2, ℝ)). trace(A * B) = trace(A) * trace(B)",
        "∀(A B : Matrix(2, 2, ℝ)). det(matrix_add(A, B)) = det(A) + det(B)",
        "∀(A : Matrix(2, 2, ℝ)). transpose(A) = A",
        f"∀(a b c d : ℝ). {_INVERSE}",
        f"∀(a b c d : ℝ). a * d ≠ 0 → {_INVERSE}",
        "∀(a b : ℝ). det(matrix([[a / b, 1], [0, b]])) = a",
        "∀(a : ℝ). scalar_matrix_mul(1 / a, eye(2)) = scalar_matrix_mul(1 / a, eye(2))",
        "∀(A : Matrix(3, 3, ℝ)). det(A) = 1",
    ),
)


def _step(proof: dict[str, Any], shows: str = "") -> dict[str, Any]:
    return {"proof": proof, **({"shows": term_data(task("", shows).goal.claim)} if shows else {})}


def _by_lists(variable: str, empty: dict[str, Any] = _ASK, **more: Any) -> dict[str, Any]:
    step = {**_ASK, "given": ["hypothesis 1"], **more}
    return {
        "rule": "induction",
        "on": variable,
        "cases": [{"name": "Nil", "proof": empty}, {"name": "Cons", "proof": step}],
    }


_OF_APPEND = "∀(p : ℤ → Bool, k l : List(ℤ)). filter(p, append(k, l)) = append(filter(p, k), filter(p, l))"
_OF_THREE = (
    "∀(p : ℤ → Bool, k l m : List(ℤ)). "
    "filter(p, append(k, append(l, m))) = append(filter(p, k), append(filter(p, l), filter(p, m)))"
)
_AT_P = [
    {
        "of": "step 1",
        "at": [["function", [["v", "ℤ"]], ["symbol", "p#0", "Bool", ["var", "v"]]]],
    }
]
_FUNCTIONS = World(
    "",
    (
        (_OF_APPEND, {"steps": [_step(_by_lists("k"))]}),
        (
            _OF_THREE,
            {
                "steps": [
                    _step(_by_lists("k"), _OF_APPEND),
                    _step(_by_lists("k", {**_ASK, "instances": _AT_P}, instances=_AT_P)),
                ]
            },
        ),
    ),
    (
        "∀(p : ℤ → Bool, k l : List(ℤ)). filter(p, append(k, l)) = append(filter(p, l), filter(p, k))",
        "∀(p : ℤ → Bool, k l : List(ℤ)). filter(p, append(k, l)) = filter(p, k)",
        "∀(p : ℤ → Bool, l : List(ℤ)). filter(p, l) = l",
        "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, l) = filter(q, l)",
        "∀(p : ℤ → Bool, l : List(ℤ)). filter(p, l) = filter(λ (x : ℤ) . ¬p(x), l)",
        "∀(p : ℤ → Bool, l : List(ℤ)). length(filter(p, l)) < 3",
        "∀(f : ℤ → ℤ, l : List(ℤ)). map(f, l) = l",
        "∀(l : List(ℤ)). filter(λ (x : ℤ) . div(1, x) > 0, l) = filter(λ (x : ℤ) . div(1, x) > 0, l)",
        "∀(l : List(ℤ)). length(filter(λ (x : ℤ) . div(1, x) > 0, l)) ≤ length(l)",
        "∀(l : List(ℤ)). map(λ (x : ℤ) . div(1, x), l) = map(λ (x : ℤ) . div(1, x), l)",
    ),
)
"""False at p = (x > 0), q = (x ≤ 0), f = (x + 1), k = [1, 2, 3], l = [−1, 4]; undefined at [0]."""

_X0: list[Any] = ["var", "x0"]
_NEXT = ["built-in", "plus", "ℤ", _X0, ["as", "ℤ", ["number", "1", "ℕ"]]]
_DENIED = World(
    "",
    (
        ("¬(∃(x : ℤ). x ≠ 0 ∧ div(x, x) = 2)", {"steps": [_step(_ASK)]}),
        ("∀(f : ℤ → ℤ). (∀(x : ℤ). f(x) = x) → f(3) = 3", {"steps": [_step(_ASK)]}),
        ("∀(x : ℤ). (∀(y : ℤ). y ≠ 0 → div(x, y) = div(x, y))", {"steps": [_step(_ASK)]}),
        (
            "∀(f : ℤ → ℤ). ∃(x : ℤ). f(x) ≥ f(0)",
            {"steps": [_step({**_ASK, "witnesses": [["number", "0", "ℤ"]]})]},
        ),
        (
            "∃(x : ℝ). cos(x) = x",
            {"steps": [_step({"rule": "sign change", "low": "0", "high": "1", "precision": 32})]},
        ),
    ),
    (
        "∀(x : ℝ). cos(x) ≠ x",
        "∀(f : ℤ → ℤ). ∃(x : ℤ). f(x) = x",
        "¬(∃(x : ℤ). x > 3)",
        "¬(∀(x : ℤ). div(x, x) = 1)",
        "∃(x : ℝ). x = 0 ∧ x / x = 1",
    ),
    witnesses=(
        {"kind": "interpretation", "functions": [["f", _NEXT]]},
        {"kind": "interpretation"},
        {"kind": "interpretation", "undefined": True},
        {
            "kind": "interpretation",
            "proof": [{"proof": {"rule": "sign change", "low": "0", "high": "1", "precision": 32}}],
        },
    ),
)
"""The fourth and fifth are undefined where x = 0; f is x + 1 in the second, and the cosine has a fixed point below 1."""

FORM_WORLDS: dict[str, World] = {
    "lists": _LISTS,
    "arcs": _ARCS,
    "matrices": _MATRICES,
    "laws at functions": _FUNCTIONS,
    "denials": _DENIED,
}
"""Worlds by what their proofs are about."""
