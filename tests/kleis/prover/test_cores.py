"""Unsatisfiable cores: the axioms that contradict each other, and no others.

See docs/reference/proving.md §5.4.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from kleis.prover.axioms_alone import AxiomsAlone, Outcomes
from kleis.prover.engines.completion.check_proof import check_chain
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.portfolio import LOOK, ORDER, Chain, Entry, Outcome, run_portfolio
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task, declarations_of
from kleis.prover.protocol.verdict import Evidence, Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.provers.claims import task

GROUP = """
structure Twisted(G) {
  operation m : G → G → G
  element e : G
  operation i : G → G
  axiom assoc : ∀(x y z : G). m(m(x, y), z) = m(x, m(y, z))
  axiom left_one : ∀(x : G). m(e, x) = x
  axiom right_one : ∀(x : G). m(x, e) = x
  axiom left_inverse : ∀(x : G). m(i(x), x) = e
  axiom right_inverse : ∀(x : G). m(x, i(x)) = e
  axiom squares : ∀(x : G). m(x, x) = e
  axiom twice : ∀(x : G). i(i(x)) = x
  element a : G
  element b : G
  axiom apart : m(a, b) ≠ m(b, a)
}
"""
LATTICE = """
structure Absorbing(B) {
  operation j : B → B → B
  operation k : B → B → B
  axiom absorb : ∀(x y : B). j(x, k(x, y)) = x
  axiom absorb_too : ∀(x y : B). k(x, j(x, y)) = x
  axiom commutes : ∀(x y : B). j(x, y) = j(y, x)
  element p : B
  axiom wrong : k(p, p) ≠ p
}
"""


@pytest.mark.parametrize(("program", "structure"), [(GROUP, "Twisted"), (LATTICE, "Absorbing")])
def test_no_axiom_of_a_clash_can_be_left_out(program: str, structure: str) -> None:
    given = task(program, None, structure)
    answer = Completion().run(given, 60_000)
    assert answer.outcome == "inconsistent"
    assert check_chain(given, answer)
    assert len(answer.core) < len(given.goal.axioms)
    for name in answer.core:
        kept = tuple(each for each in given.goal.axioms if each.name in answer.core and each.name != name)
        without = Task(msgspec.structs.replace(given.goal, axioms=kept))
        assert Completion().run(without, 60_000).outcome != "inconsistent"


def test_a_clash_in_arithmetic_is_minimal_and_says_so() -> None:
    program = """structure Sums {
      element x : ℤ
      element y : ℤ
      axiom large : x + y > 10
      axiom one_small : x < 3
      axiom other_small : y < 4
      axiom idle : x > 0
    }"""
    theory = Theory().include(parse_program(program))
    with Broker() as broker:
        ((_, verdict),) = Prover(theory, broker=broker).consistent()
    assert verdict.status == "inconsistent"
    assert verdict.core == ("Sums::large", "Sums::one_small", "Sums::other_small")
    assert verdict.minimal


CLASHING = """structure S {
  operation f : ℤ → ℤ
  axiom other : ∀(x : ℤ). f(x) ≠ 7
  axiom up : ∀(x : ℤ). f(x) > x
  axiom down : ∀(x : ℤ). f(x) < x
}"""


@pytest.mark.parametrize("claim", ["f(1) = 4", "∀(x : ℤ). f(x) > 3", "∃(x : ℤ). f(x) = x"])
def test_a_proof_whose_axioms_clash_is_none(claim: str) -> None:
    """The engine that proves is not among those that try axioms alone, and its proof does not say that it needs no claim."""
    theory = Theory().include(parse_program(CLASHING))
    order = [msgspec.structs.replace(each, late=True) for each in LOOK if each.chain == "prove"]
    with Broker() as broker:
        prover = Prover(theory, broker=broker, order=order, guards=10)
        verdict = prover.verify(parse_expression(claim))
        assert verdict.status == "inconsistent"
        goal = prover.elaborator.proposition(parse_expression(claim))
        said = Answer(outcome="proved", core=tuple(each.name for each in goal.axioms), steps=10_000)
        tried = AxiomsAlone(
            lambda task, order, chains: run_portfolio(
                broker, task, order=order, chains=chains, confirm=_as_it_is
            ),
            order,
        )
        proof = Outcome(order[-1], said, (), ())
        assert set(tried.behind(goal, goal.axioms, proof)) >= {"S::up", "S::down"}
        assert tried.behind(goal, (goal.axioms[0],), proof) == ()
        assert set(tried.core(goal, Outcome(order[-1], said, (), ()))) == {"S::up", "S::down"}


def test_a_look_for_a_clash_checks_no_model_that_ends_it() -> None:
    """Bit-vectors have so many values that the check takes longer than all engines; the look asks for nothing of it."""
    theory = Theory().include(
        parse_program("structure S { axiom a : ∀(a b : BitVec8). bvxor(a, b) = bvxor(b, a) }")
    )
    checked: list[Answer] = []

    def noted(answer: Answer) -> Answer:
        checked.append(answer)
        return answer

    with Broker() as broker:
        goal = Prover(theory, broker=broker).elaborator.structure("S")
        asked = Task(declarations_of(goal))
        assert asked.goal.claim is None

        def run(chains: Sequence[Chain]) -> Outcome:
            return run_portfolio(broker, asked, order=LOOK, chains=chains, confirm=noted, guards=10)

        alone = run(("prove",))
        assert alone.answer is None
        assert not alone.cut
        assert checked == []
        both = run(("prove", "refute"))
        assert both.answer is not None
        assert both.answer.outcome == "model"
        assert len(checked) == 1


def _as_it_is(answer: Answer) -> Answer:
    return answer


ASSUMED = """
structure Counted(C) { operation size : C → ℝ  axiom small : ∀(x : C). atan(size(x)) < 2 }
implements Counted(ℤ) { operation size(x) = x }
"""


def test_what_a_lemma_assumes_is_assumed_by_whoever_uses_it() -> None:
    """No solver knows the arc tangent well enough to prove what the implementation says of it."""
    theory = Theory().include(parse_program(ASSUMED))
    claim, lemma = (
        parse_expression("∀(x : ℤ). atan(size(x)) < 4"),
        parse_expression("∀(x : ℤ). atan(size(x)) < 3"),
    )
    with Broker() as broker:
        prover = Prover(theory, broker=broker)
        alone = prover.verify(lemma)
        verdict = prover.verify(claim, lemmas=[lemma])
    assert alone.status == verdict.status == "verified"
    assert alone.assumed
    assert verdict.assumed == alone.assumed


def test_a_verdict_rests_on_the_lemmas_in_its_core_only() -> None:
    lemmas = [
        Verdict(status="verified", assumed=("a",), consistency="model"),
        Verdict(status="verified", assumed=("b",), consistency="unknown"),
    ]
    verdict = Verdict(status="verified", core=("S::x", "lemma 1"), consistency="model", assumed=("c",))
    assert verdict.resting_on(lemmas) == msgspec.structs.replace(verdict, assumed=("c", "a"))
    both = msgspec.structs.replace(verdict, core=("lemma 1", "lemma 2"))
    assert both.resting_on(lemmas).assumed == ("c", "a", "b")
    assert both.resting_on(lemmas).consistency == "unknown"
    failed = Verdict(status="disproved", core=("lemma 1",))
    assert failed.resting_on(lemmas) == failed


def test_provers_of_one_theory_ask_once_about_its_axioms() -> None:
    """A model that refuting engines would find first is the one that was found where axioms were tried alone."""
    goal = task(GROUP, "∀(x : G). m(x, e) = x", "Twisted").goal
    asked: list[Task] = []

    def run(task: Task, order: Sequence[Entry], chains: Sequence[Chain]) -> Outcome:
        asked.append(task)
        evidence = Evidence(kind="tables")
        entry = next(each for each in order if each.quick)
        return Outcome(entry, Answer(outcome="model", witness=evidence), (), ())

    order = [each for each in ORDER if not each.late]
    known = Outcomes()
    one, other = AxiomsAlone(run, order, known), AxiomsAlone(run, order, known)
    found = one.alone(goal)
    assert found is not None
    assert other.alone(goal) is found
    assert other.model(goal, goal.axioms) is one.model(goal, goal.axioms) is not None
    assert len(asked) == 1
    one.model(goal, goal.axioms[:1])
    assert [len(each.goal.axioms) for each in asked] == [len(goal.axioms), 1]
    assert AxiomsAlone(run, order).alone(goal) is not found
