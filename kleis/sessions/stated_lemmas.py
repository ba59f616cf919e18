"""The lemmas of a session and of what it imports: which serve, and the question whether one that is submitted holds.

See docs/reference/registry.md §12.4.

Invariant: a lemma is accepted only if it is `verified`.  Afterwards it serves as long as its verdict is kept and fits
what the session declares; a submission that touches what it speaks of has it proved again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from kleis.prover.lemmas import Entered, Ledger
from kleis.prover.protocol.verdict import Verdict
from kleis.sessions.files.universe import Universe
from kleis.syntax import tree
from kleis.theory.theory import Entry

if TYPE_CHECKING:
    from kleis.prover.prover import Prover

__all__ = ["Asked", "LemmasAsked", "serving_lemmas"]

Asked = Callable[["Prover"], Verdict]


def serving_lemmas(universe: Universe, prover: Prover) -> Ledger:
    """The lemmas of a session's theory, as far as their verdicts are kept."""
    ledger = _ledger(universe, prover)
    for entry in prover.theory.lemmas:
        ledger.recall(entry)
    return ledger


def _ledger(universe: Universe, prover: Prover) -> Ledger:
    imported = universe.imported.visible
    return Ledger(
        prover, visible=lambda file: imported.get(file) if file in universe.imported.files else None
    )


class LemmasAsked:
    """Questions about lemmas of one theory: each is proved from those that stand before it."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._ledger: Ledger | None = None

    def submitted(self, lemma: tree.Lemma) -> Asked:
        """Whether a lemma that is submitted holds; one that is not proved is rejected, and the verdict says why."""
        return lambda prover: _accepted(self._entered(lemma, prover))

    def touched(self, lemma: tree.Lemma) -> Asked:
        """Whether an earlier lemma still holds; where that is not known it is kept, and does not serve."""

        def ask(prover: Prover) -> Verdict:
            verdict = self._entered(lemma, prover).verdict
            if verdict.status != "unknown":
                return verdict
            message = f"the {lemma.word} {lemma.name} is not proved with what is submitted: it does not serve"
            return msgspec.structs.replace(verdict, message=message)

        return ask

    def _entered(self, lemma: tree.Lemma, prover: Prover) -> Entered:
        """The lemma proved, after those before it were recalled."""
        if self._ledger is None:
            self._ledger = _ledger(self._universe, prover)
        known = {id(each.lemma) for each in self._ledger.entered}
        for entry in prover.theory.lemmas:
            if entry.declaration is lemma:
                return self._ledger.prove(entry)
            if id(entry.declaration) not in known:
                self._ledger.recall(entry)
        return self._ledger.prove(Entry(lemma, self._universe.session))


def _accepted(entered: Entered) -> Verdict:
    """The verdict, an error where the lemma is not proved."""
    lemma, verdict = entered.lemma, entered.verdict
    what = f"the {lemma.word} {lemma.name}"
    if verdict.status == "disproved":
        return msgspec.structs.replace(
            verdict, message=f"{what} is disproved", problem={"code": "lemma-disproved"}
        )
    if verdict.status != "unknown":
        return verdict
    why = verdict.message or verdict.reason or "nothing was found"
    advice = verdict.advice or "state what it rests on as lemmas before it"
    problem = {"code": "lemma-unproved"}
    return msgspec.structs.replace(
        verdict, status="error", message=f"{what} is not proved: {why}", advice=advice, problem=problem
    )
