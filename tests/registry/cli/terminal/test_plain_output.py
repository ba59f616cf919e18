"""Plain output: the styles of a terminal."""

from __future__ import annotations

import sys
from io import StringIO
from typing import Any

import click
import pytest

from registry.cli.terminal.plain_output import say, say_row


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("style", "expected"),
    [("good", {"fg": "green"}), ("bad", {"fg": "red"}), ("note", {"fg": "yellow"}), ("quiet", {"dim": True})],
)
def test_styles_are_those_of_click(
    style: str, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", out := _Terminal())
    say("a line", style=style)
    say_row("word", "and text", style=style)
    styled = click.style("a line", **expected), click.style("word", **expected)
    assert out.getvalue() == f"{styled[0]}\n{styled[1]} and text\n"
