"""What the options of `pif serve` name must be there before it serves (servers.md, "Command line").

A gate that is misspelt must not look like one: a policy that is no file, a policy without its group, a corpus or a
root that is no directory are refused at the start, with the nearest spelling there is.  What is there but cannot be
read (a policy that is no Kleis) is a warning: the group says so in every answer, and reads the file again when it
changes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pif.language.errors import nearest
from registry.server.contract.settings import Settings

__all__ = ["check_places"]

_LISTED = 5_000
"""Entries of a directory that are looked through for a nearer spelling."""


def check_places(settings: Settings, chosen: Sequence[str]) -> None:
    """Raises ValueError for the first option that names nothing, or that no chosen group reads."""
    if settings.policy is not None:
        _refuse_unread("policy", "FILE", chosen)
        if not settings.policy.is_file():
            raise ValueError(_nothing("policy", settings.policy, "file"))
    if settings.corpus is not None:
        _refuse_unread("corpus", "DIR", chosen)
    directories = [("corpus", settings.corpus)] if settings.corpus is not None else []
    for option, directory in (*directories, *(("root", each) for each in settings.roots)):
        if not directory.is_dir():
            raise ValueError(_nothing(option, directory, "directory"))


def _refuse_unread(option: str, what: str, chosen: Sequence[str]) -> None:
    if option not in chosen:
        groups = ",".join([*chosen, option])
        raise ValueError(
            f"--{option} {what} is read by the group {option} only: add it with --groups {groups}"
        )


def _nothing(option: str, path: Path, kind: str) -> str:
    """What is wrong with a path, and what was perhaps meant."""
    if path.exists():
        return f"--{option} {path}: that is no {kind}"
    missing = path
    while not missing.parent.is_dir() and missing.parent != missing:
        missing = missing.parent
    close = nearest(missing.name, _names_in(missing.parent))
    meant = f"; did you mean {missing.with_name(close)}?" if close else ""
    return f"--{option} {path}: there is no such {kind}{meant}"


def _names_in(directory: Path) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry, _ in zip(entries, range(_LISTED), strict=False)]
    except OSError:
        return []
