"""Exceptions that should not have happened: logged here whole, shown to the client as a number only."""

from __future__ import annotations

import logging
from types import TracebackType

from registry.server.contract.group import Answer

__all__ = ["Contained", "Defects"]

logger = logging.getLogger(__name__)


class Contained:
    """A `with` block that no `Exception` leaves. Cancellation and interpreter exits pass through."""

    def __init__(self, defects: Defects, where: str) -> None:
        self._defects = defects
        self._where = where
        self.reference = ""

    def __enter__(self) -> Contained:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.reference = self._defects.record(self._where, error)
        return True

    def answer(self) -> Answer:
        """What the client gets instead of an answer."""
        hint = "The server goes on. If it happens again, report it with the server's log."
        return Answer.error("internal", f"internal error {self.reference}", hint=hint)


class Defects:
    """Numbers the defects of one server, so that a client can name one without having seen it."""

    def __init__(self) -> None:
        self._count = 0

    def contain(self, where: str) -> Contained:
        """A block whose exceptions are recorded as having happened in `where`."""
        return Contained(self, where)

    def record(self, where: str, error: Exception) -> str:
        """Log an exception with its traceback; returns its reference."""
        self._count += 1
        reference = f"E{self._count:04d}"
        logger.error("internal error %s in %s", reference, where, exc_info=error)
        return reference
