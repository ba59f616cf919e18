"""What `kleis document` is asked for."""

from __future__ import annotations

from pathlib import Path

import msgspec

__all__ = ["Documenting"]


class Documenting(msgspec.Struct, frozen=True):
    """What is asked: the file, where to write, which block prints the document, and the parts of a paper."""

    file: str
    output: Path
    example: str = ""
    granted: Path | None = None
    path: tuple[Path, ...] = ()
    assemble: bool = False
    title: str = ""
    authors: tuple[str, ...] = ()
    prose: Path | None = None
    as_json: bool = False
