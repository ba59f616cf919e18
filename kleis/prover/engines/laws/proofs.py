"""Laws, their instances and a question to a solver, as steps of a certificate.

The question is put by the checker's own rule, so that what is found here is what a check finds: the laws are the only
thing to search for.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.format import Ask, Instance, Law, Step
from kleis.prover.checker.read_terms import OperationAt, Vocabulary
from kleis.prover.checker.rules.ask import ask
from kleis.prover.checker.rules.laws import law
from kleis.prover.checker.sequent import CheckError, Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.laws.instances import Taken, instances_for

__all__ = ["Found", "proof_by_laws"]

_FEW = 20_000
"""Steps, besides those of the proof, in which a law is shown to be superfluous."""


class Found(msgspec.Struct, frozen=True):
    """The steps of a proof, the last of which shows the claim; none where there is no proof.  `used` are the solver's."""

    steps: tuple[Step, ...]
    used: int
    laws: tuple[str, ...] = ()


def proof_by_laws(
    goal: Goal,
    claim: core.Term,
    given: Sequence[str],
    steps: int,
    operation_at: OperationAt,
    *,
    bounds: bool = True,
) -> Found:
    """A proof from the axioms `given` and instances of laws at the claim's terms, laws left out that are not needed.

    `bounds`: those too that only bound angles and exponentials.
    """
    whole = _Question(goal, claim, tuple(given), operation_at)
    taken = instances_for(claim, bounds=bounds)
    needed = whole.asked(taken, steps)
    if needed is None:
        return Found((), steps)
    used = needed
    for name in tuple(dict.fromkeys(name for name, _ in taken)):
        fewer = tuple(each for each in taken if each[0] != name)
        without = whole.asked(fewer, 2 * needed + _FEW)
        used += without or 0
        if without is not None:
            taken = fewer
    names = tuple(dict.fromkeys(name for name, _ in taken))
    shown = tuple(Step(Law(name), term_data(law(name))) for name in names)
    return Found((*shown, Step(whole.question(taken))), used, names)


class _Question:
    """A claim, asked with instances of laws."""

    def __init__(
        self, goal: Goal, claim: core.Term, given: tuple[str, ...], operation_at: OperationAt
    ) -> None:
        self._goal = goal
        self._claim = claim
        self._given = given
        self._operation_at = operation_at

    def question(self, taken: Sequence[Taken]) -> Ask:
        """The step that asks, after a step for each law."""
        places = _places(taken)
        closed = tuple(dict.fromkeys(places[name] for name, terms in taken if not terms))
        at = (Instance(places[name], tuple(map(term_data, terms))) for name, terms in taken if terms)
        return Ask((*self._given, *closed), tuple(at))

    def asked(self, taken: Sequence[Taken], steps: int) -> int | None:
        """The steps after which the solver settles it; None if it does not."""
        formulas = ((each.name, each.formula) for each in self._goal.axioms if each.name in self._given)
        laws = ((place, law(name)) for name, place in _places(taken).items())
        sequent = Sequent(self._goal, (*formulas, *laws), self._claim)
        try:
            vocabulary = Vocabulary(self._goal, self._operation_at)
            return ask(sequent, self.question(taken), vocabulary, ("z3",), steps).steps
        except CheckError:
            return None


def _places(taken: Sequence[Taken]) -> dict[str, str]:
    """The names of the steps that state the laws."""
    return {name: f"step {place}" for place, name in enumerate(dict.fromkeys(name for name, _ in taken), 1)}
