"""Commands about teams, whose members have tools in common: team create, list, add, remove (docs/reference/serving.md §3.7)."""

from __future__ import annotations

import click

from registry.access.teams import Right, Team, TeamFile
from registry.access.tokens import moment_of
from registry.cli.pif.completion import team_names
from registry.cli.terminal.characters import counted
from registry.cli.terminal.command_context import Answer, CommandContext
from registry.cli.terminal.session import command, group
from registry.cli.terminal.sources import text

__all__ = ["COMMANDS"]


@group("team")
def team() -> None:
    """Make teams and say who is in them: their tools are named team/TEAM/NAME."""


@command("create")
@click.argument("name", type=text, metavar="TEAM")
def create(context: CommandContext, name: str) -> int:
    """Make a team without members. You may write in it, as the owner of the home."""
    made = _file(context).create(name)
    return context.answer(
        _answer(made), lambda done: context.say(f"the team {made.name} is made; nobody is in it yet")
    )


@command("list")
@click.argument("name", type=text, required=False, metavar="[TEAM]", shell_complete=team_names)
def list_(context: CommandContext, name: str | None) -> int:
    """List the teams of the home, or the members of one."""
    teams = _file(context).read()
    if name is None:
        answer: Answer = {"type": "teams", "teams": [_fields(each) for each in teams.values()]}
        return context.answer(answer, lambda done: _listed(context, [*teams.values()]))
    found = _file(context).team(name)
    return context.answer(_answer(found), lambda done: _members(context, found))


@command("add")
@click.argument("name", type=text, metavar="TEAM", shell_complete=team_names)
@click.argument("member", type=text, metavar="PRINCIPAL")
@click.option("--write", "right", flag_value="write", help="The principal may change the team's tools too.")
@click.option(
    "--read", "right", flag_value="read", default=True, help="It may find and run them (the default)."
)
def add(context: CommandContext, name: str, member: str, right: Right) -> int:
    """Let PRINCIPAL into TEAM, or change what it may do there.

    A principal is who tokens are made for (`pif token create`).
    """
    changed = _file(context).add(name, member, right)
    return context.answer(
        _answer(changed), lambda done: context.say(f"{member} may {right} in the team {changed.name}")
    )


@command("remove")
@click.argument("name", type=text, metavar="TEAM", shell_complete=team_names)
@click.argument("member", type=text, metavar="PRINCIPAL")
def remove(context: CommandContext, name: str, member: str) -> int:
    """Take PRINCIPAL out of TEAM at once. What it has kept there stays."""
    changed = _file(context).remove(name, member)
    return context.answer(
        _answer(changed), lambda done: context.say(f"{member} is not in the team {changed.name} any more")
    )


def _file(context: CommandContext) -> TeamFile:
    return TeamFile(context.home().path)


def _listed(context: CommandContext, teams: list[Team]) -> None:
    if not teams:
        context.say("no teams; `pif team create TEAM` makes one")
    for each in teams:
        context.say(f"{each.name}  {counted(len(each.members), 'member')}  made {moment_of(each.created)}")


def _members(context: CommandContext, found: Team) -> None:
    if not found.members:
        context.say(f"nobody is in the team {found.name}; `pif team add {found.name} PRINCIPAL` lets one in")
    for member, right in sorted(found.members.items()):
        context.say(f"{member}  {right}")


def _answer(found: Team) -> Answer:
    return {"type": "team", **_fields(found)}


def _fields(found: Team) -> Answer:
    return {
        "name": found.name,
        "created": moment_of(found.created),
        "members": dict(sorted(found.members.items())),
    }


for each in (create, list_, add, remove):
    team.add_command(each)

COMMANDS = (team,)
