"""The theories that teams share, as one member's sessions may use them: `team/TEAM/NAME`.

They are files in the directory `theories` of the team's, wherever tools are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from registry.access.teams import Right
from registry.records import TEAM_PREFIX
from registry.store.open_store import team_home
from registry.teams.member import Member

__all__ = ["TeamTheories"]


class TeamTheories:
    """See `kleis.sessions.files.shared_theories.SharedTheories`. `home`: that of the owner."""

    def __init__(self, member: Member, home: Path) -> None:
        self._member = member
        self._home = home

    def readable(self) -> Mapping[str, Path]:
        """Those of the teams that the member is in."""
        return self._places(("read", "write"))

    def writable(self) -> Mapping[str, Path]:
        """Those of the teams in which it may write."""
        return self._places(("write",))

    def saver(self) -> str:
        """The principal, as the history of a team's tools names it."""
        return self._member.principal

    def _places(self, wanted: tuple[Right, ...]) -> Mapping[str, Path]:
        return {
            f"{TEAM_PREFIX}{team}": team_home(self._home, team) / "theories"
            for team, right in self._member.rights().items()
            if right in wanted
        }
