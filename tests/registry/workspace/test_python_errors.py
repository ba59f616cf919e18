"""Tools written in Python: errors show the line that was written, wherever they are met."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pif.run.evaluate import Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

RATIO = "def ratio(xs: list[int]):\n    total = 0\n    for x in xs:\n        total += 100 // x\n    return total // len(xs)\n"
LINE = {"line": 4, "column": 18, "source": "        total += 100 // x"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(SqliteStore(tmp_path / "home"))
    yield workspace
    workspace.close()


def python(home: Workspace, name: str, code: str, **more: Any) -> dict[str, Any]:
    return home.evolve(Evolve(name=name, description="", code=code, language="python", **more))


def error(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["type"] == "error", answer
    found: dict[str, Any] = answer["error"]
    return found


def test_an_error_of_a_run_shows_the_python(home: Workspace) -> None:
    python(home, "ratio", RATIO)
    found = error(home.run(Request(tool="ratio", input=[1, 0])))
    assert {key: found[key] for key in LINE} == LINE
    assert (
        home.run_briefly(Request(tool="ratio", input=[1, 0])) is None
    )  # the line takes longer than a first try


def test_also_where_another_tool_calls_it(home: Workspace) -> None:
    python(home, "ratio", RATIO)
    home.evolve(
        Evolve(name="user", description="", code={"lam": "x", "body": {"app": ["ratio", [{"var": "x"}]]}})
    )
    found = error(home.run(Request(tool="user", input=0)))
    assert (found["tool"], found["line"]) == ("ratio@1", 4)
    home.evolve(
        Evolve(
            name="user",
            description="",
            code={"lam": "x", "body": {"app": ["ratio", {"add": [{"var": "x"}, 1]}]}},
        )
    )
    assert "line" not in error(
        home.run(Request(tool="user", input="a"))
    )  # in JSON, or at the text of the input


def test_what_called_tools_take_is_checked(home: Workspace) -> None:
    python(home, "ratio", RATIO)
    found = error(python(home, "wrong", "def wrong(s: str):\n    t = s + s\n    return ratio(t)\n"))
    assert "takes list(integer), and this is string" in found["message"]
    assert (found["line"], found["column"], found["source"]) == (3, 18, "    return ratio(t)")
    assert error(python(home, "other", "def other(s: str):\n    return std.sum(s)\n"))["line"] == 2


def test_what_a_called_tool_gives_chooses_the_operation(home: Workspace) -> None:
    python(home, "loud", "def loud(s: str):\n    return std.upperCase(s) + std.upperCase(s)\n")
    assert home.run(Request(tool="loud", input="ab"))["value"] == "ABAB"


def test_an_example_that_fails_names_the_line(home: Workspace) -> None:
    found = error(python(home, "ratio", RATIO, examples=_examples([1, 0], 5)))
    assert "division_by_zero at line 4, column 18 (total += 100 // x)" in found["message"]


def _examples(given: Any, wanted: Any) -> Any:
    from registry.tools.code_and_examples import Example

    return (Example(input=given, output=wanted),)


def test_where_a_called_tool_changed_its_type_the_path_stays(home: Workspace) -> None:
    home.evolve(Evolve(name="text", description="", code={"lam": "x", "body": {"show": {"var": "x"}}}))
    python(home, "twice", "def twice(x: int):\n    return text(x) + text(x) + text(1 // x)\n")
    assert error(home.run(Request(tool="twice", input=0)))["line"] == 2
    home.evolve(Evolve(name="text", description="", code={"lam": "x", "body": [{"var": "x"}]}, force=True))
    found = error(home.run(Request(tool="twice", input=0)))
    assert "line" not in found
    assert found["path"]


def test_the_text_is_kept_with_its_version_and_exported(home: Workspace, tmp_path: Path) -> None:
    python(home, "ratio", RATIO)
    record = home.store.snapshot().record("ratio")
    assert record is not None
    assert record.python == RATIO
    home.evolve(Evolve(name="ratio", description="", code={"lam": "x", "body": 1}))
    later = home.store.snapshot().record("ratio")
    assert later is not None
    assert later.python is None
    home.export(tmp_path / "out")
    other = Workspace(SqliteStore(tmp_path / "other"))
    other.import_(tmp_path / "out")
    assert error(other.run(Request(tool="ratio@1", input=[0])))["line"] == 4
    other.close()
