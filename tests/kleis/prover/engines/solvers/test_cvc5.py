"""cvc5 where it is installed; its engines do not apply elsewhere."""

from __future__ import annotations

import pytest

from kleis.prover.engines.solvers.cvc5_engine import (
    CVC5,
    CVC5_ENUMERATIVE,
    CVC5_FINITE,
    CVC5_INDUCTION,
    is_installed,
)
from kleis.prover.protocol.engine import Engine
from tests.support.provers.claims import refuted_again, task

ALL = [CVC5, CVC5_ENUMERATIVE, CVC5_FINITE, CVC5_INDUCTION]
PROGRAM = """
structure Relation(T) {
  operation le : T → T → Bool
  axiom anti : ∀(x y : T). le(x, y) ∧ le(y, x) → x = y
  axiom idle : ∀(x : T). le(x, x)
}
"""
STEPS = 20_000


@pytest.mark.parametrize("engine", ALL)
def test_it_applies_where_it_is_installed(engine: Engine) -> None:
    assert engine.applies(task("", "∀(x : ℤ). x = x")) == is_installed()


@pytest.mark.parametrize("engine", [each for each in ALL if is_installed()])
def test_what_it_proves_z3_refutes_again(engine: Engine) -> None:
    given = task(PROGRAM, "∀(x y : T). le(x, y) → le(y, x) → x = y", "Relation(T)")
    answer = engine.run(given, STEPS)
    assert answer.outcome == "proved"
    assert [name.split("::")[-1] for name in answer.core] == ["anti"]
    assert refuted_again(answer.proof)


@pytest.mark.parametrize("engine", [each for each in (CVC5_FINITE,) if is_installed()])
def test_its_finite_models_have_whole_tables(engine: Engine) -> None:
    answer = engine.run(task(PROGRAM, "∀(x y : T). le(x, y)", "Relation(T)"), STEPS)
    assert answer.outcome == "refuted"
    (size,) = answer.witness.carriers.values()
    tables = {symbol.name: value for symbol, value in answer.witness.symbols}
    assert len(tables["le"].rows) == size * size
