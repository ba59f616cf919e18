"""`kleis test --plots DIR`: the pictures that example blocks made, drawn into files (docs/reference/documents.md §1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kleis.documents.draw import write_pictures
from kleis.errors import KleisError
from registry.cli.kleis.files.test import FileReport

__all__ = ["draw_tested"]


def draw_tested(reports: Sequence[FileReport], directory: Path, *, dark: bool) -> tuple[dict[str, Any], bool]:
    """Draw the pictures of all blocks as SVG and PNG: what was drawn, as JSON values, and whether all was."""
    found = [
        (report.file, block.name, picture)
        for report in reports
        for block in report.blocks
        for picture in block.pictures
    ]
    distinct = {picture.name: picture for _, _, picture in found}
    answer: dict[str, Any] = {
        "directory": str(directory),
        "pictures": [
            {"file": file, "example": example, **picture.summary()} for file, example, picture in found
        ],
    }
    try:
        write_pictures(list(distinct.values()), directory, forms=("svg", "png"), dark=dark)
    except KleisError as error:
        answer["error"] = error.as_dict()
        return answer, False
    except OSError as error:
        answer["error"] = {"code": "file", "message": f"{directory} cannot be written: {error.strerror}"}
        return answer, False
    return answer, True
