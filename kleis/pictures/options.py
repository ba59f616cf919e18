"""The options of every element and of a diagram: their names, aliases and readers.

An option that another element takes is left out where it does not apply; a name that nothing takes is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import msgspec

from kleis.pictures import styles
from kleis.pictures.scales import scale_function
from kleis.pictures.styles import picture_error
from kleis.spelling import nearest
from kleis.values import Data, ListValue, Value, is_number, kind_name, number_text

__all__ = ["DIAGRAM", "ELEMENTS", "LONGEST_TEXT", "number", "numbers", "read_options", "text"]

Options: TypeAlias = dict[str, Any]
"""Options that were read, by name: JSON values."""

_Reader = Callable[[str, Value], Any]

LONGEST_TEXT = 2_000
"""Characters of a label; what is longer is cut with ``…``."""

_LARGEST_SIZE = 60.0
_TICKS = 200


def number(what: str, value: Value) -> float:
    """A real number as a double; an error if it is none, or beyond the range of doubles."""
    if not is_number(value):
        raise picture_error(
            f"{what} is a number, not {kind_name(value)}", found=kind_name(value), expected=("ℝ",)
        )
    assert isinstance(value, int | Fraction | float)
    try:
        read = float(value)
    except OverflowError:
        read = math.inf
    if not math.isfinite(read):
        raise picture_error(f"{what} is beyond the numbers that can be drawn")
    return read


def numbers(what: str, value: Value) -> list[float]:
    """A list of numbers."""
    if not isinstance(value, ListValue):
        raise picture_error(f"{what} is a list of numbers, not {kind_name(value)}", found=kind_name(value))
    return [number(what, each) for each in value]


def text(what: str, value: Value) -> str:
    """A text; numbers are written out."""
    if is_number(value):
        assert isinstance(value, int | Fraction | float)
        value = number_text(value)
    if not isinstance(value, str):
        raise picture_error(
            f"{what} is a text, not {kind_name(value)}", found=kind_name(value), expected=("String",)
        )
    whole = value.encode("utf-8", "replace").decode()  # half a surrogate pair is no character
    return whole if len(whole) <= LONGEST_TEXT else whole[:LONGEST_TEXT] + "…"


def _texts(what: str, value: Value) -> list[str]:
    if not isinstance(value, ListValue):
        raise picture_error(f"{what} is a list of texts, not {kind_name(value)}", found=kind_name(value))
    if len(value) > _TICKS:
        raise picture_error(f"{what} has more than {_TICKS} texts", found=str(len(value)))
    return [text(what, each) for each in value]


_TRUTHS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}


def _truth(what: str, value: Value) -> bool:
    if isinstance(value, bool):
        return value
    written = text(what, value)
    if written not in _TRUTHS:
        raise picture_error(f"{what} is true or false", found=written, expected=("true", "false"))
    return _TRUTHS[written]


def _parsed(parse: Callable[[str], Any]) -> _Reader:
    def read(what: str, value: Value) -> Any:
        return parse(text(what, value))

    return read


def _one_of(*names: str) -> _Reader:
    return lambda what, value: styles.choice(text(what, value), names, f"value of {what}")


def _between(least: float, most: float) -> _Reader:
    def read(what: str, value: Value) -> float:
        found = number(what, value)
        if not least <= found <= most:
            raise picture_error(f"{what} lies between {least:g} and {most:g}", found=f"{found:g}")
        return found

    return read


def _size(what: str, value: Value) -> float:
    """A size in points: a number of them, or a length."""
    size = number(what, value) if is_number(value) else styles.length(text(what, value))
    if not 0 <= size <= 200:
        raise picture_error(f"{what} lies between 0pt and 200pt", found=f"{size:g}")
    return size


def _margin(what: str, value: Value) -> float:
    share = number(what, value) if is_number(value) else styles.fraction(text(what, value))
    if not 0 <= share <= 10:
        raise picture_error(f"{what} lies between 0% and 1000%", found=f"{share:g}")
    return share


def _range(what: str, value: Value) -> list[float]:
    ends = numbers(what, value)
    if len(ends) != 2 or ends[0] == ends[1]:
        raise picture_error(
            f"{what} is a list of two different numbers", found=str(len(ends)), expected=("[a, b]",)
        )
    return ends


def _error_bars(what: str, value: Value) -> float | list[float]:
    return numbers(what, value) if isinstance(value, ListValue) else number(what, value)


def _stroke(what: str, value: Value) -> styles.Stroke:
    if is_number(value):
        return styles.Stroke(width=_size(what, value))
    return styles.stroke(text(what, value))


def _step(what: str, value: Value) -> str:
    return "none" if value is False else _one_of("none", "start", "end", "center")(what, value)


def _subticks(what: str, value: Value) -> int | str:
    if isinstance(value, str) and not value.isdecimal():
        return styles.choice(value, ("none", "auto"), f"value of {what}")
    count = number(what, value) if not isinstance(value, str) else float(value[:9])
    if not (0 <= count <= 20 and count == int(count)):
        raise picture_error(f"{what} is a count up to 20", found=f"{count:g}")
    return int(count)


def _functions(what: str, value: Value) -> list[Any]:
    pair = (
        value.items()
        if isinstance(value, ListValue)
        else list(value.fields)
        if isinstance(value, Data)
        else []
    )
    if len(pair) != 2:
        raise picture_error(f"{what} are two functions: forward and back", found=kind_name(value))
    return [scale_function(each) for each in pair]


_whole_number = _between(1, 1_000_000)
_colour = _parsed(styles.colour)
_alignment = _parsed(styles.alignment)
_mark = _parsed(lambda name: styles.choice(name, styles.MARKS, "mark"))
_map = _parsed(lambda name: styles.choice(name.removeprefix("color.map."), styles.COLOUR_MAPS, "colour map"))
_any_number = _between(-1e300, 1e300)

_LINE: dict[str, _Reader] = {"color": _colour, "stroke": _stroke, "label": text, "opacity": _between(0, 1),
                             "z_index": _any_number, "clip": _truth}  # fmt: skip
_MARKED: dict[str, _Reader] = {**_LINE, "mark": _mark, "mark_size": _size}
_BARS: dict[str, _Reader] = {**_LINE, "fill": _colour, "offset": _any_number, "width": _between(1e-9, 1e9),
                             "base": _any_number}  # fmt: skip
_STEMS: dict[str, _Reader] = {**_MARKED, "base": _any_number}
_AREA: dict[str, _Reader] = {**_LINE, "fill": _colour}
_SECOND_AXIS: dict[str, _Reader] = {"axis_label": text, "axis_offset": _any_number, "exponent": _any_number,
                                    "tick_distance": _between(1e-300, 1e300), "functions": _functions}  # fmt: skip

ELEMENTS: dict[str, Mapping[str, _Reader]] = {
    "plot": {**_MARKED, "xerr": _error_bars, "yerr": _error_bars, "step": _step, "smooth": _truth,
             "every": _whole_number},
    "scatter": {**_MARKED, "colors": numbers, "colormap": _map},
    "bar": _BARS,
    "hbar": _BARS,
    "stem": _STEMS,
    "hstem": _STEMS,
    "fill_between": _AREA,
    "boxplot": _AREA,
    "hboxplot": _AREA,
    "heatmap": {"colormap": _map, "label": text},
    "contour": {**_LINE, "colormap": _map},
    "quiver": {**_LINE, "scale": _between(1e-12, 1e12), "pivot": _one_of("tail", "start", "center", "middle", "tip", "end")},
    "place": {"align": _alignment, "padding": _size, "color": _colour, "z_index": _any_number, "clip": _truth},
    "path": {**_AREA, "closed": _truth},
    "yaxis": {**_SECOND_AXIS, "position": _one_of("left", "right")},
    "xaxis": {**_SECOND_AXIS, "position": _one_of("top", "bottom")},
}  # fmt: skip
"""The options of each element."""

DIAGRAM: Mapping[str, _Reader] = {
    "width": _between(1, _LARGEST_SIZE), "height": _between(1, _LARGEST_SIZE), "title": text, "xlabel": text,
    "ylabel": text, "xlim": _range, "ylim": _range, "xscale": _one_of("linear", "log", "symlog"),
    "yscale": _one_of("linear", "log", "symlog"), "legend_position": _alignment, "grid": _truth, "fill": _colour,
    "aspect_ratio": _between(1e-6, 1e6), "xaxis_subticks": _subticks, "yaxis_subticks": _subticks,
    "xaxis_ticks": _texts, "xaxis_tick_rotate": _between(-360, 360), "xaxis_ticks_none": _truth,
    "yaxis_ticks_none": _truth, "xaxis_tick_unit": _between(1e-300, 1e300), "yaxis_tick_unit": _between(1e-300, 1e300),
    "xaxis_tick_suffix": text, "yaxis_tick_suffix": text, "yaxis_mirror": _truth, "margin_top": _margin,
    "margin_bottom": _margin, "margin_left": _margin, "margin_right": _margin,
    "theme": _one_of("schoolbook", "moon", "dark", "misty", "ocean", "skyline"),
}  # fmt: skip
"""The options of a diagram."""

_ALIASES = {
    "map": "colormap", "x_lim": "xlim", "y_lim": "ylim", "legend": "legend_position", "x_subticks": "xaxis_subticks",
    "y_subticks": "yaxis_subticks", "x_ticks": "xaxis_ticks", "x_tick_rotate": "xaxis_tick_rotate",
    "hide_xaxis_ticks": "xaxis_ticks_none", "hide_yaxis_ticks": "yaxis_ticks_none", "x_tick_unit": "xaxis_tick_unit",
    "y_tick_unit": "yaxis_tick_unit", "x_tick_suffix": "xaxis_tick_suffix", "y_tick_suffix": "yaxis_tick_suffix",
    "y_mirror": "yaxis_mirror",
}  # fmt: skip

_KNOWN = frozenset({*DIAGRAM, *_ALIASES, "y2"}.union(*ELEMENTS.values()))


def read_options(taken: Mapping[str, _Reader], record: Data | None) -> Options:
    """The options in a record that an element takes, as JSON values."""
    found: Options = {}
    for field in record.fields if record is not None else ():
        assert isinstance(field, Data)
        written = str(field.fields[0])
        name = _ALIASES.get(written, written)
        if name not in _KNOWN:
            close = nearest(written[:40], _KNOWN)
            raise picture_error(
                f"no picture takes the option {written[:40]!r}",
                found=written,
                hint=f"did you mean {close[0]}?" if close else f"it takes {', '.join(sorted(taken))}",
            )
        if name in taken:
            found[name] = msgspec.to_builtins(taken[name](name, field.fields[1]))
    return found
