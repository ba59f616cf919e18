"""Languages that are left open prove nothing false, and their samples are counterexamples."""

from __future__ import annotations

import pytest

from kleis.budget import deep
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.engines.solvers.open_languages import LANGUAGES, SAMPLES
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """
data Item = Text(text : String) | Number(number : ℤ) | Items(items : List(Item))
define digits = re_plus(re_range("0", "9"))
define even = re_concat(re_star(re_range("0", "9")), re_union(re_literal("0"), re_literal("2"), re_literal("4")))
define of(item : Item, language) : Bool = match item { Text(text) => matches(text, language) | _ => false }
define all_of(items : List(Item), language) : Bool = match items {
    Nil => true
  | Cons(Text(text), rest) => matches(text, language) ∧ all_of(rest, language)
  | _ => false
}
define passes(item : Item) : Bool = match item { Items(items) => all_of(items, digits) | other => of(other, even) }
"""

TRUE = [
    "∀(item : Item). of(item, digits) → of(item, digits)",
    "∀(item : Item)(text : String). item = Text(text) ∧ passes(item) → of(item, even)",
    "∀(item : Item)(items : List(Item)). item = Items(items) ∧ passes(item) → all_of(items, digits)",
    "∀(n : ℤ). ¬passes(Number(n))",
]
FALSE = [
    "∀(item : Item). passes(item) → of(item, even)",
    "∀(item : Item). passes(item) → of(item, digits) ∧ false",
    "∀(item : Item). of(item, digits) → of(item, even)",
    "∀(item : Item). of(item, even) → passes(Items([item, item, Number(1)]))",
    "∀(item : Item). ¬of(item, even)",
    '∀(item : Item)(text : String). item = Text(text) ∧ passes(item) → contains(text, "00")',
]


def theory() -> Theory:
    return Theory().include(parse_program(PROGRAM))


def asked(claim: str) -> tuple[Answer, Answer]:
    goal = Elaborator(theory()).proposition(parse_expression(claim))
    task = Task(goal=goal)
    with deep():
        return LANGUAGES.run(task, 4_000_000), SAMPLES.run(task, 4_000_000)


@pytest.mark.parametrize("claim", TRUE)
def test_what_holds_whatever_the_languages_are_is_proved(claim: str) -> None:
    proof, sample = asked(claim)
    assert proof.outcome == "proved"
    assert sample.outcome == "silent"


@pytest.mark.parametrize("claim", FALSE)
def test_what_is_false_is_not_proved(claim: str) -> None:
    proof, _ = asked(claim)
    assert proof.outcome == "silent"


@pytest.mark.parametrize("claim", FALSE)
def test_what_is_false_has_a_counterexample_that_is_checked(claim: str) -> None:
    with Prover(theory(), cvc5=False) as prover:
        assert prover.verify(parse_expression(claim)).status == "disproved"


def test_a_fact_about_the_languages_is_not_known() -> None:
    proof, _ = asked("∀(item : Item). of(item, even) → of(item, digits)")
    assert proof.outcome == "silent"
