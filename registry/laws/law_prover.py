"""The prover as laws use it: one broker for all questions of a process, a theory of tools for each.

Everything of `kleis.prover` is imported when the first law is asked, so a registry without laws never loads solvers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

import msgspec

from kleis.core import Carrier
from kleis.errors import KleisError
from kleis.prover.known_laws import Useful, useful_laws
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression, TypeExpression
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory
from pif.language.terms import Json
from registry.laws.certificates import check_text, shown_before, text_of

if TYPE_CHECKING:
    from kleis.core.goal import Goal
    from kleis.elaborate.elaborator import Elaborator
    from kleis.prover.portfolio import Entry
    from kleis.prover.process.broker import Broker
    from kleis.prover.process.deadline import Deadline
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Decision
    from kleis.prover.verdict_cache import Verdicts

__all__ = ["Depth", "LawProver", "Proof"]

_SHORT = 150_000
"""Steps of Z3 that suffice for most laws of tools without recursion."""

_OPAQUE = 1_000_000
"""Steps of Z3 on laws that hold whatever the recursive tools in them compute."""

_FIRST_INDUCTION = 3_000_000
"""Steps of an induction without a long search."""

Depth = Literal["short", "induction", "all"]
"""How far the order is followed: the short attempts and computing, the first induction too, or all of it."""

_DEPTHS: dict[Depth, int | None] = {"short": 4, "induction": 5, "all": None}


@cache
def _order() -> tuple[Entry, ...]:
    """The published order with short attempts before it: most laws of tools are short proofs, or inductions.

    What these leave open is asked in the published order.
    """
    from kleis.prover.portfolio import ORDER, Entry

    short = Entry("kleis.prover.engines.solvers.script_engines:PROOFS", "prove", _SHORT, cpu=4)
    opaque = Entry("kleis.prover.engines.solvers.script_engines:OPAQUE", "prove", _OPAQUE, cpu=4)
    induction = Entry("kleis.prover.engines.induction.engine:INDUCTION", "prove", _FIRST_INDUCTION, cpu=12)
    return (short, opaque, *ORDER[:2], induction, *ORDER[2:])


class Proof(msgspec.Struct, frozen=True):
    """The text of a certificate, or the reason why there is none."""

    certificate: str | None
    reason: str = ""


class LawProver:
    """Asks the prover about theories of tools. Safe in threads; `close` ends the worker.

    `cache` is the directory of cached verdicts; without one they are kept as long as the process lasts.
    """

    deadline: Deadline | None = None
    """When answers are wanted; None for no limit."""

    effort: int = 1
    """By how much the budgets of engines are multiplied."""

    def __init__(self, cache: Path | None = None) -> None:
        self._directory = cache
        self._lock = threading.Lock()
        self._broker: Broker | None = None
        self._cache: Verdicts | None = None
        self._last = threading.local()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, if there is one. The next question starts another."""
        with self._lock:
            broker, self._broker = self._broker, None
        if broker is not None:
            broker.close()

    def abandoned(self) -> bool:
        """Whether the caller has left: the stop flag of analyses."""
        return self.deadline is not None and self.deadline.abandoned

    def broker(self) -> Broker:
        """The broker, started if needed."""
        from kleis.prover.process.broker import Broker

        with self._lock:
            if self._broker is None:
                self._broker = Broker()
            return self._broker

    def verify(
        self, theory: Theory, claim: Expression, lemmas: Sequence[Expression] = (), depth: Depth = "all"
    ) -> Verdict:
        """The verdict on a proposition over the tools of a theory."""
        return self.decide(theory, claim, lemmas, depth).verdict

    def decide(
        self, theory: Theory, claim: Expression, lemmas: Sequence[Expression] = (), depth: Depth = "all"
    ) -> Decision:
        """The same with the engine's answer, unless the verdict was cached."""
        from kleis.prover.prover import Prover

        return Prover(
            theory,
            broker=self.broker(),
            order=_order()[: _DEPTHS[depth]],
            cache=self._verdicts(),
            effort=self.effort,
            cvc5=find_spec("cvc5") is not None,
            elaborator=self._elaborator(theory),
        ).decide(claim, lemmas=lemmas, file="<law>")

    def useful(self, theory: Theory, claim: Expression, laws: Sequence[Expression]) -> Useful:
        """Which laws over the tools of a theory settle a claim directly, or make it smaller. Nothing is proved."""
        goal = self._claimed(theory, claim)
        if goal is None or goal.claim is None:
            return Useful()
        known = [(place, self._claimed(theory, each)) for place, each in enumerate(laws)]
        read = [
            (place, each.claim)
            for place, each in known
            if each is not None and each.claim not in (None, goal.claim)
        ]
        found = useful_laws(goal.claim, [formula for _, formula in read if formula is not None])
        return Useful(tuple(read[each][0] for each in found.places), found.settles)

    def types(self, theory: Theory, claim: Expression) -> tuple[TypeExpression, ...]:
        """The types of the terms of a claim and what these are made of; none where it has no meaning in the theory."""
        from kleis.core.traversal import sorts_of
        from kleis.delaborate.print_types import type_of, writable

        goal = self._claimed(theory, claim)
        if goal is None or goal.claim is None:
            return ()
        written = [type_of(each) for each in dict.fromkeys(sorts_of(goal.claim)) if writable(each)]
        parts = (part for each in written for part in walk(each) if isinstance(part, TypeExpression))
        return tuple(dict.fromkeys(parts))

    def carriers(self, theory: Theory, claim: Expression) -> tuple[str, ...]:
        """The names of types in a claim that nothing declares."""
        goal = self._claimed(theory, claim)
        return () if goal is None else tuple(each.name for each in goal.carriers if isinstance(each, Carrier))

    def auxiliary(self, theory: Theory, claim: Expression, certificate: str) -> tuple[Expression, ...]:
        """The laws that a certificate of a claim shows on its way: lemmas that an induction found."""
        goal = self._claimed(theory, claim)
        return () if goal is None else shown_before(certificate, goal, self._elaborator(theory))

    def _claimed(self, theory: Theory, claim: Expression) -> Goal | None:
        """A claim with its meaning; None where it has none in the theory."""
        try:
            return self._elaborator(theory).proposition(claim, file="<law>")
        except KleisError:
            return None

    def _elaborator(self, theory: Theory) -> Elaborator:
        """One elaborator for successive questions of a thread about one theory: a law, its vacuity, its certificate."""
        from kleis.elaborate.elaborator import Elaborator

        kept: tuple[Theory, Elaborator] | None = getattr(self._last, "elaborator", None)
        if kept is None or kept[0] is not theory:
            kept = self._last.elaborator = (theory, Elaborator(theory))
        return kept[1]

    def _verdicts(self) -> Verdicts:
        from kleis.prover.verdict_cache import RecentVerdicts, VerdictCache

        with self._lock:
            if self._cache is None:
                directory = self._directory
                self._cache = RecentVerdicts() if directory is None else VerdictCache(directory)
            return self._cache

    def certified(
        self,
        theory: Theory,
        claim: Expression,
        decision: Decision,
        lemmas: Sequence[Expression] = (),
        depth: Depth = "all",
    ) -> Proof:
        """The certificate of a decision, which has passed its check."""
        from kleis.prover.certificates.build import Question, build
        from kleis.prover.checker.format import CertificateError

        shown = [
            (print_expression(each), self.verify(theory, each, lemmas[:place], depth))
            for place, each in enumerate(lemmas)
        ]
        question = Question(print_expression(claim), "", tuple(shown))
        try:
            certificate = build(
                self.broker(), theory, question, decision.verdict, order=_order(), answer=decision.answer,
                elaborator=self._elaborator(theory),
            )  # fmt: skip
        except CertificateError as error:
            return Proof(None, error.message)
        return Proof(text_of(certificate))

    def check(self, certificate: str) -> list[Json]:
        """The findings of the check of a certificate's text: everything in it is parsed and decided again."""
        return check_text(certificate, self.broker())

    @contextmanager
    def within(self, deadline: Deadline, *, effort: int = 1) -> Iterator[LawProver]:
        """The same under a deadline: when it is over, what runs is stopped and nothing more begins.

        A verdict that was cut is not cached. The worker and the cache are shared.
        """
        from kleis.prover.process.cancellable_broker import CancellableBroker

        with CancellableBroker(self.broker()).until(deadline) as broker:
            yield _DeadlineProver(self, broker, deadline, effort)


class _DeadlineProver(LawProver):
    """A prover whose broker is stopped at a deadline. It owns nothing."""

    def __init__(self, shared: LawProver, broker: Broker, deadline: Deadline, effort: int) -> None:
        super().__init__()
        self.deadline = deadline
        self.effort = effort
        self._shared = shared
        self._bounded = broker

    def broker(self) -> Broker:
        """The shared broker, until the deadline is over."""
        return self._bounded

    def _verdicts(self) -> Verdicts:
        return self._shared._verdicts()
