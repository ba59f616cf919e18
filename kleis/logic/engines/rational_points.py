"""Rational points in place of algebraic ones.

Specification: proving.md §2 ("exact rationals").

Where a claim fails at an irrational point it often fails around it too.  A model with algebraic numbers is tried again
with rational ones near them; if that fails the model stays as it is.
"""

from __future__ import annotations

from typing import Any

from kleis.prover.engines.solvers.runs import library, run_solver, script_text
from kleis.prover.smt.script import Script

__all__ = ["with_rational_points"]

_DIGITS = (1, 4, 10)
"""Decimals of the approximations tried: short numbers read better."""


def with_rational_points(script: Script, goal: str, model: Any, steps: int) -> Any:
    """A model whose values of real variables are rational, if there is one near the given model."""
    z3 = library()
    names = {each.name.strip("|") for each in script.constants}
    values = {
        each.name(): model[each] for each in model.decls() if each.name() in names and each.arity() == 0
    }
    irrational = {name: value for name, value in values.items() if z3.is_algebraic_value(value)}
    if not irrational:
        return model
    for digits in _DIGITS:
        solver = z3.Solver(ctx=z3.Context())
        solver.from_string(script_text(script, goal))
        for name, value in irrational.items():
            near = round(value.approx(digits + 2).as_fraction(), digits)
            solver.add(z3.Real(name, solver.ctx) == z3.RealVal(str(near), solver.ctx))
        run = run_solver(solver, steps)
        if run.status == "sat":
            return run.model
    return model
