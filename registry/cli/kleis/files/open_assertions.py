"""Assertions that exact evaluation leaves open, decided by the prover, several at a time.

Specification: docs/reference/proving.md §5.9.

Invariants
    * Reports come in the order of the files; what is asked first may be answered last.
    * A file whose declarations are known to clash fails every block that did not say `assert_inconsistent`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from kleis.sessions.assertions import Status, outcome_of, question_of
from kleis.syntax import tree

if TYPE_CHECKING:
    from kleis.batches.ahead import About, Ahead
    from kleis.prover.axioms_alone import Outcomes
    from kleis.prover.facts import Fact
    from kleis.prover.kept_certificates import Elsewhere
    from kleis.prover.portfolio import Entry
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Prover
    from kleis.theory.loader import Loading
    from kleis.theory.theory import Theory
    from registry.cli.kleis.shared.patience import Waiting

__all__ = ["OpenAssertion", "ProverPool"]

Answer = TypeVar("Answer")


_SHARED = 16
"""Theories of which the provers of several threads share what they find."""


class ProverPool:
    """Provers for several questions at a time, over the broker of a command: one process runs for each question.

    What workers were asked `ahead` is waited for before it is decided here.
    """

    def __init__(
        self, jobs: int, waiting: Waiting, *, fresh: bool = False, effort: int = 1, ahead: Ahead | None = None
    ) -> None:
        self._waiting = waiting
        self._ahead = ahead
        self._about: dict[int, About] = {}
        self._fresh = fresh
        self._effort = effort
        self._elsewhere = self._from_elsewhere()
        self._workers = ThreadPoolExecutor(jobs, thread_name_prefix="kleis-test")
        self._mine = threading.local()
        self._known: dict[int, tuple[Theory, Outcomes]] = {}
        self._mutex = threading.Lock()

    def ask(self, theory: Theory, question: Callable[[Prover], Answer]) -> Future[Answer]:
        """Have a question about a theory answered when its turn comes."""
        return self._workers.submit(lambda: question(self._prover(theory)))

    def look(self, theory: Theory, question: Callable[[Prover], Answer]) -> Future[Answer]:
        """Have a question answered in passing: by engines that take little time and may tell nothing."""
        from kleis.prover.portfolio import LOOK

        return self._workers.submit(lambda: question(self._made(theory, LOOK)))

    def verify(
        self,
        theory: Theory,
        proposition: tree.Expression,
        file: str,
        facts: Callable[[], tuple[Fact, ...]] = tuple,
    ) -> Future[Verdict]:
        """Have a proposition decided when its turn comes, if there is time left then, with the facts there are then."""
        from kleis.prover.reasons import stopped, within
        from kleis.syntax.printer.program import print_expression

        deadline = self._waiting.deadline

        def answer() -> Verdict:
            if (about := self._about.get(id(theory))) is not None:
                about.wait(proposition)
            if deadline.over:
                return stopped(print_expression(proposition), deadline.seconds)
            return within(deadline, self._prover(theory).verify(proposition, file=file, facts=facts()))

        return self._workers.submit(answer)

    def ask_ahead(self, questions: Sequence[tuple[Loading, tree.Expression]]) -> None:
        """Have workers, if there are any, look at propositions that `verify` will be asked; those that are kept need none."""
        if self._ahead is None:
            return
        from kleis.batches.questions import Declarations

        for loading in {id(each): each for each, _ in questions}.values():
            self._about[id(loading.theory)] = self._ahead.about(Declarations.of(loading))
        kept = [
            self.ask(loading.theory, partial(_is_kept, proposition=each, file=loading.main.name))
            for loading, each in questions
        ]
        asked = [self._about[id(loading.theory)].asked(each) for loading, each in questions]
        wanted = zip(asked, kept, strict=True)
        self._ahead.ask([each for each, known in wanted if not known.result()])

    def is_late(self) -> bool:
        """Whether the time is over."""
        return self._waiting.deadline.over

    def close(self) -> None:
        """Stop what runs and drop what waits."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._waiting.broker.stop()
        self._workers.shutdown()

    def __enter__(self) -> ProverPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prover(self, theory: Theory) -> Prover:
        """This thread's prover; it is kept for as long as the questions are about one theory."""
        if getattr(self._mine, "theory", None) is not theory:
            self._mine.theory = theory
            self._mine.prover = self._made(theory, known=self._known_of(theory))
        prover: Prover = self._mine.prover
        return prover

    def _known_of(self, theory: Theory) -> Outcomes:
        """What the provers of a theory share, for as long as few other theories are asked about."""
        from kleis.prover.axioms_alone import Outcomes

        with self._mutex:
            known = self._known.setdefault(id(theory), (theory, Outcomes()))[1]
            while len(self._known) > _SHARED:
                del self._known[next(iter(self._known))]
            return known

    def _made(
        self, theory: Theory, order: Sequence[Entry] | None = None, known: Outcomes | None = None
    ) -> Prover:
        from registry.cli.kleis.shared.question import make_prover

        return make_prover(
            theory,
            fresh=self._fresh,
            broker=self._waiting.broker,
            beside=False,
            effort=self._effort,
            order=order,
            elsewhere=self._elsewhere if order is None else None,
            known=known,
        )

    def _from_elsewhere(self) -> Elsewhere | None:
        """What was found elsewhere: certificates that were pulled, and what workers bring."""
        from registry.cli.kleis.shared.pulled import found_elsewhere
        from registry.cli.kleis.shared.workers import noting

        arrived = None if self._ahead is None else self._ahead.arrived
        return found_elsewhere(self._waiting.broker, noting(self._waiting.line), arrived, fresh=self._fresh)


class OpenAssertion:
    """An assertion that waits for its verdict."""

    def __init__(
        self,
        pool: ProverPool,
        theory: Theory,
        example: tree.Example,
        place: int,
        file: str,
        facts: Callable[[], tuple[Fact, ...]] = tuple,
    ) -> None:
        self._assertions = [each for each in example.statements if isinstance(each, tree.Assertion)]
        self._place = place
        self._example = example
        self._facts = facts
        self._file = file
        self._ask = partial(pool.ask, theory)
        self._is_late = pool.is_late
        self._kind = self._assertions[place].kind
        proposition = self._proposition = question_of(example, self._assertions[place])
        if proposition is None:
            self._verdict = pool.ask(theory, _declarations)
        else:
            self._verdict = pool.verify(theory, proposition, file, facts)

    def outcome(self, passed: Sequence[int] = ()) -> tuple[Status, str]:
        """Its status and detail, once decided.  What stays open is asked again with assertions that `passed` before it."""
        verdict = self._verdict.result()
        before = [place for place in passed if self._assertions[place].kind == "assert"]
        if verdict.status == "unknown" and self._proposition is not None and before and not self._is_late():
            again = self._ask(lambda prover: self._with_earlier(prover, before)).result()
            verdict = again if again.status != "unknown" else verdict
        return outcome_of(self._kind, verdict)

    def _with_earlier(self, prover: Prover, before: Sequence[int]) -> Verdict:
        """The verdict where earlier assertions of the block serve: those that the prover proves, not those that hold
        within a tolerance."""
        from kleis.errors import KleisError
        from kleis.prover.facts import Fact, serving_facts

        facts = list(self._facts())
        for place in before:
            asserted = question_of(self._example, self._assertions[place])
            if asserted is None:
                continue
            try:
                goal = prover.elaborator.proposition(asserted, file=self._file)
            except KleisError:
                continue  # only the evaluator has a meaning for it
            serving = serving_facts(facts, goal)
            decision = prover.decide_goal(goal, serving)
            if decision.verdict.status == "verified" and not decision.computed:
                name = f"line {self._assertions[place].line}"
                facts.append(Fact.of(goal, decision.verdict, serving, name))
        assert self._proposition is not None, "only a proposition is asked again"
        return prover.verify(self._proposition, file=self._file, facts=facts)


def _is_kept(prover: Prover, proposition: tree.Expression, file: str) -> bool:
    """Whether there is a verdict already, or none to be had."""
    from kleis.errors import KleisError

    try:
        return prover.kept(prover.elaborator.proposition(proposition, file=file)) is not None
    except KleisError:
        return True


# ── The declarations themselves ──────────────────────────────────────────────────────────────────────────────


def _declarations(prover: Prover) -> Verdict:
    """Whether the declarations have a model: inconsistent if a part has none, else the least that is known."""
    parts = [verdict for _, verdict in prover.consistent()]
    for status in ("inconsistent", "error", "unknown"):
        for verdict in parts:
            if verdict.status == status:
                return verdict
    from kleis.prover.protocol.verdict import Verdict as _Verdict

    return parts[0] if parts else _Verdict(status="consistent", message="nothing is declared")
