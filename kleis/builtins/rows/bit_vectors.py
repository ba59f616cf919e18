"""Tier T7: bit-vectors as SMT-LIB defines them, so that evaluator and solver agree.

Division is total: dividing by 0 gives all ones, the remainder is then the dividend.  An integer beside a bit-vector is
read at its width if it fits. See docs/reference/kleis.md §8.7.
"""

from __future__ import annotations

from collections.abc import Callable

from kleis import core
from kleis.builtins.row import (
    Argument,
    Builtin,
    Context,
    Rule,
    Signature,
    Waiting,
    row,
    undefined,
    wrong_sort,
)
from kleis.builtins.shapes import is_open
from kleis.values import BitVector, Value

__all__ = ["BIT_VECTORS", "bit_vector"]


def bit_vector(context: Context, value: int, width: int) -> BitVector:
    """The bit-vector of `width` bits for an integer: its value modulo 2^width."""
    if width < 1:
        raise undefined(f"a bit-vector of width {width}", "a width is at least 1")
    context.admit_bits(width)
    return BitVector(width, value % (1 << width))


def _signed(vector: BitVector) -> int:
    sign = vector.bits >> (vector.width - 1)
    return vector.bits - (1 << vector.width) if sign else vector.bits


def _both(context: Context, a: Value, b: Value) -> tuple[BitVector, BitVector]:
    if isinstance(a, int) and isinstance(b, BitVector):
        a = _at_width(context, a, b.width)
    if isinstance(b, int) and isinstance(a, BitVector):
        b = _at_width(context, b, a.width)
    if not (isinstance(a, BitVector) and isinstance(b, BitVector)):
        raise wrong_sort(
            "two integers have no width", found="integers", expected="BitVec", hint="write bv(value, width)"
        )
    if a.width != b.width:
        raise wrong_sort(
            f"bit-vectors of widths {a.width} and {b.width}",
            found=f"width {b.width}",
            expected=f"width {a.width}",
            hint="extend one with zext or sext",
        )
    context.charge(a.width >> 6)
    return a, b


def _at_width(context: Context, value: int, width: int) -> BitVector:
    if not -(1 << (width - 1)) <= value < 1 << width:
        raise wrong_sort(
            f"{value} does not fit into {width} bits", found=str(value), expected=f"BitVec({width})"
        )
    return bit_vector(context, value, width)


def _bits(compute: Callable[[int, int, int], int]) -> Callable[[Context, Value, Value], BitVector]:
    """An operation on the bits of two bit-vectors; it also gets the width, and its result is cut to it."""

    def run(context: Context, a: Value, b: Value) -> BitVector:
        left, right = _both(context, a, b)
        return bit_vector(context, compute(left.bits, right.bits, left.width), left.width)

    return run


def _test(compare: Callable[[int, int], bool], *, signed: bool) -> Callable[[Context, Value, Value], bool]:
    def run(context: Context, a: Value, b: Value) -> bool:
        left, right = _both(context, a, b)
        return compare(_signed(left), _signed(right)) if signed else compare(left.bits, right.bits)

    return run


def _signed_division(context: Context, a: Value, b: Value) -> BitVector:
    left, right = _both(context, a, b)
    x, y = _signed(left), _signed(right)
    if y == 0:
        return bit_vector(context, 1 if x < 0 else -1, left.width)
    quotient = abs(x) // abs(y)
    return bit_vector(context, quotient if (x < 0) == (y < 0) else -quotient, left.width)


def _signed_remainder(context: Context, a: Value, b: Value) -> BitVector:
    left, right = _both(context, a, b)
    x, y = _signed(left), _signed(right)
    rest = abs(x) % abs(y) if y else abs(x)
    return bit_vector(context, -rest if x < 0 else rest, left.width)


def _shift_left(a: int, b: int, width: int) -> int:
    return a << b if b < width else 0


def _shift_right(a: int, b: int, width: int) -> int:
    return a >> b if b < width else 0


def _shift_signed(a: int, b: int, width: int) -> int:
    value = a - (1 << width) if a >> (width - 1) else a
    return value >> min(b, width)


def _not(context: Context, a: BitVector) -> BitVector:
    return bit_vector(context, ~a.bits, a.width)


def _negative(context: Context, a: BitVector) -> BitVector:
    return bit_vector(context, -a.bits, a.width)


def _make(context: Context, value: int, width: int) -> BitVector:
    return bit_vector(context, value, width)


def _unsigned_value(context: Context, a: BitVector) -> int:
    return a.bits


def _signed_value(context: Context, a: BitVector) -> int:
    return _signed(a)


def _width(context: Context, a: BitVector) -> int:
    return a.width


def _extract(context: Context, high: int, low: int, a: BitVector) -> BitVector:
    if not 0 <= low <= high < a.width:
        raise undefined(f"bits {high} to {low} of a word of {a.width}", "0 ≤ low ≤ high < width")
    return bit_vector(context, a.bits >> low, high - low + 1)


def _join(context: Context, a: BitVector, b: BitVector) -> BitVector:
    context.admit_bits(a.width + b.width)
    return bit_vector(context, a.bits << b.width | b.bits, a.width + b.width)


def _extend(context: Context, count: int, a: BitVector, value: int) -> BitVector:
    if count < 0:
        raise undefined("an extension by a negative number of bits")
    return bit_vector(context, value, a.width + count)


def _zero_extend(context: Context, count: int, a: BitVector) -> BitVector:
    return _extend(context, count, a, a.bits)


def _sign_extend(context: Context, count: int, a: BitVector) -> BitVector:
    return _extend(context, count, a, _signed(a))


_UNWRITTEN_WIDTH = 8


def _constant(value: int) -> Callable[..., BitVector]:
    def run(context: Context, width: int = _UNWRITTEN_WIDTH) -> BitVector:
        return bit_vector(context, value, width)

    return run


# Signatures.  A width is part of a sort, so it must be written: as a literal, or by the sort of an argument.  Before it
# is known the answer is `Waiting`; where it never can be (``bv(x, n)``) there is no signature.
#
# An integer beside a bit-vector of w bits is a parameter of sort ℤ, read at that width: it stands for its residue modulo
# 2^w, and the call is defined where it fits, −2^(w−1) ≤ n < 2^w.  A literal that does not fit has no signature.

_WIDTH = Waiting("the width of the word")


def _is_integer(argument: Argument) -> bool:
    return argument.sort in (core.NATURAL, core.INTEGER)


def _of_two(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """An operation or comparison of two bit-vectors of one width, one of which may be an integer."""
    widths = {each.sort.width for each in arguments if isinstance(each.sort, core.BitVec)}
    if not widths:
        return Waiting("the width of the words") if any(is_open(each.sort) for each in arguments) else ()
    if len(widths) > 1:
        return ()
    (width,) = widths
    parameters: list[core.Sort] = []
    condition = None
    for parameter, each in zip(row.parameters, arguments, strict=True):
        if _is_integer(each):
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


def _of_one(result: core.Sort | None = None) -> Rule:
    """An operation on one bit-vector; the result has its width where no sort is given."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
        sort = arguments[0].sort
        if is_open(sort):
            return _WIDTH
        if not isinstance(sort, core.BitVec):
            return ()
        return (Signature(row=row, parameters=(sort,), result=result or sort),)

    return rule


def _of_integer(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """`bv`: the width is a literal, and at least 1, which is the row's condition."""
    width = arguments[1].literal
    if not isinstance(width, int) or width < 1:
        return ()
    return (Signature(row=row, parameters=(core.INTEGER, core.INTEGER), result=core.BitVec(width)),)


def _constant_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    width = arguments[0].literal if arguments else _UNWRITTEN_WIDTH
    if not isinstance(width, int) or width < 1:
        return ()
    return (Signature(row=row, parameters=(core.INTEGER,) * len(arguments), result=core.BitVec(width)),)


def _extract_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    high, low, sort = arguments[0].literal, arguments[1].literal, arguments[2].sort
    if is_open(sort):
        return _WIDTH
    if not (isinstance(high, int) and isinstance(low, int) and isinstance(sort, core.BitVec)):
        return ()
    if not 0 <= low <= high < sort.width:
        return ()
    return (
        Signature(row=row, parameters=(core.INTEGER, core.INTEGER, sort), result=core.BitVec(high - low + 1)),
    )


def _join_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    first, second = arguments[0].sort, arguments[1].sort
    if is_open(first) or is_open(second):
        return Waiting("the widths of the words")
    if not (isinstance(first, core.BitVec) and isinstance(second, core.BitVec)):
        return ()
    return (Signature(row=row, parameters=(first, second), result=core.BitVec(first.width + second.width)),)


def _extension_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    count, sort = arguments[0].literal, arguments[1].sort
    if is_open(sort):
        return _WIDTH
    if not (isinstance(count, int) and count >= 0 and isinstance(sort, core.BitVec)):
        return ()
    return (Signature(row=row, parameters=(core.INTEGER, sort), result=core.BitVec(sort.width + count)),)


def _binary(
    name: str, run: Callable[..., Value], doc: str, example: tuple[str, str], aliases: str = ""
) -> Builtin:
    result = "Bool" if example[1] in ("true", "false") else "BitVec"
    usage = f"{name}(a : BitVec|ℤ, b : BitVec|ℤ) : {result}"
    return row(usage, _of_two, run, doc, example, tier="T7", aliases=aliases)


BIT_VECTORS: tuple[Builtin, ...] = (
    row("bv(value : ℤ, width : ℤ) : BitVec", _of_integer, _make, "The word for value modulo 2^width.",
        ("bv(257, 8)", "bv(1, 8)"), ("bv(0, 0)", "undefined"), tier="T7", aliases="int_to_bv int2bv",
        condition="width ≥ 1"),
    row("bv_to_int(a : BitVec) : ℕ", _of_one(core.NATURAL), _unsigned_value, "The unsigned value.",
        ("bv_to_int(bv(0 - 1, 8))", "255"), tier="T7", aliases="bv2int bv_to_nat"),
    row("bv_to_signed(a : BitVec) : ℤ", _of_one(core.INTEGER), _signed_value, "The value in two's complement.",
        ("bv_to_signed(bv(255, 8))", "0 - 1"), tier="T7"),
    row("bvwidth(a : BitVec) : ℕ", _of_one(core.NATURAL), _width, "The number of bits.", ("bvwidth(bv(1, 4))", "4"),
        tier="T7"),
    row("bvzero(width : ℤ?) : BitVec", _constant_signatures, _constant(0),
        "No bit set; of 8 bits where no width is given.", ("bvzero(4)", "bv(0, 4)"), tier="T7", aliases="bv_zero"),
    row("bvones(width : ℤ?) : BitVec", _constant_signatures, _constant(-1),
        "All bits set; of 8 bits where no width is given.", ("bvones(4)", "bv(15, 4)"), tier="T7", aliases="bv_ones"),
    row("bvone(width : ℤ?) : BitVec", _constant_signatures, _constant(1),
        "The last bit set; of 8 bits where no width is given.", ("bvone(4)", "bv(1, 4)"), tier="T7", aliases="bv_one"),
    _binary("bvand", _bits(lambda a, b, _: a & b), "Bitwise and.", ("bvand(bv(12, 4), bv(10, 4))", "bv(8, 4)")),
    _binary("bvor", _bits(lambda a, b, _: a | b), "Bitwise or.", ("bvor(bv(12, 4), bv(10, 4))", "bv(14, 4)")),
    _binary("bvxor", _bits(lambda a, b, _: a ^ b), "Bitwise exclusive or.", ("bvxor(bv(12, 4), 10)", "bv(6, 4)")),
    _binary("bvadd", _bits(lambda a, b, _: a + b), "The sum modulo 2^width.", ("bvadd(bv(255, 8), 2)", "bv(1, 8)")),
    _binary("bvsub", _bits(lambda a, b, _: a - b), "The difference.", ("bvsub(bv(1, 8), 2)", "bv(255, 8)")),
    _binary("bvmul", _bits(lambda a, b, _: a * b), "The product.", ("bvmul(bv(16, 8), 17)", "bv(16, 8)")),
    _binary("bvudiv", _bits(lambda a, b, _: a // b if b else -1), "The unsigned quotient; all ones for b = 0.",
            ("bvudiv(bv(7, 8), 0)", "bv(255, 8)")),
    _binary("bvurem", _bits(lambda a, b, _: a % b if b else a), "The unsigned remainder; a for b = 0.",
            ("bvurem(bv(7, 8), 4)", "bv(3, 8)")),
    _binary("bvsdiv", _signed_division, "The signed quotient, towards 0.", ("bvsdiv(bv(0 - 7, 8), 2)",
            "bv(0 - 3, 8)")),
    _binary("bvsrem", _signed_remainder, "The signed remainder, with the sign of a.",
            ("bvsrem(bv(0 - 7, 8), 2)", "bv(0 - 1, 8)")),
    _binary("bvshl", _bits(_shift_left), "Shifted left.", ("bvshl(bv(3, 4), 3)", "bv(8, 4)")),
    _binary("bvlshr", _bits(_shift_right), "Shifted right, zeros coming in.", ("bvlshr(bv(8, 4), 3)", "bv(1, 4)")),
    _binary("bvashr", _bits(_shift_signed), "Shifted right, the sign coming in.", ("bvashr(bv(8, 4), 3)", "bv(15, 4)")),
    _binary("bvult", _test(lambda a, b: a < b, signed=False), "a < b, unsigned.", ("bvult(bv(1, 8), 255)", "true")),
    _binary("bvule", _test(lambda a, b: a <= b, signed=False), "a ≤ b, unsigned.", ("bvule(bv(1, 8), 1)", "true")),
    _binary("bvugt", _test(lambda a, b: a > b, signed=False), "a > b, unsigned.", ("bvugt(bv(1, 8), 255)", "false")),
    _binary("bvuge", _test(lambda a, b: a >= b, signed=False), "a ≥ b, unsigned.", ("bvuge(bv(1, 8), 1)", "true")),
    _binary("bvslt", _test(lambda a, b: a < b, signed=True), "a < b, signed.", ("bvslt(bv(255, 8), 1)", "true")),
    _binary("bvsle", _test(lambda a, b: a <= b, signed=True), "a ≤ b, signed.", ("bvsle(bv(255, 8), 1)", "true")),
    _binary("bvsgt", _test(lambda a, b: a > b, signed=True), "a > b, signed.", ("bvsgt(bv(255, 8), 1)", "false")),
    _binary("bvsge", _test(lambda a, b: a >= b, signed=True), "a ≥ b, signed.", ("bvsge(bv(255, 8), 1)", "false")),
    row("bvnot(a : BitVec) : BitVec", _of_one(), _not, "Every bit flipped.", ("bvnot(bv(12, 4))", "bv(3, 4)"),
        tier="T7"),
    row("bvneg(a : BitVec) : BitVec", _of_one(), _negative, "0 - a.", ("bvneg(bv(1, 4))", "bv(15, 4)"), tier="T7"),
    row("extract(high : ℤ, low : ℤ, a : BitVec) : BitVec", _extract_signatures, _extract,
        "The bits high to low, counted from 0.", ("extract(3, 2, bv(12, 4))", "bv(3, 2)"),
        ("extract(4, 0, bv(1, 4))", "undefined"), tier="T7", condition="0 ≤ low ∧ low ≤ high ∧ high < bvwidth(a)"),
    row("bvconcat(a : BitVec, b : BitVec) : BitVec", _join_signatures, _join, "The bits of a, then those of b.",
        ("bvconcat(bv(1, 4), bv(2, 4))", "bv(18, 8)"), tier="T7", aliases="bv_concat"),
    row("zext(count : ℤ, a : BitVec) : BitVec", _extension_signatures, _zero_extend, "So many zeros before a.",
        ("zext(4, bv(15, 4))", "bv(15, 8)"), ("zext(0 - 1, bv(1, 4))", "undefined"), tier="T7", aliases="zero_extend",
        condition="count ≥ 0"),
    row("sext(count : ℤ, a : BitVec) : BitVec", _extension_signatures, _sign_extend,
        "So many copies of the sign before a.", ("sext(4, bv(15, 4))", "bv(255, 8)"),
        ("sext(0 - 1, bv(1, 4))", "undefined"), tier="T7", aliases="sign_extend", condition="count ≥ 0"),
)  # fmt: skip
