"""Tuples of any length have a constructor."""

from __future__ import annotations

from kleis import core
from kleis.core.terms import TUPLES, tuple_constructor


def test_tuples_of_any_length_have_a_constructor() -> None:
    names = [tuple_constructor(core.TupleOf((core.REAL,) * count)).name for count in (2, 3, 4, 5, 6, 9)]
    assert names == [*TUPLES[2:], "Tuple6", "Tuple9"]
