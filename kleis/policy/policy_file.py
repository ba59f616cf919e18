"""A policy that follows its file: it is replaced as a whole when the file changes.

A broken new file keeps the old policy and is reported in every answer.  See docs/reference/policy.md §5.

Invariants
    * The policy in effect is one `Policy`: no decision sees parts of two.
    * A file that is being written is not read until it has been quiet for `QUIET` seconds, so that the first half of
      a policy never counts as one.  What changes while it is read is read again.
    * A text that lacks a rule of the policy in effect may be the first half of one by a slow writer: it counts once it
      has stayed the same for `SETTLED` seconds.
    * A text that cannot be loaded changes nothing and is reported with every decision.  So is a text without rules
      in place of one with rules: an emptied file would allow everything.
    * A policy with promises counts once they are proved.  Until then, and where one is not kept, the policy before it
      decides.
    * Where there has never been a policy, everything is denied.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from kleis.budget import Budget
from kleis.errors import KleisError, LoadError
from kleis.policy.actions import ACTIONS
from kleis.policy.calls import Call, CallDecision, Principal, decide_call
from kleis.policy.decision import Decision
from kleis.policy.policy import CHECK_CALL, FULL, Default, Policy, policy_of, policy_search
from kleis.theory.loader import Loader

if TYPE_CHECKING:
    from kleis.policy.promises import OpenProver

__all__ = ["QUIET", "SETTLED", "PolicyFile", "Served"]

QUIET = 0.05
"""Seconds since the last change after which a file is whole."""

SETTLED = 0.5
"""Seconds for which a file that lacks a rule stays the same before it counts."""

_RETRY = 1.0
"""Seconds between attempts to load a file that could not be loaded: what it lacks may be elsewhere."""

_RETRY_PROOF = 60.0
"""Seconds until a promise that stayed open is tried again: the machine may have been busy. A broken one stays broken."""

_Stamp: TypeAlias = tuple[int, ...] | None
State = Literal["fresh", "changing", "stale"]


class Served(msgspec.Struct, frozen=True):
    """The policy in effect, or none, and what is wrong with the text in the file now (empty: nothing)."""

    policy: Policy | None
    problem: str = ""

    def decide(self, name: object, given: Mapping[str, Any], *, budget: Budget = FULL) -> Decision:
        """The decision on an action."""
        if self.policy is None:
            action = name if isinstance(name, str) and name in ACTIONS else "unknown"
            reason = f"DENIED — no policy is in force: {self.problem}"
            return Decision(allowed=False, action=action, rule=None, reason=reason, problem=self.problem)
        decision = self.policy.decide(name, given, budget=budget)
        return msgspec.structs.replace(decision, problem=self.problem) if self.problem else decision

    def decide_call(self, who: Principal, call: Call, *, budget: Budget = FULL) -> CallDecision:
        """The decision on a call of an MCP server."""
        if self.policy is None:
            reason = f"DENIED — no policy is in force: {self.problem}"
            return CallDecision(outcome="deny", rule=CHECK_CALL, reason=reason, problem=self.problem)
        decision = decide_call(self.policy, who, call, budget=budget)
        return msgspec.structs.replace(decision, problem=self.problem) if self.problem else decision


class PolicyFile:
    """The policy of a file, kept up to date.  `served` is in effect; ask `state` first whether to `reload`.

    `proves_beside`: promises are proved in a thread, while the policy before decides; else by `reload`.
    """

    def __init__(
        self,
        path: Path,
        *,
        default: Default = "allow",
        roots: tuple[Path, ...] = (),
        open_prover: OpenProver | None = None,
        proves_beside: bool = False,
        now: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self._default = default
        self._roots = roots
        self._open_prover = open_prover
        self._proves_beside = proves_beside
        self._proving: threading.Thread | None = None
        self._now = now
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._stamps: dict[Path, _Stamp] = {}
        self._unsure = False
        self._seen: dict[Path, _Stamp] = {}
        self._seen_since = 0.0
        self._tried = 0.0
        self._patience = _RETRY
        self._doubted: dict[Path, _Stamp] | None = None
        self._doubted_since = 0.0
        self.served = Served(None, "it has not been loaded yet")
        with self._lock:
            self._load()

    @property
    def is_proving(self) -> bool:
        """Whether promises are being proved beside: until they are, the policy before decides, or none."""
        return self._proving is not None

    def state(self) -> State:
        """``fresh``: nothing changed; ``changing``: too recently to be read; ``stale``: `reload` is due."""
        if self._proving is not None:
            return "fresh"
        stamps = {path: _stamp(path) for path in self._stamps}
        if stamps == self._doubted:
            return "stale" if self._elapsed() - self._doubted_since >= SETTLED else "changing"
        if stamps == self._stamps and not self._unsure:
            retry = bool(self.served.problem) and self._elapsed() - self._tried >= self._patience
            return "stale" if retry else "fresh"
        if stamps != self._seen:
            self._seen, self._seen_since = stamps, self._elapsed()
        if self._is_quiet(stamps) or self._elapsed() - self._seen_since >= QUIET:
            return "stale"
        return "changing"

    def reload(self) -> None:
        """Load the file again if that is still due.  From any thread."""
        with self._lock:
            if self.state() == "stale":
                self._load()

    def current(self) -> Served:
        """The policy in effect after a look at the file; a file that is being written does not count yet."""
        if self.state() == "stale":
            self.reload()
        return self.served

    def _is_quiet(self, stamps: Mapping[Path, _Stamp]) -> bool:
        age = min((self._now() - stamp[0] / 1e9 for stamp in stamps.values() if stamp), default=QUIET)
        return age >= QUIET

    def _load(self) -> None:
        begun = self._now()
        self._tried = self._elapsed()
        self._patience = _RETRY
        before = _stamp(self.path)
        files = [self.path]
        old = self.served.policy
        try:
            loading = Loader(policy_search(self.path, self._roots)).load(self.path)
            files += [each.path for each in loading.sources if each.path is not None]
            policy = policy_of(loading, default=self._default)
            _keeps_rules(old, policy)
            served = self._proved(old, policy)
        except KleisError as error:
            self._note(error)
            served = Served(old, f"{self.path.name} cannot be loaded: {error}{_kept(old)}")
        stamps = {path: _stamp(path) for path in files}
        changed = stamps[self.path] != before
        self._unsure = changed or any(stamp and begun - stamp[0] / 1e9 < QUIET for stamp in stamps.values())
        self._stamps = stamps
        if not _lacks_rules(old, served.policy):
            self._doubted = None
        elif stamps != self._doubted:
            self._doubted, self._doubted_since = stamps, self._elapsed()
            return
        self._doubted = None
        self.served = served

    def _proved(self, old: Policy | None, policy: Policy) -> Served:
        """What is served of a policy that was read: itself once its promises are proved, `old` until then."""
        if not policy.promises:
            return Served(policy)
        if not self._proves_beside:
            self._require(policy)
            return Served(policy)
        self._proving = threading.Thread(target=self._prove, args=(old, policy), name="promises", daemon=True)
        self._proving.start()
        return Served(old, f"the promises of {self.path.name} are being proved{_kept(old)}")

    def _prove(self, old: Policy | None, policy: Policy) -> None:
        served = Served(old, f"the promises of {self.path.name} could not be tried{_kept(old)}")
        try:
            self._require(policy)
            served = Served(policy)
        except KleisError as error:
            self._note(error)
            served = Served(old, f"{self.path.name} cannot be loaded: {error}{_kept(old)}")
        finally:
            with self._lock:
                self.served = served
                self._proving = None

    def _note(self, error: KleisError) -> None:
        """How soon to try again what could not be loaded."""
        if error.code == "promise-broken":
            self._patience = inf
        elif error.code == "promise-open":
            self._tried = self._elapsed()
            self._patience = _RETRY_PROOF

    def _require(self, policy: Policy) -> None:
        from kleis.policy.promises import (
            of_definitions,
            require_promises,
        )  # the prover is loaded where there are promises

        require_promises(policy, self._open_prover or of_definitions)


def _kept(old: Policy | None) -> str:
    return "; the policy loaded before stays in force" if old is not None else ""


def _lacks_rules(old: Policy | None, new: Policy | None) -> bool:
    """Whether a rule of the old policy is missing in the new one."""
    if old is None or new is None:
        return False
    return not {each.name for each in old.rules} <= {each.name for each in new.rules}


def _keeps_rules(old: Policy | None, new: Policy) -> None:
    """Raise `LoadError` for a text without rules in place of one that has some."""
    if old is not None and old.rules and not new.rules:
        raise LoadError(
            "the file has no rules any more, which would leave every action to the default",
            code="no-rules",
            hint="start the server again if that is meant",
        )


def _stamp(path: Path) -> _Stamp:
    """Times, size and identity of a file; None if it is not there."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev)
