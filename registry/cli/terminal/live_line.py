"""One line on a terminal that says what is being done, and is gone before anything else is written there.

Invariants
    * Nothing is written where standard error is no terminal, nor where the line is not wanted.
    * What else goes to the terminal is written while the line is `hidden`, so that the two never mix.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from registry.cli.terminal.characters import visible
from registry.cli.terminal.plain_output import is_terminal

__all__ = ["LiveLine"]

_EVERY = 0.2
"""Seconds between two looks; an answer that comes sooner shows no line at all."""

_WIDTH = 78
_ERASE = "\r\x1b[K"


class LiveLine:
    """Shows what `text` gives, again and again, until the block ends; `about`, which may change, stands before it, and what
    `beside` gives, which may be set later, after it.

    An empty text shows nothing.
    """

    def __init__(self, text: Callable[[], str], *, wanted: bool = True) -> None:
        self.about = ""
        self.beside: Callable[[], str] = str
        self._text = text
        self._wanted = wanted and is_terminal(sys.stderr)
        self._ended = threading.Event()
        self._screen = threading.Lock()
        self._shown = False
        self._thread = threading.Thread(target=self._run, name="live-line", daemon=True)

    def __enter__(self) -> Self:
        if self._wanted:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._wanted:
            self._ended.set()
            self._thread.join()
            self._erase()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """The terminal without the line."""
        with self._screen:
            self._erase()
            yield

    def _run(self) -> None:
        while not self._ended.wait(_EVERY):
            with self._screen:
                self._write(visible(self._words())[:_WIDTH])

    def _words(self) -> str:
        return "  ".join(each for each in (self.about, self.beside(), self._text()) if each)

    def _write(self, text: str) -> None:
        if text or self._shown:
            sys.stderr.write(_ERASE + text)
            sys.stderr.flush()
            self._shown = bool(text)

    def _erase(self) -> None:
        if self._shown:
            self._write("")
