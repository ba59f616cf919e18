"""The best model: one that was checked, and the proof that none is better.

The optimiser of Z3 gives a model to begin with.  Then a model is asked for that is better, again and again: where there
is provably none, the last one is the best.  Where that stays open it is the best one found, and the answer says so.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

from kleis.prover.model_search.constraints import Constraints, narrowed
from kleis.prover.model_search.enumeration import Enumeration, Jobs, assigned
from kleis.prover.model_search.objectives import OBJECTIVES, ObjectiveSearch
from kleis.prover.model_search.wanted import Models, Wanted
from kleis.prover.protocol.engine import Task
from kleis.prover.protocol.verdict import Evidence
from kleis.prover.prover import Prover

__all__ = ["best_model"]

_ROUNDS = 20
_SECONDS = 20
_STEPS = 20_000_000


def best_model(prover: Prover, jobs: Jobs, constraints: Constraints, wanted: Wanted) -> Models:
    """The model with the least objective, or the greatest; with `count` above 1 all that have that value."""
    return _Optimisation(prover, jobs, constraints, wanted).answer()


class _Optimisation:
    def __init__(self, prover: Prover, jobs: Jobs, constraints: Constraints, wanted: Wanted) -> None:
        self._prover = prover
        self._jobs = jobs
        self._constraints = constraints
        self._wanted = wanted
        self._greatest = wanted.goodness == "greatest"

    def answer(self) -> Models:
        best, none = self._first()
        if best is None:
            return none
        for _ in range(_ROUNDS):
            value = self._value(best)
            if value is None:
                return _best_found(best, "", "the value of the objective cannot be compared")
            better = self._better(value)
            if isinstance(better, str):
                return self._proved(best, value)
            if better is None:
                return _best_found(best, str(value), "whether there is a better one was not decided")
            best = better
        return _best_found(
            best, str(self._value(best)), f"better ones were found {_ROUNDS} times: there may be no best one"
        )

    def _first(self) -> tuple[Evidence | None, Models]:
        """A model to begin with; or the answer that there is none, or that none is known."""
        task = Task(self._constraints.goal)
        asked = ObjectiveSearch(task, self._constraints.objective, self._greatest)
        found = self._jobs.run(OBJECTIVES, asked, steps=_STEPS, seconds=_SECONDS)
        if found.witness is not None:
            checked = self._jobs.confirmed(task, [found.witness])
            if isinstance(checked, tuple) and checked[0] is not None:
                return checked[0], Models(status="unknown")
        plain = assigned(self._jobs, task, 1)
        if plain.models:
            return plain.models[0], Models(status="unknown")
        if plain.ended == "no others":
            return None, Models(
                status="none", complete=True, message="it is proved that nothing makes all of it true"
            )
        reason = plain.reason or "incomplete"
        return None, Models(status="unknown", reason=reason, message=plain.detail or "no model was found")

    def _better(self, value: Fraction) -> Evidence | Literal["none"] | None:
        """A model with a better value; ``"none"`` where there is provably none; None where that is open."""
        sign = ">" if self._greatest else "<"
        found = self._narrowed(f"{sign} ({value})", 1)
        if found.models:
            return found.models[0]
        if found.ended == "no others":
            return "none"
        goal = narrowed(
            self._prover.elaborator, self._constraints, f"{self._constraints.objective} {sign} ({value})"
        ).goal
        verdict = self._prover.decide_goal(goal).verdict
        if verdict.status in ("verified", "inconsistent"):
            return "none"
        evidence = verdict.evidence
        return evidence if verdict.status == "disproved" and evidence and not evidence.undefined else None

    def _narrowed(self, condition: str, count: int) -> Enumeration:
        named = self._constraints.objective
        goal = narrowed(self._prover.elaborator, self._constraints, f"{named} {condition}").goal
        apart = tuple(each for each in self._constraints.unknowns if each != named)
        return assigned(self._jobs, Task(goal), count, self._wanted.apart or apart)

    def _proved(self, best: Evidence, value: Fraction) -> Models:
        common = Models(status="found", optimum=str(value), proved=True)
        needed = self._wanted.skip + self._wanted.count
        if needed == 1:
            return msgspec.structs.replace(common, models=(best,))
        equal = self._narrowed(f"= ({value})", needed)
        complete = equal.ended == "no others"
        shown = equal.models[self._wanted.skip :]
        if not shown:
            status = "none" if complete else "unknown"
            message = f"{len(equal.models)} have this value, and were left out"
            return msgspec.structs.replace(
                common,
                status=status,
                complete=complete,
                apart=equal.apart,
                reason=None if complete else equal.reason,
                message=message if complete else equal.detail,
            )
        return msgspec.structs.replace(common, models=shown, complete=complete, apart=equal.apart)

    def _value(self, model: Evidence) -> Fraction | None:
        for each in model.bindings:
            if each.name == self._constraints.objective:
                try:
                    return Fraction(each.value)
                except ValueError:
                    return None
        return None


def _best_found(model: Evidence, value: str, message: str) -> Models:
    return Models(status="found", models=(model,), optimum=value, message=message)
