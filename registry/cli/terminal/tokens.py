"""The options that name a token for a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from registry.cli.terminal.sources import path, text

__all__ = ["token_options"]

F = TypeVar("F", bound=Callable[..., Any])


def token_options(function: F) -> F:
    """The options `--token-file` and `--token-env` of a command, as `token_file` and `token_variable`."""
    variable = click.option(
        "--token-env", "token_variable", type=text, default="", metavar="NAME",
        help="The environment variable that holds the token.",
    )  # fmt: skip
    return click.option("--token-file", type=path, metavar="FILE", help="The file that holds the token.")(
        variable(function)
    )
