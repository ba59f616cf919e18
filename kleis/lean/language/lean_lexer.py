"""Lean text as tokens: comments, strings, characters, names and symbols.

`tokenize` reads any Lean text, ours and what comes back from elsewhere, and raises `LeanError` where a text cannot be
read; `scan` accepts every text, for readers that need names, brackets and commands only.

`RESERVED`, `RESERVED_FIELDS` and `GLOBAL_NAMES` are the words that an emitted name must not be (docs/reference/lean.md
§3.4).

Invariants
    * Nothing is skipped unseen: white space, comments and tokens together are the text.
    * A comment is never a token, except documentation, which is one of kind ``doc``.
    * Comments nest; a string ends at its first unescaped quote; «a b» is one name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

import msgspec

from kleis.errors import KleisError

__all__ = [
    "GLOBAL_NAMES",
    "RESERVED",
    "RESERVED_FIELDS",
    "LeanError",
    "Token",
    "is_letter",
    "scan",
    "tokenize",
]


class LeanError(KleisError):
    """Something without a form in Lean (``not-expressible``), or a text that is no Lean (``unreadable``)."""


TokenKind: TypeAlias = Literal["name", "number", "string", "character", "symbol", "doc", "end"]


class Token(msgspec.Struct, frozen=True):
    """A token with its place (line and column from 1); `first` says that nothing stands before it on its line."""

    kind: TokenKind
    text: str
    line: int
    column: int
    first: bool = False
    offset: int = 0

    @property
    def last(self) -> int:
        """The offset after the token."""
        return self.offset + len(self.text)


_LETTERLIKE = set("ℂℍℕℙℚℝℤℓ℘ℵℶℷℸ")
_SYMBOLS = (
    ":=", "=>", "->", "<-", "<;>", "|>.", "<|>", "<|", "|>", "::", "++", "&&", "||", "..", "!=", "==", "<=", ">=",
    "/\\", "\\/", "<->", "@[", "⁻¹", "∘'", "#[",
)  # fmt: skip


def is_letter(character: str) -> bool:
    """Whether a name may begin with this character: Lean's rule, λ Π Σ are no letters."""
    if character.isascii():
        return character.isalpha() or character == "_"
    code = ord(character)
    greek = (0x3B1 <= code <= 0x3C9 and character != "λ") or (
        0x391 <= code <= 0x3A9 and character not in "ΠΣ"
    )
    extended = 0x3CA <= code <= 0x3FB or 0x1F00 <= code <= 0x1FFE
    return greek or extended or 0x2100 <= code <= 0x214F or 0x1D49C <= code <= 0x1D59F or _latin(character)


def _latin(character: str) -> bool:
    code = ord(character)
    return 0xC0 <= code <= 0x24F and character not in "×÷"


def _continues(character: str) -> bool:
    code = ord(character)
    subscript = 0x2080 <= code <= 0x2089 or 0x2090 <= code <= 0x209C or 0x1D62 <= code <= 0x1D6A
    return (
        is_letter(character)
        or (character.isascii() and character.isdigit())
        or character in "'!?"
        or subscript
    )


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text, the last one of kind ``end``.  `LeanError` where it cannot be read."""
    return tuple(_Lexer(text).run())


def scan(text: str) -> tuple[Token, ...]:
    """The tokens of any text, the last one of kind ``end``.  Never raises.

    Symbols are single characters but for ``:=``, letters of all scripts make names, and an unclosed comment or string
    runs to the end of the text.
    """
    return tuple(_Scanner(text).run())


class _Lexer:
    symbols: tuple[str, ...] = _SYMBOLS

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.start = 0
        self.first = True

    def run(self) -> list[Token]:
        found: list[Token] = []
        while (token := self._next()) is not None:
            found.append(token)
        found.append(Token("end", "", self.line, self.at - self.start + 1, self.first, self.at))
        return found

    def _next(self) -> Token | None:
        while self.at < len(self.text):
            here = self.text[self.at]
            if here == "\n":
                self._skip(self.at + 1)
                self.first = True
            elif self._is_space(here):
                self.at += 1
            elif self.text.startswith("--", self.at):
                end = self.text.find("\n", self.at)
                self._skip(len(self.text) if end < 0 else end)
            elif self.text.startswith("/-", self.at):
                end = self._comment_end()
                if self.text.startswith(("/--", "/-!"), self.at) and end - self.at >= 5:
                    return self._token("doc", end)
                self._skip(end)
            else:
                return self._word()
        return None

    def _word(self) -> Token:
        here = self.text[self.at]
        if here == '"':
            return self._token("string", self._string_end(self.at))
        if here == "r" and (end := self._raw_end()):
            return self._token("string", end)
        if here == "'" and (end := self._character_end()):
            return self._token("character", end)
        if self._begins_name(self.at):
            return self._token("name", self._name_end())
        if self._is_digit(here):
            return self._token("number", self._number_end())
        for symbol in self.symbols:
            if self.text.startswith(symbol, self.at):
                return self._token("symbol", self.at + len(symbol))
        self._check_symbol(here)
        return self._token("symbol", self.at + 1)

    def _token(self, kind: TokenKind, end: int) -> Token:
        token = Token(
            kind, self.text[self.at : end], self.line, self.at - self.start + 1, self.first, self.at
        )
        self.first = False
        self._skip(end)
        return token

    def _skip(self, end: int) -> None:
        passed = self.text.count("\n", self.at, end)
        if passed:
            self.line += passed
            self.start = self.text.rindex("\n", self.at, end) + 1
        self.at = end

    def _comment_end(self) -> int:
        depth, at = 0, self.at
        while at < len(self.text):
            if self.text.startswith("/-", at):
                depth, at = depth + 1, at + 2
            elif self.text.startswith("-/", at):
                depth, at = depth - 1, at + 2
                if depth == 0:
                    return at
            else:
                at += 1
        return self._unclosed("a comment that does not end")

    def _string_end(self, start: int) -> int:
        at = start + 1
        while at < len(self.text):
            if self.text[at] == "\\":
                at += 2
            elif self.text[at] == '"':
                return at + 1
            else:
                at += 1
        return self._unclosed("a string that does not end")

    def _raw_end(self) -> int:
        """The end of ``r"…"`` or ``r#"…"#``; 0 if this is no raw string."""
        at = self.at + 1
        while at < len(self.text) and self.text[at] == "#":
            at += 1
        if at >= len(self.text) or self.text[at] != '"':
            return 0
        closing = '"' + "#" * (at - self.at - 1)
        end = self.text.find(closing, at + 1)
        return end + len(closing) if end >= 0 else self._unclosed("a string that does not end")

    def _character_end(self) -> int:
        """The end of ``'c'`` or ``'\\n'``; 0 if the quote is something else."""
        after = self.text[self.at + 1 : self.at + 14]
        if after.startswith("\\"):
            end = after.find("'", 2)
            return 0 if end < 0 else self.at + end + 2
        return self.at + 3 if len(after) > 1 and after[1] == "'" and after[0] != "'" else 0

    def _name_end(self) -> int:
        at = self.at
        while True:
            if self.text.startswith("«", at):
                end = self.text.find("»", at)
                if end < 0 or "\n" in self.text[at:end]:
                    raise self._error("a name in « that does not end")
                at = end + 1
            else:
                while at < len(self.text) and self._continues_name(self.text[at]):
                    at += 1
            if self.text.startswith(".", at) and self._begins_name(at + 1):
                at += 1
            else:
                return at

    def _number_end(self) -> int:
        at = self.at
        while at < len(self.text) and (
            (self.text[at].isalnum() and self.text[at].isascii()) or self.text[at] == "_"
        ):
            at += 1
        after = self.text[at + 1 : at + 2]
        if self.text.startswith(".", at) and after.isascii() and after.isdigit():
            at += 1
            while at < len(self.text) and self.text[at].isascii() and self.text[at].isdigit():
                at += 1
        return at

    # ── what a scanner reads otherwise ───────────────────────────────────────────────────────────────────

    def _is_space(self, character: str) -> bool:
        return character in " \t\r"

    def _begins_name(self, at: int) -> bool:
        here = self.text[at : at + 1]
        return here == "«" or (here != "" and is_letter(here))

    def _continues_name(self, character: str) -> bool:
        return _continues(character)

    def _is_digit(self, character: str) -> bool:
        return character.isascii() and character.isdigit()

    def _check_symbol(self, character: str) -> None:
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn"):
            raise self._error(f"a character that is no Lean: U+{ord(character):04X}")

    def _unclosed(self, message: str) -> int:
        """The end of a comment or string that is not closed."""
        raise self._error(message)

    def _error(self, message: str) -> LeanError:
        return LeanError(
            message,
            code="unreadable",
            file="<lean>",
            line=self.line,
            column=self.at - self.start + 1,
            found=self.text[self.at : self.at + 20],
        )


_QUOTED_NAME = re.compile(r"«[^«»\n]*»")


class _Scanner(_Lexer):
    """Accepts every text: see `scan`."""

    symbols = (":=",)

    def _is_space(self, character: str) -> bool:
        return character.isspace()

    def _begins_name(self, at: int) -> bool:
        here = self.text[at : at + 1]
        if here == "«":
            return _QUOTED_NAME.match(self.text, at) is not None
        return here == "_" or (here.isalnum() and not here.isdecimal())

    def _continues_name(self, character: str) -> bool:
        return character.isalnum() or character in "_'!?"

    def _is_digit(self, character: str) -> bool:
        return character.isdecimal()

    def _number_end(self) -> int:
        at = self.at
        while at < len(self.text) and (self.text[at].isalnum() or self.text[at] in "_."):
            at += 1
        return at

    def _check_symbol(self, character: str) -> None:
        pass

    def _unclosed(self, message: str) -> int:
        return len(self.text)


# ── Words that a name must not be ──────────────────────────────────────────────────────────────────────────────
#
# What Lean 4.28-pre refuses as the name of a binder, of all words in its own parsers and syntax; `lemma` and some symbols
# come from Mathlib.  `stop` and `admit` are tactics that leave a proof open.

RESERVED = frozenset(
    [
        "def", "theorem", "example", "abbrev", "axiom", "opaque", "instance", "class", "structure",
        "inductive", "coinductive", "mutual", "end", "namespace", "section", "open", "export", "import",
        "universe", "variable", "attribute", "set_option", "deriving", "extends", "where", "in", "at",
        "from", "with", "using", "hiding", "renaming", "then", "else", "if", "match", "do", "let",
        "have", "show", "suffices", "by", "fun", "forall", "exists", "for", "unless", "return", "try",
        "catch", "finally", "mut", "calc", "sorry", "nomatch", "nofun", "Type", "Prop", "Sort",
        "private", "protected", "public", "local", "scoped", "meta", "noncomputable", "partial",
        "unsafe", "macro", "syntax", "notation", "infix", "infixl", "infixr", "prefix", "postfix",
        "elab", "elab_rules", "declare_syntax_cat", "initialize", "builtin_initialize", "include",
        "omit", "termination_by", "decreasing_by", "lemma", "macro_rules", "nonrec", "run_cmd", "λ",
        "Π", "Σ", "∀", "∃", "bif", "break", "builtin_dsimproc", "builtin_dsimproc_decl",
        "builtin_simproc", "builtin_simproc_decl", "by_elab", "coinductive_fixpoint", "continue",
        "dbg_trace", "docs_to_verso", "dsimproc", "dsimproc_decl", "eval_prec", "eval_prio",
        "generalizing", "grind_propagator", "haveI", "include_str", "inductive_fixpoint", "init_quot",
        "leading_parser", "letI", "let_delayed", "let_fun", "let_tmp", "matches", "max_prec",
        "mod_cast", "nat_lit", "norm_cast_add_elim", "partial_fixpoint", "recommended_spelling",
        "register_tactic_tag", "repeat", "run_elab", "run_meta", "seal", "set_library_suggestions",
        "show_term", "show_term_elab", "simproc", "simproc_decl", "tactic_alt", "tactic_extension",
        "tactic_tag", "trailing_parser", "unif_hint", "unseal", "until", "while",
        "without_expected_type", "stop", "admit",
    ]
)  # fmt: skip

RESERVED_FIELDS = frozenset(
    {"rec", "mk", "casesOn", "recOn", "noConfusion", "below", "brecOn", "toCtorIdx", "ctorIdx"}
)

GLOBAL_NAMES = frozenset(
    [
        "true", "false", "True", "False", "decide", "min", "max", "abs", "norm", "star", "absurd", "rfl",
        "Nat", "Int", "Rat", "Real", "Complex", "Bool", "String", "List", "Prod", "Set", "Finset", "Fin",
        "Matrix", "BitVec", "Unit", "Builtin", "Char", "Nonempty", "Classical", "Decidable", "ℕ", "ℤ", "ℚ", "ℝ", "ℂ",
    ]
)  # fmt: skip
