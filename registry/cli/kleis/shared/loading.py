"""The files that a `kleis` command is about, and the loader that reads them.

Directories stand for the ``.kleis`` files below them, in order of name; ``-`` is standard input.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from kleis.errors import LoadError
from kleis.spelling import nearest
from kleis.theory.import_search import decode_text, search_from
from kleis.theory.loader import Loader, Loading
from kleis.theory.parse_cache import user_cache

__all__ = ["STANDARD_INPUT", "expand", "load", "make_loader", "standard_input"]

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


def expand(names: Iterable[str], *, library: bool = False) -> list[str]:
    """The files that names on the command line stand for, each once; with `library`, also those that an import finds.

    A name that stands for nothing is a mistake in the command, not in a program.
    """
    found: dict[str, None] = {}
    for name in names:
        path = Path(name)
        if name == STANDARD_INPUT or path.is_file():
            found[name] = None
        elif path.is_dir():
            below = sorted(_below(path))
            if not below:
                raise click.UsageError(f"there are no .kleis files in {name}")
            found.update(dict.fromkeys(below))
        elif library and (imported := _imported(name)) is not None:
            found[imported] = None
        elif path.exists():
            raise click.UsageError(f"{name} is neither a file nor a directory")
        else:
            raise click.UsageError(_missing(path))
    return list(found)


def _imported(name: str) -> str | None:
    """The file that `import "NAME"` means here, if there is one."""
    try:
        return str(search_from(os.environ, path=()).find(name, Path.cwd()))
    except LoadError:
        return None


def _below(directory: Path) -> Iterable[str]:
    for folder, inner, names in os.walk(directory):
        inner[:] = [each for each in inner if not each.startswith(".")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".kleis"))


def _missing(path: Path) -> str:
    message = f"there is no file or directory {path}"
    try:
        near = nearest(path.name, os.listdir(path.parent))
    except OSError:
        return message
    return f"{message}; did you mean {path.parent / near[0]}?" if near else message
