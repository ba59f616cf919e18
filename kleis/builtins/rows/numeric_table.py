"""The table of what is computed in doubles, apart from the table of built-ins.

Invariant: only the evaluator and name checks read this table.  Elaboration, prover, semantics and export read
`kleis.builtins.rows.table`, which has none of these names, so no double can enter a proposition, a proof or a certificate.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kleis.builtins.row import Builtin
from kleis.builtins.rows.linear_algebra import COMPLEX_MATRICES, REAL_MATRICES
from kleis.builtins.rows.numerical_analysis import NUMERICAL_ANALYSIS

__all__ = ["NUMERIC_ROWS", "find_numeric", "numeric_arities"]

NUMERIC_ROWS: tuple[Builtin, ...] = REAL_MATRICES + COMPLEX_MATRICES + NUMERICAL_ANALYSIS
"""All rows, by family."""


@cache
def _by_name() -> Mapping[str, Builtin]:
    return {name: builtin for builtin in NUMERIC_ROWS for name in (builtin.name, *builtin.aliases)}


def find_numeric(name: str) -> Builtin | None:
    """The row with this name or alias."""
    return _by_name().get(name)


def numeric_arities() -> dict[str, tuple[int, int | None]]:
    """The least and greatest number of arguments of every name."""
    arities = {name: (builtin.least, builtin.most) for name, builtin in _by_name().items()}
    # The forms of `kleis.evaluator.enclosing`, which read their arguments as they are written.
    return {**arities, "interval": (1, 1), "enclose": (3, 3)}
