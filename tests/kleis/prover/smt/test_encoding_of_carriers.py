"""The encoding of claims about unknown operations on a carrier: the claim must hold for all tables of the operations.

That the carrier has at most two elements is an axiom like any other, so the encoding has to say it, and brute force over
all operations on one and two elements decides.
"""

from __future__ import annotations

import os

from hypothesis import event, given, settings

from kleis.budget import Budget
from kleis.core import Term
from kleis.prover.protocol.engine import Inexpressible, Task
from kleis.prover.smt.script import encode
from kleis.semantics.models import decide
from kleis.semantics.ranges import Bounds
from tests.support.provers.solving import verdict
from tests.support.theories.algebra import either, eq, every, some, task
from tests.support.theories.random_theories import equations, formulas

TWO = Bounds(carrier=2, budget=Budget(steps=3_000_000, depth=150, size=100_000))
SLOW = settings(max_examples=int(os.environ.get("PIF_EXAMPLES", "25")))
"""Brute force over many tables: few examples, unless a run by hand says how many."""

FEW = some(lambda a, b: every(lambda x: either(eq(x, a), eq(x, b))))


def agree(asked: Task) -> None:
    """Brute force and the encoding say the same, where both say something."""
    decision = decide(asked.goal, TWO)
    try:
        said = verdict(encode(asked))
    except Inexpressible as problem:
        event(problem.reason)
        return
    event(f"{decision.status}, {said}")
    if decision.status == "disproved":
        assert said in ("false", "open")
    elif decision.status == "true" and decision.exhaustive:
        assert said in ("true", "open")


@SLOW
@given(formulas(), formulas())
def test_formulas_over_two_elements_at_most(axiom: Term, claim: Term) -> None:
    agree(task({"few": FEW, "axiom": axiom}, claim))


@SLOW
@given(equations(), equations())
def test_equations_over_two_elements_at_most(axiom: Term, claim: Term) -> None:
    agree(task({"few": FEW, "axiom": axiom}, claim))
