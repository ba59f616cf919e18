"""What to try instead of a law that names a tool there is none of (issue 7, item 3).

Kleis says "no function smalle is declared", and knows only its own words. Here the tools are looked through: the hint is
the tool's nearest spelling, as laws write it (`tool_reverse`), or where the names are listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kleis.errors import KleisError
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import AsPattern, Binder, Call, Expression, Name, VariablePattern
from kleis.syntax.tree.traversal import walk
from pif.language.host import Tool, Tools
from registry.records import LIBRARY_PREFIX
from registry.translate.kleis_names import is_free, plain_name

__all__ = ["spelling_hint"]

_PREFIX = "tool_"
_DOTTED = re.compile(r"\bstd\.[A-Za-z_][A-Za-z0-9_]*")


def spelling_hint(
    law: str, reason: str, tools: Tools, names: Callable[[], Iterable[str]], otherwise: str
) -> str:
    """The hint for a text that is no law, for which `reason` was given; `otherwise` where no name is at fault."""
    try:
        parsed = parse_expression(law, file="<law>")
    except KleisError:
        dotted = _DOTTED.search(law)
        known = None if dotted is None else tools.tool(dotted[0])
        return otherwise if known is None else _short_name(known, tools)
    is_safe = isinstance(parsed, Call) and parsed.name == "safe"
    for name in _free_names(parsed):
        if not (is_safe or re.search(rf"\b{re.escape(name)}\b", reason)) or _is_tool(name, tools, names):
            continue
        near = tools.nearest(name.removeprefix(_PREFIX))
        if near is None:
            return f"There is no tool {name}; `list` shows the tools there are."
        said = f"There is no tool {name}; did you mean {plain_name(near)}?"
        return f"{said} Of Kleis's own: {otherwise}" if otherwise.startswith("did you mean") else said
    return otherwise


def _short_name(known: Tool, tools: Tools) -> str:
    """How a law calls a tool of the library."""
    short = known.name.removeprefix(LIBRARY_PREFIX)
    meant = tools.tool(short)
    if meant is not None and meant.name == known.name:
        return f"In a law {known.name} is called {plain_name(known.name)}."
    return f"A law cannot name {known.name} here: the tool {short} of this home stands in front of it."


def _free_names(parsed: Expression) -> Iterator[str]:
    """The names that a law does not bind and Kleis has no use for, in order."""
    nodes = list(walk(parsed))
    bound = {each.name for each in nodes if isinstance(each, Binder | VariablePattern | AsPattern)}
    for each in nodes:
        if not isinstance(each, Name | Call) or each.name in bound:
            continue
        if is_free(each.name) or each.name.startswith(_PREFIX):
            yield each.name


def _is_tool(name: str, tools: Tools, names: Callable[[], Iterable[str]]) -> bool:
    if is_free(name):
        return tools.tool(name) is not None
    return any(plain_name(each) == name for each in names())
