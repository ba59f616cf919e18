"""Overlaps: axioms that contradict each other only where the conditions of two of them hold together."""

from __future__ import annotations

import pytest

from kleis.prover.engines.solvers.instantiation import OVERLAPS
from tests.support.provers.claims import task
from tests.support.provers.leaves import accepted_steps

STEPS = 300_000

RULES = """
structure Rules {{
  operation permitted : {sort} → Bool
  operation refused : {sort} → Bool
  axiom first : ∀(c : {sort}). {one} → permitted(c)
  axiom second : ∀(c : {sort}). {two} → refused(c)
  axiom never_both : ∀(c : {sort}). ¬(permitted(c) ∧ refused(c))
}}
"""

TOGETHER = [
    ("String", 'hasPrefix(c, "rm ")', 'contains(c, "-rf")'),
    ("String", 'hasPrefix(c, "a") ∧ strlen(c) > 3', 'hasSuffix(c, "bc")'),
    ("ℤ", "c > 1000", "mod(c, 7) = 3"),
    ("ℝ", "c * c = 4 ∧ c > 0", "1 < c"),
    ("BitVec(8)", "bvugt(c, bv(17, 8))", "bvult(c, bv(19, 8))"),
]

APART = [
    ("String", 'hasPrefix(c, "rm ")', 'hasPrefix(c, "ls ")'),
    ("ℤ", "c > 1000", "c < 7"),
    ("ℤ", "mod(c, 2) = 0", "mod(c, 2) = 1"),
    ("ℝ", "c * c = 2", "c > 1 ∧ c < 1"),
]


@pytest.mark.parametrize(("sort", "one", "two"), TOGETHER)
def test_rules_that_meet_somewhere_clash_and_the_proof_is_checked(sort: str, one: str, two: str) -> None:
    given = task(RULES.format(sort=sort, one=one, two=two), None)
    assert OVERLAPS.applies(given)
    answer = OVERLAPS.run(given, STEPS)
    assert answer.outcome == "inconsistent"
    assert {name.rpartition("::")[2] for name in answer.core} == {"first", "second", "never_both"}
    accepted_steps(given, answer, OVERLAPS.name)


@pytest.mark.parametrize(("sort", "one", "two"), APART)
def test_rules_that_meet_nowhere_do_not_clash(sort: str, one: str, two: str) -> None:
    assert OVERLAPS.run(task(RULES.format(sort=sort, one=one, two=two), None), STEPS).outcome == "silent"


def test_rules_that_may_both_apply_do_not_clash() -> None:
    program = RULES.format(sort="String", one='contains(c, "a")', two='contains(c, "b")')
    both = program.replace("¬(permitted(c) ∧ refused(c))", "permitted(c) ∨ refused(c) ∨ strlen(c) ≥ 0")
    assert OVERLAPS.run(task(both, None), STEPS).outcome == "silent"


def test_a_claim_follows_from_what_holds_at_a_common_point() -> None:
    program = RULES.format(sort="String", one='hasPrefix(c, "git")', two='contains(c, "--force")').replace(
        "  axiom never_both : ∀(c : String). ¬(permitted(c) ∧ refused(c))\n", ""
    )
    given = task(program, "∃(c : String). permitted(c) ∧ refused(c)")
    answer = OVERLAPS.run(given, STEPS)
    assert answer.outcome == "proved"
    accepted_steps(given, answer, OVERLAPS.name)
    assert OVERLAPS.run(task(program, "∀(c : String). permitted(c) → refused(c)"), STEPS).outcome == "silent"
