"""Random closed propositions with quantifiers over bounded numbers, as text: brute force over −3 … 3 decides them.

Every quantifier over a number says itself which ones it is about, so that its meaning over the whole sort is the same.
"""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["PROGRAM", "bounded"]

PROGRAM = """
define third(n : ℤ) : ℤ = if mod(n, 3) = 0 then div(n, 3) else div(1, n - 1)
define below(n : ℕ) : ℕ = if n = 0 then 0 else n - 1
define steps(n : ℕ) : ℕ = if n = 0 then 0 else 1 + steps(n - 1)
"""
"""Definitions that are partial, that narrow, and that recur."""

_INTEGERS = ("0", "1", "2", "(0 - 1)", "(0 - 2)")
_GROWN = (
    "({0} + {1})",
    "({0} - {1})",
    "({0} * {1})",
    "div({0}, {1})",
    "mod({0}, {1})",
    "rem({0}, {1})",
    "min({0}, {1})",
    "max({0}, {1})",
    "abs({0})",
    "third({0})",
    "below({0})",
    "steps({0})",
    "({0})^2",
    "floor({0} / {1})",
    "round({0} / 2)",
    "gcd({0}, {1})",
    "(if {0} < {1} then {0} else {1})",
    "(let k = {0} in k + {1})",
    "length(range({0}, {1}))",
    "sum(map(λ (m : ℤ) . m * {0}, [1, {1}]))",
)
_ATOMS = (
    "{0} = {1}",
    "{0} < {1}",
    "{0} ≤ {1}",
    "{0} ≠ {1}",
    "in_set({0}, [0, {1}])",
    "all(λ (m : ℤ) . m > {0}, [{1}])",
)
_JOINED = (
    "({0} ∧ {1})",
    "({0} ∨ {1})",
    "({0} → {1})",
    "({0} ↔ {1})",
    "(¬ ({0}))",
    "(if {0} then {1} else {0})",
)
_QUANTIFIED = (
    "(∀({2} : ℤ). (0 - 3 ≤ {2} ∧ {2} ≤ 3) → {0})",
    "(∃({2} : ℤ). (0 - 3 ≤ {2} ∧ {2} ≤ 3) ∧ {0})",
    "(∀({2} : ℕ). {2} ≤ 3 → {0})",
    "(∃({2} : ℕ). {2} ≤ 3 ∧ {0})",
)


@st.composite
def _integer(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from((*scope, *scope, *_INTEGERS)))
    form = draw(st.sampled_from(_GROWN))
    return form.format(draw(_integer(scope, depth - 1)), draw(_integer(scope, depth - 1)))


@st.composite
def _formula(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> str:
    if depth == 0:
        form = draw(st.sampled_from(_ATOMS))
        return form.format(draw(_integer(scope, 2)), draw(_integer(scope, 1)))
    if len(scope) < 3 and draw(st.booleans()):
        name = f"x{len(scope)}"
        form = draw(st.sampled_from(_QUANTIFIED))
        return form.format(draw(_formula((*scope, name), depth - 1)), "", name)
    form = draw(st.sampled_from(_JOINED))
    return form.format(draw(_formula(scope, depth - 1)), draw(_formula(scope, depth - 1)))


@st.composite
def bounded(draw: st.DrawFn) -> str:
    """A proposition with at least one quantifier."""
    form = draw(st.sampled_from(_QUANTIFIED))
    return form.format(draw(_formula(("x0",), 2)), "", "x0")
