"""What a log of calls is to the front: a line before anything is forwarded, one with the outcome."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

__all__ = ["Asked", "CallLog", "Outcome", "Refused", "Unlogged"]

Kind = Literal["tool", "resource", "subscription", "prompt", "completion"]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was judged.  `decision` is the policy's; in `monitor` mode what it denies is forwarded too."""

    principal: str
    kind: Kind
    server: str
    name: str
    arguments: bytes
    policy: str
    rule: str
    decision: Literal["allow", "deny", "ask"]
    reason: str
    forwarded: bool


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request: `error` is empty where the server answered with a result that is none."""

    milliseconds: float
    size: int = 0
    error: str = ""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A message that was not judged, because it could not be read, or names nothing there is.  Nothing of it is forwarded."""

    principal: str
    method: str = ""
    name: str = ""
    reason: str


class Unlogged(Exception):
    """A line could not be written: nothing is forwarded."""


class CallLog(Protocol):
    """A log.  `before` returns when the line is written as firmly as the log promises; all raise `Unlogged`."""

    def before(self, asked: Asked) -> object: ...

    def after(self, token: object, outcome: Outcome) -> None: ...

    def refused(self, refused: Refused) -> None:
        """Record a refusal, or count it where its principal has had too many lines lately.  Raises `Unlogged`."""

    def close(self) -> None: ...
