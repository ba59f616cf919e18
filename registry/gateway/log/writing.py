"""A log that is written: one file for each gateway, append-only.

Invariants
    * `before` returns when its line has been handed to the system whole, which survives the end of this process; with
      `fsync`, when it is on disk. Else it raises `Unlogged`.
    * A line that could be written in part is taken back, and a later one may succeed (once the disk has room). Where it
      cannot be taken back, or `fsync` fails, after which nobody knows what is on disk, the log is over.
    * A checkpoint that is due comes before the next line, so that no line says of a call that it was forwarded, and the
      call is refused because what came after the line could not be written.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleis.durable_files import synchronise
from registry.gateway.log.chain import digest, line_of, signed_text
from registry.gateway.log.key import public_text, signed
from registry.gateway.log.records import Asked, Outcome, Refused, Unlogged
from registry.gateway.log.refusals import Refusals

__all__ = ["CHECKPOINT_LINES", "CHECKPOINT_SECONDS", "ChainedLog"]

CHECKPOINT_LINES = 64
"""Lines after which a checkpoint is signed."""

CHECKPOINT_SECONDS = 5.0
"""Seconds after which one is signed with the next line."""

LONGEST = 300
"""Characters of each text in a line about what was refused."""

logger = logging.getLogger(__name__)


class ChainedLog:
    """A new file in a folder."""

    def __init__(
        self,
        folder: Path,
        key: Ed25519PrivateKey,
        about: Mapping[str, Any],
        *,
        fsync: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`about`: what the first line says of the gateway. Raises OSError, and `Unlogged`."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.id = secrets.token_hex(16)
        begun = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now()))
        self.path = folder / f"{begun}-{self.id[:8]}.jsonl"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(self.path, flags, 0o600)
        if fsync:
            synchronise(folder)  # the name of the file is on disk too
        self._key = key
        self._fsync = fsync
        self._now = now
        self._number = 0
        self._before = ""
        self._size = 0
        self._signed = 0
        self._signed_at = now()
        self._failure = ""
        self._refusals = Refusals(now)
        self._write("begin", {"log": self.id, "key": public_text(key), **about})

    def before(self, asked: Asked) -> object:
        self._write_what_is_due()
        fields = {
            "time": self._now(),
            "principal": asked.principal,
            "kind": asked.kind,
            "server": asked.server,
            "name": asked.name,
            "arguments": f"sha256:{hashlib.sha256(asked.arguments).hexdigest()}",
            "policy": asked.policy,
            "decision": asked.decision,
            "rule": asked.rule,
            "forwarded": asked.forwarded,
        }
        return self._write("call", fields)

    def after(self, token: object, outcome: Outcome) -> None:
        self._write_what_is_due()
        milliseconds = round(outcome.milliseconds, 3)
        fields = {
            "of": token,
            "time": self._now(),
            "ms": milliseconds,
            "size": outcome.size,
            "error": outcome.error,
        }
        self._write("outcome", fields)

    def refused(self, refused: Refused) -> None:
        more = self._refusals.admit(refused)
        self._write_what_is_due()
        if more is not None:
            self._write_refused(refused, more)

    def close(self) -> None:
        """Count what has no line, sign what stands there, where that can be written, and end."""
        if self._descriptor < 0:
            return
        try:
            if not self._failure:
                for refused, more in self._refusals.due(all_of_them=True):
                    self._write_refused(refused, more)
                self._checkpoint()
        except Unlogged as error:
            logger.error("the log ends without a checkpoint: %s", error)
        finally:
            self._failure = self._failure or "the log is closed"
            os.close(self._descriptor)
            self._descriptor = -1

    def _write_refused(self, refused: Refused, more: int) -> None:
        fields = {
            "time": self._now(),
            "principal": _short(refused.principal),
            "method": _short(refused.method),
            "name": _short(refused.name),
            "reason": _short(refused.reason),
            "more": more,
        }
        self._write("refused", fields)

    def _write_what_is_due(self) -> None:
        if self._refusals.owes:
            for refused, more in self._refusals.due():
                self._write_refused(refused, more)
        lines = self._number - self._signed
        if lines >= CHECKPOINT_LINES or self._now() - self._signed_at >= CHECKPOINT_SECONDS:
            self._checkpoint()

    def _checkpoint(self) -> None:
        text = signed_text(self.id, self._number, self._before)
        self._write("checkpoint", {"time": self._now(), "signature": signed(self._key, text)})
        self._signed, self._signed_at = self._number, self._now()

    def _write(self, kind: str, fields: Mapping[str, Any]) -> int:
        """Write a line; its number. Raises `Unlogged`."""
        if self._failure:
            raise Unlogged(self._failure)
        number = self._number
        line = line_of(number, self._before, kind, fields)
        try:
            written = os.write(self._descriptor, line + b"\n")
            if written != len(line) + 1:
                raise OSError(0, "the line was written in part")
        except OSError as error:
            self._take_back(error.strerror or str(error))
            raise Unlogged(error.strerror or str(error)) from None
        try:
            if self._fsync:
                os.fsync(self._descriptor)
        except OSError as error:
            self._failure = error.strerror or str(error)
            raise Unlogged(self._failure) from None
        self._size += written
        self._number += 1
        self._before = digest(line)
        return number

    def _take_back(self, problem: str) -> None:
        """Leave no part of a line: what is written next would be one with it."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            self._failure = problem


def _short(text: str) -> str:
    """A text of a client's, of a length that is bounded."""
    return (text if len(text) <= LONGEST else text[: LONGEST - 1] + "…").encode(errors="replace").decode()
