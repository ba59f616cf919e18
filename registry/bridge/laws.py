"""Laws of tools: read, proved, refuted or tested, and labelled (ADR 015; issue 7, item 3).

    check_laws("square", ["∀(x : ℤ). square(x) ≥ 0"], tools, names, prover) -> (LawReport(status="proved", …),)

**Reading.** A law holds where the tools in it have values: a point at which one has none is no counterexample, and is
counted. `safe(tool)` is the law that there is no such point.

1. The prover is asked of the tools' Kleis definitions. A proof of them is one wherever the tools have values, and gets
   a certificate.
2. A counterexample of the prover is run by PIF's evaluator. Only then is the law refuted.
3. What is left is tried at points that PIF's evaluator computes: refuted there, or `tested` with cases and seed.

Invariants
    * No law is `proved` without a certificate that was checked, and none is `refuted` without a run that shows it,
      except a law without variables, for which there is no input to show.
    * A tool that is not shown to terminate gives no axiom: Kleis calls every question about it `unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.errors import KleisError
from kleis.parser import parse_expression
from kleis.printer import print_expression
from kleis.syntax import Call, Expression, Quantifier, TypeExpression
from kleis.theory import Theory
from kleis.values import Value
from pif.reference.machine import Tool, Tools
from pif.terms import Json, identity
from registry.bridge.exchange import NotShared, from_kleis
from registry.bridge.forms import call, names_in
from registry.bridge.law_reports import LawReport
from registry.bridge.law_text import Law, LawError, Vocabulary, read_law
from registry.bridge.parts import Function, Untranslatable
from registry.bridge.proving import LawProver
from registry.bridge.tools_in_kleis import ToolTheory
from registry.bridge.trials import Point, Trials, Untried

if TYPE_CHECKING:
    from kleis.logic.questions import Decision
    from kleis.logic.verdict import Verdict

__all__ = ["CASES", "SEED", "LawCheck", "check_laws"]

CASES = 300
"""Points at which a law is tried that is neither proved nor refuted."""

SEED = 0

_HELPER = re.compile(r"(.+)_(?:foldr?|range|chars|join(?:_rest)?)(?:_\d+)?")
"""Names of helpers (loops.py): that of their tool, and what they do."""


def check_laws(
    name: str,
    laws: Sequence[str],
    tools: Tools,
    names: Callable[[], Iterable[str]],
    prover: LawProver,
    *,
    cases: int = CASES,
    seed: int = SEED,
) -> tuple[LawReport, ...]:
    """What becomes of each law of a tool, in order. Laws that were proved serve as lemmas for those after them."""
    tool = tools.tool(name)
    check = LawCheck(tools, names, prover, subject=tool, cases=cases, seed=seed)
    return tuple(check.report(each) for each in laws)


class LawCheck:
    """The laws of one tool, or with no `subject` laws of tools in general."""

    def __init__(
        self,
        tools: Tools,
        names: Callable[[], Iterable[str]],
        prover: LawProver,
        *,
        subject: Tool | None = None,
        cases: int = CASES,
        seed: int = SEED,
    ) -> None:
        self.tools = tools
        self.theory = ToolTheory(tools)
        self.prover = prover
        self.subject = subject
        self.cases = cases
        self.seed = seed
        self.proved: list[Law] = []
        self._vocabulary = Vocabulary(subject, tools.tool, names, self._function, self._types)

    # ── One law ──────────────────────────────────────────────────────────────────────────────────────────────

    def read(self, text: str) -> Law:
        """A law; `LawError` for what is none. Its theory holds the tools that it needs and no others."""
        self.theory = ToolTheory(self.tools)
        law = read_law(text, self._vocabulary)
        owners = map(self._owner, names_in(law.expression))
        labels = {each.label for each in owners if each is not None and self.theory.called(each) is not None}
        return msgspec.structs.replace(law, tools=tuple(sorted({*law.tools, *labels})))

    def _owner(self, name: str) -> Tool | None:
        """The tool that a helper's name is made of, so that a law may speak of the helper alone."""
        found = _HELPER.fullmatch(name)
        return None if found is None else self._vocabulary.tool(found[1])

    def report(self, text: str) -> LawReport:
        """What becomes of a law."""
        try:
            law = self.read(text)
        except LawError as error:
            return LawReport(text, "error", reason=error.message, hint=error.hint)
        report = self._decided(law)
        if report.status == "proved":
            self.proved.append(law)
        hashes = {each.label: identity(each.term) for each in self._reached(law)}
        return msgspec.structs.replace(report, kleis=print_expression(law.expression), tools=hashes)

    def _decided(self, law: Law) -> LawReport:
        labels = self._labels(law)
        refused = self._untranslated(law)
        if refused is not None:
            reason = f"{refused.tool} cannot be said in Kleis: {refused}"
            return self._tried(law, (*labels, "not proved: a tool has no Kleis definition"), reason)
        decision, lemmas = self._verdict(law)
        verdict = decision.verdict
        if verdict.status == "error":
            return LawReport(law.text, "error", reason=verdict.message, hint=verdict.advice, labels=labels)
        if verdict.status == "verified":
            return self._proof(law, decision, lemmas, labels)
        if verdict.status == "disproved":
            return self._disproved(law, verdict, labels)
        reason = verdict.message or f"the prover does not know ({verdict.reason or verdict.status})"
        if verdict.reason == "termination":
            labels = (*labels, "not shown to terminate: nothing follows from its definition")
        return self._tried(law, labels, reason)

    def _labels(self, law: Law) -> tuple[str, ...]:
        if self.subject is not None and self.subject.label not in law.tools:
            return (f"vacuous: it does not mention {self.subject.name}",)
        return () if law.tools else ("vacuous: it mentions no tool",)

    # ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _verdict(self, law: Law) -> tuple[Decision, list[Law]]:
        """The verdict, with the laws before it as lemmas where it is not known without."""
        found = self.prover.decide(self.theory.theory, law.expression)
        usable = found.verdict.status == "unknown" and found.verdict.reason != "termination"
        if not usable or not self.proved:
            return found, []
        helped = self.prover.decide(self._with(self.proved), law.expression, _expressions(self.proved))
        return (helped, list(self.proved)) if helped.verdict.status == "verified" else (found, [])

    def _with(self, lemmas: Sequence[Law]) -> Theory:
        """The theory with the tools of lemmas too."""
        for lemma in lemmas:
            for label in lemma.tools:
                self.theory.of(self._mentioned(label))
        return self.theory.theory

    def _proof(self, law: Law, decision: Decision, lemmas: list[Law], labels: tuple[str, ...]) -> LawReport:
        proof = self.prover.certified(self._with(lemmas), law.expression, decision, _expressions(lemmas))
        if proof.certificate is None:
            return self._tried(law, (*labels, "a proof was found, but no certificate"), proof.reason)
        return LawReport(
            law.text,
            "proved",
            labels=(*labels, *self._vacuous(law)),
            engine=decision.verdict.engine,
            lemmas=tuple(each.text for each in lemmas),
            certificate=proof.certificate,
        )

    def _vacuous(self, law: Law) -> tuple[str, ...]:
        """Labels for a law that is true for reasons that say little."""
        premise = _premise(law.expression)
        if premise is not None and self.prover.verify(self.theory.theory, premise).status == "verified":
            return ("vacuous: its premise is never true",)
        return ()

    # ── Again, from nothing ──────────────────────────────────────────────────────────────────────────────────

    def recheck(self, text: str, lemmas: Sequence[str], certificate: dict[str, Any]) -> list[Json]:
        """Whether a certificate shows a law of the tools as they are: what was looked at, and what came of it."""
        from kleis.logic.certificate_build import theory_text

        try:
            known = [self.read(each) for each in lemmas]
            law = self.read(text)
            refused = self._untranslated(law)
            theory = theory_text(self._with(known))
        except (LawError, Untranslatable) as error:
            return [{"what": "law", "ok": False, "detail": str(error)}]
        if refused is not None:
            return [{"what": "tools", "ok": False, "detail": str(refused)}]
        claims = [each.get("claim") for each in certificate.get("lemmas", ())]
        same = {
            "tools": certificate.get("theory") == theory,
            "law": certificate.get("claim") == print_expression(law.expression),
            "lemmas": claims == [print_expression(each.expression) for each in known],
            "status": certificate.get("status") == "verified",
        }
        wrong = [name for name, ok in same.items() if not ok]
        if wrong:
            detail = "the certificate is about something else"
            return [{"what": name, "ok": False, "detail": detail} for name in wrong]
        found = [{"what": name, "ok": True, "detail": ""} for name in same]
        return found + [msgspec.structs.asdict(each) for each in self.prover.check(certificate).findings]

    def tried_again(self, text: str, *, cases: int, seed: int) -> LawReport:
        """A law that was not proved, at the points where it was tried."""
        self.cases, self.seed = cases or self.cases, seed
        try:
            return self._tried(self.read(text), (), "")
        except LawError as error:
            return LawReport(text, "error", reason=error.message)

    # ── Refutations ──────────────────────────────────────────────────────────────────────────────────────────

    def _disproved(self, law: Law, verdict: Verdict, labels: tuple[str, ...]) -> LawReport:
        """A counterexample of the prover, run by the evaluator before anyone sees it."""
        try:
            trials = self._trials(law)
            point = trials.at(_values(verdict) if trials.variables else {})
        except (Untried, NotShared, KeyError, KleisError):
            return self._tried(
                law, (*labels, "the prover's counterexample could not be run"), "not confirmed"
            )
        if not trials.variables and (point.truth == "open" or self._wrong(law)(point)):
            return LawReport(law.text, "refuted", labels=labels, engine=verdict.engine,
                             reason="it does not hold; it has no variables, so no input shows it")  # fmt: skip
        if self._wrong(law)(point):
            return self._refuted(law, point, verdict.engine, labels)
        if point.truth == "open":
            said = f"the prover finds that it does not hold for {_inputs(point.as_json())}, where runs met a limit"
            return LawReport(law.text, "untested", reason=said, engine=verdict.engine, labels=labels)
        reason = "where the prover found it not to hold, a tool has no value"
        return self._tried(
            law, labels, reason if point.without else "the prover's counterexample was not confirmed"
        )

    @staticmethod
    def _wrong(law: Law) -> Callable[[Point], bool]:
        """When a point refutes a law: where it is false, or has no value though all tools have."""

        def wrong(point: Point) -> bool:
            if point.truth == "undefined":
                return law.safe or not point.without
            return point.truth == "false"

        return wrong

    def _refuted(self, law: Law, point: Point, engine: str, labels: tuple[str, ...]) -> LawReport:
        shown = point.as_json()
        if point.truth == "false":
            reason = f"it is false for {_inputs(shown)}"
        elif point.without:
            reason = f"{', '.join(point.without)} has no value for {_inputs(shown)}"
        else:
            reason = f"it has no truth value for {_inputs(shown)}, though every tool in it has a value"
        return LawReport(
            law.text, "refuted", reason=reason, engine=engine, labels=labels, counterexample=shown
        )

    def _tried(self, law: Law, labels: tuple[str, ...], reason: str) -> LawReport:
        """A law that is not decided, tried at points."""
        try:
            point, tally = self._trials(law).search(seed=self.seed, cases=self.cases, wrong=self._wrong(law))
        except Untried as error:
            return LawReport(law.text, "untested", reason=f"{reason}; not tested: {error}", labels=labels)
        if point is not None:
            return self._refuted(law, point, "search", labels)
        if not tally.true:
            why = (
                "vacuous: its premise was true at no point"
                if tally.without_premise
                else "vacuous: a tool in it had a value at no point"
                if tally.without_value
                else "no point was decided within the limits of runs"
            )
            return LawReport(law.text, "untested", reason=reason, labels=(*labels, why), seed=self.seed,
                             without_value=tally.without_value)  # fmt: skip
        if tally.without_value:
            labels = (*labels, f"without a value at {tally.without_value} points")
        if tally.open:
            labels = (*labels, f"not decided at {tally.open} points, within the limits of runs")
        return LawReport(law.text, "tested", reason=reason, labels=labels, cases=tally.true, seed=self.seed,
                         without_value=tally.without_value)  # fmt: skip

    # ── Tools ────────────────────────────────────────────────────────────────────────────────────────────────

    def _trials(self, law: Law) -> Trials:
        signatures = []
        for label in law.tools:
            tool = self._mentioned(label)
            signature = self.theory.signature(tool)
            if signature is None:
                raise Untried(f"Kleis has no words for the types of {label}")
            signatures.append(signature)
        return Trials(law.expression, signatures, self.tools)

    def _mentioned(self, label: str) -> Tool:
        tool = self.tools.tool(label)
        assert tool is not None, "a law mentions tools that are there"
        return tool

    def _untranslated(self, law: Law) -> Untranslatable | None:
        for label in law.tools:
            try:
                self.theory.of(self._mentioned(label))
            except Untranslatable as error:
                return error
        return None

    def _reached(self, law: Law) -> list[Tool]:
        """The tools that a law rests on: those in it, and those that they call."""
        found: dict[str, Tool] = {}
        waiting = list(law.tools)
        while waiting:
            label = waiting.pop()
            tool = self.tools.tool(label)
            if tool is not None and label not in found:
                found[label] = tool
                waiting += self.theory.needs(tool)
        return list(found.values())

    def _function(self, tool: Tool) -> Function:
        function = self.theory.called(tool)
        if function is None:
            raise LawError(
                f"{tool.name} takes or gives functions, which laws cannot speak of",
                "State the law of a tool that calls it with given functions.",
            )
        return function

    def _types(self, tool: Tool) -> tuple[TypeExpression | None, ...]:
        return self.theory.parameters(tool)


def _expressions(laws: Sequence[Law]) -> list[Expression]:
    return [each.expression for each in laws]


def _values(verdict: Verdict) -> dict[str, Value]:
    """The values of a prover's counterexample; `NotShared` where they are none of PIF."""
    if verdict.evidence is None or verdict.evidence.kind != "assignment":
        raise NotShared("no assignment")
    return {each.name: from_kleis(parse_expression(each.value)) for each in verdict.evidence.bindings}


def _inputs(shown: dict[str, object]) -> str:
    given = shown["kleis"]
    assert isinstance(given, dict)
    return ", ".join(f"{name} = {value}" for name, value in given.items())


def _premise(law: Expression, given: tuple[Expression, ...] = ()) -> Expression | None:
    """That the premises of a law, those before each of its →, are never true together; None where it has none."""
    if isinstance(law, Quantifier) and law.kind == "forall":
        inner = _premise(law.body, given if law.where is None else (*given, law.where))
        return None if inner is None else msgspec.structs.replace(law, where=None, body=inner)
    if isinstance(law, Call) and law.name == "implies":
        return _premise(law.arguments[1], (*given, law.arguments[0]))
    if not given:
        return None
    together = given[0]
    for each in given[1:]:
        together = call("logical_and", together, each)
    return call("logical_not", together)
