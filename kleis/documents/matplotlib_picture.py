"""A whole picture drawn by matplotlib: the job of the child process of `kleis.documents.draw`.

The same picture gives the same bytes: no date, a fixed salt of identifiers, fonts that come with matplotlib, letters as
outlines.  No setting of the user or the machine is read.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import msgspec

from kleis.documents.matplotlib_axes import arrange, legend, second_axis, theme_of
from kleis.documents.matplotlib_series import draw_series
from kleis.pictures.picture import Picture

__all__ = ["DrawRequest", "Drawn", "draw"]

_DOTS_PER_INCH = 150


class DrawRequest(msgspec.Struct, frozen=True):
    """Pictures, the form (``svg`` or ``png``) and whether they are for a dark page."""

    pictures: tuple[Picture, ...]
    form: str
    dark: bool = False


class Drawn(msgspec.Struct, frozen=True):
    """The bytes of each file."""

    files: tuple[bytes, ...]


def draw(request: DrawRequest) -> Drawn:
    """Draw pictures.  Raises ValueError where the numbers of one leave nothing that can be drawn."""
    _own_fonts_only()
    return Drawn(tuple(_drawn(each, request.form, request.dark) for each in request.pictures))


def _own_fonts_only() -> None:
    """Forget the fonts of the machine: those that come with matplotlib are the same everywhere."""
    from matplotlib import font_manager, get_data_path

    fonts = font_manager.fontManager
    fonts.ttflist = [each for each in fonts.ttflist if each.fname.startswith(get_data_path())]


def _drawn(picture: Picture, form: str, dark: bool) -> bytes:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    theme = theme_of(picture, dark=dark)
    matplotlib.rcdefaults()
    settings: Any = _settings(theme)
    matplotlib.rcParams.update(settings)
    width, height = picture.size
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # glyphs that no font has, limits of an empty range: the picture shows it
        figure = Figure(figsize=(width / 2.54, height / 2.54), layout="constrained")
        (FigureCanvasSVG if form == "svg" else FigureCanvasAgg)(figure)
        _draw_on(figure.add_subplot(), picture, theme)
        written = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(written, format=form, dpi=_DOTS_PER_INCH, metadata=metadata)
    return written.getvalue()


def _settings(theme: Any) -> dict[str, Any]:
    ink, paper = theme["ink"], theme["paper"]
    return {
        "text.usetex": False,
        "font.family": ["DejaVu Sans"],
        "font.size": 10,
        "mathtext.fontset": "dejavusans",
        "svg.fonttype": "path",
        "svg.hashsalt": "kleis",
        "axes.unicode_minus": True,
        "figure.facecolor": paper,
        "savefig.facecolor": paper,
        "axes.facecolor": paper,
        "text.color": ink,
        "axes.edgecolor": ink,
        "axes.labelcolor": ink,
        "xtick.color": ink,
        "ytick.color": ink,
        "boxplot.medianprops.color": ink,
        "boxplot.boxprops.color": ink,
        "boxplot.whiskerprops.color": ink,
        "boxplot.capprops.color": ink,
        "boxplot.flierprops.markeredgecolor": ink,
    }


def _draw_on(axes: Any, picture: Picture, theme: Any) -> None:
    cycle = theme["cycle"]
    fill = picture.options.get("fill")
    if fill not in (None, "auto"):
        axes.set_facecolor(fill)
    colours = [cycle[place % len(cycle)] for place in range(len(picture.every_series))]
    for each, colour in zip(picture.series, colours, strict=False):
        draw_series(axes, each, colour, theme["ink"])
    arrange(axes, picture, theme)
    every = [axes]
    left = colours[len(picture.series) :]
    for second in picture.axes:
        own, left = left[: len(second.series)], left[len(second.series) :]
        made = second_axis(axes, second, own, theme)
        if second.series:
            every.append(made)
    legend(axes, every, picture, theme)
