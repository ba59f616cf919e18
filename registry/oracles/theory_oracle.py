"""The theory that runs ask: `pif.language.host.Theory` over a Kleis theory and its prover (docs/reference/registry.md §10).

A `TheorySnapshot` is made once for a theory; every run gets its own view by `for_run`. `Snapshots` keeps one for the
present state of each session: a session that has changed gets a new one, while runs keep theirs.

Invariants, beside those of `pif.language.host`
    * Every engine works within its own budget of steps, and `fuel` is computed from the steps used, so it is the same for
      a cached verdict.
    * Where a time or memory limit cut an engine, or the run was cancelled, the answer is not cached, and the prover is
      not used again: it may have cached that engines gave up.
    * One snapshot answers one question at a time; questions from other threads wait, and can be cancelled meanwhile.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from kleis.budget import Budget
from kleis.errors import KleisError
from kleis.evaluator.environment import Environment, environment_of
from kleis.evaluator.evaluate import evaluated
from kleis.prover.kept_certificates import Elsewhere
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Decision, Prover
from kleis.prover.verdict_cache import VerdictCache
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory
from pif.language.errors import PifError, nearest
from pif.language.host import Answer, Question, Refusal
from pif.language.terms import Term, term_text
from pif.language.values import Value, list_of
from registry.oracles.answer_records import (
    axiom_records,
    kleis_value,
    operation_records,
    parts_of,
    structure_records,
    verdict_record,
)
from registry.oracles.quoted_terms import KleisTermError, expression_of

__all__ = ["LONGEST", "Snapshots", "TheoryRun", "TheorySnapshot"]

LONGEST = 20_000
"""Characters of a question."""

_KEPT = 500_000
"""Parts of the answers that a snapshot caches, with `_QUESTION` for each question."""

_QUESTION = 20

_STEPS = 1_000_000
_EVALUATION = Budget(steps=_STEPS, depth=10_000, size=100_000)

# Fuel of an answer: 1 for so many steps of an engine, for each engine, 1 for so many steps of the evaluator, for each part.
_STEPS_A_UNIT = 1_000
_ENGINE = 100
_EVALUATED_A_UNIT = 10
_PART = 4

_POLL = 0.05
"""Seconds between looks at whether a run was cancelled."""

Key = tuple[str, str]
Cancelled = Callable[[], bool] | None


class TheorySnapshot:
    """One theory, for any number of runs. `name` stands for it in messages; `guards` multiplies the time and memory limits
    of engines (for loaded machines); without a `broker` it starts one of its own, which `close` ends; `elsewhere` is the prover's."""

    def __init__(
        self,
        theory: Theory,
        *,
        name: str = "theory",
        broker: Broker | None = None,
        cache: VerdictCache | None = None,
        guards: float = 2.0,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.theory = theory
        self.name = name
        self._own = broker is None
        self._broker = broker or Broker()
        self._cache = cache
        self._guards = guards
        self._elsewhere = elsewhere
        self._lock = threading.Lock()
        self._answers: OrderedDict[Key, Answer | Refusal] = OrderedDict()
        self._weight = 0
        self._prover: Prover | None = None
        self._attempts: CancellableBroker | None = None
        self._environment: Environment | None = None

    def close(self) -> None:
        """Stop what is running, and the broker if it is this snapshot's own."""
        if self._attempts is not None:
            self._attempts.stop()
        if self._own:
            self._broker.close()

    def helped(self, elsewhere: Elsewhere) -> TheorySnapshot:
        """The same theory for one caller, with what other machines have found. The broker and the cache are shared."""
        return TheorySnapshot(
            self.theory, name=self.name, broker=self._broker, cache=self._cache, guards=self._guards, elsewhere=elsewhere
        )  # fmt: skip

    def for_run(self, *, until: float | None = None) -> TheoryRun:
        """The view of one run. `until`: the moment (of `time.monotonic`) after which it gets no more answers."""
        return TheoryRun(self, until)

    def answer(
        self, operation: str, question: Question, cancelled: Cancelled
    ) -> tuple[Answer | Refusal, bool]:
        """The answer, and whether it may be cached beyond the run."""
        key = (operation, _text_of(question))
        self._wait(cancelled)
        try:
            kept = self._answers.get(key)
            if kept is not None:
                self._answers.move_to_end(key)
                return kept, True
            found, stays = self._found(operation, question, cancelled)
            if stays:
                self._keep(key, found)
            return found, stays
        finally:
            self._lock.release()

    def _keep(self, key: Key, found: Answer | Refusal) -> None:
        self._answers[key] = found
        self._weight += _weight(key, found)
        while self._weight > _KEPT and len(self._answers) > 1:
            self._weight -= _weight(*self._answers.popitem(last=False))

    def _wait(self, cancelled: Cancelled) -> None:
        while not self._lock.acquire(timeout=_POLL):
            _look(cancelled)

    def _found(
        self, operation: str, question: Question, cancelled: Cancelled
    ) -> tuple[Answer | Refusal, bool]:
        match operation:
            case "kleis":
                return self._evaluated(question), True
            case "verify":
                return self._verified(question, cancelled)
            case "structures":
                return _listed(structure_records(self.theory)), True
            case _:
                return self._members(operation, str(question)), True

    # ── Expressions and propositions ─────────────────────────────────────────────────────────────────────────────

    def _evaluated(self, question: Question) -> Answer | Refusal:
        try:
            expression = _expression(question)
            if self._environment is None:
                self._environment = environment_of(self.theory)
        except KleisError as error:
            return Refusal(error.message, found=_shortened(question), hint=error.hint or None)
        except KleisTermError as error:
            return Refusal(f"{error.message} (at {error.path or 'the root'})", hint=error.hint)
        done, steps = evaluated(expression, self._environment, _EVALUATION)
        fuel = steps // _EVALUATED_A_UNIT
        if isinstance(done, KleisError):
            return Refusal(done.message, fuel, found=_shortened(question), hint=done.hint or None)
        value = kleis_value(done.value)
        return Answer(value, fuel + _PART * parts_of(value))

    def _verified(self, question: Question, cancelled: Cancelled) -> tuple[Answer | Refusal, bool]:
        try:
            proposition = _expression(question)
        except KleisError as error:
            return _answered(verdict_record(_shortened(question), problem=_said(error)), 0), True
        except KleisTermError as error:
            text = f"{error.message} (at {error.path or 'the root'}). {error.hint}"
            return _answered(verdict_record(_shortened(question), problem=text), 0), True
        verdict = self._decided(proposition, cancelled)
        if verdict is None:
            return Refusal(
                "a guard on time or memory ended an engine, so there is no answer",
                found=_shortened(question),
                hint="Ask again when the machine is less busy, or ask something smaller.",
            ), False
        used = sum(each.steps // _STEPS_A_UNIT + _ENGINE for each in verdict.attempts)
        return _answered(verdict_record(print_expression(proposition), verdict), used), True

    def verdict(
        self, proposition: Expression, cancelled: Cancelled = None, *, effort: int = 1
    ) -> Verdict | None:
        """The verdict on a proposition; None where a limit on time or memory cut an engine. Raises `PifError` of kind
        `cancelled`."""
        self._wait(cancelled)
        try:
            return self._decided(proposition, cancelled, effort)
        finally:
            self._lock.release()

    def _decided(self, proposition: Expression, cancelled: Cancelled, effort: int = 1) -> Verdict | None:
        prover, attempts = self._ready(effort)
        decision = _cancellable(prover, attempts, proposition, cancelled)
        verdict = decision.verdict
        unsure = attempts.cut and verdict.status in ("verified", "unknown")
        if attempts.cut or attempts.stopped:
            self._prover = None
        _look(cancelled)
        return None if decision.cut or unsure else verdict

    def _ready(self, effort: int) -> tuple[Prover, CancellableBroker]:
        if self._prover is None or self._attempts is None or self._prover.effort != effort:
            self._attempts = CancellableBroker(self._broker)
            self._prover = Prover(
                self.theory, broker=self._attempts, cache=self._cache, guards=self._guards, effort=effort,
                elsewhere=self._elsewhere,
            )  # fmt: skip
        return self._prover, self._attempts

    # ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────

    def _members(self, operation: str, name: str) -> Answer | Refusal:
        if name not in self.theory.structures:
            close = nearest(name, self.theory.structures)
            return Refusal(
                f"there is no structure {name[:40]}",
                found=name[:40],
                expected="a structure of the theory",
                hint=f"Did you mean {close}?" if close else '{"structures": null} lists them.',
            )
        try:
            records = (axiom_records if operation == "axioms" else operation_records)(self.theory, name)
        except KleisError as error:
            return Refusal(error.message, found=name[:40], hint=error.hint or None)
        return _listed(records)


class TheoryRun:
    """The view of one run: the same question gets the same answer, also where a limit cut an engine."""

    def __init__(self, snapshot: TheorySnapshot, until: float | None = None) -> None:
        self._snapshot = snapshot
        self._until = until
        self._refused: dict[Key, Answer | Refusal] = {}

    def ask(self, operation: str, question: Question, cancelled: Cancelled) -> Answer | Refusal:
        """The answer of one operation (`pif.language.host.Theory`)."""
        _look(cancelled)
        if self._refused:
            refused = self._refused.get((operation, _text_of(question)))
            if refused is not None:
                return refused
        answer, stays = self._answer(operation, question, cancelled)
        if not stays:
            self._refused[operation, _text_of(question)] = answer
        return answer

    def _answer(
        self, operation: str, question: Question, cancelled: Cancelled
    ) -> tuple[Answer | Refusal, bool]:
        until = self._until
        if until is None:
            return self._snapshot.answer(operation, question, cancelled)

        def stop() -> bool:
            return time.monotonic() > until or (cancelled is not None and cancelled())

        try:
            return self._snapshot.answer(operation, question, stop)
        except PifError:
            _look(cancelled)
            return _TOO_LONG, False


_TOO_LONG = Refusal(
    "the run has asked for as long as one call may take",
    hint="Run it again with the same arguments: answers are kept, so it gets further each time.",
)


def _look(cancelled: Cancelled) -> None:
    if cancelled is not None and cancelled():
        raise PifError("cancelled", "the run was cancelled")


def _cancellable(
    prover: Prover, attempts: CancellableBroker, proposition: Expression, cancelled: Cancelled
) -> Decision:
    """The decision; if the run is cancelled meanwhile, the attempts are stopped."""
    from kleis.elaborate.question import Question as Asked

    asked = Asked(proposition, file="<proposition>", importing="session")
    if cancelled is None:
        return prover.ask(asked, witness=False)
    with attempts.until(Deadline(math.inf, left=cancelled)):
        return prover.ask(asked, witness=False)


def _weight(key: Key, found: Answer | Refusal) -> int:
    parts = parts_of(found.value) if isinstance(found, Answer) else 1
    return _QUESTION + (len(key[1]) >> 6) + parts


def _text_of(question: Question) -> str:
    """The key of a question: its text, with a NUL before that of a term, which no text question begins with."""
    if isinstance(question, Term):
        return "\0" + term_text(question)
    return question or ""


def _expression(question: Question) -> Expression:
    if isinstance(question, Term):
        return expression_of(question)
    text = question or ""
    if len(text) > LONGEST:
        raise KleisTermError(
            f"the text has {len(text)} characters; at most {LONGEST} are read", "", "Ask in parts."
        )
    return parse_expression(text)


def _shortened(question: Question) -> str:
    text = term_text(question) if isinstance(question, Term) else question or ""
    return text if len(text) <= 200 else text[:199] + "…"


def _said(error: KleisError) -> str:
    place = f"{error.line}:{error.column}: " if getattr(error, "line", 0) else ""
    return f"{place}{error.message}" + (f" ({error.hint})" if error.hint else "")


def _answered(value: Value, fuel: int) -> Answer:
    return Answer(value, fuel + _PART * parts_of(value))


def _listed(records: list[Value]) -> Answer:
    return _answered(list_of(records), 0)


_SNAPSHOTS_KEPT = 8


class Snapshots:
    """The snapshots of sessions, by name, the least recently used dropped.

    `theory_of` gives the present theory of a session: the same object as long as nothing changed. Its exceptions for a bad
    name pass through `get`. `close` does not end the broker.
    """

    def __init__(
        self,
        theory_of: Callable[[str], Theory],
        *,
        broker: Broker | None = None,
        cache: VerdictCache | None = None,
    ) -> None:
        self._theory_of = theory_of
        self._broker = broker
        self._cache = cache
        self._lock = threading.Lock()
        self._known: OrderedDict[str, TheorySnapshot] = OrderedDict()

    def get(self, name: str) -> TheorySnapshot:
        """The snapshot of a session as it stands now."""
        theory = self._theory_of(name)
        with self._lock:
            found = self._known.get(name)
            if found is None or found.theory is not theory:
                found = TheorySnapshot(theory, name=name, broker=self._broker, cache=self._cache)
                self._known[name] = found
            self._known.move_to_end(name)
            if len(self._known) > _SNAPSHOTS_KEPT:
                self._known.popitem(last=False)
            return found

    def close(self) -> None:
        """Stop whatever is being asked."""
        for snapshot in self._known.values():
            snapshot.close()
