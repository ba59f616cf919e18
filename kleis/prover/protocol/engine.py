"""What an engine is: a budgeted search that answers a task, or gives up.

See docs/reference/proving.md §6.3.

An engine is a function of a `Task` and a number of steps.  It runs in a child process that may be killed at any
moment (`kleis.prover.process`), so it neither writes files nor keeps anything.  It counts its steps itself, and they are
deterministic: the same task and the same budget give the same answer on every machine.  It is trusted with nothing: what
it finds is checked again (`kleis.prover.evidence`) before anyone sees it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from inspect import isfunction
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from kleis.core import Term
from kleis.core.goal import Axiom, Goal
from kleis.prover.protocol.verdict import Reason

__all__ = [
    "CHECK_WITNESS",
    "FAILED",
    "WOULD_FOLLOW",
    "Answer",
    "Checked",
    "Engine",
    "Inexpressible",
    "Job",
    "Outcome",
    "Task",
    "declarations_of",
    "load_engine",
    "load_job",
    "with_lemmas",
]

_Part = TypeVar("_Part")

FAILED = "the engine failed: "
"""How the detail of an engine begins that ended with an exception."""

WOULD_FOLLOW = "it would follow from "
"""How the part of a detail begins that names a formula from which an engine has proved the claim, and which it has not."""

Outcome: TypeAlias = Literal["proved", "refuted", "model", "inconsistent", "silent"]


class Task(msgspec.Struct, frozen=True):
    """A question for engines.

    goal
        The claim and everything it depends on.  Engines read nothing else.  A claim of None asks for a model.
    lemmas
        Closed formulas, proved already, that may be used like axioms.  Their core names are ``lemma 1``, ….
    """

    goal: Goal
    lemmas: tuple[Term, ...] = ()


def with_lemmas(goal: Goal, lemmas: Sequence[Goal]) -> Task:
    """The task of a goal with lemmas, which may mention definitions that the claim does not reach.

    These are added with what makes them well defined: their termination arguments, whose obligations were shown with
    the lemma, and the sorts and symbols in them.
    """
    for each in lemmas:
        goal = msgspec.structs.replace(
            goal,
            carriers=_joined(goal.carriers, each.carriers),
            symbols=_joined(goal.symbols, each.symbols),
            definitions=_joined(goal.definitions, each.definitions),
            terminations=_joined(goal.terminations, each.terminations),
            data=_joined(goal.data, each.data),
        )
    return Task(goal, tuple(each.claim for each in lemmas if each.claim is not None))


def _joined(first: tuple[_Part, ...], second: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """The first parts, then those of the second that are new.  Parts may be unhashable, and are few."""
    return first + tuple(each for each in second if each not in first)


def declarations_of(goal: Goal) -> Goal:
    """The question whether the declarations have a model; axioms about built-ins alone are among its axioms."""
    sections = tuple(
        Axiom(each.name, each.formula, "axiom", each.place)
        for each in goal.obligations
        if each.kind == "section"
    )
    return msgspec.structs.replace(goal, claim=None, free=(), axioms=(*goal.axioms, *sections))


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine found out.

    outcome
        ``proved``: the claim follows from the axioms named in `core`.
        ``refuted``: `witness` describes a model of all axioms in which the claim is not true.
        ``model``: `witness` describes a model of all axioms (the claim was None, or was set aside).
        ``inconsistent``: the axioms in `core` have no model, whatever the claim.
        ``silent``: the engine gave up; `reason` says why, `detail` what was searched ("no countermodel up to size 6").
    witness
        Engine-independent description of a model, to be checked: see `kleis.prover.evidence`.
    derived
        Closed formulas that follow from the axioms, for other engines (completion gives its equations).
    proof
        What a certificate needs to check the proof again: SMT-LIB obligations, induction scheme, chain of lemmas.
    instances
        Hints for whoever proves it again: axioms, with terms over the claim's outermost variables at which they were taken.
    shown
        Formulas and their proofs as a certificate has them, the claim last; each may use those before it as ``step 1``, ….
    """

    outcome: Outcome
    core: tuple[str, ...] = ()
    witness: Any = None
    reason: Reason | None = None
    detail: str = ""
    steps: int = 0
    derived: tuple[Term, ...] = ()
    proof: tuple[tuple[str, str], ...] = ()
    instances: tuple[tuple[str, tuple[Term, ...]], ...] = ()
    shown: tuple[tuple[Term, Any], ...] = ()


CHECK_WITNESS = "kleis.prover.evidence:check_witness"
"""The job that checks the witness of an answer."""


class Checked(msgspec.Struct, frozen=True):
    """The input of `CHECK_WITNESS`: a task with what an engine answered to it."""

    task: Task
    answer: Answer


Job: TypeAlias = Callable[[Any, int], Answer]
"""What the broker runs in a child: a function of a task, which may be of any kind, and a number of steps."""


class Engine(Protocol):
    """An engine.  `name` is what verdicts show."""

    name: str

    def applies(self, task: Task) -> bool:
        """Whether the engine can handle tasks of this form."""
        ...

    def run(self, task: Task, steps: int) -> Answer:
        """Search, for at most `steps` of the engine's own steps."""
        ...


def load_engine(address: str) -> Engine:
    """The engine ``module:attribute``; of a class, an instance."""
    found = _loaded(address)
    engine: Engine = found() if isinstance(found, type) else found
    return engine


def load_job(address: str) -> Job:
    """The job ``module:attribute``: a function as it is, of an engine its `run`."""
    found = _loaded(address)
    job: Job = found if isfunction(found) else load_engine(address).run
    return job


def _loaded(address: str) -> Any:
    module, _, attribute = address.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Inexpressible(Exception):
    """A part of a goal that has no exact encoding: `reason` as in verdicts, `detail` for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
