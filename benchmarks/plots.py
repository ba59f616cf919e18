"""Pictures of Kleis against matplotlib by hand: a line of many points, from numbers to the bytes of an SVG file.

The fixed costs are stated: what our settings, axes and ticks take beside matplotlib's own for a picture of two points, and
the child process in which a picture is drawn.  Beyond them stands the ratio for a large picture.  Without the extra
`numeric` there is nothing to measure.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence

from benchmarks.timing import alternating
from kleis.budget import STANDARD_BUDGET
from kleis.builtins.numeric.extra import is_installed
from kleis.documents.draw import draw_picture
from kleis.documents.matplotlib_picture import DrawRequest, draw
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.pictures.picture import Picture
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Program
from kleis.values import list_of

__all__ = ["LIMITS", "measure"]

_POINTS = 20_000
_BEYOND = f"a line of {_POINTS} points as SVG, beyond the fixed cost"

LIMITS = {_BEYOND: 1.3}


def measure() -> dict[str, float]:
    """The ratio of processor time, and the fixed costs in ms."""
    if not is_installed("matplotlib"):
        return {}
    small, large = _times(2), _times(_POINTS)
    fixed = small[0] - small[1]
    two = _picture(*_numbers(2))
    began = time.perf_counter()
    draw_picture(two, "svg")
    child = time.perf_counter() - began - small[0]
    return {
        "a picture, ms": 1e3 * fixed,
        "its child process, ms": 1e3 * child,
        _BEYOND: (large[0] - fixed) / large[1],
    }


def _numbers(points: int) -> tuple[list[float], list[float]]:
    """A line that no point can be left out of."""
    return [float(each) for each in range(points)], [float(each * 7919 % 1009) for each in range(points)]


def _picture(xs: Sequence[float], ys: Sequence[float]) -> Picture:
    environment = environment_of(Program(())).bind("xs", list_of(xs)).bind("ys", list_of(ys))
    asked = parse_expression('diagram(plot(xs, ys, mark = "none"))')
    return evaluate(asked, environment, STANDARD_BUDGET).pictures[-1]


def _times(points: int) -> tuple[float, float]:
    """Seconds of a picture drawn here and by hand, both in this process."""
    xs, ys = _numbers(points)
    picture = _picture(xs, ys)
    functions: dict[str, Callable[[], object]] = {
        "here": lambda: draw(DrawRequest((picture,), "svg")),
        "by hand": lambda: _by_hand(xs, ys, picture.size),
    }
    found = alternating(functions, clock=time.thread_time)
    return found["here"], found["by hand"]


def _by_hand(xs: Sequence[float], ys: Sequence[float], size: tuple[float, float]) -> bytes:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] / 2.54, size[1] / 2.54), layout="constrained")
    FigureCanvasSVG(figure)
    figure.add_subplot().plot(xs, ys)
    written = io.BytesIO()
    figure.savefig(written, format="svg")
    return written.getvalue()
