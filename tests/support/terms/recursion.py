"""Python's recursion limit at a fixed height, whatever ran before in the process raised it to; and that of its C code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["deep_in_c", "recursion_limit"]


@contextmanager
def recursion_limit(height: int) -> Iterator[None]:
    """Set the limit, and restore it afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(height)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _goes_deep_in_c() -> bool:
    first: list[object] = []
    second: list[object] = []
    for _ in range(4_000):
        first, second = [first], [second]
    with recursion_limit(20_000):
        try:
            return first == second
        except RecursionError:
            return False


deep_in_c = pytest.mark.skipif(
    not _goes_deep_in_c(),
    reason="this Python, an early 3.12, compares and prints 500 levels at most, whatever the recursion limit is",
)
"""For tests of what nests as deep as the parser takes it."""
