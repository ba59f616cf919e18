"""Tiers T0 and T6: arithmetic, comparison and logic under the operators' canonical names; complex numbers.

∧ ∨ ¬ → are strong Kleene: the evaluator gives them their truth tables before it calls a row, so the functions
here see decided truth values only. See docs/reference/kleis.md §8.2.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

from kleis import core
from kleis.builtins import exact_numbers, matrix_shapes
from kleis.builtins.exact_numbers import Numeric
from kleis.builtins.matrix_algebra import is_matrix, matrix_product, matrix_sum, scale_matrix
from kleis.builtins.matrix_shapes import numbers_or_matrices
from kleis.builtins.row import (
    CORE_FORM,
    Argument,
    Builtin,
    Context,
    Signature,
    Undecided,
    Waiting,
    row,
    undefined,
    wrong_sort,
)
from kleis.builtins.rows.strings import CONCAT, joined
from kleis.builtins.shapes import FIELDS, NUMBERS, ORDERED, SIGNED, alike, fixed, shape
from kleis.values import Complex, Number, Value, complex_value, equal, exact, indistinct, kind_name

__all__ = ["COMPLEX_NUMBERS", "CORE"]


def _plus(context: Context, a: Value, b: Value) -> Value:
    if type(a) is int and type(b) is int:
        return exact_numbers.add(context, a, b)
    if isinstance(a, str) and isinstance(b, str):
        return joined(context, a, b)
    if isinstance(a, str) or isinstance(b, str):
        other = kind_name(b if isinstance(a, str) else a)
        raise wrong_sort(
            f"a string and {other} have no sum",
            found=other,
            expected="a string",
            hint="str(…) is the text of a value",
        )
    if is_matrix(a) or is_matrix(b):
        return matrix_sum(context, a, b)
    return exact_numbers.add(context, _numeric(a), _numeric(b))


def _minus(context: Context, a: Value, b: Value) -> Value:
    if is_matrix(a) or is_matrix(b):
        return matrix_sum(context, a, scale_matrix(context, -1, b))
    return exact_numbers.subtract(context, _numeric(a), _numeric(b))


def _times(context: Context, a: Value, b: Value) -> Value:
    if type(a) is int and type(b) is int:
        return exact_numbers.multiply(context, a, b)
    if is_matrix(a):
        return matrix_product(context, a, b) if is_matrix(b) else scale_matrix(context, b, a)
    if is_matrix(b):
        return scale_matrix(context, a, b)
    return exact_numbers.multiply(context, _numeric(a), _numeric(b))


def _numeric(value: Value) -> Numeric:
    # The parameters of these rows take numbers and matrices only.
    assert isinstance(value, Numeric)
    return value


def _negate(context: Context, a: Value) -> Value:
    return scale_matrix(context, -1, a) if is_matrix(a) else exact_numbers.negate(_numeric(a))


def _equals(context: Context, a: Value, b: Value) -> bool:
    verdict = equal(a, b, context)
    if verdict is None:
        raise Undecided
    return verdict


def _differs(context: Context, a: Value, b: Value) -> bool:
    return not _equals(context, a, b)


def _ordered(context: Context, a: Number, b: Number, test: Callable[[Number, Number], bool]) -> bool:
    if indistinct(a, b):
        context.approximate = True
        raise Undecided
    return exact_numbers.compare(context, a, b, test)


def _less(context: Context, a: Number, b: Number) -> bool:
    return _ordered(context, a, b, operator.lt)


def _at_most(context: Context, a: Number, b: Number) -> bool:
    return _ordered(context, a, b, operator.le)


def _greater(context: Context, a: Number, b: Number) -> bool:
    return _ordered(context, a, b, operator.gt)


def _at_least(context: Context, a: Number, b: Number) -> bool:
    return _ordered(context, a, b, operator.ge)


def _gcd(context: Context, a: int, b: int) -> int:
    context.charge((a.bit_length() // 64 + 1) * (b.bit_length() // 64 + 1))
    return math.gcd(a, b)


def _lcm(context: Context, a: int, b: int) -> int:
    context.admit_bits(a.bit_length() + b.bit_length())
    _gcd(context, a, b)
    return math.lcm(a, b)


def _rounded(context: Context, a: Number) -> Number:
    if isinstance(a, float):
        context.approximate = True
    return a


def _floor(context: Context, a: Number) -> int:
    return math.floor(_rounded(context, a))


def _ceiling(context: Context, a: Number) -> int:
    return math.ceil(_rounded(context, a))


def _truncate(context: Context, a: Number) -> int:
    return math.trunc(_rounded(context, a))


def _round(context: Context, a: Number) -> int:
    half = Fraction(_rounded(context, a)) + Fraction(1, 2)
    return math.floor(half) if a >= 0 else math.ceil(half - 1)


def _fraction(context: Context, a: Number) -> Number:
    return a - math.trunc(a) if isinstance(a, float) else exact(Fraction(a - math.trunc(a)))


def _sign(context: Context, a: Number) -> int:
    return (_rounded(context, a) > 0) - (a < 0)


def _least(context: Context, a: Number, b: Number) -> Number:
    return a if exact_numbers.compare(context, a, b, operator.le) else b


def _greatest(context: Context, a: Number, b: Number) -> Number:
    return a if exact_numbers.compare(context, a, b, operator.ge) else b


def _numerator(context: Context, a: int | Fraction) -> int:
    return a.numerator


def _denominator(context: Context, a: int | Fraction) -> int:
    return a.denominator


def _same(context: Context, a: Value) -> Value:
    return a


def _reciprocal(context: Context, a: Numeric) -> Numeric:
    return exact_numbers.divide(context, 1, a)


def _rational(context: Context, a: int | Fraction, b: int | Fraction) -> Numeric:
    if b == 0:
        raise undefined("a rational with denominator 0", "state that the denominator is not 0")
    return exact_numbers.divide(context, a, b)


# Signatures.  An operation is given at every sort of numbers where it stays within the sort, so that no call leaves ℤ or
# ℚ without need: ``-`` on ℕ gives ℤ, ``/`` on ℤ gives ℚ, `abs` of ℤ gives ℕ.
#
# Incomplete are what has irrational values (the modulus of a complex number), `gcd`, `lcm`, `factorial`, `numer` and
# `denom` (lowest terms), and powers whose exponent is no literal.

_OF_TWO_NUMBERS = fixed(*alike(NUMBERS, 2))
_OF_TWO_INTEGERS = fixed(*alike((core.NATURAL, core.INTEGER), 2))
_COMMON = fixed(shape(core.INTEGER, core.INTEGER, core.NATURAL), incomplete=True)
# Of an integer it is the factorial of that integer as a natural number, undefined below 0 as the row says.
_FACTORIAL = fixed(shape(core.NATURAL, core.NATURAL), incomplete=True, total=True)
_ROUNDING = fixed(*(shape(each, core.INTEGER) for each in (core.INTEGER, core.RATIONAL, core.REAL)))
# `to_real` is also called to_rational; the number is the same in any case.
_RATIONAL_OR_REAL = fixed(*alike((core.RATIONAL, core.REAL), 1), incomplete=True)
_ORDER = fixed(*(shape(each, each, core.BOOL) for each in ORDERED))


def _power_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """a ^ b is a product for b in ℕ (0 ^ 0 = 1), a quotient of one for b in ℤ, and else a real power of a real a."""
    literal = isinstance(arguments[1].literal, int)
    natural = [
        Signature(row=row, parameters=(base, core.NATURAL), result=base, incomplete=not literal)
        for base in NUMBERS
    ]
    integer = [
        Signature(
            row=row,
            parameters=(base, core.INTEGER),
            result=base,
            incomplete=not literal,
            condition="a ≠ 0 ∨ b ≥ 0",
        )
        for base in FIELDS
    ]
    real = Signature(
        row=row, parameters=(core.REAL, core.REAL), result=core.REAL, incomplete=True, condition=row.condition
    )
    return (*natural, *integer, real)


def _modulus_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    shapes = (
        (core.NATURAL, core.NATURAL),
        (core.INTEGER, core.NATURAL),
        (core.RATIONAL, core.RATIONAL),
        (core.REAL, core.REAL),
        (core.COMPLEX, core.REAL),
    )
    return tuple(
        Signature(row=row, parameters=(sort,), result=result, incomplete=sort == core.COMPLEX)
        for sort, result in shapes
    )


_NUMBERS_OR_MATRICES = numbers_or_matrices(_OF_TWO_NUMBERS, matrix_shapes.sum_of(core.NATURAL))


def _sum_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """Beside a string it is `concat`; otherwise the sum of numbers or matrices."""
    if any(each.sort == core.STRING for each in arguments):
        return (Signature(row=CONCAT, parameters=(core.STRING, core.STRING), result=core.STRING),)
    return _NUMBERS_OR_MATRICES(row, arguments)


_ARITHMETIC = (
    row("plus(a : ℂ|Matrix|String, b : ℂ|Matrix|String) : ℂ or Matrix or String", _sum_signatures, _plus,
        "The sum; of matrices, entry by entry; of strings, the one and then the other.", ("1/3 + 1/6", "1/2"),
        ('"a" + "b"', '"ab"'), ("2^70 + 1", "1180591620717411303425"),
        tier="T0", aliases="add rat_add rational_add"),
    row("minus(a : ℂ|Matrix, b : ℂ|Matrix) : ℂ or Matrix",
        numbers_or_matrices(fixed(*alike(SIGNED, 2)), matrix_shapes.sum_of(core.INTEGER)), _minus, "The difference.",
        ("3 - 5", "negate(2)"), ("0.3 - 0.1", "0.2"), tier="T0", aliases="sub subtract rat_sub rational_sub"),
    row("times(a : ℂ|Matrix, b : ℂ|Matrix) : ℂ or Matrix", numbers_or_matrices(_OF_TWO_NUMBERS, matrix_shapes.product),
        _times, "The product; of matrices the matrix product, of a number and a matrix the multiple.",
        ("0.1 * 10", "1"), ("3 * eye(2)", "[[3, 0], [0, 3]] + zeros(2)"), tier="T0",
        aliases="mul rat_mul rational_mul"),
    row("divide(a : ℂ, b : ℂ) : ℂ", fixed(*alike(FIELDS, 2)), exact_numbers.divide,
        "The quotient, exact on exact numbers.", ("6 / 4", "1.5"), ("1 / 0", "undefined"), tier="T0",
        aliases="rat_div rational_div", condition="b ≠ 0"),
    row("div(a : ℤ, b : ℤ) : ℤ", _OF_TWO_INTEGERS, exact_numbers.floor_divide, "The quotient rounded down: ⌊a / b⌋.",
        ("div(7, 2)", "3"), ("div(0 - 7, 2)", "0 - 4"), ("div(7, 0 - 2)", "0 - 4"), ("div(1, 0)", "undefined"),
        tier="T0", aliases="int_div", condition="b ≠ 0"),
    row("mod(a : ℤ, b : ℤ) : ℤ", _OF_TWO_INTEGERS, exact_numbers.modulo, "a - b * div(a, b), which has the sign of b.",
        ("mod(0 - 7, 3)", "2"), ("mod(7, 0 - 3)", "0 - 2"), ("mod(1, 0)", "undefined"), tier="T0", aliases="int_mod",
        condition="b ≠ 0"),
    row("rem(a : ℝ, b : ℝ) : ℝ", fixed(*alike(ORDERED, 2), incomplete=True), exact_numbers.remainder,
        "a - b * trunc(a / b), which has the sign of a.", ("rem(0 - 7, 3)", "0 - 1"), ("fmod(7.5, 2)", "1.5"),
        ("rem(1, 0)", "undefined"), tier="T0", aliases="int_rem fmod remainder", condition="b ≠ 0"),
    row("negate(a : ℂ|Matrix) : ℂ or Matrix",
        numbers_or_matrices(fixed(*alike(SIGNED, 1)), matrix_shapes.sum_of(core.INTEGER)), _negate,
        "The number or matrix with the other sign.", ("negate(3)", "0 - 3"), tier="T0",
        aliases="neg rat_neg neg_rational neg_complex"),
    row("power(a : ℂ, b : ℝ) : ℂ", _power_signatures, exact_numbers.power,
        "a to the power b; exact for integer exponents and for roots that are rational.  0^0 is 1.",
        ("2^100", "1267650600228229401496703205376"), ("2^(0-2)", "1/4"), ("8^(2/3)", "4"), ("0^0", "1"),
        ("0^(0-1)", "undefined"), ("(0-8)^(1/3)", "undefined"), tier="T0", aliases="pow",
        condition="(a = 0 ∧ b ≥ 0) ∨ (a ≠ 0 ∧ floor(b) = b) ∨ (floor(b) ≠ b ∧ a > 0)"),
    row("factorial(n : ℤ) : ℕ", _FACTORIAL, exact_numbers.factorial, "n!", ("5!", "120"), ("0!", "1"),
        ("factorial(0 - 1)", "undefined"), tier="T0", condition="n ≥ 0"),
    row("gcd(a : ℤ, b : ℤ) : ℕ", _COMMON, _gcd, "The greatest common divisor.", ("gcd(12, 0 - 18)", "6"), tier="T0"),
    row("lcm(a : ℤ, b : ℤ) : ℕ", _COMMON, _lcm, "The least common multiple.", ("lcm(4, 6)", "12"), tier="T0"),
    row("abs(a : ℂ) : ℝ", _modulus_signatures, exact_numbers.modulus, "The absolute value; of a complex number the modulus.",
        ("abs(0 - 3)", "3"), ("abs(complex(3, 4))", "5"), tier="T0",
        aliases="fabs absolute abs_rational complex_abs modulus"),
    row("floor(a : ℝ) : ℤ", _ROUNDING, _floor, "The greatest integer ≤ a.", ("floor(0 - 1/2)", "0 - 1"), tier="T0"),
    row("ceil(a : ℝ) : ℤ", _ROUNDING, _ceiling, "The least integer ≥ a.", ("ceil(1/2)", "1"), tier="T0",
        aliases="ceiling"),
    row("round(a : ℝ) : ℤ", _ROUNDING, _round, "The nearest integer; halves go away from 0.", ("round(5/2)", "3"),
        ("round(0 - 5/2)", "0 - 3"), ("round(2.4)", "2"), tier="T0"),
    row("trunc(a : ℝ) : ℤ", _ROUNDING, _truncate, "a without its fraction.", ("trunc(0 - 7/2)", "0 - 3"), tier="T0",
        aliases="truncate"),
    row("frac(a : ℝ) : ℝ", _RATIONAL_OR_REAL, _fraction, "a - trunc(a).",
        ("frac(7/2)", "1/2"), ("frac(0 - 7/2)", "0 - 1/2"), tier="T0", aliases="fract"),
    row("sign(a : ℝ) : ℤ", _ROUNDING, _sign, "-1, 0 or 1.", ("sign(0)", "0"), ("sign(0 - 2)", "0 - 1"), tier="T0",
        aliases="signum"),
    row("min(a : ℝ, b : ℝ) : ℝ", fixed(*alike(ORDERED, 2)), _least, "The smaller one.", ("min(3, 2)", "2"), tier="T0"),
    row("max(a : ℝ, b : ℝ) : ℝ", fixed(*alike(ORDERED, 2)), _greatest, "The greater one.", ("max(3, 2)", "3"),
        tier="T0"),
    row("rational(p : ℚ, q : ℚ) : ℚ", fixed(shape(core.RATIONAL, core.RATIONAL, core.RATIONAL)), _rational, "p / q",
        ("rational(2, 4)", "1/2"), ("rational(1, 0)", "undefined"), tier="T0", condition="q ≠ 0"),
    row("reciprocal(a : ℂ) : ℂ", fixed(*alike(FIELDS, 1)), _reciprocal, "1 / a", ("reciprocal(4)", "0.25"),
        ("reciprocal(0)", "undefined"), tier="T0", aliases="rat_inv rational_inv", condition="a ≠ 0"),
    row("numer(a : ℚ) : ℤ", fixed(shape(core.RATIONAL, core.INTEGER), incomplete=True), _numerator,
        "The numerator in lowest terms.", ("numer(6/4)", "3"), tier="T0", aliases="numerator"),
    row("denom(a : ℚ) : ℕ", fixed(shape(core.RATIONAL, core.NATURAL), incomplete=True), _denominator,
        "The denominator in lowest terms, positive.", ("denom(6/4)", "2"), tier="T0", aliases="denominator"),
    row("to_real(a : ℝ) : ℝ", _RATIONAL_OR_REAL, _same, "The same number, as a real one.",
        ("to_real(3)", "3"), tier="T0", aliases="int_to_rational nat_to_rational to_rational"),
)  # fmt: skip

_COMPARISON = (
    row("equals(a : Any, b : Any) : Bool", CORE_FORM, _equals,
        "Structural equality; undecided where unbound names decide it.", ("[1, 2] = Cons(1, Cons(2, Nil))", "true"),
        ("1 = 1.0", "true"), ('"1" = 1', "false"), tier="T0", aliases="eq"),
    row("neq(a : Any, b : Any) : Bool", CORE_FORM, _differs, "Not equal.", ("Pair(1, 2) ≠ Pair(2, 1)", "true"),
        tier="T0", aliases="not_equals"),
    row("less_than(a : ℝ, b : ℝ) : Bool", _ORDER, _less, "a < b", ("1/3 < 0.34", "true"), tier="T0",
        aliases="lt rat_lt rational_lt"),
    row("leq(a : ℝ, b : ℝ) : Bool", _ORDER, _at_most, "a ≤ b", ("2 ≤ 2", "true"), tier="T0",
        aliases="le less_or_equal less_equal rat_le rational_le"),
    row("greater_than(a : ℝ, b : ℝ) : Bool", _ORDER, _greater, "a > b", ("2 > 2", "false"), tier="T0",
        aliases="gt rat_gt rational_gt"),
    row("geq(a : ℝ, b : ℝ) : Bool", _ORDER, _at_least, "a ≥ b", ("2 ≥ 3", "false"), tier="T0",
        aliases="ge greater_or_equal greater_equal rat_ge rational_ge"),
)  # fmt: skip

_LOGIC = (
    row("logical_and(a : Bool, b : Bool) : Bool", CORE_FORM, lambda context, a, b: a and b,
        "Both hold (strong Kleene).", ("true ∧ 2 < 3", "true"), ("1 = 2 ∧ 1/0 = 1", "false"),
        ("1/0 = 1 ∧ 1 = 2", "false"), ("1/0 = 1 ∧ true", "undefined"), ("and(true, true)", "true"), tier="T0",
        aliases="and"),
    row("logical_or(a : Bool, b : Bool) : Bool", CORE_FORM, lambda context, a, b: a or b,
        "One holds at least (strong Kleene).", ("1/0 = 1 ∨ true", "true"), ("false ∨ false", "false"),
        ("or(false, true)", "true"), tier="T0", aliases="or"),
    row("logical_not(a : Bool) : Bool", CORE_FORM, lambda context, a: not a, "It does not hold.", ("¬false", "true"),
        tier="T0"),
    row("implies(a : Bool, b : Bool) : Bool", CORE_FORM, lambda context, a, b: not a or b, "¬a ∨ b",
        ("false → 1/0 = 1", "true"), ("true → false", "false"), tier="T0"),
    row("iff(a : Bool, b : Bool) : Bool", CORE_FORM, lambda context, a, b: a is b,
        "Both hold or neither does; strict.", ("1 < 2 ↔ 2 < 3", "true"), ("1/0 = 1 ↔ true", "undefined"), tier="T0",
        aliases="biconditional equiv_bool"),
)  # fmt: skip

CORE: tuple[Builtin, ...] = _ARITHMETIC + _COMPARISON + _LOGIC


# Tier T6: complex numbers.  Arithmetic operators work on them too; ``complex(a, 0)`` is the real number a.


def _complex(context: Context, real: Number, imaginary: Number) -> Numeric:
    return complex_value(real, imaginary)


def _conjugate(context: Context, z: Numeric) -> Numeric:
    return complex_value(z.real, exact_numbers.negate_real(z.imaginary)) if isinstance(z, Complex) else z


def _squared(context: Context, z: Numeric) -> Numeric:
    if not isinstance(z, Complex):
        return exact_numbers.multiply(context, z, z)
    real, imaginary = z.real, z.imaginary
    return exact_numbers.add(
        context,
        exact_numbers.multiply(context, real, real),
        exact_numbers.multiply(context, imaginary, imaginary),
    )


def _real_part(context: Context, z: Numeric) -> Number:
    return z.real if isinstance(z, Complex) else z


def _imaginary_part(context: Context, z: Numeric) -> Number:
    return z.imaginary if isinstance(z, Complex) else 0


def _inverse(context: Context, z: Numeric) -> Numeric:
    return exact_numbers.divide(context, 1, z)


_OF_ONE_COMPLEX = fixed(*alike((core.COMPLEX,), 1))
_OF_TWO_COMPLEX = fixed(*alike((core.COMPLEX,), 2))
_REAL_OF_COMPLEX = fixed(shape(core.COMPLEX, core.REAL))

COMPLEX_NUMBERS: tuple[Builtin, ...] = (
    row("complex(re : ℝ, im : ℝ) : ℂ", fixed(shape(core.REAL, core.REAL, core.COMPLEX)), _complex, "re + im·i",
        ("complex(3, 0)", "3"), ("complex(0, 1) * complex(0, 1)", "0 - 1"),
        ("complex(1, 2) / complex(3, 4)", "complex(11/25, 2/25)"), tier="T6"),
    row("complex_add(a : ℂ, b : ℂ) : ℂ", _OF_TWO_COMPLEX, exact_numbers.add, "a + b",
        ("complex_add(complex(1, 2), complex(2, 3))", "complex(3, 5)"), tier="T6", aliases="cadd"),
    row("complex_sub(a : ℂ, b : ℂ) : ℂ", _OF_TWO_COMPLEX, exact_numbers.subtract, "a - b",
        ("complex_sub(complex(1, 2), complex(1, 3))", "complex(0, 0 - 1)"), tier="T6", aliases="csub"),
    row("complex_mul(a : ℂ, b : ℂ) : ℂ", _OF_TWO_COMPLEX, exact_numbers.multiply, "a * b",
        ("complex_mul(complex(1, 2), complex(3, 4))", "complex(0 - 5, 10)"), tier="T6", aliases="cmul"),
    row("complex_div(a : ℂ, b : ℂ) : ℂ", _OF_TWO_COMPLEX, exact_numbers.divide, "a / b",
        ("complex_div(2, complex(0, 1))", "complex(0, 0 - 2)"), ("complex_div(complex(0, 1), 0)", "undefined"),
        tier="T6", aliases="cdiv", condition="b ≠ 0"),
    row("complex_inverse(a : ℂ) : ℂ", _OF_ONE_COMPLEX, _inverse, "1 / a",
        ("complex_inverse(complex(0, 1))", "complex(0, 0 - 1)"), ("complex_inverse(0)", "undefined"), tier="T6",
        condition="a ≠ 0"),
    row("conj(a : ℂ) : ℂ", _OF_ONE_COMPLEX, _conjugate, "The conjugate.", ("conj(complex(1, 2))", "complex(1, 0 - 2)"),
        tier="T6", aliases="complex_conj conjugate"),
    row("abs_squared(a : ℂ) : ℝ", _REAL_OF_COMPLEX, _squared, "|a|²", ("abs_squared(complex(3, 4))", "25"), tier="T6",
        aliases="complex_abs_squared abs_sq"),
    row("re(a : ℂ) : ℝ", _REAL_OF_COMPLEX, _real_part, "The real part.", ("re(complex(1, 2))", "1"), ("Re(3)", "3"),
        tier="T6", aliases="Re real_part real"),
    row("im(a : ℂ) : ℝ", _REAL_OF_COMPLEX, _imaginary_part, "The imaginary part.", ("im(complex(1, 2))", "2"),
        ("Im(3)", "0"), tier="T6", aliases="Im imag_part imag"),
)  # fmt: skip
