"""What engines leave as data of the proofs and witnesses they found, as steps of the checker.

See docs/reference/certificates.md §6.  A verdict does not carry its proof: where the answer that decided is not at hand, the
engine that gave it is asked again, with the budget it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kleis.prover.certificates.inductions import induction_steps
from kleis.prover.certificates.questions import question_steps
from kleis.prover.checker.format import (
    Ask,
    CertificateError,
    Enclosures,
    Evaluation,
    RationalRoots,
    RegularLanguages,
    Remainders,
    Step,
    Witness,
)
from kleis.prover.checker.write_terms import UnwritableError, term_data
from kleis.prover.checker.write_witness import witness_data
from kleis.prover.engines.completion.certified import (
    Unconvertible,
    equation_proofs,
    rewrite_system,
    rewriting_proof,
)
from kleis.prover.engines.computation.evaluation import precision_of
from kleis.prover.engines.computation.intervals import step_of
from kleis.prover.engines.laws.engine import steps_of as law_steps
from kleis.prover.engines.superposition.certified import clausal_proof
from kleis.prover.portfolio import ORDER, PRELOAD, Entry
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, Task, load_engine
from kleis.prover.protocol.recorded_answers import RecordedAnswers
from kleis.prover.protocol.verdict import Verdict

__all__ = ["Engines", "none_made", "steps_left", "written_witness"]

_DERIVED = "derived "
_GUARDS = Guards(cpu=240, wall=600.0, memory=2048)
_SHORT = 8
"""Seconds of processor time of the engines that are asked where a proof is not accepted."""


class Engines:
    """The engines of an order, asked again: they are deterministic, so they give what they gave.

    What they gave is taken from `answers`, where it is kept there.
    """

    def __init__(
        self, broker: Broker, order: Sequence[Entry] = ORDER, answers: RecordedAnswers | None = None
    ) -> None:
        self._broker = broker
        self._order = order
        self._answers = RecordedAnswers() if answers is None else answers

    def proof(self, task: Task, verdict: Verdict, answer: Answer | None = None) -> tuple[Step, ...]:
        """The steps of a proof, as the engine that found it left them; `CertificateError` where it leaves none.

        `answer` is the answer that decided; without it the engine runs again.
        """
        outcome = "proved" if verdict.status == "verified" else "inconsistent"
        found = answer or self.again(task, verdict, outcome)
        try:
            return steps_left(verdict.engine, task, found)
        except (UnwritableError, Unconvertible) as error:
            raise none_made(str(error)) from None

    def again(self, task: Task, verdict: Verdict, outcome: str) -> Answer:
        """The answer of the engine that decided; `CertificateError` where it is another one."""
        entry = self._decider(task, verdict)
        answer = self.asked(entry.engine, task, entry.steps)
        if answer.outcome != outcome:
            raise none_made(f"{verdict.engine}, asked again, is {answer.outcome}: {answer.detail}")
        return answer

    def others(self, verdict: Verdict) -> Iterator[Entry]:
        """The entries of other engines than the one that decided, which prove, or refute, and take little time."""
        chains = {"verified": "prove", "disproved": "refute"}
        for each in self._order:
            if (
                each.chain == chains.get(verdict.status)
                and each.cpu <= _SHORT
                and load_engine(each.engine).name != verdict.engine
            ):
                yield each

    def found(self, entry: Entry, task: Task, outcome: str) -> Answer:
        """The proof or counterexample of the engine of an entry; `CertificateError` where it finds none."""
        if load_engine(entry.engine).applies(task):
            answer = self.asked(entry.engine, task, entry.steps)
            if answer.outcome == outcome:
                return answer
        raise none_made(f"another engine has {outcome} nothing")

    def asked(self, engine: str, task: Task, steps: int) -> Answer:
        """The answer of an engine."""
        known = self._answers.find(engine, task, steps)
        if known is not None:
            return known
        return self._broker.submit(engine, task, steps, guards=_GUARDS, preload=PRELOAD)[1].result()

    def _decider(self, task: Task, verdict: Verdict) -> Entry:
        """The entry that decided: engines stand in the order more than once, with other budgets.

        Entries of one name need not all apply: those that do not have left no attempt.
        """
        place = sum(1 for each in verdict.attempts if each.engine == verdict.engine)
        named = [each for each in self._order if load_engine(each.engine).name == verdict.engine]
        entries = [each for each in named if load_engine(each.engine).applies(task)]
        if not entries or not place:
            raise none_made(f"the verdict does not say which engine found it ({verdict.engine or 'none'})")
        return entries[min(place, len(entries)) - 1]


def steps_left(engine: str, task: Task, answer: Answer) -> tuple[Step, ...]:
    """What an engine left, as steps of the checker."""
    match engine:
        case "evaluation":
            precision = precision_of(answer)
            return (Step(Enclosures(precision) if precision else Evaluation()),)
        case "regular languages":
            return (Step(RegularLanguages()),)
        case "remainders":
            return law_steps(answer) if answer.proof else (Step(Remainders()),)
        case "rational roots":
            return (Step(RationalRoots()),)
        case "intervals":
            return (step_of(answer),)
        case "identities" | "laws" | "sums" | "witnesses":
            return law_steps(answer)
        case "completion" | "completion by weight" if answer.proof:
            return (Step(rewriting_proof(task, answer)),)
        case "superposition" if answer.proof:
            return (Step(clausal_proof(task, answer)),)
        case "z3 with equations":
            return _with_equations(task, answer)
        case "induction":
            return induction_steps(task, answer)
        case "induction with laws" if answer.shown:
            laws = (Step(proof, term_data(formula)) for formula, proof in answer.shown[:-1])
            return (*laws, Step(answer.shown[-1][1]))
        case _:
            return question_steps(task, answer, engine)


def _with_equations(task: Task, answer: Answer) -> tuple[Step, ...]:
    """A step for every equation that completion derived and the proof uses, then the question with them."""
    if not any(each.startswith(_DERIVED) for each, _ in answer.proof):
        return (Step(Ask(answer.core)),)
    steps: list[Step] = []
    for _, equation, proof in equation_proofs(task, answer):
        steps.append(Step(proof, term_data(equation)))
    given = tuple(each for each in answer.core if not each.startswith(_DERIVED))
    named = tuple(f"step {place}" for place in range(1, len(steps) + 1))
    return (*steps, Step(Ask((*given, *named))))


def written_witness(task: Task, answer: Answer) -> Witness:
    """The witness of an answer as data; `CertificateError` where it cannot be written."""
    try:
        if isinstance(answer.witness, Mapping) and "equations" in answer.witness:
            return rewrite_system(task, answer.witness)
        return witness_data(task.goal, answer.witness)
    except (UnwritableError, Unconvertible) as error:
        raise none_made(str(error)) from None


def none_made(why: str) -> CertificateError:
    """The error where no certificate can be made."""
    return CertificateError(f"no certificate: {why}", code="certificate-none")
