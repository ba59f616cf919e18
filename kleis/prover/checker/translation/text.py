"""Formulas of SMT-LIB as text.  Nothing is simplified but the constants true and false."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from kleis.prover.checker.sequent import NotExpressible

__all__ = ["FALSE", "TRUE", "binder", "both", "call", "choice", "either", "implies", "literal", "negation"]

TRUE = "true"
FALSE = "false"

_LONGEST = 400_000
"""Characters of one formula."""


def call(function: str, arguments: Iterable[str]) -> str:
    """A function at its arguments; a constant if there are none."""
    given = " ".join(arguments)
    return _bounded(f"({function} {given})") if given else function


def both(*parts: str) -> str:
    """All of the formulas."""
    return _joined("and", parts, TRUE, FALSE)


def either(*parts: str) -> str:
    """One of the formulas at least."""
    return _joined("or", parts, FALSE, TRUE)


def _joined(word: str, parts: Iterable[str], idle: str, deciding: str) -> str:
    kept = list(dict.fromkeys(each for each in parts if each != idle))
    if deciding in kept:
        return deciding
    return call(word, kept) if len(kept) > 1 else kept[0] if kept else idle


def negation(formula: str) -> str:
    """The opposite."""
    return {TRUE: FALSE, FALSE: TRUE}.get(formula) or call("not", (formula,))


def implies(given: str, formula: str) -> str:
    """``given → formula``"""
    if given == TRUE or formula == TRUE:
        return formula
    return TRUE if given == FALSE else call("=>", (given, formula))


def choice(condition: str, consequent: str, alternative: str) -> str:
    """``if``, between any two terms of one sort."""
    if condition in (TRUE, FALSE):
        return consequent if condition == TRUE else alternative
    return consequent if consequent == alternative else call("ite", (condition, consequent, alternative))


def binder(kind: str, bound: Iterable[tuple[str, str]], body: str, pattern: str = "") -> str:
    """A quantifier over names with their sorts, or a ``let`` of names with their values; the body if there are none."""
    listed = " ".join(f"({name} {other})" for name, other in bound)
    if not listed or body in (TRUE, FALSE):
        return body
    return _bounded(f"({kind} ({listed}) {f'(! {body} :pattern ({pattern}))' if pattern else body})")


def literal(value: bool | str | Fraction, sort: str) -> str:
    """A truth value, a string, or a number of the sort Int or Real; solvers have no literals of other sorts.

    Of a string, printable ASCII stands as it is, but for the quote and the backslash, everything else by its number.
    """
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, str):
        if any(ord(each) > 0x2FFFF for each in value):
            raise NotExpressible("a character above U+2FFFF: solvers have none")
        plain = (
            each if " " <= each <= "~" and each not in '"\\' else f"\\u{{{ord(each):x}}}" for each in value
        )
        return '"' + "".join(plain) + '"'
    if sort not in ("Int", "Real"):
        raise NotExpressible(f"a literal of the sort {sort}")
    point = ".0" if sort == "Real" else ""
    above, below = (f"{abs(each)}{point}" for each in value.as_integer_ratio())
    digits = above if value.denominator == 1 else f"(/ {above} {below})"
    return f"(- {digits})" if value < 0 else digits


def _bounded(text: str) -> str:
    if len(text) > _LONGEST:
        raise NotExpressible(f"a formula of more than {_LONGEST} characters")
    return text
