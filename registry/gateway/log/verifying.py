"""Whether a log is as it was written.

What is found: a line that was changed, taken out, put in, moved, or is of another log, without the key. What is not: that
lines behind the last checkpoint were written anew or cut off, or that a whole file is gone, unless something outside says how
far the log went; and anything that was done with the key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pif.language.json_text import TooDeep, check_nesting
from registry.gateway.log.chain import digest, signed_text
from registry.gateway.log.key import public_text_of, verifies

__all__ = ["Verified", "fields_of", "read_lines", "verify"]

_NESTING = 50
"""Arrays and objects inside one another that a line may have: a decoder goes a C frame deeper for each."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a file. `problem`: the first thing that is wrong, at line `at` (from 1); empty where nothing is.

    `signed`: lines that a checkpoint vouches for; the rest are chained only. `is_torn`: the last line is not whole, as after
    the end of a machine.
    """

    file: str
    lines: int
    calls: int
    signed: int
    is_torn: bool = False
    problem: str = ""
    at: int = 0
    last: str = ""

    @property
    def is_sound(self) -> bool:
        return not self.problem


def read_lines(path: Path) -> tuple[list[bytes], bool]:
    """The whole lines of a file, and whether there is a part of one behind them. Raises OSError."""
    *lines, rest = path.read_bytes().split(b"\n")
    return lines, bool(rest)


def verify(path: Path, key: Ed25519PublicKey) -> Verified:
    """Read a log with the public half of its key. Raises OSError."""
    lines, is_torn = read_lines(path)
    before, log = "", ""
    calls = signed = 0

    def found(problem: str, number: int) -> Verified:
        return Verified(
            file=path.name, lines=len(lines), calls=calls, signed=signed, is_torn=is_torn, problem=problem, at=number + 1,
            last=before,
        )  # fmt: skip

    for number, line in enumerate(lines):
        fields = fields_of(line)
        if fields is None:
            return found("it is no line of a log", number)
        if fields.get("n") != number:
            return found(
                f"it says that it is line {fields.get('n')}: lines were taken out, put in or moved", number
            )
        if fields.get("before") != before:
            return found("the line before it is not the one that was written", number)
        if number == 0 and fields.get("line") != "begin":
            return found("a log does not begin like this", number)
        match fields.get("line"):
            case "begin" if number == 0 and isinstance(fields.get("log"), str):
                log = fields["log"]
                if fields.get("key") != public_text_of(key):
                    return found("it names another key", number)
            case "call":
                calls += 1
            case "checkpoint":
                signature = fields.get("signature")
                if not isinstance(signature, str) or not verifies(
                    key, signature, signed_text(log, number, before)
                ):
                    return found("its signature is not this key's, or not of what stands before it", number)
                signed = number + 1
            case "outcome" | "refused":
                pass
            case other:
                return found(f"no line is called {str(other)[:40]!r} there", number)
        before = digest(line)
    if not lines:
        return found("it has no first line", 0)
    return Verified(
        file=path.name, lines=len(lines), calls=calls, signed=signed, is_torn=is_torn, last=before
    )


def fields_of(line: bytes) -> dict[str, Any] | None:
    """What a line says; None for what is no object of JSON."""
    try:
        check_nesting(line, _NESTING)
        found = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, TooDeep):
        return None
    return found if isinstance(found, dict) else None
