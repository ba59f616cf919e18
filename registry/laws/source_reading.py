"""Whether code reads code: its own, or that of certain tools.

What reads its own text is not what it computes alone: with an unused `let` around it, or other names of its variables, it
is equal in all but that text. So a normal form, in which texts differ, says nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection

from pif.analysis.facts import literal_tool
from pif.analysis.work import Unfinished, Work
from pif.language.host import Tool, Tools
from pif.language.terms import Term

__all__ = ["reads_source"]


def reads_source(pair: Collection[Tool], tools: Tools, work: Work) -> bool:
    """Whether one of some tools, or a tool that they name, may read the text of one of them.

    What a computed name may be is not known, and what was not looked at within the `work` may read anything.
    """
    own = {name for tool in pair for name in (tool.name, tool.label)}
    seen: set[str] = set()
    waiting = list(pair)
    while waiting:
        tool = waiting.pop()
        if tool.label in seen:
            continue
        seen.add(tool.label)
        try:
            work.done(tool.term.nodes)
        except Unfinished:
            return True
        for name in _named(tool.term):
            if name is None:
                return True
            read, called = name
            if called in own or (called == "self" and tool.label in own):
                if read:
                    return True
            elif (found := tools.tool(called)) is not None:
                waiting.append(found)
    return False


def _named(term: Term) -> list[tuple[bool, str] | None]:
    """The tools that a term names, and whether it reads their code; None where it computes the name of one that it
    reads. Quoted code counts: it may be run. An `eval` of a tool's code is a call."""
    found: list[tuple[bool, str] | None] = []
    stack = [term]
    while stack:
        part = stack.pop()
        if part.op == "eval" and (name := literal_tool(part.parts[0])) and part.parts[0].op == "code_of":
            found.append((False, name))
            continue
        stack.extend(part.parts)
        if part.op in ("app", "code_of"):
            name = literal_tool(part)
            if name is not None:
                found.append((part.op == "code_of", name))
            elif part.op == "code_of":
                found.append(None)
    return found
