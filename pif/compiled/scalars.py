"""Arithmetic, comparison and logic.

Where integers are small, no charge depends on them and no limit is near: operands of up to 192 bits cost nothing in
a sum or comparison, products of up to three limbs nothing either. So only results that are kept need a test, and not
all of these:

- A committed integer is within ±2^62 and a drift. The drift is the sum of all constants below 2^30 that were added
  without a test, one for each unit of fuel at most; with less than 2^30 fuel it stays below 2^60.
- An accumulator to which a loop adds committed integers stays below 2^100; it is tested where it is kept elsewhere.

An integer that fails its test ends the run with `WideIntegers`; it starts again on a unit that weighs every integer.
"""

from __future__ import annotations

from pif.compiled.emitter import Emitter
from pif.compiled.kinds import ANY, NEVER, Kind
from pif.compiled.scope import COMMITTED, Expression
from pif.language import primitives as table

__all__ = ["ACCUMULATED", "ARITHMETIC", "ORDER", "Scalars"]

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%"}
ORDER = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}

ACCUMULATED = 100
"""Bits that bound an accumulator: 2^30 steps of a committed integer."""

_STEP = 30
_SUMS = 190
"""Bits beyond which an operand is tested before it is used in a sum or a comparison."""


class Scalars(Emitter):
    """Text for operations on integers, strings and booleans."""

    def arithmetic(self, op: str, left: Expression, right: Expression) -> Expression:
        if self.weighs:
            return self.service(op, (left, right), "int")
        left, right = self.scalar(left, "int"), self.scalar(right, "int")
        base = None
        if op in ("add", "sub"):
            left, right = self.within(left, _SUMS), self.within(right, _SUMS)
            bits, base = _sum(left, right)
        else:
            while _limbs(left) * _limbs(right) > 3:
                if left.bits >= right.bits:
                    left = self.within(left, COMMITTED)
                else:
                    right = self.within(right, COMMITTED)
            bits = {"mul": left.bits + right.bits, "div": left.bits, "mod": right.bits}[op]
        text = f"({left.text} {ARITHMETIC[op]} {right.text})"
        return self.made(text, "int", left, right, bits=bits, base=base)

    def within(self, value: Expression, bits: int) -> Expression:
        return value if value.bits <= bits else self.stored(value)

    def order(self, op: str, left: Expression, right: Expression) -> Expression:
        """Two integers or two strings."""
        kinds = self.kind(left), self.kind(right)
        if NEVER in kinds:
            return self.impossible()
        if not self.weighs and "int" in kinds:
            left, right = (self.within(self.scalar(side, "int"), _SUMS) for side in (left, right))
            return self.made(f"({left.text} {ORDER[op]} {right.text})", "bool", left, right)
        if kinds != (ANY, ANY) or self.weighs:
            return self.service(op, (left, right), "bool")
        a, b = self.whole(left).text, self.whole(right).text
        are_integers = f"type0({a}) is int0 and type0({b}) is int0"
        return self.made(f"({a} {ORDER[op]} {b} if {are_integers} else {op}0({a}, {b}))", "bool")

    def equality(self, left: Expression, right: Expression) -> Expression:
        """`eq`; the 1 for visiting both values has been charged."""
        kinds = self.kind(left), self.kind(right)
        if not self.weighs:
            if kinds == ("int", "int") or kinds == ("bool", "bool"):
                left, right = self.within(left, _SUMS), self.within(right, _SUMS)
                return self.made(f"({left.text} == {right.text})", "bool", left, right)
            if all(kind in ("int", ANY) for kind in kinds):
                return self._equal_integers(left, right, kinds)
        return self.service("eq", (left, right), "bool")

    def _equal_integers(self, left: Expression, right: Expression, kinds: tuple[Kind, Kind]) -> Expression:
        a, b = self.whole(left).text, self.whole(right).text
        tests = [f"type0({text}) is int0" for text, kind in zip((a, b), kinds, strict=True) if kind == ANY]
        return self.made(f"({a} == {b} if {' and '.join(tests)} else eq0({a}, {b}))", "bool")

    def condition(self, value: Expression) -> Expression:
        return self.scalar(value, "bool")

    def literal(self, value: object, level: int) -> Expression:
        """A leaf: an integer, boolean, string or unit."""
        if isinstance(value, str):
            self.node(level, table.charge_text(len(value)))
            return self.constant(value, "str")
        self.node(level)
        if value is None:
            return Expression("None", "unit", atom=True)
        if isinstance(value, bool):
            return Expression("True" if value else "False", "bool", atom=True)
        assert isinstance(value, int)
        return self.integer_constant(value)


def _limbs(value: Expression) -> int:
    return (value.bits + 63) // 64


def _sum(left: Expression, right: Expression) -> tuple[int, str | None]:
    """The bound of a sum or difference, and the accumulator that it continues."""
    low, high = sorted((left, right), key=lambda side: side.bits)
    if low.bits <= _STEP and high.bits <= COMMITTED and high.bits > _STEP:
        return COMMITTED, None
    if high.base is not None and low.base is None and low.bits <= COMMITTED:
        return ACCUMULATED, high.base
    return high.bits + 1, None
