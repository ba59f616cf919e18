"""The tables of docs/reference/interactive.md."""

from __future__ import annotations

from kleis.conversation.commands import COMMANDS
from kleis.editing.abbreviations import ABBREVIATIONS
from tests.guide.tables import markdown

__all__ = ["TABLES"]


def commands() -> str:
    """The commands of a conversation."""
    return markdown(("command", "what it does"), ((f"`{each.usage}`", each.summary) for each in COMMANDS))


def abbreviations() -> str:
    """Each symbol with all its abbreviations."""
    names: dict[str, list[str]] = {}
    for name, symbol in ABBREVIATIONS.items():
        names.setdefault(symbol, []).append(f"`\\{name}`")
    return markdown(("symbol", "typed"), ((symbol, " ".join(typed)) for symbol, typed in names.items()))


TABLES = {"interactive-commands": commands, "interactive-abbreviations": abbreviations}
