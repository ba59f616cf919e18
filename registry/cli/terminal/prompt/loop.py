"""Statements read and answered until the end: what an interrupt stops, how it ends, and with which status."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kleis.conversation.interruption import Interrupted
from kleis.conversation.reply import Outcome, exit_status
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.process import INTERRUPTED, SUCCEEDED, USAGE
from registry.cli.terminal.prompt.reader import Reader

__all__ = ["QUITTING", "converse"]

QUITTING = frozenset({":quit", ":q", ":exit"})
"""Statements that end a prompt."""


def converse(reader: Reader, answer: Callable[[str], Iterable[Outcome]]) -> int:
    """Answer statements until the end; the exit status: of a script that of its worst outcome, else 0.

    `answer` may raise `Interrupted`: a person goes on, a script ends with 130.
    """
    outcomes: list[Outcome] = []
    while True:
        try:
            text = reader.read()
        except EOFError:
            break
        except KeyboardInterrupt:
            if not reader.interactive:
                raise
            print_error("(^D or :quit ends)", style="quiet")
            continue
        except UnicodeDecodeError:
            print_error("error  standard input is no UTF-8", style="bad")
            return USAGE
        if text.strip() in QUITTING:
            break
        if not text.strip():
            continue
        try:
            outcomes += answer(text)
        except (Interrupted, KeyboardInterrupt):
            print_error("interrupted; nothing was kept of it", style="note")
            if not reader.interactive:
                return INTERRUPTED
    return SUCCEEDED if reader.interactive else exit_status(outcomes)
