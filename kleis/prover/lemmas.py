"""The lemmas that files and sessions state: proved in order, or taken from the verdicts that are kept.

See docs/reference/proving.md §5.6.

    ledger = Ledger(prover, visible=loading.imported_by)
    for entry in theory.lemmas:
        ledger.prove(entry)         # or ledger.recall(entry), which proves nothing
    prover.ask(question, facts=ledger.facts)

Invariants
    * A lemma is proved from the axioms and from lemmas that were entered before it, so no lemma rests on itself, however
      files import one another.
    * A lemma that is not `verified` serves nothing.
    * What is recalled was proved of the same claim in the same theory from lemmas that serve here too: the key of a verdict
      covers them all.  A name that means something else here, or an axiom more, gives another key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import msgspec

from kleis.core.goal import Goal
from kleis.elaborate.question import Question, check_names_asked
from kleis.errors import KleisError
from kleis.problems import AnswerWarning, Place, place_of
from kleis.prover.facts import Fact, serving_facts, with_named_lemmas
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Decision, Prover
from kleis.syntax.tree import Lemma
from kleis.theory.theory import Entry

__all__ = ["Entered", "Ledger", "Visible", "recalled"]


Visible: TypeAlias = Callable[[str], Collection[str] | None]
"""The files whose lemmas those of a file may use besides its own; None for all that were entered."""


class Entered(msgspec.Struct, frozen=True):
    """A lemma, the verdict on it, and the fact that it is where it is proved."""

    lemma: Lemma
    place: Place
    verdict: Verdict
    fact: Fact | None = None


class Ledger:
    """The lemmas of one theory, as far as they were entered.

    Without `visible` each may use all that were entered before it.
    """

    def __init__(self, prover: Prover, *, visible: Visible | None = None) -> None:
        self._prover = prover
        self._visible = visible
        self.entered: list[Entered] = []

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is proved, in order."""
        return tuple(each.fact for each in self.entered if each.fact is not None)

    def prove(self, entry: Entry) -> Entered:
        """The next lemma, proved if the prover can."""
        return self._enter(entry, self._prover.decide_goal)

    def recall(self, entry: Entry) -> Entered:
        """The next lemma, with the verdict that is kept.  Nothing is proved."""
        return self._enter(entry, lambda goal, facts: Decision(self._prover.kept(goal, facts) or _NOT_KEPT))

    def warnings(self, about: Callable[[Entered], bool] = lambda _: True) -> tuple[AnswerWarning, ...]:
        """What an answer says of the lemmas that do not serve."""
        groups: dict[tuple[str, str], list[Lemma]] = {}
        for each in self.entered:
            if each.fact is None and about(each):
                groups.setdefault((each.place.file, _why(each)), []).append(each.lemma)
        return tuple(_unused(file, why, found) for (file, why), found in groups.items())

    def _enter(self, entry: Entry, ask: Callable[[Goal, Sequence[Fact]], Decision]) -> Entered:
        lemma = entry.declaration
        assert isinstance(lemma, Lemma), "only lemmas are entered"
        verdict, fact = self._answered(lemma, entry.file, ask)
        self.entered.append(Entered(lemma, place_of(lemma, entry.file), verdict, fact))
        return self.entered[-1]

    def _answered(
        self, lemma: Lemma, file: str, ask: Callable[[Goal, Sequence[Fact]], Decision]
    ) -> tuple[Verdict, Fact | None]:
        known, missing = self._usable(lemma, file)
        if missing:
            message = f"it uses {', '.join(missing)}, not proved before it"
            advice = "only a lemma that is stated and proved before can be used"
            return Verdict(status="unknown", reason="incomplete", message=message, advice=advice), None
        theory = self._prover.theory
        try:
            check_names_asked(Question(lemma.proposition, file=file), theory)
            goal = self._prover.elaborator.proposition(lemma.proposition, file=file)
        except KleisError as error:
            return Verdict.ill_formed(error), None
        serving = serving_facts(known, goal)
        found = ask(goal, serving)
        if serving and lemma.using is None and found.verdict.status == "unknown":
            alone = ask(goal, ())
            if alone.verdict.status != "unknown":
                found, serving = alone, ()
        proved = found.verdict.status == "verified" and not found.computed
        fact = Fact.of(goal, found.verdict, serving, lemma.name) if proved else None
        return with_named_lemmas(found.verdict, serving), fact

    def _usable(self, lemma: Lemma, file: str) -> tuple[list[Fact], list[str]]:
        """The facts that a lemma may use, and the names that it uses of which none is proved."""
        others = self._visible(file) if self._visible is not None else None
        files = {file, *others} if others is not None else None
        usable = [
            each.fact
            for each in self.entered
            if each.fact is not None and (files is None or each.place.file in files)
        ]
        if lemma.using is None:
            return usable, []
        known = {each.name for each in usable}
        return [each for each in usable if each.name in lemma.using], [
            n for n in lemma.using if n not in known
        ]


_NOT_KEPT = Verdict(status="unknown", message="no proof is kept that fits the declarations here")


def recalled(prover: Prover, lemmas: Sequence[Entry], *, visible: Visible | None = None) -> Ledger:
    """The ledger of lemmas that were proved elsewhere, as far as their verdicts are kept."""
    ledger = Ledger(prover, visible=visible)
    for entry in lemmas:
        ledger.recall(entry)
    return ledger


def _why(entered: Entered) -> str:
    """Why a lemma does not serve."""
    if entered.verdict.status == "verified":
        return "it was only computed, of a recursion that is not shown to end"
    return entered.verdict.message or f"it is {entered.verdict.status}"


def _unused(file: str, why: str, found: Sequence[Lemma]) -> AnswerWarning:
    names = ", ".join(each.name for each in found)
    what = f"the {found[0].word} {names}" if len(found) == 1 else f"the lemmas {names}"
    serve = "does not serve" if len(found) == 1 else "do not serve"
    hint = f"kleis test {file} proves it, or says why not"
    if "#" in file:  # an item of a session
        hint = "submit it again under another name"
    return AnswerWarning("lemma-unproved", f"{what} of {file} {serve}: {why}", hint)
