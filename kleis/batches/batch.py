"""A batch decided here, with what workers found.

    verdict cache ── else certificate from elsewhere or of a worker, checked ── else search here

Invariants
    * Every verdict is the prover's of this process.  A worker's word alone is never `verified` nor `disproved`; with
      `trust_unknown` its word `unknown` is taken, which claims nothing.
    * So verdicts are those of one machine, question by question, and a worker that lies costs time.
    * A verdict is in the cache as soon as it is decided: a batch that was interrupted goes on where it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from kleis.batches.arrived import Arrived
from kleis.batches.questions import Asked, BatchAnswer, BatchTask, Declarations, digest_of_bytes
from kleis.batches.spread import QUIET, Opening, spread
from kleis.batches.tasks import tasks_of
from kleis.batches.work import asked_of
from kleis.errors import KleisError
from kleis.prover.kept_certificates import AnyElsewhere, Elsewhere
from kleis.prover.lemmas import Ledger, recalled
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import Verdicts
from kleis.theory.loader import Loading

if TYPE_CHECKING:
    from kleis.theory.theory import Theory

__all__ = ["Batch", "Progress"]


class Progress(msgspec.Struct):
    """How far a batch is: of `total` questions `decided` are, `arrived` of them said by workers."""

    total: int
    decided: int = 0
    arrived: int = 0

    def __str__(self) -> str:
        workers = f" · {self.arrived} answered by workers" if self.arrived else ""
        return f"{self.decided} of {self.total} decided{workers}"


class Batch:
    """Questions about one theory.

    `jobs` questions are decided side by side here; `elsewhere` has verdicts of other machines beside those of workers; `note` is
    told, for people, what went wrong with workers.
    """

    def __init__(
        self,
        loading: Loading,
        *,
        broker: Broker,
        cache: Verdicts | None = None,
        effort: int = 1,
        jobs: int = 1,
        trust_unknown: bool = False,
        note: Callable[[str], None] = lambda text: None,
        quiet: float = QUIET,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._loading = loading
        self._broker = broker
        self._cache = cache
        self._effort = effort
        self._jobs = jobs
        self._trust_unknown = trust_unknown
        self._note = note
        self._quiet = quiet
        self._mine = threading.local()
        self._arrived = Arrived(broker)
        self._elsewhere = self._arrived if elsewhere is None else AnyElsewhere((elsewhere, self._arrived))
        self._contradicted: set[str] = set()
        self.progress = Progress(0)

    @cached_property
    def theories(self) -> dict[str, bytes]:
        """What workers need of the theory, under its digest."""
        declarations = msgspec.msgpack.encode(Declarations.of(self._loading))
        return {digest_of_bytes(declarations): declarations}

    def decide(
        self, questions: Sequence[Asked], opening: Opening | None = None
    ) -> Iterator[tuple[int, Verdict]]:
        """The verdicts, each with its place in `questions`, as they are decided; `opening` is the pool that helps."""
        self.progress = Progress(len(questions))
        places: dict[str, list[int]] = {}
        once: dict[str, Asked] = {}
        (theory,) = self.theories
        for place, asked in enumerate(questions):
            named = msgspec.structs.replace(asked, theory=theory)
            digest = named.digest
            places.setdefault(digest, []).append(place)
            once.setdefault(digest, named)
        with ThreadPoolExecutor(self._jobs, thread_name_prefix="kleis-batch") as workers:
            running: dict[Future[Verdict], str] = {}
            try:
                for asked, said, worker in self._asked_first(once, opening):
                    running[workers.submit(self._decided, asked, said, worker)] = asked.digest
                    done = [each for each in running if each.done()]
                    yield from self._ended(done, running, places)
                while running:
                    done = list(wait(running, return_when=FIRST_COMPLETED).done)
                    yield from self._ended(done, running, places)
            finally:
                workers.shutdown(wait=False, cancel_futures=True)
        for text in (*self._arrived.complaints(), *sorted(self._contradicted)):
            self._note(text)

    def _ended(
        self,
        done: Sequence[Future[Verdict]],
        running: dict[Future[Verdict], str],
        places: dict[str, list[int]],
    ) -> Iterator[tuple[int, Verdict]]:
        for future in done:
            for place in places[running.pop(future)]:
                self.progress.decided += 1
                yield place, future.result()

    def _asked_first(
        self, once: dict[str, Asked], opening: Opening | None
    ) -> Iterator[tuple[Asked, str, str]]:
        """The questions in the order in which they are to be decided here, with what a worker said of each."""
        if opening is None:
            for asked in once.values():
                yield asked, "", ""
            return
        open_questions = []
        for asked in once.values():
            if self._is_kept(asked):
                yield asked, "", ""
            else:
                open_questions.append(asked)
        tasks = tasks_of(open_questions, self._effort)
        for task, answer in spread(tasks, opening, note=self._note, quiet=self._quiet):
            yield from self._with_said(task, answer)

    def _with_said(self, task: BatchTask, answer: BatchAnswer | None) -> Iterator[tuple[Asked, str, str]]:
        said: dict[str, str] = {}
        worker = ""
        if answer is not None:
            self._arrived.add(answer)
            said = {each.question: each.status for each in answer.said}
            worker = answer.worker
            self.progress.arrived += len(said)
        for asked in task.questions:
            yield asked, said.get(asked.digest, ""), worker

    def _is_kept(self, asked: Asked) -> bool:
        """Whether the cache has the verdict, or there is none to be had: then no worker needs to be asked."""
        from kleis.elaborate.question import read_question
        from kleis.syntax.parser.parser import parse_type

        if asked.lemmas:
            return False
        try:
            question = read_question(asked.proposition, file="<proposition>")
            using = parse_type(asked.using, file="<using>") if asked.using else None
            goal = self._prover().elaborator.proposition(question.expression, using=using)
        except KleisError:
            return True
        return self._cache is not None and self._prover().kept(goal) is not None

    def _decided(self, asked: Asked, said: str, worker: str) -> Verdict:
        """The verdict of the prover here."""
        if said == "unknown" and self._trust_unknown:
            return Verdict(
                status="unknown",
                claim=asked.proposition,
                message=f"the worker {worker} left it open, and was not asked why",
            )
        try:
            verdict = asked_of(self._prover(), asked, self._ledger().facts).verdict
        except KleisError as error:
            return Verdict.ill_formed(error)
        if warnings := self._ledger().warnings():
            verdict = msgspec.structs.replace(verdict, warnings=(*warnings, *verdict.warnings))
        if said in ("verified", "disproved") and verdict.definite and verdict.status != said:
            self._contradicted.add(
                f"worker {worker} said {said} of {asked.proposition}: it is {verdict.status}"
            )
        return verdict

    def _ledger(self) -> Ledger:
        """The lemmas of the files whose proofs are kept."""
        found: Ledger | None = getattr(self._mine, "ledger", None)
        if found is None:
            loading = self._loading
            found = recalled(self._prover(), loading.theory.lemmas, visible=loading.imported_by)
            self._mine.ledger = found
        return found

    def _prover(self) -> Prover:
        """This thread's prover."""
        prover: Prover | None = getattr(self._mine, "prover", None)
        if prover is None:
            theory: Theory = self._loading.theory
            prover = self._mine.prover = Prover(
                theory,
                broker=self._broker,
                cache=self._cache,
                elsewhere=self._elsewhere,
                beside=False,
                effort=self._effort,
            )
        return prover
