"""Assertions that exact evaluation leaves open, decided by the prover, several at a time.

Specification: docs/reference/proving.md §5.9. How an assertion comes out:

    verdict         assert    assert_disproved   assert_unknown   assert_inconsistent (asked: ¬p)   assert_sat (¬p)
    verified        passed    failed             failed           passed                            failed
    disproved       failed    passed             failed           failed                            passed
    inconsistent    failed    failed             failed           passed                            failed
    unknown         unknown   unknown            passed           unknown                           unknown
    error           error     error              error            error                             error

Of `assert_sat` it is unknown whether it holds where ¬p is only shown to be undefined in some model.

A verdict that a resource limit ended does not answer `assert_unknown` either: it stays unknown.

Invariants
    * A `let` of the block with a value is a `let` around the proposition, one without is a ∀ (or a free name).
    * Reports come in the order of the files; what is asked first may be answered last.
    * A file whose declarations are known to clash fails every block that did not say `assert_inconsistent`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from kleis.syntax import tree
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.syntax.tree.traversal import walk

if TYPE_CHECKING:
    from kleis.prover.facts import Fact
    from kleis.prover.portfolio import Entry
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Prover
    from kleis.theory.theory import Theory
    from registry.cli.kleis.shared.patience import Waiting

__all__ = ["OpenAssertion", "ProverPool", "outcome_of", "question_of", "why_not"]

Answer = TypeVar("Answer")
Status = str


class ProverPool:
    """Provers for several questions at a time, over the broker of a command: one process runs for each question."""

    def __init__(self, jobs: int, waiting: Waiting, *, fresh: bool = False, effort: int = 1) -> None:
        self._waiting = waiting
        self._fresh = fresh
        self._effort = effort
        self._workers = ThreadPoolExecutor(jobs, thread_name_prefix="kleis-test")
        self._mine = threading.local()

    def ask(self, theory: Theory, question: Callable[[Prover], Answer]) -> Future[Answer]:
        """Have a question about a theory answered when its turn comes."""
        return self._workers.submit(lambda: question(self._prover(theory)))

    def look(self, theory: Theory, question: Callable[[Prover], Answer]) -> Future[Answer]:
        """Have a question answered in passing: by engines that take little time and may tell nothing."""
        from kleis.prover.portfolio import LOOK

        return self._workers.submit(lambda: question(self._made(theory, LOOK)))

    def verify(
        self,
        theory: Theory,
        proposition: tree.Expression,
        file: str,
        facts: Callable[[], tuple[Fact, ...]] = tuple,
    ) -> Future[Verdict]:
        """Have a proposition decided when its turn comes, if there is time left then, with the facts there are then."""
        from kleis.prover.reasons import stopped, within
        from kleis.syntax.printer.program import print_expression

        deadline = self._waiting.deadline

        def answer() -> Verdict:
            if deadline.over:
                return stopped(print_expression(proposition), deadline.seconds)
            return within(deadline, self._prover(theory).verify(proposition, file=file, facts=facts()))

        return self._workers.submit(answer)

    def is_late(self) -> bool:
        """Whether the time is over."""
        return self._waiting.deadline.over

    def close(self) -> None:
        """Stop what runs and drop what waits."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._waiting.broker.stop()
        self._workers.shutdown()

    def __enter__(self) -> ProverPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prover(self, theory: Theory) -> Prover:
        """This thread's prover; it is kept for as long as the questions are about one theory."""
        if getattr(self._mine, "theory", None) is not theory:
            self._mine.theory = theory
            self._mine.prover = self._made(theory)
        prover: Prover = self._mine.prover
        return prover

    def _made(self, theory: Theory, order: Sequence[Entry] | None = None) -> Prover:
        from registry.cli.kleis.shared.question import make_prover

        return make_prover(
            theory,
            fresh=self._fresh,
            broker=self._waiting.broker,
            beside=False,
            effort=self._effort,
            order=order,
        )


class OpenAssertion:
    """An assertion that waits for its verdict."""

    def __init__(
        self,
        pool: ProverPool,
        theory: Theory,
        example: tree.Example,
        place: int,
        file: str,
        facts: Callable[[], tuple[Fact, ...]] = tuple,
    ) -> None:
        self._assertions = [each for each in example.statements if isinstance(each, tree.Assertion)]
        self._place = place
        self._example = example
        self._facts = facts
        self._file = file
        self._ask = partial(pool.ask, theory)
        self._is_late = pool.is_late
        self._kind = self._assertions[place].kind
        proposition = self._proposition = question_of(example, self._assertions[place])
        if proposition is None:
            self._verdict = pool.ask(theory, _declarations)
        else:
            self._verdict = pool.verify(theory, proposition, file, facts)

    def outcome(self, passed: Sequence[int] = ()) -> tuple[Status, str]:
        """Its status and detail, once decided.  What stays open is asked again with assertions that `passed` before it."""
        verdict = self._verdict.result()
        before = [place for place in passed if self._assertions[place].kind == "assert"]
        if verdict.status == "unknown" and self._proposition is not None and before and not self._is_late():
            again = self._ask(lambda prover: self._with_earlier(prover, before)).result()
            verdict = again if again.status != "unknown" else verdict
        return outcome_of(self._kind, verdict)

    def _with_earlier(self, prover: Prover, before: Sequence[int]) -> Verdict:
        """The verdict where earlier assertions of the block serve: those that the prover proves, not those that hold
        within a tolerance."""
        from kleis.errors import KleisError
        from kleis.prover.facts import Fact, serving_facts

        facts = list(self._facts())
        for place in before:
            asserted = question_of(self._example, self._assertions[place])
            if asserted is None:
                continue
            try:
                goal = prover.elaborator.proposition(asserted, file=self._file)
            except KleisError:
                continue  # only the evaluator has a meaning for it
            serving = serving_facts(facts, goal)
            decision = prover.decide_goal(goal, serving)
            if decision.verdict.status == "verified" and not decision.computed:
                name = f"line {self._assertions[place].line}"
                facts.append(Fact.of(goal, decision.verdict, serving, name))
        assert self._proposition is not None, "only a proposition is asked again"
        return prover.verify(self._proposition, file=self._file, facts=facts)


def question_of(example: tree.Example, assertion: tree.Assertion) -> tree.Expression | None:
    """The closed proposition that an assertion asks about; None where it is about the declarations alone."""
    if assertion.proposition is None:
        return None
    proposition = assertion.proposition
    if assertion.kind in ("assert_inconsistent", "assert_sat"):
        proposition = tree.Call("logical_not", (proposition,), proposition.span)
    # By identity: the same words may be asserted twice, after other lets.
    before = example.statements[: [each is assertion for each in example.statements].index(True)]
    binders: list[tree.Binder] = []
    for statement in reversed(before):
        if not isinstance(statement, tree.LetStatement) or statement.name not in _mentioned(proposition):
            continue
        if statement.value is None:
            if statement.type is not None:
                binders.insert(0, tree.Binder(statement.name, statement.type, statement.span))
            continue
        if {each.name for each in binders} & {statement.name, *_mentioned(statement.value)}:
            proposition, binders = _for_all(binders, proposition), []
        pattern = tree.VariablePattern(statement.name, statement.span)
        proposition = tree.Let(pattern, statement.type, statement.value, proposition, statement.span)
    return _for_all(binders, proposition)


def _for_all(binders: Sequence[tree.Binder], proposition: tree.Expression) -> tree.Expression:
    """∀ stands outside of every `let` that it may pass, so that a counterexample can say its values."""
    if not binders:
        return proposition
    return tree.Quantifier("forall", tuple(binders), None, proposition, binders[0].span)


def _mentioned(expression: tree.Expression) -> set[str]:
    names = {each.name for each in walk(expression) if isinstance(each, tree.Name | tree.Call)}
    return names | {name.rstrip(SUPERSCRIPTS) for name in names}


def outcome_of(kind: str, verdict: Verdict) -> tuple[Status, str]:
    """The status of an assertion and a detail, by the table above."""
    from kleis.prover.protocol.verdict import Verdict as _Verdict

    assert isinstance(verdict, _Verdict)
    if verdict.status == "error":
        return "error", verdict.message
    if verdict.status == "unknown":
        decided = verdict.reason not in ("killed", "memory")
        if kind == "assert_unknown" and decided:
            return "passed", ""
        return "unknown", _why(verdict)
    if kind == "assert_sat" and verdict.evidence is not None and verdict.evidence.undefined:
        return "unknown", "undefined in a model; no model was found in which it is true"
    expected = {
        "assert": ("verified",),
        "assert_disproved": ("disproved",),
        "assert_unknown": (),
        "assert_sat": ("disproved",),
        "assert_inconsistent": ("verified", "inconsistent"),
    }[kind]
    if verdict.status in expected:
        return "passed", ""
    return "failed", _contrary(kind, verdict)


def _why(verdict: Verdict) -> str:
    parts = [str(verdict.reason or ""), verdict.message, "; ".join(verdict.tried)]
    return ": ".join(each for each in parts if each)


def why_not(verdict: Verdict) -> str:
    """Why a lemma is not proved."""
    if verdict.status in ("unknown", "error"):
        return _why(verdict)
    return _contrary("assert", verdict)


def _contrary(kind: str, verdict: Verdict) -> str:
    """Why an assertion failed."""
    if verdict.status == "inconsistent":
        return f"the axioms clash: {', '.join(verdict.core)}"
    if verdict.evidence is not None:
        from kleis.sessions.answer_fields import witness_text

        word = (
            "there is a model"
            if kind == "assert_inconsistent" or verdict.status == "consistent"
            else "disproved"
        )
        shown = witness_text(verdict.evidence) or (verdict.message if word == "disproved" else "")
        return f"{word}: {shown}" if shown else word
    if kind == "assert_sat":
        return "no model has it: its negation is verified"
    return "the proposition is verified" if verdict.status == "verified" else verdict.status


# ── The declarations themselves ──────────────────────────────────────────────────────────────────────────────


def _declarations(prover: Prover) -> Verdict:
    """Whether the declarations have a model: inconsistent if a part has none, else the least that is known."""
    parts = [verdict for _, verdict in prover.consistent()]
    for status in ("inconsistent", "error", "unknown"):
        for verdict in parts:
            if verdict.status == status:
                return verdict
    from kleis.prover.protocol.verdict import Verdict as _Verdict

    return parts[0] if parts else _Verdict(status="consistent", message="nothing is declared")
