"""Verdicts whose certificates came to a home as files, which may begin while it is served.

An `Elsewhere` (`kleis.prover.kept_certificates`).  What checks certificates is not imported before there is one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kleis.core.canonical_bytes import digest_of
from kleis.prover.kept_certificates import CertificateFiles, ShownElsewhere
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Verdict

if TYPE_CHECKING:
    from kleis.prover.certificates.shared_verdicts import SharedVerdicts
    from kleis.prover.facts import Fact
    from kleis.theory.theory import Theory

__all__ = ["ClaimedVerdicts"]


class ClaimedVerdicts:
    """The certificates of a home, each checked when its question is asked.  Safe in threads."""

    def __init__(
        self,
        files: CertificateFiles,
        broker: Broker,
        refused: Callable[[str, str], None] = lambda question, why: None,
    ) -> None:
        """`refused` is told of which question a certificate showed nothing, and why; it was put aside then."""
        self._files = files
        self._told = refused
        self._broker = broker
        self._lock = threading.Lock()
        self._shared: SharedVerdicts | None = None

    def find(self, task: Task, broker: Broker) -> ShownElsewhere | None:
        """What a file shows of a task, once it is checked; None if there is none, or it shows nothing of it."""
        if self._files.is_empty:
            return None
        question = digest_of(task.goal, task.lemmas)
        if not self._files.has(question):
            return None
        if self._files.get(question) is None:
            self._files.refuse(question)
            self._told(question, "the file is damaged")
            return None
        from kleis.prover.certificates.shared_verdicts import SharedVerdicts

        with self._lock:
            shared = self._shared = self._shared or SharedVerdicts(self._files, self._broker, self._told)
        return shared.find(task, broker)

    def offer(
        self, theory: Theory, task: Task, facts: Sequence[Fact], verdict: Verdict, answer: Answer | None
    ) -> None:
        """Nothing: what is decided here is in the verdict cache."""

    def close(self) -> None:
        """Nothing runs: certificates are checked for who asks."""
