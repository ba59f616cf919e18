"""The pieces are the text; what they are follows the product's own tables; no program has an error in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Error

from kleis.editing import words as words_module
from kleis.editing.colours import Colour, coloured
from kleis.editing.pygments_lexer import TOKENS, KleisLexer
from kleis.syntax.operators import BINARY, CALLED_INFIX, CALLED_PREFIX, POSTFIX, PREFIX
from kleis.syntax.parser.lexer import is_word
from kleis.syntax.parser.tables import load_tables

ROOT = Path(__file__).parents[3]
RIGHT = sorted(
    [*ROOT.glob("stdlib/kleis/**/*.kleis"), *ROOT.glob("tests/kleis_programs/**/*.kleis")], key=str
)
WRONG = sorted(ROOT.glob("tests/kleis_errors/*.kleis"))


def colours(text: str) -> dict[str, Colour]:
    """What the pieces of a text are; the last one of each spelling."""
    return {piece.text: piece.colour for piece in coloured(text)}


@pytest.mark.parametrize("file", RIGHT, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_have_no_error_and_lose_nothing(file: Path) -> None:
    text = file.read_bytes().decode()
    found = list(KleisLexer().get_tokens_unprocessed(text))

    assert "".join(piece for _, _, piece in found) == text
    assert [(place, piece) for place, kind, piece in found if kind in Error] == []
    assert [text[place : place + len(piece)] for place, _, piece in found] == [p for _, _, p in found]


def test_there_are_programs() -> None:
    assert len(RIGHT) > 150
    assert len(WRONG) > 10


@pytest.mark.parametrize("file", WRONG, ids=lambda path: path.name)
def test_programs_with_errors_lose_nothing_either(file: Path) -> None:
    text = file.read_bytes().decode()
    assert "".join(piece.text for piece in coloured(text)) == text


_BITS = st.sampled_from(
    ["λ", "λx", "Σ_{", "^{", "∃!", "∀", "x", ".carrier", '"', "//", "/*", "*/", "\n", "\r\n", "(", ")", "{", "}", "|",
     "!", "2x", "x²", "⁻¹", "@doc(", "@decreases(", "using ", "with ", "::", "define ", "in", "=", "==>", "\ufeff",
     "\\", "𝔹", "😀", "\x00", "\u2028", ";", " "]
)  # fmt: skip


@given(st.lists(_BITS, max_size=30).map("".join) | st.text(max_size=60))
@example("\ufeff\ufeffdefine")
@example("λx.carrier λx . x.carrier")
@example('"never closed\n"and one more')
@example("/* never closed")
def test_any_text_comes_back(text: str) -> None:
    pieces = list(coloured(text))

    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)
    assert [piece.start for piece in pieces] == [
        sum(len(each.text) for each in pieces[:number]) for number in range(len(pieces))
    ]


def test_every_operator_of_the_table_is_coloured() -> None:
    spellings = {
        *(
            each
            for row in (*BINARY.values(), *CALLED_INFIX)
            for each in (row.symbol, row.ascii, *row.aliases)
        ),
        *(each.symbol for each in (*PREFIX.values(), *POSTFIX.values())),
        *CALLED_PREFIX,
    }
    assert len(spellings) > 60
    wrong = {
        each: colours(f"x {each} y").get(each)
        for each in spellings
        if colours(f"x {each} y").get(each) not in ("operator", "word operator")
    }
    assert wrong == {}


def test_every_spelling_of_the_grammar_is_one_thing() -> None:
    known = words_module.words()
    sets = [known.keywords, known.word_operators, known.operators, known.punctuation]
    assert set(load_tables().spellings) <= set().union(*sets)
    assert sum(map(len, sets)) == len(set().union(*sets))
    assert all(is_word(each) for each in known.word_operators)


def test_a_new_operator_needs_no_other_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words are what the tables say at the moment, so an operator that is added there is one here."""
    from kleis.syntax.operators import Unary

    words_module.words.cache_clear()
    monkeypatch.setitem(POSTFIX, "degree", Unary("degree", "°", None))
    try:
        assert "°" in words_module.words().operators
    finally:
        words_module.words.cache_clear()


def test_the_parser_decides_what_a_word_is() -> None:
    keyword = colours("define f(x) = let y = x in y")
    name = colours("define f(in) = in + 1")
    assert (keyword["in"], keyword["let"]) == ("keyword", "keyword")
    assert name["in"] == "name"


@pytest.mark.parametrize(
    ("text", "piece", "colour"),
    [
        ("structure Group(G) { element e : G }", "Group", "declared type"),
        ("structure Group(G) { element e : G }", "e", "declared"),
        ("define twice(x : ℤ) = x + x", "twice", "declared"),
        ("define twice(x : ℤ) = x + x", "ℤ", "type"),
        ("define size(l) = length(l)", "length", "builtin"),
        ("define a = b(1)", "b", "call"),
        ("define a = true", "true", "value"),
        ("define a = 1.5e3", "1.5e3", "number"),
        ('define a = "// no comment"', '"// no comment"', "string"),
        ("define a = 1 // two", "// two", "comment"),
        ("@author(A. N. Other) define a = 1", "(A. N. Other)", "annotation"),
        ("define a = 2x", "x", "error"),
        ("define a = ?", "?", "error"),
        ('define a = "not closed', '"not closed', "string"),
        ("define a = 1 /* not closed", "/* not closed", "comment"),
        ("∀(x : ℝ). x ≥ 0", "∀", "keyword"),
    ],
)
def test_what_a_piece_is(text: str, piece: str, colour: Colour) -> None:
    assert colours(text)[piece] == colour


def test_pygments_finds_the_lexer_by_name_and_by_file() -> None:
    assert isinstance(get_lexer_by_name("kleis"), KleisLexer)
    assert isinstance(get_lexer_for_filename("groups.kleis"), KleisLexer)


def test_html_of_hostile_text_is_escaped() -> None:
    shown = HtmlFormatter(nowrap=True)
    text = 'define a = "<script>alert(1)</script>" <b>'
    import pygments

    html = pygments.highlight(text, KleisLexer(), shown)
    assert "<script>" not in html
    assert "<b>" not in html


def test_every_colour_has_a_token() -> None:
    from typing import get_args

    assert set(TOKENS) == set(get_args(Colour))


def test_blank_lines_stay() -> None:
    text = "\n\n  define a = 1\n\n"
    assert "".join(piece for _, piece in KleisLexer().get_tokens(text)) == text
