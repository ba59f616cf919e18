"""Makes the certificate of a verdict: runs the engine that decided once more, and checks what it leaves.

See docs/reference/proving.md §12.

Engines are deterministic, so the engine that decided, run again with its budget, gives the proof or witness that a
verdict does not carry.  Where cvc5 is installed it is asked about every obligation; if it contradicts Z3, there is no
certificate but a `Contradiction`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.certificate import (
    Certificate,
    CertificateError,
    ObligationText,
    SecondOpinion,
    check,
    core_task,
    parts_of,
    solvers_of,
)
from kleis.prover.certificates.rechecks import core_script, digest
from kleis.prover.certificates.witness_json import UnwritableError, written
from kleis.prover.evidence import CHECK_WITNESS, Checked
from kleis.prover.portfolio import ORDER, PRELOAD, Entry
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, Task, declarations_of, load_engine, with_lemmas
from kleis.prover.protocol.verdict import Evidence, Verdict
from kleis.core.canonical_bytes import digest_of
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.printer.program import print_declaration
from kleis.syntax.tree import Example, Import
from kleis.theory.theory import Theory

__all__ = ["Contradiction", "Question", "build", "build_part", "theory_text"]

_GUARDS = Guards(cpu=240, wall=600.0, memory=2048)
_SECOND_OPINION = "kleis.prover.certificates.rechecks:second_opinion"
_SECOND_STEPS = 2_000_000
_DERIVED = "derived "


class Contradiction(CertificateError):
    """Two solvers contradict each other: the verdict is withdrawn."""


class Question(msgspec.Struct, frozen=True):
    """A claim as it was asked: Kleis text, the structure it is about, and lemmas with their verdicts."""

    claim: str
    using: str = ""
    lemmas: tuple[tuple[str, Verdict], ...] = ()


def theory_text(theory: Theory) -> str:
    """All declarations in scope as one program without imports."""
    kept = [each.declaration for each in theory.entries if not isinstance(each.declaration, Example | Import)]
    return "\n".join(print_declaration(each) for each in kept) + "\n"


def build(
    broker: Broker,
    theory: Theory,
    question: Question,
    verdict: Verdict,
    *,
    order: Sequence[Entry] = ORDER,
    answer: Answer | None = None,
    elaborator: Elaborator | None = None,
) -> Certificate:
    """The certificate of a verdict, checked; `CertificateError` where none can be made.

    `answer` is the answer that decided; without it the engine runs again.  `elaborator` is one of the same theory; the
    check has its own.
    """
    return _Builder(broker, theory, order, elaborator).certificate(question, verdict, answer)


def build_part(
    broker: Broker, theory: Theory, part: str, verdict: Verdict, *, order: Sequence[Entry] = ORDER
) -> Certificate:
    """The certificate of a verdict on whether a part of a theory has a model, checked."""
    return _Builder(broker, theory, order).part(part, verdict)


class _Builder:
    """Makes the certificates of one theory."""

    def __init__(
        self, broker: Broker, theory: Theory, order: Sequence[Entry], elaborator: Elaborator | None = None
    ) -> None:
        self._broker = broker
        self._order = order
        self._elaborator = elaborator or Elaborator(theory)
        self._theory = theory_text(theory)

    def certificate(self, question: Question, verdict: Verdict, answer: Answer | None = None) -> Certificate:
        """The certificate of one verdict, after those of its lemmas."""
        lemmas: list[Certificate] = []
        for claim, found in question.lemmas:
            lemmas.append(self._checked(self._made(Question(claim, question.using), found, tuple(lemmas))))
        return self._checked(self._made(question, verdict, tuple(lemmas), answer))

    def part(self, part: str, verdict: Verdict) -> Certificate:
        """The certificate of a part."""
        goal = dict(parts_of(self._elaborator)).get(part)
        if goal is None or verdict.status not in ("consistent", "inconsistent"):
            raise _no(f"a verdict that is {verdict.status} shows nothing of {part}")
        task = Task(declarations_of(goal))
        entry = self._decider(verdict)
        answer = self._asked(entry.engine, task, entry.steps)
        base = Certificate(
            status=verdict.status,
            claim="",
            part=part,
            theory=self._theory,
            meaning=digest_of(task.goal, ()),
            engine=verdict.engine,
            budget=entry.steps,
            solvers=solvers_of(verdict.engine),
        )
        if verdict.status == "consistent":
            return self._checked(self._with_witness(base, task, answer, "model"))
        if answer.outcome != "inconsistent":
            raise _no(f"{verdict.engine}, asked again, is {answer.outcome}: {answer.detail}")
        return self._checked(self._with_proof(base, task, answer))

    def _checked(self, certificate: Certificate) -> Certificate:
        wrong = [each for each in check(certificate, self._broker).findings if not each.ok]
        if wrong:
            raise _no(f"it does not pass its own check: {wrong[0].what}: {wrong[0].detail}")
        return certificate

    def _made(
        self,
        question: Question,
        verdict: Verdict,
        lemmas: tuple[Certificate, ...],
        answer: Answer | None = None,
    ) -> Certificate:
        if verdict.status not in ("verified", "disproved", "inconsistent"):
            raise _no(f"a verdict that is {verdict.status} shows nothing")
        task = self._task(question, verdict, lemmas)
        entry = self._decider(verdict)
        answer = answer or self._asked(entry.engine, task, entry.steps)
        base = Certificate(
            status=verdict.status,
            claim=question.claim,
            using=question.using,
            theory=self._theory,
            meaning=digest_of(task.goal, task.lemmas),
            engine=verdict.engine,
            budget=entry.steps,
            lemmas=lemmas,
            assumed=verdict.assumed,
            solvers=solvers_of(verdict.engine),
        )
        if verdict.status == "disproved":
            return self._with_witness(base, task, answer)
        expected = "proved" if verdict.status == "verified" else "inconsistent"
        if answer.outcome != expected:
            raise _no(f"{verdict.engine}, asked again, is {answer.outcome}: {answer.detail}")
        return self._with_model(self._with_proof(base, task, answer), task, verdict)

    def _task(self, question: Question, verdict: Verdict, lemmas: Sequence[Certificate]) -> Task:
        goal = self._elaborated(question.claim, question.using)
        known = [self._elaborated(each.claim, each.using) for each in lemmas]
        return with_lemmas(declarations_of(goal) if verdict.status == "inconsistent" else goal, known)

    def _elaborated(self, claim: str, using: str) -> Goal:
        structure = parse_type(using) if using else None
        return self._elaborator.proposition(parse_expression(claim), using=structure)

    def _decider(self, verdict: Verdict) -> Entry:
        """The entry that decided: engines stand in the order more than once, with other budgets."""
        place = sum(1 for each in verdict.attempts if each.engine == verdict.engine)
        entries = [each for each in self._order if load_engine(each.engine).name == verdict.engine]
        if not entries or not place:
            raise _no(f"the verdict does not say which engine found it ({verdict.engine or 'none'})")
        return entries[min(place, len(entries)) - 1]

    def _asked(self, job: str, question: object, steps: int) -> Answer:
        return self._broker.submit(job, question, steps, guards=_GUARDS, preload=PRELOAD)[1].result()

    # ── What shows it ────────────────────────────────────────────────────────────────────────────────────────

    def _with_proof(self, base: Certificate, task: Task, answer: Answer) -> Certificate:
        searched = [each for each in answer.proof if _is_step(base.engine, each[0])]
        solved = [_obligation(name, text) for name, text in answer.proof if (name, text) not in searched]
        if searched and not solved and base.engine not in ("evaluation", "regular languages"):
            text = core_script(task, answer.core, axioms_clash=base.status == "inconsistent")
            solved = [_obligation("claim", text, by="steps")] if text else []
        elif not answer.proof:
            solved = self._fallen_away(task)
        return msgspec.structs.replace(
            base,
            core=answer.core,
            obligations=tuple(solved),
            steps=tuple(searched),
            second=tuple(self._second(solved)),
        )

    @staticmethod
    def _fallen_away(task: Task) -> list[ObligationText]:
        """The whole script as an obligation, where nothing of the negated claim was left once it was written as clauses.

        There are no steps to write down then, and a solver refutes the script.
        """
        text = core_script(task, (), axioms_clash=False)
        return [_obligation("claim", text)] if text else []

    def _second(self, obligations: Sequence[ObligationText]) -> Iterator[SecondOpinion]:
        """What cvc5 says of each obligation, where it is installed."""
        found = dict(solvers_of("cvc5"))
        if "cvc5" not in found:
            return
        for each in obligations:
            answer = self._asked(_SECOND_OPINION, each.text, _SECOND_STEPS)
            if answer.detail == "sat":
                raise Contradiction(
                    f"cvc5 {found['cvc5']} finds a model of the obligation {each.name}, which Z3 refutes",
                    code="certificate-contradiction",
                    hint="report it: one of the two is wrong, and nothing rests on it",
                )
            outcome = "unsat" if answer.outcome == "proved" else "unknown"
            yield SecondOpinion("cvc5", found["cvc5"], each.name, outcome)

    def _with_witness(
        self, base: Certificate, task: Task, answer: Answer, outcome: str = "refuted"
    ) -> Certificate:
        if answer.outcome != outcome:
            raise _no(f"{base.engine}, asked again, is {answer.outcome}: {answer.detail}")
        evidence = self._evidence(task, answer)
        if evidence is None:
            raise _no("what was found, evaluated again, is no evidence")
        return msgspec.structs.replace(base, witness=_plain(answer), evidence=evidence)

    def _with_model(self, base: Certificate, task: Task, verdict: Verdict) -> Certificate:
        """The certificate with a model of the axioms used, if the verdict has one."""
        if verdict.status != "verified" or verdict.model is None or not base.core:
            return base
        question = core_task(task.goal, base.core)
        for entry in self._order:
            if entry.chain != "refute" or not load_engine(entry.engine).applies(question):
                continue
            answer = self._asked(entry.engine, question, entry.steps)
            evidence = self._evidence(question, answer) if answer.outcome == "model" else None
            if evidence is not None:
                return msgspec.structs.replace(base, model_witness=_plain(answer), model=evidence)
        return base

    def _evidence(self, task: Task, answer: Answer) -> Evidence | None:
        found = self._asked(CHECK_WITNESS, Checked(task, answer), 1).witness
        return found if isinstance(found, Evidence) else None


def _is_step(engine: str, name: str) -> bool:
    """Whether a part of a proof is a step that its own check reads, not a script for solvers."""
    return engine in ("completion", "evaluation", "regular languages") or name.startswith(_DERIVED)


def _obligation(name: str, text: str, by: str = "solver") -> ObligationText:
    return ObligationText(name, text, digest(text), by)


def _plain(answer: Answer) -> object:
    try:
        return written(answer.witness)
    except UnwritableError as error:
        raise _no(str(error)) from None


def _no(why: str) -> CertificateError:
    return CertificateError(f"no certificate: {why}", code="certificate-none")
