"""Tier T10: elements of pictures and `diagram`, as data.

Nothing is drawn here and no library is needed: `diagram` gives the value ``Diagram([element, …], record(…))`` and leaves
the picture with the run (`Context.pictures`); whoever has run it may draw it. See docs/reference/documents.md §1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kleis.builtins.matrix_algebra import read_matrix
from kleis.builtins.row import Builtin, Context, Undecided, Untyped, row
from kleis.pictures.options import number
from kleis.pictures.read import PICTURE, element, is_element, read_picture
from kleis.pictures.styles import colour, picture_error
from kleis.values import Data, ListValue, Symbolic, Value, is_number, kind_name, list_of, number_text

__all__ = ["PLOTS", "has_elements", "picture_of"]

MOST_PICTURES = 200
"""Pictures of one run."""


def _is_record(value: Value) -> bool:
    return isinstance(value, Data) and value.constructor == "record"


def _split(parts: Sequence[Value]) -> tuple[list[Value], Data | None]:
    """The parts without the options, which are a record at the end or the beginning."""
    given = list(parts)
    for place in (-1, 0):
        if given and isinstance(given[place], Data) and _is_record(given[place]):
            options = given.pop(place)
            assert isinstance(options, Data)
            return given, options
    return given, None


def _made(context: Context, kind: str, data: Sequence[Value], options: Data | None) -> Data:
    """An element; symbolic where a number in it is not known."""
    for each in data:
        items = each.items() if isinstance(each, ListValue) else [each]
        context.charge(len(items) + 1)
        if any(isinstance(item, Symbolic) for item in items):
            raise Undecided
    for field in options.fields if options is not None else ():
        if isinstance(field, Data) and any(isinstance(each, Symbolic) for each in field.fields):
            raise Undecided
    return element(kind, data, options)


def _two_lists(kind: str) -> Callable[..., Data]:
    def run(context: Context, first: Value, second: Value, options: Data | None = None) -> Data:
        return _made(context, kind, (first, second), options)

    return run


def _fill_between(context: Context, xs: Value, y1: Value, *more: Value) -> Data:
    data, options = _split(more)
    named = [field for field in options.fields if isinstance(field, Data)] if options is not None else []
    data += [field.fields[1] for field in named if field.fields[0] == "y2"]
    return _made(context, "fill_between", (xs, y1, *data[:1]), options)


_CYCLE = ("blue", "orange", "green", "red", "purple", "teal")


def _stacked_area(context: Context, xs: ListValue, *parts: Value) -> ListValue:
    heights, _ = _split(parts)
    bottom = [0.0] * len(xs)
    layers: list[Value] = []
    for place, each in enumerate(heights):
        if not isinstance(each, ListValue) or len(each) != len(xs):
            continue
        if any(isinstance(item, Symbolic) for item in each):
            raise Undecided
        context.charge(len(each))
        top = [low + number("stacked_area", high) for low, high in zip(bottom, each, strict=True)]
        fill = Data("field", ("fill", _CYCLE[place % len(_CYCLE)]))
        layers.append(
            _made(context, "fill_between", (xs, list_of(top), list_of(bottom)), Data("record", (fill,)))
        )
        bottom = top
    if not layers:
        raise picture_error("stacked_area takes lists of heights as long as xs")
    return list_of(layers)


def _boxes(kind: str) -> Callable[..., Data]:
    def run(context: Context, *parts: Value) -> Data:
        samples, options = _split(parts)
        return _made(context, kind, samples, options)

    return run


def _of_matrix(kind: str) -> Callable[..., Data]:
    def run(context: Context, matrix: Value, options: Data | None = None) -> Data:
        rows = [list_of(each) for each in read_matrix(context, matrix).rows]
        return _made(context, kind, rows, options)

    return run


def _quiver(context: Context, xs: Value, ys: Value, arrows: Value, options: Data | None = None) -> Data:
    rows = [list_of(each) for each in read_matrix(context, arrows).rows]
    return _made(context, "quiver", (xs, ys, *rows), options)


def _place(context: Context, x: Value, y: Value, text: Value, options: Data | None = None) -> Data:
    return _made(context, "place", (x, y, text), options)


def _path(context: Context, points: ListValue, *more: Value) -> Data:
    data, options = _split(more)
    if data:
        return _made(context, "path", (points, *data[:1]), options)
    pairs = [each.fields for each in points if isinstance(each, Data) and len(each.fields) == 2]
    if len(pairs) != len(points):
        if any(isinstance(each, Symbolic) for each in points):
            raise Undecided
        raise picture_error("path takes a list of pairs (x, y), or two lists of numbers")
    lists = [list_of(pair[place] for pair in pairs) for place in (0, 1)]
    return _made(context, "path", lists, options)


def _axis(kind: str) -> Callable[..., Data]:
    def run(context: Context, *parts: Value) -> Data:
        children, options = _split(parts)
        return _made(context, kind, children, options)

    return run


def _lighten(context: Context, base: str, amount: Value) -> str:
    assert isinstance(amount, str) or is_number(amount), "no other value passes the check of sorts"
    by = amount if isinstance(amount, str) else f"{number_text(amount)}%"
    lighter = f"{base}.lighten({by})"
    colour(lighter)
    return lighter


# ── Pictures ─────────────────────────────────────────────────────────────────────────────────────────────────


def has_elements(parts: Sequence[Value]) -> bool:
    """Whether elements of pictures are among the parts of an export."""
    return any(
        is_element(part) or (isinstance(part, ListValue) and len(part) > 0 and is_element(part.head))
        for part in parts
    )


def picture_of(context: Context, name: str, parts: Sequence[Value]) -> tuple[Data, str]:
    """The value of a picture and its name; it is left with the run."""
    given, options = _split(parts)
    elements: list[Value] = []
    for part in given:
        if isinstance(part, Symbolic):
            raise Undecided
        if isinstance(part, ListValue):
            elements += [each for each in part if is_element(each)]
        elif is_element(part):
            elements.append(part)
        else:
            raise picture_error(
                f"{name} takes elements of a picture, not {kind_name(part)}",
                found=kind_name(part),
                expected=("plot(xs, ys)", "a list of them"),
            )
    value = Data(PICTURE, (list_of(elements), options or Data("record")))
    picture = read_picture(value)
    context.charge(sum(len(row) for each in picture.every_series for row in each.data))
    if picture.name not in context.pictures and len(context.pictures) >= MOST_PICTURES:
        raise picture_error(f"more than {MOST_PICTURES} pictures of one run")
    context.pictures[picture.name] = picture
    return value, picture.name


def _diagram(context: Context, *parts: Value) -> Data:
    return picture_of(context, "diagram", parts)[0]


_PICTURE = Untyped("it makes a part of a picture; state laws of the numbers in it")
_row = partial(row, tier="T11")


def _lists(name: str, second: str, doc: str, example: tuple[str, str]) -> Builtin:
    run: Callable[..., Any] = _two_lists(name)
    return _row(
        f"{name}(xs : List, {second} : List, options : Record?) : PlotElement", _PICTURE, run, doc, example
    )


PLOTS: tuple[Builtin, ...] = (
    _row("diagram(parts : Any*) : Diagram", _PICTURE, _diagram,
        "A picture of elements (lists of them are spliced in), with options such as title, xlabel, xlim; data until drawn.",
        ("diagram(plot([1], [2])) = diagram([plot([1], [2])])", "true")),
    _lists("plot", "ys", "A line through points.",
        ('plot([1, 2], [3, 4]) = plot([1, 2], [3, 4], color = "red")', "false")),
    _lists("scatter", "ys", "Points.", ("scatter([1], [2]) = plot([1], [2])", "false")),
    _lists("bar", "heights", "Bars; `offset` moves them, `width` is 0.8.", ("bar([1], [2]) = bar([1], [2])", "true")),
    _lists("hbar", "widths", "Horizontal bars at the heights xs.", ("hbar([1], [2]) = bar([1], [2])", "false")),
    _lists("stem", "ys", "A line from the base to each point.", ("stem([1], [2]) = stem([1], [3])", "false")),
    _lists("hstem", "ys", "A horizontal line to each point.", ("hstem([1], [2]) = stem([1], [2])", "false")),
    _row("fill_between(xs : List, y1 : List, more : Any?*) : PlotElement", _PICTURE, _fill_between,
        "The area between y1 and y2 (the third list or the option y2; 0 without).",
        ("fill_between([1, 2], [3, 4]) = fill_between([1, 2], [3, 4], [0, 0])", "false")),
    _row("stacked_area(xs : List, heights : Any*) : List", _PICTURE, _stacked_area,
        "Areas on top of each other, one for each list of heights.", ("length(stacked_area([1, 2], [1, 1], [2, 3]))", "2")),
    _row("boxplot(samples : Any*) : PlotElement", _PICTURE, _boxes("boxplot"), "A box with quartiles for each list.",
        ("boxplot([1, 2, 3]) = boxplot([1, 2, 3])", "true")),
    _row("hboxplot(samples : Any*) : PlotElement", _PICTURE, _boxes("hboxplot"), "Horizontal boxes.",
        ("hboxplot([1, 2]) = boxplot([1, 2])", "false")),
    _row("heatmap(m : Matrix, options : Record?) : PlotElement", _PICTURE, _of_matrix("heatmap"),
        "Entry (i, j) as a colour at x = j, y = i.", ("heatmap([[1, 2]]) = heatmap(matrix([[1, 2]]))", "true"),
        aliases="colormesh"),
    _row("contour(m : Matrix, options : Record?) : PlotElement", _PICTURE, _of_matrix("contour"),
        "Lines of equal height over the grid of `heatmap`.", ("contour([[1, 2], [3, 4]]) = contour([[1, 2], [3, 5]])", "false")),
    _row("quiver(xs : List, ys : List, arrows : Matrix, options : Record?) : PlotElement", _PICTURE, _quiver,
        "Arrows on a grid: a row [u₁, v₁, u₂, v₂, …] for each y.",
        ("quiver([0, 1], [0], [[1, 0, 0, 1]]) = quiver([0, 1], [0], [[1, 0, 0, 1]])", "true")),
    _row("place(x : ℝ, y : ℝ, text : Text, options : Record?) : PlotElement", _PICTURE, _place, "A text at a point.",
        ('place(0, 1, "a") = place(0, 1, "b")', "false")),
    _row("path(points : List, more : Any?*) : PlotElement", _PICTURE, _path,
        "A polygon or line through pairs (x, y), or through xs and ys.",
        ("path([(0, 0), (1, 2)]) = path([0, 1], [0, 2])", "true")),
    _row("yaxis(children : Any*) : PlotElement", _PICTURE, _axis("yaxis"), "Elements on a second scale of y.",
        ("yaxis(plot([1], [2])) = plot([1], [2])", "false"), aliases="secondary_yaxis"),
    _row("xaxis(children : Any*) : PlotElement", _PICTURE, _axis("xaxis"),
        "Elements on a second scale of x, or with `functions` a scale that is computed from the first.",
        ('xaxis(functions = ["x => 2 * x", "x => x / 2"]) = xaxis(axis_label = "a")', "false"),
        aliases="secondary_xaxis"),
    _row("lighten(colour : String, amount : Text) : String", _PICTURE, _lighten, "A colour with so much white.",
        ('lighten("red", "40%")', '"red.lighten(40%)"')),
)  # fmt: skip
