"""Signatures of bit-vectors.

Specification: kleis-language.md §5.4; kleis/builtins/rows/bit_vectors.py.

A width is part of a sort, so it must be written: as a literal, or by the sort of an argument.  Before it is known the
answer is `Waiting`; where it never can be (``bv(x, n)``) there is no signature.

An integer beside a word of w bits is a parameter of sort ℤ, read at that width: it stands for its residue modulo 2^w,
and the call is defined where it fits, −2^(w−1) ≤ n < 2^w.  A literal that does not fit has no signature.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis.builtins.row import Builtin
from kleis.builtins.signatures.shapes import Argument, Rule, Signature, Waiting, is_open
from kleis.core import BOOL, INTEGER, NATURAL, BitVec, Numeric, Sort

__all__ = ["WORD_RULES"]

_UNWRITTEN_WIDTH = 8
"""Of `bvzero`, `bvones` and `bvone` without argument, as in their rows."""


def _integer(argument: Argument) -> bool:
    return isinstance(argument.sort, Numeric) and argument.sort.name in ("ℕ", "ℤ")


def _of_two(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """An operation or comparison of two words of one width, one of which may be an integer."""
    widths = {each.sort.width for each in arguments if isinstance(each.sort, BitVec)}
    if not widths:
        waits = any(is_open(each.sort) for each in arguments)
        return Waiting("the width of the words") if waits else ()
    if len(widths) > 1:
        return ()
    (width,) = widths
    parameters: list[Sort] = []
    condition = None
    for parameter, each in zip(row.parameters, arguments, strict=True):
        if _integer(each):
            low, high = 1 << (width - 1), 1 << width
            if isinstance(each.literal, int) and not -low <= each.literal < high:
                return ()
            condition = f"0 - {low} ≤ {parameter.name} ∧ {parameter.name} < {high}"
            parameters.append(INTEGER)
        elif is_open(each.sort) or isinstance(each.sort, BitVec):
            parameters.append(BitVec(width))
        else:
            return ()
    result = BOOL if row.result == "Bool" else BitVec(width)
    return (Signature(row=row, parameters=tuple(parameters), result=result, condition=condition),)


def _of_one(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    sort = arguments[0].sort
    if is_open(sort):
        return Waiting("the width of the word")
    if not isinstance(sort, BitVec):
        return ()
    results: Mapping[str, Sort] = {"bv_to_int": NATURAL, "bv_to_signed": INTEGER, "bvwidth": NATURAL}
    return (Signature(row=row, parameters=(sort,), result=results.get(row.name, sort)),)


def _of_integer(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """`bv`: the width is a literal, and at least 1, which is the row's condition."""
    width = arguments[1].literal
    if not isinstance(width, int) or width < 1:
        return ()
    return (Signature(row=row, parameters=(INTEGER, INTEGER), result=BitVec(width)),)


def _constant(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    width = arguments[0].literal if arguments else _UNWRITTEN_WIDTH
    if not isinstance(width, int) or width < 1:
        return ()
    return (Signature(row=row, parameters=(INTEGER,) * len(arguments), result=BitVec(width)),)


def _extract(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    high, low, sort = arguments[0].literal, arguments[1].literal, arguments[2].sort
    if is_open(sort):
        return Waiting("the width of the word")
    if not (isinstance(high, int) and isinstance(low, int) and isinstance(sort, BitVec)):
        return ()
    if not 0 <= low <= high < sort.width:
        return ()
    return (Signature(row=row, parameters=(INTEGER, INTEGER, sort), result=BitVec(high - low + 1)),)


def _join(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    first, second = arguments[0].sort, arguments[1].sort
    if is_open(first) or is_open(second):
        return Waiting("the widths of the words")
    if not (isinstance(first, BitVec) and isinstance(second, BitVec)):
        return ()
    return (Signature(row=row, parameters=(first, second), result=BitVec(first.width + second.width)),)


def _extension(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    count, sort = arguments[0].literal, arguments[1].sort
    if is_open(sort):
        return Waiting("the width of the word")
    if not (isinstance(count, int) and count >= 0 and isinstance(sort, BitVec)):
        return ()
    return (Signature(row=row, parameters=(INTEGER, sort), result=BitVec(sort.width + count)),)


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
"""By the names of the rows."""
