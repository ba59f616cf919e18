"""The words of parse errors: what was found, what was expected, which common mistake it is, what to try.

Specification: kleis-language.md §2.14 (OURS).  kleis/syntax/parser/common_mistakes.py knows the mistakes by name; without a name the
message says what could have come, in the words of a reader, not of the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.automaton import Automaton
from kleis.errors import ParseError
from kleis.recovery import ITEM_WORDS
from kleis.syntax.parser.build_expressions import Refusal
from kleis.syntax.parser.common_mistakes import ILLEGAL_CHARACTERS, Mistake, Place, named_mistake
from kleis.syntax.parser.lexer import Tokens
from kleis.syntax.parser.tables import END
from kleis.syntax.tree import MAXIMUM_NESTING

__all__ = ["explain_refusal", "explain_token"]

_EXPRESSION = frozenset(
    [
        "NAME",
        "QUALIFIED",
        "NUMBER",
        "STRING",
        "LPAR",
        "LSQB",
        "FORALL",
        "EXISTS",
        "NOT",
        "PREFIX",
        "BIG_OPERATOR",
        "LIM",
        "LAMBDA",
        "IF",
        "LET",
        "MATCH",
        "USING",
        "NEGATE",
        "ARGUMENT_NAME",
    ]
)
_TYPE = frozenset(["NAME", "QUALIFIED", "NUMBER", "LPAR", "FORALL"])
_PATTERN = frozenset(["NAME", "NUMBER", "STRING", "LPAR", "LSQB"])
_OPERATOR = frozenset(
    [
        "IFF",
        "ARROW",
        "DOUBLE_ARROW",
        "OR",
        "AND",
        "EQUAL",
        "DOUBLE_EQUAL",
        "COMPARISON",
        "PLUS",
        "MINUS",
        "CUSTOM",
        "TIMES_SIGN",
        "STAR",
        "DOT_OPERATOR",
        "SLASH",
        "POWER",
        "POSTFIX",
    ]
)
_ITEM = frozenset(
    ["IMPORT", "STRUCTURE", "IMPLEMENTS", "DATA", "OPERATION", "TYPE", "DEFINE", "EXAMPLE", "AT"]
)
_GROUPS = (
    (_ITEM, "a new item"),
    (_EXPRESSION - {"ARGUMENT_NAME"}, "an expression"),
    (_OPERATOR - {"POSTFIX"}, "an operator"),
    (_PATTERN, "a pattern"),
    (_TYPE, "a type"),
)
_ABSORBED = {"an expression": _EXPRESSION, "an operator": _OPERATOR, "a new item": _ITEM}
_WORDS = {
    "NAME": "a name",
    "QUALIFIED": "a qualified name",
    "NUMBER": "a number",
    "STRING": "a string",
    "ARGUMENT_NAME": "a named argument",
    "_OPEN": "`(`",
    "DOT_CARRIER": "`.carrier`",
    "ANNOTATION_TEXT": "`(`",
    "NEGATE": "`-`",
    END: "the end of the text",
}
_LEXICAL = {
    "!comment": Mistake("unterminated-comment", "a comment that is never closed", "close it with */"),
    "!string": Mistake("unterminated-string", "a string that is never closed", 'close it with "'),
    "!deep": Mistake(
        "too-deep",
        f"more than {MAXIMUM_NESTING} brackets inside each other",
        "name a part of it with a define",
    ),
    "!glued": Mistake(
        "implicit-product",
        "a name right after a number: there is no implicit multiplication",
        "write 2 * x; a name starts with a letter or _",
    ),
}


def explain_token(
    tokens: Tokens, index: int, start: int, states: list[int], automaton: Automaton, file: str
) -> ParseError:
    """The error of token `index`, in the item that starts at token `start`, with this stack of the automaton."""
    kind, found = tokens.kinds[index], tokens.texts[index]
    acceptable = automaton.acceptable(states)
    mistake = _lexical(kind, found) or named_mistake(_place(tokens, index, start, acceptable))
    expected = () if kind.startswith("!") else _expected(acceptable, automaton)
    if mistake is None:
        mistake = _unnamed(tokens, index, start, acceptable, expected, automaton)
    return ParseError(
        mistake.message,
        code=mistake.code,
        file=file,
        **_extent(tokens, index),
        found=_shown(found),
        expected=expected,
        hint=mistake.hint,
    )


def explain_refusal(tokens: Tokens, refusal: Refusal, file: str) -> ParseError:
    """The error of a text that follows the grammar but says nothing."""
    span = refusal.span
    text = tokens.text[span.start : span.end]
    lines = text.count("\n")
    return ParseError(
        refusal.message,
        code=refusal.code,
        file=file,
        line=span.line,
        column=span.column,
        end_line=span.line + lines,
        end_column=len(text) - text.rfind("\n") if lines else span.column + len(text),
        found=_shown(text),
        hint=refusal.hint,
    )


def _extent(tokens: Tokens, index: int) -> dict[str, int]:
    """Line and column of a token and, where it is short, of its end."""
    line, column = tokens.lines[index], tokens.columns[index]
    width = len(tokens.texts[index].partition("\n")[0])
    return {"line": line, "column": column, "end_line": line, "end_column": column + max(1, width)}


def _shown(found: str) -> str:
    if not found:
        return "the end of the text"
    line = found.partition("\n")[0]
    return line if len(line) <= 40 else line[:39] + "…"


def _lexical(kind: str, found: str) -> Mistake | None:
    if kind == "!character":
        if found.isdigit() or found.isnumeric():
            return Mistake("illegal-digit", f"`{found}` cannot start a number or a name", "digits are 0 to 9")
        hint = ILLEGAL_CHARACTERS.get(found, "")
        name = f"`{found}`" if found.isprintable() else f"U+{ord(found):04X}"
        return Mistake("illegal-character", f"{name} is no part of the language", hint)
    return _LEXICAL.get(kind)


def _place(tokens: Tokens, index: int, start: int, acceptable: Sequence[str]) -> Place:
    opened: list[tuple[str, int]] = []
    for earlier in range(start, index):
        text = tokens.texts[earlier]
        if text in ("(", "[", "{"):
            opened.append((text, tokens.lines[earlier]))
        elif text in (")", "]", "}") and opened:
            opened.pop()
    found = tokens.texts[index]
    begins_item = found in ITEM_WORDS and tokens.first_on_line(index) and tokens.columns[index] == 1
    return Place(
        found,
        tokens.kinds[index],
        tuple(reversed(tokens.texts[start:index])),
        tokens.texts[index + 1] if found else "",
        frozenset(acceptable),
        opened[-1] if opened else ("", 0),
        not found or begins_item,
        tokens.lines[index - 1] if index else 0,
    )


def _unnamed(
    tokens: Tokens,
    index: int,
    start: int,
    acceptable: Sequence[str],
    expected: tuple[str, ...],
    automaton: Automaton,
) -> Mistake:
    import difflib  # slow to import, and only the unlucky need it

    found = tokens.texts[index]
    what = f"`{_shown(found)}`" if found else "the end of the text"
    wanted = f" where {_listed(expected)} was expected" if expected else ""
    keywords = [
        text for text, kind in automaton.tables.spellings.items() if kind in acceptable and text.isalpha()
    ]
    close = difflib.get_close_matches(found, keywords, 1, 0.75) if found.isalpha() else []
    hint = f"did you mean `{close[0]}`?" if close else ""
    if not hint and index > start:
        hint = f"in the item that starts on line {tokens.lines[start]}"
    elif not hint and index == start and not set(acceptable) >= _EXPRESSION - {"ARGUMENT_NAME"}:
        hint = (
            "an item starts with import, structure, implements, data, operation, type, define, example or @"
        )
    return Mistake("unexpected-token", f"{what}{wanted}", hint)


def _expected(acceptable: Sequence[str], automaton: Automaton) -> tuple[str, ...]:
    """The terminals in words, whole families by one."""
    left = set(acceptable)
    words: list[str] = []
    for members, word in _GROUPS:
        if members <= left:
            words.append(word)
            left -= _ABSORBED.get(word, members)
    spelled: dict[str, str] = {}
    for text, kind in automaton.tables.spellings.items():
        spelled.setdefault(kind, text)
    words += sorted({_WORDS.get(kind, f"`{spelled.get(kind, kind)}`") for kind in left})
    return tuple(words)


def _listed(words: tuple[str, ...]) -> str:
    if len(words) == 1:
        return words[0]
    if len(words) > 6:
        return ", ".join(words[:6]) + ", …"
    return ", ".join(words[:-1]) + " or " + words[-1]
