"""The engine `regular languages`: claims about strings and patterns, decided by automata.

See docs/reference/proving.md §7.6.

``∀(c : String). matches(c, p) → ¬matches(c, q)`` asks whether the languages of p and q meet.  Derivatives lead through
the states of the combined language; if none of them accepts there is no such string, and otherwise the first that does
spells the shortest one.  String solvers do not terminate on the larger of such questions.

Invariants
    * A claim is proved only if every way for it to be false needs a string in an empty language, whatever the truth
      values of the open parts are.
    * Nothing is refuted while a part is open, or where axioms are assumed.
    * The proof is the claim itself: `check_regular` decides it again from nothing but the task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations

from kleis import core
from kleis.budget import Budget, Meter
from kleis.builtins.regular.automaton import Space
from kleis.builtins.regular.regex import Node
from kleis.core.traversal import stripped, subterms
from kleis.errors import BudgetError
from kleis.prover.engines.regular.memberships import Formula, In, Many, Not, Open, all_of, any_of, opposite
from kleis.prover.engines.regular.read_claims import Reader, Unreadable, is_total
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import Witness

__all__ = ["REGULAR", "check_regular"]

_ABOUT_TEXTS = frozenset(
    {"matches", "contains", "hasPrefix", "hasSuffix", "isAscii", "isDigits", "isAlpha", "isAlphaNum"}
)
_DEPTH = 200
"""Atoms that are decided one after the other."""


class RegularLanguages:
    """The engine."""

    name = "regular languages"

    def applies(self, task: Task) -> bool:
        """To total claims about patterns or searches in strings."""
        goal = task.goal
        if goal.claim is None or goal.unsettled or not is_total(goal):
            return False
        terms = subterms(goal.claim, *(each.body for each in goal.definitions))
        return any(
            isinstance(each, core.BuiltinCall) and each.operation.name in _ABOUT_TEXTS for each in terms
        )

    def run(self, task: Task, steps: int) -> Answer:
        """Search for strings that make the claim false."""
        search = _Search(task, steps)
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


class _Search:
    """The ways for one claim to be false."""

    def __init__(self, task: Task, steps: int) -> None:
        self._meter = Meter(Budget(steps=steps, depth=1, size=1_000_000))
        self._task = task
        self._space = Space(self._meter)
        self._numbers: dict[Node, int] = {}
        claim = task.goal.claim
        assert claim is not None
        self.variables, self._hypotheses, self._rest = stripped(claim)
        self.has_open = False

    @property
    def states(self) -> int:
        return self._space.states

    @property
    def used(self) -> int:
        return min(self._meter.used, self._meter.budget.steps)

    @property
    def only_texts(self) -> bool:
        return all(each.sort == core.STRING for each in self.variables)

    def assignment(self) -> dict[str, str] | None:
        """Strings at which the claim is false; None if there are none."""
        body: core.Term = self._rest
        for hypothesis in reversed(self._hypotheses):
            body = core.Connective("implies", (hypothesis, body))
        false = opposite(Reader(self._task.goal).truth(body))
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
            found = self._satisfied(_assigned(formula, atom, truth), inside, depth + 1)
            if found is not None:
                return found
        return None

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


def _assigned(formula: Formula, atom: In | Open, truth: bool) -> Formula:
    """The formula with an atom replaced by a truth value."""
    match formula:
        case Not(part=part):
            return opposite(_assigned(part, atom, truth))
        case Many(every=every, parts=parts):
            inside = [_assigned(part, atom, truth) for part in parts]
            return all_of(*inside) if every else any_of(*inside)
        case In() | Open():
            return truth if formula == atom else formula
        case _:
            return formula
