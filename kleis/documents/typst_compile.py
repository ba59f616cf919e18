"""Typst text to pages: the job of the child process of `kleis.documents.compile`.

The working directory is the root: Typst refuses every path outside it. Fonts are those that come with Typst, packages are
looked for in empty directories and not downloaded.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

import msgspec

__all__ = ["CompileRequest", "Compiled", "compile_typst"]

MAIN = "main.typ"


class CompileRequest(msgspec.Struct, frozen=True):
    """The form (``pdf``, ``png`` or ``svg``) to which the file `MAIN` of the directory is compiled."""

    form: Literal["pdf", "png", "svg"]


class Compiled(msgspec.Struct, frozen=True):
    """The file, or one a page; and what Typst warns of."""

    pages: tuple[bytes, ...]
    warnings: tuple[str, ...] = ()


def compile_typst(request: CompileRequest) -> Compiled:
    """Compile the document of the working directory.  Raises RuntimeError with Typst's message."""
    import typst

    root = Path.cwd()
    with tempfile.TemporaryDirectory() as empty:
        try:
            pages, warnings = typst.compile_with_warnings(
                str(root / MAIN),
                root=str(root),
                format=request.form,
                ppi=110,
                ignore_system_fonts=True,
                package_path=empty,
                package_cache_path=empty,
            )
        except typst.TypstError as error:
            raise RuntimeError(_message(error.message, error.diagnostic)) from None
    files = pages if isinstance(pages, list) else [pages]
    return Compiled(tuple(files), tuple(dict.fromkeys(each.message for each in warnings)))


def _message(message: str, diagnostic: str) -> str:
    """What Typst says, with the place; packages are a matter of ours."""
    if "package" in message:
        return f"packages are not downloaded: {message.partition(' (http')[0]}"
    place = next((line.strip(" ┌─│") for line in diagnostic.splitlines() if f"{MAIN}:" in line), "")
    return f"{place}: {message}" if place else message
