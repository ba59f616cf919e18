"""Questions about a theory, and their verdicts.

See docs/reference/proving.md §5.3.

    with Prover(theory) as prover:
        prover.verify(parse_expression("∀(x : G). inv(inv(x)) = x")).status

A question is elaborated (`kleis.elaborate`), what it depends on is proved first (lemmas, termination), the assumed
axioms are tried without the claim, then the portfolio runs.  Nothing here raises for what is wrong with a question: the
verdict is then `error` and says what.

Invariants
    * ``verified`` needs a proof, every lemma and every termination obligation proved, and axioms that were not
      refuted by the same budget, those of the proof neither by the engine that found it.
    * ``disproved`` and ``consistent`` need evidence that `check_witness` confirmed.
    * A verdict that a time or memory limit had a part in is never cached.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING

import msgspec

from kleis.budget import deep
from kleis.core.goal import Goal, Obligation
from kleis.core.traversal import opened
from kleis.delaborate.describe_goal import proposition_of
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.question import Question, check_names_asked, declared_constants, warnings_of
from kleis.errors import KleisError
from kleis.prover.axioms_alone import AxiomsAlone, Outcomes
from kleis.prover.consistency import Consistency, refuted_axioms
from kleis.prover.facts import Fact, local_to, serving_facts, used_by, with_named_lemmas
from kleis.prover.library_laws import LibraryLaws
from kleis.prover.obligations import Obligations
from kleis.prover.portfolio import (
    COMPUTING,
    ORDER,
    Chain,
    Confirm,
    Entry,
    Outcome,
    run_portfolio,
    with_effort,
)
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task, with_lemmas
from kleis.prover.protocol.recorded_answers import RecordedAnswers
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.reasons import undecided
from kleis.prover.verdict_cache import Verdicts, key_of
from kleis.prover.verdict_of import verdict_of
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression, TypeExpression
from kleis.theory.theory import Theory

if TYPE_CHECKING:
    from kleis.prover.from_elsewhere import FromElsewhere
    from kleis.prover.kept_certificates import Elsewhere

__all__ = ["Decision", "Prover"]


class Decision(msgspec.Struct, frozen=True):
    """A verdict with what a certificate of it needs.

    `cut` says that a time or memory limit stopped an engine; `key` is the verdict's in the cache, or empty.
    """

    verdict: Verdict
    goal: Goal | None = None
    answer: Answer | None = None
    cut: bool = False
    key: str = ""
    used: tuple[Fact, ...] = ()
    """What was proved before and its proof used."""
    given: tuple[Fact, ...] = ()
    """What was proved before and its proof could use, in the order of the task's lemmas."""
    computed: bool = False
    """Whether calls that come to an end were computed, of a recursion that is not shown to end: such a verdict is of this
    claim alone."""


class Prover:
    """Answers questions about one theory.

    cvc5 takes part where it is installed, unless `cvc5` says otherwise.  `guards` multiplies the time
    limits; `effort` the budgets in steps, and so what can be decided; `beside` runs the two chains side by side;
    `elaborator` is one of the same theory.  Without `assumes` no axiom is assumed: what is verified follows from the
    definitions alone.  `known` is what other provers like it have found of the axioms.  Not for several threads at once,
    but `close` may be called from any.  `answers` are those that engines gave to the latest
    questions, from which certificates are made.
    """

    def __init__(
        self,
        theory: Theory,
        *,
        broker: Broker | None = None,
        order: Sequence[Entry] = ORDER,
        cache: Verdicts | None = None,
        elsewhere: Elsewhere | None = None,
        cvc5: bool | None = None,
        guards: float = 1.0,
        effort: int = 1,
        beside: bool = True,
        elaborator: Elaborator | None = None,
        assumes: bool = True,
        known: Outcomes | None = None,
    ) -> None:
        self.theory = theory
        self.elaborator = elaborator or Elaborator(theory, assumes=assumes)
        joins = find_spec("cvc5") is not None if cvc5 is None else cvc5
        self.effort = effort
        self.order = with_effort([entry for entry in order if entry.extra != "cvc5" or joins], effort)
        self._own = broker is None
        self._broker = broker or Broker()
        self._cache = cache
        self._guards = guards
        self._beside = beside
        self._library = LibraryLaws(self.elaborator, self._broker, cache)
        self.answers = RecordedAnswers()
        self._axioms = AxiomsAlone(
            self._run, [entry for entry in self.order if not entry.late], known, self.answers
        )
        self._obligations = Obligations(
            self.elaborator, lambda task, base: self._search(task, base).verdict, self._text
        )
        self._from_elsewhere: FromElsewhere | None = None
        if elsewhere is not None:
            from kleis.prover.from_elsewhere import FromElsewhere

            self._from_elsewhere = FromElsewhere(elsewhere, self._broker, self._axioms, self._obligations)
        self._consistency = Consistency(
            self.elaborator, self._axioms, self._obligations, self._run, cache, self._options(), effort
        )

    def __enter__(self) -> Prover:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop what is running."""
        if self._own:
            self._broker.close()

    # ── questions ────────────────────────────────────────────────────────────────────────────────────────

    @deep()
    def ask(
        self,
        question: Question,
        *,
        using: TypeExpression | None = None,
        lemmas: Sequence[Expression] = (),
        facts: Sequence[Fact] = (),
        witness: bool = True,
    ) -> Decision:
        """The decision about what somebody asks: its names are checked first, and the verdict has all warnings.

        `witness`: look for a value that a proved ∃ speaks of.
        """
        try:
            for lemma in lemmas:
                check_names_asked(msgspec.structs.replace(question, expression=lemma), self.theory)
            check_names_asked(question, self.theory)
        except KleisError as error:
            return Decision(
                msgspec.structs.replace(Verdict.ill_formed(error), warnings=warnings_of(question.lints))
            )
        decision = self.decide(
            question.expression, using=using, lemmas=lemmas, file=question.file, facts=facts
        )
        if witness:
            decision = self._with_witness(decision)
        said = (*warnings_of(question.lints), *declared_constants(question, self.theory, decision.goal))
        warnings = dict.fromkeys((*said, *decision.verdict.warnings))
        verdict = msgspec.structs.replace(decision.verdict, warnings=tuple(warnings))
        return msgspec.structs.replace(decision, verdict=verdict)

    def verify(
        self,
        proposition: Expression,
        *,
        using: TypeExpression | None = None,
        lemmas: Sequence[Expression] = (),
        file: str = "<text>",
        facts: Sequence[Fact] = (),
    ) -> Verdict:
        """Whether a proposition holds in every model of the declarations."""
        return self.decide(proposition, using=using, lemmas=lemmas, file=file, facts=facts).verdict

    def decide(
        self,
        proposition: Expression,
        *,
        using: TypeExpression | None = None,
        lemmas: Sequence[Expression] = (),
        file: str = "<text>",
        facts: Sequence[Fact] = (),
    ) -> Decision:
        """The verdict on a proposition, with its goal and the answer that decided.

        `lemmas` are proved first, in order. `facts` are proved already; those that hold where the proposition is and have
        something to do with it serve, as do proved laws of the library, and if it stays open with them it is tried without
        them.
        """
        try:
            return self._decided(proposition, using, lemmas, file, facts)
        except RecursionError:
            return Decision(Verdict.too_deep(file))

    def _decided(
        self,
        proposition: Expression,
        using: TypeExpression | None,
        lemmas: Sequence[Expression],
        file: str,
        facts: Sequence[Fact],
    ) -> Decision:
        try:
            goal = self.elaborator.proposition(proposition, using=using, file=file)
        except KleisError as error:
            return Decision(Verdict.ill_formed(error))
        serving = serving_facts(facts, goal)
        shown, failed = self._shown_first(lemmas, using, file, goal, serving)
        if failed is not None:
            return Decision(failed, goal)
        library = self._from_library(goal)
        given, texts = (*serving, *shown, *library), tuple(print_expression(each) for each in lemmas)
        decision = self._decide(goal, given, texts, without=((*serving, *shown), ()))
        if library and decision.verdict.status == "unknown":
            given = (*serving, *shown)
            decision = self._decide(goal, given, texts)
        if serving and not lemmas and decision.verdict.status == "unknown":
            alone = self._decide(goal, ())
            return alone if alone.verdict.status != "unknown" else decision
        verdict = with_named_lemmas(decision.verdict, given)
        return msgspec.structs.replace(
            decision, verdict=verdict, used=used_by(decision.verdict, given), given=given
        )

    def _from_library(self, goal: Goal) -> tuple[Fact, ...]:
        """The laws of the library that serve a claim which computing does not decide."""
        if (
            not self._library.offered(goal)
            or self._obligations.undecidable(goal, self._base(goal)) is not None
        ):
            return ()
        computed = self._run(Task(goal), tuple(each for each in self.order if each.engine in COMPUTING))
        return () if computed.answer is not None else self._library.serving(goal)

    @deep()
    def kept(self, goal: Goal, facts: Sequence[Fact] = ()) -> Verdict | None:
        """The verdict on a goal with these facts that the cache holds; None if it holds none.  Nothing is proved."""
        if (
            self._cache is None
            or self._obligations.undecidable(goal, self._base(goal))
            or self._obligations.no_model(goal, self._base(goal))
        ):
            return None
        task = with_lemmas(goal, [each.goal for each in facts])
        key = self._key(task)
        kept = self._cache.get(key)
        if kept is not None:
            return kept
        shown = self._from_elsewhere and self._from_elsewhere.shown(task, self._base(goal), facts)
        return self._keep(shown, goal, key).verdict if shown else None

    @deep()
    def consistent(self, structure: str | None = None) -> tuple[tuple[str, Verdict], ...]:
        """Whether the declarations have a model: a verdict for each structure with parameters and component of sections."""
        return self._consistency.of_declarations(structure)

    @deep()
    def has_model(self, goal: Goal) -> Verdict:
        """Whether the declarations of a goal have a model, whatever its claim.  Kept where there is a cache."""
        return self._consistency.has_model(goal)

    @deep()
    def clash(self, goal: Goal) -> tuple[str, ...]:
        """The names of axioms of a goal that have no model together, whatever its claim; empty if none are known to.

        Kept where there is a cache.
        """
        return self._consistency.clash(goal)

    @deep()
    def decide_goal(self, goal: Goal, facts: Sequence[Fact] = ()) -> Decision:
        """The verdict on a goal that is elaborated already, with facts that hold there."""
        return self._decide(goal, facts)

    @property
    def broker(self) -> Broker:
        """Where its jobs run."""
        return self._broker

    @deep()
    def blocked(self, goal: Goal) -> Verdict | None:
        """The verdict where nothing can be searched: what the goal depends on is not shown, or is no model."""
        base = self._base(goal)
        return self._obligations.undecidable(goal, base) or self._obligations.no_model(goal, base)

    @deep()
    def holds(self, obligation: Obligation) -> Verdict:
        """Whether an obligation of a declaration holds, as a question of its own."""
        return self._obligations.verdict(obligation)

    # ── propositions ─────────────────────────────────────────────────────────────────────────────────────

    def _decide(
        self,
        goal: Goal,
        facts: Sequence[Fact],
        lemmas: tuple[str, ...] = (),
        without: Sequence[Sequence[Fact]] = (),
    ) -> Decision:
        """The verdict on a goal, with facts that hold there; the last of them are the `lemmas` given with the question.

        What a certificate from elsewhere shows with fewer facts counts too: those of `without`.
        """
        claim = self._text(goal)
        base = self._base(goal)
        blocked = self._obligations.undecidable(goal, base)
        if blocked is not None and blocked.reason == "termination":
            return self._computed(goal, base) or Decision(blocked, goal)
        blocked = blocked or self._obligations.no_model(goal, base)
        if blocked is not None:
            return Decision(blocked, goal)
        task = with_lemmas(goal, [each.goal for each in facts])
        key = self._key(task)
        if self._cache is not None and (kept := self._cache.get(key)) is not None:
            verdict = msgspec.structs.replace(
                kept, cached=True, claim=claim, warnings=base.warnings, lemmas=lemmas
            )
            return Decision(verdict, goal, key=key)
        shown = self._from_elsewhere and self._from_elsewhere.shown(task, base, facts, without)
        if shown:
            return self._keep(msgspec.structs.replace(shown, lemmas=lemmas), goal, key)
        decision = self._search(task, base)
        if self._from_elsewhere and not decision.cut and decision.verdict.definite:
            self._from_elsewhere.offer(self.theory, task, facts, decision.verdict, decision.answer)
        shown = decision.verdict.resting_on([each.verdict for each in facts])
        verdict = msgspec.structs.replace(shown, lemmas=lemmas)
        kept_now = self._cache is not None and not decision.cut and self._cache.put(key, verdict)
        return Decision(verdict, goal, decision.answer, decision.cut, key if kept_now else "")

    def _keep(self, verdict: Verdict, goal: Goal, key: str) -> Decision:
        """The decision of a verdict from elsewhere, which is in the cache from now on unless a limit had a part in it."""
        cut = self._axioms.is_cut(goal, verdict)
        kept_now = self._cache is not None and not cut and self._cache.put(key, verdict)
        return Decision(verdict, goal, None, cut, key if kept_now else "")

    def _base(self, goal: Goal) -> Verdict:
        """What every verdict on a goal says."""
        return Verdict(status="unknown", claim=self._text(goal), warnings=warnings_of((), goal))

    def _key(self, task: Task) -> str:
        """The key of a question in the cache; empty without a cache."""
        return key_of(task.goal, task.lemmas, self._options()) if self._cache is not None else ""

    def _search(self, task: Task, base: Verdict) -> Decision:
        """The axioms without the goal, then the portfolio."""
        goal = task.goal
        alone = self._axioms.alone(goal)
        if alone is not None and alone.answer is not None and alone.answer.outcome == "inconsistent":
            return Decision(refuted_axioms(alone, base), goal, alone.answer)
        outcome = self._run(task)
        cut = outcome.cut or (alone is not None and alone.cut)
        if outcome.answer is None:
            return Decision(undecided(goal, outcome, base, self.effort), goal, cut=cut)
        verdict = self._verdict(goal, outcome, base)
        if verdict.status == "verified" and verdict.consistency == "unknown":
            used = tuple(axiom for axiom in goal.axioms if axiom.name in verdict.core)
            clash = self._axioms.behind(goal, used, outcome)
            if clash:
                found = msgspec.structs.replace(
                    base, status="inconsistent", core=clash, attempts=verdict.attempts, theory="inconsistent"
                )
                return Decision(found, goal, cut=cut)
        return Decision(verdict, goal, outcome.answer, cut or self._axioms.is_cut(goal, verdict))

    def _computed(self, goal: Goal, base: Verdict) -> Decision | None:
        """A claim about definitions without termination arguments, decided by computing; None if it stays open.

        Calls that come to an end have the values they have.  A claim that is undefined there depends on a condition
        that was not shown, and is left undecided.
        """
        if self._obligations.no_model(goal, base) is not None:
            return None
        outcome = self._run(Task(goal), tuple(each for each in self.order if each.engine in COMPUTING))
        if outcome.answer is None:
            return None
        verdict = self._verdict(goal, outcome, base)
        if not verdict.definite or (verdict.evidence is not None and verdict.evidence.undefined):
            return None
        return Decision(verdict, goal, outcome.answer, outcome.cut, computed=True)

    def _verdict(self, goal: Goal, outcome: Outcome, base: Verdict) -> Verdict:
        return verdict_of(goal, outcome, base, self._axioms, self._obligations)

    def with_witness(self, goal: Goal, verdict: Verdict) -> Verdict:
        """A verdict on a goal with values of a proved ∃, where such are found; otherwise the same."""
        return self._with_witness(Decision(verdict, goal)).verdict

    def _with_witness(self, decision: Decision) -> Decision:
        """The decision with a witness of a proved ∃, or with the words that none is known; otherwise the same."""
        if (
            decision.goal is None
            or decision.verdict.status != "verified"
            or opened(decision.goal.claim) is None
        ):
            return decision
        from kleis.prover.find_witness import with_witness  # few claims begin with ∃

        cuts: list[bool] = []

        def run(task: Task, order: Sequence[Entry], chains: Sequence[Chain], checked: bool) -> Outcome:
            outcome = self._run(task, order, chains, confirm=None if checked else lambda answer: answer)
            cuts.append(outcome.cut)
            return outcome

        verdict = with_witness(decision.verdict, decision.goal, run)
        if decision.key and self._cache is not None and cuts and not any(cuts):
            self._cache.put(decision.key, verdict)
        return msgspec.structs.replace(decision, verdict=verdict)

    # ── what a question depends on ────────────────────────────────────────────────────────────────────────

    def _shown_first(
        self,
        lemmas: Sequence[Expression],
        using: TypeExpression | None,
        file: str,
        goal: Goal,
        facts: Sequence[Fact],
    ) -> tuple[Sequence[Fact], Verdict | None]:
        """Each lemma proved, with the earlier ones; and a verdict if one is not, or does not hold where the goal is."""
        shown: list[Fact] = []
        for lemma in lemmas:
            try:
                about = self.elaborator.proposition(lemma, using=using, file=file)
            except KleisError as error:
                return shown, Verdict.ill_formed(error)
            known = [each for each in (*facts, *shown) if not local_to(each, about)]
            decision = self._decide(about, known)
            verdict, text = decision.verdict, print_expression(lemma)
            if verdict.status == "error":
                return shown, verdict
            if verdict.status != "verified" or decision.computed:
                found = (
                    "computed, of a recursion that is not shown to end"
                    if decision.computed
                    else verdict.status
                )
                message = f"the lemma {text} is {found}, not verified"
                return shown, msgspec.structs.replace(self._base(goal), reason="incomplete", message=message)
            shown.append(Fact.of(about, verdict, known))
            elsewhere = local_to(shown[-1], goal)
            if elsewhere:
                message = f"the lemma {text} rests on {', '.join(elsewhere)}, not assumed where the claim is"
                advice = "leave the lemma out, or ask about the structure that it is about: using S …"
                base = msgspec.structs.replace(self._base(goal), message=message, advice=advice)
                return shown, msgspec.structs.replace(base, reason="incomplete")
        return shown, None

    def _run(
        self,
        task: Task,
        order: Sequence[Entry] | None = None,
        chains: Sequence[Chain] = ("prove", "refute"),
        confirm: Confirm | None = None,
    ) -> Outcome:
        from kleis.prover.confirming import in_child

        outcome = run_portfolio(
            self._broker,
            task,
            order=self.order if order is None else order,
            chains=chains,
            confirm=confirm or in_child(self._broker, task),
            guards=self._guards,
            beside=self._beside,
        )
        self.answers.add(*outcome.recorded)
        return outcome

    def _options(self) -> str:
        return repr(self.order)

    def _text(self, goal: Goal) -> str:
        proposition = proposition_of(goal, self.theory)
        return print_expression(proposition) if proposition is not None else ""
