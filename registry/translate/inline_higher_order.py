"""Tools that take or give functions, inlined where they are named, before types are inferred.

Each use of such a tool then has types of its own. Places in errors are those of the code after inlining.
"""

from __future__ import annotations

from collections.abc import Callable

from pif.analysis.facts import literal_tool
from pif.language.host import Tool
from pif.language.terms import Term

__all__ = ["with_tools_inlined"]

_DEPTH = 12
"""Tools inlined into one another."""

_NODES = 4_000
"""Nodes visited, with all that is inlined."""


def with_tools_inlined(term: Term, higher_order: Callable[[str], Tool | None]) -> Term:
    """The term with each tool that `higher_order` finds inlined in place of its name.

    A tool that calls itself is not inlined: its `self` would refer to another tool. One that names itself through others
    is inlined some times; the name that is left is untranslatable later.
    """
    return _Expansion(higher_order).of(term, 0)


class _Expansion:
    def __init__(self, higher_order: Callable[[str], Tool | None]) -> None:
        self._higher_order = higher_order
        self._left = _NODES

    def of(self, term: Term, depth: int) -> Term:
        """A term that is code; quoted terms are unchanged."""
        self._left -= 1
        if self._left < 0 or term.op == "quote":
            return term
        name = literal_tool(term)
        if name is not None and term.op == "app":
            return term.rebuilt((self._function(term.parts[0], name, depth), self.of(term.parts[1], depth)))
        if term.op == "eval" and term.parts[0].op == "code_of":
            name = literal_tool(term.parts[0])
            return term if name is None else self._function(term, name, depth)
        return term.rebuilt(tuple(self.of(part, depth) for part in term.parts))

    def _function(self, written: Term, name: str, depth: int) -> Term:
        """The code of a tool in place of its name, or the name as written."""
        tool = self._higher_order(name) if depth < _DEPTH else None
        if tool is None or tool.term.op != "lam" or _calls_itself(tool.term):
            return written
        return self.of(tool.term, depth + 1)


def _calls_itself(term: Term) -> bool:
    if term.op == "self" or (term.op == "code_of" and literal_tool(term) == "self"):
        return True
    return any(map(_calls_itself, term.parts))
