"""The loader that reads the files of a `kleis` command; ``-`` is standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from kleis.theory.import_search import decode_text, search_from
from kleis.theory.loader import Loader, Loading
from kleis.theory.parse_cache import user_cache

__all__ = ["STANDARD_INPUT", "load", "make_loader", "standard_input"]

STANDARD_INPUT = "-"


def make_loader(path: Sequence[Path] = ()) -> Loader:
    """A loader with the search path of this process and the user's cache."""
    return Loader(search_from(os.environ, path=tuple(path)), cache=user_cache())


def load(loader: Loader, name: str) -> Loading:
    """Load a file of the command line, or standard input.  Raises `LoadError` if it cannot be read."""
    if name != STANDARD_INPUT:
        return loader.load(name)
    return loader.load_text(standard_input(), file="<stdin>", directory=Path.cwd())


def standard_input() -> str:
    """The text on standard input.  Raises `LoadError` if it is no UTF-8."""
    return decode_text(sys.stdin.buffer.read(), shown="<stdin>")
