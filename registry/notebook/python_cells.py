"""`%load_ext kleis` in a Python notebook: the cell `%%kleis`, and values of the Python functions that show themselves.

`kleis.load_ipython_extension` finds `load` by the entry point of the group `kleis_notebook`. IPython is what it is given;
nothing of it is imported here.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

from kleis.conversation.conversation import Conversation
from kleis.conversation.interruption import Interrupted, interruptible
from kleis.conversation.reply import Reply
from kleis.editing.statements import statements
from kleis.errors import KleisError
from registry.notebook.display import html_of_value, pictures, reply_data
from registry.notebook.session import notebook_conversation

__all__ = ["KleisCells", "load", "unload"]

_HTML = "text/html"
_MAGIC = "kleis"


class KleisCells:
    """The cells `%%kleis` of one Python session: one conversation, begun by the first cell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._ending = ExitStack()
        self._conversation: Conversation | None = None

    def cell(self, line: str, cell: str | None = None) -> None:
        """Answer the statements of a cell, or those of the line of `%kleis`, up to the first that is wrong."""
        for statement in statements(line if cell is None else cell):
            conversation = self.conversation()
            try:
                with interruptible(conversation.timeout) as deadline:
                    reply = conversation.reply(statement, deadline)
            except Interrupted:
                raise KeyboardInterrupt from None
            if deadline.abandoned:
                raise KeyboardInterrupt
            self._show(reply)
            if reply.fields.get("status") in ("error", "rejected"):
                return

    def conversation(self) -> Conversation:
        """The conversation."""
        if self._conversation is None:
            self._conversation = self._ending.enter_context(notebook_conversation())
        return self._conversation

    def close(self) -> None:
        """End the provers and forget the session."""
        self._ending.close()
        self._conversation = None

    def _show(self, reply: Reply) -> None:
        """Publish a reply; where it drew pictures, these in its place."""
        drawn: list[dict[str, str]] = []
        if reply.pictures:
            try:
                drawn = pictures(reply)
            except KleisError as error:
                sys.stderr.write(f"{error}\n")
        for data in drawn or [reply_data(reply)]:
            self._shell.display_pub.publish(data)


_LOADED: dict[int, KleisCells] = {}
"""The cells of each shell, by its identity: so that a shell that loads twice has them once."""


def load(shell: Any) -> KleisCells:
    """Give a shell of IPython the cell `%%kleis`, and HTML for verdicts, theories, tools and answers."""
    from kleis.prover.protocol.verdict import Verdict
    from kleis.scripting import Theory
    from pif.run.scripting import Tool
    from registry.scripting import Registry

    if id(shell) in _LOADED:
        return _LOADED[id(shell)]
    cells = _LOADED[id(shell)] = KleisCells(shell)
    shell.register_magic_function(cells.cell, magic_kind="line_cell", magic_name=_MAGIC)
    formatter = shell.display_formatter.formatters[_HTML]
    for kind in (Verdict, Theory, Tool, Registry, dict):
        formatter.for_type(kind, html_of_value)
    import atexit

    atexit.register(cells.close)
    return cells


def unload(shell: Any) -> None:
    """Take back what `load` gave."""
    from kleis.prover.protocol.verdict import Verdict
    from kleis.scripting import Theory
    from pif.run.scripting import Tool
    from registry.scripting import Registry

    cells = _LOADED.pop(id(shell), None)
    if cells is None:
        return
    cells.close()
    formatter = shell.display_formatter.formatters[_HTML]
    for kind in (Verdict, Theory, Tool, Registry, dict):
        formatter.type_printers.pop(kind, None)
    for kind_of_magic in ("line", "cell"):
        shell.magics_manager.magics[kind_of_magic].pop(_MAGIC, None)
