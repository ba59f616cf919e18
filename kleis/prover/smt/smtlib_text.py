"""SMT-LIB text: s-expressions, names, literals.

Specification: proving.md §5 (name clashes, string escapes), provers.md §4 traps 8, 14 and 15.

Invariants
    * Every name is quoted and carries a prefix that says what it is, so no user name meets a solver's or another
      kind's name.  Kleis names contain neither ``|`` nor backslashes.
    * Tracking names begin with ``@``, which no other name does.
    * A string literal is printable ASCII; everything else in it, and the backslash, is an escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kleis.values.numerals import integer_text

__all__ = [
    "FALSE",
    "MAXIMUM_CHARACTER",
    "TRUE",
    "application",
    "conjunction",
    "disjunction",
    "implication",
    "integer",
    "negation",
    "quoted",
    "real",
    "string",
]

TRUE = "true"
FALSE = "false"

MAXIMUM_CHARACTER = 0x2FFFF
"""The greatest code point the solvers know."""


def quoted(prefix: str, name: str) -> str:
    """A quoted symbol: ``|v:x|``."""
    return f"|{prefix}:{name}|"


def application(head: str, arguments: Sequence[str]) -> str:
    """``(head a b)``, or the head alone without arguments."""
    return f"({head} {' '.join(arguments)})" if arguments else head


def conjunction(*formulas: str) -> str:
    """∧ without what is trivially true."""
    parts = list(dict.fromkeys(each for each in formulas if each != TRUE))
    if FALSE in parts:
        return FALSE
    return TRUE if not parts else parts[0] if len(parts) == 1 else application("and", parts)


def disjunction(*formulas: str) -> str:
    """∨ without what is trivially false."""
    parts = list(dict.fromkeys(each for each in formulas if each != FALSE))
    if TRUE in parts:
        return TRUE
    return FALSE if not parts else parts[0] if len(parts) == 1 else application("or", parts)


def negation(formula: str) -> str:
    """¬"""
    if formula in (TRUE, FALSE):
        return FALSE if formula == TRUE else TRUE
    return application("not", (formula,))


def implication(condition: str, formula: str) -> str:
    """→"""
    if condition == TRUE or formula == TRUE:
        return formula
    if condition == FALSE:
        return TRUE
    return negation(condition) if formula == FALSE else application("=>", (condition, formula))


def integer(value: int) -> str:
    """An integer literal."""
    return integer_text(value) if value >= 0 else f"(- {integer_text(-value)})"


def real(value: int | Fraction) -> str:
    """A rational number as a real literal."""
    fraction = Fraction(value)
    top = f"{integer_text(abs(fraction.numerator))}.0"
    text = top if fraction.denominator == 1 else f"(/ {top} {integer_text(fraction.denominator)}.0)"
    return text if fraction >= 0 else f"(- {text})"


def string(value: str) -> str:
    """A string literal; the caller has seen to it that its characters are known to solvers."""
    shown = "".join(
        character
        if " " <= character <= "~" and character not in '\\"'
        else '""'
        if character == '"'
        else f"\\u{{{ord(character):x}}}"
        for character in value
    )
    return f'"{shown}"'
