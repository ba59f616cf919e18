"""Random formulas over one carrier, small enough for brute force, for tests that compare engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from kleis.core import BOOL, Conditional, Equals, Let, LiteralTerm, Quantifier, Term, Variable
from tests.support.theories.algebra import G, Operation, both, either, implies, no

__all__ = ["equations", "formulas"]

_c = Operation("c", ())()
_f = Operation("f", (G,))
_p = Operation("p", (G,), BOOL)
_q = Operation("q", (G, BOOL), BOOL)
_g = Operation("g", (BOOL, G))

_Draw = Callable[[Any], Any]


class _Writer:
    """Writes one formula.  Bound variables get names that are not bound around them."""

    def __init__(self, draw: _Draw) -> None:
        self._draw = draw
        self._count = 0

    def _fresh(self, sort: Any) -> Variable:
        self._count += 1
        return Variable(f"v{self._count}", sort)

    def term(self, scope: tuple[Variable, ...], depth: int) -> Term:
        """A term of the carrier."""
        elements = [each for each in scope if each.sort == G]
        if depth <= 0:
            return self._draw(st.sampled_from([_c, *elements]))
        kind = self._draw(st.sampled_from(["leaf", "f", "f", "g", "if", "let"]))
        if kind == "f":
            return _f(self.term(scope, depth - 1))
        if kind == "g":
            return _g(self.formula(scope, depth - 2), self.term(scope, depth - 1))
        if kind == "if":
            test = self.formula(scope, depth - 2)
            return Conditional(test, self.term(scope, depth - 1), self.term(scope, depth - 1))
        if kind == "let":
            variable = self._fresh(self._draw(st.sampled_from([G, BOOL])))
            value = self.term(scope, 0) if variable.sort == G else self.formula(scope, 0)
            return Let(variable, value, self.term((*scope, variable), depth - 1))
        return self.term(scope, 0)

    def formula(self, scope: tuple[Variable, ...], depth: int) -> Term:
        """A formula; its free variables are among the scope."""
        truths = [each for each in scope if each.sort == BOOL]
        if depth <= 0:
            atoms = [
                LiteralTerm(True, BOOL),
                _p(self.term(scope, 0)),
                Equals(self.term(scope, 0), _c),
                *truths,
            ]
            return self._draw(st.sampled_from(atoms))

        def part() -> Term:
            return self.formula(scope, depth - 1)

        kind = self._draw(
            st.sampled_from(["=", "p", "q", "and", "or", "not", "implies", "iff", "all", "some", "if"])
        )
        if kind == "=":
            return Equals(self.term(scope, depth - 1), self.term(scope, depth - 1))
        if kind == "p":
            return _p(self.term(scope, depth - 1))
        if kind == "q":
            return _q(self.term(scope, depth - 1), part())
        if kind in ("all", "some"):
            variable = self._fresh(self._draw(st.sampled_from([G, G, G, BOOL])))
            body = self.formula((*scope, variable), depth - 1)
            return Quantifier("forall" if kind == "all" else "exists", (variable,), body)
        if kind == "if":
            return Conditional(part(), part(), part())
        if kind == "not":
            return no(part())
        pairs = {"and": both, "or": either, "implies": implies, "iff": Equals}
        return pairs[kind](part(), part())


@st.composite
def formulas(draw: _Draw) -> Term:
    """A closed formula with c : G, f : G → G, p : G → Bool, q : G × Bool → Bool, g : Bool × G → G."""
    return _Writer(draw).formula((), 4)


_m = Operation("m", (G, G))
_x, _y = Variable("x", G), Variable("y", G)


@st.composite
def equations(draw: _Draw) -> Term:
    """A universal equation over c : G, f : G → G, m : G × G → G."""

    def side(depth: int) -> Term:
        if depth == 0:
            return draw(st.sampled_from([_x, _x, _y, _c]))
        kind = draw(st.sampled_from(["leaf", "f", "m", "m"]))
        if kind == "f":
            return _f(side(depth - 1))
        return _m(side(depth - 1), side(depth - 1)) if kind == "m" else side(0)

    return Quantifier("forall", (_x, _y), Equals(side(2), side(2)))
