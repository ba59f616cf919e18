"""Initial value problems y' = f(t, y) by the method of Dormand and Prince, order 5 with an error estimate of order 4.

The step is controlled as in Hairer, Nørsett, Wanner, *Solving Ordinary Differential Equations I*, §II.4–6: the error of a step,
relative to ``1e-9 + 1e-6·|y|`` in the root mean square, is at most 1; the output is the method's interpolant of order 4.  The
coefficients are those of scipy's `RK45`.  The evaluator calls f, so every step of it is paid for by the budget.

Errors have code ``numeric`` and say the time: f has no value or is no list of numbers there, the step became too small (a
singularity), a number left the doubles.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

from kleis.builtins.numeric.arrays import described, finite_number, vector_of
from kleis.builtins.numeric.extra import computing, numeric_error, numpy, scipy, shape_error
from kleis.builtins.row import Context, Requests, Undecided, accepts
from kleis.errors import EvaluationError
from kleis.values import (
    ListValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    is_number,
    kind_name,
    list_of,
    number_text,
)

__all__ = ["integrate"]

_RELATIVE, _ABSOLUTE = 1e-6, 1e-9
_SAFETY, _LEAST_FACTOR, _GREATEST_FACTOR = 0.9, 0.2, 10.0
_ORDER = 5
_GREATEST_FIRST_STEP = 0.01
_ON_THE_GRID = 1e-9
"""How near, in steps of the grid, its last row may be to t1 to be there."""

_SYMBOLIC = (Symbol, Stuck, Suspended)

_Slopes = Generator["tuple[Value, tuple[Value, ...]]", Value, Any]
"""A computation that calls the right side."""


class _Problem(NamedTuple):
    """What is integrated: the right side, its dimension, and for messages the name."""

    name: str
    function: Value
    size: int


def integrate(
    context: Context, f: Value, start: ListValue, span: ListValue, spacing: Value = 0.1
) -> Requests:
    """Rows [t, [y₁, …, yₙ]] at t0, t0 + dt, … up to t1; a span backwards runs backwards."""
    name = "ode45"
    library = numpy(name)
    scipy(name, "integrate")
    y = library.array(_doubles(name, start, "the initial state"), dtype=float)
    if not len(y):
        raise shape_error(name, "the initial state", found="an empty list", expected="a list of numbers")
    ends = _doubles(name, span, "the span")
    if len(ends) != 2:
        raise shape_error(name, "the span", found=described(span), expected="[t0, t1]")
    times = _grid(context, name, ends[0], ends[1], finite_number(name, spacing, "the spacing dt"))
    context.admit(len(times) * (len(y) + 1), "a trajectory")
    rows: list[Value] = [_row(context, name, times[0], y)]
    if len(times) > 1:
        steps = _steps(context, _Problem(name, f, len(y)), times, y)
        # `yield from` hands the calls of f to the evaluator.
        rows += yield from steps
    return list_of(rows)


def _doubles(name: str, value: ListValue, what: str) -> list[float]:
    found: list[float] = []
    for entry in value:
        if isinstance(entry, _SYMBOLIC):
            raise Undecided
        if not is_number(entry):
            raise shape_error(name, what, found=f"a list with {kind_name(entry)}", expected="numbers")
        found.append(finite_number(name, entry, what))
    return found


def _grid(context: Context, name: str, t0: float, t1: float, spacing: float) -> list[float]:
    """The times of the rows."""
    if not spacing > 0:
        raise shape_error(
            name, "the spacing dt", found=number_text(spacing), expected="a number greater than 0"
        )
    count = abs(t1 - t0) / spacing
    if not count < context.budget.size:
        context.admit(context.budget.size + 1, "a trajectory")
    ends_on_grid = abs(count - round(count)) <= _ON_THE_GRID * max(1.0, count)
    last = round(count) if ends_on_grid else math.floor(count)
    direction = math.copysign(spacing, t1 - t0)
    times = [t0 + direction * place for place in range(last + 1)]
    if last and ends_on_grid:
        times[-1] = t1
    return times


def _row(context: Context, name: str, t: float, y: Any) -> ListValue:
    return list_of([t, vector_of(context, name, y)])


def _slope(problem: _Problem, t: float, y: Any) -> _Slopes:
    """f(t, y) as an array; no numbers where the state is beyond the doubles, so that the step is taken again, shorter."""
    library = numpy(problem.name)
    if not library.isfinite(y).all():
        return library.full(problem.size, library.nan)
    try:
        value = yield problem.function, (t, list_of(y.tolist()))
    except EvaluationError as error:
        raise numeric_error(f"{problem.name}: at t = {t:.10g}: {error.message}") from None
    if isinstance(value, _SYMBOLIC):
        raise Undecided
    if not isinstance(value, ListValue) or len(value) != problem.size:
        found = described(value) if accepts("List", value) else kind_name(value)
        expected = f"a list of {problem.size} numbers, as the state has"
        raise shape_error(problem.name, f"f at t = {t:.10g}", found=found, expected=expected)
    try:
        derivatives = [finite_number(problem.name, entry, "a derivative") for entry in value]
    except EvaluationError as error:
        raise numeric_error(f"{problem.name}: at t = {t:.10g}: {error.message}") from None
    return library.array(derivatives, dtype=float)


def _steps(context: Context, problem: _Problem, times: Sequence[float], y: Any) -> _Slopes:
    """The rows after the first."""
    library = numpy(problem.name)
    tableau = scipy(problem.name, "integrate").RK45
    t, end = times[0], times[-1]
    direction = 1.0 if end > t else -1.0
    rows: list[Value] = []
    slope = yield from _slope(problem, t, y)
    size = yield from _first_step(problem, (t, end), y, slope)
    size = min(size, abs(times[1] - times[0]), _GREATEST_FIRST_STEP)
    place = 1
    while place < len(times):
        smallest = 10 * abs(math.nextafter(t, direction * math.inf) - t)
        size = max(size, smallest)
        rejected = False
        while True:
            context.charge(8 + problem.size)
            if size < smallest:
                raise numeric_error(
                    f"{problem.name}: the step became too small at t = {t:.10g}",
                    "the solution may have a singularity there; end the span before it",
                )
            new_t = t + direction * size
            if direction * (new_t - end) > 0:
                new_t = end
            h = new_t - t
            new_y, slopes = yield from _stages(problem, tableau, t, y, slope, h)
            with computing(problem.name):
                scale = _ABSOLUTE + _RELATIVE * library.maximum(library.abs(y), library.abs(new_y))
                error = _root_mean_square(library, h * (slopes.T @ tableau.E) / scale)
            if error < 1:
                factor = _GREATEST_FACTOR if error == 0 else _SAFETY * error ** (-1 / _ORDER)
                factor = min(1.0 if rejected else _GREATEST_FACTOR, factor)
                break
            # Also where the error is no number: a stage overflowed.
            shrunk = _SAFETY * error ** (-1 / _ORDER) if math.isfinite(error) else 0.0
            size = abs(h) * max(_LEAST_FACTOR, shrunk)
            rejected = True
        interpolant = slopes.T @ tableau.P
        while place < len(times) and direction * (times[place] - new_t) <= 0:
            x = (times[place] - t) / h
            powers = library.cumprod(library.full(interpolant.shape[1], x))
            state = new_y if times[place] == new_t else y + h * (interpolant @ powers)
            rows.append(_row(context, problem.name, times[place], state))
            place += 1
        t, y, slope, size = new_t, new_y, slopes[-1], abs(h) * factor
    return rows


def _stages(
    problem: _Problem, tableau: Any, t: float, y: Any, slope: Any, h: float
) -> Generator[tuple[Value, tuple[Value, ...]], Value, tuple[Any, Any]]:
    """The state after one step, and the seven slopes as rows."""
    library = numpy(problem.name)
    slopes = library.empty((7, problem.size))
    slopes[0] = slope
    for stage in range(1, 6):
        state = _moved(library, y, h, slopes[:stage], tableau.A[stage, :stage])
        slopes[stage] = yield from _slope(problem, t + tableau.C[stage] * h, state)
    new_y = _moved(library, y, h, slopes[:6], tableau.B)
    slopes[6] = yield from _slope(problem, t + h, new_y)
    return new_y, slopes


def _moved(library: Any, y: Any, h: float, slopes: Any, weights: Any) -> Any:
    with library.errstate(all="ignore"):
        return y + h * (slopes.T @ weights)


def _first_step(
    problem: _Problem, span: tuple[float, float], y: Any, slope: Any
) -> Generator[tuple[Value, tuple[Value, ...]], Value, float]:
    """A first step for which an explicit Euler step seems right (Hairer and others, §II.4)."""
    library = numpy(problem.name)
    t, end = span
    length = abs(end - t)
    with computing(problem.name):
        scale = _ABSOLUTE + _RELATIVE * library.abs(y)
        size_of_y = _root_mean_square(library, y / scale)
        size_of_slope = _root_mean_square(library, slope / scale)
        guess = 1e-6 if size_of_y < 1e-5 or size_of_slope < 1e-5 else 0.01 * size_of_y / size_of_slope
        guess = min(guess, length)
        signed = math.copysign(guess, end - t)
        euler = y + signed * slope
    new_slope = yield from _slope(problem, t + signed, euler)
    with computing(problem.name):
        curvature = _root_mean_square(library, (new_slope - slope) / scale) / guess if guess else 0.0
        largest = max(size_of_slope, curvature)
        better = max(1e-6, guess * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** (1 / _ORDER)
    return float(min(100 * guess, better, length))


def _root_mean_square(library: Any, array: Any) -> float:
    return float(library.sqrt(library.mean(array * array)))
