"""What the questions and changes need of a connection; that of `sqlite3` fits as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

__all__ = ["Answered", "Reading", "Rows"]

T = TypeVar("T")


class Answered(Protocol):
    """The rows of one answer."""

    def fetchone(self) -> Any:
        """The next row, None after the last."""
        ...

    def fetchmany(self, size: int, /) -> list[Any]:
        """Some of the rows that are left."""
        ...

    def fetchall(self) -> list[Any]:
        """The rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Rows(Protocol):
    """A connection, inside a transaction or not."""

    def execute(self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = ..., /) -> Answered:
        """Run one statement; its parameters are `?` or `:name`."""
        ...

    def executemany(self, statement: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        """Run one statement for each of some parameters."""
        ...


class Reading(Protocol):
    """Asks a question of a connection; errors are those of the registry."""

    def __call__(self, question: Callable[[Rows], T], *, together: bool = False) -> T:
        """The answer. `together`: all that is asked sees the same moment.

        A connection that is lost is replaced and the question put again, so it must change nothing.
        """
        ...
