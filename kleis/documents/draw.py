"""Pictures to bytes and to files, each drawn in a child process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from kleis.documents.child import Limits, run_child
from kleis.documents.extras import require
from kleis.documents.matplotlib_picture import Drawn, DrawRequest
from kleis.pictures.picture import Picture

__all__ = ["MEDIA_TYPES", "Form", "draw_picture", "draw_pictures", "write_pictures"]

Form: TypeAlias = Literal["svg", "png"]

MEDIA_TYPES: dict[Form, str] = {"svg": "image/svg+xml", "png": "image/png"}

_JOB = "kleis.documents.matplotlib_picture:draw"


def draw_picture(
    picture: Picture,
    form: Form,
    *,
    dark: bool = False,
    limits: Limits | None = None,
    running: Callable[[], bool] = lambda: True,
) -> bytes:
    """The file of a picture; see `draw_pictures`."""
    return draw_pictures((picture,), form, dark=dark, limits=limits, running=running)[0]


def draw_pictures(
    pictures: Sequence[Picture],
    form: Form,
    *,
    dark: bool = False,
    limits: Limits | None = None,
    running: Callable[[], bool] = lambda: True,
) -> tuple[bytes, ...]:
    """The files of pictures, the same bytes every time.

    Raises `EvaluationError` (code ``needs_extra`` without matplotlib), `BudgetError`.
    """
    if not pictures:
        return ()
    require("matplotlib", "drawing a picture")
    request = DrawRequest(tuple(pictures), form, dark)
    return run_child(_JOB, request, Drawn, purpose="drawing a picture", limits=limits, running=running).files


def write_pictures(
    pictures: Sequence[Picture],
    directory: Path,
    *,
    forms: Sequence[Form] = ("svg",),
    dark: bool = False,
    running: Callable[[], bool] = lambda: True,
) -> list[Path]:
    """Draw pictures into a directory, as ``plot-….svg`` and ``plot-….dark.svg``; the files, in order."""
    directory.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for form in forms:
        files = draw_pictures(pictures, form, dark=dark, running=running)
        for picture, data in zip(pictures, files, strict=True):
            path = directory / f"{picture.name}{'.dark' if dark else ''}.{form}"
            path.write_bytes(data)
            written.append(path)
    return written
