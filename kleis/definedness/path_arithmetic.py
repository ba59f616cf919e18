"""Terms and conditions on a path as facts of linear arithmetic.

Invariants
    * Every fact is a consequence: `assume` of a condition that is true (or false) gives facts that hold then.
      A condition with nothing to say gives `TRIVIAL`.
    * Facts about a part of a term (a length is not negative, a remainder is less than the divisor) stand beside the
      atom the part occurs in, because only there the part is known to have a value.
    * Terms that are not understood are unknowns; equal terms are one unknown.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction

from kleis import core
from kleis.definedness.linear_arithmetic import IMPOSSIBLE, TRIVIAL, All, Any, AtLeast, Fact, Linear, Unknowns

__all__ = ["Arithmetic", "is_number", "is_whole", "resolved"]

_ORDERS = {
    "leq": (False, False),
    "less_than": (False, True),
    "geq": (True, False),
    "greater_than": (True, True),
}
"""For each comparison: whether its sides are exchanged, and whether it is strict."""

_READ = 3000
"""How many terms one question may visit: values of `Let` are shared, and each use visits them again."""

_SAME_LENGTH = ("reverse", "map")
"""Built-ins that keep the length of the list that is their last argument."""


def is_number(sort: core.Sort) -> bool:
    """Whether a sort is ℕ, ℤ, ℚ or ℝ: ordered numbers."""
    return isinstance(sort, core.Numeric) and sort.name != "ℂ"


def is_whole(sort: core.Sort) -> bool:
    """Whether a sort is ℕ or ℤ."""
    return isinstance(sort, core.Numeric) and sort.name in ("ℕ", "ℤ")


def resolved(term: core.Term, values: Mapping[str, core.Term]) -> core.Term:
    """The same value in head normal form: variables of `Let` replaced, selections of constructions taken."""
    while True:
        if isinstance(term, core.Variable) and term.name in values:
            term = values[term.name]
        elif isinstance(term, core.Selection):
            inner = resolved(term.term, values)
            if not isinstance(inner, core.Construction) or inner.constructor.name != term.constructor.name:
                return term if inner is term.term else core.Selection(term.constructor, term.index, inner)
            term = inner.arguments[term.index]
        elif isinstance(term, core.BuiltinCall) and term.operation.name in ("fst", "snd"):
            inner = resolved(term.arguments[0], values)
            if not isinstance(inner, core.Construction):
                return term
            term = inner.arguments[term.operation.name == "snd"]
        else:
            return term


class Arithmetic:
    """Terms read as linear forms over the unknowns of one question; `values` are those that `Let` gives."""

    def __init__(self, values: Mapping[str, core.Term]) -> None:
        self.unknowns = Unknowns()
        self._values = values
        self._left = _READ

    # ── Facts ────────────────────────────────────────────────────────────────────────────────────────────────

    def assume(self, formula: core.Term, holds: bool = True) -> Fact:
        """What follows from a formula that is true, or false if not `holds`."""
        if self._tired():
            return TRIVIAL
        formula = resolved(formula, self._values)
        match formula:
            case core.LiteralTerm(value=bool(value)):
                return TRIVIAL if value is holds else IMPOSSIBLE
            case core.Connective(name="not", arguments=(inner,)):
                return self.assume(inner, not holds)
            case core.Connective(name="implies", arguments=(left, right)):
                premise, conclusion = self.assume(left, not holds), self.assume(right, holds)
                return Any((premise, conclusion)) if holds else All((premise, conclusion))
            case core.Connective(name=name, arguments=arguments):
                facts = tuple(self.assume(argument, holds) for argument in arguments)
                return All(facts) if (name == "and") is holds else Any(facts)
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                return Any(
                    (
                        All((self.assume(condition), self.assume(yes, holds))),
                        All((self.assume(condition, False), self.assume(no, holds))),
                    )
                )
            case core.Discrimination():
                return self._made_by(formula, holds)
            case core.Equals(left=left, right=right):
                return self._equal(left, right, holds)
            case core.BuiltinCall():
                return self._test(formula, holds)
            case core.Undefined():
                return IMPOSSIBLE
            case _:
                return TRIVIAL

    def equal(self, variable: core.Term, value: core.Term) -> Fact:
        """What follows from a value having been given to a variable."""
        return self._equal(variable, value, True)

    def rest(self) -> None:
        """Reset the budget, for the next question over the same unknowns."""
        self._left = _READ

    def _tired(self) -> bool:
        """Whether the budget is spent; further terms are unknowns then."""
        self._left -= 1
        return self._left < 0

    def _test(self, call: core.BuiltinCall, holds: bool) -> Fact:
        name, arguments = call.operation.name, call.arguments
        if name == "isEmpty" and len(arguments) == 1:
            return self._empty(arguments[0], holds)
        if name == "neq" and len(arguments) == 2:
            return self._equal(arguments[0], arguments[1], not holds)
        if name not in _ORDERS or len(arguments) != 2 or not all(is_number(each.sort) for each in arguments):
            return TRIVIAL
        turned, strict = _ORDERS[name]
        small, large = reversed(arguments) if turned else arguments
        left, first = self.linear(small)
        right, second = self.linear(large)
        difference = right.minus(left) if holds else left.minus(right)
        return All((AtLeast(difference, strict is holds), *first, *second))

    def _equal(self, left: core.Term, right: core.Term, holds: bool) -> Fact:
        if is_number(left.sort) and is_number(right.sort):
            first, sides = self.linear(left)
            second, more = self.linear(right)
            return All((_same(first.minus(second), holds), *sides, *more))
        if holds and (isinstance(left.sort, core.ListOf) or left.sort == core.STRING):
            first, sides = self.length(left)
            second, more = self.length(right)
            return All((_same(first.minus(second), True), *sides, *more))
        left, right = resolved(left, self._values), resolved(right, self._values)
        for one, other in ((left, right), (right, left)):
            if (
                isinstance(one, core.Construction)
                and one.constructor.name == "Nil"
                and isinstance(one.sort, core.ListOf)
            ):
                return self._empty(other, holds)
            if isinstance(one, core.LiteralTerm) and isinstance(one.value, bool):
                return self.assume(other, one.value is holds)
        return TRIVIAL

    def _empty(self, term: core.Term, holds: bool) -> Fact:
        form, sides = self.length(term)
        return All((_same(form, True) if holds else AtLeast(form.shifted(-1)), *sides))

    def _made_by(self, test: core.Discrimination, holds: bool) -> Fact:
        inner = resolved(test.term, self._values)
        if isinstance(inner, core.Construction):
            made = inner.constructor.name == test.constructor.name
            return TRIVIAL if made is holds else IMPOSSIBLE
        if test.constructor.alone:
            return TRIVIAL if holds else IMPOSSIBLE
        if isinstance(test.constructor.sort, core.ListOf):
            return self._empty(inner, (test.constructor.name == "Nil") is holds)
        return TRIVIAL

    # ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────

    def linear(self, term: core.Term) -> tuple[Linear, tuple[Fact, ...]]:
        """A number as a linear form, and what holds where it has a value.

        A variable of `Let` is an unknown of its own: `equal` says what it is, once.
        """
        if isinstance(term, core.Variable) or self._tired():
            return self._unknown(term)
        term = resolved(term, self._values)
        match term:
            case core.LiteralTerm(value=value) if isinstance(value, int | Fraction) and not isinstance(
                value, bool
            ):
                return Linear.number(value), ()
            case core.Coercion(term=inner) if is_number(inner.sort):
                return self.linear(inner)
            case core.Narrowing(term=inner):
                form, sides = self.linear(inner)
                return form, (*sides, AtLeast(form))
            case core.BuiltinCall():
                return self._computed(term)
            case core.Conditional():
                return self._either(term)
            case _:
                return self._unknown(term)

    def _unknown(self, term: core.Term) -> tuple[Linear, tuple[Fact, ...]]:
        form = self.unknowns.unknown(term, integral=is_whole(term.sort))
        return form, (AtLeast(form),) if term.sort == core.Numeric("ℕ") else ()

    def _either(self, term: core.Conditional) -> tuple[Linear, tuple[Fact, ...]]:
        form, sides = self._unknown(term)
        branches = []
        for holds, branch in ((True, term.consequent), (False, term.alternative)):
            if not isinstance(resolved(branch, self._values), core.Undefined):
                value, more = self.linear(branch)
                branches.append(
                    All((self.assume(term.condition, holds), _same(form.minus(value), True), *more))
                )
        return form, (*sides, Any(tuple(branches)))

    def _computed(self, call: core.BuiltinCall) -> tuple[Linear, tuple[Fact, ...]]:
        name, arguments = call.operation.name, call.arguments
        if name in ("length", "strlen") and len(arguments) == 1:
            return self.length(arguments[0])
        if not is_number(call.sort) or not all(is_number(each.sort) for each in arguments):
            return self._unknown(call)
        if len(arguments) == 2 and name in ("plus", "minus", "times", "divide", "div", "mod", "min", "max"):
            return self._binary(call, name)
        if len(arguments) == 1 and name in ("negate", "abs", "floor", "ceil"):
            return self._unary(call, name)
        return self._unknown(call)

    def _binary(self, call: core.BuiltinCall, name: str) -> tuple[Linear, tuple[Fact, ...]]:
        left, first = self.linear(call.arguments[0])
        right, second = self.linear(call.arguments[1])
        sides = (*first, *second)
        if name == "plus":
            return left.plus(right), sides
        if name == "minus":
            return left.minus(right), sides
        if name == "times" and (left.is_constant or right.is_constant):
            return (right.scaled(left.constant) if left.is_constant else left.scaled(right.constant)), sides
        if name == "divide" and right.is_constant and right.constant:
            return left.scaled(1 / right.constant), sides
        if name in ("div", "mod") and self.unknowns.whole(left) and self.unknowns.whole(right):
            quotient = self.unknowns.unknown(("div", left, right), integral=True)
            remainder = self.unknowns.unknown(("mod", left, right), integral=True)
            facts = _division(left, right, quotient, remainder)
            return (quotient if name == "div" else remainder), (*sides, facts)
        form, more = self._unknown(call)
        if name in ("min", "max"):
            sign = 1 if name == "max" else -1
            above = (AtLeast(form.minus(each).scaled(sign)) for each in (left, right))
            chosen = Any((_same(form.minus(left), True), _same(form.minus(right), True)))
            return form, (*sides, *more, *above, chosen)
        return form, (*sides, *more)

    def _unary(self, call: core.BuiltinCall, name: str) -> tuple[Linear, tuple[Fact, ...]]:
        inner, sides = self.linear(call.arguments[0])
        if name == "negate":
            return inner.scaled(-1), sides
        if name == "abs":
            form = self.unknowns.unknown(("abs", inner), integral=self.unknowns.whole(inner))
            positive = All((AtLeast(inner), _same(form.minus(inner), True)))
            negative = All((AtLeast(inner.scaled(-1)), _same(form.plus(inner), True)))
            return form, (*sides, Any((positive, negative)))
        form = self.unknowns.unknown((name, inner), integral=True)
        gap = inner.minus(form) if name == "floor" else form.minus(inner)
        return form, (*sides, AtLeast(gap), AtLeast(gap.scaled(-1).shifted(1), True))

    # ── Lengths ──────────────────────────────────────────────────────────────────────────────────────────────

    def length(self, term: core.Term) -> tuple[Linear, tuple[Fact, ...]]:
        """The length of a list or string as a linear form, and what holds where it has a value."""
        if isinstance(term, core.Variable) or self._tired():
            return self._measured(term)
        term = resolved(term, self._values)
        match term:
            case core.Construction(constructor=constructor, arguments=arguments) if isinstance(
                term.sort, core.ListOf
            ):
                if constructor.name == "Nil":
                    return Linear.number(0), ()
                form, sides = self.length(arguments[1])
                return form.shifted(1), sides
            case core.LiteralTerm(value=str(value)):
                return Linear.number(len(value)), ()
            case core.Coercion(term=inner) if isinstance(inner.sort, core.ListOf):
                return self.length(inner)
            case core.Selection(constructor=constructor, index=1, term=inner) if isinstance(
                constructor.sort, core.ListOf
            ):
                return self._tail(inner)
            case core.BuiltinCall(operation=operation, arguments=arguments):
                if operation.name == "tail":
                    return self._tail(arguments[0])
                if operation.name in _SAME_LENGTH and isinstance(arguments[-1].sort, core.ListOf):
                    return self.length(arguments[-1])
                if operation.name == "append" and len(arguments) == 2:
                    left, first = self.length(arguments[0])
                    right, second = self.length(arguments[1])
                    return left.plus(right), (*first, *second)
            case _:
                pass
        return self._measured(term)

    def _measured(self, term: core.Term) -> tuple[Linear, tuple[Fact, ...]]:
        key: Hashable = ("length", term)
        form = self.unknowns.unknown(key, integral=True)
        return form, (AtLeast(form),)

    def _tail(self, whole: core.Term) -> tuple[Linear, tuple[Fact, ...]]:
        form, sides = self.length(whole)
        return form.shifted(-1), (*sides, AtLeast(form.shifted(-1)))


def _same(form: Linear, holds: bool) -> Fact:
    """``form = 0``, or ``form ≠ 0``."""
    if holds:
        return All((AtLeast(form), AtLeast(form.scaled(-1))))
    return Any((AtLeast(form, True), AtLeast(form.scaled(-1), True)))


def _division(dividend: Linear, divisor: Linear, quotient: Linear, remainder: Linear) -> Fact:
    """What holds of the quotient rounded down and of the remainder, where the divisor is not 0."""
    if divisor.is_constant and divisor.constant:
        parts = dividend.minus(remainder).plus(quotient, -divisor.constant)
        sign = 1 if divisor.constant > 0 else -1
        below = divisor.minus(remainder).scaled(sign)
        return All((_same(parts, True), AtLeast(remainder.scaled(sign)), AtLeast(below, True)))
    negative = AtLeast(dividend.scaled(-1), True)
    positive = All((AtLeast(remainder), AtLeast(divisor.minus(remainder), True)))
    at_one = All((_same(divisor.shifted(-1), True), _same(quotient.minus(dividend), True)))
    shrinking = Any(
        (
            All((_same(dividend, True), _same(quotient, True))),
            All(
                (
                    AtLeast(dividend.shifted(-1)),
                    AtLeast(quotient),
                    AtLeast(dividend.minus(quotient).shifted(-1)),
                )
            ),
            All((negative, AtLeast(quotient.minus(dividend)), AtLeast(quotient.scaled(-1), True))),
        )
    )
    growing = All((AtLeast(divisor.shifted(-2)), shrinking))
    below_zero = All(
        (
            AtLeast(divisor.scaled(-1), True),
            AtLeast(remainder.scaled(-1)),
            AtLeast(remainder.minus(divisor), True),
        )
    )
    return Any((All((positive, Any((at_one, growing)))), below_zero))
