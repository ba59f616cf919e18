"""Questions about models, and their answers.

    find_models(prover, Wanted(about="∃(x y : ℤ). x * y = 12 ∧ x < y", count=10))

Constraints over known sorts are searched by Z3, structures with carriers by tables; where neither can, the portfolio
looks for one model as it does for propositions.  Nothing here raises for what is wrong with a question.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kleis.errors import KleisError
from kleis.prover.model_search.constraints import Constraints, read_constraints
from kleis.prover.model_search.enumeration import Enumeration, Jobs, assigned, tabulated
from kleis.prover.model_search.finite_tables import table_sizes
from kleis.prover.model_search.optimum import best_model
from kleis.prover.model_search.wanted import ISOMORPHISM, Models, Wanted
from kleis.prover.protocol.engine import Task
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover

__all__ = ["find_models"]

_UNCOUNTED = "nothing says in which values another one would differ"


def find_models(
    prover: Prover, wanted: Wanted, *, told: Callable[[int], None] = lambda count: None
) -> Models:
    """The models that are asked for, or why there are none, or why none is known; `told` hears how many were found so far."""
    try:
        constraints = read_constraints(prover.elaborator, wanted)
    except KleisError as error:
        return Models(
            status="error",
            about=wanted.about,
            message=error.message,
            advice=error.hint,
            problem=error.as_dict(),
        )
    answer = _Search(prover, wanted, constraints, told).answer()
    return msgspec.structs.replace(answer, about=wanted.about, warnings=constraints.warnings)


class _Search:
    """One question."""

    def __init__(
        self, prover: Prover, wanted: Wanted, constraints: Constraints, told: Callable[[int], None]
    ) -> None:
        self._prover = prover
        self._wanted = wanted
        self._constraints = constraints
        self._task = Task(constraints.goal)
        self._jobs = Jobs(prover.broker, prover.effort, told)
        self._needed = wanted.skip + wanted.count

    def answer(self) -> Models:
        goal = self._constraints.goal
        blocked = self._prover.blocked(goal)
        if blocked is not None:
            return Models(
                status="error" if blocked.status == "error" else "unknown",
                reason=blocked.reason,
                message=blocked.message,
                advice=blocked.advice,
            )
        if self._wanted.objective:
            return best_model(self._prover, self._jobs, self._constraints, self._wanted)
        if goal.carriers or self._wanted.size is not None:
            return self._tables()
        return self._assignments()

    # ── Values ───────────────────────────────────────────────────────────────────────────────────────────────

    def _assignments(self) -> Models:
        found = assigned(self._jobs, self._task, self._needed, self._wanted.apart)
        if not found.models and found.ended == "gave up":
            return self._any(found.detail)
        return self._shown(found, found.apart, complete=_is_complete(found, self._constraints))

    # ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────

    def _tables(self) -> Models:
        """Models of the given size; without one, of the smallest sizes, one after the other."""
        if self._wanted.size is None and self._wanted.count > 1:
            return Models(
                status="error",
                message="structures with carriers have models of every size: say of which size all are wanted",
                advice="give the number of elements of the carriers as size",
                problem={"code": "size-missing"},
            )
        points = self._constraints.variables
        models: list[Enumeration] = []
        count = 0
        tried = False
        for sizes in table_sizes(self._task, self._wanted.size):
            tried = True
            found = tabulated(self._jobs, self._task, sizes, self._needed - count, points)
            models.append(found)
            count += len(found.models)
            if count >= self._needed or found.ended == "gave up":
                break
        if not tried and self._wanted.size is not None:
            return Models(
                status="unknown",
                reason="incomplete",
                message="models of a size are tables, and this is not first-order over carriers",
                advice="leave the size out",
            )
        if self._wanted.size is None and not count:
            return self._any(models[-1].detail if models else "")
        every = Enumeration(
            tuple(model for each in models for model in each.models),
            models[-1].ended,
            reason=models[-1].reason,
            detail=models[-1].detail,
        )
        complete = self._wanted.size is not None and every.ended == "no others"
        return self._shown(every, (ISOMORPHISM,), complete=complete)

    # ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────

    def _shown(self, found: Enumeration, apart: tuple[str, ...], *, complete: bool) -> Models:
        shown = found.models[self._wanted.skip :]
        if shown:
            detail = found.detail if found.ended == "gave up" and len(found.models) < self._needed else ""
            return Models(status="found", models=shown, complete=complete, apart=apart, message=detail)
        if complete:
            before = len(found.models)
            are = "is 1, which was" if before == 1 else f"are {before}, all of which were"
            message = f"there {are} left out" if before else "it is proved that nothing makes all of it true"
            size = self._wanted.size
            if size is not None and not before:
                message = f"no model has {size} element{'s' if size > 1 else ''}"
            return Models(status="none", complete=True, apart=apart, message=message)
        left = f"{len(found.models)} were found and left out; " if found.models else ""
        return Models(
            status="unknown",
            reason=found.reason or "incomplete",
            message=f"{left}{found.detail or _UNCOUNTED}",
            apart=apart,
            advice="search more: effort" if found.reason == "resource" else "",
        )

    def _any(self, detail: str) -> Models:
        """One model from the portfolio, as propositions get their counterexamples."""
        return _from_verdict(self._verdict(), detail, self._wanted.skip)

    def _verdict(self) -> Verdict:
        goal = self._constraints.goal
        return self._prover.has_model(goal) if goal.claim is None else self._prover.decide_goal(goal).verdict


def _is_complete(found: Enumeration, constraints: Constraints) -> bool:
    """Whether there are no others: they were refuted, or there is nothing in which they could differ."""
    goal = constraints.goal
    closed = not (constraints.variables or goal.symbols or goal.carriers)
    return found.ended == "no others" or (closed and bool(found.models))


def _from_verdict(verdict: Verdict, detail: str, skip: int) -> Models:
    """What a verdict says of models: a counterexample of the negated constraints is one."""
    if verdict.status in ("verified", "inconsistent"):
        message = "it is proved that nothing makes all of it true"
        return Models(status="none", complete=True, core=verdict.core, message=message)
    evidence = verdict.evidence
    if verdict.status in ("disproved", "consistent") and evidence is not None and not evidence.undefined:
        if not skip:
            return Models(status="found", models=(evidence,), message="one was looked for")
        return Models(
            status="unknown",
            reason="incomplete",
            message=_UNCOUNTED,
        )
    return Models(
        status="unknown",
        reason=verdict.reason or "incomplete",
        message=verdict.message or detail,
        advice=verdict.advice,
    )
