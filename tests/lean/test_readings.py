"""Every exported file is the text that a Lean has read last: a change of the export asks for `make lean`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lean import report, texts
from tests.lean.bundle import bundles
from tests.lean.reading import Finding


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return dict(texts.sources(tmp_path_factory.mktemp("theories")))


@pytest.mark.parametrize("name", sorted(report.recorded()))
def test_the_text_is_the_one_that_lean_has_read(name: str, sources: Mapping[str, Path]) -> None:
    text = texts.stated(sources[name])
    assert text is not None
    assert report.digest(text) == report.recorded()[name].stated, "make lean: Lean has not read this text"


def test_the_page_is_made_from_the_record(sources: Mapping[str, Path]) -> None:
    assert report.PAGE.read_text(encoding="utf-8") == report.page(report.recorded(), report.unread(sources))


def test_the_page_says_what_was_not_read_and_what_lean_refused() -> None:
    known = report.Reading(
        proved="", stated="", day="1 May 2026", version="Lean", below="stub", proofs=2, refutations=1, open=3,
        omitted=4, verified=4, left_open=5, errors=(Finding(7, "no such name"),),
    )  # fmt: skip
    text = report.page({"a/b.kleis": known}, {"a/c.kleis": "has no form in Lean: it is a song"})
    assert (
        "1 files, 6 theorems: 2 with a proof, 1 refuted, 3 open. Kleis verifies\n4 of them; the others it refutes or leaves open. Lean reports 1 errors."
        in text
    )
    assert "1 other files of the corpus were not read" in text
    assert "- a/c.kleis has no form in Lean: it is a song.\n" in text
    assert "| a/b.kleis | 1 errors | 6 | 4 | 2 | 1 | 3 | 4 |" in text
    assert "- a/b.kleis, line 7: no such name" in text


def test_a_line_of_a_bundle_leads_back_to_its_file() -> None:
    files = [("one", "a\nb\n"), ("two", "import Mathlib\nc\n  ring\n"), ("three", "d\n")]
    core, stub = bundles(files, mathlib=False)
    lines = core.text.split("\n")
    assert [core.place(lines.index(each) + 1) for each in "abd"] == [("one", 1), ("one", 2), ("three", 1)]
    lines = stub.text.split("\n")
    assert stub.place(lines.index("c") + 1) == ("two", 2)
    assert (stub.parts[0].left_open, stub.place(lines.index("  sorry") + 1)) == (1, ("two", 3))
