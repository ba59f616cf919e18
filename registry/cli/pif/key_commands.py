"""Commands on keys: the one with which a home signs, and those it trusts (docs/reference/registry.md §3.1)."""

from __future__ import annotations

from typing import Any

import click

from registry.cli.pif.sharing_views import show_keys
from registry.cli.terminal.command_context import Answer, CommandContext
from registry.cli.terminal.session import command, group
from registry.cli.terminal.sources import path, text
from registry.errors import RegistryError

__all__ = ["COMMANDS"]

_LIST_LIMIT = 1024 * 1024
"""Bytes of a list of keys at most."""


@group("key")
def key() -> None:
    """The key with which this home signs what it publishes."""


@command("create")
def create(context: CommandContext) -> int:
    """Make the key of this home, and print its public half, which others trust."""
    from registry.sharing.keys import KeyFile

    return _key(context, KeyFile(context.home().path).create())


@command("show")
def show(context: CommandContext) -> int:
    """Print the public half of the key of this home."""
    from registry.sharing.keys import KeyFile

    return _key(context, KeyFile(context.home().path).public())


@group("trust")
def trust() -> None:
    """Whose publications may be pulled from."""


@command("add")
@click.argument("which", type=text, metavar="KEY")
@click.option("--as", "label", type=text, required=True, metavar="NAME", help="What you call the publisher.")
def add(context: CommandContext, which: str, label: str) -> int:
    """Trust what KEY signs: it may offer tools, and is believed in nothing else."""
    _trust(context).add(which, label)
    answer: Answer = {"type": "trusted", "key": which, "name": label}
    return context.answer(answer, lambda done: context.say(f"{label} is trusted: {which}"))


@command("list")
def list_(context: CommandContext) -> int:
    """List the trusted keys, and the revoked ones."""
    known = _trust(context).read()
    answer: Answer = {"type": "keys", "trusted": known.trusted, "revoked": list(known.revoked)}
    return context.answer(answer, lambda done: show_keys(context, done))


@command("remove")
@click.argument("which", type=text, metavar="KEY|NAME")
def remove(context: CommandContext, which: str) -> int:
    """Stop trusting a key. What was taken in stays."""
    gone = _trust(context).remove(which)
    return context.answer(
        {"type": "removed", "key": gone}, lambda done: context.say(f"not trusted any more: {gone}")
    )


@command("revoke")
@click.argument("keys", type=text, nargs=-1, required=True, metavar="KEY...")
def revoke(context: CommandContext, keys: tuple[str, ...]) -> int:
    """Never trust these keys again. @FILE reads a list of them, one a line."""
    listed = [key for each in keys for key in (_lines(each) if each.startswith("@") else (each,))]
    known = _trust(context).revoke(tuple(listed))
    answer: Answer = {"type": "keys", "trusted": known.trusted, "revoked": list(known.revoked)}
    return context.answer(answer, lambda done: show_keys(context, done))


def _trust(context: CommandContext) -> Any:
    from registry.sharing.keys import TrustFile

    return TrustFile(context.home().path)


def _lines(argument: str) -> list[str]:
    """The keys in the file of `@FILE`; blank lines and comments are left out."""
    name = path(argument[1:])
    try:
        with name.open("rb") as file:
            content = file.read(_LIST_LIMIT + 1)
    except OSError as error:
        raise RegistryError(
            "invalid_argument", f"the list cannot be read: {error.strerror or error}", file=str(name), hint="check the path"
        ) from error  # fmt: skip
    if len(content) > _LIST_LIMIT:
        raise RegistryError(
            "invalid_argument",
            "the list is too long",
            file=str(name),
            expected=f"{_LIST_LIMIT} bytes at most",
        )
    lines = (line.strip() for line in content.decode(errors="replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _key(context: CommandContext, public: str) -> int:
    return context.answer({"type": "key", "key": public}, lambda done: context.say(public))


for each in (create, show):
    key.add_command(each)
for each in (add, list_, remove, revoke):
    trust.add_command(each)

COMMANDS = (key, trust)
