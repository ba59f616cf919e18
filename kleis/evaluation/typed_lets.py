"""``let b : BitVec8 = 5``: the one place where a written type changes a value.

An integer literal has no width, so a bit-vector is made of it where the type says so.  Other types change nothing;
whether a value has its type is the business of elaboration.
"""

from __future__ import annotations

import re

from kleis.builtins.context import Context, undefined
from kleis.builtins.rows.bit_vectors import bit_vector
from kleis.syntax.tree import AppliedType, NamedType, NumberType, TypeExpression
from kleis.values import Value

__all__ = ["bit_width", "value_at_type"]

_WORDS = {"Byte": 8, "Word": 32}
_NAME = re.compile(r"(?:BitVec|[UI])(8|16|32|64)")


def bit_width(type_expression: TypeExpression | None) -> int | None:
    """The width of a bit-vector type: ``BitVec8``, ``BitVec(12)``, ``Byte``, ``Word``, ``U8`` … ``I64``."""
    match type_expression:
        case NamedType(name=name):
            found = _NAME.fullmatch(name)
            return int(found.group(1)) if found else _WORDS.get(name)
        case AppliedType(name="BitVec", arguments=(NumberType(value=width),)):
            return width
        case AppliedType(name="BitVec", arguments=(NamedType(name=digits),)) if digits.isdecimal():
            return int(digits)
    return None


def value_at_type(context: Context, value: Value, type_expression: TypeExpression | None) -> Value:
    """The value of a `let` with its type."""
    width = bit_width(type_expression)
    if width is None or not isinstance(value, int) or isinstance(value, bool):
        return value
    context.admit_bits(max(width, 1))
    if width < 1 or not -(1 << (width - 1)) <= value < 1 << width:
        raise undefined(f"{value} does not fit into {width} bits", "take it modulo a power of 2 first")
    return bit_vector(context, value, width)
