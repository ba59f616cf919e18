"""Tokens for servers, by reference: a command line can be read by all users of a machine, so no token stands on it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from registry.errors import RegistryError

__all__ = ["read_token"]

_TOKEN: Final = re.compile(r"[!-~]{1,8192}")


def read_token(file: Path | None, variable: str) -> str:
    """The token in a file, or in a variable of the environment; empty where neither is named. Raises `invalid_argument`."""
    if file is not None and variable:
        raise RegistryError(
            "invalid_argument", "a file and a variable are two places for one token", place="token",
            found=f"{file} and ${variable}"[:120], expected="one of both", hint="leave one out",
        )  # fmt: skip
    if file is not None:
        try:
            with file.open("rb") as opened:
                found = opened.read(8_200).decode("ascii", "replace").strip()
        except OSError as error:
            raise RegistryError(
                "invalid_argument", f"the token cannot be read: {error.strerror or error}", file=str(file), hint="check the path"
            ) from error  # fmt: skip
        return _checked(found, str(file))
    return _checked(os.environ.get(variable, ""), f"${variable}") if variable else ""


def _checked(token: str, place: str) -> str:
    if _TOKEN.fullmatch(token) is None:
        raise RegistryError(
            "invalid_argument", "there is no token", file=place, found="nothing, or other characters than a token has",
            expected="a token, as `pif token create` prints it", hint="write it into the file, without anything else",
        )  # fmt: skip
    return token
