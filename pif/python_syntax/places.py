"""Where in the Python the parts of a translated term come from (docs/reference/pif.md §9.1)."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import msgspec

from pif.language.terms import Term, part_keys

__all__ = ["Place", "Places", "line_of"]

_SHOWN = 200
"""Characters of a line that are shown."""


class Place(msgspec.Struct, frozen=True):
    """A place in the text of a function: line and column count from 1; `source` is the line."""

    line: int
    column: int
    source: str


def line_of(source: str, line: int) -> str:
    """A line of a text, by its number; empty where there is none, and cut where it is very long."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = lines[line - 1] if 0 < line <= len(lines) else ""
    return found.replace("\t", " ")[:_SHOWN]


class Places:
    """The places of the parts of one term; `nodes` by the ids of its subterms, which `root` keeps alive."""

    def __init__(self, source: str, root: Term, nodes: Mapping[int, ast.AST]) -> None:
        self._source = source
        self._root = root
        self._nodes = nodes

    def at(self, path: str) -> Place | None:
        """The place that a JSON pointer into the canonical form leads to: that of the innermost part around it which
        comes from a place of its own. None where the pointer leads nowhere."""
        keys = [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]
        term, found = self._root, self._nodes.get(id(self._root))
        while keys:
            for part, steps in zip(term.parts, part_keys(term), strict=True):
                if [*map(str, steps)] == keys[: len(steps)]:
                    term, keys = part, keys[len(steps) :]
                    break
            else:
                break  # into a name or a key
            found = self._nodes.get(id(term), found)
        if found is None:
            return None
        line = getattr(found, "lineno", 1)
        return Place(line, getattr(found, "col_offset", 0) + 1, line_of(self._source, line))
