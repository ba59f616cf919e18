"""Names of sessions that all workers can read: which worker holds it, and a seal that only they can make.

A name is ``NUMBER.RANDOM.SEAL``. The seal is over the number, the random part and the principal, so that a name that was made up,
altered, sent to another worker's number, or used by another principal is that of no session. It says nothing of whether the
session still lives: its holder knows that, or the supervisor after the holder's end.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets

__all__ = ["SECRET_BYTES", "SessionNames"]

SECRET_BYTES = 32

_NAME = re.compile(r"(0|[1-9]\d{0,2})\.([0-9a-f]{32})\.([A-Za-z0-9_-]{43})")


class SessionNames:
    """The names that one server's workers give. `secret` is theirs alone."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def new(self, number: int, principal: str) -> str:
        """A name for a session that worker `number` holds for a principal."""
        start = f"{number}.{secrets.token_hex(16)}"
        return f"{start}.{self._seal(start, principal)}"

    def holder(self, name: str, principal: str) -> int | None:
        """The number of the worker that holds the session; None where the name is none of ours, or not of this principal."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        start = f"{found[1]}.{found[2]}"
        return int(found[1]) if hmac.compare_digest(self._seal(start, principal), found[3]) else None

    def _seal(self, start: str, principal: str) -> str:
        digest = hmac.digest(self._secret, f"session\0{start}\0{principal}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
