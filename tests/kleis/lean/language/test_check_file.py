"""The checker of Lean files finds each defect, and none in exported files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.lean import check_emitted

FILE = """import Mathlib
set_option autoImplicit false

namespace Spec.T
universe u v

class Band (B : Type u) where
  op : B → B → B
  assoc : ∀ x y z : B, op (op x y) z = op x (op y z)

class Unital (B : Type u) extends Band B where
  one : B

inductive Tree (A : Type u) where
  | leaf : Tree A
  | node (left : Tree A) (label : A) (right : Tree A) : Tree A
  deriving Repr, DecidableEq

def size (t : Tree ℕ) : ℕ :=
  match t with
  | Tree.leaf => (0 : ℕ)
  | Tree.node left _ right => size left + (1 : ℕ) + size right

def half (n : ℕ) : ℕ :=
  if h : n ≤ (1 : ℕ) then (0 : ℕ) else half (n / (2 : ℕ))
termination_by n
decreasing_by
  all_goals omega

theorem thm_1 {B : Type u} [Unital B] :
    ∀ x : B, Band.op x (Unital.one (B := B)) = x := by
  sorry

theorem thm_2 (t : Tree ℕ) :
    size t ≥ (0 : ℕ) := by
  intro h
  exact absurd h (by decide)

def model : Band (Fin 2) where
  op := fun (x : Fin 2) (y : Fin 2) => x
  assoc := by
    decide

end Spec.T
"""

WRONG = {
    "unknown name": ("size left + (1", "sizes left + (1", "scope", "sizes is not known"),
    "name out of scope": ("Band.op x (Unital", "Band.op y (Unital", "scope", "y is not known"),
    "later declaration": (
        "class Band (B : Type u) where",
        "class Band (B : Type u) where\n  k : Tree B",
        "scope",
        "Tree",
    ),
    "own name too early": ("  op : B → B → B\n  assoc", "  assoc", "scope", "op is not known"),
    "too many arguments": ("op (op x y) z =", "op (op x y) z z =", "arity", "op takes 2"),
    "too many to a definition": ("size t ≥", "size t t ≥", "arity", "size takes 1"),
    "type without its argument": ("(t : Tree ℕ) :\n", "(t : Tree) :\n", "arity", "Tree takes 1"),
    "class without its argument": ("[Unital B]", "[Unital]", "arity", "Unital takes 1"),
    "what is no class": ("[Unital B]", "[Tree B]", "scope", "no class"),
    "no such parameter": ("(B := B)", "(C := B)", "arity", "no parameter C"),
    "missing case": ("  | Tree.leaf => (0 : ℕ)\n", "", "match", "Tree.leaf"),
    "case twice": (
        "  | Tree.leaf => (0",
        "  | Tree.leaf => (1 : ℕ)\n  | Tree.leaf => (0",
        "match",
        "two cases",
    ),
    "case too late": (
        "  | Tree.leaf => (0",
        "  | _ => (1 : ℕ)\n  | Tree.leaf => (0",
        "match",
        "takes everything",
    ),
    "parts of a constructor": ("Tree.node left _ right =>", "Tree.node left right =>", "arity", "3 parts"),
    "name bound twice": ("Tree.node left _ right =>", "Tree.node left left right =>", "match", "twice"),
    "duplicate": ("def half", "def size", "duplicate", "declared twice"),
    "field twice": ("  one : B\n", "  one : B\n  op : B\n", "duplicate", "op"),
    "hidden name": ("theorem thm_2 (t : Tree ℕ)", "theorem thm_2 (size : Tree ℕ)", "shadowing", "size hides"),
    "unknown universe": ("inductive Tree (A : Type u)", "inductive Tree (A : Type w)", "scope", "universe"),
    "model without a law": ("  assoc := by\n    decide\n", "", "model", "no assoc"),
    "model with more": (
        "  assoc := by",
        "  more := fun (x : Fin 2) => x\n  assoc := by",
        "model",
        "more is no field",
    ),
    "recursion in the open": (
        "termination_by n\ndecreasing_by\n  all_goals omega\n",
        "",
        "recursion",
        "without a match or a measure",
    ),
    "open proof": ("  intro h\n  exact absurd h (by decide)\n", "  intro h\n", "tactic", "not closed"),
    "tactic after the end": (
        "  exact absurd h (by decide)\n",
        "  exact h\n  sorry\n",
        "tactic",
        "after the proof",
    ),
    "reserved word": ("theorem thm_1", "theorem where", "unreadable", "a name is missing"),
    "chain": ("size t ≥ (0 : ℕ)", "size t ≥ (0 : ℕ) ≥ (0 : ℕ)", "unreadable", "not a chain"),
    "bracket": ("size t ≥ (0 : ℕ)", "size t ≥ (0 : ℕ", "unreadable", "missing"),
    "field too far left": ("  op : B → B → B\n", " op : B → B → B\n", "unreadable", "begins a line"),
    "axiom": ("theorem thm_1", "axiom thm_1", "unreadable", "no command"),
    "tab": ("  sorry", "\tsorry", "layout", "tab"),
    "spaces at the end": ("  sorry\n", "  sorry \n", "layout", "ends in spaces"),
    "carriage return": ("  sorry\n", "  sorry\r\n", "layout", "carriage"),
    "no option": ("set_option autoImplicit false\n", "", "frame", "autoImplicit"),
    "open namespace": ("\nend Spec.T\n", "", "frame", "not closed"),
    "other end": ("end Spec.T", "end Spec", "frame", "does not close"),
    "after the end of the namespace": (
        "end Spec.T\n",
        "end Spec.T\n\ndef after : ℕ :=\n  (0 : ℕ)\n",
        "frame",
        "after",
    ),
    "late import": ("universe u v", "universe u v\n\nimport Other", "frame", "imports come first"),
}


def test_a_file_of_the_subset_has_no_problems() -> None:
    assert check_emitted(FILE) == ()


@pytest.mark.parametrize(("old", "new", "code", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_found(old: str, new: str, code: str, message: str) -> None:
    assert old in FILE
    problems = check_emitted(FILE.replace(old, new, 1))
    found = [each for each in problems if each.code == code and message in each.message]
    assert found, problems
    assert found[0].line >= 1


@given(st.integers(0, len(FILE) - 1), st.sampled_from(["", "(", "x", "|", "by", " ", "\n", "∀", "«"]))
def test_any_change_is_read_or_refused(place: int, piece: str) -> None:
    problems = check_emitted(FILE[:place] + piece + FILE[place + 1 :])
    assert all(each.message and each.line >= 1 for each in problems)
