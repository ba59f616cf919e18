"""A program of several commands, which knows what a misspelt one was meant to be."""

from __future__ import annotations

import click

__all__ = ["Commands"]


class Commands(click.Group):
    """A group that knows what a misspelt command was meant to be."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from pif.errors import nearest

        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = nearest(name, self.list_commands(ctx))
            hint = f" Did you mean {close!r}?" if close else ""
            ctx.fail(f"there is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)
