"""Whether declarations have a model, and which of their axioms have none together.

See docs/reference/proving.md §5.3.  Questions about declarations, whatever is claimed of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.prover.axioms_alone import AxiomsAlone
from kleis.prover.obligations import Obligations
from kleis.prover.portfolio import Outcome
from kleis.prover.protocol.engine import Task, declarations_of
from kleis.prover.protocol.verdict import Evidence, Verdict
from kleis.prover.reasons import undecided
from kleis.prover.verdict_cache import Verdicts, key_of

__all__ = ["Consistency", "refuted_axioms"]


class Consistency:
    """The answers for the declarations of one theory.

    `run` is the portfolio on a task, in its whole order; `options` stand in the keys of the cache for that order.
    """

    def __init__(
        self,
        elaborator: Elaborator,
        axioms: AxiomsAlone,
        obligations: Obligations,
        run: Callable[[Task], Outcome],
        cache: Verdicts | None,
        options: str,
        effort: int,
    ) -> None:
        self._elaborator = elaborator
        self._axioms = axioms
        self._obligations = obligations
        self._run = run
        self._cache = cache
        self._options = options
        self._effort = effort

    def of_declarations(self, structure: str | None = None) -> tuple[tuple[str, Verdict], ...]:
        """A verdict for each structure with parameters and component of sections; for one structure alone if it is named."""
        found: list[tuple[str, Verdict]] = []
        if structure is not None:
            return ((structure, self._read(partial(self._elaborator.structure, structure))),)
        for each in self._elaborator.theory.summary.structures:
            if each.parameters:
                found.append((each.name, self._read(partial(self._elaborator.structure, each.name))))
        try:
            components = self._elaborator.components()
        except KleisError as error:
            return (*found, ("sections", Verdict.ill_formed(error)))
        for goal in components:
            label = ", ".join(dict.fromkeys(each.structure for each in goal.instances))
            found.append((label, self._verdict(goal)))
        return tuple(found)

    def has_model(self, goal: Goal) -> Verdict:
        """Whether the declarations of a goal have a model, whatever its claim.  Kept where there is a cache."""
        key = self._key("model", goal)
        kept = self._cache.get(key) if self._cache is not None else None
        if kept is not None:
            return msgspec.structs.replace(kept, cached=True)
        verdict = self._verdict(goal)
        if self._cache is not None:
            self._cache.put(key, verdict)
        return verdict

    def clash(self, goal: Goal) -> tuple[str, ...]:
        """The names of axioms of a goal that have no model together, whatever its claim; empty if none are known to.

        Kept where there is a cache.
        """
        base = Verdict(status="unknown", reason="incomplete")
        if self._obligations.undecidable(declarations_of(goal), base) is not None:
            return ()
        key = self._key("clash", goal)
        kept = self._cache.get(key) if self._cache is not None else None
        if kept is None:
            alone = self._axioms.alone(goal)
            clashing = (
                alone is not None and alone.answer is not None and alone.answer.outcome == "inconsistent"
            )
            if alone is not None and clashing:
                core = self._axioms.core(goal, alone)
                kept = msgspec.structs.replace(base, status="inconsistent", reason=None, core=core)
            else:
                kept = base
            if self._cache is not None and (alone is None or clashing or not alone.cut):
                self._cache.put(key, kept)
        return kept.core

    def _key(self, what: str, goal: Goal) -> str:
        """The key of a question in the cache; empty without a cache."""
        return key_of(declarations_of(goal), (), f"{what} {self._options}") if self._cache is not None else ""

    def _read(self, read: Callable[[], Goal]) -> Verdict:
        try:
            return self._verdict(read())
        except KleisError as error:
            return Verdict.ill_formed(error)

    def _verdict(self, goal: Goal) -> Verdict:
        """The verdict on whether the declarations have a model."""
        declarations = declarations_of(goal)
        base = Verdict(status="unknown")
        if not declarations.axioms:
            return msgspec.structs.replace(base, status="consistent", evidence=Evidence(kind="assignment"))
        blocked = self._obligations.undecidable(declarations, base)
        if blocked is not None:
            return blocked
        outcome = self._run(Task(declarations))
        if outcome.answer is not None and outcome.answer.outcome == "inconsistent":
            return refuted_axioms(outcome, base)
        if outcome.answer is not None and outcome.answer.outcome == "model":
            witness = outcome.answer.witness
            if isinstance(witness, Evidence):
                return msgspec.structs.replace(
                    base,
                    status="consistent",
                    evidence=witness,
                    engine=outcome.attempts[-1].engine,
                    attempts=outcome.attempts,
                )
        return undecided(declarations, outcome, base, self._effort)


def refuted_axioms(outcome: Outcome, base: Verdict) -> Verdict:
    """The verdict where an engine refuted axioms without a claim."""
    answer = outcome.answer
    assert answer is not None
    return msgspec.structs.replace(
        base,
        status="inconsistent",
        core=answer.core,
        minimal=answer.detail == "minimal",
        engine=outcome.attempts[-1].engine,
        attempts=outcome.attempts,
        theory="inconsistent",
    )
