"""The inputs of `pif_inputs`, at every entrance with the same fuel: the command, MCP and the Python functions give the
same value, warnings and fuel, or the same error with the same remedy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pif
import registry
from pif.language.errors import PifError
from registry.cli.pif.commands import pif as commands
from tests.support.servers.pif_server import PifClient, pif_server
from tests.support.terms.pif_inputs import GIVEN, REFUSED, Given, Refused

FUEL = 50_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[PifClient]:
    with pif_server(home) as client:
        yield client


@pytest.fixture(scope="module")
def tools(home: Path) -> Iterator[registry.Registry]:
    with registry.open(home) as opened:
        yield opened


@pytest.fixture
def command(home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PIF_HOME", str(home))

    def run(code: Any, given: Any) -> dict[str, Any]:
        words = [code if isinstance(code, str) else json.dumps(code), json.dumps(given)]
        done = CliRunner().invoke(
            commands, ["run", "--json", "--fuel", str(FUEL), *words], catch_exceptions=False
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return run


def _codes(warnings: Any) -> tuple[str, ...]:
    return tuple(each["code"] for each in warnings)


def _named(case: Given | Refused) -> str:
    return f"{json.dumps(case.code, ensure_ascii=False)} {json.dumps(case.input, ensure_ascii=False)}"


def _calls_tools(code: Any) -> bool:
    """Whether code calls a tool by its name, which `pif.run` has none of."""
    text = code if isinstance(code, str) else json.dumps(code)
    return (
        "std." in text or '"app": ["' in text or not text.lstrip().startswith(("{", "[", '"', "4", "t", "n"))
    )


def test_there_are_a_hundred_of_them() -> None:
    cases = [json.dumps([each.code, each.input]) for each in (*GIVEN, *REFUSED)]
    assert len(cases) >= 150
    assert len(set(cases)) == len(cases)


@pytest.mark.parametrize("case", GIVEN, ids=_named)
def test_a_value(case: Given, server: PifClient, tools: registry.Registry, command: Any) -> None:
    here: Any = tools.run(case.code, case.input, fuel=FUEL)
    assert (here["value"], _codes(here.get("warnings", ()))) == (case.value, case.warnings)
    assert "warnings" not in here or next(iter(here)) == "warnings"
    assert server.ask("run", code=case.code, input=case.input, fuel=FUEL) == here
    assert command(case.code, case.input) == here
    if not _calls_tools(case.code):
        bare: Any = pif.run(case.code, case.input, fuel=FUEL)
        assert (bare["value"], bare["fuel_used"]) == (here["value"], here["fuel_used"])


@pytest.mark.parametrize("case", REFUSED, ids=_named)
def test_a_refusal(case: Refused, server: PifClient, tools: registry.Registry, command: Any) -> None:
    with pytest.raises(PifError) as caught:
        tools.run(case.code, case.input, fuel=FUEL)
    error = caught.value
    said = f"{error.message} {error.expected} {error.hint}"
    assert (error.kind, _codes(error.warnings)) == (case.kind, case.warnings)
    assert case.remedy in said
    answer = server.ask("run", code=case.code, input=case.input, fuel=FUEL)
    assert answer["error"] == error.as_json()
    assert _codes(answer.get("warnings", ())) == case.warnings
    printed = command(case.code, case.input)
    same = ("kind", "path", "hint", "fuel_used")
    assert {name: printed["error"].get(name) for name in same} == {
        name: answer["error"].get(name) for name in same
    }
    assert _codes(printed.get("warnings", ())) == case.warnings
    if not _calls_tools(case.code):
        with pytest.raises(PifError) as bare:
            pif.run(case.code, case.input, fuel=FUEL)
        assert (bare.value.kind, bare.value.path) == (error.kind, error.path)
