"""A picture from its value: ``Diagram([element, …], record(…))`` with elements ``PlotElement(kind, [data, …], record(…))``.

Shapes are checked here: lists of equal length, rows of equal length, numbers that can be drawn.  See
docs/reference/documents.md §1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleis.pictures.options import DIAGRAM, ELEMENTS, number, numbers, read_options, text
from kleis.pictures.picture import Picture, SecondAxis, Series
from kleis.pictures.styles import picture_error
from kleis.values import Data, ListValue, Value, kind_name, list_of

__all__ = ["ELEMENT", "MOST_POINTS", "PICTURE", "element", "is_element", "read_picture"]

ELEMENT = "PlotElement"
PICTURE = "Diagram"

MOST_POINTS = 1_000_000
"""Numbers of one picture."""

_Rows = tuple[tuple[float, ...], ...]


def element(kind: str, data: Sequence[Value], options: Data | None) -> Data:
    """The value of an element; its data and options are checked."""
    value = Data(ELEMENT, (kind, list_of(data), options or Data("record")))
    if kind in ("xaxis", "yaxis"):
        _second_axis(value)
    else:
        _series(value)
    return value


def is_element(value: Value) -> bool:
    """Whether the value is an element of a picture."""
    return isinstance(value, Data) and value.constructor == ELEMENT and len(value.fields) == 3


def read_picture(value: Data) -> Picture:
    """The picture of a value `Diagram`; `EvaluationError` of code ``plot`` says what cannot be drawn."""
    elements, options = value.fields
    assert isinstance(elements, ListValue)
    assert isinstance(options, Data)
    series: list[Series] = []
    axes: list[SecondAxis] = []
    for each in elements:
        assert isinstance(each, Data)
        if each.fields[0] in ("xaxis", "yaxis"):
            axes.append(_second_axis(each))
        else:
            series.append(_series(each))
    if not series and not any(axis.series for axis in axes):
        raise picture_error(
            "a picture without anything to draw", expected=("plot(xs, ys)", "bar(xs, heights)")
        )
    picture = Picture(tuple(series), tuple(axes), read_options(DIAGRAM, options))
    if sum(len(row) for each in picture.every_series for row in each.data) > MOST_POINTS:
        raise picture_error(f"a picture of more than {MOST_POINTS} numbers")
    return picture


def _parts(value: Data) -> tuple[str, list[Value], Data]:
    kind, data, options = value.fields
    if not (isinstance(kind, str) and isinstance(data, ListValue) and isinstance(options, Data)):
        raise picture_error("an element that no function of pictures has made", found=kind_name(value))
    return kind, data.items(), options


def _second_axis(value: Data) -> SecondAxis:
    kind, children, options = _parts(value)
    for child in children:
        if not (isinstance(child, Data) and is_element(child)) or child.fields[0] in ("xaxis", "yaxis"):
            raise picture_error(
                f"{kind} takes elements to draw, not {kind_name(child)}",
                found=kind_name(child),
                expected=("plot(…)",),
            )
    series = tuple(_series(child) for child in children if isinstance(child, Data))
    return SecondAxis(kind[0], series, read_options(ELEMENTS[kind], options))


def _series(value: Data) -> Series:
    kind, data, options = _parts(value)
    if kind == "place":
        if len(data) != 3:
            raise picture_error("place takes x, y and a text")
        where = tuple(number("place", each) for each in data[:2])
        return Series(kind, (where,), text("place", data[2]), read_options(ELEMENTS[kind], options))
    if kind not in _SHAPES:
        raise picture_error("an element that no function of pictures has made", found=str(kind))
    rows = tuple(tuple(numbers(kind, each)) for each in data)
    _SHAPES[kind](kind, rows)
    read = read_options(ELEMENTS[kind], options)
    for name in ("xerr", "yerr", "colors"):
        if isinstance(read.get(name), list) and len(read[name]) != len(rows[0]):
            raise picture_error(f"{name} has {len(read[name])} numbers for {len(rows[0])} points")
    return Series(kind, rows, "", read)


def _equally_long(kind: str, rows: _Rows) -> None:
    if len({len(row) for row in rows}) > 1:
        lengths = ", ".join(str(len(row)) for row in rows)
        raise picture_error(
            f"{kind} takes lists of equal length, not of {lengths}",
            hint="give every point all its coordinates",
        )


def _matrix(kind: str, rows: _Rows) -> None:
    _equally_long(kind, rows)
    least = 2 if kind == "contour" else 1
    if len(rows) < least or len(rows[0]) < least:
        raise picture_error(f"{kind} takes a matrix of at least {least} × {least}")


def _boxes(kind: str, rows: _Rows) -> None:
    if not rows or not all(rows):
        raise picture_error(f"{kind} takes lists with at least one number each")


def _arrows(kind: str, rows: _Rows) -> None:
    """Columns, rows, then a row of pairs ``u₁, v₁, u₂, …`` for each row; an odd tail has v = 0."""
    columns, lines, *arrows = rows
    if len(arrows) != len(lines) or any((len(row) + 1) // 2 != len(columns) for row in arrows):
        raise picture_error(
            f"{kind} takes {len(lines)} rows of {len(columns)} pairs of numbers",
            expected=("quiver(xs, ys, [[u₁, v₁, u₂, v₂, …], …])",),
        )


_SHAPES: dict[str, Callable[[str, _Rows], None]] = {
    **dict.fromkeys(
        ("plot", "scatter", "bar", "hbar", "stem", "hstem", "fill_between", "path"), _equally_long
    ),
    **dict.fromkeys(("heatmap", "contour"), _matrix),
    **dict.fromkeys(("boxplot", "hboxplot"), _boxes),
    "quiver": _arrows,
}
