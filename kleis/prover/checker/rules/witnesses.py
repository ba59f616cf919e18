"""The rule `witnesses`: values for what a claim says exists, and names for what its hypotheses say exists.

See docs/reference/certificates.md §3.16.

Why it is sound
    ``(∃s. A) → C`` is true exactly where ``∀s. A → C`` is, also where A or C has no truth value: s does not occur in C.
    ``∃y. B`` is true where B is true of one y; a value that is undefined makes B true only if every y does.
    A definition that is not recursive is what it stands for where its arguments have values.
"""

from __future__ import annotations

import msgspec

from kleis import core
from kleis.core.build_terms import at_arguments
from kleis.core.goal import Goal
from kleis.core.traversal import apart_from, substitute
from kleis.definedness.discharge import Totality
from kleis.prover.checker.format import Witnesses
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.open_claims import closed, opened
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["Existence", "existence", "with_witnesses"]

_MOST = 200
"""Parts into which a claim is taken apart."""


class Existence(msgspec.Struct, frozen=True):
    """A claim ``∀ variables. hypotheses → ∃ wanted. body``; what hypotheses say exists is among the variables."""

    variables: tuple[core.Variable, ...]
    hypotheses: tuple[core.Term, ...]
    wanted: tuple[core.Variable, ...]
    body: core.Term

    def at(self, values: tuple[core.Term, ...]) -> core.Term:
        """The claim that these are what is wanted."""
        names = (each.name for each in self.wanted)
        conclusion = substitute(self.body, dict(zip(names, values, strict=True)))
        for each in reversed(self.hypotheses):
            conclusion = core.Connective("implies", (each, conclusion))
        return closed(self.variables, conclusion)


def with_witnesses(sequent: Sequent, step: Witnesses, vocabulary: Vocabulary) -> Sequent:
    """What is left to show once the values are put in; `RejectedError` if they are not those of what is wanted."""
    found = existence(sequent.goal, sequent.claim)
    if not found.wanted:
        raise RejectedError("the claim does not say that something exists")
    if len(step.at) != len(found.wanted):
        raise RejectedError(f"{len(step.at)} values for {len(found.wanted)} variables")
    values = tuple(
        vocabulary.of_sort(data, each.sort, found.variables)
        for data, each in zip(step.at, found.wanted, strict=True)
    )
    return msgspec.structs.replace(sequent, claim=found.at(values))


def existence(goal: Goal, claim: core.Term) -> Existence:
    """A claim taken apart; nothing is wanted where it does not say that something exists."""
    return _Parts(goal, claim).existence()


class _Parts:
    def __init__(self, goal: Goal, claim: core.Term) -> None:
        self._goal = goal
        self._total = Totality(goal)
        variables, self._body = opened(claim)
        self._variables = list(variables)
        self._names = {each.name for each in variables}
        self._left = _MOST

    def existence(self) -> Existence:
        given: list[core.Term] = []
        body = self._unfolded(self._body)
        while isinstance(body, core.Connective) and body.name == "implies":
            given.append(body.arguments[0])
            body = self._unfolded(body.arguments[1])
        hypotheses = [part for each in given for part in self._conjuncts(each)]
        wanted: list[core.Variable] = []
        while (opened_body := self._opened(body)) is not None:
            wanted += opened_body.variables
            body = self._unfolded(opened_body.body)
        apart = (apart_from(each, self._names) for each in hypotheses)
        return Existence(tuple(self._variables), tuple(apart), tuple(wanted), apart_from(body, self._names))

    def _conjuncts(self, hypothesis: core.Term) -> list[core.Term]:
        """What a hypothesis says, one thing each; what it says exists becomes variables."""
        found: list[core.Term] = []
        waiting = [hypothesis]
        while waiting:
            each = self._unfolded(waiting.pop())
            if isinstance(each, core.Connective) and each.name == "and":
                waiting.extend(reversed(each.arguments))
            elif (inner := self._opened(each)) is not None:
                self._variables += inner.variables
                waiting.append(inner.body)
            else:
                found.append(each)
        return found

    def _opened(self, term: core.Term) -> core.Quantifier | None:
        """An ∃, its variables apart from all that were met."""
        if not isinstance(term, core.Quantifier) or term.kind != "exists":
            return None
        apart = apart_from(term, self._names)
        assert isinstance(apart, core.Quantifier), "renaming keeps the form"
        self._names |= {each.name for each in apart.variables}
        return apart

    def _unfolded(self, term: core.Term) -> core.Term:
        """The term, or what it stands for where it calls a definition that is not recursive."""
        while isinstance(term, core.DefinitionCall):
            definition = self._goal.definition(term.definition)
            if definition.group or not all(map(self._has_a_value, term.arguments)):
                break
            self._count()
            term = at_arguments(definition.body, definition, term.arguments)
        self._count()
        return term

    def _has_a_value(self, term: core.Term) -> bool:
        """Whether the form of a term shows that it has a value, which a built-in without a condition has everywhere."""
        if isinstance(term, core.BuiltinCall) and term.operation.condition is None:
            return all(map(self._has_a_value, term.arguments))
        return self._total.has_a_value(term)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise RejectedError(f"a claim of more than {_MOST} parts")
