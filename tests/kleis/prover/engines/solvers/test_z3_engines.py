"""The engines that run Z3: direct, restarts, patterns only, instantiation, with equations."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from kleis.prover.engines.solvers.instantiation import INSTANTIATION, INSTANTIATION_TWICE
from kleis.prover.engines.solvers.read_models import decoded
from kleis.prover.engines.solvers.runs import Options, run_text
from kleis.prover.engines.solvers.script_engines import DIRECT, EMATCHING, OPAQUE, RESTARTS, WITH_EQUATIONS
from kleis.prover.protocol.engine import Engine
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.semantics.truth import FALSE, UNDEFINED
from tests.support.provers.claims import claim_at, refuted_again, task

ORDER = """
structure Order(T) {
  operation le : T → T → Bool
  element least : T
  axiom refl : ∀(x : T). le(x, x)
  axiom anti : ∀(x y : T). le(x, y) ∧ le(y, x) → x = y
  axiom low : ∀(x : T). le(least, x)
}
"""

GROUP = """
structure Weak(G) {
  operation m : G → G → G
  element one : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). m(m(x, y), z) = m(x, m(y, z))
  axiom left_one : ∀(x : G). m(one, x) = x
  axiom left_inv : ∀(x : G). m(inv(x), x) = one
}
"""

LEAST = "∀(y : T). (∀(x : T). le(y, x)) → y = least"

STEPS = 1_500_000


@pytest.mark.parametrize("engine", [DIRECT, RESTARTS, INSTANTIATION, INSTANTIATION_TWICE])
def test_a_proof_names_the_axioms_it_needs_and_is_refuted_again(engine: Engine) -> None:
    given = task(ORDER, LEAST, "Order(T)")
    assert engine.applies(given)
    answer = engine.run(given, STEPS)
    assert answer.outcome == "proved"
    assert {name.split("::")[-1] for name in answer.core} == {"anti", "low"}
    assert refuted_again(answer.proof)


def test_patterns_instantiate_what_the_claim_names() -> None:
    given = task(ORDER, "∀(x : T). le(x, least) → x = least", "Order(T)")
    answer = EMATCHING.run(given, STEPS)
    assert answer.outcome == "proved"
    assert {name.split("::")[-1] for name in answer.core} == {"anti", "low"}
    assert refuted_again(answer.proof)


EUCLID = """
define euclid(a : ℤ, b : ℤ) : ℤ = if b = 0 then a else euclid(b, mod(a, b))
define cancelled(n : ℤ, d : ℤ) : ℤ × ℤ =
    let g = euclid(n, d) in
    if g > 1 ∧ mod(n, g) = 0 ∧ mod(d, g) = 0 then (div(n, g), div(d, g)) else (n, d)
define last(l : List(ℤ)) : ℤ = match l { Cons(h, []) => h | Cons(_, t) => last(t) }
"""


def test_recursion_that_does_not_matter_is_left_out() -> None:
    given = task(EUCLID, "∀(n d : ℤ). d > 0 ⟹ (let (p, q) = cancelled(n, d) in p * d = n * q)")
    assert OPAQUE.applies(given)
    answer = OPAQUE.run(given, STEPS)
    assert answer.outcome == "proved"
    assert refuted_again(answer.proof)
    assert not OPAQUE.applies(task("", "∀(x : ℤ). x * x ≥ 0")), "nothing would be left out"


@pytest.mark.parametrize(
    "claim",
    [
        "euclid(4, 6) = 2",
        "∀(a b : ℤ). euclid(a, b) = 2",
        "∀(n d : ℤ). d > 0 ⟹ (let (p, q) = cancelled(n, d) in p * d = n * q + 1)",
        "∀(l : List(ℤ)). last(l) = last(l)",
    ],
)
def test_without_recursion_nothing_is_refuted_and_nothing_partial_is_proved(claim: str) -> None:
    answer = OPAQUE.run(task(EUCLID, claim), 200_000)
    assert (answer.outcome, answer.witness) == ("silent", None)


def test_options_of_one_run_do_not_reach_the_next() -> None:
    free = "(declare-sort |k:T| 0)(declare-fun f (|k:T|) Bool)(assert (forall ((x |k:T|)) (f x)))"
    assert run_text(Options(patterns_only=True).header() + free, 10_000).status == "unknown"
    assert run_text(free, 10_000).status == "sat"


@pytest.mark.parametrize("engine", [DIRECT, EMATCHING, INSTANTIATION])
def test_the_same_budget_gives_the_same_answer(engine: Engine) -> None:
    given = task(ORDER, LEAST, "Order(T)")
    assert engine.run(given, STEPS) == engine.run(given, STEPS)


@pytest.mark.parametrize("engine", [DIRECT, RESTARTS, EMATCHING, INSTANTIATION])
def test_nothing_false_is_proved(engine: Engine) -> None:
    given = task(ORDER, "∀(x y : T). le(x, y) ∨ le(y, x)", "Order(T)")
    assert engine.run(given, STEPS).outcome in ("silent", "refuted")


@pytest.mark.parametrize("engine", [DIRECT, RESTARTS, INSTANTIATION])
def test_axioms_that_clash_are_inconsistent_whatever_the_claim(engine: Engine) -> None:
    program = """
    structure Clash(T) {
      element a : T
      element b : T
      axiom same : ∀(x y : T). x = y
      axiom other : a ≠ b
      axiom idle : a = a
    }
    """
    answer = engine.run(task(program, "∀(x : T). x = a", "Clash(T)"), STEPS)
    if answer.outcome == "inconsistent":
        assert {name.split("::")[-1] for name in answer.core} == {"same", "other"}
    else:
        # `same` alone proves the claim: a core that has the negated claim is a proof as well.
        assert answer.outcome == "proved"
        assert refuted_again(answer.proof)
    plain = DIRECT.run(task(program, None, "Clash"), STEPS)
    assert plain.outcome == "inconsistent"
    assert {name.split("::")[-1] for name in plain.core} == {"same", "other"}


def test_completion_gives_z3_what_it_does_not_find() -> None:
    closed = """
      operation good : G → Bool
      axiom inherited : ∀(x y : G). good(m(x, y)) → good(x)
    }"""
    program = GROUP.rstrip().removesuffix("}") + closed
    given = task(program, "∀(x : G). good(one) → good(x)", "Weak(G)")
    answer = WITH_EQUATIONS.run(given, STEPS)
    assert answer.outcome == "proved"
    assert {name.split("::")[-1] for name in answer.core} == {"assoc", "left_one", "left_inv", "inherited"}
    # The equations' own steps are a chain that completion's check reads; the claim is Z3's.
    assert refuted_again([(name, text) for name, text in answer.proof if name == "claim"])


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("∀(x : ℤ). x ≠ 42", {"x": 42}),
        ("∀(x : ℝ). 3 * x ≠ 1", {"x": Fraction(1, 3)}),
        ('∀(s : String). s ≠ "é\\"b"', {"s": 'é"b'}),
        ("∀(p : Bool). p", {"p": False}),
    ],
)
def test_the_variables_of_a_false_claim_have_readable_values(claim: str, values: dict[str, object]) -> None:
    given = task("", claim)
    answer = DIRECT.run(given, STEPS)
    assert answer.outcome == "refuted"
    assert answer.witness.assignment == values
    assert not answer.witness.undefined
    assert claim_at(given, answer) is FALSE


def test_a_false_point_is_preferred_to_an_undefined_one() -> None:
    given = task("", "∀(x : ℝ). x / x = 1 ∧ x ≠ 5")
    answer = DIRECT.run(given, STEPS)
    assert answer.witness.assignment == {"x": 5}
    assert not answer.witness.undefined


def test_an_undefined_point_is_shown_as_such() -> None:
    given = task("", "∀(x : ℝ). x / x = 1")
    answer = DIRECT.run(given, STEPS)
    assert answer.witness == Witness(assignment={"x": 0}, undefined=True)
    assert claim_at(given, answer) is UNDEFINED


def test_an_irrational_point_is_moved_to_a_rational_one() -> None:
    given = task("", "∀(x : ℝ). x * x > 2 → x * x > 3 ∨ x < 0")
    answer = DIRECT.run(given, STEPS)
    assert answer.witness.unread == ()
    assert claim_at(given, answer) is FALSE


def test_constructor_terms_and_lists_are_read_back() -> None:
    program = "data Tree = Leaf | Node(left : Tree, value : ℤ, right : Tree)"
    given = task(program, "∀(t : Tree). t ≠ Node(Leaf, 7, Node(Leaf, 8, Leaf))")
    answer = DIRECT.run(given, STEPS)
    assert claim_at(given, answer) is FALSE
    again = pickle.loads(pickle.dumps(answer))
    assert claim_at(given, again) is FALSE


def test_a_finite_carrier_is_read_with_whole_tables() -> None:
    plain = "structure Relation(T) {\n  operation le : T → T → Bool\n}\n"
    given = task(plain, "∀(x y : T). le(x, y) → le(y, x)", "Relation(T)")
    answer = DIRECT.run(given, STEPS)
    assert answer.outcome == "refuted"
    (size,) = answer.witness.carriers.values()
    tables = {symbol.name: value for symbol, value in answer.witness.symbols}
    assert isinstance(tables["le"], FunctionTable)
    assert len(tables["le"].rows) == size * size


def test_a_small_budget_is_silent_and_says_so() -> None:
    answer = DIRECT.run(task("", "∀(x y z : ℤ). x * x * x + y * y * y ≠ z * z * z + 3"), 300)
    assert (answer.outcome, answer.reason) == ("silent", "resource")


def test_options_stand_in_the_text() -> None:
    header = Options(seed=3, patterns_only=True, relevancy=0).header()
    assert header.splitlines() == [
        "(set-option :auto_config false)",
        "(set-option :smt.mbqi false)",
        "(set-option :smt.relevancy 0)",
        "(set-option :smt.random_seed 3)",
    ]


def test_a_script_that_z3_does_not_read_is_incomplete() -> None:
    assert run_text("(assert (unheard-of 1))", 1_000).reason == "incomplete"


def test_escapes_of_strings_become_characters() -> None:
    assert decoded(r"\u{e9}\u{1f600}\u0041") == "é😀A"
