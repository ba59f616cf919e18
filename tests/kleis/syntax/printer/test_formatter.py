"""The formatter: layout and spelling, comments kept (see also the properties in test_round_trip.py)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.errors import ParseError
from kleis.syntax.parser.lexer import tokenize
from kleis.syntax.parser.parser import parse_source
from kleis.syntax.printer.formatter import format_source

SOURCE = """\
// head

import   "a"
/* block
   comment */
structure S(A,B)   extends T {
// about op
operation (+) : A×A -> A   // trailing
  axiom a : forall (x y : A) .
     x+y = y + x and
       not(x = y)\t\x20



  axiom b : x<=y   /* inline */ && λx . x != λ y . y
  structure n : M(A) { element e:A }
}
define f( x ,y ) = match x {
A => 1
| B(z) => match z {
   0 => 2 // two
  | _ => 3
 }
   // end
}
example "q" {
   let x = [1,2,
     3
   ]
   /* last */ }
// tail"""

UNICODE = """\
// head

import "a"
/* block
   comment */
structure S(A, B) extends T {
    // about op
    operation (+) : A×A → A  // trailing
    axiom a : ∀ (x y : A) .
        x+y = y + x ∧
         ¬(x = y)

    axiom b : x≤y /* inline */ ∧ λx . x ≠ λ y . y
    structure n : M(A) { element e:A }
}
define f(x, y) = match x {
    A => 1
    | B(z) => match z {
        0 => 2  // two
        | _ => 3
    }
    // end
}
example "q" {
    let x = [1, 2,
        3
    ]
    /* last */ }
// tail
"""


def test_layout_and_unicode() -> None:
    formatted = format_source(SOURCE)
    assert formatted.replace("λ x . x ≠", "λx . x ≠") == UNICODE
    assert format_source(formatted) == formatted


def test_ascii() -> None:
    formatted = format_source(SOURCE, ascii=True)
    assert "forall (x y : A)" in formatted
    assert "not (x = y)" in formatted
    assert "x<=y /* inline */ and lambda x . x != lambda y . y" in formatted
    assert format_source(formatted, ascii=True) == formatted
    assert format_source(formatted).replace("λ x . x ≠", "λx . x ≠").replace("¬ (", "¬(") == UNICODE


def test_what_would_change_the_meaning_stays() -> None:
    text = "define f = g(a == b) + h((c = d)) * x·y\n"
    assert format_source(text) == text


def test_a_broken_text_is_refused() -> None:
    with pytest.raises(ParseError):
        format_source("define f = (\ndefine g = a <")


def test_nothing_is_nothing() -> None:
    assert format_source("") == ""
    assert format_source("\n\n  \n") == ""
    assert format_source("// only\n\n\n// this") == "// only\n\n// this\n"


GAPS = st.sampled_from([" ", "\n", "\n\n\n", "\t", " // c\n", "/* c */", "\n  /* c\n d */ ", "\n// e\n\n"])
WORDS = ["structure", "S", "{", "axiom", "a", ":", "f", "(", "x", ",", "y", ")", "=", "1", "w", ":", "T", "}"]


@given(st.lists(GAPS, min_size=len(WORDS), max_size=len(WORDS)), st.booleans())
def test_no_comment_is_lost_wherever_it_stands(gaps: list[str], ascii: bool) -> None:
    text = "".join(word + gap for word, gap in zip(WORDS, gaps, strict=True))
    formatted = format_source(text, ascii=ascii)
    before, after = tokenize(text), tokenize(formatted)
    assert [formatted[a:b] for a, b in after.comments] == [text[a:b].rstrip() for a, b in before.comments]
    assert after.texts == before.texts
    assert parse_source(formatted).program == parse_source(text).program
    assert format_source(formatted, ascii=ascii) == formatted
