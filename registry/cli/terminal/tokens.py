"""Tokens for servers, by reference: a command line can be read by all users of a machine, so no token stands on it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from registry.cli.terminal.sources import path, text
from registry.errors import RegistryError

__all__ = ["read_token", "token_options"]

_TOKEN: Final = re.compile(r"[!-~]{1,8192}")

F = TypeVar("F", bound=Callable[..., Any])


def token_options(function: F) -> F:
    """The options `--token-file` and `--token-env` of a command, as `token_file` and `token_variable`."""
    variable = click.option(
        "--token-env", "token_variable", type=text, metavar="NAME", help="The environment variable that holds the token."
    )  # fmt: skip
    return click.option("--token-file", type=path, metavar="FILE", help="The file that holds the token.")(
        variable(function)
    )


def read_token(file: Path | None, variable: str | None) -> str:
    """The token in a file or a variable of the environment; empty where neither is named. Raises `invalid_argument`."""
    if file is not None and variable is not None:
        raise click.UsageError("--token-file and --token-env are two places for one token: leave one out")
    if file is not None:
        try:
            with file.open("rb") as opened:
                found = opened.read(8_200).decode("ascii", "replace").strip()
        except OSError as error:
            raise RegistryError(
                "invalid_argument", f"the token cannot be read: {error.strerror or error}", file=str(file), hint="check the path"
            ) from error  # fmt: skip
        return _checked(found, str(file))
    if variable is not None:
        return _checked(os.environ.get(variable, ""), f"${variable}")
    return ""


def _checked(token: str, place: str) -> str:
    if _TOKEN.fullmatch(token) is None:
        raise RegistryError(
            "invalid_argument", "there is no token", file=place, found="nothing, or other characters than a token has",
            expected="a token, as `pif token create` prints it", hint="write it into the file, without anything else",
        )  # fmt: skip
    return token
