"""SMT-LIB text: s-expressions, names, literals, and characters that solvers do not know.

See docs/reference/proving.md §8.2, §8.8.

Solvers know no characters above U+2FFFF.  A claim that does not tell such a character from all unnamed ones below it
loses nothing: renaming characters maps a counterexample to one that solvers find.  The claim tells characters apart by
its literals and ranges.

Invariants
    * Every name is quoted and carries a prefix that says what it is, so no user name meets a solver's or another
      kind's name.  Kleis names contain neither ``|`` nor backslashes.
    * Tracking names begin with ``@``, which no other name does.
    * A string literal is printable ASCII; everything else in it, and the backslash, is an escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kleis.core import LiteralTerm, Term
from kleis.prover.protocol.engine import Inexpressible
from kleis.values.text import integer_text

__all__ = [
    "FALSE",
    "MAXIMUM_CHARACTER",
    "TRUE",
    "Characters",
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
    """A string literal; its characters must be known to solvers."""
    shown = "".join(
        character
        if " " <= character <= "~" and character not in '\\"'
        else '""'
        if character == '"'
        else f"\\u{{{ord(character):x}}}"
        for character in value
    )
    return f'"{shown}"'


# ── Characters ──────────────────────────────────────────────────────────────────────────────────────────────


class Characters:
    """The characters that the literals and ranges of one script name."""

    def __init__(self) -> None:
        self._named: list[tuple[int, int]] = []

    def note_literal(self, value: str) -> None:
        """A string literal; `Inexpressible` if it has a character that solvers do not know."""
        if any(ord(character) > MAXIMUM_CHARACTER for character in value):
            raise Inexpressible("incomplete", "a character above U+2FFFF, which solvers do not know")
        self._named += [(ord(character), ord(character)) for character in value]

    def note_range(self, arguments: Sequence[Term]) -> None:
        """A range of characters between the first ones of two literals."""
        ends = [each.value for each in arguments if isinstance(each, LiteralTerm)]
        texts = [each for each in ends if isinstance(each, str) and each]
        if len(texts) < 2:
            raise Inexpressible("incomplete", "a character range with ends that are no literals")
        self._named.append((ord(texts[0][0]), ord(texts[1][0])))

    def name_all(self) -> bool:
        """Whether every character that solvers know is named, so that none stands for those they do not."""
        reached = -1
        for low, high in sorted(self._named):
            if low > reached + 1:
                return False
            reached = max(reached, high)
        return reached >= MAXIMUM_CHARACTER
