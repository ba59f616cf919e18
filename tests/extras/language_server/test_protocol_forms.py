"""Edits of a layout give the layout; text of files stays text in Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from kleis.editing.describe import Description
from kleis.editing.occurrences import Document
from kleis.editing.rename import replaced
from registry.cli.kleis.language_server.project import Project
from registry.cli.kleis.language_server.protocol_forms import (
    changed_lines,
    diagnostics,
    hover_text,
    semantic_tokens,
)
from registry.cli.kleis.language_server.proving import Outcome
from registry.cli.kleis.language_server.reading import read
from registry.cli.kleis.language_server.text_positions import Lines

lines = st.lists(st.sampled_from(["", "a", "b", " a", "\r"]), max_size=7).map("\n".join)


@given(lines, lines)
def test_changed_lines_give_the_other_text(before: str, after: str) -> None:
    changes = changed_lines(before, after)
    assert replaced(before, changes) == after
    assert bool(changes) == (before != after)


def test_text_of_files_is_no_markdown() -> None:
    hostile = Description("```\n</code>\n# x", ("![x](http://example.com) <img src=x> *a*",))
    shown = hover_text([hostile], Outcome("fails", "disproved", "n = [1](y)"), markdown=True)
    assert shown.startswith("````kleis\n```\n</code>\n# x\n````")
    assert "\\!\\[x\\]\\(http" in shown
    assert "\\<img" in shown
    assert "\\[1\\]" in shown


@given(
    st.lists(st.sampled_from(["define f(x) = ", '"a\nb"', "/*\n*/", "𝔹", "∀", "\r\n", "1", " "]), max_size=12)
)
def test_semantic_tokens_are_in_order_and_lie_in_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    document = Document(text)
    found = Lines(text)
    data = semantic_tokens(document, found)
    assert len(data) % 5 == 0
    line = character = 0
    for moved, column, width, _, _ in zip(*[iter(data)] * 5, strict=True):
        line, character = line + moved, column + (0 if moved else character)
        start = found.offset(line, character)
        assert found.position(start) == (line, character)
        assert found.position(found.offset(line, character + width)) == (line, character + width)
        assert width > 0


def test_a_problem_covers_the_word_that_it_is_about() -> None:
    text = "define f(x) = nowhere(x)\n"
    reading = read(Project(), text, "<text>", None, None, "utf-16")
    (found,) = diagnostics(reading, reading.problems, "untitled:1")
    assert (found.range.start.character, found.range.end.character) == (14, 21)
    assert found.message.startswith("the function nowhere is declared nowhere\n")
