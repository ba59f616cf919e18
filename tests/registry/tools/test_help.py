"""`help`: every operation, kind of error, capability and limit is in it, and what it shows is true."""

from __future__ import annotations

import json
import re

import pytest

from pif.analysis.facts import CAPABILITIES
from pif.language.budget import DEFAULT_FUEL, INTEGER_BITS, STRING_LENGTH, Budget
from pif.language.decode import decode_text
from pif.language.errors import KINDS
from pif.language.primitives import CATEGORIES, PRIMITIVES
from pif.language.terms import code_text
from pif.run.evaluate import Request, run
from registry.errors import KINDS as REGISTRY_KINDS
from registry.tools.help import ERRORS, EXAMPLES, TOPICS, help_on
from tests.support.terms.hosted_evaluator import library_tools
from tests.support.terms.tool_dictionary import answer


def text(topic: str | None = None) -> str:
    found = help_on(topic)
    assert found["type"] == "help", found
    assert found["topic"] == (topic or "overview")
    shown = found["text"]
    assert isinstance(shown, str)
    return shown


def test_the_overview_names_everything() -> None:
    words = set(re.findall(r"\w+", text()))
    assert set(PRIMITIVES) <= words
    assert set(CATEGORIES) <= words
    assert set(TOPICS) <= words
    assert {"evolve", "run", "list", "help", "analyze"} <= words


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_shows_its_operations_and_no_others(category: str) -> None:
    shown = text(category)
    for row in PRIMITIVES.values():
        line = f"{' or '.join(row.forms)}  —  {row.doc}"
        assert (line in shown.splitlines()) == (row.category == category)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_an_operation_shows_all_that_the_table_says(name: str) -> None:
    row = PRIMITIVES[name]
    shown = text(name)
    for part in (*row.forms, row.doc, row.types, row.charge, *row.example):
        assert part in shown
    code = next(line for line in shown.splitlines() if line.strip().startswith("example: "))
    decode_text(code.strip().removeprefix("example: "))


def test_every_topic_has_a_text() -> None:
    for topic in TOPICS:
        assert len(text(topic)) > 40


def test_capabilities_are_shown_with_the_operations_that_give_them() -> None:
    for name, what in CAPABILITIES.items():
        assert f"{name}: {what}" in text("meta").splitlines()


def test_every_kind_of_error_is_explained() -> None:
    kinds = {*KINDS, *REGISTRY_KINDS}
    assert set(ERRORS) == kinds
    shown = text("errors").splitlines()
    assert [line.split()[0] for line in shown] == list(ERRORS)


def test_limits_are_those_of_the_budget() -> None:
    shown = text("limits")
    budget = Budget()
    for number in (
        DEFAULT_FUEL,
        budget.depth,
        INTEGER_BITS,
        STRING_LENGTH,
        budget.result_bytes,
        budget.eval_depth,
    ):
        assert str(number) in shown
    for row in PRIMITIVES.values():
        if row.charge:
            assert f"{row.name}: 1 + {row.charge}" in shown.splitlines()


@pytest.mark.parametrize(("title", "code", "given", "value"), EXAMPLES)
def test_every_example_gives_what_it_says(title: str, code: str, given: str, value: str) -> None:
    found = answer("shown", json.loads(given), tools={"shown": json.loads(code)})
    assert found["type"] == "value", found
    assert code_text(found["value"]) == value
    shown = text("examples")
    for part in (title, code, given, value):
        assert part in shown


@pytest.mark.parametrize(
    ("word", "meant"),
    [("lenght", "length"), ("ERRORS", "errors"), ("aritmetic", "arithmetic"), ("Fold", "fold")],
)
def test_a_misspelt_topic_has_a_hint(word: str, meant: str) -> None:
    found = help_on(word)
    assert found["type"] == "error"
    assert found["error"]["kind"] == "invalid_argument"
    assert f'"{meant}"' in found["error"]["hint"]


def test_a_word_like_nothing_lists_the_topics() -> None:
    found = help_on("x" * 500)["error"]
    assert "hint" not in found
    assert len(found["message"]) < 200
    assert "lambda" in found["expected"]


def test_the_terms_that_help_on_numbers_shows_are_run() -> None:
    tools = library_tools()
    shown = [line.strip() for line in text("numbers").splitlines() if line.startswith('  {"app"')]
    values = [run(Request(code=json.loads(each)), tools, Budget()) for each in shown if ", x]" not in each]
    assert [each.get("value") for each in values] == [{"coefficient": 5997, "places": 2}]
