"""What was named and defined at the prompt and is no tool yet: kept in a file of the home, whole, after each change.

Invariant: a file that cannot be read is left as it is, and nothing of it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from kleis.decoding import decode_json
from kleis.durable_files import write_whole
from pif.language.errors import PifError
from pif.language.terms import print_term
from registry.records import ToolRecord, content_hash

__all__ = ["Drafts", "draft_record"]

_LONGEST = 4 * 2**20
"""Bytes of the file; what makes it longer is not kept for the next time."""


class _Kept(msgspec.Struct):
    functions: dict[str, str] = {}
    names: dict[str, Any] = {}


class Drafts:
    """Functions by name, and values by name; `_` is the last value."""

    def __init__(self, path: Path | None) -> None:
        """Read what is kept; with None nothing is."""
        self._path = path
        kept = _Kept()
        if path is not None:
            with suppress(OSError, msgspec.DecodeError, RecursionError):
                kept = decode_json(path.read_bytes()[:_LONGEST], _Kept)
        self.names: dict[str, Any] = kept.names
        self.functions: dict[str, str] = {}
        self.records: dict[str, ToolRecord] = {}
        for name, text in kept.functions.items():
            with suppress(PifError):
                self.define(name, text, keep=False)

    def define(self, name: str, python: str, *, keep: bool = True) -> None:
        """Add a function, or replace it. Raises `PifError` for a text that is none."""
        self.records[name] = draft_record(name, python)
        self.functions[name] = python
        if keep:
            self.keep()

    def drop(self, name: str) -> None:
        """Forget a function."""
        self.functions.pop(name, None)
        self.records.pop(name, None)
        self.keep()

    def clear(self) -> None:
        """Forget everything."""
        self.functions.clear()
        self.records.clear()
        self.names.clear()
        self.keep()

    def keep(self) -> None:
        """Write it; where that cannot be, the prompt goes on without."""
        if self._path is None:
            return
        body = msgspec.json.encode(_Kept(dict(self.functions), dict(self.names)))
        if len(body) <= _LONGEST:
            with suppress(OSError):
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_whole(self._path, body)

    def as_tools(self) -> Mapping[str, ToolRecord]:
        """The functions as runs see them."""
        return self.records


def draft_record(name: str, python: str) -> ToolRecord:
    """A function in Python as a version 0 of a tool, which is stored nowhere."""
    from pif.python_syntax import translate

    code = msgspec.json.encode(print_term(translate(python).term)).decode()
    return ToolRecord(
        name=name, version=0, description="defined at the prompt", code=code, hash=content_hash(code),
        capabilities=(), created="", python=python,
    )  # fmt: skip
