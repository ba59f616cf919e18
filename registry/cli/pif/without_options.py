"""`pif run TOOL|TERM|FILE [INPUT]...` as it is mostly typed: without options there is nothing to parse.

To import click and to make the commands for it takes a tenth of such a command's time. What is done is what the command of
`run_commands` does with the defaults of its options, which a test compares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

__all__ = ["without_options"]


def without_options(arguments: Sequence[str]) -> Callable[[frozenset[int]], int] | None:
    """The command that these arguments are, if it is `run` with texts that are certainly no options.

    The command is given which of the descriptors 0 to 2 were closed.
    """
    if len(arguments) < 2 or arguments[0] != "run" or "PIF_FRACTIONS" in os.environ:
        return None
    if not all(text and not text.startswith("-") and _is_text(text) for text in arguments):
        return None
    return lambda closed: _run(arguments[1], arguments[2:], closed)


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeError:
        return False
    return True


def _run(code: str, given: Sequence[str], closed: frozenset[int]) -> int:
    from registry.cli.pif.term_runs import run_term
    from registry.cli.terminal.command_context import CommandContext, answered

    context = CommandContext(home=None, as_json=False, closed=closed)
    return answered(context, lambda: run_term(context, code, tuple(given)))
