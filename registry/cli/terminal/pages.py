"""A view written to a file, for the option `--html` of commands."""

from __future__ import annotations

from pathlib import Path

import click

from registry.views.page import View, document

__all__ = ["write_page"]


def write_page(path: Path, view: View) -> None:
    """Write the document of a view. Raises click.UsageError where the file cannot be written."""
    try:
        path.write_text(document(view), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error
