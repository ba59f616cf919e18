"""Click classes that the commands of `pif` and of `kleis` share, commands that are imported when they are used, and the
option `--timeout`."""

from __future__ import annotations

import re
from collections import UserDict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kleis.prover.process.deadline import Deadline

__all__ = ["SECONDS", "CommandTable", "Commands", "NumbersCommand", "deadline_of"]

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
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from pif.language.errors import nearest

            close = nearest(name, self.list_commands(ctx))
            hint = f" Did you mean {close!r}?" if close else ""
            ctx.fail(f"there is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


class CommandTable(UserDict[str, click.Command]):
    """The commands of a program by their names; a module with some is imported when one of them is looked up.

    A module has its commands in `COMMANDS`, under the names that it is given here for; tests compare the two.
    """

    def __init__(self, modules: Mapping[str, Sequence[str]], *ready: click.Command) -> None:
        """`modules`: names of commands by the module that has them. `ready`: commands that are there already."""
        super().__init__({str(each.name): each for each in ready})
        self.modules = modules
        self._modules = {name: module for module, names in modules.items() for name in names}

    def __getitem__(self, name: str) -> click.Command:
        if name in self._modules:
            found: Sequence[click.Command] = import_module(self._modules[name]).COMMANDS
            return next(each for each in found if each.name == name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return name in self._modules or super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._modules
        yield from super().__iter__()

    def __len__(self) -> int:
        return len(self._modules) + super().__len__()


# `--timeout SECONDS` of commands that ask the prover.

SECONDS = click.FloatRange(min=0, min_open=True)


def deadline_of(seconds: float | None) -> Deadline | None:
    """The deadline of a question; None for no limit."""
    if seconds is None:
        return None
    from kleis.prover.process.deadline import Deadline

    return Deadline(seconds)
