"""Proofs in words: every axiom used is named, every line of a chain is an equation that holds, bounds hold the value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kleis.elaborate.question import read_question
from kleis.prover.certificates.explained import explained
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import VerdictCache
from kleis.syntax.parser.parser import parse_type
from tests.support.theories.small_theories import theory_of

GROUP = """structure Group(G) { operation (•) : G → G → G  element e : G  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom lid : ∀(x : G). e • x = x   axiom linv : ∀(x : G). inv(x) • x = e }"""


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def words(
    broker: Broker, claim: str, program: str = "", using: str = "", cache: VerdictCache | None = None
) -> Verdict:
    with Prover(theory_of(program), broker=broker, cache=cache) as prover:
        asked = prover.ask(read_question(claim), using=parse_type(using) if using else None)
        return explained(prover, asked).verdict


def test_a_chain_names_each_axiom_and_each_substitution(broker: Broker) -> None:
    verdict = words(broker, "∀(x : G). inv(inv(x)) = x", GROUP, "Group(G)")
    text = "\n".join(verdict.proof)
    assert "suppose inv(inv(x)) ≠ x" in text
    assert all(name in text for name in verdict.core)
    assert "by Group::assoc with" in text
    assert ":= inv(a)" in text
    assert "a contradiction" in text
    assert text.rstrip().endswith("= false   by the supposition")


def test_steps_refer_to_earlier_ones_only(broker: Broker) -> None:
    verdict = words(broker, "(∀(x : G). x • x = e) → (∀(x y : G). x • y = y • x)", GROUP, "Group(G)")
    known = 0
    for line in verdict.proof:
        begun = re.match(r"\s*\((\d+)\) ", line)
        if begun:
            assert int(begun[1]) == known + 1
            known += 1
        for used in re.findall(r"by \((\d+)\)", line):
            assert int(used) < known
    assert known > 2


def test_an_induction_says_on_what_and_from_what(broker: Broker) -> None:
    verdict = words(broker, "∀(k l : List(ℤ)). length(append(k, l)) = length(k) + length(l)")
    assert verdict.proof == (
        "the claim:",
        "  by induction on k",
        "  k = Nil: from the definitions alone, by a solver",
        "  k made by Cons: from hypothesis 1, by a solver",
    )


def test_enclosures_are_shown_and_hold_the_value(broker: Broker) -> None:
    verdict = words(broker, "√2 + √3 > π")
    bounds = [re.search(r"lies between (\S+) and (\S+)$", each) for each in verdict.proof]
    low, high = next((float(each[1]), float(each[2])) for each in bounds if each is not None)
    assert low <= 2**0.5 + 3**0.5 <= high
    assert high - low < 1e-9


def test_a_computed_claim(broker: Broker) -> None:
    (line,) = words(broker, "length([1, 2, 3]) = 3").proof
    assert line.startswith("the claim: computed")


def test_a_kept_verdict_has_the_same_words(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = VerdictCache(tmp_path_factory.mktemp("verdicts"))
    first, second = (words(broker, "∀(x : G). x • e = x", GROUP, "Group(G)", cache) for _ in range(2))
    assert not first.cached
    assert second.cached
    assert first.proof == second.proof != ()


def test_no_words_of_what_is_not_proved(broker: Broker) -> None:
    assert words(broker, "∀(x : ℤ). x > 0").proof == ()
