"""What trials of a law show: the prover's counterexample, run by the evaluator, or assignments made from a seed.

Invariants
    * A law is refuted only by a run that shows it, except a law without variables, for which there is no input to show.
    * An assignment at which a tool in the law has no value refutes nothing, unless the law is false there in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kleis.errors import KleisError
from kleis.syntax.parser.parser import parse_expression
from kleis.values import Value
from registry.laws.law_report import LawReport
from registry.laws.law_text import Law
from registry.laws.trials import ALL_FUEL, Assignment, Tally, Trials, Untried
from registry.translate.tool_theory import ToolSignature, ToolTheory
from registry.translate.value_conversion import NotShared, from_kleis

if TYPE_CHECKING:
    from kleis.prover.protocol.verdict import Verdict

__all__ = ["CHECKED", "LawTrials"]

CHECKED = 240
"""Assignments at which a law is tried before it is said to be proved, a quarter of them of values at borders."""

_CHECK_FUEL = 1_000_000
"""Fuel of all runs of such a check."""


class LawTrials:
    """A law over the tools of a theory, tried at `cases` assignments made from a seed, or until `stopped`; with
    `at_boundaries` at those of values at boundaries before."""

    at_boundaries = False

    def __init__(
        self, law: Law, theory: ToolTheory, *, seed: int, cases: int, stopped: Callable[[], bool]
    ) -> None:
        self.law = law
        self.theory = theory
        self.seed = seed
        self.cases = cases
        self.stopped = stopped

    def counterexample(self, verdict: Verdict) -> Assignment | None:
        """The law at a counterexample of the prover, run by the evaluator; None where that is impossible."""
        try:
            trials = self._trials()
            return trials.at(_values(verdict) if trials.variables else {})
        except (Untried, NotShared, KeyError, KleisError):
            return None

    def disproved(self, found: Assignment, verdict: Verdict, labels: tuple[str, ...]) -> LawReport | None:
        """The refutation of a law by a counterexample that was run; None where it refutes nothing."""
        wrong = self._wrong(found)
        if found.values or not (wrong or (found.truth == "open" and not _is_undefined(verdict))):
            return self._refuted(found, verdict.engine, labels) if wrong else None
        return LawReport(self.law.text, "refuted", labels=labels, engine=verdict.engine,
                         reason="it does not hold; it has no variables, so no input shows it")  # fmt: skip

    def contradiction(self, *, where_defined: bool) -> LawReport | None:
        """The refutation of a law that is said to be proved, which would be a defect of this program; None where there
        is none at `CHECKED` assignments. `where_defined`: it is said only where all tools in it have values."""

        def wrong(found: Assignment) -> bool:
            return self._wrong(found) and not (where_defined and found.without)

        try:
            found, _ = self._trials(_CHECK_FUEL).search(
                seed=self.seed + 1, cases=CHECKED, wrong=wrong, stop=self.stopped, at_boundaries=True
            )
        except Untried:
            return None
        return None if found is None else self._refuted(found, "search", ())

    def unconfirmed(self, found: Assignment | None, engine: str, labels: tuple[str, ...]) -> LawReport:
        """A law that the prover's counterexample does not refute."""
        if found is None:
            return self.tried((*labels, "the prover's counterexample could not be run"), "not confirmed")
        if found.truth == "open" and found.values:
            said = f"the prover finds that it does not hold for {_inputs(found.as_json())}, where runs met a limit"
            return LawReport(self.law.text, "untested", reason=said, engine=engine, labels=labels)
        reason = "where the prover found it not to hold, a tool has no value"
        return self.tried(
            labels, reason if found.without else "the prover's counterexample was not confirmed"
        )

    def _wrong(self, found: Assignment) -> bool:
        """Whether an assignment refutes the law: it is false there, or undefined though all tools have values."""
        if found.truth == "undefined":
            return self.law.safe or not found.without
        return found.truth == "false"

    def _refuted(self, found: Assignment, engine: str, labels: tuple[str, ...]) -> LawReport:
        shown = found.as_json()
        where = f" for {_inputs(shown)}" if found.values else ""
        if found.truth == "false":
            reason = f"it is false{where}"
        elif found.without:
            reason = f"{', '.join(found.without)} has no value{where}"
        else:
            reason = f"it has no truth value{where}, though every tool in it has a value"
        return LawReport(
            self.law.text, "refuted", reason=reason, engine=engine, labels=labels, counterexample=shown
        )

    def tried(self, labels: tuple[str, ...], reason: str, *, otherwise: LawReport | None = None) -> LawReport:
        """An undecided law, tried at assignments.

        `otherwise` is the report of a law that Kleis rejects, and stands where a trial is impossible or would be of another
        law: trials have ℤ for type variables.
        """
        try:
            trials = self._trials()
            if otherwise is not None and trials.at_integers:
                return otherwise
            found, tally = trials.search(
                seed=self.seed, cases=self.cases, wrong=self._wrong, stop=self.stopped,
                at_boundaries=self.at_boundaries,
            )  # fmt: skip
        except Untried as error:
            return otherwise or LawReport(
                self.law.text, "untested", reason=f"{reason}; not tested: {error}", labels=labels
            )
        if found is not None:
            return self._refuted(found, "search", labels)
        if not tally.true:
            return LawReport(self.law.text, "untested", reason=reason, labels=(*labels, self._nowhere(tally)),
                             seed=self.seed, without_value=tally.without_value)  # fmt: skip
        if tally.without_value:
            labels = (*labels, f"without a value at {tally.without_value} points")
        if tally.open:
            labels = (*labels, f"not decided at {tally.open} points, within the limits of runs")
        return LawReport(self.law.text, "tested", reason=reason, labels=labels, cases=tally.true, seed=self.seed,
                         without_value=tally.without_value)  # fmt: skip

    def _nowhere(self, tally: Tally) -> str:
        """The label of a law that was true at no assignment."""
        if tally.without_premise:
            return "vacuous: its premise was true at no point"
        if tally.without - tally.valued:
            return "vacuous: a tool in it had a value at no point"
        if tally.without_value:
            return "without a truth value at every point: a tool in it has no value for some of what it asks"
        if tally.total or not self.stopped():
            return "no point was decided within the limits of runs"
        return "not tried: the time was up"

    def _trials(self, fuel: int = ALL_FUEL) -> Trials:
        """The law at the first signatures of its tools at which Kleis accepts it."""
        signatures = [self._signatures(label) for label in self.law.tools]
        at_integers, general = ([each[place] for each in signatures] for place in range(2))
        try:
            return Trials(self.law.expression, at_integers, self.theory.tools, fuel)
        except Untried as error:
            if general == at_integers:
                raise
            first = error
        try:
            return Trials(self.law.expression, general, self.theory.tools, fuel)
        except Untried:
            raise first from None

    def _signatures(self, label: str) -> tuple[ToolSignature, ToolSignature]:
        tool = self.theory.tools.tool(label)
        assert tool is not None, "a law mentions tools that are there"
        found = self.theory.trial_signatures(tool)
        if found is None:
            raise Untried(f"Kleis has no words for the types of {label}")
        return found


def _values(verdict: Verdict) -> dict[str, Value]:
    """The values of a prover's counterexample. Raises `NotShared` for values that PIF does not have."""
    if verdict.evidence is None or verdict.evidence.kind != "assignment":
        raise NotShared("no assignment")
    return {each.name: from_kleis(parse_expression(each.value)) for each in verdict.evidence.bindings}


def _is_undefined(verdict: Verdict) -> bool:
    """Whether a counterexample is one because there is no truth value."""
    return verdict.evidence is not None and verdict.evidence.undefined


def _inputs(shown: dict[str, object]) -> str:
    given = shown["kleis"]
    assert isinstance(given, dict)
    return ", ".join(f"{name} = {value}" for name, value in given.items())
