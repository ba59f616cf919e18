"""Points whose coordinates are roots of polynomials, where a claim fails: what Z3 finds and `read_models` leaves out.

A coordinate is a rational number or a root: the coefficients of a polynomial, and an interval with rational ends in
which it changes its sign. Nothing here is trusted: whoever shows a root checks the signs, and proves the rest.

Not an engine of the portfolio: it proves and refutes nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kleis import core
from kleis.prover.engines.solvers.runs import library, run_text, script_text, unwritable
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.protocol.points import Point, Root
from kleis.prover.smt.script import encode

__all__ = ["POINTS"]

_DIGITS = 10
"""Decimal digits to which a root is isolated."""


class Points:
    """The job.  Its steps are Z3's."""

    name = "algebraic points"

    def applies(self, task: Task) -> bool:
        """To claims about real numbers alone."""
        return not task.goal.unsettled

    def run(self, task: Task, steps: int) -> Answer:
        """One run; its answer's witness is a `Point`."""
        try:
            script = encode(task)
        except Inexpressible as error:
            return unwritable(error)
        run = run_text(script_text(script, script.false or script.claim), steps)
        if run.status != "sat" or not script.exact:
            return Answer(outcome="silent", reason="incomplete", steps=run.used)
        found: list[tuple[str, Fraction | Root]] = []
        declared = {each.name(): each for each in run.model.decls()}
        for constant in script.constants:
            declaration = declared.get(constant.name.strip("|"))
            value = Fraction(0) if declaration is None else _coordinate(run.model[declaration])
            if value is None or constant.variable.sort != core.REAL:
                return Answer(outcome="silent", reason="incomplete", steps=run.used)
            found.append((constant.variable.name, value))
        return Answer(outcome="refuted", witness=Point(tuple(found)), steps=run.used)


POINTS = Points()


def _coordinate(value: Any) -> Fraction | Root | None:
    z3 = library()
    if z3.is_rational_value(value):
        return Fraction(value.as_fraction())
    if not z3.is_algebraic_value(value):
        return None
    coefficients = tuple(Fraction(each.as_fraction()) for each in value.poly())
    near = Fraction(value.approx(_DIGITS + 2).as_fraction())
    width = Fraction(1, 10**_DIGITS)
    return Root(coefficients, near - width, near + width)
