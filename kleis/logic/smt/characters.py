"""Characters that solvers do not know: those above U+2FFFF.

Specification: proving.md §1 (Numbers, strings), §5.

A claim that does not tell such a character from all unnamed ones below it loses nothing: renaming characters carries
a counterexample with it to one that solvers find.  The claim tells characters apart by its literals and ranges.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.core import LiteralTerm, Term
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.smtlib_text import MAXIMUM_CHARACTER

__all__ = ["Characters"]


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
