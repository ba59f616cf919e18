"""Axioms without a claim: whether they clash, and whether they have a model.  Each set is asked about once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kleis.core.goal import Axiom, Goal
from kleis.prover.portfolio import Chain, Entry, Outcome
from kleis.prover.protocol.engine import Task, declarations_of
from kleis.prover.protocol.verdict import Evidence, Verdict

__all__ = ["AxiomsAlone"]


class AxiomsAlone:
    """The outcomes for sets of axioms; `run` has the engines of an order do one of two things."""

    def __init__(
        self, run: Callable[[Task, Sequence[Entry], Sequence[Chain]], Outcome], order: Sequence[Entry]
    ) -> None:
        self._run = run
        self._order = tuple(order)
        self._quick = tuple(each for each in order if each.quick)
        self._clashes: dict[tuple[Axiom, ...], Outcome] = {}
        self._models: dict[tuple[Axiom, ...], Outcome] = {}

    def alone(self, goal: Goal) -> Outcome | None:
        """The outcome of an attempt to refute the assumed axioms, without the claim; None if there are none.

        Axioms of which a small model is found at once need no attempt: what has a checked model is not refuted.
        """
        declarations = declarations_of(goal)
        if not declarations.axioms:
            return None
        key = declarations.axioms
        if key not in self._clashes:
            task = Task(declarations)
            quick = self._run(task, self._quick, ("refute",))
            has_model = quick.answer is not None and quick.answer.outcome == "model"
            self._clashes[key] = quick if has_model else self._run(task, self._order, ("prove",))
        return self._clashes[key]

    def model(self, goal: Goal, axioms: tuple[Axiom, ...]) -> Evidence | None:
        """A checked model of some axioms."""
        if not axioms:
            return None
        if axioms not in self._models:
            task = Task(msgspec.structs.replace(goal, claim=None, free=(), axioms=axioms))
            self._models[axioms] = self._run(task, self._order, ("refute",))
        answer = self._models[axioms].answer
        return answer.witness if answer is not None and isinstance(answer.witness, Evidence) else None

    def is_cut(self, goal: Goal, verdict: Verdict) -> bool:
        """Whether a limit stopped the search for a model of the axioms that a proof used."""
        used = tuple(axiom for axiom in goal.axioms if axiom.name in verdict.core)
        return verdict.status == "verified" and used in self._models and self._models[used].cut
