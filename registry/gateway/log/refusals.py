"""Which refusals have a line of their own: a flood of what is refused fills no disk, and is counted all the same.

Each principal has `BURST` lines, and one more every `PERIOD` seconds, so that one who floods hides nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from registry.gateway.log.records import Refused

__all__ = ["BURST", "PERIOD", "PRINCIPALS", "Refusals"]

BURST = 100
"""Lines that one principal has at once."""

PERIOD = 10.0
"""Seconds until it has one more."""

PRINCIPALS = 1_000
"""Principals with lines of their own; all others share theirs."""


class _Account(msgspec.Struct):
    """The lines that a principal has left, as of a time, and what was refused without one."""

    left: float
    at: float
    uncounted: int = 0
    last: Refused | None = None


class Refusals:
    """The refusals of one log."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._accounts: dict[str, _Account] = {}
        self._owing: dict[str, _Account] = {}

    def admit(self, refused: Refused) -> int | None:
        """How many of its principal were refused since the last line; None where it has no line, and is counted."""
        key = refused.principal
        if key not in self._accounts and len(self._accounts) >= PRINCIPALS:
            key = ""
        account = self._accounts.setdefault(key, _Account(BURST, self._now()))
        if not self._has_line(account):
            account.uncounted += 1
            account.last = refused
            self._owing[key] = account
            return None
        return self._settled(key, account)

    def due(self, *, all_of_them: bool = False) -> Iterator[tuple[Refused, int]]:
        """The last of those that were refused without a line, and how many more there were, for each principal that has a
        line again."""
        for key, account in list(self._owing.items()):
            if account.last is not None and (all_of_them or self._has_line(account)):
                last = account.last
                yield last, self._settled(key, account) - 1

    @property
    def owes(self) -> bool:
        """Whether any were counted that no line tells of."""
        return bool(self._owing)

    def _has_line(self, account: _Account) -> bool:
        now = self._now()
        account.left = min(BURST, account.left + max(0.0, now - account.at) / PERIOD)
        account.at = now
        return account.left >= 1

    def _settled(self, key: str, account: _Account) -> int:
        account.left -= 1
        counted, account.uncounted, account.last = account.uncounted, 0, None
        self._owing.pop(key, None)
        return counted
