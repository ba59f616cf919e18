"""Python's recursion limit at a fixed height, whatever ran before in the process raised it to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["recursion_limit"]


@contextmanager
def recursion_limit(height: int) -> Iterator[None]:
    """Set the limit, and restore it afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(height)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
