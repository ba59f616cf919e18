"""Evaluation that calls numerical libraries, in a process that can be killed.

A step of the budget stops what the evaluator does, and no library: a decomposition, a solver of equations or a search for
roots runs in C until it is done.  So what names a function of the extra `numeric` is evaluated in a child of the prover's
worker (`kleis.prover.process`), with limits on time and memory, and this process only waits.  Sizes and charges bound each
call there as everywhere.  See docs/reference/numerics.md §7.

Invariants
    * The answer is the one that this process would give, unless a limit was met.
    * Where a limit was met, or the deadline is over or its caller gone, the child is gone too: `BudgetError`.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kleis.budget import STANDARD_BUDGET, deep
from kleis.builtins.numeric.extra import is_installed
from kleis.builtins.rows.numeric_table import find_numeric
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.evaluator.outcomes import Evaluation
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import Answer
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

__all__ = ["Computation", "calls_libraries", "evaluate_confined", "run"]

_JOB = "kleis.sessions.confined_evaluation:run"
_LIBRARIES = ("numpy", "scipy.linalg")
_FORMS = frozenset({"interval", "enclose"})
"""What `kleis.evaluator.enclosing` reads, which searches with python-flint."""

_MOST_SECONDS = 600
_MEMORY = 4096
_ERRORS: dict[str, type[EvaluationError | BudgetError]] = {
    "EvaluationError": EvaluationError,
    "BudgetError": BudgetError,
}


class Computation(msgspec.Struct, frozen=True):
    """An expression with the declarations it is about: `kleis.evaluator.environment.Declarations`, as plain data."""

    expression: tree.Expression
    definitions: Mapping[str, tree.FunctionDefinition]
    data: Mapping[str, tree.DataDefinition]
    constants: Mapping[str, tree.TypeExpression]
    implementations: Sequence[tree.Implements]
    files: Mapping[str, str]
    file: str
    granted_root: Path | None = None

    def file_of(self, name: str) -> str:
        """The file of the definition `name`."""
        return self.files.get(name, "<text>")


def evaluate_confined(
    expression: tree.Expression,
    theory: Theory,
    broker: Broker,
    deadline: Deadline,
    *,
    file: str,
    granted_root: Path | None = None,
) -> Evaluation:
    """As `kleis.evaluator.evaluate.evaluate`, in a child where numerical libraries are called.

    Raises `EvaluationError` where there is no value, `BudgetError` where a limit was met.
    """

    def here() -> Evaluation:
        environment = environment_of(theory, granted_root=granted_root)
        return evaluate(expression, environment, STANDARD_BUDGET, file=file)

    if not calls_libraries(expression, theory):
        return here()
    computation = Computation(
        expression,
        dict(theory.definitions),
        dict(theory.data),
        dict(theory.constants),
        list(theory.implementations),
        {name: theory.file_of(name) for name in theory.definitions},
        file,
        granted_root,
    )
    seconds = math.ceil(min(deadline.seconds, _MOST_SECONDS))
    guards = Guards(cpu=seconds, wall=float(seconds), memory=_MEMORY)
    ready = tuple(each for each in _LIBRARIES if is_installed(each.partition(".")[0]))
    with CancellableBroker(broker).until(deadline) as confined:
        _, future = confined.submit(_JOB, computation, 1, guards=guards, preload=ready)
        answer = future.result()
    match answer.witness:
        case Evaluation() as found:
            return found
        case (str() as kind, dict() as fields):
            raise _ERRORS[kind].from_dict(fields)
    if answer.reason is None:
        return here()  # it came to an end there, and is no data: a function
    raise _stopped(answer, deadline)


def _stopped(answer: Answer, deadline: Deadline) -> BudgetError:
    """The error of a computation that was ended."""
    if answer.reason == "memory":
        message, code = f"the computation needs more than {_MEMORY} MB", "budget_memory"
    elif deadline.over:
        message, code = f"the computation was stopped after {deadline.seconds:g} s", "budget_time"
    else:
        message, code = f"the computation was stopped: {answer.detail}", "budget_time"
    return BudgetError(message, code=code, hint="compute a smaller case, or give it more time (timeout_ms)")


@deep()
def run(task: Computation, steps: int) -> Answer:
    """In the child: the evaluation, or its error as data; neither where the value is no data."""
    witness: Any
    try:
        environment = environment_of(task, granted_root=task.granted_root)
        witness = evaluate(task.expression, environment, STANDARD_BUDGET, file=task.file)
    except (EvaluationError, BudgetError) as error:
        witness = type(error).__name__, error.as_dict()
    try:
        pickle.dumps(witness)
    except (pickle.PicklingError, AttributeError, TypeError):
        witness = None
    return Answer(outcome="silent", witness=witness)


def calls_libraries(expression: tree.Expression, theory: Theory) -> bool:
    """Whether an expression, or a definition that it may come to, names a function that a library computes."""
    given: dict[str, list[tree.Node]] = {}
    for each in theory.implementations:
        for member in each.members:
            given.setdefault(canonical_name(member.name), []).append(member)
    seen: set[str] = set()
    pending: list[tree.Node] = [expression]
    while pending:
        for name in _names(pending.pop()):
            known = canonical_name(name)
            if known in seen:
                continue
            seen.add(known)
            row = find_numeric(name)
            if name in _FORMS or (row is not None and row.needs):
                return True
            definition = theory.definitions.get(known)
            pending += ([definition] if definition is not None else []) + given.get(known, [])
    return False


def _names(node: tree.Node) -> Iterator[str]:
    for each in walk(node):
        if isinstance(each, tree.Name | tree.Call):
            yield each.name
