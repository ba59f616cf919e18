"""The code of registered tools, as commands show it and errors point into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from registry.workspace.workspace import Workspace

__all__ = ["code_of", "term_of"]


def term_of(data: Any) -> Any:
    """A stored code in its canonical order of keys, which the store's text does not keep."""
    from pif.language.decode import decode_term
    from pif.language.terms import print_term

    return print_term(decode_term(data))


def code_of(workspace: Workspace) -> Callable[[str], Any]:
    """A function from a tool's reference to its code, into which errors point; None for a forgotten tool."""

    def look_up(reference: str) -> Any:
        shown = workspace.show(reference)
        return term_of(shown["code"]) if shown["type"] == "tool" else None

    return look_up
