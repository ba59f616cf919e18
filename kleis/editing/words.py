"""The words and symbols of the language by what they are, taken from the grammar's terminals and THE table of operators."""

from __future__ import annotations

from functools import cache

import msgspec

from kleis.builtins.rows.table import builtin_arities
from kleis.syntax.operators import CALLED_PREFIX, POSTFIX, PREFIX, SPELLINGS, Unary
from kleis.syntax.parser.lexer import is_word
from kleis.syntax.parser.tables import load_tables
from kleis.theory.name_check.known_names import TYPE_NAMES

__all__ = ["VALUES", "Words", "words"]

VALUES = frozenset({"true", "false", "True", "False"})
"""The names that the parser reads as truth values."""


class Words(msgspec.Struct, frozen=True):
    """Every spelling that the grammar fixes, in exactly one of the first four sets, and the names that are built in."""

    keywords: frozenset[str]
    """Words of the grammar, and the symbols that stand for one (``∀`` for ``forall``)."""
    word_operators: frozenset[str]
    operators: frozenset[str]
    punctuation: frozenset[str]
    types: frozenset[str]
    builtins: frozenset[str]


@cache
def words() -> Words:
    """The words and symbols of the language."""
    operators = {
        *SPELLINGS,
        *CALLED_PREFIX,
        *(spelling for each in (*PREFIX.values(), *POSTFIX.values()) for spelling in _spellings(each)),
    }
    starts = {each[0] for each in operators if not is_word(each)}
    keywords: set[str] = set()
    word_operators: set[str] = set()
    symbols: set[str] = set()
    punctuation: set[str] = set()
    for spelling in {*load_tables().spellings, *operators}:
        if is_word(spelling) and spelling.isascii():
            (word_operators if spelling in operators else keywords).add(spelling)
        elif spelling in operators or (spelling[0] in starts and len(spelling) > 1):
            symbols.add(spelling)
        elif spelling.isascii():
            punctuation.add(spelling)
        else:
            keywords.add(spelling)
    return Words(
        frozenset(keywords),
        frozenset(word_operators),
        frozenset(symbols),
        frozenset(punctuation),
        frozenset(TYPE_NAMES),
        frozenset(builtin_arities()),
    )


def _spellings(operator: Unary) -> tuple[str, ...]:
    return tuple(each for each in (operator.symbol, operator.ascii, *operator.aliases) if each)
