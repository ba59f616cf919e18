"""Exact arithmetic on real and complex numbers. See docs/reference/kleis.md §6.2.

Invariants
    * Operations on exact numbers give exact numbers; a float appears only if an operand is one, or a root is irrational.
    * `div` and `mod` floor: a = b * div(a, b) + mod(a, b), and `mod` has the sign of b.
    * No infinity and no NaN: a float operation that would give one is undefined.
    * The work on large integers is charged before it is done.
    * 0 ^ 0 is 1; 0 to a negative power is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from kleis.budget import Meter
from kleis.builtins.row import undefined
from kleis.errors import EvaluationError
from kleis.values import Complex, Number, complex_value, exact

__all__ = [
    "Numeric",
    "add",
    "approximate",
    "compare",
    "divide",
    "exact_root",
    "factorial",
    "finite",
    "floor_divide",
    "modulo",
    "modulus",
    "multiply",
    "negate",
    "negate_real",
    "power",
    "remainder",
    "square_root",
    "subtract",
    "too_large",
]

Numeric = Number | Complex


def _words(number: Number) -> int:
    if isinstance(number, Fraction):
        return (number.numerator.bit_length() + number.denominator.bit_length()) // 64 + 1
    return number.bit_length() // 64 + 1 if isinstance(number, int) else 1


_FREE_BITS = 4 * 64
"""Two integers with fewer bits each have at most 8 words together, which cost nothing."""


def _pay(meter: Meter, a: Number, b: Number) -> None:
    """Charge for a product, quotient or sum of two numbers; BudgetError if it would be too large."""
    if type(a) is int and type(b) is int and a.bit_length() < _FREE_BITS and b.bit_length() < _FREE_BITS:
        return
    words_a, words_b = _words(a), _words(b)
    if words_a + words_b > 8:
        meter.admit_bits((words_a + words_b) * 64 - 128)
        meter.charge(words_a * words_b >> 6)


def approximate(number: Number) -> float:
    """The float nearest to a number."""
    try:
        return float(number)
    except OverflowError:
        raise too_large() from None


def finite(compute: Callable[[], float]) -> float:
    """The result of a float computation, if it is a number."""
    try:
        result = compute()
    except OverflowError:
        result = math.inf
    except (ValueError, ZeroDivisionError):
        result = math.nan
    if math.isnan(result):
        raise undefined("the result is no real number")
    if math.isinf(result):
        raise too_large()
    return result


def too_large() -> EvaluationError:
    """The error of a number that exists but is beyond the floats, which makes nothing undefined."""
    return EvaluationError(
        "a number is too large to be approximated", code="approximation", hint="keep the calculation exact"
    )


def _real(meter: Meter, a: Number, b: Number, operation: Callable[[Number, Number], Number]) -> Number:
    if type(a) is int and type(b) is int:
        _pay(meter, a, b)
        return operation(a, b)
    if isinstance(a, float) or isinstance(b, float):
        x, y = approximate(a), approximate(b)
        return finite(lambda: float(operation(x, y)))
    _pay(meter, a, b)
    result = operation(a, b)
    return exact(result) if isinstance(result, Fraction) else result


def _parts(a: Numeric) -> tuple[Number, Number]:
    return (a.real, a.imaginary) if isinstance(a, Complex) else (a, 0)


def add(meter: Meter, a: Numeric, b: Numeric) -> Numeric:
    """a + b"""
    if isinstance(a, Complex) or isinstance(b, Complex):
        (x, y), (u, v) = _parts(a), _parts(b)
        return complex_value(_real(meter, x, u, _plus), _real(meter, y, v, _plus))
    return _real(meter, a, b, _plus)


def subtract(meter: Meter, a: Numeric, b: Numeric) -> Numeric:
    """a - b"""
    return add(meter, a, negate(b))


def multiply(meter: Meter, a: Numeric, b: Numeric) -> Numeric:
    """a * b"""
    if isinstance(a, Complex) or isinstance(b, Complex):
        (x, y), (u, v) = _parts(a), _parts(b)
        real = _real(meter, _real(meter, x, u, _times), _real(meter, y, v, _times), _minus)
        imaginary = _real(meter, _real(meter, x, v, _times), _real(meter, y, u, _times), _plus)
        return complex_value(real, imaginary)
    return _real(meter, a, b, _times)


def divide(meter: Meter, a: Numeric, b: Numeric) -> Numeric:
    """a / b, exact on exact numbers"""
    if isinstance(b, Complex):
        squared = _real(
            meter, _real(meter, b.real, b.real, _times), _real(meter, b.imaginary, b.imaginary, _times), _plus
        )
        conjugate = complex_value(b.real, negate_real(b.imaginary))
        return divide(meter, multiply(meter, a, conjugate), squared)
    if b == 0:
        raise undefined("division by zero", "guard the division, or state that the divisor is not 0")
    if isinstance(a, Complex):
        return complex_value(_quotient(meter, a.real, b), _quotient(meter, a.imaginary, b))
    return _quotient(meter, a, b)


def _quotient(meter: Meter, a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        x, y = approximate(a), approximate(b)
        return finite(lambda: x / y)
    _pay(meter, a, b)
    return exact(Fraction(a) / Fraction(b))


def negate_real(a: Number) -> Number:
    """-a, for a real number"""
    return 0.0 if isinstance(a, float) and a == 0 else -a


def negate(a: Numeric) -> Numeric:
    """-a"""
    if isinstance(a, Complex):
        return complex_value(negate_real(a.real), negate_real(a.imaginary))
    return negate_real(a)


def floor_divide(meter: Meter, a: int, b: int) -> int:
    """⌊a / b⌋"""
    if b == 0:
        raise undefined("div by zero", "guard the division, or state that the divisor is not 0")
    _pay(meter, a, b)
    return a // b


def modulo(meter: Meter, a: int, b: int) -> int:
    """a - b * ⌊a / b⌋"""
    if b == 0:
        raise undefined("mod by zero", "guard it, or state that the divisor is not 0")
    _pay(meter, a, b)
    return a % b


def remainder(meter: Meter, a: Number, b: Number) -> Number:
    """a - b * trunc(a / b): the remainder with the sign of a"""
    if b == 0:
        raise undefined("remainder by zero", "guard it, or state that the divisor is not 0")
    if isinstance(a, float) or isinstance(b, float):
        x, y = approximate(a), approximate(b)
        return finite(lambda: math.fmod(x, y))
    _pay(meter, a, b)
    quotient = Fraction(a) / Fraction(b)
    return exact(Fraction(a - b * math.trunc(quotient)))


def factorial(meter: Meter, n: int) -> int:
    """n!"""
    if n < 0:
        raise undefined(f"the factorial of {n}", "state that the argument is not negative")
    bits = n * max(n.bit_length(), 1)
    # Stirling: log2(n!) ≤ n log2 n; the bound is within a factor 2 wherever it matters.
    if bits > 2 * meter.budget.size:
        meter.admit_bits(bits // 2)
    meter.charge(n + (bits // 64) ** 2 // 64)
    return math.factorial(n)


def compare(meter: Meter, a: Number, b: Number, test: Callable[[Number, Number], bool]) -> bool:
    """A comparison of two real numbers."""
    if isinstance(a, float) or isinstance(b, float):
        meter.approximate = True
        return test(a, b)
    if isinstance(a, Fraction) or isinstance(b, Fraction):
        _pay(meter, a, b)
    return test(a, b)


def _plus(a: Number, b: Number) -> Number:
    return a + b


def _minus(a: Number, b: Number) -> Number:
    return a - b


def _times(a: Number, b: Number) -> Number:
    return a * b


# Powers and roots: exact where the result is rational, a float otherwise.

_GREATEST_ROOT = 64


def power(meter: Meter, base: Numeric, exponent: Number) -> Numeric:
    """base ^ exponent"""
    if isinstance(exponent, int):
        return _integer_power(meter, base, exponent)
    if isinstance(base, Complex):
        raise undefined("a complex number to a power that is no integer", "use an integer exponent")
    if base < 0:
        if isinstance(exponent, float) and exponent.is_integer():
            return finite(lambda: float(approximate(base) ** exponent))
        raise undefined(
            "a negative number to a power that is no integer", "state that the base is not negative"
        )
    if base == 0 and exponent < 0:
        raise undefined("0 to a negative power", "state that the base is not 0")
    if isinstance(exponent, Fraction) and not isinstance(base, float):
        root = exact_root(base, exponent.denominator)
        if root is not None:
            return _integer_power(meter, root, exponent.numerator)
    x, y = approximate(base), approximate(exponent)
    return finite(lambda: float(x**y))


def _integer_power(meter: Meter, base: Numeric, exponent: int) -> Numeric:
    if exponent < 0:
        if base == 0:
            raise undefined("0 to a negative power", "state that the base is not 0")
        return divide(meter, 1, _integer_power(meter, base, -exponent))
    if isinstance(base, float):
        if exponent.bit_length() > 1000:
            exponent_value = approximate(exponent)
            return finite(lambda: float(base**exponent_value))
        return finite(lambda: float(base**exponent))
    if isinstance(base, Complex):
        return _complex_power(meter, base, exponent)
    if base in (0, 1, -1):
        return base if exponent % 2 or base == 1 else (1 if base or not exponent else 0)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    meter.admit_bits(bits * exponent)
    meter.charge((bits * exponent // 64) ** 2 // 16)
    result = base**exponent
    return exact(result) if isinstance(result, Fraction) else int(result)


def _complex_power(meter: Meter, base: Complex, exponent: int) -> Numeric:
    result: Numeric = 1
    factor: Numeric = base
    while exponent:
        meter.charge(1)
        if exponent & 1:
            result = multiply(meter, result, factor)
        exponent >>= 1
        if exponent:
            factor = multiply(meter, factor, factor)
    return result


def exact_root(number: int | Fraction, order: int) -> int | Fraction | None:
    """The root of a number that is not negative, if it is rational and the order is small."""
    if order > _GREATEST_ROOT:
        return number if number in (0, 1) else None
    above = _integer_root(number.numerator, order)
    below = _integer_root(number.denominator, order)
    return None if above is None or below is None else exact(Fraction(above, below))


def _integer_root(number: int, order: int) -> int | None:
    if order == 2:
        root = math.isqrt(number)
    else:
        # Newton's method from above: the first guess is at least the root, and the guesses fall until it is met.
        root = 1 << -(-number.bit_length() // order)
        while number:
            smaller = ((order - 1) * root + number // root ** (order - 1)) // order
            if smaller >= root:
                break
            root = smaller
    return root if root**order == number else (0 if number == 0 else None)


def square_root(meter: Meter, a: Number) -> Number:
    """√a: exact for squares of rationals"""
    if a < 0:
        raise undefined("the square root of a negative number", "state that the argument is not negative")
    if not isinstance(a, float):
        meter.charge((a.numerator.bit_length() + a.denominator.bit_length()) // 16)
        root = exact_root(a, 2)
        if root is not None:
            return root
        return _large_root(a)
    return math.sqrt(a)


def _large_root(a: int | Fraction) -> float:
    """√a for a number that may be beyond the floats although its root is not."""
    try:
        return math.sqrt(a)
    except OverflowError:
        return approximate(math.isqrt(a.numerator // a.denominator))


def modulus(meter: Meter, a: Numeric) -> Number:
    """|a|"""
    if not isinstance(a, Complex):
        return -a if a < 0 else a
    if isinstance(a.real, float) or isinstance(a.imaginary, float):
        x, y = approximate(a.real), approximate(a.imaginary)
        return finite(lambda: math.hypot(x, y))
    squares = multiply(meter, a.real, a.real), multiply(meter, a.imaginary, a.imaginary)
    total = sum(square for square in squares if not isinstance(square, Complex))
    return square_root(meter, total)
