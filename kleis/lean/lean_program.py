"""A Lean on the PATH, run on one text as a child that is ended when it takes too much.

    found = find_lean()
    if found is not None:
        reading = read_text(found, "theorem one : 1 = 1 := rfl\n")

Invariants
    * The child has a session of its own; that session is killed when the reading ends, however it ends.
    * It sees the variables of `_KEPT` and no other, so that no key of this process can get into a message.
    * What it says counts only where it ended by itself: `Reading.ended` is ``itself``.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

__all__ = ["Ended", "Lean", "Limits", "Message", "Reading", "find_lean", "read_text"]

Ended: TypeAlias = Literal["itself", "time", "output", "signal", "not started"]

_LAKEFILES = ("lakefile.toml", "lakefile.lean")
_KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "ELAN_HOME",
    "ELAN_TOOLCHAIN",
    "LEAN_PATH",
    "LEAN_SYSROOT",
)
_MEGABYTE = 1 << 20
_PAUSE = 0.01
"""Seconds between two looks at a process that has closed its output."""

_CONFINED = """ulimit -c 0
ulimit -t "$1"
ulimit -v "$2" 2>/dev/null
shift 2
exec "$@"
"""
"""Sets the limits that the system counts, then becomes Lean.  Not every system can limit addresses."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a reading may take: seconds of the clock and of a processor, bytes of addresses, bytes of messages.

    Lean maps the files of Mathlib into its addresses, several gigabytes, of which it touches a part.
    """

    seconds: float = 600.0
    processor: int = 600
    addresses: int = 24 * 1024 * _MEGABYTE
    output: int = 4 * _MEGABYTE


class Lean(msgspec.Struct, frozen=True):
    """A command that reads a file, and what it calls its version."""

    command: tuple[str, ...]
    version: str


class Message(msgspec.Struct, frozen=True):
    """What Lean says of a line of the text; 0 where it names none."""

    severity: str
    line: int
    text: str


class Reading(msgspec.Struct, frozen=True):
    """What Lean said, how it ended, and its status; `reason` where it did not end by itself, or failed without an error."""

    ended: Ended
    status: int = 0
    messages: tuple[Message, ...] = ()
    reason: str = ""

    @property
    def errors(self) -> tuple[Message, ...]:
        """The errors.  A Lean that fails without naming one has its last words here."""
        found = tuple(each for each in self.messages if each.severity == "error")
        if self.ended == "itself" and self.status != 0 and not found:
            return (Message("error", 0, self.reason or "no message"),)
        return found

    @property
    def warnings(self) -> tuple[Message, ...]:
        """The warnings."""
        return tuple(each for each in self.messages if each.severity == "warning")


def find_lean(folder: Path | None = None) -> Lean | None:
    """``lake env lean`` where the folder (the present one) is a Lake project, else ``lean``; None without either."""
    place = Path.cwd() if folder is None else folder
    lake, lean = shutil.which("lake"), shutil.which("lean")
    if lake is not None and any((place / name).exists() for name in _LAKEFILES):
        command: tuple[str, ...] = (lake, "env", "lean")
    elif lean is not None:
        command = (lean,)
    else:
        return None
    said, _, _, _ = _run((*command, "--version"), Limits(seconds=60.0, processor=60, output=_MEGABYTE))
    first = said.strip().splitlines()[:1]
    return Lean(command, first[0][:200] if first else "of an unknown version")


def read_text(lean: Lean, text: str, limits: Limits | None = None) -> Reading:
    """What Lean says of a text."""
    with tempfile.TemporaryDirectory(prefix="kleis-lean-") as folder:
        path = Path(folder) / "Text.lean"
        path.write_text(text, encoding="utf-8", newline="\n")
        said, ended, status, reason = _run((*lean.command, "--json", str(path)), limits or Limits())
    messages = tuple(each for line in said.splitlines() if (each := _message(line)) is not None)
    plain = [line for line in said.splitlines() if line.strip() and _message(line) is None]
    return Reading(ended, status, messages, reason or (plain[-1].strip()[:500] if plain else ""))


def _run(command: tuple[str, ...], limits: Limits) -> tuple[str, Ended, int, str]:
    """What a command printed, how it ended, its status, and why it was stopped."""
    kept: Mapping[str, str] = {name: os.environ[name] for name in _KEPT if name in os.environ}
    confined = ("/bin/sh", "-c", _CONFINED, "sh", str(limits.processor), str(limits.addresses // 1024))
    try:
        process = subprocess.Popen(
            (*confined, *command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=kept,
            start_new_session=True,
        )
    except OSError as error:
        return "", "not started", 0, f"lean could not be run: {error.strerror}"
    with process:
        try:
            said, stopped = _listened(process, limits)
        finally:
            _kill(process)
    text = said.decode("utf-8", "replace")
    if stopped == "time":
        return text, "time", 0, f"lean did not end within {limits.seconds:g} s"
    if stopped == "output":
        return text, "output", 0, f"lean said more than {limits.output:,} bytes"
    status = process.returncode
    if status < 0 or status > 128:
        number = -status if status < 0 else status - 128
        return text, "signal", status, f"lean was ended by signal {number}"
    return text, "itself", status, ""


def _listened(process: subprocess.Popen[bytes], limits: Limits) -> tuple[bytes, Ended]:
    """What a process prints until it ends, or goes beyond a limit."""
    assert process.stdout is not None
    deadline = time.monotonic() + limits.seconds
    said = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(left):
                break
            received = os.read(process.stdout.fileno(), _MEGABYTE)
            if not received:
                return bytes(said), _waited(process, deadline)
            said += received
            if len(said) > limits.output:
                return bytes(said[: limits.output]), "output"
    return bytes(said), "time"


def _waited(process: subprocess.Popen[bytes], deadline: float) -> Ended:
    """How a process ends that has closed its output.  It is not reaped here, so that its number stays its own."""
    states = os.WEXITED | os.WNOWAIT | os.WNOHANG
    while os.waitid(os.P_PID, process.pid, states) is None:
        if time.monotonic() > deadline:
            return "time"
        time.sleep(_PAUSE)
    return "itself"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the session of a process that is not reaped yet, and reap it."""
    for end in (os.killpg, os.kill):
        try:
            end(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # the session is not there yet, or the process has ended
    process.wait()


def _message(line: str) -> Message | None:
    """A message of ``lean --json``; None for a line that is none."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("severity"), str):
        return None
    position = said.get("pos")
    number = position.get("line", 0) if isinstance(position, dict) else 0
    return Message(said["severity"], number if isinstance(number, int) else 0, str(said.get("data", "")))
