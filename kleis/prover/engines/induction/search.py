"""The search for an induction: a goal as it is, then by every scheme that one of its variables allows.

Invariant: steps are Z3's, and a fixed number for each run.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core
from kleis.core.goal import Termination
from kleis.core.traversal import free_variables, subterms
from kleis.prover.engines.induction.schemes import InductionGoal, Scheme, obligations, schemes
from kleis.prover.engines.induction.unfolding import Unfolding
from kleis.prover.engines.solvers.runs import DEFAULT, Options, run_text, script_text
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.script import encode

__all__ = [
    "ATTEMPT",
    "RUN",
    "SEPARATOR",
    "WAYS",
    "BudgetUsedError",
    "Proof",
    "Search",
    "descends",
    "texts",
]

ATTEMPT = 60_000
"""Z3's steps for one obligation, in one of the two ways."""

RUN = 2_000
"""The steps charged for every run besides Z3's."""

WAYS = (Options(patterns_only=True), DEFAULT)
"""Definitions as equations that patterns instantiate; definitions as Z3's recursive functions."""

SEPARATOR = "; "

Proof = tuple[tuple[str, str], ...]
"""Obligations: the path to each, and its script."""


class BudgetUsedError(Exception):
    """The steps are used up."""


class Search:
    """The search for one proof, with so many steps for one obligation, and the steps it has taken."""

    def __init__(self, steps: int, attempt: int = ATTEMPT) -> None:
        self._steps = steps
        self._attempt = attempt
        self.used = 0

    def proved(self, task: Task, goal: InductionGoal, depth: int, path: str) -> Proof | None:
        """A proof of a goal, or None."""
        text = self._shown(goal.task(task))
        if text is not None:
            return ((path, text),)
        if depth == 0:
            return None
        for scheme in _ranked(task, goal):
            found: list[tuple[str, str]] = []
            for name, each in obligations(task.goal, goal, scheme):
                inner = SEPARATOR.join((path, scheme.text(), name))
                part = self.proved(task, each, depth - 1, inner)
                if part is None:
                    break
                found += part
            else:
                return tuple(found)
        return None

    def _shown(self, task: Task) -> str | None:
        """The script of a task, if Z3 refutes it in one of the ways."""
        for options, text in texts(task):
            if self.used + self._attempt > self._steps:
                raise BudgetUsedError
            run = run_text(text, self._attempt)
            self.used += run.used + RUN
            if run.status == "unsat":
                return text
            if run.status == "sat" and options == DEFAULT:
                return None
        return None


def texts(task: Task) -> Iterator[tuple[Options, str]]:
    """The scripts of a task, one for each way."""
    for options in WAYS:
        script = encode(task, recursion="equations" if options.patterns_only else "functions")
        yield options, options.header() + script_text(script, script.claim)


def _ranked(task: Task, goal: InductionGoal) -> list[Scheme]:
    """The schemes, first those over a variable in which a definition recurs.

    Definitions that only name others are looked through: ``twice(l)`` may recur over `l` as much as ``append(l, l)``.
    """
    recurs: dict[str, int] = {}
    definitions = {each.key: each for each in task.goal.definitions}
    for each in subterms(Unfolding(task.goal).of(goal.body)):
        if not isinstance(each, core.DefinitionCall):
            continue
        termination = task.goal.termination(each.definition)
        if termination is None:
            continue
        places = descends(definitions[each.definition], termination)
        for place, argument in enumerate(each.arguments):
            for variable in free_variables(argument):
                plain = argument == variable
                weight = (
                    (2 if plain else 1)
                    if place in places
                    else int(plain and isinstance(variable.sort, _LISTED))
                )
                if weight:
                    recurs[variable.name] = recurs.get(variable.name, 0) + weight
    nested = any(map(_looks_at_parts_of_parts, task.goal.definitions))
    found = [
        each
        for each in schemes(goal, _starts(task, goal))
        if each.variable in recurs and (nested or not each.deep)
    ]
    return sorted(found, key=lambda each: (each.deep, -recurs[each.variable], each.steps))


def _looks_at_parts_of_parts(definition: core.Definition) -> bool:
    """Whether a definition matches on what it has selected."""
    tests = [each for each in subterms(definition.body) if isinstance(each, core.Discrimination)]
    return any(isinstance(each.term, core.Selection) for each in tests)


_LISTED = (core.DataSort, core.ListOf)


def descends(definition: core.Definition, termination: Termination) -> frozenset[int]:
    """The parameters that become smaller in the recursion: those in the termination argument."""
    if termination.arguments:
        return frozenset(termination.arguments)
    names = {each.name for measure in termination.measures for each in free_variables(measure)}
    places = {place for place, each in enumerate(definition.parameters) if each.name in names}
    return frozenset(places or range(len(definition.parameters)))


def _starts(task: Task, goal: InductionGoal) -> tuple[int, ...]:
    """Where an induction over integers may begin: at numbers written in the goal or its definitions."""
    numbers = {0: None, 1: None}
    terms = [goal.body, *(each.body for each in task.goal.definitions)]
    for each in subterms(*terms):
        if isinstance(each, core.LiteralTerm) and isinstance(each.value, int) and abs(each.value) <= 10:
            numbers.setdefault(int(each.value))
    return tuple(numbers)[:_STARTS]


_STARTS = 4
