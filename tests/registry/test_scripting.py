"""`registry.open`: the answers of the commands, and errors that are raised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import registry
from pif.language.errors import PifError
from registry.errors import RegistryError

DOUBLE = {"mul": [{"var": "x"}, 2]}
LAW = "∀(x : ℤ). double(x) = x + x"


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[registry.Registry]:
    with registry.open(tmp_path) as opened:
        yield opened


def test_a_tool_is_kept_and_run(tools: registry.Registry, tmp_path: Path) -> None:
    evolved = tools.evolve("double", "Doubles", DOUBLE, examples=[{"input": 2, "output": 4}])
    assert (evolved["outcome"], evolved["version"]) == ("created", 1)
    assert tools.run("double", 21)["value"] == 42
    tools.close()
    with registry.open(str(tmp_path)) as again:
        assert [each["name"] for each in again.list()["tools"]] == ["double"]
        assert again.run("double@1", "21")["value"] == 42


def test_the_library_is_there(tools: registry.Registry) -> None:
    assert tools.run("std.gcd", arguments=[12, 18])["value"] == 6
    assert tools.list("gcd", library=True)["total"] >= 1


def test_too_few_arguments_are_told_once(tools: registry.Registry) -> None:
    answer = tools.run("std.substring", arguments=[1.4, 2])
    assert [each["code"] for each in answer["warnings"]] == ["function_result", "fraction_rounded"]
    assert "std.substring takes 3" in answer["warnings"][0]["message"]


def test_laws_are_proved_kept_and_listed(tools: registry.Registry) -> None:
    tools.evolve("double", "Doubles", DOUBLE, laws=[LAW])
    assert tools.laws("double") == [{"law": LAW, "status": "proved"}]
    with pytest.raises(RegistryError) as caught:
        tools.evolve("double", "Triples", {"mul": [{"var": "x"}, 3]}, timeout=20)
    assert caught.value.kind == "law_disproved"
    assert caught.value.counterexample
    assert tools.evolve("double", "Triples", {"mul": [{"var": "x"}, 3]}, drop_laws=[LAW])["version"] == 2


def test_rounding_is_said_or_refused(tools: registry.Registry, tmp_path: Path) -> None:
    assert tools.run({"lam": "x", "body": {"var": "x"}}, 19.99)["warnings"][0]["code"] == "fraction_rounded"
    with registry.open(tmp_path / "strict", fractions="refuse") as strict, pytest.raises(PifError):
        strict.run({"lam": "x", "body": {"var": "x"}}, 19.99)


@pytest.mark.parametrize(
    ("ask", "kind", "said"),
    [
        (lambda tools: tools.run("nothing.like.it"), "parse_error", ""),
        (lambda tools: tools.run({"sum": [1, 2]}), "parse_error", "std.sum"),
        (lambda tools: tools.run({"div": [1, 0]}), "division_by_zero", ""),
        (lambda tools: tools.run(1, fuel=0), "invalid_argument", "The most"),
        (lambda tools: tools.run("std.gcd", arguments=[]), "invalid_argument", "arguments="),
        (lambda tools: tools.run({1: 2}), "parse_error", '"1"'),
        (lambda tools: tools.laws("nothing"), "unknown_tool", ""),
        (lambda tools: tools.evolve("e", "e", 1, examples=[3]), "invalid_argument", '"output"'),
        (lambda tools: tools.evolve("e", "e", 1, examples=[{"in": 3}]), "invalid_argument", '"output"'),
        (lambda tools: tools.evolve("e", "e", DOUBLE, examples=[{"input": 1, "output": 3}]), "example_failed", ""),
        (lambda tools: tools.evolve("run", "taken", DOUBLE), "invalid_name", ""),
        (lambda tools: tools.evolve("e", "e", "def f(x): return y", language="python"), "parse_error", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_raised(tools: registry.Registry, ask: Any, kind: str, said: str) -> None:
    with pytest.raises((PifError, RegistryError)) as caught:
        ask(tools)
    assert caught.value.kind == kind
    assert said in (caught.value.hint or "")


def test_a_home_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RegistryError, match="store_error"):
        registry.open(tmp_path / "file")


def test_importing_the_package_loads_nothing_of_it() -> None:
    assert set(registry.__all__) == {"Registry", "open"}
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = registry.nothing_like_it
