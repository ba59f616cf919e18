"""Python as a second way to write a term (docs/reference/pif.md §9).

    Python text ── parse_subset ──▶ syntax tree ── statements, expressions ──▶ open term ── overloads ──▶ Term ── print_python ──▶ Python

- `parse_subset`: Python text, vetted, to a syntax tree
- `library`: Python's built-ins and operators as terms
- `overloads`: which operation `+` is, by the types of its operands
- `expressions`: expressions of the subset as terms
- `statements`: assignments, loops, returns; `translate` is what to call first
- `print_python`: terms as Python, where they hold no quoted code

A function of the subset is *translated* and never run as Python: it is metered, inspectable and typed like any other
term. Every error is a `PythonError` with line and column.

Read as in Python: integers (`//` and `%` too), strings, lists, tuples of two as pairs, dicts with string keys as
records, comprehensions, `for`, `if`, `break`, `continue`, calls to itself and to tools. Read otherwise, and rejected
where it would show: a dict has no order, an integer is no boolean, a list holds items of one type.
"""

from __future__ import annotations

from pif.python_syntax.parse_subset import PythonError
from pif.python_syntax.print_python import print_python
from pif.python_syntax.statements import Translated, translate

__all__ = ["PythonError", "Translated", "print_python", "translate"]
