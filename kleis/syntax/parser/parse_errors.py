"""Parse errors in words, and where parsing resumes after one.

See docs/reference/kleis.md §4.3.  `common_mistakes` recognises frequent mistakes; for any other error the message
lists what the automaton would accept, in a reader's words and not the grammar's.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.errors import ParseError
from kleis.syntax.parser.build_types import TreeError
from kleis.syntax.parser.common_mistakes import ILLEGAL_CHARACTERS, Mistake, Place, named_mistake
from kleis.syntax.parser.lexer import Tokens
from kleis.syntax.parser.tables import END, Tables
from kleis.syntax.tree import MAXIMUM_NESTING

__all__ = ["Automaton", "Recovery", "Stuck", "explain_token", "explain_tree_error"]

_EXPRESSION = frozenset((
    "NAME", "QUALIFIED", "NUMBER", "STRING", "LPAR", "LSQB", "FORALL", "EXISTS", "NOT", "PREFIX", "BIG_OPERATOR",
    "LIM", "LAMBDA", "IF", "LET", "MATCH", "USING", "NEGATE", "ARGUMENT_NAME", "EXISTS_ONE", "EMPTY_SET", "LSET", "LBAR",
    "INDEXED",
))  # fmt: skip
_TYPE = frozenset(["NAME", "QUALIFIED", "NUMBER", "LPAR", "FORALL"])
_PATTERN = frozenset(["NAME", "NUMBER", "STRING", "LPAR", "LSQB"])
_OPERATOR = frozenset((
    "IFF", "ARROW", "DOUBLE_ARROW", "OR", "AND", "EQUAL", "DOUBLE_EQUAL", "COMPARISON", "PLUS", "MINUS", "CUSTOM",
    "TIMES_SIGN", "STAR", "DOT_OPERATOR", "SLASH", "POWER", "POSTFIX", "PERCENT", "MEMBER", "SUPERSCRIPT",
))  # fmt: skip
_ITEM = frozenset(
    ["IMPORT", "STRUCTURE", "IMPLEMENTS", "DATA", "OPERATION", "TYPE", "DEFINE", "LEMMA", "EXAMPLE", "AT"]
)
_GROUPS = (
    (_ITEM, "a new item"),
    (_EXPRESSION - {"ARGUMENT_NAME"}, "an expression"),
    (_OPERATOR - {"POSTFIX", "SUPERSCRIPT"}, "an operator"),
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
    "LSET": "`{`",
    "LBAR": "`|`",
    "RBAR": "`|`",
    "SUPERSCRIPT": "an exponent",
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


def explain_tree_error(tokens: Tokens, error: TreeError, file: str) -> ParseError:
    """The error of a text that follows the grammar but has no tree."""
    span = error.span
    text = tokens.text[span.start : span.end]
    lines = text.count("\n")
    return ParseError(
        error.message,
        code=error.code,
        file=file,
        line=span.line,
        column=span.column,
        end_line=span.line + lines,
        end_column=len(text) - text.rfind("\n") if lines else span.column + len(text),
        found=_shown(text),
        hint=error.hint,
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
        if text[-1:] in ("(", "[", "{") and not text.startswith('"'):
            opened.append((text[-1], tokens.lines[earlier]))
        elif text in (")", "]", "}") and opened:
            opened.pop()
    found = tokens.texts[index]
    begins_item = found in _ITEM_WORDS and tokens.first_on_line(index) and tokens.columns[index] == 1
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
    import difflib  # slow to import, and only errors need it

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
        hint = "an item starts with import, structure, implements, data, operation, type, define, lemma, example or @"
    return Mistake("unexpected-token", f"{what}{wanted}", hint)


def _expected(acceptable: Sequence[str], automaton: Automaton) -> tuple[str, ...]:
    """The terminals in words, whole families by one word."""
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


# ── The automaton, stuck ─────────────────────────────────────────────────────────────────────────────────────


class Stuck(Exception):
    """The automaton, sent from `start` at token `begin`, has no move for token `index` with these `states`."""

    def __init__(self, index: int, start: str, begin: int, states: list[int]) -> None:
        super().__init__(index)
        self.index = index
        self.start = start
        self.begin = begin
        self.states = states


class Automaton:
    """What the automaton would accept next, without moving it.

    A merged state of an LALR automaton may reduce on a terminal that it can never shift afterwards.  So whether a
    terminal is acceptable is found by playing the reductions on a copy of the few states they touch.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def accepts(self, states: list[int], terminal: str) -> bool:
        """Whether the automaton, with this stack, ends up shifting the terminal (or done, for `END`)."""
        tables = self.tables
        depth = len(states)
        ends = set(tables.ends.values()) if terminal == END else set()
        played: list[int] = []
        state = states[-1]
        while True:
            action = tables.actions[state].get(terminal)
            if action is None:
                return state in ends
            if action > 0:
                return True
            rule = tables.rules[-action - 1]
            popped = min(rule.size, len(played))
            del played[len(played) - popped :]
            depth -= rule.size - popped
            below = played[-1] if played else states[depth - 1]
            state = tables.gotos[below][rule.target]
            played.append(state)

    def acceptable(self, states: list[int]) -> list[str]:
        """The terminals that can come next, in alphabetical order."""
        return [terminal for terminal in self.tables.actions[states[-1]] if self.accepts(states, terminal)]


# ── Where parsing resumes ────────────────────────────────────────────────────────────────────────────────────

_ITEM_WORDS = frozenset(
    {
        "import",
        "structure",
        "implements",
        "data",
        "operation",
        "type",
        "define",
        "lemma",
        "theorem",
        "promise",
        "example",
        "@",
    }
)

_MISPLACED_WORDS = frozenset({"let", "assert", "axiom", "element", "verify"})


class Recovery:
    """Finds the next top-level item after an error.

    An item starts with its keyword (or ``@``) at the start of a line.  Members of structures start with some of the
    same keywords, so braces decide where they balance in the whole text, and indentation where they do not.
    Statement words in the first column count as items where braces balance.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._depths: list[int] = []
        depth = 0
        for text in tokens.texts:
            self._depths.append(depth)
            depth += (text == "{") - (text == "}")
        self._balanced = depth == 0 and min(self._depths) == 0

    def next_item(self, start: int, at: int) -> int | None:
        """The first token of the item after the one that starts at token `start` and fails at token `at`."""
        tokens = self._tokens
        indentation = tokens.columns[start] if tokens.texts[start] in _ITEM_WORDS else 1
        for index in range(max(at, start + 1), len(tokens)):
            if not tokens.first_on_line(index):
                continue
            outside = self._balanced and self._depths[index] == 0 and tokens.columns[index] == 1
            if outside and tokens.texts[index] in _MISPLACED_WORDS:
                return index
            if tokens.texts[index] not in _ITEM_WORDS:
                continue
            if self._depths[index] == 0 if self._balanced else tokens.columns[index] <= indentation:
                return index
        return None
