"""What is proved, and where it may be used."""

from __future__ import annotations

import pytest

from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.facts import Fact, local_to, serving_facts, used_by, with_named_lemmas
from kleis.prover.protocol.verdict import Verdict
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """
structure Monoid(M) { operation (•) : M × M → M  element e : M  axiom left : ∀(x : M). e • x = x }
structure Group(G) extends Monoid(G) { operation inv : G → G  axiom inverse : ∀(x : G). inv(x) • x = e }
structure Section { operation f : ℤ → ℤ  axiom given : f(0) = 0 }
define twice(n : ℤ) : ℤ = n + n
define thrice(n : ℤ) : ℤ = n + n + n
"""
ELABORATOR = Elaborator(Theory().include(parse_program(PROGRAM)))


def goal(text: str) -> Goal:
    return ELABORATOR.proposition(parse_expression(text))


def fact(text: str, *core: str, facts: tuple[Fact, ...] = (), name: str = "") -> Fact:
    return Fact.of(goal(text), Verdict(status="verified", core=core), facts, name)


def test_only_what_is_verified_is_a_fact() -> None:
    for status in ("disproved", "unknown", "inconsistent", "error", "consistent"):
        with pytest.raises(ValueError, match=status):
            Fact.of(goal("1 = 1"), Verdict(status=status), ())  # type: ignore[arg-type]


def test_a_fact_holds_where_the_axioms_of_its_proof_do() -> None:
    monoid, group = goal("using Monoid(G) ∀(x : G). e • x = x"), goal("using Group(G) ∀(x : G). e • x = x")
    of_monoids = fact("using Group(G) ∀(x : G). e • (e • x) = x", "Monoid::left")
    of_groups = fact("using Group(G) ∀(x : G). inv(x) • x = e", "Group::inverse")
    assert serving_facts((of_monoids, of_groups), monoid) == (of_monoids,)
    assert serving_facts((of_monoids, of_groups), group) == (of_monoids, of_groups)
    assert local_to(of_groups, monoid) == ("Group::inverse",)


def test_what_a_fact_rests_on_through_others_counts() -> None:
    below = fact("using Group(G) ∀(x : G). inv(x) • x = e", "Group::inverse")
    above = fact("using Group(G) ∀(x : G). e • x = x", "lemma 1", facts=(below,))
    assert used_by(above.verdict, (below,)) == (below,)
    assert local_to(above, goal("using Monoid(G) ∀(x : G). e • x = x")) == ("Group::inverse",)


def test_axioms_of_sections_hold_everywhere() -> None:
    of_section = fact("f(0) + 1 = 1", "Section::given")
    assert of_section.local == ()
    assert serving_facts((of_section,), goal("f(0) > 0")) == (of_section,)


def test_what_speaks_of_something_else_does_not_take_part() -> None:
    of_twice, of_squares = fact("∀(n : ℤ). twice(n) = 2 * n"), fact("∀(x : ℤ). x * x ≥ 0")
    assert serving_facts((of_twice,), goal("thrice(1) = 3")) == ()
    assert serving_facts((of_twice,), goal("twice(1) = 2")) == (of_twice,)
    assert serving_facts((of_squares,), goal("∀(x : ℤ). x * x + 1 > 0")) == (of_squares,)
    assert serving_facts((of_squares,), goal("f(0) = 0")) == ()


def test_stated_lemmas_are_named_in_cores() -> None:
    stated, given = fact("1 = 1", name="one"), fact("2 = 2")
    verdict = with_named_lemmas(
        Verdict(status="verified", core=("a", "lemma 1", "lemma 2"), lemmas=("2 = 2",)), (stated, given)
    )
    assert verdict.core == ("a", "lemma one", "lemma 2")
    assert verdict.lemmas[-1] == "2 = 2"
    assert len(verdict.lemmas) == 2


def test_grounds_come_before_what_rests_on_them() -> None:
    facts = [fact("1 = 1")]
    for _ in range(30):  # each rests on all before it: the ways through them are many, the facts few
        core = tuple(f"lemma {place}" for place in range(1, len(facts) + 1))
        facts.append(fact("1 = 1", *core, facts=tuple(facts)))
    assert facts[-1].grounds() == facts
