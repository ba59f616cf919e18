"""The lock file: what was approved of each server, and what waits to be.

    {"version": 1, "approved": {SERVER: {KIND: {NAME: WHAT IT SAYS}}}, "waiting": {…}}

KIND is tools, prompts, resources, templates or instructions (with the one NAME `instructions`); what a server says is kept whole,
for the difference that is shown. JSON with sorted names: it can be read, compared and kept with the configuration.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

from kleis.durable_files import FileLock, write_whole
from kleis.errors import KleisError

__all__ = ["Said", "changing", "read", "stamp"]

VERSION = 1

Said: TypeAlias = dict[str, dict[str, dict[str, Any]]]
"""By server, kind and name."""

LARGEST = 64 * 1024 * 1024

Stamp: TypeAlias = tuple[int, int, int] | None


def stamp(path: Path) -> Stamp:
    """Changes when the file does; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def read(path: Path) -> tuple[Said, Said]:
    """What was approved, and what waits; nothing where there is no file. Raises `KleisError`."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return {}, {}
    except OSError as error:
        raise KleisError(
            f"{path} cannot be read: {error.strerror}", code="bad-lock", file=str(path)
        ) from None
    try:
        if len(text) > LARGEST:
            raise ValueError("it is too long")
        data = json.loads(text)
        found = data["approved"], data["waiting"]
        for said in found:
            _check(said)
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']!r}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "take it from a copy, or move it away and approve anew"
        raise KleisError(
            f"{path} is no lock file: {error}", code="bad-lock", file=str(path), hint=hint
        ) from None
    return found


def _check(said: Any) -> None:
    for kinds in said.values():
        for items in kinds.values():
            if not isinstance(items, dict):
                raise TypeError("an object is expected")


class changing:
    """Read, change and write a lock file while nobody else does: a context manager that gives what `read` gives."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: FileLock | None = None
        self._found: tuple[Said, Said] = ({}, {})

    def __enter__(self) -> tuple[Said, Said]:
        self._lock = FileLock(self._path.with_name(f".{self._path.name}.busy"))
        try:
            self._lock.acquire(None)
            self._found = read(self._path)
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        return self._found

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        assert self._lock is not None
        try:
            if kind is None:
                approved, waiting = self._found
                data = {"version": VERSION, "approved": approved, "waiting": waiting}
                text = json.dumps(data, ensure_ascii=True, sort_keys=True, indent=1)
                write_whole(self._path, text.encode() + b"\n")
        finally:
            self._lock.__exit__(None, None, None)
