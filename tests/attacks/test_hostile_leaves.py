"""Leaves that are deep, wide or grow when they are written out: each ends with an answer or a refusal, soon."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kleis import core
from kleis.core.goal import Goal
from kleis.core.terms import construct_list
from kleis.prover.checker.sequent import NotExpressible, Sequent
from kleis.prover.checker.solvers import run
from kleis.prover.checker.translation.script import translate
from tests.support.terms.recursion import recursion_limit

NOTHING = Goal(claim=None)
X = core.Variable("x", core.INTEGER)
ONE = core.LiteralTerm(1, core.INTEGER)
TWO = (core.Variable("a", core.INTEGER), core.Variable("b", core.INTEGER))
TRUE = core.LiteralTerm(True, core.BOOL)
PARTIAL = core.Equals(
    core.BuiltinCall(
        core.Operation(
            "div",
            TWO,
            core.INTEGER,
            core.Connective("not", (core.Equals(TWO[1], core.LiteralTerm(0, core.INTEGER)),)),
        ),
        (ONE, X),
    ),
    ONE,
)


def script_of(claim: core.Term) -> str:
    closed = core.Quantifier("forall", (X,), claim)
    return translate(Sequent(NOTHING, (), closed)).text()


def nested(depth: int, step: Callable[[core.Term], core.Term], last: core.Term) -> core.Term:
    for _ in range(depth):
        last = step(last)
    return last


GROWING: list[Callable[[core.Term], core.Term]] = [
    lambda term: core.Equals(term, PARTIAL),
    lambda term: core.Connective("implies", (core.Equals(term, term), term)),
    lambda term: core.Conditional(term, PARTIAL, term),
    lambda term: core.Connective("and", (core.Connective("or", (term, PARTIAL)), term)),
    lambda term: core.Quantifier("exists", (core.Variable("y", core.INTEGER),), core.Equals(term, PARTIAL)),
]


@pytest.mark.parametrize("step", GROWING)
@pytest.mark.parametrize("depth", [3, 9])
def test_formulas_that_grow_end(step: Callable[[core.Term], core.Term], depth: int) -> None:
    try:
        assert len(script_of(nested(depth, step, PARTIAL))) < 4_000_000
    except NotExpressible as error:
        assert "characters" in str(error) or "parts" in str(error)


def test_nesting_ends() -> None:
    negated = nested(5_000, lambda term: core.Connective("not", (term,)), PARTIAL)
    with recursion_limit(3_000), pytest.raises(NotExpressible, match="deep"):
        script_of(negated)


def test_long_lists_are_written_without_recursion() -> None:
    long = construct_list([core.LiteralTerm(each, core.INTEGER) for each in range(2_000)], core.INTEGER)
    claim = core.Equals(long, long)
    assert run(translate(Sequent(NOTHING, (), claim)), "z3", 2_000_000).status == "unsat"


def test_values_that_grow_end() -> None:
    plus = core.Operation("plus", TWO, core.INTEGER)
    doubled = nested(40, lambda term: core.BuiltinCall(plus, (term, term)), X)
    # The term is small because it shares its parts; written out it has 2^40.
    with pytest.raises(NotExpressible, match="parts"):
        script_of(core.Equals(doubled, doubled))
