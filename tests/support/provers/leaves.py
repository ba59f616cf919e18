"""Proofs of certificates walked down to the questions for solvers, as tasks of the engines' encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

import msgspec

from kleis import core
from kleis.core.goal import Axiom
from kleis.core.traversal import substitute
from kleis.elaborate.elaborator import Elaborator
from kleis.problems import Place
from kleis.prover.certificates.questions import question_steps
from kleis.prover.checker.format import Ask, Induction, Proof, Step
from kleis.prover.checker.read_terms import OperationAt, Vocabulary
from kleis.prover.checker.rules.ask import ask
from kleis.prover.checker.rules.induction import subgoals
from kleis.prover.checker.rules.open_claims import opened
from kleis.prover.checker.sequent import FALSITY, Sequent
from kleis.prover.engines.solvers.runs import run_text
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.smt.encode_definitions import Recursion
from kleis.prover.smt.script import encode
from kleis.theory.theory import Theory

_HERE = Place(file="<leaf>", line=1, column=1)

Leaf = tuple[Sequent, Ask]


def operations() -> OperationAt:
    """Built-ins at fixed sorts, for reading terms."""
    return Elaborator(Theory()).definitions.operation


def leaves(sequent: Sequent, proof: Proof) -> Iterator[Leaf]:
    """The questions at the leaves of a tree of inductions, each with its sequent."""
    if isinstance(proof, Induction):
        for case, (_, left) in zip(proof.cases, subgoals(sequent, proof), strict=True):
            yield from leaves(left, case.proof)
    else:
        assert isinstance(proof, Ask)
        yield sequent, proof


def leaves_of_steps(task: Task, steps: Sequence[Step], operation_at: OperationAt) -> Iterator[Leaf]:
    """The leaves of all steps, whose formulas are read from their data, each with those before it as premises."""
    goal = task.goal
    premises = [(each.name, each.formula) for each in goal.axioms]
    premises += [(f"lemma {place}", each) for place, each in enumerate(task.lemmas, 1)]
    vocabulary = Vocabulary(goal, operation_at)
    for place, step in enumerate(steps, 1):
        claim = FALSITY if goal.claim is None else goal.claim
        shown = claim if step.shows is None else vocabulary.closed_formula(step.shows)
        yield from leaves(Sequent(goal, tuple(premises), shown), step.proof)
        premises.append((f"step {place}", shown))


def formulas(leaf: Leaf, operation_at: OperationAt) -> list[core.Term]:
    """What a leaf may use: the premises given, then instances, at terms for the first of their variables."""
    sequent, ask = leaf
    vocabulary = Vocabulary(sequent.goal, operation_at, sequent.constants)
    variables, _ = opened(sequent.claim)
    found = [sequent.premise(name) for name in ask.given]
    for each in ask.instances:
        premise = sequent.premise(each.of)
        for data in each.at:
            assert isinstance(premise, core.Quantifier)
            first, *rest = premise.variables
            value = vocabulary.of_sort(data, first.sort, variables)
            body = core.Quantifier("forall", tuple(rest), premise.body) if rest else premise.body
            premise = substitute(body, {first.name: value})
        found.append(premise)
    return found


def is_refuted(leaf: Leaf, operation_at: OperationAt, steps: int = 2_000_000) -> bool:
    """Whether Z3 refutes a leaf as the engines' encoder writes it."""
    sequent, ask = leaf
    variables, body = opened(sequent.claim)
    used = formulas(leaf, operation_at)
    inner = used[len(ask.given) :]
    for each in reversed(inner):  # instances may mention the claim's variables
        body = core.Connective("implies", (each, body))
    claim = core.Quantifier("forall", variables, body) if variables else body
    goal = msgspec.structs.replace(
        sequent.goal,
        claim=claim,
        free=(),
        axioms=tuple(Axiom(f"p{n}", each, "axiom", _HERE) for n, each in enumerate(used[: len(ask.given)])),
        symbols=(*sequent.goal.symbols, *sequent.constants),
    )
    recursion: Recursion
    for recursion in get_args(Recursion):
        script = encode(Task(goal), recursion=recursion)
        if run_text(script.text(), steps).status == "unsat":
            return True
    return False


def changed(proof: Proof, change: Callable[[Induction], Any]) -> Proof:
    """A proof with its outermost induction changed."""
    assert isinstance(proof, Induction)
    found: Proof = change(proof)
    return found


def accepted_steps(task: Task, answer: Answer, engine: str) -> None:
    """Have the checker accept what an engine that asks solvers left, step by step."""
    operation_at = operations()
    for sequent, step in leaves_of_steps(task, question_steps(task, answer, engine), operation_at):
        ask(sequent, step, Vocabulary(sequent.goal, operation_at, sequent.constants), ("z3",))
