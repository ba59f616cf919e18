"""Riccati equations and the feedback that is optimal for a linear system and quadratic costs.

Shapes: A n×n, B n×m, Q n×n, R m×m.  See docs/reference/numerics.md §2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kleis.builtins.numeric.arrays import described, matrix_of, real_matrix, square_matrix
from kleis.builtins.numeric.extra import charge_cubic, computing, scipy, shape_error
from kleis.builtins.numeric.linear_algebra import solve_array
from kleis.builtins.row import Context
from kleis.values import Data, ListValue, Value, list_of

__all__ = ["continuous_regulator", "continuous_riccati", "discrete_regulator", "discrete_riccati"]


class _System(NamedTuple):
    """The matrices of a problem."""

    a: Any
    b: Any
    q: Any
    r: Any


def _system(context: Context, name: str, a: Value, b: Value, q: Value, r: Value) -> _System:
    """The matrices, their shapes checked against A and B."""
    state = square_matrix(context, name, a, "A")
    control = real_matrix(context, name, b, "B")
    n, m = len(state), control.shape[1]
    if control.shape[0] != n:
        raise shape_error(name, "B", found=described(b), expected=f"a matrix of {n} rows, as A has")
    costs = []
    for letter, value, size, owner in (("Q", q, n, "A has rows"), ("R", r, m, "B has columns")):
        cost = real_matrix(context, name, value, letter)
        if cost.shape != (size, size):
            expected = f"a {size} × {size} matrix, as many as {owner}"
            raise shape_error(name, letter, found=described(value), expected=expected)
        costs.append(cost)
    # Schur of a pencil of twice the size and more.
    charge_cubic(context, 2 * n + m, 60)
    return _System(state, control, *costs)


def _continuous(context: Context, name: str, system: _System) -> Any:
    with computing(name):
        found = scipy(name).solve_continuous_are(*system)
        return (found + found.T) / 2


def _discrete(context: Context, name: str, system: _System) -> Any:
    with computing(name):
        found = scipy(name).solve_discrete_are(*system)
        return (found + found.T) / 2


def continuous_riccati(context: Context, a: Value, b: Value, q: Value, r: Value) -> Data:
    """The stabilising P with AᵀP + PA − P·B·R⁻¹·Bᵀ·P + Q = 0."""
    return matrix_of(context, "care", _continuous(context, "care", _system(context, "care", a, b, q, r)))


def discrete_riccati(context: Context, a: Value, b: Value, q: Value, r: Value) -> Data:
    """The stabilising P with P = AᵀPA − AᵀPB·(R + BᵀPB)⁻¹·BᵀPA + Q."""
    return matrix_of(context, "dare", _discrete(context, "dare", _system(context, "dare", a, b, q, r)))


def continuous_regulator(context: Context, a: Value, b: Value, q: Value, r: Value) -> ListValue:
    """[K, P] with K = R⁻¹·Bᵀ·P: x' = (A − B·K)·x is stable and costs least."""
    system = _system(context, "lqr", a, b, q, r)
    p = _continuous(context, "lqr", system)
    gain = solve_array(context, "lqr", system.r, system.b.T @ p)
    return list_of([_rows(context, "lqr", gain), _rows(context, "lqr", p)])


def discrete_regulator(context: Context, a: Value, b: Value, q: Value, r: Value) -> ListValue:
    """[K, P] with K = (BᵀPB + R)⁻¹·BᵀPA."""
    system = _system(context, "dlqr", a, b, q, r)
    p = _discrete(context, "dlqr", system)
    transposed = system.b.T @ p
    gain = solve_array(context, "dlqr", transposed @ system.b + system.r, transposed @ system.a)
    return list_of([_rows(context, "dlqr", gain), _rows(context, "dlqr", p)])


def _rows(context: Context, name: str, array: Any) -> ListValue:
    """A matrix as a list of rows, as callers of regulators index it."""
    entries = matrix_of(context, name, array).fields[2]
    assert isinstance(entries, ListValue)
    flat, columns = entries.items(), array.shape[1]
    return list_of(list_of(flat[place : place + columns]) for place in range(0, len(flat), columns))
