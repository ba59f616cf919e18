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
from typing import TYPE_CHECKING, Self

import msgspec

from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory
from pif.language.terms import Json
from registry.laws.certificates import check_text, text_of

if TYPE_CHECKING:
    from kleis.elaborate.elaborator import Elaborator
    from kleis.prover.portfolio import Entry
    from kleis.prover.process.broker import Broker
    from kleis.prover.process.deadline import Deadline
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Decision
    from kleis.prover.verdict_cache import VerdictCache

__all__ = ["LawProver", "Proof"]

_SHORT = 150_000
"""Steps of Z3 that suffice for most laws of tools without recursion."""

_OPAQUE = 1_000_000
"""Steps of Z3 on laws that hold whatever the recursive tools in them compute."""

_FIRST_INDUCTION = 3_000_000
"""Steps of an induction without a long search."""


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

    `cache` is the directory of cached verdicts, None for no cache.
    """

    deadline: Deadline | None = None
    """When answers are wanted; None for no limit."""

    effort: int = 1
    """By how much the budgets of engines are multiplied."""

    def __init__(self, cache: Path | None = None) -> None:
        self._directory = cache
        self._lock = threading.Lock()
        self._broker: Broker | None = None
        self._cache: VerdictCache | None = None
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

    def verify(self, theory: Theory, claim: Expression, lemmas: Sequence[Expression] = ()) -> Verdict:
        """The verdict on a proposition over the tools of a theory."""
        return self.decide(theory, claim, lemmas).verdict

    def decide(self, theory: Theory, claim: Expression, lemmas: Sequence[Expression] = ()) -> Decision:
        """The same with the engine's answer, unless the verdict was cached."""
        from kleis.prover.prover import Prover

        return Prover(
            theory,
            broker=self.broker(),
            order=_order(),
            cache=self._verdicts(),
            effort=self.effort,
            cvc5=find_spec("cvc5") is not None,
            elaborator=self._elaborator(theory),
        ).decide(claim, lemmas=lemmas, file="<law>")

    def _elaborator(self, theory: Theory) -> Elaborator:
        """One elaborator for successive questions of a thread about one theory: a law, its vacuity, its certificate."""
        from kleis.elaborate.elaborator import Elaborator

        kept: tuple[Theory, Elaborator] | None = getattr(self._last, "elaborator", None)
        if kept is None or kept[0] is not theory:
            kept = self._last.elaborator = (theory, Elaborator(theory))
        return kept[1]

    def _verdicts(self) -> VerdictCache | None:
        from kleis.prover.verdict_cache import VerdictCache

        if self._directory is None:
            return None
        with self._lock:
            if self._cache is None:
                self._cache = VerdictCache(self._directory)
            return self._cache

    def certified(
        self, theory: Theory, claim: Expression, decision: Decision, lemmas: Sequence[Expression] = ()
    ) -> Proof:
        """The certificate of a decision, which has passed its check."""
        from kleis.prover.certificates.build import Question, build
        from kleis.prover.checker.format import CertificateError

        shown = [
            (print_expression(each), self.verify(theory, each, lemmas[:place]))
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

    def _verdicts(self) -> VerdictCache | None:
        return self._shared._verdicts()
