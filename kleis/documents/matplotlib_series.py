"""One element of a picture drawn on matplotlib's axes.

Each drawer takes the axes, the series (JSON values), the colour of its place in the cycle and the theme's ink.  Texts go
through `write_text`; nothing else of a series is text.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from kleis.documents.labels import label_text
from kleis.pictures.picture import Series
from kleis.pictures.styles import COLOUR_MAPS, MARKS

__all__ = ["draw_series", "shown_text", "write_text"]

_DASHES = {"solid": "-", "dashed": "--", "dotted": ":", "dash-dotted": "-."}
_STEPS = {"start": "steps-post", "end": "steps-pre", "center": "steps-mid"}
_SMOOTH_POINTS = 400


def draw_series(axes: Any, series: Series, cycle: str, ink: str) -> None:
    """Draw one element; `cycle` is the colour where none is given, `ink` that of the axes' lines."""
    _DRAWERS[series.kind](axes, series, cycle, ink)


def write_text(setter: Callable[..., Any], text: str, **more: Any) -> Any:
    """Give a text to matplotlib; what that made of it."""
    return setter(shown_text(text), **more)


def shown_text(text: str) -> str:
    """A text as matplotlib is to get it: mathtext where `label_text` has made some, else with every dollar escaped."""
    shown, mathematics = label_text(text)
    return shown if mathematics and _is_mathtext(shown) else shown.replace("$", r"\$")


def _is_mathtext(text: str) -> bool:
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return False
    return True


def _paint(options: dict[str, Any], cycle: str) -> dict[str, Any]:
    """The colour, width and dash of a line."""
    stroke = options.get("stroke", {})
    paint: dict[str, Any] = {"color": _known(stroke.get("colour")) or _known(options.get("color")) or cycle}
    if stroke.get("none") or stroke.get("colour") == "none":
        return {"color": paint["color"], "linestyle": "none"}
    if stroke.get("width") is not None:
        paint["linewidth"] = stroke["width"]
    if stroke.get("dash", "solid") != "solid":
        paint["linestyle"] = _DASHES[stroke["dash"]]
    return paint


def _known(colour: str | None) -> str | None:
    return None if colour in (None, "", "auto", "none") else colour


def _common(options: dict[str, Any]) -> dict[str, Any]:
    """Opacity, order, clipping and a label."""
    common: dict[str, Any] = {}
    if "opacity" in options:
        common["alpha"] = options["opacity"]
    if "z_index" in options:
        common["zorder"] = max(-1e6, min(1e6, options["z_index"]))
    if "clip" in options:
        common["clip_on"] = options["clip"]
    label = shown_text(options.get("label", ""))
    if label:
        # A label that begins with an underscore would hide its series from the legend.
        common["label"] = f" {label}" if label.startswith("_") else label
    return common


def _fill(options: dict[str, Any], cycle: str) -> dict[str, Any]:
    """The inside and the edge of an area."""
    chosen = options.get("fill") or options.get("color")
    found: dict[str, Any] = {"facecolor": "none" if chosen == "none" else _known(chosen) or cycle}
    if options.get("stroke"):
        paint = _paint({"stroke": options["stroke"]}, "#000000ff")
        if paint.get("linestyle") != "none":
            found |= {"edgecolor": paint["color"], "linewidth": paint.get("linewidth", 1.0)}
            found |= {"linestyle": paint["linestyle"]} if "linestyle" in paint else {}
    return found


def _smoothed(xs: Any, ys: Any) -> tuple[Any, Any]:
    """A curve through points of growing x that does not overshoot (piecewise cubic, Fritsch and Carlson)."""
    import numpy
    from scipy import interpolate

    if len(xs) < 3 or not all(first < second for first, second in pairwise(xs)):
        return xs, ys
    dense = numpy.linspace(xs[0], xs[-1], _SMOOTH_POINTS)
    return dense, interpolate.PchipInterpolator(xs, ys)(dense)


def _plot(axes: Any, series: Series, cycle: str, ink: str) -> None:
    xs, ys = series.data
    options = series.options
    paint = _paint(options, cycle) | _common(options)
    marks = {
        "marker": MARKS[options.get("mark", "none")] or None,
        "markersize": options.get("mark_size", 5.0),
    }
    if options.get("step", "none") != "none":
        paint["drawstyle"] = _STEPS[options["step"]]
    if "every" in options:
        marks["markevery"] = int(options["every"])
    if options.get("smooth"):
        label = paint.pop("label", None)
        axes.plot(*_smoothed(xs, ys), **paint, **({"label": label} if label else {}))
        if marks["marker"]:
            axes.plot(xs, ys, **(paint | {"linestyle": "none"}), **marks)
        return
    axes.plot(xs, ys, **paint, **marks)
    bars: dict[str, Any] = {name: options[name] for name in ("xerr", "yerr") if name in options}
    if bars:
        axes.errorbar(xs, ys, fmt="none", ecolor=paint["color"], capsize=2.5, **_positive(bars))


def _positive(bars: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [abs(each) for each in size] if isinstance(size, list) else abs(size)
        for name, size in bars.items()
    }


def _scatter(axes: Any, series: Series, cycle: str, ink: str) -> None:
    xs, ys = series.data
    options = series.options
    drawn: dict[str, Any] = {
        "marker": MARKS[options.get("mark", "o")] or ".",
        "s": options.get("mark_size", 6.0) ** 2,
    }
    if "colors" in options:
        drawn |= {"c": options["colors"], "cmap": COLOUR_MAPS[options.get("colormap", "viridis")]}
    else:
        drawn["color"] = _known(options.get("color")) or cycle
    stroke = options.get("stroke", {})
    if _known(stroke.get("colour")):
        drawn["edgecolors"] = stroke["colour"]
    axes.scatter(xs, ys, **drawn, **_common(options))


def _bar(axes: Any, series: Series, cycle: str, ink: str) -> None:
    _draw_bars(axes.bar, "bottom", series, cycle)


def _hbar(axes: Any, series: Series, cycle: str, ink: str) -> None:
    _draw_bars(axes.barh, "left", series, cycle)


def _draw_bars(draw: Callable[..., Any], start: str, series: Series, cycle: str) -> None:
    places, lengths = series.data
    options = series.options
    base = options.get("base", 0.0)
    moved = [place + options.get("offset", 0.0) for place in places]
    draw(
        moved,
        [length - base for length in lengths],
        options.get("width", 0.8),
        **{start: base},
        **_fill(options, cycle),
        **_common(options),
    )


def _stem(axes: Any, series: Series, cycle: str, ink: str) -> None:
    _draw_stems(axes, series, cycle, ink, "vertical")


def _hstem(axes: Any, series: Series, cycle: str, ink: str) -> None:
    _draw_stems(axes, series, cycle, ink, "horizontal")


def _draw_stems(axes: Any, series: Series, cycle: str, ink: str, orientation: str) -> None:
    xs, ys = series.data
    if not xs:
        return
    options = series.options
    places, heads = (xs, ys) if orientation == "vertical" else (ys, xs)
    label = _common(options).get("label")
    marks, stems, base = axes.stem(
        places,
        heads,
        bottom=options.get("base", 0.0),
        orientation=orientation,
        **({"label": label} if label else {}),
    )
    colour = _paint(options, cycle)["color"]
    marks.set(
        color=colour,
        marker=MARKS[options.get("mark", "o")] or "none",
        markersize=options.get("mark_size", 5.0),
    )
    stems.set(color=colour)
    base.set(color=ink, linewidth=0.8)


def _fill_between(axes: Any, series: Series, cycle: str, ink: str) -> None:
    xs, upper, *rest = series.data
    lower = rest[0] if rest else [0.0] * len(xs)
    look = {"alpha": 0.45} | _fill(series.options, cycle) | _common(series.options)
    axes.fill_between(xs, upper, lower, **({"linewidth": 0} | look))


def _boxes(axes: Any, series: Series, cycle: str, orientation: str) -> None:
    drawn = axes.boxplot([list(row) for row in series.data], orientation=orientation, patch_artist=True)
    for box in drawn["boxes"]:
        box.set(**({"alpha": 0.6} | _fill(series.options, cycle)))


def _boxplot(axes: Any, series: Series, cycle: str, ink: str) -> None:
    _boxes(axes, series, cycle, "vertical")


def _hboxplot(axes: Any, series: Series, cycle: str, ink: str) -> None:
    _boxes(axes, series, cycle, "horizontal")


def _heatmap(axes: Any, series: Series, cycle: str, ink: str) -> None:
    rows = series.data
    drawn = axes.pcolormesh(
        range(len(rows[0])),
        range(len(rows)),
        rows,
        shading="nearest",
        cmap=COLOUR_MAPS[series.options.get("colormap", "viridis")],
        rasterized=len(rows) * len(rows[0]) > 10_000,
    )
    axes.figure.colorbar(drawn, ax=axes)


def _contour(axes: Any, series: Series, cycle: str, ink: str) -> None:
    rows = series.data
    options = series.options
    look: dict[str, Any] = {"cmap": COLOUR_MAPS[options.get("colormap", "viridis")]}
    if "stroke" in options or "color" in options:
        look = {"colors": _paint(options, cycle)["color"]}
    if min(map(min, rows)) < max(map(max, rows)):
        axes.contour(range(len(rows[0])), range(len(rows)), rows, **look)


def _quiver(axes: Any, series: Series, cycle: str, ink: str) -> None:
    columns, lines, *arrows = series.data
    options = series.options
    across = [row[0::2] for row in arrows]
    up = [(*row[1::2], *([0.0] * (len(row) % 2))) for row in arrows]
    look: dict[str, Any] = {
        "color": _paint(options, cycle)["color"],
        "pivot": _PIVOTS[options.get("pivot", "tail")],
    }
    if "scale" in options:
        look["scale"] = 1 / options["scale"]
        look |= {"angles": "xy", "scale_units": "xy"}
    if columns and lines:
        axes.quiver(columns, lines, across, up, **look)


_PIVOTS = {"tail": "tail", "start": "tail", "center": "mid", "middle": "mid", "tip": "tip", "end": "tip"}


def _place(axes: Any, series: Series, cycle: str, ink: str) -> None:
    (x, y), options = series.data[0], series.options
    sides = options.get("align", [])
    padding = options.get("padding", 4.0)
    across = -1 if "left" in sides else 1 if "right" in sides else 0
    up = 1 if "top" in sides else -1 if "bottom" in sides else 0
    write_text(
        axes.annotate,
        series.text,
        xy=(x, y),
        xytext=(across * padding, up * padding),
        textcoords="offset points",
        ha={-1: "right", 0: "center", 1: "left"}[across],
        va={-1: "top", 0: "center", 1: "bottom"}[up],
        color=_known(options.get("color")) or ink,
        annotation_clip=False,
    )


def _path(axes: Any, series: Series, cycle: str, ink: str) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = list(zip(*series.data, strict=True))
    if not points:
        return
    options = series.options
    closed = bool(options.get("closed")) or _known(options.get("fill")) is not None
    codes = [Path.MOVETO] + [Path.LINETO] * (len(points) - 1)
    if closed:
        points, codes = [*points, points[0]], [*codes, Path.CLOSEPOLY]
    paint = _paint(options, cycle)
    if paint.get("linestyle") == "none":
        paint = {"color": paint["color"], "linewidth": 0}
    colour = paint.pop("color")
    fill = _known(options.get("fill"))
    axes.add_patch(
        PathPatch(
            Path(points, codes), facecolor=fill or "none", edgecolor=colour, **paint, **_common(options)
        )
    )
    axes.autoscale_view()


_DRAWERS: dict[str, Callable[[Any, Series, str, str], None]] = {
    "plot": _plot,
    "scatter": _scatter,
    "bar": _bar,
    "hbar": _hbar,
    "stem": _stem,
    "hstem": _hstem,
    "fill_between": _fill_between,
    "boxplot": _boxplot,
    "hboxplot": _hboxplot,
    "heatmap": _heatmap,
    "contour": _contour,
    "quiver": _quiver,
    "place": _place,
    "path": _path,
}
