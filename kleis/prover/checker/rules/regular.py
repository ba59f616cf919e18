"""The rule `regular languages`: claims about strings and patterns, decided by automata.

See docs/reference/certificates.md §3.7.  ``∀(c : String). matches(c, p) → ¬matches(c, q)`` asks whether the languages of
p and q meet.  Derivatives lead through the states of the combined language; if none of them accepts there is no such
string, and otherwise the first that does spells the shortest one.

Invariants
    * A claim holds only if every way for it to be false needs a string in an empty language, whatever the truth values
      of the open parts are.
    * No premise is used; symbols and constants are open parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from kleis import core
from kleis.budget import Budget, Meter
from kleis.builtins.regular.automaton import Space
from kleis.builtins.regular.regex import Node
from kleis.core.goal import Goal
from kleis.core.traversal import stripped
from kleis.errors import BudgetError
from kleis.prover.checker.rules.regular_claims import Reader, Unreadable, is_total
from kleis.prover.checker.rules.regular_memberships import (
    Formula,
    In,
    Many,
    Not,
    Open,
    all_of,
    any_of,
    opposite,
)
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["STEPS", "LanguageSearch", "check_regular_languages"]

STEPS = 8_000_000
"""Steps of a check: four times what the search has."""

_DEPTH = 200
"""Atoms that are decided one after the other."""


def check_regular_languages(sequent: Sequent, steps: int = STEPS) -> int:
    """The steps after which no strings were found at which the claim is false; `RejectedError` where it is not decided."""
    if sequent.goal.unsettled or not is_total(sequent.goal, sequent.claim):
        raise RejectedError("a claim with parts that may have no value is not decided by automata")
    search = LanguageSearch(sequent.goal, sequent.claim, steps)
    try:
        found = search.assignment()
    except (Unreadable, RecursionError):
        raise RejectedError("the claim is too large to unfold") from None
    except BudgetError:
        raise RejectedError("the automata have more states than steps are left") from None
    if found is not None:
        raise RejectedError("decided again, the claim is not found to be true")
    return search.used


class LanguageSearch:
    """The ways for one claim to be false."""

    def __init__(self, goal: Goal, claim: core.Term, steps: int) -> None:
        self._meter = Meter(Budget(steps=steps, depth=1, size=1_000_000))
        self._goal = goal
        self._space = Space(self._meter)
        self._numbers: dict[Node, int] = {}
        self.variables, self._hypotheses, self._rest = stripped(claim)
        self.has_open = False

    @property
    def states(self) -> int:
        """The states walked through."""
        return self._space.states

    @property
    def used(self) -> int:
        """The steps taken."""
        return min(self._meter.used, self._meter.budget.steps)

    @property
    def only_texts(self) -> bool:
        """Whether the claim's variables are strings."""
        return all(each.sort == core.STRING for each in self.variables)

    def assignment(self) -> dict[str, str] | None:
        """Strings at which the claim is false; None if there are none."""
        body: core.Term = self._rest
        for hypothesis in reversed(self._hypotheses):
            body = core.Connective("implies", (hypothesis, body))
        false = opposite(Reader(self._goal, self._meter).truth(body))
        return self._satisfied(false, {}, 0)

    def _satisfied(
        self, formula: Formula, languages: Mapping[str, frozenset[int]], depth: int
    ) -> dict[str, str] | None:
        """Strings in these languages at which a formula holds, for some truth values of its open atoms."""
        self._meter.charge(1)
        if depth > _DEPTH:
            raise Unreadable
        if formula is False:
            return None
        if formula is True:
            return self._members(languages)
        atom = _first_atom(formula)
        if isinstance(atom, Open):
            self.has_open = True
        for truth in (True, False):
            inside = dict(languages)
            if isinstance(atom, In):
                number = self._number(atom.node)
                number = number if truth else self._space.negated(number)
                inside[atom.variable] = languages.get(atom.variable, frozenset()) | {number}
            found = self._satisfied(self._assigned(formula, atom, truth), inside, depth + 1)
            if found is not None:
                return found
        return None

    def _assigned(self, formula: Formula, atom: In | Open, truth: bool) -> Formula:
        """The formula with an atom replaced by a truth value."""
        self._meter.charge(1)
        match formula:
            case Not(part=part):
                return opposite(self._assigned(part, atom, truth))
            case Many(every=every, parts=parts):
                inside = [self._assigned(part, atom, truth) for part in parts]
                return all_of(*inside) if every else any_of(*inside)
            case In() | Open():
                return truth if formula == atom else formula
            case _:
                return formula

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = self._space.add(node)
        return self._numbers[node]

    def _members(self, languages: Mapping[str, frozenset[int]]) -> dict[str, str] | None:
        """A string for each variable in all its languages.

        Pairs of languages first: in most claims that hold, two of them are disjoint already.
        """
        for parts in languages.values():
            for pair in combinations(sorted(parts), 2):
                if all(map(self._space.is_complement, pair)):
                    continue
                if self._space.shortest(self._space.meet(pair)) is None:
                    return None
        found: dict[str, str] = {}
        for name, parts in languages.items():
            text = self._space.shortest(self._space.meet(parts))
            if text is None:
                return None
            found[name] = text
        return found


def _first_atom(formula: Formula) -> In | Open:
    while isinstance(formula, Not | Many):
        formula = formula.part if isinstance(formula, Not) else formula.parts[0]
    assert isinstance(formula, In | Open)
    return formula
