"""Shell completion of the names of tools."""

from __future__ import annotations

from pathlib import Path

from click.shell_completion import ShellComplete

from registry.cli.pif.commands import pif as commands
from tests.support.files.command_lines import SQUARE, Pif


def completed(*words: str) -> list[str]:
    """How the last word may go on, in the home of the environment."""
    *before, last = words
    found = ShellComplete(commands, {}, "pif", "_PIF_COMPLETE").get_completions(list(before), last)
    return [each.value for each in found]


def test_names_of_tools_are_completed(pif: Pif, home: Path) -> None:
    assert completed("show", "std.rev") == ["std.reverse", "std.reverseText"]
    assert not home.exists(), "a home is not made to complete a word"
    pif("evolve", SQUARE, "--name", "reverse")
    assert completed("show", "") == ["reverse"]
    assert completed("show", "rever") == ["reverse", "reverseText"]
    assert completed("certificate", "check", "sort", "isSo") == ["isSome", "isSorted"]
    assert completed("forget", "rev") == ["reverse"]
    assert completed("forget", "std.rev") == []
    assert completed("--home", str(home / "other"), "show", "rever") == ["reverse", "reverseText"]


def test_a_home_that_cannot_be_read_completes_nothing(pif: Pif, home: Path) -> None:
    pif("evolve", SQUARE, "--name", "square")
    for path in home.iterdir():
        path.write_bytes(b"no registry")
    assert completed("forget", "sq") == []
