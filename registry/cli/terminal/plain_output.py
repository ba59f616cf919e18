"""Output of the `kleis` commands: results to standard output, everything else to standard error.

Specification: docs/reference/serving.md §9.4. Colours and tables only on a terminal, and not where `NO_COLOR` is set.

Invariant: no text of a program controls a terminal. On a terminal control characters are shown as ``\\u001b``; to a
file or a pipe a text goes as it is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from registry.cli.terminal.characters import visible

__all__ = ["is_terminal", "print_error", "progress", "say", "say_row", "table"]

_STYLES = {"good": 32, "bad": 31, "note": 33, "quiet": 2}
"""The codes of ECMA-48 for green, red, yellow and faint."""


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str, *, style: str = "") -> None:
    """Write a result, on a line of its own."""
    _write(sys.stdout, text, style)


def say_row(word: str, text: str, *, style: str) -> None:
    """Write a result that begins with a coloured word."""
    if is_terminal(sys.stdout):
        sys.stdout.write(f"{_styled(word, style)} {visible(text)}\n")
    else:
        _write(sys.stdout, f"{word} {text}", "")


def print_error(text: str, *, style: str = "") -> None:
    """Write a line to standard error."""
    sys.stdout.flush()
    _write(sys.stderr, text, style)


def progress(done: int, total: int, what: str) -> None:
    """Show the progress of long work on one line of a terminal, overwritten each time; nothing elsewhere."""
    if total > 1 and is_terminal(sys.stderr):
        line = f"{done}/{total} {visible(what)}"[:78] if done < total else ""
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on a terminal; elsewhere nothing, because there the lines above say the same."""
    if not is_terminal(sys.stdout):
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=title, title_justify="left")
    for index, heading in enumerate(headings):
        drawn.add_column(heading, justify="left" if index == 0 else "right")
    for row in rows:
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    Console().print(drawn)


def _write(stream: TextIO, text: str, style: str) -> None:
    if stream.isatty():
        text = visible(text)
    if style and is_terminal(stream):
        text = _styled(text, style)
    stream.write(text + "\n")


def _styled(text: str, style: str) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"
