"""`kleis eval` and `kleis verify` with one text and no option do what the commands do with the defaults of their options."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from registry.cli.kleis.commands import kleis as program
from registry.cli.kleis.files import evaluate
from registry.cli.kleis.questions import verify
from registry.cli.kleis.without_options import without_options
from tests.support.files.command_lines import plain_environment

TEXTS = [
    "1 + 1",
    " 1 = 1 ",
    "  -5 + 3",
    "∀(x : ℤ). x = x",
    "a\udcffb",
    "é",
    "check",
    "\n1\n",
    " ",
    "@x",
    "%PATH%",
    "~",
    "*",
]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments, with their defaults, of what the commands would have done."""
    found: list[dict[str, Any]] = []

    def recorder(answer: Callable[..., int]) -> Callable[..., int]:
        def record(*given: Any, **named: Any) -> int:
            bound = inspect.signature(answer).bind(*given, **named)
            bound.apply_defaults()
            found.append(
                {
                    each: tuple(value) if isinstance(value, list) else value
                    for each, value in bound.arguments.items()
                }
            )
            return 0

        return record

    monkeypatch.setattr(evaluate, "evaluate_text", recorder(evaluate.evaluate_text))
    monkeypatch.setattr(verify, "verify", recorder(verify.verify))
    return found


@pytest.mark.parametrize("name", ["eval", "verify"])
@pytest.mark.parametrize("text", TEXTS)
def test_it_is_what_the_command_does(name: str, text: str, called: list[dict[str, Any]]) -> None:
    answer = without_options([name, text])
    assert answer is not None
    assert answer(frozenset()) == 0

    program.main([name, text], standalone_mode=False)

    simple, parsed = called
    assert simple == parsed


@pytest.mark.parametrize("arguments", [
    [], ["eval"], ["verify"], ["eval", ""], ["verify", ""], ["eval", "-"], ["eval", "-5"], ["verify", "--json"], ["verify", "--"],
    ["eval", "1", "2"], ["eval", "--json", "1"], ["eval", "1", "--json"], ["check", "x.kleis"], ["--help", "eval"], ["Eval", "1"],
    ["evaluate", "1"],
])  # fmt: skip
def test_everything_else_is_parsed(arguments: list[str]) -> None:
    assert without_options(arguments) is None


def test_a_shell_that_completes_gets_its_answer() -> None:
    environment = plain_environment() | {
        "_KLEIS_COMPLETE": "bash_complete", "COMP_WORDS": "kleis ev", "COMP_CWORD": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "registry.cli.kleis", "eval", "1 + 1"],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "eval" in done.stdout
    assert "2" not in done.stdout.split()
