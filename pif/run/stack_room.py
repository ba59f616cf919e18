"""Room for Python's frames, so that a call costs the same however deep it is.

CPython keeps the frames of Python functions in chunks of 16 KiB. A call that needs a new chunk maps it, and its return
unmaps it: a loop that stands just at the end of a chunk pays that at every turn, some 40 times the price of the call,
for the same fuel. The way out is a frame that claims so much that a chunk is made large enough for every frame above it.
Nothing of it is touched before it is used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

__all__ = ["with_room"]

T = TypeVar("T")

_WORDS = 2**19
"""Words that the frame claims. Chunks are powers of two, so that about as much is left: 4 MiB, or 10,000 levels of an
evaluation at 400 bytes each."""


def _call(function: Callable[[], Any]) -> Any:
    return function()


_roomy = FunctionType(_call.__code__.replace(co_stacksize=_WORDS), {}, "roomy")


class _Thread(threading.local):
    has_room = False


_thread = _Thread()


def with_room(function: Callable[[], T]) -> T:
    """What `function` gives, called with room for its frames; at once where this thread has room already.

    Making room takes some 20 µs: a thread that runs much does well to be started in it.
    """
    if _thread.has_room:
        return function()
    _thread.has_room = True
    try:
        result: T = _roomy(function)
        return result
    finally:
        _thread.has_room = False
