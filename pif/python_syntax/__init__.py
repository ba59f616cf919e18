"""Python as a second way to write a term (pif-language.md §9).

    Python text ── vetting ──▶ syntax tree ── translation, statements ──▶ open term ── overloads ──▶ Term ── printing ──▶ Python

A function in a small subset is *translated* and never run as Python: it is metered, inspectable and typed like any
other term. `translate` is what to call first; every refusal is a `PythonError` with line and column. `print_python`
goes the other way, for terms without quoted code.

Read as in Python: integers (`//` and `%` too), strings, lists, tuples of two as pairs, dicts with string keys as
records, comprehensions, `for`, `if`, `break`, `continue`, calls to itself and to tools. Read otherwise, and refused where
it would show: a dict has no order, an integer is no boolean, a list holds items of one type.
"""

from __future__ import annotations

from pif.python_syntax.parse_subset import PythonError
from pif.python_syntax.print_python import print_python
from pif.python_syntax.statements import Translated, translate

__all__ = ["PythonError", "Translated", "print_python", "translate"]
