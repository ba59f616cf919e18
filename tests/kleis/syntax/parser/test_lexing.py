"""Tokens: identifiers, numbers, strings, comments, and the kinds that depend on their neighbours (docs/reference/kleis.md §1)."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from kleis.syntax.parser import lexer
from kleis.syntax.parser.lexer import COMMON_LETTERS, COMMON_NUMBERS, COMMON_OTHERS, is_word, tokenize
from kleis.syntax.parser.tables import END, load_tables


def kinds(text: str) -> list[str]:
    return tokenize(text).kinds[:-1]


@pytest.mark.parametrize(
    "word", ["x", "_", "_1", "x₁", "β₁", "x²", "ℝ³", "ℝⁿ", "Δx", "π", "Ⅷ", "naïve", "变量", "कि"]
)
def test_one_identifier(word: str) -> None:
    assert is_word(word)
    assert kinds(word) == ["NAME"]


@pytest.mark.parametrize("text", ["x'", "f′", "₁x", "²", "†", "∞", "∅", "√", "1x", "", "a b", "x⁺"])
def test_no_identifier(text: str) -> None:
    assert not is_word(text)


@pytest.mark.parametrize("text", ["0", "12", "0.10", "1e3", "1E+3", "2.5e-10"])
def test_numbers(text: str) -> None:
    assert kinds(text) == ["NUMBER"]


def test_a_dot_without_a_digit_is_no_part_of_a_number() -> None:
    assert tokenize("5. p").texts[:2] == ["5", "."]
    assert tokenize("2 * e").texts[:3] == ["2", "*", "e"]


@pytest.mark.parametrize("text", ["2x", "1e", "0x1F", "1_000"])
def test_a_name_glued_to_a_number_is_refused(text: str) -> None:
    assert "!glued" in kinds(text)


def test_strings_run_over_lines_and_keep_their_spelling() -> None:
    tokens = tokenize('"a\n\\"b" x')
    assert tokens.texts[:2] == ['"a\n\\"b"', "x"]
    assert (tokens.lines[1], tokens.columns[1]) == (2, 6)


def test_comments_are_no_tokens_but_are_remembered() -> None:
    text = "a // b\n/* c /* d */ e"
    tokens = tokenize(text)
    assert tokens.texts[:-1] == ["a", "e"]
    assert [text[start:end] for start, end in tokens.comments] == ["// b", "/* c /* d */"]


def test_a_parenthesis_continues_a_word_and_on_its_line_a_parenthesis() -> None:
    assert kinds("f (x)\n(y)") == ["NAME", "_OPEN", "NAME", "RPAR", "LPAR", "NAME", "RPAR"]
    assert kinds("f(x)(y)")[4] == "_OPEN"
    assert kinds("f\n(x)")[1] == "_OPEN"


def test_argument_names_stand_after_a_parenthesis_or_comma() -> None:
    assert kinds("(a = b, c == d)")[1:6:4] == ["ARGUMENT_NAME", "NAME"]
    assert "ARGUMENT_NAME" not in kinds("[a = b]")


def test_qualified_names_are_one_token_with_operators_too() -> None:
    assert kinds("S::op S::additive::• S::(+)") == ["QUALIFIED"] * 3


def test_an_annotation_holds_anything_balanced() -> None:
    tokens = tokenize('@library("a)", (∈ ; x)) define')
    assert tokens.kinds[:-1] == ["AT", "NAME", "ANNOTATION_TEXT", "define"]
    assert tokens.texts[2] == '("a)", (∈ ; x))'


def test_a_byte_order_mark_is_skipped() -> None:
    assert kinds("\ufeffdefine") == ["define"]


@given(st.text())
def test_every_text_has_tokens_that_cover_it(text: str) -> None:
    """Between tokens there is only white space and comments, and every place is right."""
    tokens = tokenize(text)
    assert tokens.kinds[-1] == END
    assert tokens.starts == sorted(tokens.starts)
    position = 1 if text.startswith("\ufeff") else 0
    gaps = sorted(tokens.comments + [(start, tokens.end(i)) for i, start in enumerate(tokens.starts)])
    for start, end in gaps:
        assert not text[position:start].strip()
        position = max(position, end)
    for index, start in enumerate(tokens.starts):
        assert text[start : tokens.end(index)] == tokens.texts[index]
        assert tokens.lines[index] == text.count("\n", 0, start) + 1
        assert tokens.columns[index] == start - (text.rfind("\n", 0, start) + 1) + 1


def test_common_characters_have_the_properties_that_unicode_gives_them() -> None:
    """What `re` is told of characters is what `regex` knows; no symbol of the grammar is missing."""
    letter, number, space = (regex.compile(each) for each in (r"\p{Alphabetic}", r"\p{N}", r"\s"))
    assert all(letter.fullmatch(each) and is_word(each) for each in COMMON_LETTERS)
    assert all(
        number.fullmatch(each) and is_word(f"a{each}") and not is_word(each) for each in COMMON_NUMBERS
    )
    assert not any(is_word(f"a{each}") or number.fullmatch(each) for each in COMMON_OTHERS)
    assert [each for each in COMMON_OTHERS if space.fullmatch(each)] == ["\t", "\n", "\r", " "]
    assert not [each for each in "".join(load_tables().spellings) if not lexer.is_common(each)]


_PIECES = (
    "∑_{", "^{", "::", "λx", "//", "/*", "*/", '"', "\\", "\n", "and", "H.carrier", "carrier", "⁻", "1.5e3", "axiom b", "::(•)",
)  # fmt: skip
_COMMON_TEXTS = st.lists(
    st.one_of(
        st.sampled_from(_PIECES), st.sampled_from(COMMON_LETTERS + COMMON_NUMBERS + COMMON_OTHERS + "_")
    )
)


@given(_COMMON_TEXTS.map("".join))
def test_common_texts_have_the_tokens_that_all_texts_have(text: str) -> None:
    assert lexer.is_common(text)
    found = tokenize(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lexer, "is_common", lambda _: False)
        expected = tokenize(text)
    for name in ("kinds", "texts", "starts", "lines", "columns", "comments"):
        assert getattr(found, name) == getattr(expected, name)
