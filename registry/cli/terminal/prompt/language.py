"""What a prompt reads: how a statement ends, how it may go on, how it is coloured."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

import msgspec

__all__ = ["Completeness", "Language"]

Completeness: TypeAlias = Literal["empty", "complete", "incomplete", "invalid"]


class Language(msgspec.Struct, frozen=True):
    """What a prompt reads.

    name
        What the prompt shows.
    completeness
        Whether a text can be answered as it is.
    statements
        A script in statements.
    complete
        For a text and a place in it: where the replaced text starts, and what may stand there: text and remark.
    abbreviation
        The symbol that ends a text as an abbreviation, with the number of characters it replaces; None where none does.
    lexer
        The name of the Pygments lexer, ``module:class``.
    """

    name: str
    completeness: Callable[[str], Completeness]
    statements: Callable[[str], Iterable[str]]
    complete: Callable[[str, int], tuple[int, list[tuple[str, str]]]]
    abbreviation: Callable[[str], tuple[int, str] | None] = lambda text: None
    lexer: str = ""
