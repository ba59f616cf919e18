"""Where sessions and saved theories are.

The first of these files that exists is read: the one that ``KLEIS_CONFIG`` names, ``config/kleis.toml`` below the
working directory, ``~/.config/kleis/config.toml``.  A directory it does not name has its default below the home.  A
relative directory counts from the project (for config/kleis.toml the directory that holds ``config``) or from the
file.  See docs/reference/registry.md §12.1.

Invariant: a configuration that cannot be read is an error, never silently the defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from kleis.sessions.files.errors import SessionError
from kleis.spelling import nearest

__all__ = ["Places", "find_places"]

_KEYS = ("workspace_dir", "save_dir")


class Places(msgspec.Struct, frozen=True):
    """Directories: `workspace` of sessions, `saved` theories, `verdicts` of earlier questions.

    `configuration` is the file that was read; None for the defaults.
    """

    workspace: Path
    saved: Path
    verdicts: Path
    configuration: Path | None = None


def find_places(home: Path, environment: Mapping[str, str], directory: Path) -> Places:
    """The places for a home, an environment and a working directory.

    Raises `SessionError` (code `configuration`) where the configuration cannot be read or is not valid.
    """
    found = _configuration(environment, directory)
    table: Mapping[str, object] = {}
    beside = directory
    if found is not None:
        file, beside = found
        table = _theory_table(file)
    return Places(
        workspace=_directory(table, "workspace_dir", beside, home / "sessions"),
        saved=_directory(table, "save_dir", beside, home / "theories"),
        verdicts=home / "verdicts",
        configuration=found[0] if found is not None else None,
    )


def _configuration(environment: Mapping[str, str], directory: Path) -> tuple[Path, Path] | None:
    """The configuration file to read, and the directory from which its relative paths count."""
    named = environment.get("KLEIS_CONFIG")
    if named:
        file = directory / Path(named).expanduser()
        if not file.is_file():
            raise SessionError(
                f"KLEIS_CONFIG names {named}, which is no file",
                code="configuration",
                found=named,
                hint="name a TOML file, or unset KLEIS_CONFIG",
            )
        return file, file.parent
    project = directory / "config" / "kleis.toml"
    if project.is_file():
        return project, directory
    personal = environment.get("HOME", "")
    file = Path(personal) / ".config" / "kleis" / "config.toml"
    return (file, file.parent) if personal and file.is_file() else None


def _theory_table(file: Path) -> Mapping[str, object]:
    import tomllib  # most homes have no such file

    try:
        table = tomllib.loads(file.read_text("utf-8")).get("theory", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SessionError(
            f"{file} cannot be read: {error}", code="configuration", file=str(file), hint="mend the file"
        ) from error
    if not isinstance(table, dict):
        raise SessionError(
            "[theory] is no table", code="configuration", file=str(file), found=repr(table)[:80]
        )
    for key in table:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            raise SessionError(
                f"[theory] has no key {key}",
                code="configuration",
                file=str(file),
                found=key,
                expected=_KEYS,
                hint=f"did you mean {close[0]}?" if close else "",
            )
    return table


def _directory(table: Mapping[str, object], key: str, beside: Path, default: Path) -> Path:
    value = table.get(key)
    if value is None:
        return default
    directory = _usable(beside, value) if isinstance(value, str) and value.strip() else None
    if directory is None:
        raise SessionError(
            f"[theory] {key} is no directory",
            code="configuration",
            found=repr(value)[:80],
            expected=("the path of a directory, or of one that can be made",),
        )
    return directory


def _usable(beside: Path, value: str) -> Path | None:
    """The path, unless there is something else or the system knows no such path (too long, of an unknown user, …)."""
    try:
        directory = beside / Path(value).expanduser()
        os.stat(directory)
    except FileNotFoundError:
        return directory
    except (OSError, RuntimeError, ValueError):
        return None
    return directory if directory.is_dir() else None
