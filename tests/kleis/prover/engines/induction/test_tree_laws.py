"""Search trees and heaps: laws of what is put in, of bounds and of order are found, and nothing false follows."""

from __future__ import annotations

import pytest

from kleis import core
from kleis.prover.certificates.build import Question, build
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.ask import ask
from kleis.prover.checker.sequent import Sequent
from kleis.prover.engines.induction.law_search import LAWS, OF_TREES
from kleis.prover.engines.induction.tree_laws import tree_candidates, works_on_trees
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from tests.support.provers.claims import task
from tests.support.provers.leaves import leaves, operations
from tests.support.theories.small_theories import theory_of

TREES = """
data Tree = Leaf | Node(left : Tree, key : ℤ, right : Tree)
define put(x : ℤ, t : Tree) : Tree = match t {
    Leaf => Node(Leaf, x, Leaf)
    | Node(l, k, r) => if x < k then Node(put(x, l), k, r) else if x > k then Node(l, k, put(x, r)) else t
}
define finds(x : ℤ, t : Tree) : Bool = match t {
    Leaf => false
    | Node(l, k, r) => if x < k then finds(x, l) else if x > k then finds(x, r) else true
}
define has(x : ℤ, t : Tree) : Bool = match t { Leaf => false | Node(l, k, r) => x = k ∨ has(x, l) ∨ has(x, r) }
define below(b : ℤ, t : Tree) : Bool = match t { Leaf => true | Node(l, k, r) => k < b ∧ below(b, l) ∧ below(b, r) }
define above(b : ℤ, t : Tree) : Bool = match t { Leaf => true | Node(l, k, r) => k > b ∧ above(b, l) ∧ above(b, r) }
define ordered(t : Tree) : Bool = match t {
    Leaf => true | Node(l, k, r) => below(k, l) ∧ above(k, r) ∧ ordered(l) ∧ ordered(r) }
define heap(t : Tree) : Bool = match t {
    Leaf => true | Node(l, k, r) => least(k, l) ∧ least(k, r) ∧ heap(l) ∧ heap(r) }
define least(b : ℤ, t : Tree) : Bool = match t { Leaf => true | Node(l, k, r) => b ≤ k ∧ least(b, l) ∧ least(b, r) }
define meld(a : Tree, b : Tree) : Tree = match (a, b) {
    (Leaf, _) => b | (_, Leaf) => a
    | (Node(l, x, r), Node(m, y, s)) => if x ≤ y then Node(meld(r, b), x, l) else Node(meld(a, s), y, m) }
define lose(x : ℤ, t : Tree) : Tree = match t {
    Leaf => Node(Leaf, x, Leaf) | Node(l, k, r) => if x < k then Node(l, k, lose(x, r)) else Node(lose(x, l), k, r) }
"""


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℤ, t : Tree). ordered(t) → ordered(put(x, t))",
        "∀(x : ℤ, t : Tree). ordered(t) → (finds(x, t) ↔ has(x, t))",
        "∀(a b : Tree). heap(a) ∧ heap(b) → heap(meld(a, b))",
    ],
)
def test_order_is_kept(claim: str) -> None:
    answer = OF_TREES.run(task(TREES, claim), 3_000_000)
    assert answer.outcome == "proved", answer.detail


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℤ, t : Tree). ordered(put(x, t))",
        "∀(x : ℤ, t : Tree). finds(x, t) ↔ has(x, t)",
        "∀(x : ℤ, t : Tree). ordered(t) → ordered(lose(x, t))",
    ],
)
def test_nothing_false_follows(claim: str) -> None:
    assert OF_TREES.run(task(TREES, claim), 1_000_000).outcome == "silent"


def test_candidates_depend_on_the_goal_alone() -> None:
    asked = task(TREES, "∀(x : ℤ, t : Tree). ordered(t) → ordered(put(x, t))")
    first, second = (list(tree_candidates(asked.goal)) for _ in range(2))
    assert first == second
    assert any(group.formulas for group in first)
    assert asked.goal.claim not in {law for group in first for law in group.formulas}


def test_claims_about_numbers_and_lists_are_left_to_others() -> None:
    numbers = task("", "∀(x y : ℤ). x + y = y + x")
    lists = task("", "∀(l : List(ℤ)). reverse(reverse(l)) = l")
    assert not works_on_trees(numbers.goal)
    assert not OF_TREES.applies(numbers)
    assert not OF_TREES.applies(lists)
    assert LAWS.applies(lists)


def test_a_certificate_has_the_laws() -> None:
    theory, claim = theory_of(TREES), "∀(x : ℤ, t : Tree). ordered(t) → ordered(put(x, t))"
    with Broker() as broker, Prover(theory, broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim))
        assert (verdict.status, verdict.engine) == ("verified", "induction with laws")
        certificate = build(broker, theory, Question(claim), verdict)
    assert len(certificate.steps) > 1


ROTATED = """
data Rotated = Flat | Fork(height : ℤ, left : Rotated, key : ℤ, right : Rotated)
define tall(t : Rotated) : ℤ = match t { Flat => 0 | Fork(h, _, _, _) => h }
define fork(l : Rotated, k : ℤ, r : Rotated) : Rotated = Fork(1 + max(tall(l), tall(r)), l, k, r)
define turned(l : Rotated, k : ℤ, r : Rotated) : Rotated = match l {
    Fork(_, a, x, b) => fork(a, x, fork(b, k, r)) | Flat => fork(l, k, r) }
define lost(l : Rotated, k : ℤ, r : Rotated) : Rotated = match l {
    Fork(_, a, x, b) => fork(a, x, r) | Flat => fork(l, k, r) }
define holds(x : ℤ, t : Rotated) : Bool = match t {
    Flat => false | Fork(_, l, k, r) => x = k ∨ holds(x, l) ∨ holds(x, r) }
"""


def test_what_rotates_holds_what_its_constructor_holds() -> None:
    claim = "∀(x k : ℤ, l r : Rotated). holds(x, {}(l, k, r)) ↔ holds(x, l) ∨ x = k ∨ holds(x, r)"
    assert OF_TREES.run(task(ROTATED, claim.format("turned")), 2_000_000).outcome == "proved"
    assert OF_TREES.run(task(ROTATED, claim.format("lost")), 1_000_000).outcome != "proved"


BALANCED = f"""{ROTATED}
define level(l : Rotated, k : ℤ, r : Rotated) : Rotated =
    if tall(l) > tall(r) + 1 then turned(l, k, r) else fork(l, k, r)
define grow(x : ℤ, t : Rotated) : Rotated = match t {{
    Flat => Fork(1, Flat, x, Flat)
    | Fork(_, l, k, r) => if x < k then level(grow(x, l), k, r) else if x > k then level(l, k, grow(x, r)) else t }}
define shed(x : ℤ, t : Rotated) : Rotated = match t {{
    Flat => Fork(1, Flat, x, Flat)
    | Fork(_, l, k, r) => if x < k then lost(shed(x, l), k, r) else if x > k then level(l, k, shed(x, r)) else t }}
"""


def test_laws_about_what_rotates_are_used_where_a_recursion_calls_it() -> None:
    claim = "∀(x y : ℤ, t : Rotated). holds(y, {}(x, t)) ↔ y = x ∨ holds(y, t)"
    assert OF_TREES.run(task(BALANCED, claim.format("grow")), 1_000_000).outcome == "proved"
    assert OF_TREES.run(task(BALANCED, claim.format("shed")), 600_000).outcome != "proved"


def test_a_certificate_has_laws_about_what_rotates() -> None:
    asked = task(BALANCED, "∀(x y : ℤ, t : Rotated). holds(y, grow(x, t)) ↔ y = x ∨ holds(y, t)")
    answer = OF_TREES.run(asked, 1_000_000)
    premises: tuple[tuple[str, core.Term], ...] = ()
    for place, (formula, proof) in enumerate(answer.shown, 1):
        for sequent, step in leaves(Sequent(asked.goal, premises, formula), proof):
            vocabulary = Vocabulary(sequent.goal, operations(), sequent.constants)
            ask(sequent, step, vocabulary, ("z3",), 300_000)
        premises = (*premises, (f"step {place}", formula))
    assert len(premises) > 1
