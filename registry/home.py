"""The home: the directory that holds the registry of tools (docs/reference/registry.md §2.1).

`--home`, else the environment's `PIF_HOME`, else the platform's directory for a user's data. Nothing is created here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from kleis.durable_files import plain_user_folder
from registry.errors import RegistryError

__all__ = ["Home", "find_home"]

APPLICATION = "pif"
"""The name of the directory inside the platform's data directory."""


class Home(msgspec.Struct, frozen=True):
    """The absolute path of the home, and what chose it."""

    path: Path
    chosen_by: Literal["--home", "PIF_HOME", "default"]


def find_home(given: Path | None = None, environment: Mapping[str, str] | None = None) -> Home:
    """The home that `given` (the option) or `environment` (the process's own if None) asks for.

    Raises `store_error` where nothing says it: the process has no user's directory.

    A leading `~` is the user's directory; an empty `PIF_HOME` counts as none.
    """
    if given is not None:
        return Home(_absolute(given), "--home")
    asked = (os.environ if environment is None else environment).get("PIF_HOME", "")
    if asked:
        return Home(_absolute(Path(asked)), "PIF_HOME")
    plain = plain_user_folder("XDG_DATA_HOME", ".local/share")
    if plain is not None:
        return Home(plain / APPLICATION, "default")
    import platformdirs  # here because `--help` needs no home

    try:
        return Home(platformdirs.user_data_path(APPLICATION, appauthor=False), "default")
    except RuntimeError:
        raise RegistryError(
            "store_error", "there is no home: this process runs as a user that has no directory", place="home",
            expected="a directory for the tools", hint="Pass --home DIRECTORY, or set PIF_HOME.",
        ) from None  # fmt: skip


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))
