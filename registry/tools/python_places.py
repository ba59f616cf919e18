"""Where in the Python that was written an error is, for tools that were translated from it (docs/reference/pif.md §9.1).

The places are not kept: the text is translated again, over the tools of the snapshot. Where that does not give the code
of the version any more, because the type of a tool that it calls has changed, errors keep their paths and have no line.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

from pif.analysis.types.tool_types import typing_of
from pif.analysis.types.unification import Type
from pif.language.errors import PifError
from pif.language.host import Tools
from pif.language.terms import Term, identity
from registry.errors import RegistryError
from registry.records import ToolRecord

__all__ = ["locate", "tool_type"]


def tool_type(tools: Tools, name: str) -> Type | None:
    """The type of a tool that Python calls, where all of it is known for certain."""
    tool = tools.tool(name)
    if tool is None:
        return None
    typing = typing_of(tool, tools)
    return typing.type_ if typing.certain else None


class _Written(Tools, Protocol):
    """Tools that know what the names in a version's text mean, and how its code is kept."""

    def as_written(self, record: ToolRecord) -> _Written: ...

    def spelled(self, term: Term) -> Term: ...


def locate(error: dict[str, Any], record: ToolRecord, tools: _Written) -> None:
    """Add line, column and text of the Python to an error at a path into a tool's code, if it was written in Python."""
    if record.python is None or "in" in error:
        return
    from pif.python_syntax import translate

    meant = tools.as_written(record)
    try:
        made = translate(record.python, partial(tool_type, meant))
        kept = meant.spelled(made.term)
    except (PifError, RegistryError):
        return
    if identity(kept) != record.hash:
        return
    place = made.places.at(error["path"])
    if place is not None:
        error |= {"line": place.line, "column": place.column, "source": place.source}
