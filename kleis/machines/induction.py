"""Proofs that something holds in every run, each a proposition that the prover verifies.

Soundness
    * `invariants` drops what is not kept by a step that may assume all that is left, until nothing is dropped: what is left
      holds at the beginning and is kept by every step, so all of it holds in every reachable state.
    * `by_k_induction` proves its base by the prover too, so its verdict rests on verdicts alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.machines.claims import Claims
from kleis.machines.properties import Property
from kleis.machines.report import Decided
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression

__all__ = ["Asking", "Invariants", "by_k_induction", "invariants"]


class Asking:
    """The prover, and what it was asked: equal propositions are decided once.

    `clash` are axioms of the theory that were found to have no model together.
    """

    def __init__(self, prover: Prover, claims: Claims) -> None:
        self.prover = prover
        self.claims = claims
        self._verdicts: dict[tree.Expression, Verdict] = {}
        self.clash: tuple[str, ...] = ()

    def verdict(self, claim: tree.Expression) -> Verdict:
        """The verdict on a proposition."""
        if claim not in self._verdicts:
            found = self._verdicts[claim] = self.prover.verify(claim)
            if found.status == "inconsistent":
                self.clash = found.core
        return self._verdicts[claim]

    def holds(self, claim: tree.Expression) -> bool:
        """Whether a proposition is verified."""
        return self.verdict(claim).status == "verified"

    def decided(self, *claims: tree.Expression) -> tuple[Decided, ...]:
        """These propositions with their verdicts."""
        return tuple(Decided(print_expression(each), self.verdict(each).status) for each in claims)


class Invariants(msgspec.Struct, frozen=True):
    """What was proved together to hold in every reachable state, and where a step breaks each of the others."""

    proved: tuple[Property, ...]
    broken: dict[str, Verdict]


def invariants(asking: Asking, candidates: Sequence[Property]) -> Invariants:
    """The candidates that are proved by induction, each from all of them."""
    claims = asking.claims
    kept = [each for each in candidates if asking.holds(claims.safe(each, 0))]
    broken: dict[str, Verdict] = {}
    while True:
        failed = [each for each in kept if not asking.holds(claims.inductive(each, kept))]
        if not failed:
            return Invariants(tuple(kept), broken)
        for each in failed:
            broken[each.name] = asking.verdict(claims.inductive(each, kept))
        kept = [each for each in kept if each not in failed]


def by_k_induction(
    asking: Asking, wanted: Property, assumed: Sequence[Property], most: int
) -> tuple[int, tuple[tree.Expression, ...]]:
    """The least k, of at most `most`, by which a property is proved, with what was proved; 0 where there is none."""
    claims = asking.claims
    base: list[tree.Expression] = []
    for k in range(1, most + 1):
        base.append(claims.safe(wanted, k - 1))
        if not asking.holds(base[-1]):
            return 0, ()
        step = claims.k_inductive(wanted, assumed, k)
        if asking.holds(step):
            return k, (*base, step)
    return 0, ()
