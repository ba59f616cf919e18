"""Provers kept per theory, each for one question at a time that a deadline stops.

Invariant: a prover whose question was stopped is not used again: what it remembers of its axioms may be incomplete.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.process.deadline import Deadline

if TYPE_CHECKING:
    from kleis.prover.kept_certificates import Elsewhere
    from kleis.prover.prover import Prover
    from kleis.prover.verdict_cache import VerdictCache
    from kleis.theory.name_dependencies import Texts
    from kleis.theory.theory import Theory

__all__ = ["Provers"]

_KEPT = 16


class Provers:
    """Provers by theory, made when needed and kept while they are idle.  Safe to use from several threads."""

    def __init__(
        self, broker: Broker, verdicts: VerdictCache | None, elsewhere: Elsewhere | None = None
    ) -> None:
        """`elsewhere`: verdicts that other machines found."""
        self.elsewhere = elsewhere
        self.broker = broker
        self.verdicts = verdicts
        self._lock = threading.Lock()
        self._texts: Texts = {}
        self._busy: list[CancellableBroker] = []
        self._idle: OrderedDict[tuple[int, int], tuple[Theory, list[tuple[Prover, CancellableBroker]]]] = (
            OrderedDict()
        )

    @contextmanager
    def prover(self, theory: Theory, deadline: Deadline, *, effort: int = 1) -> Iterator[Prover]:
        """A prover for one question about a theory, stopped when the deadline is over."""
        prover, cancellable = self._take(theory, effort)
        with self._lock:
            self._busy.append(cancellable)
        try:
            with cancellable.until(deadline):
                yield prover
        finally:
            with self._lock:
                self._busy.remove(cancellable)
            if not cancellable.stopped:
                prover.answers.clear()  # whoever wanted a certificate has made it
                self._give_back(theory, (prover, cancellable))

    def under_way(self) -> tuple[tuple[str, float], ...]:
        """The jobs that run now for any question, each with the seconds since it began."""
        with self._lock:
            busy = tuple(self._busy)
        return tuple(job for each in busy for job in each.under_way())

    def _take(self, theory: Theory, effort: int) -> tuple[Prover, CancellableBroker]:
        from kleis.elaborate.elaborator import Elaborator
        from kleis.prover.prover import Prover

        with self._lock:
            kept = self._idle.get((id(theory), effort))
            if kept is not None and kept[1]:
                return kept[1].pop()
        cancellable = CancellableBroker(self.broker)
        elaborator = Elaborator(theory, texts=self._texts)
        prover = Prover(
            theory,
            broker=cancellable,
            cache=self.verdicts,
            elsewhere=self.elsewhere,
            effort=effort,
            elaborator=elaborator,
        )
        return prover, cancellable

    def _give_back(self, theory: Theory, prover: tuple[Prover, CancellableBroker]) -> None:
        with self._lock:
            key = id(theory), prover[0].effort
            self._idle.setdefault(key, (theory, []))[1].append(prover)
            self._idle.move_to_end(key)
            while len(self._idle) > _KEPT:
                self._idle.popitem(last=False)
