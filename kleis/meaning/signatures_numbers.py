"""Signatures of arithmetic, comparison, elementary functions and complex numbers.

Specification: proving.md §1 ("Numbers").  An operation is given at every sort of numbers where it stays within the
sort, so that no call leaves ℤ or ℚ without need: ``-`` on ℕ gives ℤ, ``/`` on ℤ gives ℚ, `abs` of ℤ gives ℕ.

`plus`, `minus`, `times`, `negate` and `multiply` also work on matrices: see signatures_matrices.py.

Incomplete are what has irrational values (`sqrt`, `sin`, the modulus of a complex number), `gcd`, `lcm`, `factorial`,
`numer` and `denom` (lowest terms), and powers whose exponent is no literal.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis.builtins.row import Builtin
from kleis.builtins.signatures.shapes import NUMBERS, Argument, Rule, Shape, Signature, fixed, shape
from kleis.core import BOOL, COMPLEX, INTEGER, NATURAL, RATIONAL, REAL, Numeric

__all__ = ["NUMBER_RULES", "alike"]

_ORDERED = NUMBERS[:-1]


def alike(sorts: tuple[Numeric, ...], count: int) -> tuple[Shape, ...]:
    """An operation on `count` numbers of one sort that stays within it."""
    return tuple(((each,) * count, each) for each in sorts)


_COMPARISON = fixed(*(((each, each), BOOL) for each in _ORDERED))
_ROUNDING = fixed(shape(INTEGER, INTEGER), shape(RATIONAL, INTEGER), shape(REAL, INTEGER))
_REAL_FUNCTION = fixed(shape(REAL, REAL), incomplete=True)
_REAL_FUNCTION_OF_TWO = fixed(shape(REAL, REAL, REAL), incomplete=True)
_REAL_CONSTANT = fixed(shape(REAL), incomplete=True)
_COMPLEX_FUNCTION_OF_TWO = fixed(shape(COMPLEX, COMPLEX, COMPLEX))


def _power(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """a ^ b is a product for b in ℕ (0 ^ 0 = 1), a quotient of one for b in ℤ, and else a real power of a real a."""
    literal = isinstance(arguments[1].literal, int)
    natural = [
        Signature(row=row, parameters=(base, NATURAL), result=base, incomplete=not literal)
        for base in NUMBERS
    ]
    integer = [
        Signature(
            row=row,
            parameters=(base, INTEGER),
            result=base,
            incomplete=not literal,
            condition="a ≠ 0 ∨ b ≥ 0",
        )
        for base in (RATIONAL, REAL, COMPLEX)
    ]
    real = Signature(row=row, parameters=(REAL, REAL), result=REAL, incomplete=True, condition=row.condition)
    return (*natural, *integer, real)


def _modulus(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    shapes = ((NATURAL, NATURAL), (INTEGER, NATURAL), (RATIONAL, RATIONAL), (REAL, REAL), (COMPLEX, REAL))
    return tuple(
        Signature(row=row, parameters=(sort,), result=result, incomplete=sort == COMPLEX)
        for sort, result in shapes
    )


NUMBER_RULES: Mapping[str, Rule] = {
    "divide": fixed(*alike((RATIONAL, REAL, COMPLEX), 2)),
    "div": fixed(*alike((NATURAL, INTEGER), 2)),
    "mod": fixed(*alike((NATURAL, INTEGER), 2)),
    "rem": fixed(*alike(_ORDERED, 2)),
    "power": _power,
    # Of an integer it is the factorial of that integer as a natural number, undefined below 0 as the row says.
    "factorial": fixed(shape(NATURAL, NATURAL), incomplete=True, total=True),
    "gcd": fixed(shape(INTEGER, INTEGER, NATURAL), incomplete=True),
    "lcm": fixed(shape(INTEGER, INTEGER, NATURAL), incomplete=True),
    "abs": _modulus,
    "floor": _ROUNDING,
    "ceil": _ROUNDING,
    "round": _ROUNDING,
    "trunc": _ROUNDING,
    "frac": fixed(*alike((RATIONAL, REAL), 1)),
    "sign": _ROUNDING,
    "min": fixed(*alike(_ORDERED, 2)),
    "max": fixed(*alike(_ORDERED, 2)),
    "rational": fixed(shape(RATIONAL, RATIONAL, RATIONAL)),
    "reciprocal": fixed(*alike((RATIONAL, REAL, COMPLEX), 1)),
    "numer": fixed(shape(RATIONAL, INTEGER), incomplete=True),
    "denom": fixed(shape(RATIONAL, NATURAL), incomplete=True),
    # The row is also called to_rational; the number is the same in any case.
    "to_real": fixed(*alike((RATIONAL, REAL), 1)),
    "less_than": _COMPARISON,
    "leq": _COMPARISON,
    "greater_than": _COMPARISON,
    "geq": _COMPARISON,
    **dict.fromkeys(
        (
            *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
            *("sqrt", "exp", "exp2", "ln", "log10", "log2", "deg_to_rad"),
        ),
        _REAL_FUNCTION,
    ),
    "atan2": _REAL_FUNCTION_OF_TWO,
    "hypot": _REAL_FUNCTION_OF_TWO,
    "pi": _REAL_CONSTANT,
    "e": _REAL_CONSTANT,
    "tau": _REAL_CONSTANT,
    "complex": fixed(shape(REAL, REAL, COMPLEX)),
    "complex_add": _COMPLEX_FUNCTION_OF_TWO,
    "complex_sub": _COMPLEX_FUNCTION_OF_TWO,
    "complex_mul": _COMPLEX_FUNCTION_OF_TWO,
    "complex_div": _COMPLEX_FUNCTION_OF_TWO,
    "complex_inverse": fixed(shape(COMPLEX, COMPLEX)),
    "conj": fixed(shape(COMPLEX, COMPLEX)),
    "abs_squared": fixed(shape(COMPLEX, REAL)),
    "re": fixed(shape(COMPLEX, REAL)),
    "im": fixed(shape(COMPLEX, REAL)),
}
"""By the names of the rows."""
