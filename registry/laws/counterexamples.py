"""One law at points: the prover's counterexample run by the evaluator, and what trials show (ADR 015).

Invariants
    * A law is refuted only by a run that shows it, except a law without variables, for which there is no input to show.
    * A point at which a tool in the law has no value refutes nothing, unless the law is false there whatever it were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kleis.errors import KleisError
from kleis.syntax.parser.parser import parse_expression
from kleis.values import Value
from registry.laws.law_report import LawReport
from registry.laws.law_text import Law
from registry.laws.trials import Point, Trials, Untried
from registry.translate.tool_theory import ToolSignature, ToolTheory
from registry.translate.value_conversion import NotShared, from_kleis

if TYPE_CHECKING:
    from kleis.prover.protocol.verdict import Verdict

__all__ = ["LawTrials"]


class LawTrials:
    """A law over the tools of a theory, tried at `cases` points of a seed, or until `stopped`."""

    def __init__(
        self, law: Law, theory: ToolTheory, *, seed: int, cases: int, stopped: Callable[[], bool]
    ) -> None:
        self.law = law
        self.theory = theory
        self.seed = seed
        self.cases = cases
        self.stopped = stopped

    def counterexample(self, verdict: Verdict) -> Point | None:
        """The law at a counterexample of the prover, run by the evaluator; None where that cannot be."""
        try:
            trials = self._points()
            return trials.at(_values(verdict) if trials.variables else {})
        except (Untried, NotShared, KeyError, KleisError):
            return None

    def disproved(self, point: Point, verdict: Verdict, labels: tuple[str, ...]) -> LawReport | None:
        """The refutation of a law by a counterexample that was run; None where it is none."""
        wrong = self._wrong(point)
        if point.values or not (wrong or (point.truth == "open" and not _is_undefined(verdict))):
            return self._refuted(point, verdict.engine, labels) if wrong else None
        return LawReport(self.law.text, "refuted", labels=labels, engine=verdict.engine,
                         reason="it does not hold; it has no variables, so no input shows it")  # fmt: skip

    def unconfirmed(self, point: Point | None, engine: str, labels: tuple[str, ...]) -> LawReport:
        """A law whose counterexample, as the prover found it, refutes nothing."""
        if point is None:
            return self.tried((*labels, "the prover's counterexample could not be run"), "not confirmed")
        if point.truth == "open" and point.values:
            said = f"the prover finds that it does not hold for {_inputs(point.as_json())}, where runs met a limit"
            return LawReport(self.law.text, "untested", reason=said, engine=engine, labels=labels)
        reason = "where the prover found it not to hold, a tool has no value"
        return self.tried(
            labels, reason if point.without else "the prover's counterexample was not confirmed"
        )

    def _wrong(self, point: Point) -> bool:
        """Whether a point refutes the law: where it is false, or has no value though all tools have."""
        if point.truth == "undefined":
            return self.law.safe or not point.without
        return point.truth == "false"

    def _refuted(self, point: Point, engine: str, labels: tuple[str, ...]) -> LawReport:
        shown = point.as_json()
        where = f" for {_inputs(shown)}" if point.values else ""
        if point.truth == "false":
            reason = f"it is false{where}"
        elif point.without:
            reason = f"{', '.join(point.without)} has no value{where}"
        else:
            reason = f"it has no truth value{where}, though every tool in it has a value"
        return LawReport(
            self.law.text, "refuted", reason=reason, engine=engine, labels=labels, counterexample=shown
        )

    def tried(self, labels: tuple[str, ...], reason: str, *, otherwise: LawReport | None = None) -> LawReport:
        """A law that is not decided, tried at points. `otherwise`, for a law that Kleis has no reading of, where it cannot
        be: also where it speaks of any type T: at integers it would be another law."""
        try:
            trials = self._points()
            if otherwise is not None and trials.at_integers:
                return otherwise
            point, tally = trials.search(
                seed=self.seed, cases=self.cases, wrong=self._wrong, stop=self.stopped
            )
        except Untried as error:
            return otherwise or LawReport(
                self.law.text, "untested", reason=f"{reason}; not tested: {error}", labels=labels
            )
        if point is not None:
            return self._refuted(point, "search", labels)
        if not tally.true:
            why = (
                "vacuous: its premise was true at no point"
                if tally.without_premise
                else "vacuous: a tool in it had a value at no point"
                if tally.without - tally.valued
                else "without a truth value at every point: a tool in it has no value for some of what it asks"
                if tally.without_value
                else "no point was decided within the limits of runs"
                if tally.total or not self.stopped()
                else "not tried: the time was up"
            )
            return LawReport(self.law.text, "untested", reason=reason, labels=(*labels, why), seed=self.seed,
                             without_value=tally.without_value)  # fmt: skip
        if tally.without_value:
            labels = (*labels, f"without a value at {tally.without_value} points")
        if tally.open:
            labels = (*labels, f"not decided at {tally.open} points, within the limits of runs")
        return LawReport(self.law.text, "tested", reason=reason, labels=labels, cases=tally.true, seed=self.seed,
                         without_value=tally.without_value)  # fmt: skip

    def _points(self) -> Trials:
        """The law at the first signatures of its tools at which Kleis has a reading of it."""
        readings = [self._readings(label) for label in self.law.tools]
        at_integers, at_letters = ([each[place] for each in readings] for place in range(2))
        try:
            return Trials(self.law.expression, at_integers, self.theory.tools)
        except Untried as error:
            if at_letters == at_integers:
                raise
            refused = error
        try:
            return Trials(self.law.expression, at_letters, self.theory.tools)
        except Untried:
            raise refused from None

    def _readings(self, label: str) -> tuple[ToolSignature, ToolSignature]:
        tool = self.theory.tools.tool(label)
        assert tool is not None, "a law mentions tools that are there"
        readings = self.theory.trial_signatures(tool)
        if readings is None:
            raise Untried(f"Kleis has no words for the types of {label}")
        return readings


def _values(verdict: Verdict) -> dict[str, Value]:
    """The values of a prover's counterexample; `NotShared` where they are none of PIF."""
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
