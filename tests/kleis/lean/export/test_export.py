"""Exported files: ten shapes of theories, definedness, line and name tables, what is left out, the whole standard
library.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kleis import Loader, search_from
from kleis.builtins.rows import strings
from kleis.core.goal import ElaborationError
from kleis.lean import LeanError, LeanFile, check_emitted, count_sorries, export_lean
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_printer import print_file
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.theories.lean_examples import EXAMPLES, Shape

STANDARD_LIBRARY = sorted((Path(__file__).parents[4] / "stdlib" / "kleis").glob("*.kleis"))


def theory(program: str) -> Theory:
    return Theory().include(parse_program(program))


def exported(program: str, proposition: str | None = None, **options: object) -> LeanFile:
    claim = None if proposition is None else parse_expression(proposition)
    file = export_lean(theory(program), claim, **options)
    assert check_emitted(file.text) == ()
    return file


def statement(program: str, proposition: str) -> str:
    """The statement of a proposition, on one line."""
    lines = exported(program, proposition, name="t").text.split("\n")
    start = next(place for place, line in enumerate(lines) if line.startswith("theorem"))
    return lines[start + 1].strip().removesuffix(" := by")


@pytest.mark.parametrize("shape", EXAMPLES, ids=lambda shape: shape.name)
def test_the_ten_shapes_are_exported(shape: Shape) -> None:
    program = theory(shape.program)
    texts = []
    with Prover(program) as prover:
        for claim in shape.propositions:
            verdict = prover.verify if shape.prove else None
            file = export_lean(program, parse_expression(claim), verdict=verdict)
            assert check_emitted(file.text) == ()
            texts.append(file.text)
    together = "".join(texts)
    for piece in shape.pieces:
        assert piece in together


def test_data_types_stand_in_the_order_of_their_declarations() -> None:
    """A theory keeps its names by hash, which is another in every process: no file may depend on that."""
    names = [f"{letter}{number}" for letter in "XKBD" for number in range(4)]
    lines = exported("\n".join(f"data {name} = Made{name}(part : ℤ)" for name in names)).text.split("\n")
    assert [line.split()[1] for line in lines if line.startswith("inductive")] == names


@pytest.mark.parametrize("path", STANDARD_LIBRARY, ids=lambda path: path.stem)
def test_the_standard_library_passes_the_checker(path: Path) -> None:
    loading = Loader(search_from(os.environ)).load(str(path))
    file = export_lean(loading.theory, module=path.stem, files=[loading.main.name])
    assert check_emitted(file.text) == ()
    assert print_file(parse_file(file.text)) == file.text
    assert file.theorems or file.omitted  # modules that only compute may state nothing that Lean can be told
    assert file.sorries == count_sorries(file.text) == len(file.theorems)
    assert len({each.lean for each in file.names}) == len(file.names)
    assert all(each.reason for each in file.omitted)


# ── Definedness ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("proposition", "expected"),
    [
        ("∀(x : ℚ). x / x = 1", "∀ x : ℚ, x ≠ (0 : ℚ) ∧ x / x = (1 : ℚ)"),
        ("∀(x : ℚ). x ≠ 0 ⟹ x / x = 1", "∀ x : ℚ, x ≠ (0 : ℚ) → x / x = (1 : ℚ)"),
        ("∀(x : ℚ). x = 0 ∨ x / x = 1", "∀ x : ℚ, x = (0 : ℚ) ∨ x / x = (1 : ℚ)"),
        ("∀(x : ℚ). x / 2 * 2 = x", "∀ x : ℚ, x / (2 : ℚ) * (2 : ℚ) = x"),
        ("∀(m n : ℕ). (m + n) - n = m", "∀ m n : ℕ, ((m + n : ℕ) : ℤ) - (n : ℤ) = (m : ℤ)"),
        ("∀(m n : ℤ). div(7, n) = m", "∀ m n : ℤ, n ≠ (0 : ℤ) ∧ Int.fdiv (7 : ℤ) n = m"),
        ("∀(m n : ℤ). mod(m, n) = 0", "∀ m n : ℤ, n ≠ (0 : ℤ) ∧ Int.fmod m n = (0 : ℤ)"),
        ("∀(m n : ℕ). n ≠ 0 ⟹ m / n * n = m", "∀ m n : ℕ, n ≠ (0 : ℕ) → (n : ℚ) ≠ (0 : ℚ) ∧ "),
        (
            "∀(xs : List(ℤ)). head(xs) = 1",
            "∀ xs : List ℤ, List.length xs > (0 : ℕ) ∧ List.headD xs (0 : ℤ) = (1 : ℤ)",
        ),
    ],
)
def test_a_statement_says_that_its_claim_has_a_value(proposition: str, expected: str) -> None:
    assert statement("", proposition).startswith(expected)


def test_on_request_it_only_says_that_the_claim_is_nowhere_false() -> None:
    file = exported("", "∀(x : ℚ). x / x = 1", assume_defined=True)
    assert "∀ x : ℚ, x ≠ (0 : ℚ) → x / x = (1 : ℚ)" in file.text


def test_a_partial_definition_has_a_companion_that_says_where_it_is_defined() -> None:
    program = "define last(xs : List(ℤ)) : ℤ = match xs { [x] => x | Cons(_, rest) => last(rest) }"
    file = exported(program, "last([1, 2]) = 2")
    assert "def last_defined (xs : List ℤ) : Prop :=\n  match xs with\n  | [] => False\n" in file.text
    assert "last_defined [(1 : ℕ)" not in file.text
    assert "last_defined" in file.text.split("theorem")[1]


def test_recursion_without_a_termination_argument_is_left_out() -> None:
    program = """
    define collatz(n : ℤ) : ℤ = if n ≤ 1 then 0 else if mod(n, 2) = 0 then collatz(div(n, 2)) else collatz(3 * n + 1)
    example "two" { assert(collatz(2) = 0) }
    example "one and one" { assert(1 + 1 = 2) }
    """
    file = exported(program)
    assert [each.name for each in file.omitted] == ["two 1"]
    assert "termination of collatz is not shown" in file.omitted[0].reason
    assert len(file.theorems) == 1
    assert "collatz" not in file.text


# ── Structures ───────────────────────────────────────────────────────────────────────────────────────────────

GROUPS = """
structure Semi(S) {
    operation (•) : S × S → S
    axiom assoc : ∀(x y z : S). (x • y) • z = x • (y • z)
}
structure Mono(M) extends Semi(M) {
    element e : M
    axiom left_identity : ∀(x : M). e • x = x
}
structure Grp(G) extends Mono(G) {
    operation inv : G → G
    define back(x : G) : G = inv(inv(x))
    axiom left_inverse : ∀(x : G). inv(x) • x = e
    axiom there : ∀(x : G). back(x) = x
}
"""


def test_a_parent_is_extended_and_its_operations_keep_their_class() -> None:
    file = exported(GROUPS, "∀(x : G). inv(e) = e ∧ x • e = x")
    assert "class Mono (M : Type u) extends Semi M where\n  e : M\n" in file.text
    assert "Semi.dot x (Mono.e (M := G)) = x" in file.text


def test_operations_stand_in_a_class_of_their_own_where_axioms_call_definitions_of_them() -> None:
    file = exported(GROUPS)
    text = file.text
    order = [
        text.index("class Grp_operations (G : Type u) extends Mono G where"),
        text.index("def back"),
        text.index("class Grp (G : Type u) extends Grp_operations G where"),
    ]
    assert order == sorted(order)


def test_sections_are_one_class_with_their_opaque_sorts() -> None:
    program = """
    structure Shelf { operation weight : Widget → ℤ  axiom heavy : ∀(w : Widget). weight(w) > 0 }
    structure Crate { operation best : Widget  axiom top : ∀(w : Widget). weight(w) ≤ weight(best) }
    """
    file = exported(program, "weight(best) > 0")
    assert "(Widget : Type u) where" in file.text
    assert file.text.count("class ") == 1


def test_a_structure_at_a_built_in_type() -> None:
    file = exported(
        GROUPS + "implements Mono(ℤ) { operation (•)(x, y) = x + y  element e = 0 }", "∀(k : ℤ). e • k = k"
    )
    assert "Grp" not in file.text


@pytest.mark.parametrize(
    ("proposition", "expected", "defined"),
    [
        ("length(range(5)) = 5", "List.length (Builtin.range (0 : ℤ)", ["range"]),
        ("∀(l : List(ℤ)). list_slice(l, 1) = l", "List.drop (Int.toNat", []),
        ("∀(l : List(ℤ)). list_slice(l, 1, 2) = l", "Builtin.slice l", ["slice"]),
        ("∀(l : List(ℤ)). list_zip(l, l) = []", "List.zip l l", []),
        (
            "∀(s : String). trim(trim(s)) = trim(s)",
            "Builtin.trim s",
            ["isSpace", "trimLeft", "trimRight", "trim"],
        ),
        ('∀(s : String). indexOf(s, "a") ≥ 0', 'Builtin.indexOf s "a" (0 : ℤ)', ["starts", "indexOf"]),
        ("∀(s : String). isDigits(s)", "Builtin.isDigits s = true", ["isDigits"]),
        ("∀(a b : BitVec(8)). bvudiv(a, b) = a", "BitVec.smtUDiv a b = a", []),
        ("∀(a b : BitVec(8)). bvshl(a, b) = a", "BitVec.shiftLeft a (BitVec.toNat b) = a", []),
        ("∀(a : BitVec(8)). extract(3, 2, a) = bv(0, 2)", "BitVec.extractLsb' (Int.toNat", []),
        ("2 ∈ set_of([1, 2])", "∈ Builtin.setOf", ["setOf"]),
    ],
)
def test_built_ins_that_lean_lacks_are_defined_where_they_are_used(
    proposition: str, expected: str, defined: list[str]
) -> None:
    file = exported("", proposition)
    assert expected in file.text
    heads = [line for line in file.text.split("\n") if line.startswith("def Builtin.")]
    assert [head.split()[1] for head in heads] == [f"Builtin.{each}" for each in defined]


def test_white_space_in_lean_is_that_of_trim() -> None:
    text = export_lean(Theory(), parse_expression('trim("a") = "a"')).text
    numbers = re.search(r"List.elem .*\(\[([0-9, ]*)\]", text)
    assert numbers is not None
    assert "".join(chr(int(each)) for each in numbers[1].split(",")) == strings._WHITE_SPACE


def test_what_speaks_of_a_built_in_without_a_definition_is_left_out_and_listed() -> None:
    file = exported('example "lines" { assert(length(splitLines("a")) = 1) assert(1 + 1 = 2) }')
    assert [each.source for each in file.theorems] == ["lines 2"]
    assert [(each.name, each.reason) for each in file.omitted] == [
        ("lines 1", "the built-in splitLines has no definition in Lean here")
    ]
    with pytest.raises(LeanError, match="splitLines has no definition"):
        export_lean(Theory(), parse_expression("∀(s : String). splitLines(s) = [s]"))


# ── Implementations ──────────────────────────────────────────────────────────────────────────────────────────

MODELS = (
    GROUPS
    + """
implements Mono(ℤ) { operation (•)(x, y) = x + y  element e = 0 }
implements Semi(ℚ) { operation (•)(x, y) = x - y }
example "models" {
    assert(∀(k : ℤ). e • k = k)
    assert(∀(x y z : ℚ). (x • y) • z = x • (y • z))
}
"""
)


def test_axioms_of_an_implementation_are_theorems_and_no_hypotheses() -> None:
    file = exported(MODELS)
    assert "class Theory" not in file.text
    lines = file.text.split("\n")
    places = {each.source: lines.index(f"theorem {each.name.rpartition('.')[2]} :") for each in file.theorems}
    assert lines[places["Mono(ℤ)::left_identity"] + 1] == lines[places["models 1"] + 1].replace("k", "x")
    assert "models 2" in places  # nobody was asked whether ℚ is a model


def test_what_speaks_of_a_refused_model_is_not_exported() -> None:
    program = theory(MODELS)
    with Prover(program) as prover:
        file = export_lean(program, judge=prover)
        with pytest.raises(LeanError, match="is no model: assoc fails"):
            export_lean(program, parse_expression("∀(x y : ℚ). x • y = y • x"), judge=prover)
    reasons = {each.name: each.reason for each in file.omitted}
    assert reasons == dict.fromkeys(("Semi(ℚ)::assoc", "models 2"), "Semi(ℚ) is no model: assoc fails")
    assert "models 1" in [each.source for each in file.theorems]


def test_an_operation_that_an_implementation_leaves_out_stays_an_assumption() -> None:
    program = """
    structure Pointed(P) { element base : P  operation shift : P → P  axiom moved : ∀(x : P). shift(x) ≠ x }
    implements Pointed(ℤ) { element base = 0 }
    """
    file = exported(program, "shift(base) ≠ base")
    assert "moved : ∀ x : ℤ" in file.text


def test_what_has_no_type_in_lean_is_refused_with_a_reason() -> None:
    with pytest.raises(LeanError, match="regular expressions") as refusal:
        export_lean(Theory(), parse_expression('matches("a", re_star("a"))'))
    assert refusal.value.code == "not-expressible"


def test_a_proposition_that_means_nothing_is_an_error_of_meaning() -> None:
    with pytest.raises(ElaborationError):
        export_lean(Theory(), parse_expression("nowhere(1) = 2"))


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_line_map_leads_from_a_line_to_the_declaration() -> None:
    file = exported(GROUPS)
    lines = file.text.split("\n")
    entry = file.declaration_at(next(at for at, line in enumerate(lines, 1) if "left_inverse" in line))
    assert entry is not None
    assert entry.name == "Spec.Theory.Grp"
    assert entry.place is not None
    assert entry.place.line == 10
    for each in file.lines:
        short = each.name.rpartition(".")[2]
        assert short in " ".join(lines[each.line - 1 : each.end_line])
    assert file.declaration_at(1) is None


def test_the_name_table_leads_back() -> None:
    file = exported(GROUPS)
    assert file.kleis_name("Semi.dot") == "•"
    assert file.kleis_name("Spec.Theory.Grp_operations.inv") == "inv"
    assert file.kleis_name("nothing") is None


def test_the_same_question_gives_the_same_text() -> None:
    assert exported(GROUPS).text == exported(GROUPS).text


def test_a_let_of_an_example_is_in_its_claims() -> None:
    file = exported('example "sum" { let n = 2  assert(n + 1 = 3) }')
    assert "let n : ℕ := (2 : ℕ); n + (1 : ℕ) = (3 : ℕ)" in file.text


@pytest.mark.parametrize("word", ["repeat", "while", "break", "bif", "dbg_trace", "haveI", "simproc", "stop"])
def test_words_of_lean_are_no_names(word: str) -> None:
    program = f"define {word}(x : ℤ) : ℤ = x + 1"
    file = exported(program, f"∀(x {word}_ : ℤ). {word}(x) > {word}_")
    assert f"def {word}_ (x : ℤ)" in file.text
    assert file.sorries == 1
    assert f"∀ {word} : ℤ" not in exported("", f"∀({word} : ℤ). {word} = {word}").text
