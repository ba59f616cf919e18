"""The rule `ask`: what follows is refuted, what does not is not, and nothing of a step reaches a solver as text."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from kleis import core
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.format import Ask, Case, Induction, Instance
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.ask import AskReport, ask, premises_clash
from kleis.prover.checker.rules.induction import subgoals
from kleis.prover.checker.rules.open_claims import HYPOTHESIS
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent
from kleis.prover.checker.solvers import installed, run
from kleis.prover.checker.translation.builtins import PRELUDE
from kleis.prover.checker.translation.script import translate
from kleis.prover.checker.write_terms import term_data
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory

STEPS = 2_000_000

PROGRAM = """
data Tree = Leaf | Node(left : Tree, value : ℕ, right : Tree)
data Rose = Rose(children : List(Rose))
define total(l : List(ℤ)) : ℤ = match l { [] => 0 | Cons(h, t) => h + total(t) }
define size(t : Tree) : ℕ = match t { Leaf => 0 | Node(l, _, r) => size(l) + 1 + size(r) }
define first(l : List(ℤ)) : ℤ = match l { Cons(h, _) => h }
define last(l : List(ℤ)) : ℤ = match l { Cons(h, []) => h | Cons(_, t) => last(t) }
define wide(t : Rose) : Bool = match t { Rose(c) => length(c) > 1 ∨ any(wide, c) }
define down(n : ℤ) : ℤ = if n = 0 then 0 else down(n - 1)
define away(n : ℤ) : ℤ = away(n + 1)
define twice(f : ℤ → ℤ, x : ℤ) : ℤ = f(f(x))
"""

GROUP = """
structure Group(G) {
    operation (•) : G → G → G
    element e : G
    operation inv : G → G
    operation degree : G → ℕ
    axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
    axiom left_unit : ∀(x : G). e • x = x
    axiom left_inverse : ∀(x : G). inv(x) • x = e
}
"""


class World:
    """A program, with steps asked about its propositions."""

    def __init__(self, program: str = PROGRAM, using: str | None = None) -> None:
        self.elaborator = Elaborator(Theory().include(parse_program(program)))
        self.using = parse_type(using) if using else None

    def goal(self, claim: str) -> Goal:
        return self.elaborator.proposition(parse_expression(claim), using=self.using)

    def sequent(self, claim: str) -> Sequent:
        goal = self.goal(claim)
        assert goal.claim is not None
        return Sequent(goal, tuple((each.name, each.formula) for each in goal.axioms), goal.claim)

    def ask(self, claim: str, step: Ask | None = None, steps: int = STEPS) -> AskReport:
        sequent = self.sequent(claim)
        step = step or Ask(tuple(name for name, _ in sequent.premises))
        return ask(sequent, step, self.vocabulary(sequent), ("z3",), steps)

    def vocabulary(self, sequent: Sequent) -> Vocabulary:
        return Vocabulary(sequent.goal, self.elaborator.definitions.operation, sequent.constants)


WORLD = World()
GROUPS = World(GROUP, "Group")

TRUE = [
    "∀(x : ℝ). x = 0 ∨ x / x = 1",
    "∀(n : ℕ). n ≥ 0",
    "∀(l : List(ℕ)). sum(l) ≥ 0",
    "∀(l : List(ℕ)). length(l) = 0 ∨ head(l) ≥ 0",
    "∀(t : Tree). size(t) ≥ 0",
    "∀(a : ℤ). a = 3 * div(a, 3) + mod(a, 3)",
    "div(0 - 7, 2) = 0 - 4 ∧ div(7, 0 - 2) = 0 - 4 ∧ mod(7, 0 - 3) = 0 - 2",
    "total([1, 2, 3]) = 6",
    "last([1, 2]) = 2",
    "Rose([Rose([])]) ≠ Rose([])",
    "∀(s : Set(ℕ)). complement(complement(s)) = s",
    "∀(s : Set(ℤ)). subset(s, insert(1, s))",
    "∀(f : ℤ → ℤ) (l : List(ℤ)). f = (λ (x : ℤ) . x + 1) → map(f, [1]) = [2]",
    "∀(x : ℤ). twice(λ (y : ℤ) . y + x, 0) = 2 * x",
    "∀(x y : ℚ). x < y → (∃(z : ℚ). x < z ∧ z < y)",
    '∀(s : String). length(concat(s, "a")) = length(s) + 1',
    "∀(x : ℂ). x * complex(0, 1) * complex(0, 1) = 0 - x",
    "∀(b : BitVec(8)). bvxor(b, b) = bv(0, 8)",
    "∀(p : Bool). p ∨ ¬p",
]

NOT_TRUE = [
    "1 = 2",
    "∀(x : ℤ). x = 5",
    "∀(x : ℝ). x / x = 1",
    "∃(x : ℚ). x * x = 2",
    "∀(x y : ℝ). x / y = x / y",
    "∀(n : ℤ). n - 1 < n ∧ (n - 1 : ℕ) ≥ 0",
    "∀(a b : ℤ). a = b * div(a, b) + mod(a, b)",
    "∀(l : List(ℤ)). first(l) = first(l)",
    "∀(l : List(ℤ)). head(l) = head(l)",
    "∀(l : List(ℤ)). last(l) = last(l)",
    "∀(l : List(ℤ)). sum(l) ≥ 0",
    "∃(l : List(ℕ)). sum(l) < 0",
    "∃(t : Tree). size(t) < 0",
    "∃(n : ℕ). n < 0",
    "∀(n : ℤ). down(n) = down(n)",
    "map(λ (x : ℤ) . div(1, x), [0]) = map(λ (x : ℤ) . div(1, x), [0])",
    "all(λ (x : ℤ) . div(1, x) = 1, [1, 0])",
    "∀(s : Set(ℕ)). complement(s) ≠ complement(s)",
    "∃(s : Set(ℕ)). in_set(0 - 1, s)",
    "∀(s : String). length(s) < 3",
    "∀(f g : ℤ → ℤ). f = g",
    "∀(b : BitVec(2)). b = bv(0, 2) ∨ b = bv(1, 2)",
    "∀(x : ℂ). x = x * x",
]


@pytest.mark.parametrize("claim", TRUE)
def test_what_follows_is_refuted(claim: str) -> None:
    report = WORLD.ask(claim)
    assert [each.status for each in report.answers] == ["unsat"]
    assert report.steps > 0


@pytest.mark.parametrize("claim", NOT_TRUE)
def test_what_does_not_follow_is_not(claim: str) -> None:
    with pytest.raises((RejectedError, NotExpressible)):
        WORLD.ask(claim, steps=200_000)


@pytest.mark.parametrize("claim", TRUE)
def test_what_a_script_declares_has_a_model(claim: str) -> None:
    with pytest.raises((RejectedError, NotExpressible)):
        WORLD.ask(f"¬({claim})", steps=100_000)


def test_a_definition_called_like_a_built_in_is_the_definition() -> None:
    world = World(
        "define nth(l : List(ℤ), n : ℤ) : ℤ = match l { Cons(h, t) => if n = 0 then h else nth(t, n - 1) }"
    )
    assert world.ask("nth([5, 6], 1) = 6").answers
    with pytest.raises(RejectedError):
        world.ask("nth([5], 1) = nth([5], 1)", steps=200_000)


@pytest.mark.parametrize(
    "claim",
    [
        "∃(x : ℚ). x * x = 2",
        "away(0) = 1",
        "∃(f : ℤ → ℤ). f(0) = 1",
        "∀(s : Set(ℚ)). complement(complement(s)) = s",
        '∀(s : String). s ≠ "\U00030000"',
        "wide(Rose([Rose([]), Rose([])]))",
        '∀(s : String). matches(s, re_star("ab")) → s = "" ∨ hasPrefix(s, "a")',
        "∀(l : List(ℤ)). (l : List(ℝ)) = l",
        "∀(x : ℤ). ∃(f : ℤ → ℤ). f(x) = x",
    ],
)
def test_what_has_no_exact_words_is_not_expressible(claim: str) -> None:
    with pytest.raises(NotExpressible):
        WORLD.ask(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). sin(x) ≤ 1",
        "∀(x : ℝ) (y : ℝ). x > 0 → x^y > 0",
        "∀(a b : ℤ). gcd(a, b) = gcd(b, a)",
        "sin(0) = 0",
    ],
)
def test_a_built_in_without_words_is_any_function(claim: str) -> None:
    with pytest.raises(RejectedError, match="any functions"):
        WORLD.ask(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x y : ℝ). x = y → sin(x) = sin(y)",
        "∀(x : ℝ). ln(x) = ln(x) ∨ x ≤ 0",
        "∀(x : ℝ) (n : ℤ). x ≠ 0 → x^n = x^n",
    ],
)
def test_what_holds_whatever_a_built_in_computes_is_shown(claim: str) -> None:
    WORLD.ask(claim)


@pytest.mark.parametrize("claim", ["∀(x : ℝ). ln(x) = ln(x)", "∀(x : ℝ) (n : ℤ). x^n = x^n"])
def test_a_built_in_without_words_keeps_its_condition(claim: str) -> None:
    with pytest.raises(RejectedError):
        WORLD.ask(claim)


# ── Recursion left out ───────────────────────────────────────────────────────────────────────────────────────

EUCLID = World(
    """
define euclid(a : ℤ, b : ℤ) : ℤ = if b = 0 then a else euclid(b, mod(a, b))
define cancelled(n : ℤ, d : ℤ) : ℤ × ℤ =
    let g = euclid(n, d) in
    if g > 1 ∧ mod(n, g) = 0 ∧ mod(d, g) = 0 then (div(n, g), div(d, g)) else (n, d)
"""
)
SAME_VALUE = "∀(n d : ℤ). d > 0 ⟹ (let (p, q) = cancelled(n, d) in p * d = n * q)"


def test_what_holds_whatever_a_recursion_computes_is_refuted_without_it() -> None:
    (found,) = EUCLID.ask(SAME_VALUE).answers
    assert (found.status, found.way) == ("unsat", "by patterns, recursion left out")
    script = translate(EUCLID.sequent(SAME_VALUE))
    (left_out,) = script.recursion
    assert left_out in script.text()
    assert left_out not in script.text(opaque=True)


def test_a_definition_that_a_law_speaks_of_has_no_value_where_it_had_none() -> None:
    # Its premise makes `first` a function of the script that is not written out; of [] it has no value still.
    world = World(PROGRAM + "define same(l : List(ℤ)) : Bool = first(l) = first(l)\n")
    law = world.goal("∀(h : ℤ, t : List(ℤ)). first(Cons(h, t)) = h").claim
    assert law is not None
    for claim, holds in (
        ("∀(l : List(ℤ)). same(l)", False),
        ("∀(h : ℤ, t : List(ℤ)). same(Cons(h, t))", True),
    ):
        sequent = msgspec.structs.replace(world.sequent(claim), premises=(("law", law),))
        if holds:
            assert ask(sequent, Ask(("law",)), world.vocabulary(sequent), ("z3",), STEPS).given == ("law",)
        else:
            with pytest.raises(RejectedError):
                ask(sequent, Ask(("law",)), world.vocabulary(sequent), ("z3",), STEPS)


def test_a_definition_that_a_law_speaks_of_is_still_what_it_is() -> None:
    world = World("define inc(x : ℤ) : ℤ = x + 1\ndefine more(x : ℤ) : ℤ = inc(x)\n")
    law = world.goal("∀(x : ℤ). inc(x) > x - 1").claim
    assert law is not None
    wrong, right = (world.sequent(f"∀(x : ℤ). more(x) = x + {by}") for by in (2, 1))
    wrong, right = (msgspec.structs.replace(each, premises=(("law", law),)) for each in (wrong, right))
    assert ask(right, Ask(("law",)), world.vocabulary(right), ("z3",), STEPS).answers
    with pytest.raises(RejectedError, match="a model"):
        ask(wrong, Ask(("law",)), world.vocabulary(wrong), ("z3",), STEPS)


def test_a_recursion_that_is_multiplied_is_unfolded_few_times() -> None:
    world = World("define double(n : ℕ) : ℕ = if n = 0 then 1 else 2 * double(n - 1)\n")
    induction = Induction("n", (Case("0", Ask()), Case("step", Ask((f"{HYPOTHESIS}1",)))), by=1)
    for joined, holds in (("*", True), ("+", False)):
        claim = world.sequent(f"∀(m n : ℕ). double(m + n) = double(m) {joined} double(n)")
        _, (_, step) = subgoals(claim, induction)
        if holds:
            assert ask(step, Ask((f"{HYPOTHESIS}1",)), world.vocabulary(step), ("z3",), 300_000).given
        else:
            with pytest.raises(RejectedError):
                ask(step, Ask((f"{HYPOTHESIS}1",)), world.vocabulary(step), ("z3",), 100_000)


def test_a_model_without_the_recursion_is_none() -> None:
    """`euclid(4, 6) = 2` has a model where `euclid` may be anything; what is said of it is not taken for one."""
    assert EUCLID.ask("euclid(4, 6) = 2").answers
    with pytest.raises(RejectedError):
        EUCLID.ask("∀(a b : ℤ). euclid(a, b) = 2", steps=200_000)
    with pytest.raises(RejectedError):
        EUCLID.ask("∀(n d : ℤ). d > 0 ⟹ (let (p, q) = cancelled(n, d) in p * d = n * q + 1)", steps=200_000)


# ── Premises, instances ──────────────────────────────────────────────────────────────────────────────────────


def test_only_the_premises_named_are_used() -> None:
    claim = "e • e = e"
    assert GROUPS.ask(claim, Ask(("Group::left_unit",))).given == ("Group::left_unit",)
    with pytest.raises(RejectedError):
        GROUPS.ask(claim, Ask(("Group::assoc",)), steps=200_000)
    with pytest.raises(RejectedError, match="called"):
        GROUPS.ask(claim, Ask(("nothing",)))
    with pytest.raises(RejectedError, match="twice"):
        GROUPS.ask(claim, Ask(("Group::assoc", "Group::assoc")))


def instance(world: World, claim: str, of: str, *terms: Any) -> AskReport:
    return world.ask(claim, Ask((of,), (Instance(of, terms),)), steps=200_000)


def test_an_instance_adds_only_what_follows() -> None:
    x = ["var", "x"]
    assert instance(GROUPS, "∀(x : G). e • x = x", "Group::left_unit", x).answers
    with pytest.raises(RejectedError):
        instance(GROUPS, "∀(x : G). x • e = x", "Group::left_unit", x)


def test_an_instance_may_leave_the_last_variables_open() -> None:
    x = ["var", "x"]
    assert instance(GROUPS, "∀(x y z : G). (x • y) • z = x • (y • z)", "Group::assoc", x).answers
    with pytest.raises(RejectedError):
        instance(GROUPS, "∀(x y : G). x • y = y • x", "Group::assoc", x)


@pytest.mark.parametrize(
    "terms",
    [
        (),
        (["var", "x"], ["var", "x"]),
        (["var", "nowhere"],),
        (["number", "1", "ℤ"],),
        (["true"],),
        ("x",),
        (None,),
        ([],),
        (["symbol", "x) (assert false", ["Carrier", "G"]],),
    ],
)
def test_wrong_instances_are_rejected(terms: tuple[Any, ...]) -> None:
    with pytest.raises(RejectedError):
        instance(GROUPS, "∀(x : G). e • x = x", "Group::left_unit", *terms)


def lemma(world: World, claim: str, premise: str) -> Sequent:
    sequent = world.sequent(claim)
    formula = world.goal(premise).claim
    assert formula is not None
    return msgspec.structs.replace(sequent, premises=(("lemma", formula),))


def test_an_instance_at_a_term_without_a_value_says_nothing() -> None:
    sequent = lemma(WORLD, "∀(x : ℤ). x = x + 1", "∀(y : ℤ). y = y")
    undefined = term_data(WORLD.goal("div(1, 0) = 1").claim.left)  # type: ignore[union-attr]
    step = Ask(("lemma",), (Instance("lemma", (undefined,)),))
    with pytest.raises(RejectedError):
        ask(sequent, step, WORLD.vocabulary(sequent), ("z3",), 200_000)


def test_a_premise_about_all_functions_is_used_at_total_functions_only() -> None:
    premise = "∀(f : ℤ → ℤ). f(0) = f(0)"
    sequent = lemma(WORLD, "∀(x : ℤ). x = x + 1", premise)
    part = ["function", [["k", "ℤ"]], ["built-in", "div", "ℤ", ["number", "1", "ℤ"], ["var", "k"]]]
    total = ["function", [["k", "ℤ"]], ["var", "k"]]
    vocabulary = WORLD.vocabulary(sequent)
    with pytest.raises(RejectedError, match="no value"):
        ask(sequent, Ask(("lemma",), (Instance("lemma", (part,)),)), vocabulary, ("z3",), 200_000)
    with pytest.raises(RejectedError, match=r"refute|model"):
        ask(sequent, Ask(("lemma",), (Instance("lemma", (total,)),)), vocabulary, ("z3",), 200_000)
    with pytest.raises(NotExpressible):
        ask(sequent, Ask(("lemma",)), vocabulary, ("z3",), 200_000)


def test_constants_of_rules_are_constants() -> None:
    goal = WORLD.goal("∀(n : ℕ). n ≥ 0")
    fresh = core.Symbol("a constant", (), core.NATURAL)
    call = core.SymbolCall(fresh, ())
    definitions = WORLD.elaborator.definitions
    del definitions
    claim = core.Equals(call, call)
    sequent = Sequent(goal, (), claim, (fresh,))
    assert ask(sequent, Ask(), WORLD.vocabulary(sequent), ("z3",)).answers
    zero = core.LiteralTerm(0, core.NATURAL)
    wrong = msgspec.structs.replace(sequent, claim=core.Equals(call, zero))
    with pytest.raises(RejectedError):
        ask(wrong, Ask(), WORLD.vocabulary(wrong), ("z3",), 200_000)


def test_clashing_premises_are_seen() -> None:
    clash = lemma(WORLD, "1 = 2", "∀(x : ℤ). x = 5")
    assert premises_clash(clash)
    assert not premises_clash(GROUPS.sequent("e • e = e"))
    assert not premises_clash(WORLD.sequent("1 = 1"))
    assert not premises_clash(lemma(WORLD, "1 = 2", "∀(x : ℝ). sin(x) ≤ 1"))


# ── Names and text ───────────────────────────────────────────────────────────────────────────────────────────

HOSTILE = """
structure Odd(G) {
    operation select : G → G → G
    element c1 : G
    operation f1 : G → G
    axiom a : ∀(x1 : G). select(x1, c1) = f1(x1)
}
"""


def test_no_name_of_the_goal_is_in_a_script() -> None:
    world = World(HOSTILE, "Odd")
    sequent = world.sequent("∀(x1 : G). select(x1, c1) = f1(x1)")
    assert world.ask("∀(x1 : G). select(x1, c1) = f1(x1)").answers
    with pytest.raises(RejectedError):
        world.ask("∀(x1 : G). select(c1, x1) = f1(x1)", steps=200_000)
    words = set(re.findall(r"[^\s()]+", translate(sequent).text().removeprefix(PRELUDE)))
    own = re.compile(
        r"[a-z]\d+|true|false|not|and|or|=>|=|forall|!|:pattern|assert|declare-(fun|sort)|check-sat|0"
    )
    assert not [each for each in words if not own.fullmatch(each)]


TEXTS = ['"', '""', "\\", "\\u{41}", 'a"(assert false)"b', "\n", "\0", "é", "x\\", "|", "f1", "(not (or "]


@pytest.mark.parametrize("text", TEXTS)
def test_strings_are_escaped(text: str) -> None:
    literal = core.LiteralTerm(text, core.STRING)
    parameter = core.Variable("s", core.STRING)
    length = core.BuiltinCall(core.Operation("strlen", (parameter,), core.NATURAL), (literal,))
    for count, expected in ((len(text), "unsat"), (len(text) + 1, "sat")):
        claim = core.Equals(length, core.LiteralTerm(count, core.NATURAL))
        assert run(translate(Sequent(Goal(claim=None), (), claim)), "z3", STEPS).status == expected


def test_a_script_that_could_name_every_character_is_not_expressible() -> None:
    # Solvers have no characters above U+2FFFF: one that is not named stands for them.
    text = core.LiteralTerm("".join(map(chr, range(0x100, 0x9D40))), core.STRING)
    some = core.Equals(text, core.LiteralTerm("", core.STRING))
    assert len(translate(Sequent(Goal(claim=None), (), some)).text()) < 1_000_000
    with pytest.raises(NotExpressible, match="characters"):
        translate(Sequent(Goal(claim=None), tuple((f"{at}", some) for at in range(3)), some))


def test_a_function_in_the_place_of_a_variable_captures_nothing() -> None:
    """``D(k)`` is ``g(λ x . x + k, 3)`` for a `g` whose second parameter has the name of the one that the λ takes."""
    x, k, f = (core.Variable(each, core.INTEGER) for each in "xkf")
    f = core.Variable("f", core.FunctionOf((core.INTEGER,), core.INTEGER))
    plus = core.Operation("plus", (x, k), core.INTEGER)
    adds = core.Lambda((x,), core.BuiltinCall(plus, (x, k)))
    inner = core.Lambda((f, k), core.Application(f, (k,), core.INTEGER))
    three, ten = (core.LiteralTerm(each, core.INTEGER) for each in (3, 10))
    body = core.Application(inner, (adds, three), core.INTEGER)
    for value, expected in ((13, "unsat"), (6, "sat")):
        claim = core.Let(k, ten, core.Equals(body, core.LiteralTerm(value, core.INTEGER)))
        assert run(translate(Sequent(Goal(claim=None), (), claim)), "z3", STEPS).status == expected


# ── Solvers ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_leaf_that_is_not_decided_names_the_solver() -> None:
    with pytest.raises(RejectedError, match="z3 does not refute"):
        WORLD.ask("∀(a b c : ℕ). a > 0 ∧ b > 0 → a * a * a + b * b * b ≠ c * c * c", steps=5_000)


def test_without_a_solver_nothing_is_shown() -> None:
    sequent = WORLD.sequent("1 = 1")
    with pytest.raises(RejectedError, match="no solver"):
        ask(sequent, Ask(), WORLD.vocabulary(sequent), ())


@pytest.mark.skipif(not installed("cvc5"), reason="cvc5 is not installed")
@pytest.mark.parametrize("claim", ["∀(x : ℝ). x = 0 ∨ x / x = 1", "total([1, 2, 3]) = 6"])
def test_cvc5_refutes_the_same_scripts(claim: str) -> None:
    script = translate(WORLD.sequent(claim))
    assert run(script, "cvc5", STEPS).status == "unsat"


@pytest.mark.skipif(not installed("cvc5"), reason="cvc5 is not installed")
def test_both_solvers_have_to_refute_a_leaf() -> None:
    sequent = WORLD.sequent("∀(s t : Set(ℤ)). intersect(s, t) = intersect(t, s)")
    vocabulary = WORLD.vocabulary(sequent)
    answers = ask(sequent, Ask(), vocabulary, ("z3", "cvc5")).answers
    assert [(each.solver, each.status) for each in answers] == [("z3", "unsat"), ("cvc5", "unsat")]
    hard = WORLD.sequent("∀(a b c : ℕ). a > 0 ∧ b > 0 → a * a * a + b * b * b ≠ c * c * c")
    with pytest.raises(RejectedError, match="cvc5 does not refute"):
        ask(hard, Ask(), vocabulary, ("cvc5", "z3"), 20_000)
    false = WORLD.sequent("∀(x : ℤ). x = 5")
    with pytest.raises(RejectedError, match="cvc5 finds a model"):
        ask(false, Ask(), vocabulary, ("cvc5", "z3"))


@pytest.mark.skipif(installed("cvc5"), reason="cvc5 is installed")
def test_without_cvc5_its_name_is_raised() -> None:
    with pytest.raises(ModuleNotFoundError, match="cvc5"):
        run(translate(WORLD.sequent("1 = 1")), "cvc5", STEPS)


def test_solvers_are_imported_when_they_are_asked() -> None:
    code = "import sys, kleis.prover.checker.rules.ask; print('z3' in sys.modules, 'cvc5' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_the_same_question_gets_the_same_answer() -> None:
    first, second = (WORLD.ask("∀(l : List(ℕ)). sum(l) ≥ 0") for _ in range(2))
    assert first.answers == second.answers
