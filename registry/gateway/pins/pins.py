"""Answers by a lock file: what a server says is approved if it is what was approved, and nothing else is.

Invariants
    * What differs from what was approved in anything but the order of members is not approved, until somebody says so.
    * Of a server that is seen for the first time nothing is approved, but where first use is trusted, and then all of what
      it says first.
    * A lock file that cannot be read approves nothing.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

from kleis.errors import KleisError
from registry.gateway.messages.templates import fits
from registry.gateway.pins.approvals import Approval, Listed
from registry.gateway.pins.lock_file import Said, Stamp, changing, read, stamp
from registry.gateway.pins.look_alikes import look_alikes

__all__ = ["INSTRUCTIONS", "Pins", "approve", "digest_of"]

INSTRUCTIONS = "instructions"

_LONGEST_NUMBER = 400

_NEW_SERVER = "its server is new, and nothing of it has been approved"
_NEW = "it is new at its server, and has not been approved"

logger = logging.getLogger(__name__)


def digest_of(said: Any) -> str:
    """The digest of what a server says of one thing, whatever the order of its members."""
    text = json.dumps(said, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _number(text: str) -> int | float:
    """A number, where its digest can tell it from every other. Raises ValueError."""
    if len(text) <= _LONGEST_NUMBER:
        if text.removeprefix("-").isdecimal():
            return int(text)
        nearest = float(text)
        if isfinite(nearest) and Decimal(repr(nearest)) == Decimal(text):
            return nearest
    raise ValueError(text if len(text) <= 40 else f"{text[:37]}…")


class Pins:
    """The approvals of a lock file. `trusted`: servers of which everything is approved: the registry's own."""

    def __init__(
        self, path: Path, *, trust_first_use: bool = False, trusted: frozenset[str] = frozenset()
    ) -> None:
        """Raises `KleisError` for a file that is none."""
        self.path = path
        self._trust_first_use = trust_first_use
        self._trusted = trusted
        self._stamp: Stamp = stamp(path)
        self._approved, self._waiting = read(path)
        self._own: dict[str, str] = {}
        self._alike: set[str] = set()

    @property
    def state(self) -> object:
        return stamp(self.path)

    def check(self, server: str, kind: Listed, items: Mapping[str, bytes]) -> dict[str, Approval]:
        unclear: dict[str, Approval] = {}
        said: dict[str, Any] = {}
        for own, item in items.items():
            try:
                said[own] = json.loads(item, parse_int=_number, parse_float=_number)
            except ValueError as error:
                unclear[own] = Approval("", f"it has a number that two parsers may read differently: {error}")
        return {**self._check(server, kind, said), **unclear}

    def _check(self, server: str, kind: Listed, said: dict[str, Any]) -> dict[str, Approval]:
        if server in self._trusted:
            return {own: Approval(digest_of(each)) for own, each in said.items()}
        if not self._refresh():
            problem = "the gateway's lock file cannot be read"
            return {own: Approval(digest_of(each), problem) for own, each in said.items()}
        self._flag(server, kind, said)
        known = self._approved.get(server, {}).get(kind)
        if known is None and self._trust_first_use:
            self._approve_first(server, kind, said)
            known = self._approved.get(server, {}).get(kind, {})
        found = {own: self._approval(own, each, known) for own, each in said.items()}
        if kind == "resources":
            found = {own: self._instance(server, own, each) for own, each in found.items()}
        waiting = {own: said[own] for own, approval in found.items() if approval.problem}
        self._wait(server, kind, waiting)
        return found

    def heard(self, server: str, instructions: str) -> None:
        if server in self._trusted:
            self._own[server] = instructions
            return
        if not self._refresh():
            return
        known = self._approved.get(server, {}).get(INSTRUCTIONS)
        said = {INSTRUCTIONS: instructions}
        if known is None and (self._trust_first_use or not instructions):
            self._approve_first(server, INSTRUCTIONS, said)
            return
        changed = (known or {}).get(INSTRUCTIONS) != instructions
        self._wait(server, INSTRUCTIONS, said if changed else {})

    def instructions(self, server: str) -> str:
        if server in self._trusted:
            return self._own.get(server, "")
        if not self._refresh():
            return ""
        text = self._approved.get(server, {}).get(INSTRUCTIONS, {}).get(INSTRUCTIONS, "")
        return text if isinstance(text, str) else ""

    def _approval(self, own: str, said: Any, known: Mapping[str, Any] | None) -> Approval:
        digest = digest_of(said)
        if known is None:
            return Approval(digest, _NEW_SERVER)
        if own not in known:
            return Approval(digest, _NEW)
        if digest_of(known[own]) != digest:
            return Approval(digest, "its server describes it otherwise than it was approved")
        return Approval(digest)

    def _instance(self, server: str, uri: str, approval: Approval) -> Approval:
        """The approval of a resource: one that is new needs none where a template that was approved has its form."""
        if approval.problem not in (_NEW, _NEW_SERVER):
            return approval
        for template, said in self._approved.get(server, {}).get("templates", {}).items():
            if fits(uri, template, strictly=True):
                return Approval(approval.digest, template=json.dumps(said).encode())
        return approval

    def _refresh(self) -> bool:
        """Read the file again where it has changed; whether it can be read."""
        now = stamp(self.path)
        if now != self._stamp:
            try:
                self._approved, self._waiting = read(self.path)
            except KleisError as error:
                logger.error("%s", error)
                return False
            self._stamp = now
        return True

    def _approve_first(self, server: str, kind: str, said: Mapping[str, Any]) -> None:
        def change(approved: Said, waiting: Said) -> None:
            approved.setdefault(server, {}).setdefault(kind, dict(said))
            waiting.get(server, {}).pop(kind, None)

        self._change(change)

    def _wait(self, server: str, kind: str, said: dict[str, Any]) -> None:
        """Keep what waits to be approved, for whoever approves it."""
        if self._waiting.get(server, {}).get(kind, {}) == said:
            return

        def change(approved: Said, waiting: Said) -> None:
            waiting.setdefault(server, {})[kind] = said
            if not said:
                del waiting[server][kind]
                if not waiting[server]:
                    del waiting[server]

        for own in said:
            logger.warning(
                "%s %s of %s is not approved: `pif gateway approve` shows it", kind, own[:60], server
            )
        self._change(change)

    def _change(self, change: Any) -> None:
        try:
            with changing(self.path) as (approved, waiting):
                change(approved, waiting)
        except (OSError, KleisError) as error:
            logger.error("the lock file cannot be written: %s", error)
            return
        self._approved, self._waiting = approved, waiting
        self._stamp = stamp(self.path)

    def _flag(self, server: str, kind: str, said: Mapping[str, Any]) -> None:
        """Say which names look like those of another server."""
        others = {
            f"{other}/{name}"
            for other, kinds in (*self._approved.items(), *self._waiting.items())
            for name in kinds.get(kind, {})
            if other != server
        }
        for mine, other in look_alikes((f"{server}/{name}" for name in said), others):
            if mine not in self._alike:
                self._alike.add(mine)
                logger.warning("%s %s looks like %s", kind, ascii(mine), ascii(other))


def approve(path: Path, shown: Said) -> Said:
    """Approve what was shown, as far as it waits still; what was approved by that. Raises OSError, `KleisError`.

    What a server has said since is not approved: nobody has seen it.
    """
    done: Said = {}
    with changing(path) as (approved, waiting):
        for server, kinds in shown.items():
            for kind, items in kinds.items():
                waits = waiting.get(server, {}).get(kind, {})
                for own, said in items.items():
                    if own in waits and digest_of(waits[own]) == digest_of(said):
                        approved.setdefault(server, {}).setdefault(kind, {})[own] = waits.pop(own)
                        done.setdefault(server, {}).setdefault(kind, {})[own] = said
                if not waits:
                    waiting.get(server, {}).pop(kind, None)
                    approved.setdefault(server, {}).setdefault(kind, {})
            if not waiting.get(server):
                waiting.pop(server, None)
    return done
