"""The portfolio: which engines run, in which order, with how many steps, and whose answer counts.

See docs/reference/proving.md §6.

Two chains run side by side, one that proves and one that refutes.  The *published order* is one list over both: an
answer counts when every engine before it has finished its budget, so the verdict depends on the order and the
budgets, never on which process was faster.  Engines after a definite answer are stopped.

An engine stopped by a time or memory limit gives no answer; the verdict records the limit and is not cached.

The first of the order decides small claims in milliseconds. It does so in this process where they are small enough
(`small_claims`), and no solver is made ready before it has had a while: loading one takes longer than all the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.tally import TALLY
from kleis.prover.protocol.engine import Answer, Engine, Task, load_engine
from kleis.prover.protocol.recorded_answers import Recorded
from kleis.prover.protocol.verdict import Attempt, Reason

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = [
    "ASKING_NO_SOLVER",
    "COMPUTING",
    "LOOK",
    "MOST_EFFORT",
    "ORDER",
    "PRELOAD",
    "PURE",
    "Chain",
    "Entry",
    "Outcome",
    "run_portfolio",
    "with_effort",
]

Chain = Literal["prove", "refute"]


class Entry(msgspec.Struct, frozen=True):
    """One engine in the published order.  `cpu` is its limit in seconds: several times what its steps take."""

    engine: str
    chain: Chain
    steps: int
    cpu: int = 8
    extra: str = ""
    """The optional package it needs."""
    late: bool = False
    """Whether it is for claims only, and left out when axioms are tried alone."""
    quick: bool = False
    """Whether it looks for a model of axioms before anything tries to refute them."""


_ENGINES = "kleis.prover.engines"

ORDER: tuple[Entry, ...] = (
    Entry(f"{_ENGINES}.computation.evaluation:EVALUATION", "prove", 300_000, cpu=5),
    Entry(f"{_ENGINES}.computation.enumeration:ENUMERATION", "refute", 50_000),
    Entry(f"{_ENGINES}.models.finite_models:FiniteModels", "refute", 40_000, quick=True),
    Entry(f"{_ENGINES}.completion.engine:CompletionProofs", "prove", 10_000, cpu=4, late=True),
    Entry(f"{_ENGINES}.superposition.engine:Superposition", "prove", 10_000, cpu=4, late=True),
    Entry(f"{_ENGINES}.models.catalogue.engine:CONSTRUCTIONS", "refute", 6_000_000, cpu=8),
    Entry(f"{_ENGINES}.completion.engine:CompletionProofs", "prove", 30_000, cpu=4, late=True),
    Entry(f"{_ENGINES}.superposition.engine:Superposition", "prove", 40_000, cpu=4, late=True),
    Entry(f"{_ENGINES}.models.finite_models:FiniteModels", "refute", 1_500_000),
    Entry(f"{_ENGINES}.completion.engine:Completion", "prove", 60_000),
    Entry(f"{_ENGINES}.superposition.engine:Superposition", "prove", 60_000, cpu=6, late=True),
    Entry(f"{_ENGINES}.solvers.open_languages:LANGUAGES", "prove", 16_000_000, cpu=10, late=True),
    Entry(f"{_ENGINES}.solvers.open_languages:SAMPLES", "refute", 8_000_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.regular.engine:REGULAR", "prove", 2_000_000, cpu=8),
    Entry(f"{_ENGINES}.computation.remainders:REMAINDERS", "prove", 1_500_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.computation.rational_roots:RATIONAL_ROOTS", "prove", 300_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.induction.law_search:BY_MEASURE", "prove", 4_000_000, cpu=16),
    Entry(f"{_ENGINES}.laws.engine:IDENTITIES", "prove", 1_000_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.laws.engine:SUMS", "prove", 500_000, cpu=8, late=True),
    Entry("kleis.prover.engines.solvers.script_engines:DIRECT", "prove", 1_000_000, cpu=8),
    Entry(f"{_ENGINES}.laws.engine:LAWS", "prove", 400_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.computation.existentials:WITNESSES", "prove", 400_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.computation.intervals:INTERVALS", "prove", 400_000, cpu=8, late=True),
    Entry("kleis.prover.engines.solvers.instantiation:OVERLAPS", "prove", 300_000, cpu=4),
    Entry(f"{_ENGINES}.solvers.residues:RESIDUES", "prove", 400_000, cpu=6),
    Entry(f"{_ENGINES}.induction.engine:INDUCTION", "prove", 3_200_000, cpu=10, late=True),
    Entry(f"{_ENGINES}.induction.law_search:OF_TREES", "prove", 350_000, cpu=6, late=True),
    Entry(f"{_ENGINES}.induction.law_search:LAWS", "prove", 700_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.induction.engine:INDUCTION", "prove", 8_000_000, cpu=16),
    Entry(f"{_ENGINES}.induction.law_search:OF_TREES", "prove", 3_000_000, cpu=12),
    Entry(f"{_ENGINES}.induction.law_search:LAWS", "prove", 8_000_000, cpu=16),
    Entry(f"{_ENGINES}.models.standard_models:INTERPRETATIONS", "refute", 2_000_000, cpu=10),
    Entry(f"{_ENGINES}.denials.engine:DENIALS", "refute", 1_200_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.solvers.instantiation:INSTANTIATION", "prove", 1_000_000, cpu=5),
    Entry(f"{_ENGINES}.solvers.cvc5_engine:CVC5_FINITE", "refute", 60_000, cpu=5, extra="cvc5", late=True),
    Entry(f"{_ENGINES}.solvers.cvc5_engine:CVC5", "prove", 60_000, cpu=5, extra="cvc5", late=True),
    Entry(f"{_ENGINES}.solvers.cvc5_engine:CVC5_INDUCTION", "prove", 60_000, cpu=5, extra="cvc5", late=True),
    Entry("kleis.prover.engines.solvers.script_engines:EMATCHING", "prove", 500_000, cpu=4, late=True),
    Entry("kleis.prover.engines.solvers.script_engines:OPAQUE", "prove", 1_000_000, cpu=4, late=True),
    Entry(f"{_ENGINES}.superposition.engine:ConditionalSuperposition", "prove", 300_000, cpu=30, late=True),
    Entry(f"{_ENGINES}.completion.engine:WeighingCompletion", "prove", 2_000_000, cpu=90, late=True),
    Entry(f"{_ENGINES}.superposition.engine:Superposition", "prove", 650_000, cpu=60, late=True),
    Entry(f"{_ENGINES}.models.finite_models:FiniteModels", "refute", 8_000_000, cpu=10, late=True),
    Entry(f"{_ENGINES}.completion.engine:Completion", "prove", 200_000, cpu=12, late=True),
    Entry(f"{_ENGINES}.computation.evaluation:EVALUATION", "prove", 3_000_000, cpu=20, late=True),
    Entry(f"{_ENGINES}.induction.engine:PATIENT_INDUCTION", "prove", 3_000_000, cpu=8, late=True),
    Entry("kleis.prover.engines.solvers.script_engines:RESTARTS", "prove", 2_000_000, cpu=6, late=True),
    Entry(f"{_ENGINES}.solvers.instantiation:INSTANTIATION", "prove", 2_500_000, cpu=6, late=True),
    Entry(f"{_ENGINES}.solvers.script_engines:WITH_EQUATIONS", "prove", 1_000_000, cpu=5, late=True),
    Entry(f"{_ENGINES}.induction.number_search:OF_NUMBERS", "prove", 4_000_000, cpu=8, late=True),
    Entry(f"{_ENGINES}.computation.existentials:QUOTIENTS", "prove", 800_000, cpu=8, late=True),
)
"""The published order."""

LOOK: tuple[Entry, ...] = (
    Entry(f"{_ENGINES}.models.finite_models:FiniteModels", "refute", 40_000, cpu=1, quick=True),
    Entry(f"{_ENGINES}.completion.engine:Completion", "prove", 10_000, cpu=1),
    Entry("kleis.prover.engines.solvers.script_engines:DIRECT", "prove", 100_000, cpu=1),
)
"""The order for a look at axioms that takes little time and may tell nothing."""

PRELOAD = ("z3", f"{_ENGINES}.solvers.runs:warm_up")
"""What the worker has ready for its children: Z3, loaded, and used once in each of them."""

COMPUTING = frozenset(
    {f"{_ENGINES}.computation.evaluation:EVALUATION", f"{_ENGINES}.computation.enumeration:ENUMERATION"}
)
"""The engines that compute, and need no termination arguments."""

ASKING_NO_SOLVER = COMPUTING | {
    f"{_ENGINES}.completion.engine:Completion",
    f"{_ENGINES}.completion.engine:CompletionProofs",
    f"{_ENGINES}.completion.engine:WeighingCompletion",
    f"{_ENGINES}.computation.intervals:INTERVALS",
    f"{_ENGINES}.computation.rational_roots:RATIONAL_ROOTS",
    f"{_ENGINES}.models.catalogue.engine:CONSTRUCTIONS",
    f"{_ENGINES}.regular.engine:REGULAR",
    f"{_ENGINES}.superposition.engine:ConditionalSuperposition",
    f"{_ENGINES}.superposition.engine:Superposition",
}
"""The engines that ask no solver: a process for them has none ready, which is most of what one costs."""

_EVALUATION = ORDER[0].engine

_AWHILE = 1.0
"""Seconds for which engines that ask a solver wait for evaluation, which is before them in the order."""

PURE = ASKING_NO_SOLVER | {f"{_ENGINES}.models.finite_models:FiniteModels"}
"""The engines whose answers, to the step, do not depend on what ran before in their process: one process runs many."""

DEFINITE = frozenset({"proved", "refuted", "model", "inconsistent"})

Confirm = Callable[[Answer], Answer]
"""Turns an answer with an unchecked witness into one whose witness is evidence, or into one that gives up."""


MOST_EFFORT = 100
"""The largest factor by which budgets are raised."""


def with_effort(order: Sequence[Entry], effort: int) -> tuple[Entry, ...]:
    """The order with the budget of every engine, and its limit of time, `effort` times as large."""
    return tuple(
        msgspec.structs.replace(each, steps=each.steps * effort, cpu=each.cpu * effort) for each in order
    )


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of the portfolio: the entry and answer that count, and what every engine did."""

    entry: Entry | None
    answer: Answer | None
    attempts: tuple[Attempt, ...]
    reasons: tuple[Reason, ...]
    """Why engines before the answer gave up."""
    recorded: tuple[Recorded, ...] = ()
    """What these engines answered, with witnesses as they were found."""

    @property
    def cut(self) -> bool:
        """Whether a time or memory limit stopped an engine before the answer."""
        return "killed" in self.reasons or "memory" in self.reasons


def engine_of(entry: Entry) -> Engine:
    """The engine itself, for asking whether it applies."""
    return load_engine(entry.engine)


def run_portfolio(
    broker: Broker,
    task: Task,
    *,
    order: Sequence[Entry] = ORDER,
    chains: Sequence[Chain] = ("prove", "refute"),
    confirm: Confirm,
    guards: float = 1.0,
    beside: bool = True,
) -> Outcome:
    """Run the engines that apply, both chains side by side (`beside`) or in one, until an answer counts.

    `guards` multiplies the time limits, for loaded machines; it changes no verdict that no limit had a part in.
    Where only proofs are asked for, a model that the last engine claims of axioms is no answer, and is not checked.
    """
    entries = [(place, entry) for place, entry in enumerate(order) if entry.chain in chains]
    return _Race(broker, task, entries, confirm, guards, beside).run()


class _Race:
    """One run: what is running, what is finished, and the best answer so far."""

    def __init__(
        self,
        broker: Broker,
        task: Task,
        entries: Sequence[tuple[int, Entry]],
        confirm: Confirm,
        guards: float,
        beside: bool,
    ) -> None:
        self._broker = broker
        self._task = task
        self._confirm = confirm
        self._guards = guards
        chains = [[each for each in entries if each[1].chain == chain] for chain in ("prove", "refute")]
        self._chains = chains if beside else [list(entries)]
        proofs_only = bool(entries) and not chains[1] and task.goal.claim is None
        self._needless = entries[-1][0] if proofs_only else None
        self._running: dict[Future[Answer], tuple[int, Entry, int, float]] = {}
        self._done: dict[int, tuple[Entry, Answer, float]] = {}
        self._recorded: dict[int, Recorded] = {}
        self._left_out: set[int] = set()
        self._best: int | None = None
        self._first = entries[0] if entries and entries[0][1].engine == _EVALUATION else None

    def run(self) -> Outcome:
        """Run until every engine before the best answer is done."""
        if self._proved_here():
            return self._outcome()

        from concurrent.futures import FIRST_COMPLETED, wait

        for chain in self._chains:
            self._start(chain)
        while self._running:
            finished, _ = wait(self._running, self._patience(), return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=lambda each: self._running[each][0]):
                self._finish(future)
            self._stop_later()
            for chain in self._chains:
                if not any(entry in chain for entry in self._active()):
                    self._start(chain)
        return self._outcome()

    def _proved_here(self) -> bool:
        """Whether the first engine of the order is evaluation, and has proved a small claim in this process."""
        if self._first is None:
            return False

        from kleis.prover.small_claims import STEPS, proved_at_once  # like engines: with the first question

        if self._first[1].steps < STEPS:
            return False
        begun = time.monotonic()
        answer = proved_at_once(self._task)
        if answer is None:
            return False
        place, entry = self._first
        TALLY.add(entry.engine, answer)
        self._recorded[place] = Recorded(entry.engine, self._task, entry.steps, answer)
        self._done[place] = (entry, answer, time.monotonic() - begun)
        self._best = place
        return True

    def _patience(self) -> float | None:
        """Seconds for which engines that ask a solver still wait for evaluation; None where they do not."""
        for place, _, _, begun in self._running.values():
            if self._first is not None and place == self._first[0]:
                left = begun + _AWHILE - time.monotonic()
                return left if left > 0 else None
        return None

    def _active(self) -> list[tuple[int, Entry]]:
        return [(place, entry) for place, entry, _, _ in self._running.values()]

    def _start(self, chain: list[tuple[int, Entry]]) -> None:
        """Start the next engine of a chain, if it could still count."""
        for place, entry in chain:
            if place in self._done or place in self._left_out or (place, entry) in self._active():
                continue
            if (self._best is None or place < self._best) and not engine_of(entry).applies(self._task):
                self._left_out.add(place)  # asked when its turn comes: mostly an earlier engine decides
                continue
            if self._best is None or place < self._best:
                limits = Guards(cpu=int(entry.cpu * self._guards) or 1, wall=entry.cpu * self._guards * 3 + 2)
                preload = () if entry.engine in ASKING_NO_SOLVER else PRELOAD
                if preload and self._patience() is not None:
                    return
                number, future = self._broker.submit(
                    entry.engine,
                    self._task,
                    entry.steps,
                    guards=limits,
                    preload=preload,
                    pure=entry.engine in PURE,
                )
                self._running[future] = (place, entry, number, time.monotonic())
            return

    def _finish(self, future: Future[Answer]) -> None:
        place, entry, _, begun = self._running.pop(future)
        answer = future.result()
        self._recorded[place] = Recorded(entry.engine, self._task, entry.steps, answer)
        if answer.outcome == "model" and place == self._needless:
            answer = Answer(
                outcome="silent", reason="incomplete", detail="no contradiction", steps=answer.steps
            )
        elif answer.outcome in ("refuted", "model"):
            answer = self._confirm(answer)
        self._done[place] = (entry, answer, time.monotonic() - begun)
        if answer.outcome in DEFINITE and (self._best is None or place < self._best):
            self._best = place

    def _stop_later(self) -> None:
        """Stop the engines after the best answer."""
        if self._best is None:
            return
        for place, _, number, _ in self._running.values():
            if place > self._best:
                self._broker.cancel(number)

    def _outcome(self) -> Outcome:
        counted = {
            place: each
            for place, each in sorted(self._done.items())
            if self._best is None or place <= self._best
        }
        attempts = tuple(
            Attempt(engine_of(entry).name, answer.outcome, answer.detail, answer.steps, round(seconds, 3))
            for entry, answer, seconds in counted.values()
        )
        reasons = tuple(answer.reason for _, answer, _ in counted.values() if answer.reason is not None)
        recorded = tuple(self._recorded[place] for place in counted)
        if self._best is None:
            return Outcome(None, None, attempts, reasons, recorded)
        entry, answer, _ = self._done[self._best]
        return Outcome(entry, answer, attempts, reasons, recorded)
