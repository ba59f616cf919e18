"""The parts of a claim at a counterexample: what evaluation gives, from the inside out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.sessions.answer_fields import evidence_fields, evidence_of
from kleis.syntax.parser.parser import parse_expression, parse_type
from tests.support.theories.small_theories import theory_of

GROUP = """structure Group(G) { operation (•) : G → G → G  element e : G  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom lid : ∀(x : G). e • x = x   axiom linv : ∀(x : G). inv(x) • x = e }"""


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def disproved(broker: Broker, claim: str, program: str = "", using: str = "") -> Verdict:
    with Prover(theory_of(program), broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim), using=parse_type(using) if using else None)
    assert verdict.status == "disproved"
    return verdict


def plain(verdict: Verdict) -> dict[str, str]:
    """The parts, numbers without their sorts."""
    assert verdict.evidence is not None
    return {re.sub(r"\(?(\w+) : \w+\)?", r"\1", term): value for term, value in verdict.evidence.parts}


def test_numbers(broker: Broker) -> None:
    verdict = disproved(broker, "∀(x : ℤ). x = 3 → (x + 1)^2 = x^2 + 1")
    assert verdict.evidence is not None
    parts = plain(verdict)
    assert parts["x + 1"] == "4"
    assert parts["(x + 1)^2"] == "16"
    assert parts["x^2 + 1"] == "10"
    names = list(parts)
    assert names.index("x + 1") < names.index("(x + 1)^2")
    assert list(parts.values())[-1] == "false"
    assert evidence_of(evidence_fields(verdict.evidence)).parts == verdict.evidence.parts


def test_lists_and_definitions(broker: Broker) -> None:
    program = "define twice(l : List(ℤ)) : List(ℤ) = append(l, l)"
    verdict = disproved(broker, "∀(l : List(ℤ)). length(l) = 1 → twice(l) = l", program)
    assert verdict.evidence is not None
    (value,) = (each.value for each in verdict.evidence.bindings)
    parts = dict(verdict.evidence.parts)
    assert parts["twice(l)"] == f"[{value[1:-1]}, {value[1:-1]}]"
    assert parts["twice(l) = l"] == "false"


def test_elements_of_carriers_have_the_names_of_the_tables(broker: Broker) -> None:
    verdict = disproved(broker, "∀(x y : G). x • y = y", GROUP, "Group(G)")
    assert verdict.evidence is not None
    values = {each.name: each.value for each in verdict.evidence.bindings}
    table = next(each for each in verdict.evidence.tables if each.name == "•")
    rows = {row[:-1]: row[-1] for row in table.rows}
    assert dict(verdict.evidence.parts)["x • y"] == rows[values["x"], values["y"]]


def test_what_has_no_value_is_said_to_have_none(broker: Broker) -> None:
    verdict = disproved(broker, "∀(x : ℚ). 1 / x = 1 / x")
    assert verdict.evidence is not None
    assert verdict.evidence.undefined
    assert plain(verdict)["1 / x"] == "undefined"


def test_operations_of_implementations(broker: Broker) -> None:
    program = """structure Circled(T) { operation (⊙) : T × T → T }
      implements Circled(ℤ) { operation (⊙) = λ (x y : ℤ) . x * y + 1 }"""
    parts = plain(disproved(broker, "∀(x y : ℤ). x = 2 ∧ y = 3 → x ⊙ y = 6", program))
    assert parts["x ⊙ y"] == "7"
