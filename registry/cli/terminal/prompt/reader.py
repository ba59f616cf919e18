"""Who reads the statements of a prompt: an editor of lines on a terminal, plain lines on a simple one, else a script.

Invariant: prompts and advice go to a terminal only; a script's output is its answers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from registry.cli.terminal.prompt.language import Language

__all__ = ["PlainReader", "Reader", "ScriptReader", "open_reader"]


class Reader(Protocol):
    """Statements, one at a time."""

    interactive: bool
    """Whether a person types them."""

    def read(self) -> str:
        """The next statement. Raises EOFError at the end, KeyboardInterrupt where what was typed is dropped."""
        ...


def open_reader(language: Language, history: Path) -> Reader:
    """The reader for this process's standard input and output."""
    if not sys.stdin.isatty():
        return ScriptReader(language)
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") in ("dumb", ""):
        return PlainReader(language)
    from registry.cli.terminal.prompt.line_editor import LineEditor

    return LineEditor(language, history)


class ScriptReader:
    """The statements of standard input, which is read whole."""

    interactive = False

    def __init__(self, language: Language) -> None:
        self._language = language
        self._statements: Iterator[str] | None = None

    def read(self) -> str:
        """The next statement. Raises UnicodeDecodeError where the input is no UTF-8."""
        if self._statements is None:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
            self._statements = iter(self._language.statements(text))
        found = next(self._statements, None)
        if found is None:
            raise EOFError
        return found


class PlainReader:
    """Lines of a terminal that has no more than lines; the prompts go to standard error."""

    interactive = True

    def __init__(self, language: Language) -> None:
        self._language = language

    def read(self) -> str:
        """The next statement: lines until it is complete, or until an empty one."""
        lines: list[str] = []
        while True:
            sys.stdout.flush()
            sys.stderr.write(f"{self._language.name}> " if not lines else "... ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            lines.append(line.rstrip("\n"))
            text = "\n".join(lines)
            if not line.strip() or self._language.completeness(text) != "incomplete":
                return text
            if len(lines) == 1:
                sys.stderr.write("(more lines; an empty line ends it, ^C drops it)\n")
