"""Commands about tokens for callers over HTTP: token create, list, revoke (docs/reference/serving.md §3.6)."""

from __future__ import annotations

import click

from registry.access.principals import OWNER_NAME, USUAL_SCOPES, read_scopes
from registry.access.teams import TeamFile
from registry.access.tokens import Token, TokenFile, moment_of, read_expiry
from registry.cli.terminal.command_context import Answer, CommandContext
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.session import command, group
from registry.cli.terminal.sources import text
from registry.errors import RegistryError

__all__ = ["COMMANDS"]


@group("token")
def token() -> None:
    """Make, list and revoke the tokens by which callers over HTTP say who they are."""


@command("create")
@click.argument("name", type=text)
@click.option(
    "--scopes", type=text, default=",".join(sorted(USUAL_SCOPES)), show_default=True,
    help="What it may do, with commas: read, run, evolve, theory, policy, admin; or all.",
)  # fmt: skip
@click.option(
    "--expires", type=text, default="never", show_default=True, metavar="WHEN",
    help="A span (90d, 12h), a moment (2027-01-31), or never.",
)  # fmt: skip
@click.option("--again", is_flag=True, help="NAME had tokens that were all revoked, and is the same one.")
def create(context: CommandContext, name: str, scopes: str, expires: str, again: bool) -> int:
    """Make a token for the principal NAME and print it: it is shown once, and only its hash is kept.

    Tools and sessions of a principal are its own; `owner` is the one of the home itself. Several tokens of one name are one
    principal's. From the first token on a server over HTTP lets nobody in without one.
    """
    file = TokenFile(context.home().path)
    if not again and name != OWNER_NAME and file.is_gone(name):
        raise RegistryError(
            "invalid_argument", f"{name!r} was a principal before, and all its tokens were revoked", place="name", found=name,
            expected="a name that nobody had",
            hint="Its tools, sessions and teams would be the new holder's. Take another name; or pass --again if it is the same one.",
        )  # fmt: skip
    made, secret = file.create(name, read_scopes(scopes), read_expiry(expires))
    answer: Answer = {"type": "token", **_fields(made), "token": secret}
    return context.answer(answer, lambda done: _created(context, made, secret))


def _created(context: CommandContext, made: Token, secret: str) -> None:
    until = "never expires" if made.expires is None else f"expires {moment_of(made.expires)}"
    context.screen.print_error(
        f"token {made.id} of {made.name} ({', '.join(made.scopes)}), {until}; it is not shown again:"
    )
    context.say(secret)


@command("list")
def list_(context: CommandContext) -> int:
    """List the tokens of the home, without their secrets."""
    tokens = TokenFile(context.home().path).read().all
    answer: Answer = {"type": "tokens", "tokens": [_fields(each) for each in tokens]}
    return context.answer(answer, lambda done: _listed(context, tokens))


def _listed(context: CommandContext, tokens: tuple[Token, ...]) -> None:
    if not tokens:
        context.say("no tokens; `pif token create NAME` makes one")
    for each in tokens:
        state = f"made {moment_of(each.created)}"
        if each.expires is not None:
            state += f", expires {moment_of(each.expires)}"
        if each.revoked is not None:
            state += f", revoked {moment_of(each.revoked)}"
        line = f"{each.id}  {each.name}  {','.join(each.scopes)}  {state}"
        context.say([Piece(line, "plain" if each.revoked is None else "faint")])


@command("revoke")
@click.argument("which", type=text, metavar="ID|NAME")
def revoke(context: CommandContext, which: str) -> int:
    """End a token, or all of a principal's, at once: a running server lets it in no more, and closes its streams.

    What the principal has made stays in the home.
    """
    home = context.home().path
    ended = TokenFile(home).revoke(which)
    answer: Answer = {"type": "revoked", "tokens": [_fields(each) for each in ended]}
    said = ", ".join(f"{each.id} of {each.name}" for each in ended) or "nothing: revoked before"
    names = sorted({each.name for each in ended} - {OWNER_NAME})
    teams = {name: [*TeamFile(home).rights(name)] for name in names}
    if any(teams.values()):
        answer["teams"] = {name: found for name, found in teams.items() if found}
    return context.answer(answer, lambda done: _revoked(context, said, teams))


def _revoked(context: CommandContext, said: str, teams: dict[str, list[str]]) -> None:
    context.say(f"revoked {said}")
    for name, found in teams.items():
        for each in found:
            context.screen.print_error(f"{name} is still in the team {each}: `pif team remove {each} {name}`")


def _fields(token: Token) -> Answer:
    fields: Answer = {
        "id": token.id,
        "name": token.name,
        "scopes": [*token.scopes],
        "created": moment_of(token.created),
    }
    for name, moment in (("expires", token.expires), ("revoked", token.revoked)):
        if moment is not None:
            fields[name] = moment_of(moment)
    return fields


token.add_command(create)
token.add_command(list_)
token.add_command(revoke)

COMMANDS = (token,)
