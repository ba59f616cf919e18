"""Commands about tokens for callers over HTTP: token create, list, revoke (docs/reference/serving.md §3.6)."""

from __future__ import annotations

import click

from registry.access.principals import USUAL_SCOPES, read_scopes
from registry.access.tokens import Token, TokenFile, moment_of, read_expiry
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.session import Answer, CommandContext, command, group
from registry.cli.terminal.sources import text

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
def create(context: CommandContext, name: str, scopes: str, expires: str) -> int:
    """Make a token for the principal NAME and print it: it is shown once, and only its hash is kept.

    Tools and sessions of a principal are its own; `owner` is the one of the home itself. Several tokens of one name are one
    principal's. From the first token on a server over HTTP lets nobody in without one.
    """
    made, secret = TokenFile(context.home().path).create(name, read_scopes(scopes), read_expiry(expires))
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
    ended = TokenFile(context.home().path).revoke(which)
    answer: Answer = {"type": "revoked", "tokens": [_fields(each) for each in ended]}
    said = ", ".join(f"{each.id} of {each.name}" for each in ended) or "nothing: revoked before"
    return context.answer(answer, lambda done: context.say(f"revoked {said}"))


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
