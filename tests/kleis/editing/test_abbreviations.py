"""Every symbol of the grammar can be typed, and an abbreviation means one symbol."""

from __future__ import annotations

import doctest
import unicodedata

from kleis.editing import abbreviations as module
from kleis.editing.abbreviations import (
    ABBREVIATIONS,
    abbreviation_before,
    abbreviation_of,
    matching_abbreviations,
)
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.parser.tables import load_tables
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.theory.name_check.known_names import TYPE_NAMES


def test_every_symbol_of_the_language_has_one() -> None:
    spelled = {*"".join((*load_tables().spellings, *TYPE_NAMES, SUPERSCRIPTS))}
    symbols = {each for each in spelled if not each.isascii()}

    assert len(symbols) > 60
    assert {each for each in symbols if abbreviation_of(each) is None} == set()


def test_each_means_one_character_that_is_seen() -> None:
    for name, symbol in ABBREVIATIONS.items():
        assert name.isascii(), name
        assert name.isprintable(), name
        assert len(symbol) == 1, name
        assert not symbol.isascii(), name
        assert unicodedata.category(symbol)[0] in "LSPN", name


def test_the_shown_one_means_its_symbol() -> None:
    for symbol in ABBREVIATIONS.values():
        shown = abbreviation_of(symbol)
        assert shown is not None
        assert ABBREVIATIONS[shown[1:]] == symbol


def test_what_is_typed_is_found_and_parses() -> None:
    for name, symbol in ABBREVIATIONS.items():
        text = f"(x \\{name}"
        assert abbreviation_before(text, len(text)) == (3, name)
        assert matching_abbreviations(name)[name] == symbol
    assert parse_expression(
        f"{ABBREVIATIONS['forall']}(x : {ABBREVIATIONS['R']}). x{ABBREVIATIONS['^2']} ≥ 0"
    )


def test_nothing_is_typed_without_a_backslash_right_before() -> None:
    for text in ("", "forall", "\\forall ", "\\forall x", "\\\\ ", "x\\^22"):
        assert abbreviation_before(text, len(text)) is None
    assert abbreviation_before("\\fo \\al", 3) == (0, "fo")


def test_a_long_text_is_looked_at_from_its_end() -> None:
    text = "\\" * 200_000
    assert abbreviation_before(text, len(text)) == (len(text) - 1, "")


def test_examples() -> None:
    assert doctest.testmod(module).failed == 0
