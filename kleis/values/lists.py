"""The one list representation: an immutable sequence with constant-time head, tail, `Cons` and indexing.

A list is a window on a shared buffer that is kept in reverse, so that the head is the buffer's end and `Cons` is
an append.  Two lists may share a buffer; the one whose window ends where the buffer ends can be extended in
place, any other is copied first.  No element inside a window ever changes, which is all that immutability needs.

``[a, b]`` and ``Cons(a, Cons(b, Nil))`` are therefore the same value (kleis-language.md §4.7 OURS).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kleis.values.kinds import Value

__all__ = ["EMPTY_LIST", "ListValue", "list_of"]


class ListValue:
    """A list.  Make one with `list_of`, `prepend` or `tail`."""

    __slots__ = ("_buffer", "_end")

    def __init__(self, reversed_items: list[Value], end: int) -> None:
        self._buffer = reversed_items
        self._end = end

    def __len__(self) -> int:
        return self._end

    def __iter__(self) -> Iterator[Value]:
        buffer = self._buffer
        for index in range(self._end - 1, -1, -1):
            yield buffer[index]

    def __getitem__(self, index: int) -> Value:
        """The element at `index`, from 0; the caller has checked the range."""
        if not 0 <= index < self._end:
            raise IndexError(index)
        return self._buffer[self._end - 1 - index]

    @property
    def head(self) -> Value:
        """The first element of a list that is not empty."""
        return self._buffer[self._end - 1]

    @property
    def tail(self) -> ListValue:
        """All but the first element of a list that is not empty."""
        return ListValue(self._buffer, self._end - 1)

    @property
    def must_copy(self) -> bool:
        """Whether `prepend` costs a copy, because another list has grown on this buffer."""
        return len(self._buffer) != self._end

    def prepend(self, item: Value) -> ListValue:
        """The list with `item` before all others."""
        buffer, end = self._buffer, self._end
        if len(buffer) == end and end:
            buffer.append(item)
            # Another thread may have appended between the two lines: then the place is not ours.
            if buffer[end] is item:
                return ListValue(buffer, end + 1)
        return ListValue([*buffer[:end], item], end + 1)

    def items(self) -> list[Value]:
        """The elements as a new Python list."""
        window = self._buffer[: self._end]
        window.reverse()
        return window

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[index]) for index in range(min(4, self._end)))
        return f"ListValue([{shown}{', …' if self._end > 4 else ''}])"


EMPTY_LIST = ListValue([], 0)
"""``[]``, which is `Nil`."""


def list_of(items: Iterable[Value]) -> ListValue:
    """The list of `items`."""
    buffer = list(items)
    buffer.reverse()
    return ListValue(buffer, len(buffer)) if buffer else EMPTY_LIST
