"""Click classes that the commands of `pif` and of `kleis` share, and their option `--timeout`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kleis.prover.process.deadline import Deadline

__all__ = ["SECONDS", "Commands", "NumbersCommand", "deadline_of"]

_NEGATIVE = re.compile(r"-\d.*", re.DOTALL)


class NumbersCommand(click.Command):
    """A command with numbers among its arguments: `-5` is one, not an option. It gets a space in front."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f" {item}" if _NEGATIVE.fullmatch(item) else item for item in args])


class Commands(click.Group):
    """A group that suggests the nearest command for a misspelt one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from pif.language.errors import nearest

        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = nearest(name, self.list_commands(ctx))
            hint = f" Did you mean {close!r}?" if close else ""
            ctx.fail(f"there is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


# `--timeout SECONDS` of commands that ask the prover.

SECONDS = click.FloatRange(min=0, min_open=True)


def deadline_of(seconds: float | None) -> Deadline | None:
    """The deadline of a question; None for no limit."""
    if seconds is None:
        return None
    from kleis.prover.process.deadline import Deadline

    return Deadline(seconds)
