"""Axioms without a claim: whether they clash, and whether they have a model.  Each set is asked about once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import msgspec

from kleis.core import Connective
from kleis.core.goal import Axiom, Goal
from kleis.prover.portfolio import Chain, Entry, Outcome, engine_of
from kleis.prover.protocol.engine import Task, declarations_of
from kleis.prover.protocol.recorded_answers import RecordedAnswers
from kleis.prover.protocol.verdict import Evidence, Verdict

__all__ = ["AxiomsAlone", "Outcomes"]

_SOME = 10_000
"""Steps that trying the axioms of a proof may take, however short the proof."""

_MOST = 16
"""At most so many axioms of a clash are left out by way of trial."""


class Outcomes:
    """What is known of sets of axioms of one theory: each is asked about once, whichever prover asks. Safe in threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clashes: dict[tuple[Axiom, ...], _Found] = {}
        self.models: dict[tuple[Axiom, ...], _Found] = {}

    def of(
        self, kept: dict[tuple[Axiom, ...], _Found], task: Task, find: Callable[[Task], Outcome]
    ) -> Outcome:
        """The outcome for the axioms of a task: the one that is kept, or what `find` finds."""
        with self._lock:
            found = kept.setdefault(task.goal.axioms, _Found())
        with found.lock:
            if found.outcome is None:
                found.task, found.outcome = task, find(task)
            return found.outcome


class _Found:
    """An outcome and the task it is of, once it is known; the lock is held meanwhile."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.task: Task | None = None
        self.outcome: Outcome | None = None


class AxiomsAlone:
    """The outcomes for sets of axioms; `run` has the engines of an order do one of two things.

    `known` are the outcomes of other provers of the same theory, order and effort; `answers` records those of engines.
    """

    def __init__(
        self,
        run: Callable[[Task, Sequence[Entry], Sequence[Chain]], Outcome],
        order: Sequence[Entry],
        known: Outcomes | None = None,
        answers: RecordedAnswers | None = None,
    ) -> None:
        self._run = run
        self._answers = RecordedAnswers() if answers is None else answers
        self._known = Outcomes() if known is None else known
        self._order = tuple(order)
        self._quick = tuple(each for each in order if each.quick)

    def alone(self, goal: Goal) -> Outcome | None:
        """The outcome of an attempt to refute the assumed axioms, without the claim; None if there are none.

        Axioms of which a small model is found at once need no attempt: what has a checked model is not refuted.
        """
        declarations = declarations_of(goal)
        if not declarations.axioms:
            return None
        return self._known.of(self._known.clashes, Task(declarations), self._clash)

    def _clash(self, task: Task) -> Outcome:
        quick = self._run(task, self._quick, ("refute",))
        return quick if _has_model(quick) else self._run(task, self._order, ("prove",))

    def core(self, goal: Goal, found: Outcome) -> tuple[str, ...]:
        """The names of axioms that an outcome of `alone` refuted, without those that can be left out.

        Each is left out once, and stays out where the engine that found the clash refutes the others too.
        """
        answer, entry = found.answer, found.entry
        assert answer is not None, "a clash was found"
        assert entry is not None, "and by an engine"
        core = answer.core
        if answer.detail == "minimal":
            return core
        declarations = declarations_of(goal)
        for name in answer.core[:_MOST]:
            axioms = tuple(each for each in declarations.axioms if each.name in core and each.name != name)
            if name not in core or not axioms:
                continue
            rest = msgspec.structs.replace(declarations, axioms=axioms)
            again = self._run(Task(rest), (entry,), (entry.chain,)).answer
            if again is not None and again.outcome == "inconsistent":
                core = again.core
        return core

    def behind(self, goal: Goal, used: tuple[Axiom, ...], found: Outcome) -> tuple[str, ...]:
        """The names of axioms that a proof used and that are refuted by the engine that found it; empty if they are not.

        They are tried again without the claim where that engine was not asked before, and with the claim turned round:
        what follows together with its negation follows from a contradiction.  About twice the steps of the proof are
        spent on each.
        """
        answer, entry = found.answer, found.entry
        if answer is None or entry is None or not used:
            return ()
        again = msgspec.structs.replace(entry, steps=min(entry.steps, 2 * answer.steps + _SOME))
        tasks = [Task(msgspec.structs.replace(goal, claim=None, free=(), axioms=used))] if entry.late else []
        if goal.claim is not None:
            tasks.append(
                Task(msgspec.structs.replace(goal, claim=Connective("not", (goal.claim,)), axioms=used))
            )
        for task in tasks:
            against = self._run(task, (again,), (entry.chain,)).answer
            if against is not None and against.outcome in ("inconsistent", "proved"):
                alone = against.outcome == "inconsistent"
                core = against.core if alone else (*answer.core, *against.core)
                return tuple(each.name for each in used if each.name in core)
        return ()

    def model(self, goal: Goal, axioms: tuple[Axiom, ...]) -> Evidence | None:
        """A checked model of some axioms."""
        if not axioms:
            return None
        task = Task(msgspec.structs.replace(goal, claim=None, free=(), axioms=axioms))
        answer = self._models(task).answer
        return answer.witness if answer is not None and isinstance(answer.witness, Evidence) else None

    def _model(self, task: Task) -> Outcome:
        """The outcome of the refuting engines: the one of `alone`, where these would find the same model first."""
        found = self._known.clashes.get(task.goal.axioms)
        if (
            found is not None
            and found.outcome is not None
            and found.task == task
            and _has_model(found.outcome)
        ):
            refuting = (each for each in self._order if each.chain == "refute")
            if (
                next((each for each in refuting if engine_of(each).applies(task)), None)
                == found.outcome.entry
            ):
                return found.outcome
        return self._run(task, self._order, ("refute",))

    def _models(self, task: Task) -> Outcome:
        """The outcome for a model of the axioms of a task; what engines answered is recorded, whoever asked them."""
        found = self._known.of(self._known.models, task, self._model)
        self._answers.add(*found.recorded)
        return found

    def is_cut(self, goal: Goal, verdict: Verdict) -> bool:
        """Whether a limit stopped the search for a model of the axioms that a proof used."""
        used = tuple(axiom for axiom in goal.axioms if axiom.name in verdict.core)
        found = self._known.models.get(used)
        return (
            verdict.status == "verified"
            and found is not None
            and found.outcome is not None
            and found.outcome.cut
        )


def _has_model(outcome: Outcome) -> bool:
    return outcome.answer is not None and outcome.answer.outcome == "model"
