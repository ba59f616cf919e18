"""What is around the series of a picture: scales, limits, ticks, legend, themes and second axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kleis.documents.labels import label_text
from kleis.documents.matplotlib_series import draw_series, shown_text, write_text
from kleis.documents.scale_functions import array_function
from kleis.pictures.picture import Picture, SecondAxis

__all__ = ["Theme", "arrange", "legend", "second_axis", "theme_of"]

Theme = Mapping[str, Any]
"""Paper, ink, grid and the cycle of colours."""

_CYCLE = (
    "#0074d9ff",
    "#ff851bff",
    "#2ecc40ff",
    "#ff4136ff",
    "#b10dc9ff",
    "#39ccccff",
    "#85144bff",
    "#3d9970ff",
)
_BRIGHT = (
    "#5ab4ffff",
    "#ffa95cff",
    "#6fe07dff",
    "#ff7b72ff",
    "#d68cf0ff",
    "#7fe3e3ff",
    "#e58bb0ff",
    "#8fcba8ff",
)
_LIGHT: Theme = {"paper": "#ffffff", "ink": "#1a1a1a", "grid": "#d9d9d9", "cycle": _CYCLE}
_DARK: Theme = {"paper": "#1b1e23", "ink": "#e6e6e6", "grid": "#43484f", "cycle": _BRIGHT}
_THEMES: dict[str, Theme] = {
    "moon": _DARK,
    "dark": _DARK,
    "misty": {**_LIGHT, "paper": "#f3f4f6", "grid": "#ffffff"},
    "ocean": {**_LIGHT, "paper": "#eaf4fb", "ink": "#0b3954", "grid": "#c3dcec"},
    "skyline": {**_LIGHT, "paper": "#fdfaf4", "ink": "#3b3a36", "grid": "#e8e1d3"},
}


def theme_of(picture: Picture, *, dark: bool) -> Theme:
    """The colours of a picture: its own theme, else light or dark."""
    chosen = _THEMES.get(picture.options.get("theme", ""))
    return chosen if chosen is not None else _DARK if dark else _LIGHT


def arrange(axes: Any, picture: Picture, theme: Theme) -> None:
    """Titles, scales, limits, ticks, grid and margins of the main axes."""
    options = picture.options
    for name, setter in (("title", axes.set_title), ("xlabel", axes.set_xlabel), ("ylabel", axes.set_ylabel)):
        if options.get(name):
            write_text(setter, options[name], color=theme["ink"])
    for direction in ("x", "y"):
        scale = options.get(f"{direction}scale", "linear")
        if scale != "linear":
            getattr(axes, f"set_{direction}scale")(scale)
    if options.get("grid"):
        axes.grid(visible=True, color=theme["grid"], linewidth=0.6)
        axes.set_axisbelow(True)
    _margins(axes, options)
    for direction in ("x", "y"):
        if f"{direction}lim" in options:
            getattr(axes, f"set_{direction}lim")(options[f"{direction}lim"])
        _ticks(axes, options, direction)
    if "aspect_ratio" in options:
        axes.set_aspect(options["aspect_ratio"])
    if options.get("yaxis_mirror"):
        axes.tick_params(axis="y", which="both", right=True, labelright=False)
    if options.get("theme") == "schoolbook":
        _through_the_origin(axes, theme)


def _margins(axes: Any, options: Mapping[str, Any]) -> None:
    for direction, ends in (("x", ("left", "right")), ("y", ("bottom", "top"))):
        if not any(f"margin_{end}" in options for end in ends):
            continue
        low, high = getattr(axes, f"get_{direction}lim")()
        span = (high - low) / 1.1
        first, second = (options.get(f"margin_{end}", 0.05) for end in ends)
        middle = (low + high) / 2
        getattr(axes, f"set_{direction}lim")(middle - span * (0.5 + first), middle + span * (0.5 + second))


def _ticks(axes: Any, options: Mapping[str, Any], direction: str) -> None:
    from matplotlib import ticker

    axis = getattr(axes, f"{direction}axis")
    linear = options.get(f"{direction}scale", "linear") == "linear"
    unit = options.get(f"{direction}axis_tick_unit")
    low, high = getattr(axes, f"get_{direction}lim")()
    if unit and linear and abs(high - low) / unit <= _MOST_TICKS:
        axis.set_major_locator(ticker.MultipleLocator(unit))
    suffix = options.get(f"{direction}axis_tick_suffix")
    if suffix and linear:
        axis.set_major_formatter(ticker.FuncFormatter(_with_suffix(suffix, unit or 1.0)))
    if direction == "x" and options.get("xaxis_ticks"):
        names = options["xaxis_ticks"]
        axes.set_xticks(range(len(names)), [shown_text(name) for name in names])
    if direction == "x" and options.get("xaxis_tick_rotate"):
        axes.tick_params(axis="x", labelrotation=options["xaxis_tick_rotate"])
    subticks = options.get(f"{direction}axis_subticks")
    if subticks == "auto" and linear:
        axis.set_minor_locator(ticker.AutoMinorLocator())
    elif isinstance(subticks, int) and linear:
        axis.set_minor_locator(ticker.AutoMinorLocator(subticks + 1))
    elif subticks == "none":
        axis.set_minor_locator(ticker.NullLocator())
    if options.get(f"{direction}axis_ticks_none"):
        axis.set_ticks([])


_MOST_TICKS = 200


def _with_suffix(suffix: str, unit: float) -> Callable[[float, int], str]:
    formula = f"${suffix.strip('$')}$"
    end = shown_text(formula if label_text(formula)[1] else suffix)

    def written(value: float, place: int) -> str:
        times = value / unit
        if abs(times) < 1e-9:
            return "0"
        return end if abs(times - 1) < 1e-9 else f"{times:g}{end}".replace("-1$", "-$")

    return written


def _through_the_origin(axes: Any, theme: Theme) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side, across in (("left", "x"), ("bottom", "y")):
        low, high = sorted(getattr(axes, f"get_{across}lim")())
        if low <= 0 <= high:
            axes.spines[side].set_position("zero")
    axes.plot(
        1, 0, ">", color=theme["ink"], transform=axes.get_yaxis_transform(), clip_on=False, markersize=5
    )
    axes.plot(
        0, 1, "^", color=theme["ink"], transform=axes.get_xaxis_transform(), clip_on=False, markersize=5
    )


_PLACES = {"left": "left", "right": "right", "top": "upper", "bottom": "lower"}


def legend(axes: Any, every: list[Any], picture: Picture, theme: Theme) -> None:
    """A legend where a series has a label; `every` are all axes with series."""
    handles, labels = [], []
    for each in every:
        found = each.get_legend_handles_labels()
        handles += found[0]
        labels += found[1]
    if not handles:
        return
    sides = picture.options.get("legend_position", [])
    up = next((_PLACES[side] for side in sides if side in ("top", "bottom")), "")
    across = next((side for side in sides if side in ("left", "right")), "")
    where = " ".join(part for part in (up, across) if part)
    place = {"": "best", "upper": "upper center", "lower": "lower center", "left": "center left",
             "right": "center right"}.get(where, where)  # fmt: skip
    axes.legend(
        handles, labels, loc=place, facecolor=theme["paper"], edgecolor=theme["grid"], labelcolor=theme["ink"]
    )


def second_axis(axes: Any, second: SecondAxis, colours: list[str], theme: Theme) -> Any:
    """A second scale with its series; the axes it is drawn on."""
    options = second.options
    across = second.direction == "x"
    position = options.get("position", "top" if across else "right")
    functions = options.get("functions")
    if functions and not second.series:
        scales = (array_function(functions[0]), array_function(functions[1]))
        made = (axes.secondary_xaxis if across else axes.secondary_yaxis)(position, functions=scales)
    else:
        made = axes.twiny() if across else axes.twinx()
        axis = made.xaxis if across else made.yaxis
        getattr(axis, f"tick_{position}")()
        axis.set_label_position(position)
        for each, colour in zip(second.series, colours, strict=True):
            draw_series(made, each, colour, theme["ink"])
    axis = made.xaxis if across else made.yaxis
    if options.get("axis_label"):
        write_text(made.set_xlabel if across else made.set_ylabel, options["axis_label"], color=theme["ink"])
    if "tick_distance" in options:
        from matplotlib.ticker import MultipleLocator

        low, high = axis.get_view_interval()
        if abs(high - low) / options["tick_distance"] <= _MOST_TICKS:
            axis.set_major_locator(MultipleLocator(options["tick_distance"]))
    made.tick_params(colors=theme["ink"])
    return made
