"""Commands of `pif` as click has them.

A command is a function that takes a `CommandContext` first and returns an exit status. `--home` and `--json` belong to every
command.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from registry.cli.terminal.command_context import CommandContext, answered
from registry.cli.terminal.commands import NumbersCommand
from registry.cli.terminal.sources import path, text

if TYPE_CHECKING:
    from pif.language.warnings import Fractions

__all__ = ["TermCommand", "command", "context_of", "fractions", "group", "home_and_json"]


def context_of(ctx: click.Context) -> CommandContext:
    """The context of a command, by the options that all have; these are taken out of what is given to the command."""
    outer = ctx.find_root().params
    home: Path | None = ctx.params.pop("home", None) or outer.get("home")
    store: str | None = ctx.params.pop("store", None) or outer.get("store")
    as_json = ctx.params.pop("as_json", False) or bool(outer.get("as_json"))
    fractions: Fractions = ctx.params.pop("fractions", None) or "round"
    return CommandContext(
        home=home, store=store, as_json=as_json, fractions=fractions, closed=ctx.obj or frozenset()
    )


class _Command(click.Command):
    """A command of ours: errors of the registry are answers, and the status is the function's."""

    def invoke(self, ctx: click.Context) -> Any:
        context = context_of(ctx)
        ctx.params["context"] = context
        ctx.exit(answered(context, partial(super().invoke, ctx)))


class TermCommand(NumbersCommand, _Command):
    """A command with JSON among its arguments."""


def command(
    name: str, *, cls: type[click.Command] = _Command, answers: bool = True
) -> Callable[[Callable[..., int]], click.Command]:
    """A command with the options that all have; `--json` is not shown for one that gives no answer."""

    def decorate(function: Callable[..., int]) -> click.Command:
        decorated = click.command(name, cls=cls)(function)
        decorated.params += home_and_json(answers=answers)
        return decorated

    return decorate


fractions = click.option(
    "--fractions", type=click.Choice(["round", "refuse"]), envvar="PIF_FRACTIONS", show_envvar=True,
    help="What becomes of a number with a fraction: the nearest integer and a warning, or an error.",
)  # fmt: skip
"""The option of the commands that read code, inputs or examples."""


def group(name: str) -> Callable[[Callable[[], None]], click.Group]:
    """A group of commands below another, which takes their common options too."""

    def decorate(function: Callable[[], None]) -> click.Group:
        @click.pass_context
        def taken(context: click.Context, /, **options: Any) -> None:
            root = context.find_root().params
            root.update({key: given or root.get(key) for key, given in options.items()})

        return click.Group(name, callback=taken, params=home_and_json(), help=function.__doc__)

    return decorate


def home_and_json(*, answers: bool = True) -> list[click.Parameter]:
    """`--home`, `--store` and `--json`."""
    return [
        click.Option(["--home"], type=path, metavar="DIR", help="The directory of the registry."),
        click.Option(
            ["--store"],
            type=text,
            metavar="URL",
            help="The PostgreSQL that holds the tools, instead of the home.",
        ),
        click.Option(
            ["--json", "as_json"],
            is_flag=True,
            hidden=not answers,
            help="Print the object that the server would answer.",
        ),
    ]
