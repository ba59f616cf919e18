"""Inputs are read by what a tool takes: text stays text, curried tools take several arguments or say how they do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pif.language.terms import Json
from pif.run.evaluate import Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import Example
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

BANG: Json = {"lam": "s", "body": {"concat": [{"var": "s"}, "!"]}}
NAMES: Json = {"lam": "r", "body": {"concat": [{"get": [{"var": "r"}, "name"]}, "!"]}}
IDENTITY: Json = {"lam": "x", "body": {"var": "x"}}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    made.evolve(Evolve("bang", "Text with a mark", BANG))
    made.evolve(Evolve("named", "A field with a mark", NAMES))
    made.evolve(Evolve("same", "What it is given", IDENTITY))
    yield made
    made.close()


@pytest.mark.parametrize("text", ["12", "true", "null", '{"add": [1, 2]}', "[1]", "0.5", '"x"'])
def test_where_text_is_wanted_text_stays(home: Workspace, text: str) -> None:
    for request in (Request(tool="bang", input=text), Request(code="bang", input=text)):
        answer = home.run(request)
        assert answer["value"] == text + "!"
        assert "warnings" not in answer
    assert home.run(Request(tool="named", input={"name": text}))["value"] == text + "!"
    assert home.run(Request(tool="named", input='{"name": "12"}'))["value"] == "12!"
    assert home.run(Request(tool="std.textOf", input=[text, text]))["value"] == text + text
    assert home.run_on("std.containsText", [text, f"({text})"], Request())["value"] is True


def test_where_any_value_will_do_strings_are_read_as_before(home: Workspace) -> None:
    assert home.run(Request(tool="same", input="12"))["value"] == 12
    assert home.run(Request(tool="same", input="12", raw=True))["value"] == "12"
    assert home.run(Request(tool="same", input='{"add": [1, 2]}'))["value"] == 3


def test_a_first_try_leaves_it_to_the_run_that_knows_types(home: Workspace) -> None:
    assert home.run_briefly(Request(tool="bang", input="12")) is None
    answer = home.run_briefly(Request(tool="bang", input="twelve"))
    assert answer is not None
    assert answer["value"] == "twelve!"


def test_a_fraction_in_text_that_stays_is_not_rounded(home: Workspace) -> None:
    answer = home.run(Request(tool="named", input={"name": "19.99", "age": "3.5"}))
    assert answer["value"] == "19.99!"
    (warning,) = answer["warnings"]
    assert [each["path"] for each in warning["rounded"]] == ["/input/age"]


def test_curried_tools_take_several_arguments(home: Workspace) -> None:
    assert home.run_on("std.gcd", [12, 18], Request())["value"] == 6
    assert home.run_on("std.gcd", ["12", 18], Request())["value"] == 6
    assert home.run_on("std.gcd", [12, 18], Request(data=True))["value"] == 6
    assert home.run_on("std.gcd", [12, 18, 24], Request())["error"]["kind"] == "type_error"
    assert home.run_on("std.gdc", [12, 18], Request())["error"]["kind"] == "unknown_tool"
    assert home.run_on("std.gcd", [{"ad": 1}, {"var": 3}], Request())["error"]["kind"] == "parse_error"


@pytest.mark.parametrize(
    ("given", "told"),
    [(12, "was given 1"), ([12, 18], "2 items of its input"), ({"a": 12, "b": 18}, "2 fields of its input")],
)
def test_a_function_as_a_result_says_how_the_tool_is_called(home: Workspace, given: Json, told: str) -> None:
    answer = home.run(Request(tool="std.gcd", input=given))
    assert (answer["type"], answer["kind"]) == ("value", "function")
    (warning,) = answer["warnings"]
    assert warning["code"] == "function_result"
    assert told in warning["message"]
    assert "integer → integer → integer" in warning["message"]
    assert "pif run std.gcd INTEGER INTEGER" in warning["hint"]


def test_examples_are_read_as_runs_are(home: Workspace) -> None:
    examples = (
        Example(input="12", output="12!"),
        Example(input='{"add": [1, 2]}', output='{"add": [1, 2]}!'),
    )
    assert home.evolve(Evolve("loud", "Text with a mark", BANG, examples=examples))["outcome"] == "created"
    kept = (
        Example(input="12", output="12", raw=True),
        Example(input={"add": 1}, output={"add": 1}, data=True),
    )
    made = home.evolve(Evolve("itself", "What it is given", IDENTITY, examples=kept))
    assert made["outcome"] == "created"
    assert made["examples"][0]["raw"] is True
    assert "data" not in made["examples"][0]
    many = (Example(arguments=(12, 18, 24), output=6),)
    tool: Json = {"lam": "a", "body": {"lam": "b", "body": {"add": [{"var": "a"}, {"var": "b"}]}}}
    assert home.evolve(Evolve("sums", "A sum", tool, examples=many))["error"]["kind"] == "example_failed"
    joined: Json = {"lam": "s", "body": {"lam": "t", "body": {"concat": [{"var": "s"}, {"var": "t"}]}}}
    pair = (Example(arguments=("1", "2"), output="12"),)
    assert home.evolve(Evolve("joined", "Two texts", joined, examples=pair))["outcome"] == "created"
