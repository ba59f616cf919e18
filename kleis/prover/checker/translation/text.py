"""Formulas of SMT-LIB as text.  Nothing is simplified but the constants true and false."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from kleis.prover.checker.sequent import NotExpressible

__all__ = [
    "FALSE",
    "TRUE",
    "binder",
    "both",
    "call",
    "choice",
    "either",
    "implication",
    "negation",
    "number",
    "string",
]

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
    kept = list(dict.fromkeys(each for each in parts if each != TRUE))
    if FALSE in kept:
        return FALSE
    return call("and", kept) if len(kept) > 1 else kept[0] if kept else TRUE


def either(*parts: str) -> str:
    """One of the formulas at least."""
    kept = list(dict.fromkeys(each for each in parts if each != FALSE))
    if TRUE in kept:
        return TRUE
    return call("or", kept) if len(kept) > 1 else kept[0] if kept else FALSE


def negation(formula: str) -> str:
    """The opposite."""
    return {TRUE: FALSE, FALSE: TRUE}.get(formula) or call("not", (formula,))


def implication(given: str, formula: str) -> str:
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


def number(value: Fraction, *, real: bool = False) -> str:
    """A number, as an Int or Real."""
    above, below = (f"{abs(each)}.0" if real else f"{abs(each)}" for each in value.as_integer_ratio())
    digits = above if value.denominator == 1 else f"(/ {above} {below})"
    return f"(- {digits})" if value < 0 else digits


def string(text: str) -> str:
    """A string literal: printable ASCII as it is, but for the quote and the backslash, everything else by its number."""
    written = []
    for each in text:
        if ord(each) > 0x2FFFF:
            raise NotExpressible("a character above U+2FFFF: solvers have none")
        plain = " " <= each <= "~" and each not in '"\\'
        written.append(each if plain else f"\\u{{{ord(each):x}}}")
    return '"' + "".join(written) + '"'


def _bounded(text: str) -> str:
    if len(text) > _LONGEST:
        raise NotExpressible(f"a formula of more than {_LONGEST} characters")
    return text
