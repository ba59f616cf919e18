"""The engine `regular languages`: claims about strings and patterns, decided by automata.

See docs/reference/proving.md §7.6.  The decision is the rule of the checker (`kleis.prover.checker.rules.regular`); the
engine asks it where string solvers do not terminate.

Invariants
    * Nothing is refuted while a part is open, or where axioms are assumed.
    * The proof is the claim itself: `check_regular` decides it again from nothing but the task.
"""

from __future__ import annotations

import json

from kleis import core
from kleis.core.traversal import subterms
from kleis.errors import BudgetError
from kleis.prover.checker.rules.regular import LanguageSearch
from kleis.prover.checker.rules.regular_claims import Unreadable, is_total
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import Witness

__all__ = ["REGULAR", "check_regular"]

_ABOUT_TEXTS = frozenset(
    {"matches", "contains", "hasPrefix", "hasSuffix", "isAscii", "isDigits", "isAlpha", "isAlphaNum"}
)


class RegularLanguages:
    """The engine."""

    name = "regular languages"

    def applies(self, task: Task) -> bool:
        """To total claims about patterns or searches in strings."""
        goal = task.goal
        if goal.claim is None or goal.unsettled or not is_total(goal, goal.claim):
            return False
        terms = subterms(goal.claim, *(each.body for each in goal.definitions))
        return any(
            isinstance(each, core.BuiltinCall) and each.operation.name in _ABOUT_TEXTS for each in terms
        )

    def run(self, task: Task, steps: int) -> Answer:
        """Search for strings that make the claim false."""
        claim = task.goal.claim
        assert claim is not None
        search = LanguageSearch(task.goal, claim, steps)
        try:
            found = search.assignment()
        except (Unreadable, RecursionError):
            return Answer(outcome="silent", reason="incomplete", detail="the claim is too large to unfold")
        except BudgetError:
            return Answer(
                outcome="silent", reason="resource", detail="more states than steps", steps=search.used
            )
        if found is None:
            proof = ((self.name, json.dumps({"states": search.states, "steps": search.used})),)
            detail = f"{search.states} states, none of which accepts"
            return Answer(outcome="proved", detail=detail, steps=search.used, proof=proof)
        if search.has_open or task.goal.axioms or task.goal.symbols or not search.only_texts:
            detail = "it depends on what is no pattern"
            return Answer(outcome="silent", reason="incomplete", detail=detail, steps=search.used)
        values = {each.name: found.get(each.name, "") for each in search.variables}
        return Answer(outcome="refuted", witness=Witness(assignment=values), steps=search.used)


REGULAR = RegularLanguages()


def check_regular(task: Task, steps: int) -> bool:
    """Whether the claim of a task is decided to be true."""
    return REGULAR.applies(task) and REGULAR.run(task, steps).outcome == "proved"
