"""Python as a second way to write a term (docs/reference/pif.md §9).

    Python text ── parse_subset ──▶ syntax tree ── statements, expressions ──▶ open term ── overloads ──▶ Term ── print_python ──▶ Python

- `parse_subset`: Python text, vetted, to a syntax tree
- `places`: where in the text the parts of a term come from
- `assigned`: which names parts of a function assign, and which an expression finds outside itself
- `captures`: lambdas refused because Python's would see a name's later value
- `shared_lists`: `+=` that in Python changes a list which something else holds
- `signatures`: parameters and annotations
- `library`: Python's built-ins and operators as terms
- `comparisons`: equality where True equals 1 in Python
- `overloads`: which operation `+` is, by the types of its operands
- `translator`: names, places and what all parts of a translation share
- `iteration`: comprehensions, generators and what loops go over
- `methods`: methods of strings and dicts, f-strings, tools of the library by name
- `calls`: calls of functions, tools and built-ins
- `expressions`: expressions of the subset as terms
- `statements`: assignments, loops, returns; `translate` is what to call first
- `print_python`: terms as Python, where they hold no quoted code

A function of the subset is *translated* and never run as Python: it is metered, inspectable and typed like any other
term. Every error is a `PythonError` with line and column.

Read as in Python: integers (`//` and `%` too), strings, lists, tuples of two as pairs, dicts with string keys as
records, comprehensions, `for`, `if`, `break`, `continue`, calls to itself and to tools. Nothing is given another
meaning than Python's: what a value shared, changed later, gone through once or compared across kinds would show is
refused, with what to write instead. A dict has no order, an integer is no boolean, a list holds items of one type.
"""

from __future__ import annotations

from pif.python_syntax.parse_subset import PythonError
from pif.python_syntax.places import Place, Places
from pif.python_syntax.print_python import print_python
from pif.python_syntax.statements import Translated, translate

__all__ = ["Place", "Places", "PythonError", "Translated", "print_python", "translate"]
