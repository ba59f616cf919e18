"""The laws of built-in functions: none has a counterexample among small values, and a false variant has one."""

from __future__ import annotations

import pytest

from kleis.builtins.laws import LAWS
from kleis.prover.engines.computation.enumeration import ENUMERATION
from tests.support.provers.claims import task


@pytest.mark.parametrize("name", LAWS)
def test_no_small_value_refutes_a_law(name: str) -> None:
    given = task("", LAWS[name])
    assert not given.goal.symbols
    assert not given.goal.axioms
    assert ENUMERATION.run(given, 6_000).outcome == "silent"


@pytest.mark.parametrize(
    ("name", "part", "other"),
    [
        ("pythagoras", "= 1", "= 2"),
        ("sine of a sum", "sin(x) * cos(y) +", "sin(x) * cos(y) -"),
        ("sine is odd", "= -sin(x)", "= sin(x)"),
        ("exp of a sum", "exp(x) *", "exp(x) +"),
        ("logarithm of a product", "x > 0 ∧ y > 0 →", "x * y > 0 →"),
        ("square root", "x ≥ 0 →", "x ≥ -1 →"),
        ("divisor with itself", "= abs(a)", "= a"),
        ("divisor and multiple", "= abs(a * b)", "= a * b"),
        ("coprime division", "gcd(a, b) = 1 ∧ ", ""),
        ("divisor of multiples", "abs(k) * ", "k * "),
        ("remainder of a sum", "mod(mod(a, d) + mod(b, d), d)", "mod(a, d) + mod(b, d)"),
    ],
)
def test_a_false_variant_is_refuted(name: str, part: str, other: str) -> None:
    assert part in LAWS[name]
    assert ENUMERATION.run(task("", LAWS[name].replace(part, other)), 50_000).outcome == "refuted"
