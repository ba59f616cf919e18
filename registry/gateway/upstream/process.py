"""An upstream as a process: messages by lines over its standard input and output, what it writes to standard error kept.

It has a process group of its own, which is killed when the upstream is closed or has ended: children that stayed in it go
with it.  It is read at a bounded rate, so that one that floods takes at most about half of the gateway's time, and what
it does not read is bounded too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable

from registry.gateway.upstream.protocol import UpstreamFailure, UpstreamSettings
from registry.gateway.upstream.transport import Allowance, Outgoing, TransportEvents
from registry.server.streams.framing import Fault, Framing

__all__ = ["INHERITED", "Process"]

INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""What an upstream gets of the gateway's environment; everything else is named in its `env`."""

_MESSAGES = 4_000
"""Messages read at once; 2,000 a second after that."""

_SAID = 4_096
"""Bytes of standard error that are kept."""

_ERRORS = 4 << 20
"""Bytes of standard error read at once, and in each second after that."""

_SLICE = 0.01
"""Seconds that handling what came may take before other work gets as much."""

_GRACE = 0.5
"""Seconds that a process may go on after its output has ended."""

logger = logging.getLogger(__name__)


class Process:
    """One process of a stdio upstream."""

    def __init__(self, settings: UpstreamSettings) -> None:
        self._settings = settings
        self._framing = Framing(settings.limits.message)
        self._messages = Allowance(_MESSAGES, _MESSAGES / 2)
        self._errors = Allowance(_ERRORS, _ERRORS)
        self._said = bytearray()
        self._events: TransportEvents | None = None
        self._process: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self._output_ended = False
        self._is_pumping = False

    @property
    def process_id(self) -> int | None:
        """The number of the process, which is that of its group."""
        return None if self._process is None else self._process.get_pid()

    @property
    def said(self) -> str:
        """The last that the process wrote to standard error, as it is."""
        return self._said.decode(errors="replace")

    async def open(self, events: TransportEvents) -> None:
        self._events = events
        name = self._settings.name
        if self._settings.cwd is not None and not os.path.isdir(self._settings.cwd):
            raise UpstreamFailure(
                "unavailable", f"{name} cannot be started: its `cwd` is no directory", hint=self._settings.cwd
            )
        inherited = {each: os.environ[each] for each in INHERITED if each in os.environ}
        assert self._settings.command is not None
        try:
            self._process, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Pipes(self),
                self._settings.command,
                *self._settings.args,
                env={**inherited, **self._settings.env},
                cwd=self._settings.cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = (
                error.strerror if isinstance(error, OSError) else "a zero byte in what it is started with"
            )
            raise UpstreamFailure(
                "unavailable",
                f"{name} cannot be started: {reason}",
                hint="is its `command` installed, and on the PATH that the gateway sees?",
            ) from None

    def send(self, message: Outgoing) -> None:
        assert self._process is not None
        pipe = self._process.get_pipe_transport(0)
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            raise UpstreamFailure("exited", f"{self._settings.name} has ended")
        if pipe.get_write_buffer_size() + len(message.text) > self._settings.limits.unsent:
            raise UpstreamFailure("overloaded", f"{self._settings.name} does not read what it is sent")
        pipe.write(message.text + b"\n")

    def abandon(self, request: int) -> bool:
        return False

    def agreed(self) -> None:
        pass

    async def close(self) -> None:
        """End the process and its group: its input ends, then SIGTERM, then SIGKILL."""
        if self._process is None:
            return
        stdin = self._process.get_pipe_transport(0)
        if stdin is not None:
            stdin.close()
        try:
            for number in (signal.SIGTERM, signal.SIGKILL):
                try:
                    async with asyncio.timeout(self._settings.timeouts.close):
                        await self._exited.wait()
                    break
                except TimeoutError:
                    self._signal(number)
        finally:
            self._signal(signal.SIGKILL)
            if isinstance(stdin, asyncio.WriteTransport) and stdin.get_write_buffer_size():
                stdin.abort()  # what was not read never will be
            self._process.close()

    def _signal(self, number: int) -> None:
        """A signal to the group. Once the process has ended its number may be another's."""
        process_id = self.process_id
        if process_id is not None and not self._exited.is_set():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process_id, number)

    # what the pipes bring

    def wrote(self, data: bytes) -> None:
        """Standard output."""
        self._framing.feed(data)
        if not self._is_pumping:
            self._pump()

    def complained(self, data: bytes) -> None:
        """Standard error."""
        self._said += data[-_SAID:]
        del self._said[:-_SAID]
        self._rest(2, self._errors.take(len(data)), lambda: None)

    def output_ended(self) -> None:
        if self._output_ended:
            return
        self._output_ended = True
        self._framing.end()
        if not self._is_pumping:
            self._pump()

    def exited(self) -> None:
        self._signal(signal.SIGKILL)  # children that are left hold its pipes
        self._exited.set()
        if self._output_ended:
            self._report_end()
        else:  # a child that left the group may hold it open for ever
            asyncio.get_running_loop().call_later(self._settings.timeouts.close, self.output_ended)

    def _pump(self) -> None:
        """Handle the messages that are there, for a slice of time; more of them later."""
        self._is_pumping = False
        assert self._events is not None
        begun = time.monotonic()
        pause = 0.0
        while not pause and (found := self._framing.next()) is not None:
            if isinstance(found, Fault):
                self._events.unsound(f"unreadable bytes ({found.reason})")
            else:
                self._events.received(found.text, None)
            took = time.monotonic() - begun
            pause = max(self._messages.take(), took if took > _SLICE else 0.0)
        if pause:
            self._is_pumping = True
            self._rest(1, pause, self._pump)
        elif self._output_ended:
            self._report_end()

    def _rest(self, descriptor: int, seconds: float, then: Callable[[], None]) -> None:
        """Read nothing more of a pipe for a while."""
        if not seconds:
            return
        assert self._process is not None
        pipe = self._process.get_pipe_transport(descriptor)
        reader = pipe if isinstance(pipe, asyncio.ReadTransport) and not pipe.is_closing() else None
        if reader is not None:
            reader.pause_reading()

        def resume() -> None:
            if reader is not None and not reader.is_closing():
                reader.resume_reading()
            then()

        asyncio.get_running_loop().call_later(seconds, resume)

    def _report_end(self) -> None:
        """No message comes any more, once the output has ended and what was in it is handled."""
        if not self._output_ended or self._is_pumping or self._events is None or self._process is None:
            return
        status = self._process.get_returncode()
        if status is None:  # most are about to end; one that goes on without an output is of no use
            grace = min(_GRACE, self._settings.timeouts.close)
            asyncio.get_running_loop().call_later(grace, self._signal, signal.SIGKILL)
            return
        how = _ending(status)
        logger.debug("%s %s", self._settings.name, how)
        self._events.failed(
            UpstreamFailure(
                "exited",
                f"{self._settings.name} {how}",
                hint="it is started anew by the next call",
            ),
            None,
        )


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


class _Pipes(asyncio.SubprocessProtocol):
    """The event loop's view of a process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._process.wrote(data)
        else:
            self._process.complained(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self._process.output_ended()

    def process_exited(self) -> None:
        self._process.exited()
