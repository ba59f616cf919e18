"""Which known laws settle a claim directly."""

from __future__ import annotations

import pytest

from kleis.core import Term
from kleis.elaborate.elaborator import Elaborator
from kleis.prover import known_laws
from kleis.prover.known_laws import Useful, useful_laws
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """
structure Section {
    operation turn : ℤ → ℤ
    operation order : ℤ → ℤ
    operation put : ℤ × ℤ → ℤ
    operation good : ℤ → Bool
}
"""
ELABORATOR = Elaborator(Theory().include(parse_program(PROGRAM)))

TURN = "∀(x : ℤ). turn(turn(x)) = x"
ORDER = "∀(x : ℤ). good(order(x))"
PUT = "∀(a x : ℤ). good(x) ⟹ good(put(a, x))"
SWAP = "∀(a b : ℤ). put(a, b) = put(b, a)"
DOUBLE = "∀(x : ℤ). put(x, x) = order(put(x, turn(x)))"


def term(text: str) -> Term:
    found = ELABORATOR.proposition(parse_expression(text)).claim
    assert found is not None
    return found


def useful(claim: str, *laws: str) -> Useful:
    return useful_laws(term(claim), [term(each) for each in laws])


@pytest.mark.parametrize(
    ("claim", "laws", "places"),
    [
        ("∀(l : ℤ). good(turn(turn(order(l))))", (SWAP, TURN, ORDER), (1, 2)),
        ("∀(l m : ℤ). good(put(m, put(l, order(l))))", (ORDER, PUT), (0, 1)),
        ("∀(l m : ℤ). put(turn(turn(l)), m) = put(m, l)", (TURN, SWAP), (0, 1)),
        ("∀(l : ℤ). good(l) ⟹ good(turn(turn(l)))", (TURN,), (0,)),
        ("∀(l : ℤ). good(l) ⟹ good(put(3, l))", (PUT,), (0,)),
        ("∀(l m : ℤ). good(order(l)) ∧ turn(turn(m)) = m", (TURN, ORDER), (0, 1)),
        ("good(order(7))", (ORDER,), (0,)),
        ("∀(l : ℤ). order(l) = 1 ⟹ good(turn(turn(order(l))))", (ORDER, TURN), (0, 1)),
        ("∀(l : ℤ). ¬good(turn(turn(l)))", ("∀(x : ℤ). ¬good(x)", TURN), (0,)),
    ],
)
def test_what_settles_a_claim(claim: str, laws: tuple[str, ...], places: tuple[int, ...]) -> None:
    assert useful(claim, *laws) == Useful(places, True)


@pytest.mark.parametrize(
    ("claim", "laws"),
    [
        ("∀(l : ℤ). good(turn(order(l)))", (TURN, ORDER)),
        ("∀(l : ℤ). good(put(l, l))", (PUT, ORDER)),
        ("∀(l : ℤ). good(l)", (ORDER,)),
        ("∀(l m : ℤ). put(l, m) = put(l, l)", (SWAP,)),
        ("∀(l : ℤ). good(l)", ("∀(x : ℤ). good(x) ⟹ good(x)",)),
        ("∀(l : ℤ). good(put(l, l))", (DOUBLE,)),
    ],
)
def test_what_does_not(claim: str, laws: tuple[str, ...]) -> None:
    assert not useful(claim, *laws).settles


def test_what_only_makes_a_claim_smaller_is_named() -> None:
    assert useful("∀(l : ℤ). good(turn(turn(l)))", ORDER, TURN) == Useful((1,), False)


def test_laws_with_variables_of_the_claim_s_names_are_about_their_own() -> None:
    assert not useful("∀(a x : ℤ). put(a, x) = put(a, a)", "∀(x a : ℤ). put(x, a) = put(a, x)").settles


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = "∀(l : ℤ). good(turn(turn(order(l))))"
    monkeypatch.setattr(known_laws, "_MOST", 3)
    assert not useful(claim, TURN, ORDER).settles
