"""Characters that regular expressions do not tell apart.

The points where literals and ranges begin and end cut the alphabet into classes; one character of each stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from kleis.builtins.regular.regex import Node

__all__ = ["bounds_of", "characters_between"]


def bounds_of(node: Node) -> list[int]:
    """The code points at which a new class of characters begins."""
    found: set[int] = set()
    for low, high in _ranges_of(node):
        found.add(ord(low))
        found.add(ord(high) + 1)
    return sorted(each for each in found if 0 < each <= 0x10FFFF)


def _ranges_of(node: Node) -> Iterator[tuple[str, str]]:
    pending = [node]
    while pending:
        item = pending.pop()
        if item[0] == "range":
            yield item[1], item[2]
        elif item[0] == "text":
            yield from ((character, character) for character in set(item[1]))
        pending.extend(part for part in item[1:] if isinstance(part, tuple))


def characters_between(bounds: Iterable[int]) -> list[str]:
    """One character of each class that bounds cut the alphabet into: a usual one where the class has one."""
    cuts = sorted({0, 0x110000, *bounds})
    return [_readable(low, high) for low, high in pairwise(cuts)]


def _readable(low: int, high: int) -> str:
    """A character from `low` to below `high`, a usual one if there is one."""
    usual = (point for point in map(ord, _USUAL) if low <= point < high)
    surrogate = 0xD800 <= low < 0xE000
    return chr(next(usual, 0xE000 if surrogate and high > 0xE000 else low))


_USUAL = "ab01 .-/_"
