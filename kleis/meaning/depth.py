"""Room for recursion over deep sources.

A source nests at most 256 levels (kleis/syntax/tree/declarations.py), and a list literal at most `LONGEST_LIST` elements; reading one
level takes several Python frames.  Python counts frames against a limit of 1,000 that it does not need since its
frames live on the heap; it is raised while a meaning is made or printed, and put back.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LONGEST_LIST", "deep"]

LONGEST_LIST = 2_000
"""A list written out in a proposition has at most so many elements."""

_FRAMES = 100_000


@contextmanager
def deep() -> Iterator[None]:
    """Allow recursion as deep as a source can make it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
