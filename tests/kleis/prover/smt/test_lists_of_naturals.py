"""ℕ in containers: solvers know lists of ℕ as lists of integers with a guard, and one must not be taken for the other."""

from __future__ import annotations

import pytest
import z3

from kleis.prover.smt.script import encode
from tests.support.provers.claims import task
from tests.support.provers.solving import verdict

TREES = "data T = Leaf(List(ℕ)) | Node(List(T × ℕ)) | Other(List(ℤ)) | More(List(ℤ × T))\n"
OPERATIONS = """
structure S {
  operation f : List(ℕ) → ℕ
  operation g : List(ℤ) → ℤ
  axiom same : ∀(l : List(ℕ)). f(l) = g(l)
}
"""

CLAIMS = [
    ("", "∀(l : List(ℕ)). ∃(m : List(ℤ)). l = m", "true"),
    ("", "∀(l : List(ℕ)). l ≠ [3]", "false"),
    ("", "∀(m : List(ℤ)). m ≠ [0 - 1]", "false"),
    ("", "∀(l : List(ℕ)). ∀(m : List(ℤ)). l = m → m ≠ [0 - 1]", "true"),
    ("", "∀(l : List(ℕ)). ∀(m : List(ℤ)). l = m → m ≠ [1]", "false"),
    ("", "∀(x : ℕ × ℤ). ∀(y : ℤ × ℤ). y = x → fst(y) ≥ 0", "true"),
    ("", "∀(x : ℕ × ℤ). ∀(y : ℤ × ℤ). y = x → snd(y) ≥ 0", "false"),
    ("", "∀(m : List(ℝ)). m = ([1, 2] : List(ℤ)) → head(m) = 1", "true"),
    ("", "∀(m : List(ℝ)). m = ([1, 2] : List(ℕ)) → head(m) = 2", "false"),
    (OPERATIONS, "g([1]) ≥ 0", "true"),
    (OPERATIONS, "g([0 - 1]) ≥ 0", "false"),
    (TREES, "∀(l : List(ℕ)). Leaf(l) ≠ Other(l)", "true"),
    (TREES, "∀(t : T). t ≠ Leaf([2])", "false"),
    (TREES, "∀(t : T). t = t", "true"),
]


@pytest.mark.parametrize(("program", "claim", "expected"), CLAIMS)
def test_guards_say_which_integers_are_meant(program: str, claim: str, expected: str) -> None:
    """A claim that holds is refuted nowhere, and one that fails is not proved; z3 may leave a model open."""
    said = verdict(encode(task(program, claim)))
    assert said == expected or (said, expected) == ("open", "false")


@pytest.mark.parametrize("program", [TREES, "data T = Leaf | Node(List(T × ℕ))\n"])
def test_guards_that_speak_of_one_another_are_defined_together(program: str) -> None:
    script = encode(task(program, "∀(t : T). t = t"))
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(script.text())
    assert solver.check() == z3.unsat
