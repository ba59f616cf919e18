"""Lines of a log: JSON objects, of which each holds its number and the digest of the line before it.

    {"n": 0, "before": "", "line": "begin", "log": ID, "key": PUBLIC KEY, …}
    {"n": 1, "before": sha256 of line 0, "line": "call", …}
    {"n": 2, "before": sha256 of line 1, "line": "outcome", "of": 1, …}
    {"n": 3, "before": sha256 of line 2, "line": "checkpoint", "signature": …}

What a checkpoint signs is the id of the log, its own number and the digest before it: by that all lines up to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["digest", "line_of", "signed_text"]


def digest(line: bytes) -> str:
    """The digest of a line, without its line end."""
    return hashlib.sha256(line).hexdigest()


def line_of(number: int, before: str, kind: str, fields: Mapping[str, Any]) -> bytes:
    """A line, without its line end: JSON has none inside."""
    return msgspec.json.encode({"n": number, "before": before, "line": kind, **fields})


def signed_text(log: str, number: int, before: str) -> bytes:
    """What the signature of a checkpoint is of."""
    return f"pif gateway log {log} {number} {before}".encode()
