"""Any text: loading, checking names and running blocks either answer or give our errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.builtins.rows.table import builtin_arities
from kleis.problems import Problem
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader, Loading
from kleis.theory.name_check.check_names import check_names

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = sorted(
    [*(ROOT / "stdlib" / "kleis").rglob("*.kleis"), *(ROOT / "tests" / "kleis_programs").rglob("*.kleis")]
)
ARITIES = builtin_arities()
PIECES = [
    "structure", "S", "(A)", "extends", "over", "{", "}", "define", "f", "(x)", "=", "x", "data", "D", "|", "match",
    "=>", "implements", "example", '"e"', "assert", "let", "∀(x : A).", "λ x .", "::", "with", "as", "•", "axiom a :",
    "operation", "element e : A", "import", "type", "using", "[", "]", ",", "1", "if", "then", "else", "in", "@decreases(x)",
]  # fmt: skip


def checked(text: str) -> tuple[Loading, tuple[Problem, ...]]:
    loading = Loader(ImportSearch()).load_text(text, directory=Path("/nowhere"))
    return loading, check_names(loading.main.result.program, loading.theory, ARITIES)


@given(st.text(max_size=200))
def test_any_characters(text: str) -> None:
    checked(text)


@given(st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join))
def test_any_words(text: str) -> None:
    checked(text)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_programs_without_a_piece(path: Path) -> None:
    """Ten pieces of a tenth each: what is left mostly parses in part, and names then miss their declarations."""
    text = path.read_text(encoding="utf-8")
    step = max(1, len(text) // 10)
    for start in range(0, len(text), step):
        _, problems = checked(text[:start] + text[start + step :])
        assert all(each.code and each.message for each in problems)


@settings(max_examples=50)
@given(st.data())
def test_programs_with_characters_changed(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(PROGRAMS)).read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(text)))
        width = data.draw(st.integers(0, 8))
        text = text[:place] + data.draw(st.sampled_from(PIECES)) + text[place + width :]
    loading, problems = checked(text)
    for each in problems:
        assert 1 <= each.line <= text.count("\n") + 1
        each.as_error().render(loading.main.text)


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    for opening, closing in (("(", ")"), ("[", "]"), ("f(", ")"), ("λ x . (", ")")):
        loading, _ = checked("define f(x) = " + opening * 20000 + "x" + closing * 20000)
        assert loading.errors
    nested = "structure S {" + "structure s : S {" * 5000 + "}" * 5001
    assert checked(nested)[0].errors
