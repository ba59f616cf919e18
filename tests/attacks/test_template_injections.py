"""Texts in papers and theses: whatever a field says, Typst runs none of it, and what should be kept is kept."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kleis.budget import STANDARD_BUDGET
from kleis.evaluator.environment import Environment, environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader

FRAGMENTS = [
    "#", "$", "*", "_", "@", "\\", "\"", "`", "```", "[", "]", "<", ">", "(", ")", "/", "//", "/*", "*/", "=", "~", ";",
    "\n", "\n\n", "\n= ", "\n/ ", "\n- ", " ", "a", "word", "std", "std.", "ü", "1", "{", "}", "&", "%",
    '#panic("ran")', '$#panic("ran")$', '$std.panic("ran")$', ']#panic("ran")[', '(panic("ran"))', '"#panic("ran")',
]  # fmt: skip
"""What texts are made of; code that runs stops the compilation with words of its own."""

HOSTILE = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


@cache
def templates() -> Environment:
    modules = ("mit_thesis", "arxiv_paper", "uofm_thesis", "uspto_patent")
    text = "".join(f'import "stdlib/templates/{module}.kleis"\n' for module in modules)
    return environment_of(Loader(search_from({})).load_text(text).theory)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def made(call: str, *texts: str) -> str:
    """The text that a function of the templates makes of texts."""
    expression = parse_expression(call.format(*map(quoted, texts)))
    value = evaluate(expression, templates(), STANDARD_BUDGET).value
    assert isinstance(value, str)
    return value


def active_signs(text: str) -> list[str]:
    """What is code, or ends a block, and no backslash puts out of force; the text has no strings in its formulas."""
    parts = re.sub(r"\\.", "", text, flags=re.DOTALL).split("$")
    prose, formulas = "".join(parts[0::2]), "".join(parts[1::2])
    return re.findall(r"[#`\[\]<~]", prose) + re.findall(r"#|std\.", formulas)


@given(HOSTILE)
@example("\\\\#panic(1)")
@example("$#panic(1)$ $ std.panic(1)")
def test_prose_has_no_code(text: str) -> None:
    assert active_signs(made("typst_prose({})", text.replace('"', ""))) == []


PLACES = [
    "typst_prose({})",
    "concat(\"#text[\", typst_line({}), \"]\")",
    "concat(\"$ \", typst_math({}), \" $\")",
    "typst_heading(2, {})",
    "concat(\"#let x = \", typst_string({}))",
    "format_author(Author({0}, {0}))",
    "format_affiliation(Affiliation(1, {0}, {0}))",
    "compile_arxiv_element(ArxivFigure({0}, {0}, \"rect()\"))",
    "compile_arxiv_element(ArxivAlgorithm({0}, {0}, {0}))",
    "compile_arxiv_element(ArxivReference({0}, {0}))",
    "compile_arxiv_element(ArxivEquation({0}, {0}, true))",
    "compile_mit_element(MITReference({0}, {0}))",
    "typst_mit_signature(\"Role\", {0}, {0})",
    "compile_umich_element(UMichReference({0}, {0}))",
    "typst_umich_identifier_page({0}, {0}, {0}, {0})",
    "typst_umich_committee({0}, {0}, [Member({0}, {0})])",
    "compile_patent_element(PatentClaim(1, {0}, true))",
    "compile_patent_element(PatentDrawingRef({0}, {0}))",
    "format_inventor(Inventor({0}, {0}, {0}))",
    "format_assignee(Assignee({0}, {0}))",
]  # fmt: skip


def refusal(text: str) -> str:
    """What Typst says against a document; empty where it compiles."""
    typst: Any = pytest.importorskip("typst")
    try:
        typst.compile(text.encode(), format="svg")
    except typst.TypstError as error:
        return str(error)
    return ""


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PLACES), HOSTILE)
@example(PLACES[0], '$"$"#panic("ran")$')
@example(PLACES[0], '$"a\\"#b" #panic("ran")$')
@example(PLACES[6], '(panic("ran"))')
@example(PLACES[8], ' (panic("ran"))\n.x')
@example(PLACES[2], '"$" + #panic("ran")')
def test_typst_runs_nothing(place: str, text: str) -> None:
    assert "panicked" not in refusal(made(place, text)), made(place, text)


def test_the_attack_is_one() -> None:
    assert "panicked" in refusal('#panic("ran")')
    assert "panicked" in refusal('$std.panic("ran")$')
    assert "panicked" in refusal('#[#panic("ran")]')


@pytest.mark.parametrize(
    "document",
    [
        "compile_arxiv_paper(arxiv_example)",
        "compile_mit_thesis(mit_example)",
        "compile_umich_dissertation(umich_example)",
        "compile_umich_dissertation(umich_bare_example)",
        "compile_patent(patent_example)",
        "compile_patent(provisional_example)",
    ],
)
def test_the_examples_compile(document: str) -> None:
    assert refusal(made(document)) == ""
