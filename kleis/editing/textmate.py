"""The TextMate grammar of Kleis, for editors and viewers of that kind: VS Code, GitHub, Shiki.

A TextMate grammar is a list of expressions without a parser, so it colours by spelling: what is a word of the language
somewhere is one everywhere.  `colours` decides as the parser does; the language server sends that.

    python -m kleis.editing.textmate        prints the grammar as JSON

The file in `editors/vscode/syntaxes/` is that, which a test holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from kleis.editing.words import VALUES, words
from kleis.syntax.parser.lexer import is_word

__all__ = ["grammar", "grammar_text"]

# ᵀ is a letter to Unicode, and an operator here.
_NAME = r"(?!ᵀ)[\p{L}_](?:(?!ᵀ)[\p{L}\p{N}\p{M}_])*"
_BEFORE = r"(?<![\p{L}\p{N}_])"
_AFTER = r"(?![\p{L}\p{N}_])"
_OPERATOR_NAME = r"\([^()\s]+\)"

_TYPE_WORDS = ("structure", "data", "type", "implements")
_FUNCTION_WORDS = ("define", "operation", "element")
_PROOF_WORDS = ("axiom", "lemma", "theorem", "promise")


def grammar() -> dict[str, Any]:
    """The grammar, as TextMate has it."""
    known = words()
    keywords = {each for each in known.keywords if is_word(each)}
    symbols = {each for each in known.keywords if not is_word(each)}
    letters = {each for each in keywords if not each.isascii()}
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Kleis",
        "scopeName": "source.kleis",
        "fileTypes": ["kleis"],
        "patterns": [
            {"name": "comment.line.double-slash.kleis", "match": "//.*$"},
            {"name": "comment.block.kleis", "begin": r"/\*", "end": r"\*/"},
            {
                "name": "string.quoted.double.kleis",
                "begin": '"',
                "end": '"',
                "patterns": [{"name": "constant.character.escape.kleis", "match": r"\\."}],
            },
            {"name": "storage.modifier.annotation.kleis", "match": rf"@\s*{_NAME}"},
            _declaring(_TYPE_WORDS, "entity.name.type.kleis"),
            _declaring(_FUNCTION_WORDS, "entity.name.function.kleis"),
            _declaring(_PROOF_WORDS, "entity.name.function.proof.kleis"),
            {"name": "keyword.control.kleis", "match": _words(keywords - letters)},
            {"name": "keyword.control.symbol.kleis", "match": _any(symbols | letters)},
            {"name": "keyword.operator.word.kleis", "match": _words(known.word_operators)},
            {"name": "keyword.operator.kleis", "match": _words(filter(is_word, known.operators))},
            {"name": "constant.language.kleis", "match": _words(VALUES)},
            {"name": "support.type.kleis", "match": _words(each for each in known.types if is_word(each))},
            {
                "name": "support.function.kleis",
                "match": _words(each for each in known.builtins if is_word(each)),
            },
            {
                "name": "constant.numeric.kleis",
                "match": rf"{_BEFORE}[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|⁻?ⁿ",
            },
            {"name": "entity.name.function.call.kleis", "match": rf"{_BEFORE}{_NAME}(?=\()"},
            {"name": "variable.other.kleis", "match": _NAME},
            {"name": "keyword.operator.kleis", "match": _any(known.operators)},
            {"name": "punctuation.kleis", "match": _any(known.punctuation)},
        ],
    }


def grammar_text() -> str:
    """The grammar as a file."""
    return json.dumps(grammar(), ensure_ascii=False, indent=2) + "\n"


def _declaring(starts: Iterable[str], scope: str) -> dict[str, Any]:
    """A word that declares, and the name behind it."""
    return {
        "match": rf"{_BEFORE}({'|'.join(starts)})\s+({_NAME}|{_OPERATOR_NAME})",
        "captures": {"1": {"name": "keyword.control.declaration.kleis"}, "2": {"name": scope}},
    }


def _words(found: Iterable[str]) -> str:
    return rf"{_BEFORE}(?:{'|'.join(_escaped(found))}){_AFTER}"


def _any(found: Iterable[str]) -> str:
    return "|".join(_escaped(found))


def _escaped(found: Iterable[str]) -> list[str]:
    """Longer spellings first: the first that fits is taken."""
    return [re.escape(each) for each in sorted(found, key=lambda each: (-len(each), each))]


if __name__ == "__main__":
    print(grammar_text(), end="")
