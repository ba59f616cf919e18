"""The statements that begin with a colon: THE table of them, and how one is found by its name or a beginning of it."""

from __future__ import annotations

import msgspec

from kleis.errors import ParseError
from kleis.spelling import suggestion

__all__ = ["COMMANDS", "Command", "find_command", "help_text", "split_command"]


class Command(msgspec.Struct, frozen=True):
    """A command: its name, what follows it, and what it does, in one line.

    `takes` says how what follows is completed.
    """

    name: str
    argument: str
    summary: str
    takes: str = ""

    @property
    def usage(self) -> str:
        """``:load FILE…``"""
        return f":{self.name} {self.argument}".rstrip()


COMMANDS: tuple[Command, ...] = (
    Command("prove", "PROPOSITION", "decide a proposition, also one that could be computed", "kleis"),
    Command("explain", "PROPOSITION", "decide it, and show the proof, the engines, the models", "kleis"),
    Command("model", "WHAT [; CONDITION]…", "find a model of a structure or of constraints", "kleis"),
    Command(
        "type", "NAME or EXPRESSION", "what a name is declared as, or the type of an expression", "kleis"
    ),
    Command("show", "NAME", "the declarations of a name as they are written", "kleis"),
    Command("list", "", "what this session imports and holds"),
    Command("load", "FILE…", "import files; what the session holds stays", "file"),
    Command("undo", "", "drop what was declared last"),
    Command("reset", "", "begin anew with the prelude alone"),
    Command("save", "NAME or FILE.kleis", "write the session as a theory to import; :save! replaces one"),
    Command("session", "[NAME]", "the sessions there are, or go on with another one", "session"),
    Command("timeout", "SECONDS or off", "the most time for an answer"),
    Command("effort", "N", "search N times as much before giving up, 1 to 100"),
    Command("help", "[NAME]", "these commands, or what a built-in or a command does", "kleis"),
)
"""All commands, in the order of help."""


def split_command(text: str) -> tuple[str, str]:
    """A command's name and what follows it.

    >>> split_command(":load a.kleis b.kleis")
    ('load', 'a.kleis b.kleis')
    """
    name, *rest = text.strip().removeprefix(":").split(maxsplit=1)
    return name, "".join(rest)


def find_command(name: str, commands: tuple[Command, ...] = COMMANDS) -> Command:
    """The command of that name, or the first that begins so.

    Raises `ParseError` (code `unknown-command`) with the nearest name where there is none.

    >>> find_command("u").name
    'undo'
    """
    known = {each.name: each for each in commands}
    if name in known:
        return known[name]
    for each in commands:
        if name and each.name.startswith(name):
            return each
    raise ParseError(
        f"there is no command :{name}",
        code="unknown-command",
        found=f":{name}"[:40],
        hint=suggestion(name, known) or ":help lists the commands",
    )


def help_text(commands: tuple[Command, ...] = COMMANDS) -> str:
    """The commands, one on each line."""
    width = max(len(each.usage) for each in commands) + 2
    return "\n".join(f"{each.usage.ljust(width)}{each.summary}" for each in commands)
