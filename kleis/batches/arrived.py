"""Certificates that came back from workers, and who is to be named when one shows nothing.

An `Elsewhere` of the prover (`kleis.prover.kept_certificates`): a certificate that arrived takes the place of a search once
`SharedVerdicts` has checked it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kleis.batches.questions import BatchAnswer
from kleis.core.canonical_bytes import digest_of
from kleis.prover.certificates.shared_verdicts import SharedVerdicts
from kleis.prover.facts import Fact
from kleis.prover.kept_certificates import KeptCertificate, ShownElsewhere
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Verdict

if TYPE_CHECKING:
    from kleis.theory.theory import Theory

__all__ = ["Arrived"]


class Arrived:
    """Certificates by goal, each with its worker.  Safe in threads."""

    takes_more = False

    def __init__(self, broker: Broker) -> None:
        self._kept: dict[str, tuple[KeptCertificate, str]] = {}
        self._lock = threading.Lock()
        self._shared = SharedVerdicts(self, broker)
        self.accepted = 0
        """How many certificates passed the check here."""
        self.rejected: dict[str, int] = {}
        """For each worker, how many certificates of it did not pass the check."""

    def add(self, answer: BatchAnswer) -> None:
        """Take in what an answer brings.  What came first for a goal stays."""
        with self._lock:
            for goal, kept in answer.certificates.items():
                self._kept.setdefault(goal, (kept, answer.worker))

    def complaints(self) -> list[str]:
        """Each worker of which certificates failed, in words."""
        with self._lock:
            found = sorted(self.rejected.items())
        return [
            f"worker {worker}: {count} of its certificates did not pass the check; those questions were decided here"
            for worker, count in found
        ]

    def get(self, question: str) -> KeptCertificate | None:
        """The certificate that came for a goal."""
        found = self._kept.get(question)
        return None if found is None else found[0]

    def put(self, question: str, kept: KeptCertificate) -> None:
        """Nothing: what is decided here is in the verdict cache."""

    def refuse(self, question: str) -> None:
        """Nothing: it is used once in any case."""

    def find(self, task: Task, broker: Broker) -> ShownElsewhere | None:
        """What an arrived certificate shows of a task, once it is checked; a worker whose certificate fails is counted."""
        goal = digest_of(task.goal, task.lemmas)
        arrived = self._kept.get(goal)
        if arrived is None:
            return None
        shown = self._shared.find(task, broker)
        with self._lock:
            self._kept.pop(goal, None)  # used: what is decided is in the verdict cache
            if shown is not None:
                self.accepted += 1
            else:
                self.rejected[arrived[1]] = self.rejected.get(arrived[1], 0) + 1
        return shown

    def offer(
        self, theory: Theory, task: Task, facts: Sequence[Fact], verdict: Verdict, answer: Answer | None
    ) -> None:
        """Nothing: this machine asked, nobody else wants to know."""
