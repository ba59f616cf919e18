"""Runs that compile before their first step, so that tests need no long runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pif.compiled.units import Cache
from pif.run import evaluate, stepping

__all__ = ["compiling_at_once"]


@contextmanager
def compiling_at_once() -> Iterator[Cache]:
    """No trial on the reference, and a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        cache = Cache()
        patch.setattr(stepping, "_TRIAL_A_NODE", 0)
        patch.setattr(stepping, "_LEAST_TRIAL", 0)
        patch.setattr(stepping, "_TRIAL", 0)
        patch.setattr(stepping, "_MULTIPLYING", 0)
        patch.setattr(stepping, "_LOADING", 0)
        patch.setattr(stepping, "_DRIVEN_STEPS", 0)
        patch.setattr(evaluate, "_cache", cache)
        yield cache
