"""Kleis in colour on a terminal, plain elsewhere, and the same text in both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from registry.cli.terminal.kleis_source import LONGEST, coloured_line
from tests.registry.cli.terminal.test_streams import on_a_terminal
from tests.support.files.command_lines import plain_environment

TEXT = "// half of it\ndefine half(x : ℝ) : ℝ = x / 2"


def test_pieces_are_the_text() -> None:
    pieces = coloured_line(TEXT)
    assert "".join(piece.text for piece in pieces) == TEXT
    assert {piece.text: piece.role for piece in pieces}["define"] == "key"
    assert {piece.text: piece.role for piece in pieces}["half"] == "strong"


def test_a_very_long_text_is_shown_plain() -> None:
    text = "x" * (LONGEST + 1)
    assert coloured_line(text) == [(text, "plain")]


def _shown(tmp_path: Path, *words: str, **more: str) -> str:
    environment = {**plain_environment(), "TERM": "xterm", "PIF_HOME": str(tmp_path / "home"), **more}
    status, shown = on_a_terminal(words, environment, program="kleis")
    assert status == 0, shown
    return shown


def test_show_and_verify_are_coloured_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "half.kleis"
    file.write_text(TEXT)

    shown = _shown(tmp_path, "show", str(file))
    assert "\x1b[36mdefine\x1b[0m" in shown
    assert "\x1b[36m∀\x1b[0m" in _shown(tmp_path, "verify", "∀(x : ℝ). x + 0 = x")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r\n", "\n")
    assert plain == "define half(x : ℝ) : ℝ = x / 2\n"


@pytest.mark.parametrize("variable", ["NO_COLOR", "TERM"])
def test_no_colours_where_they_are_not_wanted(tmp_path: Path, variable: str) -> None:
    file = tmp_path / "half.kleis"
    file.write_text(TEXT)
    wanted = {"NO_COLOR": "1"} if variable == "NO_COLOR" else {"TERM": "dumb"}
    assert "\x1b[36m" not in _shown(tmp_path, "show", str(file), **wanted)


def test_control_characters_of_a_program_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "attack.kleis"
    file.write_text('define a = "\x1b]0;owned\x07"')
    shown = _shown(tmp_path, "show", str(file))
    assert "\x1b]" not in shown
    assert "\\u001b]0;owned" in shown
