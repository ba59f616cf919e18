"""The teams of a home: principals that have tools in common (docs/reference/serving.md §3.7, ADR 030).

``access/teams.json`` in the home holds a row for each team: its name, when it was made, and its members, each with what it may do:
`read` (find the team's tools and run them) or `write` (change them too). The owner of the home may write in all.

Invariants
----------
- The file is replaced and read as `access_file` says: who is taken out of a team has no access at the next request.
- A file that cannot be read lets nobody into a team.
- A team stays: a name that is given again would let new members read what others have kept under it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec

from kleis.decoding import decode_json
from pif.language.errors import nearest
from registry.access.access_file import AccessFile
from registry.access.principals import OWNER_NAME, check_principal_name, issuer_and_subject
from registry.errors import RegistryError
from registry.records import TEAM_RULE, valid_team

__all__ = ["FILE", "MOST_MEMBERS", "MOST_TEAMS", "Right", "Team", "TeamFile"]

FILE: Final = Path("access") / "teams.json"
"""Below the home."""

MOST_TEAMS: Final = 256
MOST_MEMBERS: Final = 1_000

Right = Literal["read", "write"]

_FORMAT = 1


class Team(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A team as it is kept. `created` is in seconds since 1970; `members` are principals with what they may do."""

    name: str
    created: float
    members: dict[str, Right] = {}


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    teams: tuple[Team, ...]
    format: int = _FORMAT


class TeamFile:
    """The teams of a home on disk."""

    def __init__(self, home: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = home / FILE
        self._kept_in = home / "teams"
        self._clock = clock
        self._trouble = ""
        self._file: AccessFile[Mapping[str, Team]] = AccessFile(
            self.path, "the teams", _decoded, {}, unreadable="the teams of this home cannot be read",
            restore="Nobody reaches a team's tools until they can. Restore the file.",
        )  # fmt: skip

    def read(self) -> Mapping[str, Team]:
        """The teams as they are now, by name. Raises `store_error` where they cannot be read."""
        return self._file.read()

    def team(self, name: str) -> Team:
        """The team of that name. Raises `unknown_team`."""
        return _known(self.read(), name)

    def rights(self, principal: str) -> Mapping[str, Right]:
        """What a principal may do in each of its teams, by the teams' names in order. It is in none where the file cannot be
        read, which is logged once."""
        try:
            teams = self.read()
        except RegistryError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                _log(error)
            return {}
        if principal == OWNER_NAME:
            return dict.fromkeys(sorted(teams), "write")
        return {
            name: team.members[principal] for name, team in sorted(teams.items()) if principal in team.members
        }

    def create(self, name: str) -> Team:
        """A new team, without members. Raises `invalid_name`, `version_conflict` where there is one of that name."""
        if not valid_team(name):
            raise RegistryError(
                "invalid_name", "a team's name is of small letters, digits and '-', and starts with a letter", place="team",
                found=ascii(name[:60]), expected=f"{TEAM_RULE} (32 characters at most)", hint="for example 'ops'",
            )  # fmt: skip
        with self._file.changing() as replace:
            teams = dict(self.read())
            if name in teams:
                raise RegistryError(
                    "version_conflict", f"there is a team {name!r} already", place="team", found=name,
                    expected="a name that no team has", hint="`pif team add` takes principals into it.",
                )  # fmt: skip
            if (self._kept_in / name).exists():
                raise RegistryError(
                    "version_conflict", f"there was a team {name!r}, and what it has kept is here", place="team", found=name,
                    expected="a name that no team had", file=str(self._kept_in / name),
                    hint=f"Its new members would read it. Take another name, or restore {FILE} from a backup.",
                )  # fmt: skip
            if len(teams) >= MOST_TEAMS:
                raise RegistryError(
                    "invalid_argument", f"a home has {MOST_TEAMS} teams at most", place="team"
                )
            teams[name] = Team(name, self._clock())
            replace(_Kept(tuple(teams.values())))
        return teams[name]

    def add(self, name: str, member: str, right: Right) -> Team:
        """Let a principal into a team, or change what it may do there."""
        if issuer_and_subject(member) is None:
            check_principal_name(member)
        if member == OWNER_NAME:
            raise RegistryError(
                "invalid_argument", "the owner of the home may write in every team", place="name", found=member,
                expected="another principal",
            )  # fmt: skip
        with self._file.changing() as replace:
            teams = dict(self.read())
            team = _known(teams, name)
            if member not in team.members and len(team.members) >= MOST_MEMBERS:
                raise RegistryError(
                    "invalid_argument", f"a team has {MOST_MEMBERS:,} members at most", place="name"
                )
            teams[name] = msgspec.structs.replace(team, members={**team.members, member: right})
            replace(_Kept(tuple(teams.values())))
        return teams[name]

    def remove(self, name: str, member: str) -> Team:
        """Take a principal out of a team: it reaches nothing of it any more."""
        with self._file.changing() as replace:
            teams = dict(self.read())
            team = _known(teams, name)
            if member not in team.members:
                raise RegistryError(
                    "invalid_argument", f"{member[:60]!a} is no member of the team {name!r}", place="name", found=member[:60],
                    expected=", ".join(sorted(team.members)[:8]) or "a member: there is none",
                    hint=f"`pif team list {name}` shows them.",
                )  # fmt: skip
            left = {each: right for each, right in team.members.items() if each != member}
            teams[name] = msgspec.structs.replace(team, members=left)
            replace(_Kept(tuple(teams.values())))
        return teams[name]


def _decoded(text: bytes) -> Mapping[str, Team]:
    kept = decode_json(text, _Kept)
    if kept.format != _FORMAT:
        raise ValueError(f"format {kept.format}; this program reads {_FORMAT}")
    wrong = next((team.name for team in kept.teams if not valid_team(team.name)), None)
    if wrong is not None:
        raise ValueError(f"no team may be called {wrong[:60]!a}")
    return {team.name: team for team in kept.teams}


def _known(teams: Mapping[str, Team], name: str) -> Team:
    found = teams.get(name)
    if found is not None:
        return found
    close = nearest(name, teams)
    raise RegistryError(
        "unknown_team", f"there is no team {name[:60]!a}", place="team", found=name[:60],
        expected=", ".join(sorted(teams)[:8]) or "a team: there is none",
        hint=f"Did you mean {close!r}?" if close else "`pif team create TEAM` makes one.",
    )  # fmt: skip


def _log(error: RegistryError) -> None:
    import logging  # only for this: what reads the file once, as `pif run` does, mostly finds it sound

    logging.getLogger(__name__).error("%s: %s (%s)", error.file, error.message, error.found)
