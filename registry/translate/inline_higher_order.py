"""Tools that take or give functions, put in where they are named, before types are inferred (ADR 015).

After this each use of such a tool has types of its own, so that what becomes of it in Kleis is written with them.
Places in refusals are then those of the code with the tools put in.
"""

from __future__ import annotations

from collections.abc import Callable

from pif.analysis.facts import literal_tool
from pif.language.host import Tool
from pif.language.terms import Term

__all__ = ["with_tools_inlined"]

_DEPTH = 12
_NODES = 4_000


def with_tools_inlined(term: Term, put_in: Callable[[str], Tool | None]) -> Term:
    """The term with the code of each tool that `put_in` answers for, in place of its name.

    A tool that calls itself is not put in: its `self` would mean another. Nor is one that names itself through others
    more than some times: its name stays, and is refused later.
    """
    return _Expansion(put_in).of(term, 0)


class _Expansion:
    def __init__(self, put_in: Callable[[str], Tool | None]) -> None:
        self._put_in = put_in
        self._left = _NODES

    def of(self, term: Term, depth: int) -> Term:
        """A term that is code; what is quoted stays as it is."""
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
        """What is put in for a tool's name: the name as it is written, or the tool's code."""
        tool = self._put_in(name) if depth < _DEPTH else None
        if tool is None or tool.term.op != "lam" or _calls_itself(tool.term):
            return written
        return self.of(tool.term, depth + 1)


def _calls_itself(term: Term) -> bool:
    if term.op == "self" or (term.op == "code_of" and literal_tool(term) == "self"):
        return True
    return any(map(_calls_itself, term.parts))
