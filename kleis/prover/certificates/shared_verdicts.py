"""Verdicts that several machines share: each with its certificate, which is checked here before anything of it is believed.

See docs/reference/proving.md §11.1.

    storage ── the certificate under the digest of the question ──> check, in a child process ──> what the check found

What is kept is certificates. Nothing else that stands in a storage is taken over: the verdict is what the check says, of the
question that is asked here. So somebody who may write to a storage can withhold verdicts, and waste the time of a check, and
can not make a claim `verified` or `disproved` that is not.

Invariants
    * An answer of `find` is about the goal whose digest was asked for, and has passed the check in this process.
    * `offer` never delays or stops a question: certificates are made in a thread of their own, and those that cannot be made,
      or for which there is no room in its queue, are not shared.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from kleis.budget import deep_thread
from kleis.core.canonical_bytes import digest_of
from kleis.delaborate.describe_goal import proposition_of
from kleis.errors import KleisError
from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.check import CheckReport, check
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.facts import Fact
from kleis.prover.kept_certificates import LONGEST, CertificateStorage, KeptCertificate, ShownElsewhere
from kleis.prover.portfolio import ORDER
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.protocol.engine import Answer, Task, load_engine
from kleis.prover.protocol.verdict import Attempt, Verdict
from kleis.syntax.printer.program import print_expression
from kleis.theory.theory import Theory

__all__ = ["SharedVerdicts"]

GUARDS = Guards(cpu=20, wall=60.0, memory=1024)
"""What a check may use: less than a proof may, since a certificate may be there to waste it."""

WAITING = 64
"""Certificates that wait to be made; what comes when there are so many is not shared."""

_REFUSED = 1_000
_BY_CERTIFICATE = "its certificate"
_OUTCOMES = frozenset(("proved", "refuted", "silent", "model", "inconsistent"))
_MOST_ATTEMPTS = 100


class _Offered(msgspec.Struct, frozen=True):
    """A verdict of which a certificate is to be made."""

    theory: Theory
    question: str
    claim: str
    facts: tuple[Fact, ...]
    verdict: Verdict
    answer: Answer | None


class SharedVerdicts:
    """The verdicts in a storage. See `kleis.prover.kept_certificates.Elsewhere`. Safe in threads; `close` ends the thread."""

    def __init__(
        self,
        storage: CertificateStorage,
        broker: Broker,
        refused: Callable[[str, str], None] = lambda question, why: None,
    ) -> None:
        """`refused` is told of which question a certificate showed nothing, and why."""
        self._storage = storage
        self._told = refused
        self._broker = broker
        self._lock = threading.Lock()
        self._queue: queue.Queue[_Offered | None] = queue.Queue(WAITING)
        self._thread: threading.Thread | None = None
        self._closed = False
        self._refused: OrderedDict[str, None] = OrderedDict()

    def find(self, task: Task, broker: Broker) -> ShownElsewhere | None:
        """What a certificate shows of a task, once it is checked; None if there is none, or it shows nothing of it."""
        question = digest_of(task.goal, task.lemmas)
        kept = self._storage.get(question)
        if kept is None or len(kept.certificate) > LONGEST or kept.certificate in self._refused:
            return None
        data = kept.certificate.encode("utf-8", "surrogatepass")
        report = check(data, broker, file="<shared certificate>", guards=GUARDS)
        shows = question in (report.goal, report.without_lemmas)
        if report.ok and shows and report.status in ("verified", "disproved"):
            engine, attempts = _known(kept.attempts)
            if report.status == "disproved":
                return ShownElsewhere("disproved", evidence=report.evidence, engine=engine, attempts=attempts)
            lemmas = tuple(f"lemma {place}" for place in range(1, len(task.lemmas) + 1))
            return ShownElsewhere("verified", core=(*report.core, *lemmas), engine=engine, attempts=attempts)
        if isinstance(broker, CancellableBroker) and broker.stopped:
            return None  # who asked has no time left: that says nothing of the certificate
        self._storage.refuse(question)
        self._told(question, _why(report))
        with self._lock:
            self._refused[kept.certificate] = None
            while len(self._refused) > _REFUSED or sum(map(len, self._refused)) > 8 * LONGEST:
                self._refused.popitem(last=False)
        return None

    def offer(
        self, theory: Theory, task: Task, facts: Sequence[Fact], verdict: Verdict, answer: Answer | None
    ) -> None:
        """Have the certificate of a verdict made and kept, some time."""
        if verdict.status not in ("verified", "disproved") or not self._storage.takes_more:
            return
        claim = proposition_of(task.goal, theory)
        if claim is None:
            return
        offered = _Offered(
            theory,
            digest_of(task.goal, task.lemmas),
            print_expression(claim),
            tuple(facts),
            verdict,
            answer,
        )
        with self._lock:
            if self._closed:
                return
            if self._thread is None:
                self._thread = deep_thread(self._work, "kleis-certificates")
        try:
            self._queue.put_nowait(offered)
        except queue.Full:
            return  # nobody waits for it; the next who proves it offers it again

    def settle(self, seconds: float) -> bool:
        """Wait until what was offered is kept, or cannot be; whether it came to an end in that time."""
        until = time.monotonic() + seconds
        while self._queue.unfinished_tasks:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def close(self) -> None:
        """Make no more of them."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            while True:
                try:
                    self._queue.get_nowait()
                    self._queue.task_done()
                except queue.Empty:
                    break
            self._queue.put(None)

    def _work(self) -> None:
        while (offered := self._queue.get()) is not None:
            try:
                self._make(offered)
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _make(self, offered: _Offered) -> None:
        """Make one certificate and keep it."""
        try:
            lemmas = tuple((_claim_of(each, offered.theory), each.verdict) for each in offered.facts)
            certificate = build(
                self._broker,
                offered.theory,
                Question(offered.claim, lemmas=lemmas),
                offered.verdict,
                answer=offered.answer,
            )
        except (KleisError, RecursionError, OSError):
            return  # no certificate, so nothing is shared: the verdict stands here all the same
        text = to_json(certificate).decode()
        if self._closed or certificate.goal != offered.question or len(text) > LONGEST:
            return
        attempts = tuple((each.engine, each.outcome, each.steps) for each in offered.verdict.attempts)
        self._storage.put(offered.question, KeptCertificate(text, attempts[:_MOST_ATTEMPTS]))


def _why(report: CheckReport) -> str:
    """Why what was checked shows nothing of the question, for people."""
    if report.refused is None:
        return "it is about another question"
    return ": ".join(report.refused)


def _claim_of(fact: Fact, theory: Theory) -> str:
    said = proposition_of(fact.goal, theory)
    return "" if said is None else print_expression(said)


@cache
def _engines() -> frozenset[str]:
    """The names of engines."""
    return frozenset(load_engine(each.engine).name for each in ORDER)


def _known(attempts: Sequence[tuple[str, str, int]]) -> tuple[str, tuple[Attempt, ...]]:
    """Who decided, and what was tried, as far as the names are those of engines: no text of a stranger is shown."""
    found = [
        Attempt(engine, outcome, "", min(abs(steps), 2**53), 0.0)
        for engine, outcome, steps in attempts[:_MOST_ATTEMPTS]
        if engine in _engines() and outcome in _OUTCOMES
    ]
    return (found[-1].engine if found else _BY_CERTIFICATE), tuple(found)
