"""Pictures as data: their structure, their errors, their names.  Nothing here draws, and no library is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kleis.budget import STANDARD_BUDGET
from kleis.errors import EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.evaluator.outcomes import Evaluation
from kleis.pictures.picture import Picture
from kleis.pictures.styles import Stroke, colour, length, stroke
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Program


def evaluated(text: str) -> Evaluation:
    return evaluate(parse_expression(text), environment_of(Program(())), STANDARD_BUDGET)


def picture(text: str) -> Picture:
    (found,) = evaluated(text).pictures
    return found


def rejected(text: str) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        evaluated(text)
    return caught.value


def test_series_axes_and_labels() -> None:
    found = picture(
        'diagram(plot([0, 1], [2, 1/2], label = "$x$", color = "red", mark = "o"), [bar([1], [2], offset = 0.5)], '
        'yaxis(scatter([1], [3]), axis_label = "right"), title = "T", xlim = [0, 2], grid = true)'
    )
    line, bars = found.series
    assert (line.kind, line.data) == ("plot", ((0.0, 1.0), (2.0, 0.5)))
    assert line.options == {"label": "$x$", "color": "#ff4136ff", "mark": "o"}
    assert (bars.kind, bars.options) == ("bar", {"offset": 0.5})
    (axis,) = found.axes
    assert (axis.direction, axis.options, axis.series[0].kind) == ("y", {"axis_label": "right"}, "scatter")
    assert found.options == {"title": "T", "xlim": [0.0, 2.0], "grid": True}
    assert found.size == (12.0, 8.0)


@pytest.mark.parametrize(
    ("element", "kind", "data"),
    [
        ("fill_between([0, 1], [1, 2], y2 = [0, 1])", "fill_between", ((0, 1), (1, 2), (0, 1))),
        ("heatmap(matrix([[1, 2], [3, 4]]))", "heatmap", ((1, 2), (3, 4))),
        ("contour([[1, 2], [3, 4]])", "contour", ((1, 2), (3, 4))),
        ("boxplot([1, 2], [3])", "boxplot", ((1, 2), (3,))),
        ("quiver([0, 1], [0], [[1, 0, 0]])", "quiver", ((0, 1), (0,), (1, 0, 0))),
        ("path([(0, 1), (2, 3)])", "path", ((0, 2), (1, 3))),
        ('place(1, 2, "here")', "place", ((1, 2),)),
        ("hstem([1], [2])", "hstem", ((1,), (2,))),
    ],
)
def test_elements(element: str, kind: str, data: tuple[tuple[float, ...], ...]) -> None:
    (series,) = picture(f"diagram({element})").series
    assert (series.kind, series.data) == (kind, data)


def test_stacked_areas_are_sums() -> None:
    lower, upper = picture("diagram(stacked_area([0, 1], [1, 2], [3, 4]))").series
    assert lower.data == ((0, 1), (1, 2), (0, 0))
    assert upper.data == ((0, 1), (4, 6), (1, 2))


def test_a_scale_is_arithmetic() -> None:
    found = picture(
        'diagram(plot([0], [0]), xaxis(functions = ["x => 1.8 * x + 32", "x => (x - 32) / 1.8"]))'
    )
    assert found.axes[0].options["functions"][0] == ["plus", ["times", 1.8, "x"], 32.0]
    assert picture("diagram(plot([0], [0]), xaxis(functions = [λ x . x^2, λ x . sqrt(x)]))").axes[0].options[
        "functions"
    ] == [["power", "x", 2.0], ["sqrt", "x"]]
    assert rejected('xaxis(functions = ["x => read(x)", "x => x"])').code == "plot"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plot([1, 2], [3])", "equal length"),
        ('plot([1], ["a"])', "not a string"),
        ("plot([10^400], [1])", "beyond the numbers"),
        ('plot([1], [2], color = "rde")', "is no colour"),
        ('plot([1], [2], colour = "red")', "no picture takes the option"),
        ('plot([1], [2], mark = "zz")', "is no mark"),
        ('diagram(plot([1], [2]), width = "wide")', "is a number"),
        ("diagram(plot([1], [2]), width = 1000)", "between"),
        ("diagram(plot([1], [2]), xlim = [1, 1])", "two different numbers"),
        ("diagram(3)", "takes elements of a picture"),
        ("diagram([])", "without anything to draw"),
        ("heatmap([[1, 2], [3]])", "rows of different lengths"),
        ("yaxis([plot([1], [2])])", "takes elements to draw"),
        ("quiver([0], [0], [[1, 0, 0, 0]])", "pairs of numbers"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(text: str, message: str) -> None:
    assert message in rejected(text).message


def test_equal_pictures_have_equal_names_and_are_kept_once() -> None:
    first = picture('diagram(plot([1], [2]), title = "a")')
    assert first.name == picture('diagram([plot([1], [2])], title = "a")').name
    assert first.name != picture('diagram(plot([1], [2]), title = "b")').name
    assert (
        len(evaluated("[diagram(plot([1], [2])), diagram(plot([1], [2])), diagram(plot([1], [3]))]").pictures)
        == 2
    )


def test_an_export_names_the_picture() -> None:
    found = evaluated("export_typst_fragment(plot([1], [2]), width = 9)")
    (drawn,) = found.pictures
    assert found.value == f'image("{drawn.name}.svg", width: 9cm)'
    assert str(evaluated("export_typst(plot([1], [2]))").value).startswith("#set page(")


def test_symbols_are_left_symbolic() -> None:
    assert evaluated("diagram(plot([x], [2]))").pictures == ()


def test_colours_lengths_and_strokes() -> None:
    assert colour("red.lighten(50%)") == "#ffa09aff"
    assert colour("black.transparentize(50%)") == "#00000080"
    assert colour('rgb("#0af")') == colour("rgb(0, 170, 255)") == "#00aaffff"
    assert length("1in") == 72
    assert stroke("1.5pt + blue") == Stroke(colour="#0074d9ff", width=1.5)
    assert stroke('(paint: red, thickness: 2pt, dash: "dashed")').dash == "dashed"
    assert stroke("none").none


@pytest.mark.parametrize(
    "text", ["red;import os", "rgb(1,2)", "red.lighten(4)", "a" * 10_000, 'red.read("x")', ""]
)
def test_hostile_colours_are_errors(text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        colour(text)
    assert caught.value.code == "plot"
    assert len(caught.value.message) < 1_000


def test_plot_data_load_no_library() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'matplotlib', 'typst']));"
        "from kleis.builtins import find_builtin; import kleis.documents.draw, kleis.documents.compile;"
        "assert find_builtin('plot'); print('ok')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "ok\n", done.stderr
