"""`pif run` without options does what the command does with the defaults of its options, and says what is wrong as it does."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.cli.pif import _load, term_runs, without_options
from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.process import run_program

IDENTITY = '{"lam": "x", "body": {"var": "x"}}'

simple = without_options.without_options


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments, with their defaults, of what the command would have done; of the context its fields."""
    found: list[dict[str, Any]] = []

    def record(*given: Any, **named: Any) -> int:
        bound = inspect.signature(run_term).bind(*given, **named)
        bound.apply_defaults()
        context = bound.arguments.pop("context")
        assert isinstance(context, CommandContext)
        kept = {name: value for name, value in vars(context).items() if name not in ("screen", "sources")}
        found.append({**bound.arguments, **kept})
        return 0

    run_term = term_runs.run_term
    monkeypatch.setattr(term_runs, "run_term", record)
    return found


@pytest.mark.parametrize(
    "texts",
    [["std.gcd", "12", "18"], [IDENTITY], [" -5", "1"], ["@file", " "], ["é", '"∀"'], ["run", "help"]],
)
def test_it_is_what_the_command_does(texts: list[str], called: list[dict[str, Any]]) -> None:
    arguments = ["run", *texts]
    assert simple(arguments) is not None
    assert run_program("pif", _load, arguments, simple) == 0
    assert run_program("pif", _load, arguments, lambda given: None) == 0
    first, second = called
    assert first == second


@pytest.mark.parametrize("arguments", [
    [], ["run"], ["run", ""], ["run", "-"], ["run", "-5"], ["run", "--raw", "1"], ["run", "1", "--raw"], ["run", "1", "-"],
    ["run", "1", ""], ["run", "\udcff"], ["list", "x"], ["--json", "run", "1"], ["runs", "1"],
])  # fmt: skip
def test_everything_else_is_parsed(arguments: list[str]) -> None:
    assert simple(arguments) is None


def test_what_the_environment_says_of_fractions_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIF_FRACTIONS", "refuse")
    assert simple(["run", "1"]) is None


@pytest.mark.parametrize(
    "texts", [
        [IDENTITY, "1", "2"], ["@/nowhere/file", "1"], [IDENTITY, "@/nowhere/file"], ["/nowhere/file.json"], ["@folder"],
        ["@latin"], ["@evolved.json"], ["nowhere"], ['{"ad": 1}'], [IDENTITY, "not json"], ["[" * 5_000],
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_as_the_parser_does(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIF_HOME", str(tmp_path / "home"))
    Path("folder").mkdir()
    Path("latin").write_bytes(b'"\xe9"')
    Path("evolved.json").write_text('{"code": 1, "examples": []}')

    def outcome(given: Callable[..., Any]) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        status = run_program("pif", _load, ["run", *texts], given)
        return status, *capsys.readouterr()

    assert simple(["run", *texts]) is not None
    found = outcome(simple)
    assert found[0] in (1, 2)
    assert found == outcome(lambda arguments: None)


def test_a_defect_is_no_mistake_of_a_command_line() -> None:
    def fails(closed: frozenset[int]) -> int:
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"):
        run_program("pif", _load, ["run", "1"], lambda arguments: fails)
