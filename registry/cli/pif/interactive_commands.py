"""The command `pif repl`."""

from __future__ import annotations

from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.session import command, fractions

__all__ = ["COMMANDS"]


@command("repl", answers=False)
@fractions
def repl(context: CommandContext) -> int:
    """Run terms, tools and small Python at a prompt.

    Type a term in JSON, a tool's name with arguments in JSON, or an expression or function in the subset of Python;
    :help lists the commands. Ctrl-C stops a run, Ctrl-D ends. Standard input that is no terminal is a script; its exit
    status: 0 all is well, 1 an error result, 2 what cannot be read.
    """
    from registry.cli.pif.repl.repl import repl as talk

    return talk(context)


COMMANDS = (repl,)
