"""Numerical terms as quotients of polynomials in what they are made of, and what has to hold for that.

    sin(x + y), exp(2·x − y), √12, (x·y)ⁿ, ln(6)   ──>   polynomials in sin x, cos x, …, exp x, √3, xⁿ, yⁿ, ln 2, ln 3

Sums are expanded by the addition theorems, quotients of angles and exponents reckoned in common parts, numbers factored.
Equal forms are equal terms wherever the *obligations* hold: the conditions of partial operations, and what a law that was
used asks for (x > 0 of x where ln(x·y) is split).  Everything else is an atom: unknowns, and calls of what is not reckoned
with, which are equal where their arguments have equal forms.

The laws used are

    sin²u + cos²u = 1, the addition theorems, the values at multiples of π/12, tan u = sin u / cos u where cos u ≠ 0
    b^(u+v) = bᵘ·bᵛ, (bᵘ)ᵛ = b^(u·v), (b·c)ᵘ = bᵘ·cᵘ     for b, c > 0; for b, c ≠ 0 and integers u, v; for u, v in ℕ
    sin(asin u) = u, cos(asin u) = √(1 − u²), tan(atan u) = u, acos u = π/2 − asin u, and where the angle is a multiple of π/12
    sinh u = (eᵘ − e⁻ᵘ)/2, cosh u = (eᵘ + e⁻ᵘ)/2, ln eᵘ = u, e^(ln b) = b, and what asinh, acosh and atanh are by ln
    ln(b·c) = ln b + ln c for b, c > 0; (ᵏ√b)ᵏ = b, ᵏ√(b·c) = ᵏ√b·ᵏ√c for b, c ≥ 0; |b|² = b², |b·c| = |b|·|c|
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction

from kleis import core
from kleis.core.build_terms import at_arguments, condition_at
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, substitute
from kleis.definedness.conditions import Definedness
from kleis.prover.checker.rules.circle_forms import CircleForms
from kleis.prover.checker.rules.form_atoms import UNIT, Refined, is_number, order, zero
from kleis.prover.checker.rules.polynomials import Form, Ring, is_constant
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["Forms", "Refined", "is_number"]


class Forms(CircleForms):
    """The forms of terms.

    `outside` gives the form of an operation that is not one of numbers alone, if it has one; `chosen` that of a part of a
    value, or of a branch; `written` says that a term which is no number is written out, and asks for what its numbers need.
    """

    def __init__(self, goal: Goal, ring: Ring, parts: dict[Hashable, int]) -> None:
        super().__init__(goal, ring, parts)
        self.outside: Callable[[core.BuiltinCall], Form | None] = lambda term: None
        self.chosen: Callable[[core.Selection | core.Conditional], Form | None] = lambda term: None
        self.written: Callable[[core.Term], bool] = lambda term: False
        self._known: dict[core.Term, Form] = {}
        self._definedness = Definedness(goal)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def of(self, term: core.Term) -> Form:
        """The form of a numerical term; `NotExpressible` where it takes too many steps."""
        self.ring.charge(1)
        if not is_number(term.sort):
            raise NotExpressible("a value that is no real number")
        if term not in self._known:
            self._known[term] = self._of(term)
        return self._known[term]

    def _of(self, term: core.Term) -> Form:
        match term:
            case core.LiteralTerm(value=value) if not isinstance(value, bool | str):
                return self.number(Fraction(value))
            case core.Coercion(term=part) if is_number(part.sort):
                return self.of(part)
            case core.Narrowing(term=part):
                self.needed(order("geq", part, zero(part.sort)))
                return self.of(part)
            case core.Let(variable=variable, value=value, body=body):
                self.defined(value)
                return self.of(substitute(body, {variable.name: value}))
            case core.DefinitionCall(definition=key, arguments=arguments):
                definition = self._goal.definition(key)
                if not definition.group:
                    for each in arguments:
                        self.defined(each)
                    return self.of(at_arguments(definition.body, definition, arguments))
            case core.BuiltinCall():
                return self._builtin(term)
            case core.Selection() | core.Conditional():
                found = self.chosen(term)
                if found is not None:
                    return found
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return self._atom(("symbol", symbol, tuple(map(self._argument, arguments))), term)
            case core.Variable():
                return self._atom(("variable", term.name), term)
        return self._opaque(term)

    def defined(self, term: core.Term) -> None:
        """Ask for a term to have a value."""
        if is_number(term.sort):
            self.of(term)
        elif not isinstance(term, core.Variable | core.LiteralTerm | core.Lambda) and not self.written(term):
            self.needed(core.Equals(term, term))

    def _opaque(self, term: core.Term) -> Form:
        self.needed(core.Equals(term, term))
        return self._atom(("term", canonical(term)), term)

    def _argument(self, term: core.Term) -> Hashable:
        if is_number(term.sort):
            return self._canonical(self.of(term)).key
        self.defined(term)
        return canonical(term)

    def _builtin(self, term: core.BuiltinCall) -> Form:
        name, arguments = term.operation.name, term.arguments
        found = self.outside(term)
        if found is not None:
            return found
        condition = condition_at(term)
        if condition is not None:
            self.needed(condition)
        ring = self.ring
        if all(is_number(each.sort) for each in arguments):
            match name, tuple(map(self.of, arguments)):
                case "plus", (a, b):
                    return ring.plus(a, b)
                case "minus", (a, b):
                    return ring.plus(a, ring.negated(b))
                case "negate", (a,):
                    return ring.negated(a)
                case "times" | "multiply", (a, b):
                    return ring.times(a, b)
                case "divide" | "rational", (a, b):
                    return ring.over(a, b)
                case "reciprocal", (a,):
                    return ring.over(UNIT, a)
                case "to_real", (a,):
                    return a
                case "abs", (a,):
                    return self._absolute(a)
                case "sqrt", (a,):
                    return self._root(a, Fraction(1, 2))
                case "pi", ():
                    return self._pi()
                case "tau", ():
                    return ring.times(self.number(Fraction(2)), self._pi())
                case "e", ():
                    return self._exponential(UNIT)
                case "exp", (a,):
                    return self._exponential(a)
                case "exp2", (a,):
                    return self._positive_power(Fraction(2), a)
                case "ln", (a,):
                    return self._logarithm(a)
                case "log2" | "log10" as base, (a,):
                    return ring.over(self._logarithm(a), self._logarithm(self.number(Fraction(base[3:]))))
                case "sin", (a,):
                    return self._circle(a)[1]
                case "cos", (a,):
                    return self._circle(a)[0]
                case "tan", (a,):
                    x, y = self._circle(a)
                    if is_constant(x.below) or not is_constant(
                        x.above
                    ):  # else it is of an arc tangent: 1/√(1 + u²)
                        cosine = core.BuiltinCall(_renamed(term.operation, "cos"), arguments)
                        self.needed(core.Connective("not", (core.Equals(cosine, zero(core.REAL)),)))
                    return ring.over(y, x)
                case "sinh" | "cosh" | "tanh", (a,):
                    return self._hyperbolic(name, a)
                case "asin" | "acos" | "atan" | "asinh" | "acosh" | "atanh", (a,):
                    return self._inverse(name, a)
                case "power", (a, b):
                    return self._power(term, a, b)
        given = tuple(self._argument(each) for each in arguments)
        # A function that is given may be partial, and is called where nobody knows: Σ(0, n, λ i . 1/(i - 3)).
        functions = [each for each in arguments if isinstance(each, core.Lambda)]
        if not all(map(self._definedness.certain, functions)):
            self.needed(core.Equals(term, term))
        sorts = tuple(each.sort for each in term.operation.parameters)
        return self._atom(("call", name, sorts, given), term)


def _renamed(operation: core.Operation, name: str) -> core.Operation:
    return core.Operation(name, operation.parameters, operation.result, None, incomplete=True)
