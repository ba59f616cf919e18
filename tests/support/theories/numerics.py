"""Numerical results as Python numbers, and what the tests of the extra `numeric` need."""

from __future__ import annotations

from typing import Any

import pytest

from kleis.builtins.numeric.extra import is_installed
from kleis.values import Complex, Data, ListValue, Value
from tests.support.theories.running import evaluation

needs_numeric = pytest.mark.skipif(
    not all(map(is_installed, ("numpy", "scipy", "flint"))),
    reason="the extra numeric is not installed; make check-extras runs this",
)


def plain(value: Value) -> Any:
    """A value as nested lists of Python numbers."""
    if isinstance(value, ListValue):
        return [plain(each) for each in value]
    if isinstance(value, Complex):
        return complex(float(value.real), float(value.imaginary))
    if isinstance(value, Data) and value.constructor == "Matrix":
        rows, columns, entries = value.fields
        flat = plain(entries)
        assert isinstance(rows, int)
        assert isinstance(columns, int)
        return [flat[row * columns : (row + 1) * columns] for row in range(rows)]
    return value


def computed(expression: str) -> Any:
    """The value of an expression as nested lists of Python numbers."""
    return plain(evaluation(expression).value)


def text(rows: Any) -> str:
    """Nested lists of numbers as Kleis text."""
    if isinstance(rows, list):
        return f"[{', '.join(map(text, rows))}]"
    return f"({rows})" if rows < 0 else str(rows)
