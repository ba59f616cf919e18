"""Familiar structures as countermodels: what they decide, that each is checked, and that forged ones are refused."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from kleis.budget import Budget
from kleis.core import Application, FunctionOf, Quantifier, Term, Variable
from kleis.prover.engines.models.catalogue.engine import CONSTRUCTIONS
from kleis.prover.portfolio import ORDER
from kleis.prover.protocol.engine import Answer, Task
from kleis.semantics.models import decide
from kleis.semantics.ranges import Bounds
from tests.support.provers.claims import evidence_of
from tests.support.provers.claims import task as read
from tests.support.theories.algebra import (
    COMMUTATIVE,
    LATTICE,
    LEFT_GROUP,
    G,
    e,
    eq,
    every,
    i,
    implies,
    j,
    k,
    m,
    ne,
    some,
    task,
)
from tests.support.theories.random_theories import equations, formulas

STEPS = max(each.steps for each in ORDER if each.engine.endswith(":CONSTRUCTIONS"))


def run(asked: Task, steps: int = STEPS) -> Answer:
    return CONSTRUCTIONS.run(asked, steps)


def commutator(x: Term, y: Term) -> Term:
    return m(m(i(x), i(y)), m(x, y))


CUBES = every(lambda x: eq(m(x, m(x, x)), e))
FOURTH = every(lambda x: eq(m(m(x, x), m(x, x)), e))
CLASS_TWO = every(lambda x, y, z: eq(commutator(commutator(x, y), z), e))
METABELIAN = every(lambda x, y, z, w: eq(commutator(commutator(x, y), commutator(z, w)), e))
MODULAR = every(lambda x, y, z: implies(eq(k(x, z), x), eq(j(x, k(y, z)), k(j(x, y), z))))


@pytest.mark.parametrize(
    ("axioms", "claim", "name"),
    [
        ({**LEFT_GROUP, "cubes": CUBES}, COMMUTATIVE, "the Heisenberg group modulo 3"),
        (LEFT_GROUP, implies(CUBES, COMMUTATIVE), "the Heisenberg group modulo 3"),
        (LEFT_GROUP, COMMUTATIVE, "the symmetric group on 3 letters"),
        ({**LEFT_GROUP, "fourth": FOURTH}, COMMUTATIVE, "the dihedral group of order 8"),
        ({**LEFT_GROUP, "fourth": FOURTH}, CLASS_TWO, "the unitriangular 4×4 matrices modulo 2"),
        (LEFT_GROUP, METABELIAN, "the symmetric group on 4 letters"),
        (LATTICE, MODULAR, "the pentagon N₅"),
    ],
)
def test_what_it_is_for(axioms: dict[str, Term], claim: Term, name: str) -> None:
    asked = task(axioms, claim)
    answer = run(asked)
    assert (answer.outcome, answer.detail) == ("refuted", name)
    assert evidence_of(asked, answer.witness) is not None


RING = """
structure Rg(R) {
  operation (+) : R × R → R
  operation (×) : R × R → R
  operation neg : R → R
  element zero : R
  axiom pa : ∀(x y z : R). (x + y) + z = x + (y + z)
  axiom pc : ∀(x y : R). x + y = y + x
  axiom pz : ∀(x : R). x + zero = x
  axiom pn : ∀(x : R). x + neg(x) = zero
  axiom ta : ∀(x y z : R). (x × y) × z = x × (y × z)
  axiom dl : ∀(x y z : R). x × (y + z) = x × y + x × z
  axiom dr : ∀(x y z : R). (x + y) × z = x × z + y × z
}
"""


@pytest.mark.parametrize(
    ("claim", "refuted"),
    [
        ("(∀(x : R). (x × x) × x = zero) → (∀(x y : R). x × y = y × x)", True),
        ("∀(x y : R). x × y = zero → y × x = zero", True),
        ("∀(x : R). x × x = zero → x = zero", True),
        ("∀(x y : R). x + y = x → x × y = zero", False),
    ],
)
def test_rings(claim: str, refuted: bool) -> None:
    asked = read(RING, claim)
    answer = run(asked)
    assert answer.outcome == ("refuted" if refuted else "silent")
    assert (evidence_of(asked, answer.witness) is not None) == refuted


SPACE = """
structure Space(F, V) {
  operation add : F × F → F
  operation mul : F × F → F
  element zero : F
  element one : F
  operation plus : V × V → V
  operation scale : F × V → V
  axiom one : ∀(a : F). mul(one, a) = a
  axiom inverse : ∀(a : F). a = zero ∨ (∃(b : F). mul(b, a) = one)
  axiom scales : ∀(a b : F, v : V). scale(mul(a, b), v) = scale(a, scale(b, v))
  axiom unit : ∀(v : V). scale(one, v) = v
  axiom sums : ∀(a b : F, v : V). scale(add(a, b), v) = plus(scale(a, v), scale(b, v))
  axiom spread : ∀(a : F, u v : V). scale(a, plus(u, v)) = plus(scale(a, u), scale(a, v))
  axiom commutes : ∀(u v : V). plus(u, v) = plus(v, u)
  axiom associates : ∀(u v w : V). plus(plus(u, v), w) = plus(u, plus(v, w))
  axiom cancels : ∀(u v w : V). plus(u, v) = plus(u, w) → v = w
}
"""


def test_several_sorts() -> None:
    asked = read(SPACE, "∀(u v : V). (∃(a : F). u = scale(a, v)) ∨ (∃(a : F). v = scale(a, u))")
    answer = run(asked)
    assert (answer.outcome, answer.detail) == ("refuted", "the plane over ℤ₂")
    assert evidence_of(asked, answer.witness) is not None


def test_a_function_of_the_claim_is_read_like_a_symbol() -> None:
    function, x, y = Variable("h", FunctionOf((G,), G)), Variable("x", G), Variable("y", G)
    at = [Application(function, (each,), G) for each in (m(x, y), x, y)]
    claim = Quantifier("forall", (function, x, y), eq(at[0], m(at[1], at[2])))
    asked = task(LEFT_GROUP, claim)
    answer = run(asked)
    assert answer.outcome == "refuted"
    assert evidence_of(asked, answer.witness) is not None


def test_a_theory_has_a_model() -> None:
    asked = task({**LEFT_GROUP, "two": some(lambda x, y: ne(m(x, y), m(y, x)))}, None)
    answer = run(asked)
    assert (answer.outcome, answer.detail) == ("model", "the symmetric group on 3 letters")
    assert evidence_of(asked, answer.witness) is not None


def test_a_search_without_result_says_so() -> None:
    answer = run(task(LEFT_GROUP, every(lambda x: eq(m(x, e), x))))
    assert (answer.outcome, answer.reason) == ("silent", "incomplete")
    assert answer.detail.startswith("none of 1")


@pytest.mark.parametrize("steps", [0, 1, 100, 10_000])
def test_small_budgets(steps: int) -> None:
    answer = run(task({**LEFT_GROUP, "cubes": CUBES}, COMMUTATIVE), steps)
    assert (answer.outcome, answer.reason) == ("silent", "resource")


def test_two_runs_agree_step_by_step() -> None:
    asked = task({**LEFT_GROUP, "cubes": CUBES}, COMMUTATIVE)
    assert run(asked) == run(asked)


# ── Forged witnesses ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_table_with_one_other_value_is_refused() -> None:
    asked = task({**LEFT_GROUP, "fourth": FOURTH}, COMMUTATIVE)
    witness: dict[str, Any] = run(asked).witness
    chance = Random(7)
    for _ in range(100):
        forged = deepcopy(witness)
        rows = forged["tables"][chance.choice(list(forged["tables"]))]
        row = chance.choice(rows)
        row[-1] = (row[-1] + chance.randrange(1, 8)) % 8
        assert evidence_of(asked, forged) is None


def test_a_point_where_the_claim_holds_is_refused() -> None:
    asked = task(LEFT_GROUP, COMMUTATIVE)
    forged = deepcopy(run(asked).witness)
    forged["point"]["x"] = forged["point"]["y"]
    assert evidence_of(asked, forged) is None


# ── Random theories ──────────────────────────────────────────────────────────────────────────────────────────

TWO = Bounds(carrier=2, budget=Budget(steps=3_000_000, depth=150, size=100_000))


@settings(max_examples=60, deadline=None)
@given(equations(), equations(), equations())
def test_whatever_it_refutes_is_checked(first: Term, second: Term, claim: Term) -> None:
    asked = task({"first": first, "second": second}, claim)
    answer = run(asked, 300_000)
    if answer.outcome == "refuted":
        assert evidence_of(asked, answer.witness) is not None
    two = decide(asked.goal, TWO).status == "disproved"
    assert answer.outcome == "refuted" or not two


@settings(max_examples=60, deadline=None)
@given(formulas(), formulas())
def test_whatever_it_says_of_formulas_is_checked(axiom: Term, claim: Term) -> None:
    asked = task({"axiom": axiom}, claim)
    answer = run(asked, 300_000)
    if answer.outcome == "refuted":
        assert evidence_of(asked, answer.witness) is not None
