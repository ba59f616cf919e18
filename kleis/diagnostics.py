"""The words of parse errors."""

from __future__ import annotations

from kleis.automaton import Automaton
from kleis.building import Refusal
from kleis.errors import ParseError
from kleis.lexing import Tokens

__all__ = ["explain_refusal", "explain_token"]


def explain_token(
    tokens: Tokens, index: int, states: list[int], automaton: Automaton, file: str
) -> ParseError:
    """The error of a token that the grammar has no place for."""
    found = tokens.texts[index] or "the end of the text"
    return ParseError(
        f"unexpected {found}",
        code="unexpected-token",
        file=file,
        line=tokens.lines[index],
        column=tokens.columns[index],
        end_line=tokens.lines[index],
        end_column=tokens.columns[index] + len(tokens.texts[index]),
        found=found,
        expected=tuple(automaton.acceptable(states)),
    )


def explain_refusal(tokens: Tokens, refusal: Refusal, file: str) -> ParseError:
    """The error of a text that follows the grammar but says nothing."""
    span = refusal.span
    return ParseError(
        refusal.message,
        code=refusal.code,
        file=file,
        line=span.line,
        column=span.column,
        end_line=span.line,
        end_column=span.column + span.end - span.start,
        hint=refusal.hint,
    )
