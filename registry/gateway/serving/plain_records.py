"""A log of plain lines, and approval of everything: what the gateway has where nothing else keeps its records."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from registry.gateway.front.catalogue import Approval, Listed
from registry.gateway.front.records import Asked, Outcome, Unlogged

__all__ = ["ApproveAll", "PlainLog"]


class PlainLog:
    """A line of JSON for each request before it is forwarded, and one for its outcome; written before the call returns."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._count = 0

    def before(self, asked: Asked) -> object:
        self._count += 1
        fields = msgspec.structs.asdict(asked)
        fields["arguments"] = f"sha256:{hashlib.sha256(asked.arguments).hexdigest()}"
        self._write({"call": self._count, "time": time.time(), **fields})
        return self._count

    def after(self, token: object, outcome: Outcome) -> None:
        self._write({"outcome": token, "time": time.time(), **msgspec.structs.asdict(outcome)})

    def _write(self, line: dict[str, object]) -> None:
        text = msgspec.json.encode(line) + b"\n"
        try:
            written = os.write(self._descriptor, text)
        except OSError as error:
            raise Unlogged(error.strerror or str(error)) from None
        if written != len(text):
            raise Unlogged("the line was cut")

    def close(self) -> None:
        os.close(self._descriptor)


class ApproveAll:
    """Approves whatever a server says."""

    def check(self, server: str, kind: Listed, items: Mapping[str, bytes]) -> dict[str, Approval]:
        return {own: Approval(f"sha256:{hashlib.sha256(item).hexdigest()}") for own, item in items.items()}

    def instructions(self, server: str) -> str:
        return ""
