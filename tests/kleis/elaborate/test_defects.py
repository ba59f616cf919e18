"""The original's soundness defects that are matters of elaboration: its wrong answer, and ours.

The defects recorded of the original program are numbered S1 to S16.  Not here: S8 and S15 in their parts that are about
solver processes and caches.
"""

from __future__ import annotations

from typing import Any

import pytest

from kleis.core import Carrier, Equals, LiteralTerm, Quantifier
from kleis.core.goal import ElaborationError
from kleis.core.traversal import canonical, sorts_of, subterms
from kleis.errors import KleisError
from kleis.semantics.models import decide
from kleis.semantics.ranges import Bounds
from tests.support.provers.brute_force import truth_of
from tests.support.theories.cases import elaborator_of, goal_of

LAMP = "data Lamp = On | Off\ndefine w(l) = match l { On => 1 | Off => 0 }\n"
MAGMA = "structure Mag(M) { operation (•) : M × M → M\n element u : M\n axiom lu : ∀(x : M). u • x = x }\n"

# defect, what the original answered, program, proposition, the right answer
READINGS = [
    ("S1", "proved", LAMP, "∀(l : Lamp). w(l) = 1", "false"),
    ("S1", "proved", LAMP, "∀(l : Lamp). (match l { Off => true | _ => false })", "false"),
    ("S2", "proved", "", "∀(y : ℤ). ∃(x : ℤ) where x < x. x = y", "false"),
    ("S2", "proved", "", "∀(y : ℤ). ∃(x : ℤ) where x < x. x = y + 1000", "false"),
    ("S3", "proved", "define anyeq(x) = ∀(y : ℤ). x = y", "∀(y : ℤ). anyeq(y)", "false"),
    ("S3", "proved", "define least(x) = ∃(y : ℤ). y < x ∧ y = x", "∀(y : ℤ). ¬least(y)", "true"),
    ("S4", "proved", MAGMA, "∀(x y : M). x • y = y • x", "false"),
    ("S4", "proved", MAGMA, "∃(x y z : M). x ≠ y ∧ y ≠ z ∧ x ≠ z", "false"),
    ("S6", "big", "", '(match 3 { n if n > 10 => "big" | _ => "small" }) = "big"', "false"),
    ("S6", "big", "", '(match 30 { n if n > 10 => "big" | _ => "small" }) = "big"', "true"),
    ("S7", "disproved", "", "(λ (x : Bool) . x) = (λ (y : Bool) . y)", "true"),
    ("S7", "proved", "", "∃(f : Bool → Bool). ∀(x y : Bool). x ≠ y → f(x) = f(y) ∧ f(x) ≠ f(y)", "false"),
    ("S7", "proved", "", "¬(∀(f : Bool → Bool). f(true))", "true"),
    ("S9", "disproved", "", "∀(n : ℕ). n ≥ 0", "true"),
    ("S9", "proved", "", "∃(n : ℕ). n < 0", "false"),
    ("S10", "disproved", MAGMA, "∀(x : M). u • x = x", "true"),
    ("S10", "disproved", "structure T { define thrice(n) = 3 * n }", "thrice(3) = 9 ∧ thrice(1) = 3", "true"),
    ("S11", "disproved", "data Box = B(v : ℤ)", "∀(a b : ℤ). B(a) = B(b) → a = b", "true"),
    ("S11", "disproved", "", "∀(a b : ℤ). [a, 1] = [b, 1] → a = b", "true"),
    ("S11", "disproved", "data Box = B(v : ℤ) | E", "∀(b : Box). b = E ∨ ∃(a : ℤ). b = B(a)", "true"),
    ("S13", "disproved", "", "mod(0 - 7, 3) = 2", "true"),
    ("S13", "3.5 or 3", "", "div(7, 2) = 3 ∧ 7 / 2 = 3.5", "true"),
    ("S13", "6", "", 'strlen("héllo") = 5', "true"),
    ("S13", "true or false", "", 'isDigits("")', "false"),
    ("S13", "a float", "", "1 / 10 + 2 / 10 = 3 / 10", "true"),
    ("S13", "a float", "", "9007199254740993 - 9007199254740992 = 1", "true"),
    ("S16", "passed", "", "0.00000000001 = 0", "false"),
    ("S16", "passed", "", "123456789012345678901234567890 = 123456789012345678901234567999", "false"),
    ("5", "disproved", "define k = 5", "∀(x : ℤ). x + k > x", "true"),
    ("1", "passed", "", "-3^2 = 9", "true"),
    ("9", "disproved", "", "∀(x : ℝ). x^2 ≥ 0", "true"),
    ("11", "failed", "", "true ∧ 2 < 3", "true"),
    ("19", "passed by tolerance", "", "1/3 + 1/3 + 1/3 = 1", "true"),
    ("21", "proved", "", "∀(a b : Bool). a ∧ b ⟹ a", "true"),
    ("22", "proved", "", '∀(s : String). strlen(concat(s, "ab")) = strlen(s) + 2', "true"),
    ("24", "proved", "", "∀(a b : BitVec(2)). bvand(a, b) = bvand(b, a)", "true"),
    ("25", "proved", "", 'matches("abc", re_plus(re_range("a", "z")))', "true"),
]


@pytest.mark.parametrize(("defect", "original", "program", "proposition", "right"), READINGS)
def test_the_right_reading(defect: str, original: str, program: str, proposition: str, right: str) -> None:
    meaning = goal_of(elaborator_of(program), proposition)
    assert not meaning.unsettled
    assert truth_of(meaning, bounds=Bounds()) == right


# defect, what the original answered, program, proposition, words of the refusal
REFUSALS = [
    ("S4", "proved", "", "∀(x y : Widget). x + y = y + x", ("Widget",)),
    ("S4", "proved", MAGMA, "∀(x : M). x < x + 1", ("M",)),
    ("S5", "passed", "", "(p = q) = false", ("free name", "∀(")),
    ("S5", "passed", "", "(x = y) = false", ("free name", "∀(")),
    (
        "S8",
        "axiom dropped",
        "structure S { element c : Str2\n axiom a : c > 1 }",
        "∀(x : Str2). x = c",
        ("Str2",),
    ),
    ("S14", "either", "", "undeclared(3) = 4", ("undeclared",)),
]


@pytest.mark.parametrize(("defect", "original", "program", "proposition", "words"), REFUSALS)
def test_what_says_nothing_is_refused(
    defect: str, original: str, program: str, proposition: str, words: tuple[str, ...]
) -> None:
    with pytest.raises(ElaborationError) as caught:
        goal_of(elaborator_of(program), proposition)
    error: KleisError = caught.value
    assert error.line > 0
    assert all(word in f"{error.message} {error.hint}" for word in words)


def test_s4_a_carrier_is_no_integer_sort() -> None:
    meaning = goal_of(elaborator_of(MAGMA), "∀(x : M). u • x = x")
    assert meaning.claim is not None
    assert [each for each in meaning.carriers if isinstance(each, Carrier)] == list(meaning.carriers) != []
    assert any(isinstance(sort, Carrier) for sort in sorts_of(meaning.claim))


def test_s5_two_free_names_are_not_decided_to_differ() -> None:
    meaning = goal_of(elaborator_of(""), "(x = 1) = (y = 2)")
    assert truth_of(meaning, bounds=Bounds()) == "false"
    assert isinstance(meaning.claim, Quantifier)


def test_s7_a_bound_function_is_not_the_global_one_of_its_name() -> None:
    program = "structure G { operation f : ℤ → ℤ\n axiom a : ∀(x : ℤ). f(x) = 0 }"
    bound = goal_of(elaborator_of(program), "∀(f : ℤ → ℤ). f(1) = 0")
    free = goal_of(elaborator_of(program), "f(1) = 0")
    assert (bound.axioms, bound.symbols) == ((), ())
    assert len(free.axioms) == 1
    assert [each.name for each in free.symbols] == ["f"]


def test_s12_the_point_of_a_counterexample_is_one() -> None:
    meaning = goal_of(elaborator_of(""), "∀(x : ℤ). x ≠ 2")
    decision = decide(meaning, Bounds(), mode="relativised")
    assert decision.status == "disproved"
    assert list(decision.point.values()) == [2]


def test_s14_the_same_meaning_every_time() -> None:
    program = "".join(
        f"structure S{n} {{ element e{n} : Item\n axiom a{n} : e{n} = e0 }}\n" for n in range(9)
    )
    first = goal_of(elaborator_of(program), "e3 = e5")
    assert first == goal_of(elaborator_of(program), "e3 = e5")
    assert [axiom.name.rpartition("::")[2] for axiom in first.axioms] == [f"a{n}" for n in range(9)]


def test_s15_mutual_data_types_and_definitions_of_built_ins_in_themselves() -> None:
    mutual = "data Term2 = Const(name : String) | Apply(args : Terms)\ndata Terms = None2 | More(first : Term2, rest : Terms)"
    meaning = goal_of(elaborator_of(mutual), "∀(t : Term2). t = t")
    assert any({each.sort.name for each in group} == {"Term2", "Terms"} for group in meaning.data)
    endless = goal_of(elaborator_of("define plus(a : ℤ, b : ℤ) : ℤ = a + b"), "1 + 1 = 2")
    assert [each.reason for each in endless.unsettled] == ["termination"]


def test_s16_decimals_are_fractions() -> None:
    meaning = goal_of(elaborator_of(""), "0.1 = 1 / 10")
    assert meaning.claim is not None
    literals: list[Any] = [each.value for each in subterms(meaning.claim) if isinstance(each, LiteralTerm)]
    assert literals
    assert not any(isinstance(value, float) for value in literals)
    assert any(isinstance(each, Equals) for each in subterms(canonical(meaning.claim)))


def test_a_function_that_fits_no_overload_is_an_error() -> None:
    """Its own types are read before an overload is chosen; none may be left then."""
    with pytest.raises(ElaborationError, match=r"sum_bounds does not take \(\(ℕ → ℕ\)"):
        goal_of(elaborator_of(""), "Σ(0, 3, λ (i : ℕ). i) = 6")
