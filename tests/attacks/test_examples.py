"""Examples that would hold of the wrong value: outputs are values, not the text that a value prints as."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pif.language.decode import decode_term
from pif.language.terms import identity, print_term
from pif.run.evaluate import Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import Example
from registry.workspace.requests import Evolve, List, Rollback
from registry.workspace.workspace import Workspace

Json = Any


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


def evolved(workspace: Workspace, body: Json, output: Json) -> Json:
    code = {"lam": "x", "body": body}
    return workspace.evolve(Evolve("it", "A tool", code, examples=(Example(input=1, output=output),)))


PAIR: Json = {"pair": [1, 2]}
RECORD: Json = {"record": {"pair": [1, 2]}}
FUNCTION: Json = {"lam": "y", "body": {"var": "y"}}
CODE: Json = {"add": [{"var": "x"}, 1]}

WRONG: dict[str, tuple[Json, Json]] = {
    "quoted for a number": ({"quote": 9}, 9),
    "a number for quoted": (9, {"quote": 9}),
    "quoted for a string": ({"quote": "a"}, "a"),
    "a record for a pair": (RECORD, PAIR),
    "a pair for a record": (PAIR, RECORD),
    "quoted for a list": ({"quote": [1, 2]}, [1, 2]),
    "a list for quoted": ([1, 2], {"quote": [1, 2]}),
    "a pair for code of one": ({"quote": PAIR}, PAIR),
    "a record for code of one": ({"quote": RECORD}, RECORD),
    "code for a record of that name": ({"record": {"quote": 9}}, {"quote": 9}),
    "a fraction": (9, 9.4),
    "a fraction inside": ([9], [9.4]),
    "true for one": (True, 1),
    "one for true": (1, True),
    "inside a list": ([{"quote": 9}], [9]),
    "inside a record": ({"record": {"a": {"quote": 9}}}, {"a": 9}),
    "inside a pair": ({"pair": [{"quote": 9}, 1]}, {"pair": [9, 1]}),
    "a function": (FUNCTION, "<function>"),
    "a function inside": ([FUNCTION], ["<function>"]),
    "a function in a record": ({"record": {"f": FUNCTION}}, {"f": "<function>"}),
    "fields left out": ({"record": {"a": 1, "b": 2}}, {"a": 1}),
    "fields too many": ({"record": {"a": 1}}, {"a": 1, "b": 2}),
    "code for a record that looks like it": ({"record": {"length": 3}}, {"length": 3}),
    "inside a record, code for a record": ({"record": {"a": {"record": {"not": True}}}}, {"a": {"not": True}}),
    "other code": ({"quote": CODE}, {"add": [{"var": "x"}, 2]}),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_an_output_of_another_value_does_not_hold(workspace: Workspace, what: str) -> None:
    body, output = WRONG[what]
    answer = evolved(workspace, body, output)
    assert answer["error"]["kind"] == "example_failed"
    assert workspace.show("it")["error"]["kind"] == "unknown_tool"


def test_a_function_is_refused_with_the_reason(workspace: Workspace) -> None:
    assert "function" in evolved(workspace, FUNCTION, "<function>")["error"]["message"]


def test_an_object_that_is_a_term_says_code_and_the_error_says_so(workspace: Workspace) -> None:
    """It once held for a record and for code alike."""
    refused = evolved(workspace, {"record": {"length": 3}}, {"length": 3})["error"]
    assert '{"record": {…}}' in refused["hint"]
    assert '{"record"' not in evolved(workspace, 9, {"a": 3})["error"]["hint"]


RIGHT: dict[str, tuple[Json, Json]] = {
    "a number": (9, 9),
    "a number with a point": (9, 9.0),
    "the text": ("<function>", "<function>"),
    "quoted": ({"quote": 9}, {"quote": 9}),
    "code": ({"quote": CODE}, {"quote": CODE}),
    "code as it prints": ({"quote": CODE}, CODE),
    "a pair": (PAIR, PAIR),
    "a record": ({"record": {"a": 1}}, {"a": 1}),
    "a record with its form": ({"record": {"a": 1}}, {"record": {"a": 1}}),
    "a record that looks like a pair": (RECORD, RECORD),
    "a record that looks like an operation": ({"record": {"length": 3}}, {"record": {"length": 3}}),
    "code that looks like a record": ({"quote": {"length": 3}}, {"length": 3}),
    "nothing": (None, None),
    "a list of all": ([[1], [2, 3]], [[1], [2, 3]]),
}  # fmt: skip


@pytest.mark.parametrize("what", RIGHT)
def test_an_output_of_the_value_holds(workspace: Workspace, what: str) -> None:
    assert evolved(workspace, *RIGHT[what])["outcome"] == "created"


def test_a_tool_has_so_many_examples_however_often_it_is_evolved(workspace: Workspace) -> None:
    """The limit once bounded one call, and each added as many."""

    def evolve(first: int, last: int) -> Json:
        examples = tuple(Example(input=number, output=number) for number in range(first, last))
        return workspace.evolve(Evolve("it", "A tool", {"lam": "x", "body": {"var": "x"}}, examples=examples))

    assert evolve(0, 40)["outcome"] == "created"
    refused = evolve(40, 51)["error"]
    assert (refused["kind"], refused["path"], refused["found"]) == (
        "invalid_argument", "/examples", "11, beside 40 that it has",
    )  # fmt: skip
    assert evolve(30, 50)["outcome"] == "examples"
    assert evolve(0, 50)["outcome"] == "unchanged"
    assert evolve(0, 51)["error"]["found"] == "51, beside 50 that it has"
    other: Json = {"lam": "x", "body": {"add": [{"var": "x"}, 0]}}
    assert workspace.evolve(Evolve("it", "A tool", other, examples=(Example(input=1, output=1),)))["outcome"] == "new_version"  # fmt: skip


def exported(workspace: Workspace, directory: Path) -> None:
    square: Json = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
    fourth: Json = {"lam": "x", "body": {"app": ["square", {"app": ["square", {"var": "x"}]}]}}
    for name, code, output in (("square", square, 9), ("fourth", fourth, 81)):
        evolved = workspace.evolve(Evolve(name, "A power", code, examples=(Example(input=3, output=output),)))
        assert evolved["outcome"] == "created"
    assert workspace.export(directory)["type"] == "exported"


def test_an_import_runs_the_examples_of_what_it_takes_in(workspace: Workspace, tmp_path: Path) -> None:
    exported(workspace, tmp_path / "export")
    other = Workspace(SqliteStore(tmp_path / "other"))
    assert other.import_(tmp_path / "export")["added"] == 2
    assert other.run(Request(tool="fourth", input=2))["value"] == 16
    other.close()


@pytest.mark.parametrize("changed", ["square", "fourth"])
def test_an_import_of_code_and_hash_replaced_together_is_refused(
    workspace: Workspace, tmp_path: Path, changed: str
) -> None:
    exported(workspace, tmp_path / "export")
    path = tmp_path / "export" / "tools" / f"{changed}@1.json"
    data = msgspec.json.decode(path.read_bytes())
    term = decode_term({"lam": "x", "body": {"add": [{"var": "x"}, 6]}})
    data |= {"code": print_term(term), "hash": identity(term)}
    path.write_bytes(msgspec.json.encode(data))
    other = Workspace(SqliteStore(tmp_path / "other"))
    refused = other.import_(tmp_path / "export")["error"]
    assert refused["kind"] == "example_failed"
    assert "changed after they were checked" in refused["hint"]
    assert other.list(List())["total"] == 0
    other.close()


def test_an_import_runs_the_examples_of_the_tools_here_that_use_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    """As `evolve` does, and `force` means the same."""
    exported(workspace, tmp_path / "export")
    other = Workspace(SqliteStore(tmp_path / "other"))
    cube: Json = {"lam": "x", "body": {"mul": [{"var": "x"}, {"mul": [{"var": "x"}, {"var": "x"}]}]}}
    user: Json = {"lam": "x", "body": {"app": ["square", {"var": "x"}]}}
    other.evolve(Evolve("square", "No square", cube))
    evolve = Evolve("user", "Uses it", user, examples=(Example(input=2, output=8),))
    assert other.evolve(evolve)["outcome"] == "created"
    refused = other.import_(tmp_path / "export", renumber=True)["error"]
    assert (refused["kind"], refused["path"], refused["tool"]) == ("example_failed", "/directory", "user@1")
    assert "force: true" in refused["hint"]
    assert other.list(List())["total"] == 2
    taken = other.import_(tmp_path / "export", renumber=True, force=True)
    assert taken["added"] == 2
    assert other.run(Request(tool="user", input=2))["value"] == 4
    again = other.import_(tmp_path / "export", renumber=True)
    assert again["type"] == "imported"
    other.close()


def test_users_by_a_computed_name_are_warned_of(workspace: Workspace) -> None:
    reading: Json = {
        "lam": "x",
        "body": {"app": [{"eval": {"code_of": {"concat": ["squ", "are"]}}}, {"var": "x"}]},
    }
    square: Json = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
    made = workspace.evolve(Evolve("square", "The square", square))
    assert "warnings" not in made
    examples = (Example(input=3, output=9),)
    assert workspace.evolve(Evolve("reading", "By name", reading, examples=examples))["outcome"] == "created"
    named: Json = {"lam": "x", "body": {"eval": {"code_of": "other"}}}
    workspace.evolve(Evolve("named", "A name that is written", named))
    changed = workspace.evolve(Evolve("square", "Wrong", {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}))
    assert changed["outcome"] == "new_version"
    (warning,) = changed["warnings"]
    assert warning["message"].startswith("not checkable: reading read")
    assert "named" not in warning["message"]
    assert workspace.rollback(Rollback("square", 1))["warnings"] == [warning]
