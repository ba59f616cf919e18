"""Laws of tools: read, proved, refuted or tested, and labelled (docs/reference/registry.md §7.4).

    check_laws("square", ["∀(x : ℤ). square(x) ≥ 0"], tools, names, prover) -> (LawReport(status="proved", …),)

A law holds where the tools in it have values: an assignment at which one has none is no counterexample, and is counted.
`safe(tool)` is the law that there is no such assignment.

1. The prover is asked, with the Kleis definitions of the tools. A proof gets a certificate.
2. A counterexample of the prover is run by PIF's evaluator. Only if the run confirms it is the law refuted.
3. A law that is still open is asked behind the definedness predicates of its tools (`registry.laws.definedness`), if they
   have some. A proof is labelled `where the tools have values`, and shows the predicates.
4. What is left is tried at assignments computed by PIF's evaluator: `refuted` there, or `tested` with cases and seed. So is
   a law whose types do not fit the Kleis definitions, where the tools themselves take them.

Invariants
    * No law is `proved` without a certificate that was checked, nor without runs at `CHECKED` assignments: one that shows
      the law to be wrong is a defect of this program, and is reported as one. None is `refuted` without a run that shows it,
      except a law without variables, for which there is no input to show.
    * A tool that is not shown to terminate gives no axiom: Kleis calls every question about it `unknown`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import TypeExpression
from kleis.theory.theory import Theory
from pif.language.host import Tool, Tools
from pif.language.terms import identity
from registry.errors import RegistryError
from registry.laws.counterexamples import LawTrials
from registry.laws.definedness.value_conditions import UnknownCondition
from registry.laws.goals import NEVER_TRUE, Claim, LawQuestion, never_asked, never_true, question
from registry.laws.law_prover import Depth, LawProver
from registry.laws.law_report import NO_MODEL, WHERE_DEFINED, LawReport, late
from registry.laws.law_text import Law, LawError, Vocabulary, read_law
from registry.laws.serving_laws import ServingLaw, ServingLaws
from registry.records import KeptLaw
from registry.translate.kleis_syntax import names_in
from registry.translate.symbolic_values import Function, Untranslatable
from registry.translate.tool_theory import ToolTheory

if TYPE_CHECKING:
    from kleis.prover.prover import Decision

__all__ = ["CASES", "SEED", "LawCheck", "check_laws"]

CASES = 300
"""Assignments at which a law is tried that is neither proved nor refuted."""

SEED = 0
"""The seed of these assignments."""

CHECKING = 4.0
"""Seconds for the trials of a law that is proved, where a quantifier inside makes them slow."""

TRYING = 8.0
"""Seconds for trials of all laws together after the time for proofs is up."""

AUXILIARY = 4
"""Laws found on the way to others that one claim is given."""

_Otherwise = Callable[[tuple[str, ...]], LawReport]
"""The report of a law that is not proved, given labels."""

_HELPER = re.compile(r"(.+)_(?:foldr?|range|chars|join(?:_rest)?)(?:_\d+)?")
"""Names of helpers (`registry.translate.folds`): that of their tool, and a suffix."""


class _Attempt(msgspec.Struct, frozen=True):
    """A decision, the laws that were its lemmas, and how far the order was followed for it."""

    decision: Decision
    lemmas: Sequence[Claim] = ()
    depth: Depth = "all"


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
    """The report of each law of a tool, in order. Laws that were proved serve as lemmas for those after them."""
    tool = tools.tool(name)
    check = LawCheck(tools, names, prover, subject=tool, cases=cases, seed=seed)
    return tuple(check.report(each) for each in laws)


class LawCheck:
    """Decides the laws of one tool, or without a `subject` laws of any tools."""

    def __init__(
        self,
        tools: Tools,
        names: Callable[[], Iterable[str]],
        prover: LawProver,
        *,
        subject: Tool | None = None,
        cases: int = CASES,
        seed: int = SEED,
        kept: Callable[[str], Sequence[KeptLaw]] | None = None,
    ) -> None:
        """`kept` gives the laws of the tool of a name that may serve as lemmas; None: only laws proved here serve."""
        self.tools = tools
        self.theory = ToolTheory(tools, stop=prover.abandoned)
        self.prover = prover
        self.subject = subject
        self.cases = cases
        self.seed = seed
        self.proved: list[Claim] = []
        self.auxiliary: list[Claim] = []
        self._is_cut = False
        self._last: tuple[object, LawQuestion] | None = None
        self._readers: dict[str, LawCheck] = {}
        self._names = names
        self._serving = None if kept is None else ServingLaws(
            subject, tools, kept, self._read_as, lambda each: self.prover.carriers(self.theory.theory, each)
        )  # fmt: skip
        self._vocabulary = Vocabulary(
            subject, tools.tool, names, self._function, self._types, self._unexpressed
        )

    # ── One law ──────────────────────────────────────────────────────────────────────────────────────────────

    def read(self, text: str) -> Law:
        """Parse a law, with a new theory for the tools that it needs. Raises `LawError`."""
        self.theory = ToolTheory(self.tools, stop=self.prover.abandoned)
        law = read_law(text, self._vocabulary)
        owners = map(self._owner, names_in(law.expression))
        labels = {each.label for each in owners if each is not None and self.theory.called(each) is not None}
        return msgspec.structs.replace(law, tools=tuple(sorted({*law.tools, *labels})))

    def _read_as(self, subject: Tool | None, text: str) -> Law:
        """Parse a law of a tool, or of none, with a theory of its own. Raises `LawError`."""
        name = "" if subject is None else subject.label
        if name not in self._readers:
            self._readers[name] = LawCheck(self.tools, self._names, self.prover, subject=subject)
        return self._readers[name].read(text)

    def _owner(self, name: str) -> Tool | None:
        """The tool that a helper belongs to by its name, so that a law may mention the helper alone."""
        found = _HELPER.fullmatch(name)
        return None if found is None else self._vocabulary.tool(found[1])

    def report(self, text: str) -> LawReport:
        """The report of a law."""
        try:
            law = self.read(text)
        except LawError as error:
            return LawReport(text, "error", reason=error.message, hint=error.hint)
        self._is_cut = False
        try:
            report = self._decided(law)
        except Untranslatable as error:  # the caller left between two questions
            self._is_cut |= self._is_late
            report = self._trials(law).tried(
                self._labels(law), f"{error.tool} cannot be said in Kleis: {error}"
            )
        report = msgspec.structs.replace(report, labels=(*report.labels, *self._late_label(report)))
        if report.status == "proved":
            self.proved.append(Claim(law, WHERE_DEFINED in report.labels))
        hashes = {each.label: identity(each.term) for each in self._reached(law)}
        kleis = report.kleis or print_expression(law.expression)
        return msgspec.structs.replace(report, kleis=kleis, tools=hashes)

    def _decided(self, law: Law) -> LawReport:
        labels = self._labels(law)
        untranslated = self._untranslated(law)
        if untranslated is not None:
            reason = f"{untranslated.tool} cannot be said in Kleis: {untranslated}"
            return self._trials(law).tried((*labels, "not proved: a tool has no Kleis definition"), reason)
        if self._is_late:
            self._is_cut = True
            return self._trials(law).tried(labels, "the time was up before the prover was asked")
        claim = Claim(law)
        found = self._verdict(claim)
        verdict = found.decision.verdict
        if verdict.status == "error":
            rejected = LawReport(
                law.text, "error", reason=verdict.message, hint=verdict.advice, labels=labels
            )
            more = (*labels, "not proved: the tools' Kleis definitions are not of these types")
            return self._trials(law).tried(more, verdict.message, otherwise=rejected)
        if verdict.status == "verified":
            return self._proof(claim, found, labels)
        if verdict.reason == "termination":
            labels = (*labels, "not shown to terminate: nothing follows from its definition")
            return self._trials(law).tried(labels, verdict.message)
        if verdict.status != "disproved":
            reason = verdict.message or f"the prover does not know ({verdict.reason or verdict.status})"
            return self._where_defined(law, labels, lambda more: self._trials(law).tried(more, reason))
        trials = self._trials(law)
        point = trials.counterexample(verdict)
        refuted = None if point is None else trials.disproved(point, verdict, labels)
        return refuted or self._where_defined(
            law, labels, lambda more: trials.unconfirmed(point, verdict.engine, more)
        )

    @property
    def _is_late(self) -> bool:
        """Whether the time for proofs is up."""
        return self.prover.deadline is not None and self.prover.deadline.over

    def _late_label(self, report: LawReport) -> tuple[str, ...]:
        """The label of a law that the time limit left open."""
        deadline = self.prover.deadline
        if deadline is None or not self._is_cut or report.status not in ("proved", "tested", "untested"):
            return ()
        return (late(deadline.seconds) + " whether it is vacuous" * (report.status == "proved"),)

    def _stopped(self) -> bool:
        """Whether the time for trials is up."""
        deadline = self.prover.deadline
        return deadline is not None and (deadline.abandoned or time.monotonic() > deadline.until + TRYING)

    def _labels(self, law: Law) -> tuple[str, ...]:
        if self.subject is not None and self.subject.label not in law.tools:
            return (f"says nothing of {self.subject.name}",)
        return () if law.tools else ("vacuous: it mentions no tool",)

    # ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _verdict(self, claim: Claim) -> _Attempt:
        """The decision, soon where known laws settle it; with the laws proved before as lemmas, where it is unknown without
        and known with them."""
        soon = self._by_known_laws(claim)
        if soon is not None:
            return soon
        found = self._asked(self._question(claim))
        usable = found.verdict.status == "unknown" and found.verdict.reason != "termination"
        lemmas = [*self._auxiliary_of(claim), *self.proved]
        if not usable or not lemmas:
            return _Attempt(found)
        helped = self._asked(self._question(claim, lemmas))
        return _Attempt(helped, lemmas) if helped.verdict.status == "verified" else _Attempt(found)

    def _by_known_laws(self, claim: Claim) -> _Attempt | None:
        """What short attempts decide of a claim that known laws settle or make smaller, without lemmas and then with these
        laws; None where that leaves it open."""
        if self._serving is None or claim.where_defined or claim.law.safe:
            return None
        theory = self._question(claim).theory
        lemmas, settles = self._useful(claim, theory)
        if not lemmas:
            return None
        alone = self._asked(self._question(claim), "short")
        if alone.verdict.definite:
            return _Attempt(alone)
        depth: Depth = "all" if settles else "induction"
        helped = self._asked(self._question(claim, lemmas), depth)
        return _Attempt(helped, lemmas, depth) if helped.verdict.status == "verified" else None

    def _useful(self, claim: Claim, theory: Theory) -> tuple[list[Claim], bool]:
        """The known laws that settle a claim or make it smaller, each after its lemmas; else auxiliary laws of its tools.
        And whether they settle it."""
        assert self._serving is not None
        law, reached = claim.law, self._reached(claim.law)
        here = [each.law for each in self._about(reached, (*self.proved, *self.auxiliary))]
        types = self.prover.types(theory, law.expression)
        serving = [ServingLaw(each) for each in here if each.expression != law.expression]
        serving += self._serving.of(law, reached, types)
        found = self.prover.useful(theory, law.expression, [each.law.expression for each in serving])
        chosen = [serving[place] for place in found.places]
        laws = {each.text: each for used in chosen for each in (*used.before, used.law)}
        return [Claim(each) for each in laws.values()] or self._auxiliary_of(claim), found.settles

    def _auxiliary_of(self, claim: Claim) -> list[Claim]:
        """The laws that were found and proved on the way to others, and are about the tools of a claim."""
        known = {each.law.text for each in self.proved}
        about = self._about(self._reached(claim.law), self.auxiliary)
        return [
            each
            for each in about
            if each.law.text not in known and each.law.expression != claim.law.expression
        ][:AUXILIARY]

    def _about(self, reached: Sequence[Tool], laws: Sequence[Claim]) -> list[Claim]:
        """The laws that are about these tools alone, and hold as written."""
        labels = {each.label for each in reached}
        return [each for each in laws if not each.where_defined and labels.issuperset(each.law.tools)]

    def _keep_auxiliary(self, claim: Claim, asked: LawQuestion, certificate: str) -> None:
        """Keep the laws that the proof of a claim has found on its way."""
        if self._serving is None or claim.where_defined:
            return
        known = {each.law.text for each in self.auxiliary}
        for each in self.prover.auxiliary(asked.theory, asked.claim, certificate):
            law = self._serving.written(each)
            if law is not None and law.text not in known:
                known.add(law.text)
                self.auxiliary.append(Claim(law))

    def _question(self, claim: Claim, lemmas: Sequence[Claim] = ()) -> LawQuestion:
        """The question of a claim; the last one is cached."""
        key = (self.theory, claim, list(lemmas))
        if self._last is None or self._last[0] != key:
            self._last = (key, question(self.theory, claim, lemmas))
        return self._last[1]

    def _asked(self, asked: LawQuestion, depth: Depth = "all") -> Decision:
        decision = self.prover.decide(asked.theory, asked.claim, asked.lemmas, depth)
        self._is_cut |= decision.cut and self._is_late
        return decision

    def _proof(self, claim: Claim, found: _Attempt, labels: tuple[str, ...]) -> LawReport:
        decision, lemmas = found.decision, found.lemmas
        asked = self._question(claim, lemmas)
        proof = self.prover.certified(asked.theory, asked.claim, decision, asked.lemmas, found.depth)
        if proof.certificate is None:
            self._is_cut |= self._is_late
            return self._trials(claim.law).tried(
                (*labels, "a proof was found, but no certificate"), proof.reason
            )
        self.refuse_contradiction(claim, decision.verdict.engine)
        self._keep_auxiliary(claim, asked, proof.certificate)
        labels = (*labels, WHERE_DEFINED) if claim.where_defined else (*labels, *self.vacuous(claim, asked))
        if decision.verdict.core and decision.verdict.consistency == "unknown":
            labels = (*labels, NO_MODEL)
        return LawReport(
            claim.law.text,
            "proved",
            kleis=print_expression(asked.claim),
            labels=labels,
            conditions=asked.conditions,
            engine=decision.verdict.engine,
            lemmas=tuple(each.law.text for each in lemmas),
            certificate=proof.certificate,
        )

    def refuse_contradiction(self, claim: Claim, engine: str) -> None:
        """Raise `internal` where runs show a law that has a proof to be wrong."""
        until = time.monotonic() + CHECKING
        trials = LawTrials(
            claim.law, self.theory, seed=self.seed, cases=self.cases,
            stopped=lambda: self.prover.abandoned() or time.monotonic() > until,
        )  # fmt: skip
        found = trials.contradiction(where_defined=claim.where_defined)
        if found is not None:
            raise RegistryError(
                "internal", f"a proof of this law was found and certified ({engine}), but {found.reason}",
                place="laws", found=claim.law.text[:200],
                hint="This is a defect of the program: please report the law and its tools. Nothing was kept.",
            )  # fmt: skip

    def vacuous(self, claim: Claim, asked: LawQuestion) -> tuple[str, ...]:
        """The label of a law that is true only because its premises are never true together."""
        never = None if claim.where_defined else never_true(asked)
        if never is not None and self._asked(never).verdict.status == "verified":
            return (NEVER_TRUE,)
        found = never_asked(self.theory, claim)
        if found is None or self._asked(found[0]).verdict.status != "verified":
            return ()
        return (found[1],)

    def _where_defined(self, law: Law, labels: tuple[str, ...], otherwise: _Otherwise) -> LawReport:
        """A law that is undecided as written, asked behind the definedness predicates of its tools."""
        if law.safe:
            return otherwise(labels)
        law = self.read(law.text)  # its theory is without the tools of lemmas that did not help
        claim = Claim(law, where_defined=True)
        try:
            asked = self._question(claim)
            if not asked.conditions:
                return otherwise(labels)
            found = self._verdict(claim)
        except UnknownCondition as error:
            return otherwise((*labels, f"not asked where its tools have values: {error}"))
        verdict = found.decision.verdict
        if verdict.status == "error":
            return otherwise((*labels, f"not asked where its tools have values: {verdict.message}"))
        if verdict.status != "verified":
            return otherwise(labels)
        vacuous = self.vacuous(claim, asked)
        if vacuous:
            return otherwise((*labels, *vacuous))
        return self._proof(claim, found, labels)

    def shown(self, claim: Claim, report: LawReport) -> LawReport:
        """The report of a law as it is written that a certificate has shown, checked here, with what else is said of one that was
        proved here: runs must not contradict it, it may be vacuous, and it serves the laws after it."""
        self._is_cut = False
        self.refuse_contradiction(claim, report.engine)
        labels = (*self._labels(claim.law), *self.vacuous(claim, self._question(claim)), *report.labels)
        report = msgspec.structs.replace(report, labels=labels)
        report = msgspec.structs.replace(report, labels=(*labels, *self._late_label(report)))
        self.proved.append(claim)
        hashes = {each.label: identity(each.term) for each in self._reached(claim.law)}
        return msgspec.structs.replace(report, tools=hashes)

    # ── By runs alone ────────────────────────────────────────────────────────────────────────────────────────

    def tried_again(self, text: str, *, cases: int, seed: int) -> LawReport:
        """The report of a law that was not proved, at the assignments where it was tried."""
        self.cases, self.seed = cases or self.cases, seed
        try:
            return self._trials(self.read(text)).tried((), "")
        except LawError as error:
            return LawReport(text, "error", reason=error.message)

    def sampled(self, text: str, reason: str, *, cases: int, at_boundaries: bool) -> LawReport:
        """The report of a law by runs alone, with the labels of any law; `reason` says why it is not proved."""
        self.cases = cases
        try:
            law = self.read(text)
        except LawError as error:
            return LawReport(text, "error", reason=error.message, hint=error.hint)
        trials = self._trials(law)
        trials.at_boundaries = at_boundaries
        report = trials.tried(self._labels(law), reason)
        hashes = {each.label: identity(each.term) for each in self._reached(law)}
        return msgspec.structs.replace(report, kleis=print_expression(law.expression), tools=hashes)

    # ── Tools ────────────────────────────────────────────────────────────────────────────────────────────────

    def _trials(self, law: Law) -> LawTrials:
        return LawTrials(law, self.theory, seed=self.seed, cases=self.cases, stopped=self._stopped)

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

    def _unexpressed(self, tool: Tool) -> str:
        return self.theory.unexpressed(tool)

    def _types(self, tool: Tool) -> tuple[TypeExpression | None, ...]:
        return self.theory.parameters(tool)
