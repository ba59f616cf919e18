"""A program with a terminal of its own: keys are typed, and what it shows is read.

It answers the terminal's question for the place of the cursor, as terminals do.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["PseudoTerminal"]

_PATIENCE = 60.0
"""Seconds after which a text that does not come is a failure; nothing waits so long where all is well."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_=>78])")
_ASKS_FOR_CURSOR = b"\x1b[6n"


class PseudoTerminal:
    """A process whose three streams are one terminal."""

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], *, columns: int = 80, lines: int = 24
    ) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            [*words], stdin=slave, stdout=slave, stderr=slave, close_fds=True, start_new_session=True,
            env={**os.environ, **environment}, preexec_fn=_controlling,
        )  # fmt: skip
        os.close(slave)
        self.raw = b""
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    @property
    def shown(self) -> str:
        """All that was written, without the sequences that move the cursor or colour."""
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace")).replace("\r", "")

    def type(self, keys: str) -> None:
        """Type keys; ``\\r`` is Enter."""
        os.write(self._master, keys.encode())

    def paste(self, text: str) -> None:
        """Paste a text as terminals do that say so."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def wait_for(self, text: str) -> str:
        """Read until the program has shown a text after what was waited for before; all that it showed in between."""
        return self.wait_for_one_of(text)

    def wait_for_one_of(self, *texts: str) -> str:
        """As `wait_for`, until it has shown one of several; what came ends with it."""
        until = time.monotonic() + _PATIENCE
        while not (places := [at for each in texts if (at := self._end_of(each)) >= 0]):
            left = until - time.monotonic()
            if left <= 0 or not self._more(left):
                raise AssertionError(
                    f"{' or '.join(texts)!r} was not shown after:\n{self.shown[self._read :]}"
                )
        end = min(places)
        between, self._read = self.shown[self._read : end], end
        return between

    def _end_of(self, text: str) -> int:
        """Where a text that was not read yet ends; -1 where it is not shown."""
        at = self.shown.find(text, self._read)
        return at if at < 0 else at + len(text)

    def wait_for_keys(self) -> None:
        """Wait until the program reads keys: it is at its prompt."""
        until = time.monotonic() + _PATIENCE
        while termios.tcgetattr(self._master)[3] & termios.ICANON:
            if time.monotonic() > until:
                raise AssertionError(f"it reads no keys after:\n{self.shown[self._read :]}")
            self._more(0.02)

    def wait_for_lines(self) -> None:
        """Wait until the program reads no keys: it has taken a statement, and the terminal is one of lines again."""
        until = time.monotonic() + _PATIENCE
        while not termios.tcgetattr(self._master)[3] & termios.ICANON:
            if time.monotonic() > until:
                raise AssertionError(f"it still reads keys after:\n{self.shown[self._read :]}")
            self._more(0.02)

    def wait_for_grandchild(self) -> None:
        """Wait until a child of the program has a child: the worker of the provers runs one."""
        until = time.monotonic() + _PATIENCE
        while not any(map(_children, _children(self.process.pid))):
            if time.monotonic() > until:
                raise AssertionError(f"no prover runs after:\n{self.shown[self._read :]}")
            self._more(0.02)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.type("\x03")

    def close(self) -> None:
        """Close the window: the program loses its terminal."""
        os.killpg(self.process.pid, signal.SIGHUP)

    def end(self) -> int:
        """Wait until the program has ended; its exit status."""
        until = time.monotonic() + _PATIENCE
        while self._more(0.2) or self.process.poll() is None:
            if time.monotonic() > until:
                raise AssertionError(f"it did not end after:\n{self.shown}")
        return self.process.wait()

    def _more(self, patience: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], patience)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # the last process with this terminal has ended
            return False
        self.raw += data
        for _ in range(data.count(_ASKS_FOR_CURSOR)):
            self.type("\x1b[1;1R")
        return bool(data)


def _children(process: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def _controlling() -> None:
    signal.signal(
        signal.SIGHUP, signal.SIG_DFL
    )  # a test run that outlives its own terminal ignores it, and so would the child
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
