"""Evolved tools as names of MCP, in which `/` may not stand: spelled so that each spelling is that of one tool.

`team/TEAM/NAME` is `team__TEAM__NAME`. A team's name has no `_`, so the first `__` after it ends it. A tool of one's own whose name
begins with `team__` gets one `_` more after it, where a team's name cannot begin.
"""

from __future__ import annotations

from typing import Final

from registry.records import TEAM_PREFIX, full_name, team_of, valid_name, valid_team

__all__ = ["LONGEST", "exposed_name", "name_of"]

LONGEST: Final = 64
"""Characters of a name that every client takes; a tool with a longer one is not listed, and `run` reaches it."""

_MARK: Final = "team__"


def exposed_name(name: str) -> str:
    """A tool's name as a name of MCP."""
    team = team_of(name)
    if team:
        return f"{_MARK}{team}__{name.removeprefix(TEAM_PREFIX).removeprefix(team + '/')}"
    return f"{_MARK}_{name.removeprefix(_MARK)}" if name.startswith(_MARK) else name


def name_of(exposed: str) -> str | None:
    """The name of the tool that is spelled so; None where none can be."""
    if not exposed.startswith(_MARK):
        return exposed if valid_name(exposed) else None
    rest = exposed.removeprefix(_MARK)
    if rest.startswith("_"):
        own = _MARK + rest[1:]
        return own if valid_name(own) else None
    team, _, plain = rest.partition("__")
    return full_name(team, plain) if valid_team(team) and valid_name(plain) else None
