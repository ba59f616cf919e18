"""Returned Lean files that must not be accepted, and honest ones that must be (docs/reference/lean.md §7.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.lean import accept, count_sorries, has_refutation, theorem_names

OURS = """import Mathlib
set_option autoImplicit false

namespace Spec.Band
universe u

class Band (B : Type u) where
  op : B → B → B
  assoc : ∀ x y z : B, op (op x y) z = op x (op y z)

def twice {B : Type u} [Band B] (x : B) : B :=
  Band.op x x

theorem first {B : Type u} [Nonempty B] [Band B] :
    ∀ x y : B, twice (Band.op x y) = twice x := by
  sorry

open Classical in
theorem second :
    ∀ n : ℕ, n + 0 = n := by
  sorry

end Spec.Band
"""

DONE = OURS.replace("  sorry\n", "  intro x\n  simp\n")


def returned(old: str, new: str) -> str:
    assert old in DONE
    return DONE.replace(old, new, 1)


def before(added: str, anchor: str = "theorem first") -> str:
    return returned(anchor, f"{added}\n\n{anchor}")


def proof(text: str) -> str:
    return returned("  intro x\n  simp\n", f"  {text}\n")


HONEST = {
    "as it is": DONE,
    "other layout and comments": DONE.replace(
        "theorem first", "-- sorry\n/- axiom /- nested -/ -/\ntheorem\n  first"
    ),
    "documentation": before("/-- What a sorry is. -/"),
    "a lemma of its own": before("lemma aux_1 (a b : ℕ) : a + b = b + a := by\n  omega"),
    "a definition of its own": before("private def auxiliary (n : ℕ) : ℕ := n + 1"),
    "an attribute that serves tactics": before("@[simp] theorem aux_2 : 1 + 1 = 2 := rfl"),
    "more time": returned("theorem first", "set_option maxHeartbeats 400000 in\ntheorem first"),
    "a string with a word in it": proof('have h_1 : "sorry axiom" = "sorry axiom" := rfl\n  simp'),
    "a quoted name": proof("have «sorry» : 1 = 1 := rfl\n  simp"),
    "a have with its own statement": proof("have h_1 : 2 = 2 := by\n    rfl\n  simp"),
    "bullets": proof("constructor\n  · simp\n  · intro y; simp"),
    "a calculation": proof("calc\n    _ = _ := by simp\n    _ = _ := by simp"),
    "windows line ends": DONE.replace("\n", "\r\n"),
}

ATTACKS = {
    # what is left open
    "sorry": (OURS, "sorry-left"),
    "one sorry": (proof("sorry"), "sorry-left"),
    "admit": (proof("admit"), "sorry-left"),
    "stop": (proof("stop\n  simp"), "sorry-left"),
    "stop after another tactic": (proof("simp; stop"), "sorry-left"),
    "testing that admits": (proof("plausible"), "forbidden-word"),
    "searching that admits": (proof("apply?"), "forbidden-word"),
    "sorry in a lemma": (before("lemma aux_1 : False := by\n  sorry"), "sorry-left"),
    "sorryAx": (proof("exact sorryAx _ false"), "axiom"),
    "sorryAx quoted": (proof("exact «sorryAx» _ false"), "axiom"),
    "sorryAx from the root": (proof("exact _root_.sorryAx _ false"), "axiom"),
    "sorry after a comment that looks open": (proof("/- -/ sorry /- -/"), "sorry-left"),
    "proof wanted": (before("proof_wanted aux_1 : False"), "sorry-left"),
    # axioms
    "axiom": (before("axiom aux_1 : False"), "axiom"),
    "axiom on one line": (proof("simp axiom aux_1 : False"), "axiom"),
    "indented axiom": (before("    axiom aux_1 : False"), "axiom"),
    "private axiom": (before("private axiom aux_1 : False"), "axiom"),
    "axiom with an attribute": (before("@[simp] axiom aux_1 : False"), "axiom"),
    "constant": (before("constant aux_1 : False"), "axiom"),
    "opaque": (before("opaque aux_1 : Nat"), "axiom"),
    # the compiler
    "native_decide": (proof("native_decide"), "native"),
    "decide with native": (proof("decide +native"), "native"),
    "decide configured": (proof("decide (config := { native := true })"), "native"),
    "decide configured by positions": (proof("decide (config := ⟨false, true, true, false⟩)"), "native"),
    "bv_decide": (proof("bv_decide"), "native"),
    "ofReduceBool": (proof("exact Lean.ofReduceBool _ _ rfl"), "native"),
    "trustCompiler": (proof("exact Lean.trustCompiler"), "native"),
    "implemented_by": (before("@[implemented_by aux_2] def aux_1 : Nat := 0"), "attribute"),
    "extern": (before('@[extern "f"] def aux_1 : Nat := 0'), "attribute"),
    "csimp": (before("@[csimp] theorem aux_1 : 1 = 1 := rfl"), "attribute"),
    "unsafe": (before("unsafe def aux_1 : Nat := 0"), "unsafe"),
    "unsafeCast": (proof("exact unsafeCast ()"), "unsafe"),
    "lcProof": (proof("exact lcProof"), "unsafe"),
    "partial": (before("partial def aux_1 : Nat → Nat := fun n => aux_1 n"), "unsafe"),
    # options
    "no kernel": (before("set_option debug.skipKernelTC true"), "option"),
    "no kernel in a proof": (proof("set_option debug.skipKernelTC true in simp"), "option"),
    "auto-bound names": (returned("set_option autoImplicit false", "set_option autoImplicit true"), "option"),
    "auto-bound names besides": (before("set_option relaxedAutoImplicit true"), "option"),
    "an option with a strange value": (before('set_option maxHeartbeats "1"'), "option"),
    # syntax
    "macro": (before('macro "simp" : tactic => `(tactic| sorry)'), "macro"),
    "macro_rules": (before("macro_rules | `(tactic| simp) => `(tactic| trivial)"), "macro"),
    "local macro": (before('local macro "aux_1" : term => `(True)'), "redefinition"),
    "notation": (before('notation "∀∀" => False'), "macro"),
    "local notation": (before('local notation "ℕ" => Unit'), "redefinition"),
    "scoped notation": (before('scoped notation "ℕ" => Unit'), "redefinition"),
    "infix": (before('infix:50 " = " => fun _ _ => True'), "macro"),
    "syntax": (before('syntax "aux_1" : term'), "macro"),
    "elab": (before('elab "aux_1" : tactic => pure ()'), "macro"),
    "run_cmd": (before("run_cmd pure ()"), "macro"),
    "initialize": (before("initialize pure ()"), "macro"),
    "simproc": (before("simproc aux_1 (_ + _) := fun e => pure .continue"), "macro"),
    "by_elab": (proof("exact by_elab do return default"), "macro"),
    "run_tac": (proof("run_tac pure ()"), "macro"),
    "Lean's own workings": (proof("exact Lean.Meta.mkSorry"), "macro"),
    "a quotation": (proof("exact `(True)"), "macro"),
    "exit": (before("#exit"), "unknown-command"),
    "exit in a proof": (proof("simp #exit"), "unknown-command"),
    "eval": (before("#eval 1"), "unknown-command"),
    # what names and instances mean
    "instance": (before("instance : Add Nat := ⟨fun _ _ => 0⟩"), "redefinition"),
    "local instance": (before("local instance : Add Nat := ⟨fun _ _ => 0⟩"), "redefinition"),
    "attribute instance": (before("attribute [instance] twice"), "redefinition"),
    "attribute instance on a definition": (
        before("@[instance] def aux_1 : Add Nat := ⟨fun _ _ => 0⟩"),
        "attribute",
    ),
    "reducible": (before("@[irreducible] def aux_1 : Nat := 0"), "attribute"),
    "a class": (before("class Aux where aux : False"), "redefinition"),
    "a name of ours": (before("def Band.op2 : Nat := 0"), "redefinition"),
    "a name of Lean that ours uses": (before("def Nonempty (B : Type) : Prop := False"), "redefinition"),
    "a type of Lean that ours uses": (before("abbrev ℕ := Unit"), "redefinition"),
    "a quoted name of ours": (before("def «Nonempty» (B : Type) : Prop := False"), "redefinition"),
    "alias": (before("alias aux_1 := twice"), "redefinition"),
    "deriving": (before("deriving instance DecidableEq for Nat"), "redefinition"),
    "variable": (before("variable (h_1 : False)"), "scope"),
    "include": (before("include h_1"), "scope"),
    "open": (before("open Nat"), "scope"),
    "open in a proof": (proof("open Nat in simp"), "scope"),
    "namespace": (before("namespace Other"), "scope"),
    "section": (before("section"), "scope"),
    "universe": (before("universe w"), "scope"),
    "import": (returned("import Mathlib", "import Mathlib\nimport Other"), "import"),
    "between open and what it is for": (
        returned("open Classical in\n", "open Classical in\nlemma aux_1 : 1 = 1 := rfl\n\n"),
        "scope",
    ),
    "after the end": (DONE + "\naxiom aux_1 : False\n", "axiom"),
    # statements
    "another statement": (returned("n + 0 = n", "n = n"), "statement-changed"),
    "one more hypothesis": (
        returned("[Band B] :\n    ∀", "[Band B] (h : False) :\n    ∀"),
        "statement-changed",
    ),
    "another binder": (returned("∀ x y : B, twice", "∀ x y : Unit, twice"), "statement-changed"),
    "a weaker class": (returned("  assoc :", "  bad : False\n  assoc :"), "statement-changed"),
    "another definition": (returned("  Band.op x x", "  x"), "statement-changed"),
    "a default value": (returned("(x : B) : B", "(x : B := x) : B"), "statement-changed"),
    "a comment that swallows": (
        returned("∀ n : ℕ, n + 0 = n", "/- ∀ n : ℕ, -/ 0 + 0 = 0"),
        "statement-changed",
    ),
    "a theorem becomes a definition": (returned("theorem second", "def second"), "statement-changed"),
    "private": (returned("theorem first", "private theorem first"), "statement-changed"),
    "left out": (
        DONE.replace(DONE[DONE.index("open Classical") : DONE.index("end Spec")], ""),
        "statement-missing",
    ),
    "the order": (
        DONE[: DONE.index("theorem first")]
        + DONE[DONE.index("open Classical") : DONE.index("end Spec")]
        + DONE[DONE.index("theorem first") : DONE.index("open Classical")]
        + "end Spec.Band\n",
        "statement-missing",
    ),
    "in a comment": (
        DONE.replace("theorem first", "/- theorem first").replace("open Classical", "-/ open Classical"),
        "",
    ),
    "empty": ("", "statement-missing"),
    # texts that cannot be read
    "an open comment": (DONE + "/- ", "unreadable"),
    "an open string": (DONE + '"', "unreadable"),
    "a quotation mark as a character": (proof("have h_1 := '\"'\n  simp"), "unreadable"),
    "images that hide a string": (proof("exact f ''\"' sorry axiom aux_1 : False --\""), "unreadable"),
    "a raw string": (proof('have h_1 := r"\\"\n  simp'), "unreadable"),
    "terms in a string": (proof('have h_1 := s!"{(sorry : Nat)}"\n  simp'), "unreadable"),
    "a control character": (DONE.replace("simp", "si\x00mp"), "unreadable"),
    "a line of its own": (before("frobnicate"), "statement-changed"),
    "text before everything": ("frobnicate\n" + DONE, "unknown-command"),
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST.keys())
def test_an_honest_proof_is_accepted(text: str) -> None:
    answer = accept(OURS, text)
    assert (answer.accepted, answer.code, answer.reason) == (True, "", "")
    assert (answer.sorries_total, answer.sorries_filled) == (2, 2)
    assert answer.axioms_unchecked


@pytest.mark.parametrize(("text", "code"), ATTACKS.values(), ids=ATTACKS.keys())
def test_nothing_else_is_accepted(text: str, code: str) -> None:
    answer = accept(OURS, text)
    assert not answer.accepted
    assert answer.reason
    assert answer.code == code or (not code and answer.code)


def test_what_is_proved_in_part_is_counted() -> None:
    answer = accept(OURS, proof("sorry"))
    assert (answer.sorries_total, answer.sorries_filled) == (2, 1)
    assert answer.remaining == ("Spec.Band.first",)
    assert answer.line == 14


def test_a_sorry_for_a_sorry_fills_nothing() -> None:
    text = before("lemma aux_1 : False := by\n  sorry\n\nlemma aux_2 : False := by\n  sorry")
    assert accept(OURS, text).sorries_filled == 0


def test_a_definition_that_was_left_open_may_be_filled() -> None:
    ours = "def witness (n : ℕ) : ℕ :=\n  sorry\n"
    assert accept(ours, ours.replace("sorry", "n + 1")).accepted
    assert (
        accept(ours, ours.replace("(n : ℕ)", "(n m : ℕ)").replace("sorry", "n")).code == "statement-changed"
    )


def test_a_let_in_a_statement_does_not_end_it() -> None:
    ours = "theorem t : let n := 2; n + 1 = 3 := by\n  sorry\n"
    assert accept(ours, ours.replace("sorry", "rfl")).accepted
    assert accept(ours, ours.replace("= 3", "= 1 + 2").replace("sorry", "rfl")).code == "statement-changed"


def test_absolute_values_do_not_end_a_statement() -> None:
    ours = "theorem t (x : ℤ) :\n    |x| ≥ 0 := by\n  sorry\n"
    assert accept(ours, ours.replace("≥ 0", "≥ -1").replace("sorry", "simp")).code == "statement-changed"


REFUTED = OURS.replace(
    "open Classical",
    "theorem first_is_false :\n    ¬ (∀ (B : Type) [Nonempty B] [Band B], ∀ x y : B, twice (Band.op x y) = twice x) := by\n"
    "  intro h\n  exact absurd (h Unit) (by simp)\n\nopen Classical",
)


def test_a_refutation_is_found() -> None:
    assert has_refutation(OURS, REFUTED) == "Spec.Band.first_is_false"
    assert has_refutation(OURS, OURS) is None
    assert has_refutation(OURS, DONE) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("exact absurd (h Unit) (by simp)", "sorry"),
        ("exact absurd (h Unit) (by simp)", "exact absurd first (by simp)"),
        ("exact absurd (h Unit) (by simp)", "native_decide"),
        ("¬ (∀", "¬ (∃"),
        ("twice (Band.op x y) = twice x) :=", "twice (Band.op x y) = twice y) :="),
        ("theorem first_is_false", "axiom aux_1 : False\ntheorem first_is_false"),
    ],
)
def test_what_is_no_refutation_is_none(old: str, new: str) -> None:
    assert has_refutation(OURS, REFUTED.replace(old, new)) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("sorry admit", 2),
        ('-- sorry\n/- sorry -/ "sorry" «sorry»', 0),
        ("sorry_lemma not_sorry sorry' x.sorry", 0),
        ("by sorry", 1),
        ("/- open sorry", 1),
    ],
)
def test_open_proofs_are_counted_as_tokens(text: str, count: int) -> None:
    assert count_sorries(text) == count


def test_the_theorems_of_a_file_have_their_full_names() -> None:
    assert theorem_names(OURS) == ("Spec.Band.first", "Spec.Band.second")
    assert theorem_names("/- open") == ()


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_have_an_answer(ours: str, text: str) -> None:
    answer = accept(ours, text)
    assert answer.accepted == (answer.code == "")


_PIECES = st.sampled_from(
    [
        "sorry",
        "axiom a1 : False",
        "theorem a2 : 1 = 1 := rfl",
        "simp",
        "/-",
        "-/",
        '"',
        "--",
        "\n",
        "«",
        "»",
        "'",
        "in",
        "open Nat",
    ]
)


@given(st.lists(_PIECES, max_size=6), st.integers(0, len(DONE)))
def test_what_is_accepted_has_our_statements_and_nothing_open(pieces: list[str], place: int) -> None:
    text = f"{DONE[:place]} {' '.join(pieces)} {DONE[place:]}"
    answer = accept(OURS, text)
    if answer.accepted:
        assert count_sorries(text) == 0
        assert set(theorem_names(OURS)) <= set(theorem_names(text))
        assert "axiom" not in _words(text)


def _words(text: str) -> list[str]:
    from kleis.lean.language.lean_lexer import tokenize

    return [token.text for token in tokenize(text) if token.kind == "name"]
