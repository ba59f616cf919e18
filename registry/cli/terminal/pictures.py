"""A drawing written to a file, in the form that the file's name says: SVG, PNG, Mermaid, DOT or a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from registry.diagrams import Drawing, dot, mermaid, svg
from registry.errors import RegistryError

__all__ = ["FORMS", "form_of", "png", "written"]

_SHARP = 2.0
"""Pixels of a PNG for each of the drawing, as for a dense screen."""

_LARGEST = 12_000
"""Pixels of the longer side of a PNG."""


def _page(drawing: Drawing) -> bytes:
    from registry.views.graph import graph_view
    from registry.views.page import document

    return document(graph_view(drawing, drawing.title or "graph")).encode()


def png(drawing: Drawing) -> bytes:
    """The drawing as PNG. Raises RegistryError (`invalid_argument`) without the extra `pictures`."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise RegistryError(
            "invalid_argument", "a picture as PNG needs the extra pictures", place="image",
            hint="pip install 'pif-kleis[pictures]', or write an SVG",
        ) from None  # fmt: skip
    picture = svg(drawing)
    width, height = (float(picture.partition(f' {side}="')[2].partition('"')[0]) for side in ("width", "height"))  # fmt: skip
    zoom = min(_SHARP, _LARGEST / max(width, height, 1))
    return bytes(svg_to_bytes(svg_string=picture, zoom=zoom, monospace_family="DejaVu Sans Mono"))


FORMS: Mapping[str, Callable[[Drawing], bytes]] = {
    "svg": lambda drawing: svg(drawing).encode(),
    "png": png,
    "mermaid": lambda drawing: mermaid(drawing).encode(),
    "dot": lambda drawing: dot(drawing).encode(),
    "html": _page,
}
"""The forms of a drawing by their names."""

_SUFFIXES = {".svg": "svg", ".png": "png", ".mmd": "mermaid", ".dot": "dot", ".gv": "dot", ".html": "html"}


def form_of(file: Path) -> str | None:
    """The form that a file's name says; None where it says none."""
    return _SUFFIXES.get(file.suffix.lower())


def written(drawing: Drawing, form: str) -> bytes:
    """The drawing in a form."""
    return FORMS[form](drawing)
