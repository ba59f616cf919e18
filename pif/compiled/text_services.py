"""What the runtime does with strings for generated code; the base of `runtime.Runtime`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pif.language import primitives as table
from pif.language.budget import Budget
from pif.language.value_text import show_value
from pif.language.values import Value, is_list, items_of

__all__ = ["Stopped", "Texts"]


class Stopped(Exception):
    """Some rule was broken, or the fuel is used up: the reference says which, where and when."""


class _Running(Protocol):
    budget: Budget


class Texts(ABC):
    """Operations on strings: each tests what it is given and charges as the reference does."""

    session: _Running

    @abstractmethod
    def charge(self, amount: int, node: object = None) -> None:
        """Take fuel."""

    @abstractmethod
    def listed(self, items: Sequence[Value]) -> Value:
        """A list value."""

    def text(self, value: Value) -> str:
        if type(value) is not str:
            raise Stopped
        return value

    def walked(self, length: int) -> None:
        """The size test and the charge of a string that is made."""
        if length > self.session.budget.string_length:
            raise Stopped
        self.charge(table.charge_text_walk(length))

    def concat(self, left: Value, right: Value) -> str:
        if type(left) is not str or type(right) is not str:
            raise Stopped
        length = len(left) + len(right)
        if length > self.session.budget.string_length:
            raise Stopped
        if length > 15:
            self.charge(table.charge_text_walk(length))
        return left + right

    def concats(self, *texts: Value) -> str:
        """Texts put together from the left, each time as by `concat`."""
        length = 0
        whole = -(len(texts[0]) & ~15)  # the first is not made here
        for text in texts:
            length += len(text)
            whole += length & ~15
        if length > self.session.budget.string_length:
            raise Stopped
        if whole:
            self.charge(table.charge_text_walk(whole))
        return "".join(texts)

    def chars(self, text: Value) -> Value:
        return self.listed(self.letters(text))

    def letters(self, text: Value) -> Sequence[str]:
        """The characters of a text that only a loop walks."""
        self.charge(table.CHARS_ELEMENT * len(self.text(text)))
        return str(text)

    def join(self, separator: Value, items: Value) -> str:
        if not is_list(items):
            raise Stopped
        return self.glue(separator, [*items_of(items)])

    def glue(self, separator: Value, texts: Sequence[Value]) -> str:
        """`join` of a list that was gathered in a Python list."""
        self.text(separator)
        if not texts:
            return ""
        self.charge(len(texts))
        if {*map(type, texts)} != {str}:
            raise Stopped
        self.walked(sum(map(len, texts)) + len(separator) * (len(texts) - 1))
        return str(separator.join(texts))

    def glued(self, separator: Value, texts: Sequence[Value]) -> str:
        """The same for one that is read from its end."""
        return self.glue(separator, texts[::-1])

    def show(self, value: Value) -> str:
        kind = type(value)
        text = value
        if kind is int or kind is bool:
            text = str(value) if kind is int else "true" if value else "false"
            if len(text) > self.session.budget.string_length:
                raise Stopped
            if len(text) < 16:
                return str(text)
        elif kind is not str:
            limit = self.session.budget.string_length
            text = show_value(value, limit, self.charge)
            if text is None:
                raise Stopped
        self.charge(table.charge_text_walk(len(text)))
        return str(text)
