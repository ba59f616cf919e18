"""Proofs that engines leave, as Lean text.  Lean has read these forms: docs/lean-check.md."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.lean import LeanFile, check_emitted, export_lean
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_tree import Calc, Call, Explicit, Have, Induction, Name, Node, Theorem, walk
from kleis.prover.certificates.proof_steps import ProofSteps
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """
structure Group(G) {
    operation (•) : G × G → G
    operation inv : G → G
    element e : G
    axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
    axiom left_identity : ∀(x : G). e • x = x
    axiom left_inverse : ∀(x : G). inv(x) • x = e
}
structure Kin(P) {
    operation parent : P × P → Bool
    operation ancestor : P × P → Bool
    axiom parents : ∀(x y : P). parent(x, y) ⟹ ancestor(x, y)
    axiom transitive : ∀(x y z : P). ancestor(x, y) ∧ ancestor(y, z) ⟹ ancestor(x, z)
    axiom proper : ∀(x : P). ¬ancestor(x, x)
}
data Row = End | Cell(ℤ, Row)
define joined(l : Row, m : Row) : Row = match l { End => m | Cell(x, r) => Cell(x, joined(r, m)) }
define turned(l : Row) : Row = match l { End => End | Cell(x, r) => joined(turned(r), Cell(x, End)) }
define cells(l : Row) : ℕ = match l { End => 0 | Cell(x, r) => 1 + cells(r) }
define twice(x : ℤ) : ℤ = x + x
define fall(t : ℝ) : ℝ = 9.81 * t^2 / 2
define divisors(n : ℤ) : List(ℤ) = filter(λ d . mod(n, d) = 0, range(1, n + 1))
"""


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(Theory().include(parse_program(PROGRAM))) as found:
        yield found


def exported(prover: Prover, proposition: str) -> LeanFile:
    file = export_lean(
        prover.theory, parse_expression(proposition), verdict=prover.verify, judge=ProofSteps(prover)
    )
    assert check_emitted(file.text) == ()
    return file


def parts(file: LeanFile, kind: type[Node]) -> list[Node]:
    theorem = next(each for each in parse_file(file.text) if isinstance(each, Theorem))
    return [each for each in walk(theorem) if isinstance(each, kind)]


def test_the_inverse_of_a_product_is_a_calculation(prover: Prover) -> None:
    file = exported(prover, "∀(x y : G). inv(x • y) = inv(y) • inv(x)")
    assert (file.theorems[0].status, file.theorems[0].method) == ("proof", "calculation")
    *_, last = parse_file(file.text)[-2].proof  # type: ignore[union-attr]
    assert isinstance(last, Calc)
    assert "calc Group.inv (Group.dot x y)\n" in file.text
    assert ":= Eq.symm (Group.assoc (G := G) " in file.text


def test_every_step_of_a_calculation_names_its_instance(prover: Prover) -> None:
    file = exported(prover, "∀(x y z : G). x • y = x • z ⟹ y = z")
    for each in parts(file, Calc):
        assert isinstance(each, Calc)
        assert each.steps
    assert "_ = _" not in file.text


def test_conditions_in_a_chain_say_how_they_are_decided(prover: Prover) -> None:
    file = exported(prover, "∀(x y : P). parent(x, y) ⟹ ¬parent(y, x)")
    assert file.theorems[0].method == "calculation"
    conditions = [each for each in parts(file, Call) if each.function == Explicit("ite")]  # type: ignore[attr-defined]
    assert conditions
    assert all(each.arguments[2].function == Name("Classical.propDecidable") for each in conditions)  # type: ignore[attr-defined]


def test_what_has_no_proof_in_lean_says_what_it_rests_on(prover: Prover) -> None:
    file = exported(prover, "∀(s : String). strlen(s) ≥ 0")
    assert file.theorems[0].status == "sorry"
    assert "/-- Verified by " in file.text
    assert "without a proof in Lean: kleis verify --certificate" in file.text


def test_turning_twice_is_an_induction_with_its_lemma(prover: Prover) -> None:
    file = exported(prover, "∀(l : Row). turned(turned(l)) = l")
    assert (file.theorems[0].status, file.theorems[0].method) == ("proof", "induction")
    assert len(parts(file, Induction)) == 2
    assert len(parts(file, Have)) == 1
    assert "  induction l with\n  | End =>\n    simp only [" in file.text


def test_numbers_that_an_induction_leaves_are_for_omega(prover: Prover) -> None:
    file = exported(prover, "∀(l m : Row). cells(joined(l, m)) = cells(l) + cells(m)")
    assert "  induction l generalizing m with\n" in file.text
    assert " <;> omega\n" in file.text


@pytest.mark.parametrize(
    ("proposition", "closing"),
    [
        ("∀(x y : ℤ). x < y ⟹ 2 * x < 2 * y", "  omega\n"),
        ("∀(x : ℤ). twice(x) = 2 * x", "  simp only [twice] <;> omega\n"),
        ("∀(x : ℤ). 0 ≤ mod(x, 7) ∧ mod(x, 7) < 7", "  omega\n"),
        ("∀(x y : ℤ). (x + y) * (x - y) = x * x - y * y", "  grind\n"),
        ("∀(x y : ℚ). x < y ⟹ x < (x + y) / 2", "  grind\n"),
        ("∀(x y : ℝ). (x + y) * (x - y) = x * x - y * y", "  intro x y\n  ring\n"),
        ("∀(x y : ℝ). x > 1 ⟹ y ≥ x ⟹ 2 * y > 2", "  intro x y h h_2\n  linarith\n"),
        ("∀(x y : ℝ). x > 1 ∧ y ≥ x ⟹ 2 * y > 2", "  have h_3 := And.right h\n  linarith\n"),
        ("∀(x : ℝ). fall(x) + fall(x) = 2 * fall(x)", "  intro x\n  simp only [fall] <;> ring\n"),
        ("fall(2) = 19.62 ∧ 1 / fall(1) < 1", "  simp only [fall] <;> norm_num\n"),
        ("∃(x : ℤ). x * x = 49", "  exact ⟨(7 : ℤ), (by decide)⟩\n"),
        ("length(divisors(10)) = 4", "  decide +kernel\n"),
        ("1 / 2 + 1 / 3 = 5 / 6", "  decide +kernel\n"),
    ],
)
def test_numbers_have_the_tactic_of_their_kind(prover: Prover, proposition: str, closing: str) -> None:
    file = exported(prover, proposition)
    assert closing in file.text
    assert file.theorems[0].status == "proof"


@pytest.mark.parametrize(
    "proposition",
    [
        "∀(x y : ℝ). x ≠ y ⟹ y ≠ x + 1 ⟹ x ≤ y ∨ y ≤ x",
        "∀(x y : ℝ). x = y ∨ x < y ⟹ x ≤ y",
        "∀(x : ℝ). fall(x) ≥ fall(1) ⟹ fall(x) ≥ fall(1) - 1",
        "∀(x : ℝ). x * x ≥ 0",
        "∃(x : ℝ). x * x = 2",
    ],
)
def test_what_a_tactic_of_mathlib_may_not_close_stays_open(prover: Prover, proposition: str) -> None:
    file = exported(prover, proposition)
    assert file.theorems[0].status == "sorry"
    assert "/-- Verified by " in file.text


@pytest.mark.parametrize(
    ("predicate", "classical"),
    [("d > n", False), ("mod(n, d) = 0", False), ("∃(k : ℤ). k * d = n", True), ("sqrt(d) > 1", True)],
)
def test_a_filter_is_computed_where_what_it_asks_is_decided(predicate: str, classical: bool) -> None:
    program = f"define chosen(n : ℤ, l : List(ℤ)) : List(ℤ) = filter(λ (d : ℤ) . {predicate}, l)"
    claim = parse_expression("∀(l : List(ℤ)). chosen(1, l) = l")
    text = export_lean(Theory().include(parse_program(program)), claim).text
    assert ("open Classical in\nnoncomputable def chosen" in text) == classical


@pytest.mark.parametrize(
    ("proposition", "first"),
    [
        ("∀(x : G). e • x = x", "set_option"),
        ("∀(x : ℤ). x = x", "set_option"),
        ("∀(x : ℝ). x = x", "import Mathlib"),
        ("∀(x : ℚ). abs(x) ≥ 0", "import Mathlib"),
        ("∀(x y : ℚ). min(x, y) ≤ x", "import Mathlib"),
        ("∀(x y : ℤ). min(x, y) ≤ x", "set_option"),
        ("∀(s : Set(ℤ)). s = s", "import Mathlib"),
    ],
)
def test_mathlib_is_imported_where_it_is_needed(prover: Prover, proposition: str, first: str) -> None:
    text = exported(prover, proposition).text
    assert text.startswith(first)
    assert ("local notation" in text) == (first != "import Mathlib" and ("ℤ" in proposition))


LAWS = """
structure Divisors(Z) {
    operation part : Z × Z → Z
    axiom least : ∀(a b : Z). part(a, b) = a ∨ part(a, b) = b
}
define last(l : List(ℤ), n : ℤ) : ℤ = match l { [] => div(1, n) | [x] => x | Cons(_, r) => last(r, n) }
define halves(n : ℕ) : ℕ = if n ≤ 1 then 0 else 1 + halves(div(n, 2))
"""


@pytest.fixture(scope="module")
def laws() -> Iterator[Prover]:
    with Prover(Theory().include(parse_program(LAWS))) as found:
        yield found


@pytest.mark.parametrize(
    ("proposition", "method", "text"),
    [
        ("∀(x y : Z). part(x, y) = x ∨ part(x, y) = y", "axiom", "exact Divisors.least (Z := Z)"),
        ("halves(1000) = 9", "finite decision", "decide +kernel"),
        ("last([2, 3], 0) = 3", "evaluation", "simp [↓forall_prop_of_false, last, last_defined]"),
        ("∀(x y : BitVec(4)). bvxor(x, y) = bvxor(y, x)", "finite decision", "decide +kernel"),
    ],
)
def test_axioms_and_computations(laws: Prover, proposition: str, method: str, text: str) -> None:
    file = exported(laws, proposition)
    assert (file.theorems[0].status, file.theorems[0].method) == ("proof", method)
    assert text in file.text


@pytest.mark.parametrize("proposition", ["∀(x y : BitVec(8)). bvxor(x, y) = bvxor(y, x)", "2^10 = 1024"])
def test_what_lean_would_not_compute_stays_open(laws: Prover, proposition: str) -> None:
    assert exported(laws, proposition).theorems[0].status == "sorry"
