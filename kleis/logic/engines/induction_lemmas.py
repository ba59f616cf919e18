"""Lemmas for an induction that does not succeed by itself: speculated ones, and templates, each proved before it is used.

Specification: proving.md §3 ("template lemmas that are themselves proved"); provers.md §3 (own_ind).

A lemma has a name from which anyone can find it again:

    speculated 3      the third formula that the inductions on the claim would need (speculation.py)
    speculated 3.1    the first that those on that lemma would need
    template 4        the fourth of the laws that recursive functions often have (lemmas.py)

Invariants
    * A lemma is proved with those before it, by induction: what Z3 shows without one it finds by itself.
    * Names depend on the task alone, never on what was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis.budget import Budget
from kleis.core import Term
from kleis.prover.engines.induction.lemmas import plausible, templates
from kleis.prover.engines.induction.schemes import Goal, goal_of
from kleis.prover.engines.induction.search import BudgetUsedError, Proof, Search
from kleis.prover.engines.induction.speculation import speculated
from kleis.prover.protocol.engine import Task
from kleis.semantics.reference import Account

__all__ = ["Lemma", "given", "lemma_called", "proved_with_lemmas"]

_DEPTH = 2
_ROUNDS = 2
_FEW = 3
_SPECULATED = "speculated "
_TEMPLATE = "template "

_EVALUATION = Budget(steps=600_000, depth=150, size=100_000)
"""For trying all candidates at small values: many times what definitions need whose values do not explode."""


class Lemma(msgspec.Struct, frozen=True):
    """A candidate: its name and what it says; its proof once there is one."""

    name: str
    formula: Term
    proof: Proof = ()


def given(task: Task, lemmas: Sequence[Lemma]) -> Task:
    """The task with lemmas that are proved."""
    return Task(task.meaning, (*task.lemmas, *(each.formula for each in lemmas)))


def lemma_called(task: Task, name: str) -> Lemma | None:
    """The candidate of a name, for this task; None if there is none."""
    kind, _, numbers = name.partition(" ")
    places = numbers.split(".")
    if not all(each.isdigit() and each.isascii() for each in places) or len(places) > _DEPTH:
        return None
    formula = task.meaning.claim
    assert formula is not None, "an induction is on a claim"
    if kind == _TEMPLATE.strip() and len(places) == 1:
        found = templates(task.meaning)
        return Lemma(name, found[int(places[0])]) if int(places[0]) < len(found) else None
    if kind != _SPECULATED.strip():
        return None
    for place in places:
        candidates = speculated(task.meaning, formula)
        if int(place) >= len(candidates):
            return None
        formula = candidates[int(place)]
    return Lemma(name, formula)


def proved_with_lemmas(
    search: Search, task: Task, goal: Goal, path: str
) -> tuple[Proof | None, tuple[Lemma, ...]]:
    """A proof that begins with those of the lemmas it uses, and these; otherwise the lemmas that could be proved."""
    return _Attempt(search, task, goal, path).run()


class _Attempt:
    """The attempt to prove one claim with lemmas."""

    def __init__(self, search: Search, task: Task, goal: Goal, path: str) -> None:
        self._search = search
        self._task = task
        self._goal = goal
        self._path = path
        self._proved: list[Lemma] = []
        self._tried: set[Term] = set()
        self._account = Account(_EVALUATION)

    def run(self) -> tuple[Proof | None, tuple[Lemma, ...]]:
        """First with what the stuck goal asks for, then with templates, then with what needs lemmas of its own."""
        proof = self._with_speculated(1) or self._with_templates() or self._with_speculated(_DEPTH)
        return proof, tuple(self._proved)

    def _with_speculated(self, depth: int) -> Proof | None:
        claim = self._task.meaning.claim
        assert claim is not None, "an induction is on a claim"
        for lemma in self._speculated(claim, _SPECULATED):
            if self._learnt(lemma, depth) and (proof := self._claim()) is not None:
                return proof
        return None

    def _speculated(self, formula: Term, stem: str) -> Iterator[Lemma]:
        """Candidates that no small values refute."""
        known = {each.formula for each in self._proved} | {self._task.meaning.claim}
        for place, each in enumerate(speculated(self._task.meaning, formula)):
            if each not in known and plausible(self._task.meaning, each, self._account):
                yield Lemma(f"{stem}{place}", each)

    def _learnt(self, lemma: Lemma, depth: int) -> bool:
        """Whether a candidate could be proved, maybe with lemmas of its own."""
        if any(each.formula == lemma.formula for each in self._proved):
            return False
        if self._prove(lemma, depth):
            return True
        if depth < _DEPTH or lemma.formula in self._tried:
            return False
        self._tried.add(lemma.formula)
        for inner in self._speculated(lemma.formula, f"{lemma.name}."):
            if self._prove(inner, 1) and self._prove(lemma, depth):
                return True
        return False

    def _prove(self, lemma: Lemma, depth: int) -> bool:
        """Prove a candidate with those that are proved; what needs no induction is not kept."""
        found = self._search.proved(
            given(self._task, self._proved), goal_of(lemma.formula), depth, lemma.name
        )
        if found is None or (len(found) == 1 and found[0][0] == lemma.name):
            return False
        self._proved.append(msgspec.structs.replace(lemma, proof=found))
        return True

    def _with_templates(self) -> Proof | None:
        claim = self._task.meaning.claim
        candidates = [
            Lemma(f"{_TEMPLATE}{place}", formula)
            for place, formula in enumerate(templates(self._task.meaning))
            if formula != claim and plausible(self._task.meaning, formula, self._account)
        ]
        for _ in range(_ROUNDS):
            before = len(self._proved)
            for lemma in list(candidates):
                if self._prove(lemma, 1):
                    candidates.remove(lemma)
            proof = self._claim() if len(self._proved) > before else None
            if proof is not None:
                return proof
        return None

    # ── The claim ────────────────────────────────────────────────────────────────────────────────────────

    def _claim(self) -> Proof | None:
        """A proof of the claim with the lemmas there are, or with few of them."""
        proof = self._search.proved(given(self._task, self._proved), self._goal, _DEPTH, self._path)
        if proof is None:
            return None
        whole = (*(part for each in self._proved for part in each.proof), *proof)
        return self._with_fewer() or whole

    def _with_fewer(self) -> Proof | None:
        """A proof with the last lemmas alone; None if there is none."""
        for size in range(1, min(_FEW, len(self._proved))):
            try:
                proof = self._with_exactly(self._proved[-size:])
            except BudgetUsedError:
                return None
            if proof is not None:
                self._proved = self._proved[-size:]
                return proof
        return None

    def _with_exactly(self, lemmas: Sequence[Lemma]) -> Proof | None:
        found: list[tuple[str, str]] = []
        for count, each in enumerate(lemmas):
            part = self._search.proved(given(self._task, lemmas[:count]), goal_of(each.formula), 1, each.name)
            if part is None:
                return None
            found += part
        proof = self._search.proved(given(self._task, lemmas), self._goal, _DEPTH, self._path)
        return None if proof is None else (*found, *proof)
