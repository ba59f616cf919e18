"""The functions of a derived axis, computed on arrays from their terms (`kleis.pictures.scales`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["array_function"]


def array_function(term: Any) -> Callable[[Any], Any]:
    """The function of an array that a term stands for; where it has no value it gives NaN."""
    import numpy

    operations: dict[str, Callable[..., Any]] = {
        "plus": numpy.add,
        "minus": numpy.subtract,
        "times": numpy.multiply,
        "divide": numpy.divide,
        "power": numpy.power,
        "negate": numpy.negative,
        "exp": numpy.exp,
        "ln": numpy.log,
        "sqrt": numpy.sqrt,
    }

    def value(part: Any, argument: Any) -> Any:
        if part == "x":
            return argument
        if isinstance(part, list):
            return operations[part[0]](*(value(each, argument) for each in part[1:]))
        return float(part)

    def function(argument: Any) -> Any:
        numbers = numpy.asarray(argument, dtype=float)
        with numpy.errstate(all="ignore"):
            return value(term, numbers) + numpy.zeros_like(numbers)

    return function
