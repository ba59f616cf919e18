"""A Typst text and its pictures to PDF, PNG or SVG, in a fresh directory and a child process.

The directory holds the text and the pictures that it names, and nothing else; it is Typst's root. See
docs/reference/documents.md §3.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from kleis.documents.child import Limits, run_child
from kleis.documents.draw import draw_pictures
from kleis.documents.extras import require
from kleis.documents.typst_compile import MAIN, Compiled, CompileRequest
from kleis.errors import BudgetError
from kleis.pictures.picture import Picture

__all__ = ["LONGEST_DOCUMENT", "PageForm", "compile_document"]

PageForm: TypeAlias = Literal["pdf", "png", "svg"]

LONGEST_DOCUMENT = 5_000_000
"""Characters of a Typst text."""

_JOB = "kleis.documents.typst_compile:compile_typst"


def compile_document(
    text: str,
    pictures: Iterable[Picture] = (),
    form: PageForm = "pdf",
    *,
    limits: Limits | None = None,
    running: Callable[[], bool] = lambda: True,
) -> Compiled:
    """The document of a Typst text.  Pictures that the text names (``plot-….svg``) are drawn; others are left out.

    Raises `EvaluationError` of code ``document`` with what Typst says, ``needs_extra`` where a library is missing;
    `BudgetError` where it takes too long or too much.
    """
    require("typst", "a document")
    if len(text) > LONGEST_DOCUMENT:
        raise BudgetError(f"a document of more than {LONGEST_DOCUMENT:,} characters", code="budget_size")
    wanted = [each for each in pictures if f"{each.name}.svg" in text]
    with tempfile.TemporaryDirectory(prefix="kleis-document-") as fresh:
        root = Path(fresh)
        for picture, data in zip(wanted, draw_pictures(wanted, "svg", running=running), strict=True):
            (root / f"{picture.name}.svg").write_bytes(data)
        (root / MAIN).write_text(text, encoding="utf-8", errors="replace")
        return run_child(
            _JOB,
            CompileRequest(form),
            Compiled,
            purpose="compiling a document",
            limits=limits,
            directory=root,
            running=running,
        )
