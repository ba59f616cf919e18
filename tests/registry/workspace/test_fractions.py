"""Numbers with a fraction are never rounded silently: at every entrance a warning, or an error where they are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pif.language.terms import Json
from pif.run.evaluate import Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import Example
from registry.workspace.requests import Analyze, Evolve
from registry.workspace.workspace import Workspace

IDENTITY: Json = {"lam": "x", "body": {"var": "x"}}
TAXED: Json = {"lam": "x", "body": {"mul": [{"var": "x"}, 1.08]}}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "strict"), fractions="refuse")
    yield made
    made.close()


def rounded(answer: dict[str, Json]) -> list[tuple[str, float, int]]:
    (warning,) = answer["warnings"]
    assert next(iter(answer)) == "warnings"
    assert warning["message"]
    assert warning["hint"]
    assert warning["count"] >= len(warning["rounded"])
    return [(each["path"], each["from"], each["to"]) for each in warning["rounded"]]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (19.99, "/input"),
        ("19.99", "/input"),
        ([1, 19.99], "/input/1"),
        ({"price": 19.99}, "/input/price"),
        ({"add": [19.99, 1]}, "/input/add/0"),
        ({"quote": 19.99}, "/input/quote"),
    ],
)
def test_a_fraction_in_an_input_is_told(home: Workspace, given: Json, path: str) -> None:
    assert rounded(home.run(Request(code=IDENTITY, input=given))) == [(path, 19.99, 20)]


def test_so_is_one_in_plain_data_and_in_code(home: Workspace) -> None:
    assert rounded(home.run(Request(code=IDENTITY, input=[0.5], data=True))) == [("/input/0", 0.5, 0)]
    assert rounded(home.run(Request(code=TAXED, input=100))) == [("/body/mul/1", 1.08, 1)]
    assert rounded(home.analyze(Analyze(TAXED))) == [("/body/mul/1", 1.08, 1)]


@pytest.mark.parametrize("whole", [3.0, -0.0, 1e20, "7.0", [1, 2.0]])
def test_numbers_without_a_fraction_are_silent(home: Workspace, whole: Json) -> None:
    assert "warnings" not in home.run(Request(code=IDENTITY, input=whole))


def test_twenty_are_listed_and_all_are_counted(home: Workspace) -> None:
    answer = home.run(Request(code=IDENTITY, input=[0.5] * 1_000))
    (warning,) = answer["warnings"]
    assert (len(warning["rounded"]), warning["count"]) == (20, 1_000)


def test_an_error_comes_with_the_warning(home: Workspace) -> None:
    answer = home.run(Request(code={"lam": "x", "body": {"div": [1, {"var": "x"}]}}, input=0.4))
    assert answer["error"]["kind"] == "division_by_zero"
    assert rounded(answer) == [("/input", 0.4, 0)]


def test_a_version_remembers_and_each_run_of_it_says_so(tmp_path: Path) -> None:
    home = Workspace(SqliteStore(tmp_path / "home"))
    made = home.evolve(Evolve("gross", "With tax", TAXED, examples=[Example(input=2.5, output=2)]))
    assert rounded(made) == [("/body/mul/1", 1.08, 1), ("/examples/0/input", 2.5, 2)]
    assert home.export(tmp_path / "out")["type"] == "exported"
    home.close()

    again = Workspace(SqliteStore(tmp_path / "home"))
    answer = again.run(Request(tool="gross", input=100))
    assert rounded(answer) == [("/body/mul/1", 1.08, 1)]
    assert answer["warnings"][0]["code"] == "fraction_rounded_in_tool"
    again.evolve(
        Evolve("gross", "With tax", {"lam": "x", "body": {"div": [{"mul": [{"var": "x"}, 108]}, 100]}})
    )
    assert "warnings" not in again.run(Request(tool="gross", input=100))
    assert rounded(again.run(Request(tool="gross@1", input=100))) == [("/body/mul/1", 1.08, 1)]
    again.close()

    other = Workspace(SqliteStore(tmp_path / "other"))
    assert other.import_(tmp_path / "out")["type"] == "imported"
    assert rounded(other.run(Request(tool="gross", input=100))) == [("/body/mul/1", 1.08, 1)]
    other.close()


def test_a_pipeline_says_which_stage(home: Workspace) -> None:
    made = home.evolve(Evolve("taxed", "A pipeline", compose=[IDENTITY, TAXED]))
    assert rounded(made) == [("/compose/1/body/mul/1", 1.08, 1)]


def test_where_fractions_are_refused_they_are_errors(strict: Workspace) -> None:
    for request in (
        Request(code=IDENTITY, input=19.99),
        Request(code=IDENTITY, input="19.99"),
        Request(code=IDENTITY, input=[19.99], data=True),
        Request(code=TAXED, input=1),
    ):
        error = strict.run(request)["error"]
        assert error["kind"] == "parse_error"
        assert "fraction" in error["message"]
        assert error["hint"]
    assert strict.run_briefly(Request(code=IDENTITY, input=19.99))["error"]["kind"] == "parse_error"  # type: ignore[index]
    assert strict.evolve(Evolve("gross", "With tax", TAXED))["error"]["path"] == "/body/mul/1"
    refused = strict.evolve(Evolve("same", "Itself", IDENTITY, examples=[Example(input=2.5, output=2)]))
    assert refused["error"]["path"] == "/examples/0/input"
    assert strict.run(Request(tool="same", input=1))["error"]["kind"] == "unknown_tool"
    assert strict.run(Request(code=IDENTITY, input=2.0))["value"] == 2


def test_text_that_looks_like_a_fraction_is_none(strict: Workspace) -> None:
    priced: Json = {"lam": "s", "body": {"concat": [{"var": "s"}, " EUR"]}}
    examples = [Example(input="19.99", output="19.99 EUR")]
    assert "warnings" not in strict.evolve(Evolve("priced", "A price", priced, examples=examples))
    named: Json = {
        "lam": "s",
        "body": {"lam": "n", "body": {"add": [{"length": {"chars": {"var": "s"}}}, {"var": "n"}]}},
    }
    wrong = [Example(arguments=["1.5", 1.5], output=5)]
    refused = strict.evolve(Evolve("sized", "A length and more", named, examples=wrong))
    assert refused["error"]["path"] == "/examples/0/arguments/1"
