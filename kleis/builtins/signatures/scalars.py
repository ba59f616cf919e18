"""Signatures of bit-vectors.


A width is part of a sort, so it must be written: as a literal, or by the sort of an argument.  Before it is known the
answer is `Waiting`; where it never can be (``bv(x, n)``) there is no signature.

An integer beside a word of w bits is a parameter of sort ℤ, read at that width: it stands for its residue modulo 2^w,
and the call is defined where it fits, −2^(w−1) ≤ n < 2^w.  A literal that does not fit has no signature.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis import core
from kleis.builtins.row import Builtin
from kleis.builtins.signatures.shapes import (
    NUMBERS,
    Argument,
    Rule,
    Shape,
    Signature,
    Waiting,
    fixed,
    is_open,
    shape,
)

__all__ = ["NUMBER_RULES", "STRING_RULES", "WORD_RULES", "alike"]

_UNWRITTEN_WIDTH = 8


def _integer(argument: Argument) -> bool:
    return isinstance(argument.sort, core.Numeric) and argument.sort.name in ("ℕ", "ℤ")


def _of_two(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """An operation or comparison of two words of one width, one of which may be an integer."""
    widths = {each.sort.width for each in arguments if isinstance(each.sort, core.BitVec)}
    if not widths:
        waits = any(is_open(each.sort) for each in arguments)
        return Waiting("the width of the words") if waits else ()
    if len(widths) > 1:
        return ()
    (width,) = widths
    parameters: list[core.Sort] = []
    condition = None
    for parameter, each in zip(row.parameters, arguments, strict=True):
        if _integer(each):
            low, high = 1 << (width - 1), 1 << width
            if isinstance(each.literal, int) and not -low <= each.literal < high:
                return ()
            condition = f"0 - {low} ≤ {parameter.name} ∧ {parameter.name} < {high}"
            parameters.append(core.INTEGER)
        elif is_open(each.sort) or isinstance(each.sort, core.BitVec):
            parameters.append(core.BitVec(width))
        else:
            return ()
    result = core.BOOL if row.result == "Bool" else core.BitVec(width)
    return (Signature(row=row, parameters=tuple(parameters), result=result, condition=condition),)


def _of_one(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    sort = arguments[0].sort
    if is_open(sort):
        return Waiting("the width of the word")
    if not isinstance(sort, core.BitVec):
        return ()
    results: Mapping[str, core.Sort] = {
        "bv_to_int": core.NATURAL,
        "bv_to_signed": core.INTEGER,
        "bvwidth": core.NATURAL,
    }
    return (Signature(row=row, parameters=(sort,), result=results.get(row.name, sort)),)


def _of_integer(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """`bv`: the width is a literal, and at least 1, which is the row's condition."""
    width = arguments[1].literal
    if not isinstance(width, int) or width < 1:
        return ()
    return (Signature(row=row, parameters=(core.INTEGER, core.INTEGER), result=core.BitVec(width)),)


def _constant(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    width = arguments[0].literal if arguments else _UNWRITTEN_WIDTH
    if not isinstance(width, int) or width < 1:
        return ()
    return (Signature(row=row, parameters=(core.INTEGER,) * len(arguments), result=core.BitVec(width)),)


def _extract(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    high, low, sort = arguments[0].literal, arguments[1].literal, arguments[2].sort
    if is_open(sort):
        return Waiting("the width of the word")
    if not (isinstance(high, int) and isinstance(low, int) and isinstance(sort, core.BitVec)):
        return ()
    if not 0 <= low <= high < sort.width:
        return ()
    return (
        Signature(row=row, parameters=(core.INTEGER, core.INTEGER, sort), result=core.BitVec(high - low + 1)),
    )


def _join(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    first, second = arguments[0].sort, arguments[1].sort
    if is_open(first) or is_open(second):
        return Waiting("the widths of the words")
    if not (isinstance(first, core.BitVec) and isinstance(second, core.BitVec)):
        return ()
    return (Signature(row=row, parameters=(first, second), result=core.BitVec(first.width + second.width)),)


def _extension(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    count, sort = arguments[0].literal, arguments[1].sort
    if is_open(sort):
        return Waiting("the width of the word")
    if not (isinstance(count, int) and count >= 0 and isinstance(sort, core.BitVec)):
        return ()
    return (Signature(row=row, parameters=(core.INTEGER, sort), result=core.BitVec(sort.width + count)),)


WORD_RULES: Mapping[str, Rule] = {
    "bv": _of_integer,
    **dict.fromkeys(("bv_to_int", "bv_to_signed", "bvwidth", "bvnot", "bvneg"), _of_one),
    **dict.fromkeys(("bvzero", "bvones", "bvone"), _constant),
    **dict.fromkeys(
        (
            *("bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem"),
            *("bvshl", "bvlshr", "bvashr"),
            *("bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"),
        ),
        _of_two,
    ),
    "extract": _extract,
    "bvconcat": _join,
    "zext": _extension,
    "sext": _extension,
}


# Signatures of arithmetic, comparison, elementary functions and complex numbers.
#
# An operation is given at every sort of numbers where it stays within the sort, so that no call leaves ℤ or ℚ without
# need: ``-`` on ℕ gives ℤ, ``/`` on ℤ gives ℚ, `abs` of ℤ gives ℕ.
#
# Incomplete are what has irrational values (`sqrt`, `sin`, the modulus of a complex number), `gcd`, `lcm`, `factorial`,
# `numer` and `denom` (lowest terms), and powers whose exponent is no literal.

_ORDERED = NUMBERS[:-1]


def alike(sorts: tuple[core.Numeric, ...], count: int) -> tuple[Shape, ...]:
    """An operation on `count` numbers of one sort that stays within it."""
    return tuple(((each,) * count, each) for each in sorts)


_COMPARISON = fixed(*(((each, each), core.BOOL) for each in _ORDERED))
_ROUNDING = fixed(
    shape(core.INTEGER, core.INTEGER), shape(core.RATIONAL, core.INTEGER), shape(core.REAL, core.INTEGER)
)
_REAL_FUNCTION = fixed(shape(core.REAL, core.REAL), incomplete=True)
_REAL_FUNCTION_OF_TWO = fixed(shape(core.REAL, core.REAL, core.REAL), incomplete=True)
_REAL_CONSTANT = fixed(shape(core.REAL), incomplete=True)
_COMPLEX_FUNCTION_OF_TWO = fixed(shape(core.COMPLEX, core.COMPLEX, core.COMPLEX))


def _power(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
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
        for base in (core.RATIONAL, core.REAL, core.COMPLEX)
    ]
    real = Signature(
        row=row, parameters=(core.REAL, core.REAL), result=core.REAL, incomplete=True, condition=row.condition
    )
    return (*natural, *integer, real)


def _modulus(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
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


NUMBER_RULES: Mapping[str, Rule] = {
    "divide": fixed(*alike((core.RATIONAL, core.REAL, core.COMPLEX), 2)),
    "div": fixed(*alike((core.NATURAL, core.INTEGER), 2)),
    "mod": fixed(*alike((core.NATURAL, core.INTEGER), 2)),
    "rem": fixed(*alike(_ORDERED, 2)),
    "power": _power,
    # Of an integer it is the factorial of that integer as a natural number, undefined below 0 as the row says.
    "factorial": fixed(shape(core.NATURAL, core.NATURAL), incomplete=True, total=True),
    "gcd": fixed(shape(core.INTEGER, core.INTEGER, core.NATURAL), incomplete=True),
    "lcm": fixed(shape(core.INTEGER, core.INTEGER, core.NATURAL), incomplete=True),
    "abs": _modulus,
    "floor": _ROUNDING,
    "ceil": _ROUNDING,
    "round": _ROUNDING,
    "trunc": _ROUNDING,
    "frac": fixed(*alike((core.RATIONAL, core.REAL), 1)),
    "sign": _ROUNDING,
    "min": fixed(*alike(_ORDERED, 2)),
    "max": fixed(*alike(_ORDERED, 2)),
    "rational": fixed(shape(core.RATIONAL, core.RATIONAL, core.RATIONAL)),
    "reciprocal": fixed(*alike((core.RATIONAL, core.REAL, core.COMPLEX), 1)),
    "numer": fixed(shape(core.RATIONAL, core.INTEGER), incomplete=True),
    "denom": fixed(shape(core.RATIONAL, core.NATURAL), incomplete=True),
    # The row is also called to_rational; the number is the same in any case.
    "to_real": fixed(*alike((core.RATIONAL, core.REAL), 1)),
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
    "complex": fixed(shape(core.REAL, core.REAL, core.COMPLEX)),
    "complex_add": _COMPLEX_FUNCTION_OF_TWO,
    "complex_sub": _COMPLEX_FUNCTION_OF_TWO,
    "complex_mul": _COMPLEX_FUNCTION_OF_TWO,
    "complex_div": _COMPLEX_FUNCTION_OF_TWO,
    "complex_inverse": fixed(shape(core.COMPLEX, core.COMPLEX)),
    "conj": fixed(shape(core.COMPLEX, core.COMPLEX)),
    "abs_squared": fixed(shape(core.COMPLEX, core.REAL)),
    "re": fixed(shape(core.COMPLEX, core.REAL)),
    "im": fixed(shape(core.COMPLEX, core.REAL)),
}


# Signatures of strings and regular expressions.
#
# Numbers are no strings here: the table's sort ``Text``, which takes a number as its digits, is String.
#
# Complete is what has an exact counterpart in SMT-LIB, as it is or by cases (negative arguments of `substr`, negative
# integers of `intToStr`, an empty `old` of `replaceAll`, the first character of `re_range`).  Incomplete are what trims
# white space (`trim`, and `strToInt`, which also takes a sign) and what splits lines; and regular expressions whose
# bounds or characters are not literals, because SMT-LIB wants them written.
#
# A string where a regular expression stands is the expression for itself.

_A = core.SortVariable("a")
_TEST = fixed(shape(core.STRING, core.STRING, core.BOOL))
_CLASS = fixed(shape(core.STRING, core.BOOL))
_REPLACEMENT = fixed(shape(core.STRING, core.STRING, core.STRING, core.STRING))
_TRIMMED = fixed(shape(core.STRING, core.STRING), incomplete=True)
_CONSTANT = fixed(shape(core.REGEX))


def _concat(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return tuple(
        Signature(row=row, parameters=(sort,) * len(arguments), result=sort)
        for sort in (core.STRING, core.ListOf(_A))
    )


def _expression(argument: Argument) -> core.Sort:
    """The sort of a parameter for a regular expression: a string is one too."""
    return core.STRING if argument.sort == core.STRING else core.REGEX


def _expressions(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """An operation on regular expressions only."""
    return (Signature(row=row, parameters=tuple(map(_expression, arguments)), result=core.REGEX),)


def _matches(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=(core.STRING, _expression(arguments[1])), result=core.BOOL),)


def _range(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    written = all(isinstance(each.literal, str) for each in arguments)
    return (
        Signature(
            row=row,
            parameters=(core.STRING, core.STRING),
            result=core.REGEX,
            incomplete=not written,
            condition=row.condition,
        ),
    )


def _loop(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    written = all(isinstance(each.literal, int) for each in arguments[1:])
    parameters = (_expression(arguments[0]), core.INTEGER, core.INTEGER)
    return (Signature(row=row, parameters=parameters, result=core.REGEX, incomplete=not written),)


STRING_RULES: Mapping[str, Rule] = {
    "concat": _concat,
    "empty_string": fixed(shape(core.STRING)),
    "str_eq": _TEST,
    "strlen": fixed(shape(core.STRING, core.NATURAL)),
    "hasPrefix": _TEST,
    "hasSuffix": _TEST,
    "contains": _TEST,
    "indexOf": fixed(
        shape(core.STRING, core.STRING, core.INTEGER),
        shape(core.STRING, core.STRING, core.INTEGER, core.INTEGER),
    ),
    "substr": fixed(shape(core.STRING, core.INTEGER, core.INTEGER, core.STRING)),
    "charAt": fixed(shape(core.STRING, core.INTEGER, core.STRING)),
    "replace": _REPLACEMENT,
    "replaceAll": _REPLACEMENT,
    "intToStr": fixed(shape(core.INTEGER, core.STRING)),
    "strToInt": fixed(shape(core.STRING, core.INTEGER), incomplete=True),
    "trim": _TRIMMED,
    "trimLeft": _TRIMMED,
    "trimRight": _TRIMMED,
    "isAscii": _CLASS,
    "isDigits": _CLASS,
    "isAlpha": _CLASS,
    "isAlphaNum": _CLASS,
    "splitLines": fixed(shape(core.STRING, core.ListOf(core.STRING)), incomplete=True),
    "countLines": fixed(shape(core.STRING, core.NATURAL), incomplete=True),
    "nthLine": fixed(shape(core.STRING, core.INTEGER, core.STRING), incomplete=True),
    "foldLines": fixed(shape(core.FunctionOf((core.STRING, _A), _A), _A, core.STRING, _A), incomplete=True),
    "matches": _matches,
    "re_literal": fixed(shape(core.STRING, core.REGEX)),
    "re_range": _range,
    "re_star": _expressions,
    "re_plus": _expressions,
    "re_option": _expressions,
    "re_concat": _expressions,
    "re_union": _expressions,
    "re_intersect": _expressions,
    "re_complement": _expressions,
    "re_loop": _loop,
    "re_full": _CONSTANT,
    "re_empty": _CONSTANT,
    "re_allchar": _CONSTANT,
}
