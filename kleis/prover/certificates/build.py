"""Makes the certificate of a verdict: writes what the engine that decided left as data.

See docs/reference/certificates.md §6.

A verdict does not carry its proof or witness.  Engines are deterministic: where the answer that decided is not at hand, the
engine, run again with its budget, gives it.  No certificate is given out that the checker does not accept; where none is accepted, the reason
names the leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeGuard

import msgspec

from kleis.budget import deep
from kleis.core.canonical_bytes import digest_of
from kleis.core.goal import Goal, Obligation
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.check import check
from kleis.prover.certificates.laws_in_proofs import LawsInProofs
from kleis.prover.certificates.left_by_engines import Engines, none_made, steps_left, written_witness
from kleis.prover.checker.format import (
    Ask,
    Certificate,
    CertificateError,
    Ground,
    Interpretation,
    Lemma,
    Status,
    Step,
    Witness,
)
from kleis.prover.checker.kernel import parts_of
from kleis.prover.checker.solvers import installed
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.library_laws import LibraryLaws
from kleis.prover.portfolio import ORDER, Entry
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, Task, declarations_of, load_engine, with_lemmas
from kleis.prover.protocol.recorded_answers import RecordedAnswers
from kleis.prover.protocol.verdict import Evidence, Verdict
from kleis.prover.prover import Prover
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.printer.program import print_declaration
from kleis.theory.theory import Theory

__all__ = [
    "Contradiction",
    "Question",
    "build",
    "build_flat",
    "build_from",
    "build_part",
    "build_part_from",
    "proof_of",
    "theory_text",
]

_INDUCTIONS = frozenset({"induction", "induction with laws"})
_SECOND_OPINION = Guards(cpu=5, wall=15.0, memory=2048)


class Contradiction(CertificateError):
    """Two solvers contradict each other: the verdict is withdrawn."""


class Question(msgspec.Struct, frozen=True):
    """A claim as it was asked: Kleis text, the structure it is about, and lemmas with their verdicts."""

    claim: str
    using: str = ""
    lemmas: tuple[tuple[str, Verdict], ...] = ()


@deep()
def theory_text(theory: Theory) -> str:
    """All declarations in scope as one program without imports.  What is stated and proved declares nothing."""
    left_out = tree.Example | tree.Import | tree.Lemma
    kept = [each.declaration for each in theory.entries if not isinstance(each.declaration, left_out)]
    return "\n".join(print_declaration(each) for each in kept) + "\n"


@deep()
def build(
    broker: Broker,
    theory: Theory,
    question: Question,
    verdict: Verdict,
    *,
    order: Sequence[Entry] = ORDER,
    answer: Answer | None = None,
    answers: RecordedAnswers | None = None,
    elaborator: Elaborator | None = None,
) -> Certificate:
    """The certificate of a verdict, checked; `CertificateError` where none can be made.

    `answer` is the answer that decided, `answers` are those that engines gave when it was looked for; what neither has is asked
    again.  `elaborator` is one of the same theory; the check has its own.
    """
    return _Builder(broker, theory, order, elaborator, answers).certificate(question, verdict, answer)


def build_from(broker: Broker, prover: Prover, question: Question, verdict: Verdict) -> Certificate:
    """The certificate of a verdict that a prover found, from its answers; an engine that is asked again has the prover's budgets."""
    return build(broker, prover.theory, question, verdict, order=prover.order, answers=prover.answers)


def build_part_from(broker: Broker, prover: Prover, part: str, verdict: Verdict) -> Certificate:
    """The same for a verdict on whether a part of the prover's theory has a model."""
    return build_part(broker, prover.theory, part, verdict, order=prover.order, answers=prover.answers)


@deep()
def build_part(
    broker: Broker,
    theory: Theory,
    part: str,
    verdict: Verdict,
    *,
    order: Sequence[Entry] = ORDER,
    answers: RecordedAnswers | None = None,
) -> Certificate:
    """The certificate of a verdict on whether a part of a theory has a model, checked."""
    return _Builder(broker, theory, order, answers=answers).part(part, verdict)


@deep()
def proof_of(broker: Broker, theory: Theory, goal: Goal, verdict: Verdict) -> tuple[Step, ...]:
    """The steps of the proof of a verified goal, which no checker has seen; `CertificateError` where there are none."""
    return _Builder(broker, theory, ORDER).steps(Task(goal), verdict)


@deep()
def build_flat(
    broker: Broker,
    theory: Theory,
    question: Question,
    steps: tuple[Step, ...],
    known: Mapping[str, Ground],
    lemmas: tuple[Lemma, ...] = (),
) -> Certificate:
    """The certificate of a verified claim from the steps of its proof, checked; `known` are proofs of its conditions."""
    return _Builder(broker, theory, ORDER).flat(question, steps, known, lemmas)


class _Builder:
    """Makes the certificates of one theory."""

    def __init__(
        self,
        broker: Broker,
        theory: Theory,
        order: Sequence[Entry],
        elaborator: Elaborator | None = None,
        answers: RecordedAnswers | None = None,
    ) -> None:
        self._broker = broker
        self._order = order
        self._engines = Engines(broker, order, answers)
        self._elaborator = elaborator or Elaborator(theory)
        self._library = LibraryLaws(self._elaborator, broker)
        self._theory = theory_text(theory)

    def certificate(self, question: Question, verdict: Verdict, answer: Answer | None = None) -> Certificate:
        """The certificate of one verdict; where the proof of the engine that decided is not accepted, that of another engine."""
        try:
            return self._by(question, verdict, answer)
        except Contradiction:
            raise
        except CertificateError:
            for entry in self._engines.others(verdict):
                with suppress(CertificateError):
                    return self._by(question, verdict, entry=entry)
            raise

    def _by(
        self, question: Question, verdict: Verdict, answer: Answer | None = None, entry: Entry | None = None
    ) -> Certificate:
        """The proofs of the lemmas, then that of the claim, by the engine that decided or the one of an entry."""
        about = [self._elaborated(claim, question.using) for claim, _ in question.lemmas]
        goal = self._elaborated(question.claim, question.using)
        base = _Base(self._theory, question.claim, question.using, assumed=verdict.assumed)
        if verdict.status == "disproved":
            if entry is not None:
                answer = self._engines.found(entry, Task(goal), "refuted")
            return self._with_witness(base, "disproved", Task(goal), verdict, answer)
        if verdict.status not in ("verified", "inconsistent"):
            raise none_made(f"a verdict that is {verdict.status} shows nothing")
        library = LawsInProofs(self._library, [*(found for _, found in question.lemmas), verdict])
        asked = declarations_of(goal) if verdict.status == "inconsistent" else goal
        lemmas = [*library.lemmas]
        for place, (each, (claim, found)) in enumerate(zip(about, question.lemmas, strict=True)):
            lemmas.append(Lemma(claim, self._shown(library, each, about[:place], found)))
        steps = self._shown(library, asked, about, verdict, answer, entry)
        task = with_lemmas(asked, [*library.goals, *about])
        return self._checked(
            Certificate(
                status=verdict.status,
                theory=base.theory,
                goal=digest_of(task.goal, task.lemmas),
                claim=base.claim,
                using=base.using,
                assumed=base.assumed,
                lemmas=tuple(lemmas),
                steps=steps,
                model=self._model(task.goal, verdict),
            ),
            _conditions((task.goal, *about)),
            library.grounds,
        )

    def _shown(
        self,
        library: LawsInProofs,
        goal: Goal,
        before: Sequence[Goal],
        verdict: Verdict,
        answer: Answer | None = None,
        entry: Entry | None = None,
    ) -> tuple[Step, ...]:
        """The steps of one proof, after the lemmas `before` it and the laws that were offered for it."""
        offered = library.offered(goal, verdict)
        task = with_lemmas(goal, [*before, *(own for _, own in offered)])
        if entry is not None:
            answer = self._engines.found(entry, task, "proved")
            verdict = msgspec.structs.replace(verdict, engine=load_engine(entry.engine).name)
        return library.renamed(self._proof(task, verdict, answer), len(before), offered)

    def flat(
        self,
        question: Question,
        steps: tuple[Step, ...],
        known: Mapping[str, Ground],
        lemmas: tuple[Lemma, ...] = (),
    ) -> Certificate:
        """The certificate of a verified claim from its steps and its lemmas, checked."""
        goal = self._elaborated(question.claim, question.using)
        about = [self._elaborated(each.claim, question.using) for each in lemmas]
        task = with_lemmas(goal, about)
        given = Certificate(
            status="verified",
            theory=self._theory,
            goal=digest_of(task.goal, task.lemmas),
            claim=question.claim,
            using=question.using,
            lemmas=lemmas,
            steps=steps,
        )
        return self._checked(given, _conditions((task.goal, *about)), known)

    def part(self, part: str, verdict: Verdict) -> Certificate:
        """The certificate of a part."""
        goal = dict(parts_of(self._elaborator)).get(part)
        if goal is None or verdict.status not in ("consistent", "inconsistent"):
            raise none_made(f"a verdict that is {verdict.status} shows nothing of {part}")
        task = Task(declarations_of(goal))
        base = _Base(self._theory, part=part)
        if verdict.status == "consistent":
            return self._with_witness(base, "consistent", task, verdict)
        return self._checked(
            Certificate(
                status="inconsistent",
                theory=base.theory,
                goal=digest_of(task.goal),
                part=part,
                steps=self._proof(task, verdict),
            )
        )

    def _elaborated(self, claim: str, using: str) -> Goal:
        structure = parse_type(using) if using else None
        return self._elaborator.proposition(parse_expression(claim), using=structure)

    def _checked(
        self,
        certificate: Certificate,
        conditions: Sequence[Obligation] = (),
        known: Mapping[str, Ground] | None = None,
    ) -> Certificate:
        """The certificate, if the checker accepts the bytes that will be written.

        `conditions` are those of terminations; one that no solver settles as it stands gets a proof, the one that is `known`
        if there is one.
        """
        data = to_json(certificate)
        report = check(data, self._broker)
        if report.refused is not None:
            # A place inside of a ground follows a comma; the sorts in the name of a condition have commas too.
            place = f"{report.refused[0]}, "
            refused = next((each for each in conditions if place.startswith(f"ground {each.name}, ")), None)
            if refused is None:
                raise none_made(": ".join(report.refused))
            ground = (known or {}).get(refused.name) or self._ground(refused)
            given = msgspec.structs.replace(certificate, grounds=(*certificate.grounds, ground))
            return self._checked(given, [each for each in conditions if each != refused], known)
        self._second_opinion(data)
        return certificate

    def _ground(self, condition: Obligation) -> Ground:
        """The proof of a condition of a termination, by induction; nothing that rests on it is used."""
        goal = self._elaborator.formula(condition.formula, condition.place)
        task = Task(msgspec.structs.replace(goal, axioms=(), obligations=()))
        for entry in self._order:
            engine = load_engine(entry.engine)
            if engine.name in _INDUCTIONS and engine.applies(task):
                answer = self._engines.asked(entry.engine, task, entry.steps)
                if answer.outcome == "proved":
                    return Ground(condition.name, steps_left(engine.name, task, answer))
        raise none_made(f"no induction shows {condition.name} again")

    def _second_opinion(self, data: bytes) -> None:
        """What cvc5 says of the leaves, where it is installed: it need not refute them, but must not contradict.

        Where it has said nothing when its time is over, that is no contradiction.
        """
        if not installed("cvc5"):
            return
        refused = check(data, self._broker, solvers="cvc5", guards=_SECOND_OPINION).refused
        if refused is not None and refused[1].startswith("cvc5 finds a model"):
            raise Contradiction(
                f"{refused[0]}: {refused[1]}, and Z3 refutes that there is one",
                code="certificate-contradiction",
                hint="report it: one of the two is wrong, and nothing rests on it",
            )

    # ── What shows it ────────────────────────────────────────────────────────────────────────────────────────

    def steps(self, task: Task, verdict: Verdict) -> tuple[Step, ...]:
        """The steps of a proof, from the engine asked again."""
        return self._proof(task, verdict)

    def _proof(self, task: Task, verdict: Verdict, answer: Answer | None = None) -> tuple[Step, ...]:
        """The steps of a proof, as the engine that found it left them."""
        return self._engines.proof(task, verdict, answer)

    def _with_witness(
        self, base: _Base, status: Status, task: Task, verdict: Verdict, answer: Answer | None = None
    ) -> Certificate:
        found = answer
        if found is None or isinstance(found.witness, Evidence):
            found = self._engines.again(task, verdict, "refuted" if status == "disproved" else "model")
        witness = written_witness(task, found)
        given = Certificate(
            status=status,
            theory=base.theory,
            goal=digest_of(task.goal),
            claim=base.claim,
            using=base.using,
            part=base.part,
            witness=witness,
        )
        try:
            return self._checked(given)
        except CertificateError as error:
            if isinstance(error, Contradiction) or not _is_denial(witness):
                raise
        # Solvers find some negations only where ¬ stands inwards, and the checker writes it so where there are steps.
        asked = msgspec.structs.replace(witness, proof=(Step(Ask()),))
        return self._checked(msgspec.structs.replace(given, witness=asked))

    def _model(self, goal: Goal, verdict: Verdict) -> Witness | None:
        """A model of the axioms used, if the verdict has one."""
        axioms = tuple(each for each in goal.axioms if each.name in verdict.core)
        if verdict.status != "verified" or verdict.model is None or not axioms:
            return None
        question = Task(msgspec.structs.replace(goal, claim=None, free=(), axioms=axioms))
        for entry in self._order:
            if entry.chain != "refute" or not load_engine(entry.engine).applies(question):
                continue
            answer = self._engines.asked(entry.engine, question, entry.steps)
            if answer.outcome == "model":
                return written_witness(question, answer)
        return None


def _is_denial(witness: Witness) -> TypeGuard[Interpretation]:
    """Whether a witness only says that the negation of a claim can be proved, and leaves that to a solver."""
    if not isinstance(witness, Interpretation) or witness.undefined or witness.proof:
        return False
    return not (witness.carriers or witness.symbols or witness.point)


class _Base(msgspec.Struct, frozen=True):
    """What every certificate of a question says."""

    theory: str
    claim: str = ""
    using: str = ""
    part: str = ""
    assumed: tuple[str, ...] = ()


def _conditions(goals: Sequence[Goal]) -> list[Obligation]:
    """The conditions of the terminations that goals rest on."""
    return [each for goal in goals for each in goal.obligations if each.kind == "termination"]
