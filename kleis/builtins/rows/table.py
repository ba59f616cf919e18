"""THE table of built-ins: every row by each of its names.

Evaluator, prover, name checks and help all read this one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kleis.builtins.row import Builtin
from kleis.builtins.rows.arithmetic import COMPLEX_NUMBERS, CORE
from kleis.builtins.rows.bit_vectors import BIT_VECTORS
from kleis.builtins.rows.documents import DOCUMENTS
from kleis.builtins.rows.elementary_functions import MATHEMATICS
from kleis.builtins.rows.higher_order import FUNCTIONS
from kleis.builtins.rows.lists import LISTS
from kleis.builtins.rows.matrices import MATRICES
from kleis.builtins.rows.numeric_table import numeric_arities
from kleis.builtins.rows.plots import PLOTS
from kleis.builtins.rows.sets import SETS
from kleis.builtins.rows.strings import REGULAR_EXPRESSIONS, TEXT

__all__ = ["BUILTINS", "CONSTANT_NAMES", "builtin_arities", "builtin_beside", "find_builtin"]

BUILTINS: tuple[Builtin, ...] = (
    CORE
    + DOCUMENTS
    + LISTS
    + FUNCTIONS
    + TEXT
    + MATHEMATICS
    + COMPLEX_NUMBERS
    + SETS
    + BIT_VECTORS
    + REGULAR_EXPRESSIONS
    + MATRICES
    + PLOTS
)
"""All rows, by tier and family."""

CONSTANT_NAMES = frozenset(
    {"Nil", "nil", "empty_set", "set_empty", "empty_string", "bv_zero", "bv_ones", "bv_one"}
    | {"re_full", "re_all", "re_empty", "re_none", "re_allchar", "re_any"}
)
"""The built-ins without arguments that a bare name calls.  `pi`, `e` and `tau` need parentheses."""


@cache
def _by_name() -> Mapping[str, Builtin]:
    rows: dict[str, Builtin] = {}
    for builtin in BUILTINS:
        for name in (builtin.name, *builtin.aliases):
            if name in rows:
                raise ValueError(f"two builtins are called {name}")
            rows[name] = builtin
    return rows


def find_builtin(name: str) -> Builtin | None:
    """The row with this name or alias."""
    return _by_name().get(name)


def builtin_beside(name: str, own: int, given: int) -> Builtin | None:
    """The built-in that a call with `given` arguments means although a definition of `own` parameters has its name.

    A definition hides a built-in for its own number of arguments only.  A constant hides it altogether: its value may
    be a function of any number.
    """
    row = find_builtin(name)
    return row if row is not None and own and own != given and row.takes(given) else None


def builtin_arities() -> dict[str, tuple[int, int | None]]:
    """The least and greatest number of arguments of every name, those of the extra `numeric` included."""
    return dict(_arities())


@cache
def _arities() -> dict[str, tuple[int, int | None]]:
    arities = {name: (builtin.least, builtin.most) for name, builtin in _by_name().items()}
    return {**numeric_arities(), **arities}
