"""The lemmas of a file that `kleis test` tests: proved in the order of the text, those of imports taken from kept verdicts.

Specification: docs/reference/proving.md §5.6.

Invariants
    * An example has the lemmas that are stated before it, and those of the files that its file imports.
    * A lemma that is not proved fails its file, and serves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.problems import AnswerWarning
from kleis.syntax.tree import Lemma

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kleis.prover.facts import Fact
    from kleis.prover.lemmas import Entered, Ledger
    from kleis.prover.prover import Prover
    from kleis.theory.loader import Loading
    from registry.cli.kleis.files.open_assertions import ProverPool

__all__ = ["NEEDS_PROVER", "LemmaReport", "StatedLemmas", "stated_in"]

NEEDS_PROVER = "needs the prover"


class LemmaReport(msgspec.Struct, frozen=True):
    """One lemma as it is reported: `status` is that of its verdict, or that it was not tried."""

    word: str
    name: str
    line: int
    status: str
    detail: str = ""
    warnings: tuple[AnswerWarning, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it is proved."""
        return self.status == "verified"

    @property
    def undecided(self) -> bool:
        """Whether the prover was not asked."""
        return self.status == NEEDS_PROVER

    def as_dict(self) -> dict[str, Any]:
        """The lemma's part of the answer in JSON."""
        warnings = [each.as_dict() for each in self.warnings]
        fields = {name: getattr(self, name) for name in ("word", "name", "line", "status", "detail")}
        return {**({"warnings": warnings} if warnings else {}), **fields}


def stated_in(loading: Loading, status: str = NEEDS_PROVER, detail: str = "") -> tuple[LemmaReport, ...]:
    """The lemmas of a file, before anything is asked."""
    items = loading.main.result.program.items
    return tuple(
        LemmaReport(each.word, each.name, each.line, status, detail)
        for each in items
        if isinstance(each, Lemma)
    )


class StatedLemmas:
    """The lemmas of a file and its imports, asked about in one thread; what they show is for all questions.

    Of the file's own only those that begin up to the line `until` are asked about (None: all).
    """

    def __init__(self, pool: ProverPool, loading: Loading, *, until: int | None = None) -> None:
        self._loading = loading
        self._until = until
        self._ledger: Future[Ledger] | None = None
        if loading.theory.lemmas:
            self._ledger = pool.ask(loading.theory, self._entered)

    def _entered(self, prover: Prover) -> Ledger:
        from kleis.prover.lemmas import Ledger

        loading = self._loading
        ledger = Ledger(prover, visible=loading.imported_by)
        for entry in loading.theory.lemmas:
            own = entry.file == loading.main.name
            if own and self._until is not None and entry.declaration.line > self._until:
                continue
            (ledger.prove if own else ledger.recall)(entry)
        return ledger

    def before(self, line: int) -> Callable[[], tuple[Fact, ...]]:
        """What gives the facts for an item that begins on a line, once they are known."""
        return lambda: tuple(
            each.fact
            for each in (self._ledger.result().entered if self._ledger is not None else ())
            if each.fact is not None and (not self._is_own(each) or each.place.line < line)
        )

    def reports(self) -> tuple[LemmaReport, ...]:
        """The file's own lemmas, once they are decided, in the order of the text."""
        if self._ledger is None:
            return ()
        own = {each.lemma: each for each in self._ledger.result().entered if self._is_own(each)}
        taken = "its name is taken by an earlier lemma"
        found = (
            (item, own.pop(item, None))
            for item in self._loading.main.result.program.items
            if isinstance(item, Lemma)
        )
        return tuple(
            LemmaReport(item.word, item.name, item.line, "error", taken) if each is None else _reported(each)
            for item, each in found
        )

    def warnings(self) -> tuple[AnswerWarning, ...]:
        """What is said of imported lemmas that do not serve."""
        if self._ledger is None:
            return ()
        return self._ledger.result().warnings(lambda each: not self._is_own(each))

    def _is_own(self, entered: Entered) -> bool:
        return entered.place.file == self._loading.main.name


def _reported(entered: Entered) -> LemmaReport:
    lemma, verdict = entered.lemma, entered.verdict
    detail = ""
    if verdict.status != "verified":
        from kleis.sessions.assertions import why_not

        detail = why_not(verdict)
    return LemmaReport(lemma.word, lemma.name, lemma.line, verdict.status, detail, verdict.warnings)
