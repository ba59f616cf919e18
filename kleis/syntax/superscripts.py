"""Superscripts as powers: ``x²``, ``(x + 1)³``, ``x⁻¹``, ``2ⁿ``.

A name may end in superscripts (``ℝ³`` is a type), so ``x²`` is one name to the lexer. It is a power where nothing declares
``x²``: whoever looks names up asks `power_of` before it says that a name is unknown.
"""

from __future__ import annotations

from kleis.syntax import tree

__all__ = ["SUPERSCRIPTS", "exponent_of", "power_of"]

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ"
_PLAIN = str.maketrans(SUPERSCRIPTS, "0123456789n")


def exponent_of(sign: str, span: tree.Span) -> tree.Expression:
    """The exponent that superscript digits or ⁿ stand for, after ⁻ its negative."""
    text = sign.lstrip("⁻").translate(_PLAIN)
    exponent: tree.Expression = tree.Name("n", span) if text == "n" else tree.Number(text, span)
    return tree.Call("negate", (exponent,), span) if sign[0] == "⁻" else exponent


def power_of(node: tree.Name) -> tree.Call | None:
    """The power that a name with superscript digits, or ⁿ, at its end may be; None for any other name.

    >>> power_of(tree.Name("x²³"))
    Call(name='power', arguments=(Name(name='x'), Number(text='23')))
    """
    base = node.name.rstrip(SUPERSCRIPTS)
    sign = node.name[len(base) :]
    if not base or not sign or "::" in base or ("ⁿ" in sign and sign != "ⁿ"):
        return None
    return tree.Call("power", (tree.Name(base, node.span), exponent_of(sign, node.span)), node.span)
