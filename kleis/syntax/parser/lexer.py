"""Text to tokens: one pass of one compiled expression, linear in the text whatever it contains.

See docs/reference/kleis.md §1.  Tokens are kept in parallel lists, one entry per token, which is several times
cheaper than an object each.  The lexer never fails: what is no token gets a kind that starts with ``!``, which no
grammar rule accepts (`parse_errors` explains them).

No word is reserved, so the lexer cannot determine every kind.  A keyword has its own text as its kind, and `soft`
says which terminal the parser tries first and which it falls back on; grammar.lark explains the other kinds.
Which characters are letters, Unicode says by properties that the package `regex` knows.  To import it and to compile with
it takes longer than to read most texts, so texts of common characters only, whose properties are written here, are
scanned by Python's own `re`; the tokens are the same.

A word that begins with λ, Σ or Π (``λx``) is given as two tokens, because in an expression those letters begin a
form; the parser joins the two where a name is wanted (`GLUED`).
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kleis.syntax.parser.tables import END, load_tables
from kleis.syntax.tree import MAXIMUM_NESTING

if TYPE_CHECKING:
    import regex

    Compiled: TypeAlias = "re.Pattern[str] | regex.Pattern[str]"

__all__ = ["CONTINUING_WORDS", "GLUED", "VOID", "Tokens", "is_word", "soft", "tokenize"]

GLUED = {"λ…": "LAMBDA", "Σ…": "BIG_OPERATOR"}
"""Kinds of a λ, Σ or Π that the next token continues without a gap, and the terminals they are in a form."""

VOID = ""
"""The kind of a token that the parser has joined to the one before it."""

_NOT_WORDS = "ᵀ†′″‴⁺⁻⁎˟"
COMMON_LETTERS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzΓΔΘΛΞΠΣΦΨΩαβγδεζηθικλμνξοπρςστυφχψωℂℕℚℝℤⁿßäèéïñöü"
)
"""Characters that words begin with."""

COMMON_NUMBERS = "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"
"""Characters that words go on with."""

COMMON_OTHERS = (
    "\t\n\r !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~¬·×÷ᵀ†′•⁻‐–—‘’“”…→↔⇒⇔∀∃∅∇∈∉∏∑−∗∘√∞∧∨∩∪∫≈≠≤≥⊆⊕⊗⊙⊤⊥⋅⋆⟨⟩⟹⟺─│§©€"
    "⁺†∂√∬∭∮∯≡⊍⊎⊓⊔⊘⊚⊛⊝⊞⊟⊠⊡⋂⋃△▽⨀⨁⨂⨃⨄"
)
"""Characters of no word: white space, operators, what comments are written with."""


class _Alphabet(NamedTuple):
    """What words begin and go on with, as sets of an expression."""

    begin: str
    more: str

    @property
    def word(self) -> str:
        return f"{self.begin}{self.more}*+"


_COMMON = _Alphabet(f"[_{COMMON_LETTERS}]", f"[_{COMMON_LETTERS}{COMMON_NUMBERS}]")
_UNICODE = _Alphabet(rf"[\p{{Alphabetic}}_--[{_NOT_WORDS}]]", rf"[\p{{Alphabetic}}\p{{N}}_--[{_NOT_WORDS}]]")
_ITEM_WORDS = {
    "import", "structure", "implements", "data", "operation", "type", "define", "lemma", "theorem", "promise",
    "example",
}  # fmt: skip
_DECLARATION_WORDS = _ITEM_WORDS | {"axiom", "element"}
"""First on a line and before a name these are keywords: ``axiom b`` begins a declaration everywhere."""


class Tokens:
    """The tokens of a text.  The last one has kind `END`, stands at the end of the text and is empty.

    `comments` holds the code-point range of each comment, in order.
    The parser writes the terminals that it has determined back into `kinds`.
    """

    __slots__ = ("columns", "comments", "kinds", "lines", "starts", "text", "texts")

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.lines: list[int] = []
        self.columns: list[int] = []
        self.comments: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self.kinds)

    def end(self, index: int) -> int:
        """The code point after the token."""
        return self.starts[index] + len(self.texts[index])

    def first_on_line(self, index: int) -> bool:
        """Whether the token before this one ends on an earlier line."""
        if index < 0:
            index += len(self.starts)
        return index == 0 or self.text.find("\n", self.end(index - 1), self.starts[index]) >= 0


class _Scanner(NamedTuple):
    symbols: dict[str, str]
    soft: dict[str, tuple[str, str]]


@functools.lru_cache(maxsize=1)
def _scanner() -> _Scanner:
    spellings = load_tables().spellings
    symbols = {spelling: kind for spelling, kind in spellings.items() if not is_word(spelling)}
    soft = {word: (kind, "NAME") for word, kind in spellings.items() if is_word(word)}
    soft |= {
        "_OPEN": ("_OPEN", "LPAR"),
        "MINUS": ("MINUS", "NEGATE"),
        "ARGUMENT_NAME": ("ARGUMENT_NAME", "NAME"),
        "DOT_CARRIER": ("DOT_CARRIER", "DOT"),
        "LBRACE": ("LBRACE", "LSET"),
        "BANG": ("POSTFIX", "NOT"),
        "VBAR": ("VBAR", "RBAR"),
        VOID: (VOID, VOID),
    }
    soft |= {kind: (terminal, "NAME") for kind, terminal in GLUED.items()}
    return _Scanner(symbols, soft)


def _pattern(letters: _Alphabet, stop: str, any_: str) -> str:
    """The expression of a token.  `stop` are the characters that end a string, `any_` those that a backslash takes along."""
    symbols = _scanner().symbols
    long = sorted((s for s in symbols if len(s) > 1), key=len, reverse=True)
    short = "".join(re.escape(s) for s in symbols if len(s) == 1)
    symbol = f"{'|'.join(map(re.escape, long))}|[{short}]"
    operator = rf"(?:{symbol})"
    pieces = [
        r"(?P<indexed>[∑∏ΣΠ]_\{|\^\{)",
        r"(?P<superscript>⁻?+[⁰¹²³⁴⁵⁶⁷⁸⁹]++|⁻?+ⁿ)",
        rf"(?P<word>{letters.word})(?:(?P<qualified>(?:::(?:{letters.word}|\({operator}\)|{operator}))++)"
        rf"|(?P<carrier>\.carrier(?!{letters.more})))?",
        r"(?P<comment>//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)",
        r"(?P<open_comment>/\*(?s:.*))",
        rf"(?P<symbol>{symbol})",
        r"(?P<number>[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)",
        rf'(?P<string>"(?:[^"\\{stop}]++|\\{any_})*+")',
        r'(?P<open_string>"[^\n]*+)',
        r"(?P<other>\S)",
        r"(?P<end>\Z)",
    ]
    return r"\s*+(?:" + "|".join(pieces) + ")"


def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(pattern, regex.V1)


@functools.lru_cache(maxsize=2)
def _whole(common: bool) -> Compiled:
    """Strings may run over many lines."""
    pattern = _pattern(_COMMON if common else _UNICODE, "", r"[\s\S]")
    return re.compile(pattern) if common else _compiled(pattern)


@functools.lru_cache(maxsize=2)
def _by_line(common: bool) -> Compiled:
    """Used after a string that is never closed: strings end on their line, so that no text is scanned twice. Compiling it
    takes as long as reading a small file, so it waits for the first such string."""
    pattern = _pattern(_COMMON if common else _UNICODE, r"\n", r"[^\n]")
    return re.compile(pattern) if common else _compiled(pattern)


_COMMON_WORD = re.compile(_COMMON.word)
_COMMON_TEXT = re.compile(f"[_{re.escape(COMMON_LETTERS + COMMON_NUMBERS + COMMON_OTHERS)}]*+")


@functools.lru_cache(maxsize=1)
def _word() -> regex.Pattern[str]:
    return _compiled(_UNICODE.word)


def is_word(text: str) -> bool:
    """Whether a text is an identifier of Kleis; keywords are."""
    if _COMMON_WORD.fullmatch(text) is not None:
        return True
    return not is_common(text) and _word().fullmatch(text) is not None


def is_common(text: str) -> bool:
    """Whether a text has common characters only."""
    return _COMMON_TEXT.fullmatch(text) is not None


def soft() -> dict[str, tuple[str, str]]:
    """For each kind that depends on its place: the terminal to try, and the one to fall back on."""
    return _scanner().soft


def tokenize(text: str) -> Tokens:
    """The tokens of any text at all."""
    tokens = Tokens(text)
    start = 1 if text.startswith("\ufeff") else 0
    common = is_common(text)
    rest = _scan(tokens, _whole(common), start)
    if rest is not None:
        _scan(tokens, _by_line(common), rest)
    if "AT" in tokens.kinds:
        _collapse_annotations(tokens)
    if "with" in tokens.kinds or "using" in tokens.kinds:
        _decide_by_successor(tokens)
    return tokens


def _scan(tokens: Tokens, pattern: Compiled, start: int) -> int | None:
    """Add the tokens from `start` on; the place to resume at with `by_line`, after a string that is never closed."""
    text, kinds, texts, starts = tokens.text, tokens.kinds, tokens.texts, tokens.starts
    lines, columns = tokens.lines, tokens.columns
    words, symbols = _scanner().soft, _scanner().symbols
    line = text.count("\n", 0, start) + 1
    line_start = text.rfind("\n", 0, start) + 1
    next_line = _newline(text, start)
    depth = 0
    previous = ""
    for match in pattern.finditer(text, start):
        group = match.lastgroup or ""
        piece = match.group(group)
        begin: int = match.start(group)
        while begin > next_line:
            line += 1
            line_start = next_line + 1
            next_line = _newline(text, line_start)
        if group == "word":
            kind = piece if piece in words else "NAME"
            if begin - line_start == 0 and kind in _ITEM_WORDS:
                depth = 0
            elif kind == "NAME" and previous == "number" and begin == tokens.end(-1):
                kind = "!glued"
            elif kind == "NAME" and previous == "word" and kinds[-1] in _DECLARATION_WORDS:
                _begin_declaration(tokens, line)
            if piece[0] in "λΣΠ" and len(piece) > 1 and is_word(piece[1]):
                kind = _glued(piece)
        elif group == "symbol":
            kind = symbols[piece] if piece != "!" else "BANG"
            if piece in "([{":
                depth += 1
                if depth == MAXIMUM_NESTING + 1:
                    kind = "!deep"
                elif piece == "(" and _continues(previous, kinds, lines, line):
                    kind = "_OPEN"
                    if kinds[-1] in _INFIX_WORDS and kinds[-2:-1] in (["LPAR"], ["_OPEN"], ["verify"]):
                        kinds[-1] = "NAME"  # `(and(p, q))` is a call, `(and)` an operator as a value
            elif piece in ")]}":
                depth -= depth > 0
            elif piece == "=" and previous == "word" and kinds[-2:-1] and kinds[-2] in _ARGUMENT_STARTS:
                kinds[-1] = "ARGUMENT_NAME"
        elif group == "indexed":
            kind = symbols[piece]
            depth += 1
        elif group == "superscript":
            kind = "SUPERSCRIPT"
        elif group == "number":
            kind = "NUMBER"
        elif group == "string":
            kind = "STRING"
            if previous == "word" and kinds[-1] in ("example", "import"):
                _begin_declaration(tokens, line)
        elif group == "comment":
            tokens.comments.append(match.span(group))
            continue
        elif group == "qualified" or group == "carrier":
            begin = match.start("word")
            kind = "QUALIFIED" if group == "qualified" else "NAME"
            piece = text[begin : match.end()] if group == "qualified" else match.group("word")
        else:
            kind = _RARE[group]
        previous = group
        kinds.append(kind)
        texts.append(piece)
        starts.append(begin)
        lines.append(line)
        columns.append(begin - line_start + 1)
        if kind == "λ…" or kind == "Σ…":
            _split(tokens)
        elif group == "carrier":
            _split_carrier(tokens)
        elif group == "open_string":
            return begin + len(piece)
        elif group == "end":
            break  # white space before the end would give a second empty match
    return None


_RARE = {"open_comment": "!comment", "open_string": "!string", "other": "!character", "end": END}
_ARGUMENT_STARTS = {"LPAR", "_OPEN", "COMMA"}
_INFIX_WORDS = {"and", "or"}


def _newline(text: str, start: int) -> int:
    found = text.find("\n", start)
    return found if found >= 0 else len(text)


def _continues(previous: str, kinds: list[str], lines: list[int], line: int) -> bool:
    """Whether an opening parenthesis continues what stands before it (`_OPEN` in grammar.lark)."""
    if previous in ("word", "qualified"):
        return True
    if previous != "symbol":
        return False
    return kinds[-1] == "BIG_OPERATOR" or (kinds[-1] == "RPAR" and lines[-1] == line)


def _begin_declaration(tokens: Tokens, line: int) -> None:
    """A name or string follows a word that begins declarations: first on a line, the word is a keyword."""
    if tokens.lines[-1] == line and tokens.first_on_line(-1):
        tokens.kinds[-1] = _scanner().soft[tokens.kinds[-1]][0]


def _glued(word: str) -> str:
    return "λ…" if word[0] == "λ" else "Σ…"


def _split(tokens: Tokens) -> None:
    """Make two tokens of ``λx``."""
    head = tokens.texts[-1]
    tokens.texts[-1] = head[0]
    _follow(tokens, "NAME", head[1:])


def _split_carrier(tokens: Tokens) -> None:
    """Make three tokens of ``H.carrier`` (four of ``λx.carrier``)."""
    head = tokens.texts[-1]
    if head[0] in "λΣΠ" and is_word(head[1:2]):
        tokens.kinds[-1] = _glued(head)
        _split(tokens)
    _follow(tokens, "DOT_CARRIER", ".")
    _follow(tokens, "NAME", "carrier")


def _follow(tokens: Tokens, kind: str, piece: str) -> None:
    """Add a token right after the last one."""
    width = len(tokens.texts[-1])
    tokens.kinds.append(kind)
    tokens.texts.append(piece)
    tokens.starts.append(tokens.starts[-1] + width)
    tokens.lines.append(tokens.lines[-1])
    tokens.columns.append(tokens.columns[-1] + width)


def _partners(tokens: Tokens) -> dict[int, int]:
    """The index of the closing parenthesis for each opening one that has one."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, piece in enumerate(tokens.texts):
        if piece == "(":
            opened.append(index)
        elif piece == ")" and opened:
            partners[opened.pop()] = index
    return partners


def _collapse_annotations(tokens: Tokens) -> None:
    """Make one token of everything between the parentheses of an annotation other than ``@decreases``."""
    partners = _partners(tokens)
    kept: list[int] = []
    index = 0
    while index < len(tokens):
        kept.append(index)
        annotates = index >= 2 and tokens.kinds[index - 2] == "AT" and tokens.texts[index - 1] != "decreases"
        if annotates and tokens.kinds[index] == "_OPEN" and index in partners:
            close = partners[index]
            tokens.kinds[index] = "ANNOTATION_TEXT"
            tokens.texts[index] = tokens.text[tokens.starts[index] : tokens.end(close)]
            index = close
        index += 1
    tokens.kinds = [tokens.kinds[index] for index in kept]
    tokens.texts = [tokens.texts[index] for index in kept]
    tokens.starts = [tokens.starts[index] for index in kept]
    tokens.lines = [tokens.lines[index] for index in kept]
    tokens.columns = [tokens.columns[index] for index in kept]


_STARTS_PROPOSITION = frozenset((
    "NAME", "QUALIFIED", "NUMBER", "STRING", "LPAR", "_OPEN", "LSQB", "FORALL", "EXISTS", "EXISTS_ONE", "NOT", "BANG",
    "PREFIX", "BIG_OPERATOR", "INDEXED", "EMPTY_SET", "LAMBDA", "λ…", "Σ…",
))  # fmt: skip
CONTINUING_WORDS = frozenset(["and", "or", "then", "else", "in", "as", "where", "with", "over", "extends"])
"""Keywords that continue what stands before them, wherever they can."""


def _starts_proposition(tokens: Tokens, index: int, same_line: bool) -> bool:
    """Whether a proposition can start with a token; words that start items do not on a line of their own."""
    if tokens.kinds[index] in _STARTS_PROPOSITION:
        return True
    text = tokens.texts[index]
    return is_word(text) and text not in CONTINUING_WORDS and (same_line or text not in _DECLARATION_WORDS)


def _decide_by_successor(tokens: Tokens) -> None:
    """Decide whether ``with`` and ``using`` are keywords.

    They are where a name follows, ``with`` also before a parenthesis; else they are names themselves.

    ``using S (x = y)`` is about S, ``using S(ℤ) x = y`` about S(ℤ): the parentheses are arguments if a
    proposition follows them, on the same line unless they are glued to the name.
    """
    partners = _partners(tokens)
    for index, kind in enumerate(tokens.kinds):
        if kind not in ("with", "using"):
            continue
        following = tokens.texts[index + 1]
        names = is_word(following[:1]) and following not in CONTINUING_WORDS
        if not names and not (kind == "with" and following == "("):
            tokens.kinds[index] = "NAME"
        elif kind == "using" and tokens.kinds[index + 2] == "_OPEN":
            close = partners.get(index + 2, index)
            same_line = tokens.lines[close] == tokens.lines[close + 1]
            glued = tokens.end(index + 1) == tokens.starts[index + 2]
            if not (glued or same_line) or not _starts_proposition(tokens, close + 1, same_line):
                tokens.kinds[index + 2] = "LPAR"
