"""The files that names on the command line of `kleis` stand for.

Directories stand for the ``.kleis`` files below them, in order of name; ``-`` is standard input.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from kleis.errors import LoadError
from kleis.spelling import nearest
from kleis.theory.import_search import search_from
from registry.cli.kleis.shared.loading import STANDARD_INPUT

__all__ = ["expand"]


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
