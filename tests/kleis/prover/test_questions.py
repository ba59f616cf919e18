"""Verdicts through the whole pipeline: first questions, the original's defects S1–S16, and the traps for provers.

Each case says what the original answered, or what a careless prover would, and what is right.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.prover.certificates.build import Question, build
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory

GROUP = """
structure Group(G) {
    operation (•) : G × G → G
    element e : G
    operation inv : G → G
    axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
    axiom left_unit : ∀(x : G). e • x = x
    axiom left_inverse : ∀(x : G). inv(x) • x = e
}
"""


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def ask(broker: Broker, program: str, proposition: str, using: str | None = None) -> Verdict:
    theory = Theory().include(parse_program(program))
    prover = Prover(theory, broker=broker, guards=10)
    structure = parse_type(using) if using is not None else None
    return prover.verify(parse_expression(proposition), using=structure)


# ── The three questions everybody tries first ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("law", ["x • inv(x) = e", "x • e = x"])
def test_the_right_laws_follow_from_the_left_ones(broker: Broker, law: str) -> None:
    verdict = ask(broker, GROUP, f"∀(x : G). {law}")
    assert verdict.status == "verified"
    assert {name.rpartition("::")[2] for name in verdict.core} == {"assoc", "left_unit", "left_inverse"}
    assert verdict.consistency == "model"


def test_a_group_need_not_be_commutative(broker: Broker) -> None:
    verdict = ask(broker, GROUP, "∀(x y : G). x • y = y • x")
    assert verdict.status == "disproved"
    evidence = verdict.evidence
    assert evidence is not None
    assert evidence.kind == "tables"
    ((_, elements),) = evidence.carriers
    assert len(elements) == 6
    product = next(table for table in evidence.tables if table.name.startswith("•"))
    assert len(product.rows) == 36


def test_an_implementation_that_is_no_model_is_an_error(broker: Broker) -> None:
    program = """
    structure M(T) { operation op : T → T → T  element u : T  axiom l : ∀(x : T). op(u, x) = x }
    implements M(ℤ) { operation op(x, y) = x - y  element u = 0 }
    """
    verdict = ask(broker, program, "op(0, 0) = 1")
    assert verdict.status == "error"
    assert "M(ℤ) is no model" in verdict.message
    assert verdict.evidence is not None


def test_a_measure_does_not_rest_on_the_recursion_it_is_for(broker: Broker) -> None:
    program = "@decreases(f(n))\ndefine f(n : ℕ) : ℕ = f(n + 1) + 1"
    verdict = ask(broker, program, "f(0) = f(1) + 1")
    assert (verdict.status, verdict.reason) == ("unknown", "termination")


# ── The original's defects ──────────────────────────────────────────────────────────────────────────────────

LAMP = "data Lamp = On | Off\ndefine w(l) = match l { On => 1 | Off => 0 }"
OPTION = "data Box = B(v : ℤ)"

DEFECTS = [
    ("S1", "proved", LAMP, "∀(l : Lamp). w(l) = 1", "disproved"),
    ("S2", "proved", "", "∀(y : ℤ). ∃(x : ℤ) where x < x. x = y", "disproved"),
    ("S3", "proved", "define anyeq(x) = ∀(y : ℤ). x = y", "∀(y : ℤ). anyeq(y)", "disproved"),
    ("S4", "proved", "operation thing : Widget → Widget", "∀(x y : Widget). x + y = y + x", "error"),
    ("S5", "passed", "", "(p = q) = false", "error"),
    ("S6", '"big"', "define size(n : ℤ) = match n { k if k > 10 => 1 | _ => 0 }", "size(3) = 0", "verified"),
    ("S7", "proved", "", "∃(f : Bool → Bool). ∀(x : Bool). f(x) ≠ x", "verified"),
    ("S7", "disproved", "", "∀(f : ℤ → ℤ). f(1) = f(1)", "verified"),
    (
        "S8",
        "proved",
        "structure S { element a : ℤ  axiom one : a = 1  axiom two : a = 2 }",
        "a = 1",
        "inconsistent",
    ),
    ("S9", "disproved", "", "∀(n : ℕ). n ≥ 0", "verified"),
    ("S10", "disproved", GROUP, "∀(x : G). e • x = x", "verified"),
    ("S10", "disproved", "structure T { define twice(x : ℤ) : ℤ = x + x }", "twice(3) = 6", "verified"),
    ("S11", "disproved", OPTION, "∀(a b : ℤ). B(a) = B(b) → a = b", "verified"),
    ("S12", "x = 0", "", "∀(x : ℤ). x ≠ 42", "disproved"),
    ("S13", "-1", "", "mod(-7, 3) = 2", "verified"),
    ("S13", "true", "", 'isDigits("")', "disproved"),
    ("S13", "6", "", 'strlen("héllo") = 5', "verified"),
    ("S16", "passed", "", "1 / 100000000000 = 0", "disproved"),
    ("S16", "passed", "", "123456789012345678901234567890 = 123456789012345678901234567999", "disproved"),
]


@pytest.mark.parametrize(("defect", "original", "program", "proposition", "right"), DEFECTS)
def test_what_the_original_got_wrong(
    broker: Broker, defect: str, original: str, program: str, proposition: str, right: str
) -> None:
    verdict = ask(broker, program, proposition)
    assert verdict.status == right, (defect, original, verdict)


def test_a_counterexample_is_the_point_where_the_claim_fails(broker: Broker) -> None:
    evidence = ask(broker, "", "∀(x : ℤ). x ≠ 42").evidence
    assert evidence is not None
    assert [(each.name, each.value) for each in evidence.bindings] == [("x", "42")]


def test_s14_the_same_question_has_the_same_verdict(broker: Broker) -> None:
    first, second = (ask(broker, GROUP, "∀(x : G). inv(inv(x)) = x") for _ in range(2))
    assert (first.status, first.core, first.engine, first.steps) == (
        second.status,
        second.core,
        second.engine,
        second.steps,
    )


# ── The traps (docs/reference/proving.md §14) ────────────────────────────────────────────────────────────────

RECURSION = "define f(x : ℤ) : ℤ = f(x) + 1"
PARADOX = "data D = F(D → Bool)"

TRAPS = [
    ("1 empty sorts", GROUP, "∃(x : G). x = x", "verified"),
    ("2 division is not total", "", "∀(x : ℝ). x / x = 1", "disproved"),
    ("2 a guarded division", "", "∀(x : ℝ). x ≠ 0 → x / x = 1", "verified"),
    ("3 selectors", "", "∀(l : List(ℤ)). head(l) = head(l)", "disproved"),
    ("4 naturals: a guard under ∃", "", "∀(x : ℕ). ∃(y : ℕ). x = y + 1", "disproved"),
    ("4 naturals: results", "structure L { operation len : ℤ → ℕ }", "∀(x : ℤ). len(x) ≥ 0", "verified"),
    ("5 an integer is no half", "", "∀(x : ℤ). 2 * x ≠ 5", "verified"),
    ("5 floor division", "", "∀(x : ℤ). -7 = 2 * div(-7, 2) + mod(-7, 2) ∧ div(7, -2) = -4", "verified"),
    ("6 a recursion that does not end", RECURSION, "f(0) ≤ f(1)", "unknown"),
    ("7 no induction over carriers", "structure C(T) { operation s : T → T  element z : T }",
     "∀(x : T). x = z ∨ (∃(y : T). x = s(y))", "disproved"),
    ("8 strings are code points", "", 'strlen("\\n") = 1 ∧ strlen("é") = 1', "verified"),
    ("9 names do not leak", "structure P(A) { element c : A }\nstructure Q { element c : ℤ  axiom is : c = 1 }",
     "c = 1", "verified"),
    ("10 vacuous truth", "structure V { element a : ℤ  axiom no : a < a }", "a = 7", "inconsistent"),
    ("11 unchecked models", "", "∀(x : ℝ). sin(x) * sin(x) + cos(x) * cos(x) = 1", "verified"),
    ("11 unchecked models of what no law is known of", "", "∀(x : ℝ). atan(x) < 2", "unknown"),
    ("11 models checked by rational bounds", "", "∀(x : ℝ). sin(x) = sin(x + 1)", "disproved"),
    ("12 a bounded search is no proof", "structure K(T) { operation lt : T × T → Bool\n"
     "  axiom irr : ∀(x : T). ¬lt(x, x)\n  axiom tr : ∀(x y z : T). lt(x, y) ∧ lt(y, z) → lt(x, z)\n"
     "  axiom next : ∀(x : T). ∃(y : T). lt(x, y) }", "∀(x y : T). lt(x, y)", "disproved"),
    ("14 zero to the zero", "", "0^0 = 1", "verified"),
    ("15 names of solvers", "structure R { operation select : ℤ → ℤ  axiom s : ∀(x : ℤ). select(x) = x }",
     "select(3) = 3", "verified"),
    ("16 data that is not positive", PARADOX, "∀(d : D). d = d", "error"),
    ("17 characters above U+2FFFF", "",
     '∀(s : String). strlen(s) = 1 → matches(s, re_range("\u0000", "\U0002ffff"))', "disproved"),
    ("17 a range with others beside it", "", '∀(s : String). matches(s, re_range("a", "z")) → strlen(s) = 1', "verified"),
    ("18 what a rational is not", "", "∃(x : ℚ). x * x = 2", "disproved"),
]  # fmt: skip


@pytest.mark.parametrize(("trap", "program", "proposition", "right"), TRAPS)
def test_a_trap(broker: Broker, trap: str, program: str, proposition: str, right: str) -> None:
    verdict = ask(broker, program, proposition)
    assert verdict.status == right, (trap, verdict)


# ── What a question rests on ─────────────────────────────────────────────────────────────────────────────────


def test_a_lemma_may_speak_of_definitions_that_the_claim_does_not_reach(broker: Broker) -> None:
    source = """
    define ordered(xs : List(ℤ)) : Bool = match xs {
        [] => true
        | Cons(x, rest) => match rest { [] => true | Cons(y, _) => x ≤ y ∧ ordered(rest) }
    }
    define product_to(n : ℤ) : ℤ = if n < 1 then 1 else n * product_to(n - 1)
    """
    theory = Theory().include(parse_program(source))
    prover, lemma = Prover(theory, broker=broker), "∀(x : ℤ). ordered([x])"
    verdict = prover.verify(parse_expression("∀(n : ℤ). product_to(n) ≥ 1"), lemmas=[parse_expression(lemma)])
    assert verdict.status == "verified", verdict
    shown = ((lemma, prover.verify(parse_expression(lemma))),)
    certificate = build(broker, theory, Question(verdict.claim, "", shown), verdict)
    assert certificate.lemmas[0].claim == lemma


def test_a_lemma_is_proved_first(broker: Broker) -> None:
    theory = Theory().include(parse_program(GROUP))
    prover = Prover(theory, broker=broker, guards=10)
    claim = parse_expression("∀(x : G). inv(inv(x)) = x")
    good = prover.verify(claim, lemmas=[parse_expression("∀(x : G). x • inv(x) = e")])
    assert good.status == "verified"
    bad = prover.verify(claim, lemmas=[parse_expression("∀(x y : G). x • y = y • x")])
    assert bad.status == "unknown"
    assert "lemma" in bad.message


def test_consistency_is_shown_by_a_model_or_refuted_by_a_core(broker: Broker) -> None:
    clash = "structure Bad(T) { element a : T  axiom no : a ≠ a }"
    theory = Theory().include(parse_program(GROUP + clash))
    verdicts = dict(Prover(theory, broker=broker, guards=10).consistent())
    assert verdicts["Group"].status == "consistent"
    assert verdicts["Group"].evidence is not None
    assert verdicts["Bad"].status == "inconsistent"
    assert [name.rpartition("::")[2] for name in verdicts["Bad"].core] == ["no"]


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        ("", "∀(x : T). (let y = div(1, 0) in x) = x"),
        ("", "∀(x : T). (let y = head([] : List(T)) in x) = x"),
        ("define f(x) = let y = div(1, 0) in x", "∀(x : T). f(x) = f(x)"),
        ("define c() = div(1, 0)\ndefine f(x) = let y = c() in x", "∀(x : T). f(x) = x"),
        ("define first(x, y) = x", "∀(x : T). first(x, div(1, 0)) = x"),
        ("define same(n : ℕ) = n\ndefine first(x, y) = x", "∀(x : T). first(x, same(0 - 1)) = x"),
    ],
)
def test_what_is_bound_and_not_used_must_have_a_value(broker: Broker, program: str, claim: str) -> None:
    verdict = ask(broker, program, claim)
    assert verdict.status == "disproved"
    assert verdict.evidence is not None
    assert verdict.evidence.undefined


def test_a_python_without_room_says_so(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Early releases of 3.12 leave no room on the C stack, whatever the recursion limit is."""
    prover = Prover(Theory(), broker=broker, guards=10)

    def down() -> None:
        down()

    def endless(*_: object, **__: object) -> None:
        down()  # which takes no arguments: 3.13.0 does not count calls of functions that take any number

    monkeypatch.setattr(prover.elaborator, "proposition", endless)
    verdict = prover.verify(parse_expression("1 = 1"))
    assert verdict.status == "error"
    assert verdict.problem is not None
    assert verdict.problem["code"] == "nesting"
