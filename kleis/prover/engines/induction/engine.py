"""The engine `induction`: proofs by induction, nested twice, with lemmas that are proved by induction themselves.

See docs/reference/proving.md §7.10.

A goal is tried as it is, then by every scheme (`schemes`) that one of its variables allows, whose obligations are goals
again.  If that fails, lemmas (`lemmas`) are proved the same way, each with those before it, and the claim is tried with
them.

The proof lists every obligation under a path that names the schemes on the way to it::

    template 4; induction on x; Cons
    claim; induction on x; Cons; induction on y; Nil

`check_induction` writes the obligations of these paths again, from the task alone, and compares.

Invariants
    * Built-ins of lists are seen through their recursive definitions (`kleis.prover.lowering`).
    * Lemmas stand in a proof before what uses them; a lemma uses only those before it.
    * Steps are Z3's, and a fixed number for each run.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.prover.engines.induction.lemmas import Lemma, given, lemma_called, proved_with_lemmas
from kleis.prover.engines.induction.schemes import HYPOTHESIS, InductionGoal, goal_of, obligations, schemes
from kleis.prover.engines.induction.search import (
    ATTEMPT,
    SEPARATOR,
    WAYS,
    BudgetUsedError,
    Proof,
    Search,
    texts,
)
from kleis.prover.engines.solvers.runs import Options, Run, proof_of, run_text, script_text, unwritable
from kleis.prover.lowering.defunctionalize import expanded
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.smt.encode_definitions import Recursion
from kleis.prover.smt.script import Script, encode

__all__ = ["CLAIM", "INDUCTION", "PATIENT_INDUCTION", "check_induction"]

_DEPTH = 2

_LONG = 600_000
"""Z3's steps for one obligation of a patient induction: products of unknowns need them."""

CLAIM = "claim"
"""The head of the paths below the claim itself."""


class Induction:
    """The engine.  With `patience` it gives few obligations many steps each, and tries no lemmas."""

    name = "induction"

    def __init__(self, *, patience: bool = False) -> None:
        self._patience = patience

    def applies(self, task: Task) -> bool:
        """To claims of recursive definitions, or about values of data types, lists and integers beside axioms."""
        if task.goal.unsettled or task.goal.claim is None:
            return False
        goal = expanded(task, powers=True).goal
        assert goal.claim is not None
        return bool(goal.terminations) and bool(schemes(goal_of(goal.claim), (0,)))

    def run(self, task: Task, steps: int) -> Answer:
        """Without lemmas, then with those that can be proved."""
        search = Search(steps, _LONG if self._patience else ATTEMPT)
        task = expanded(task, powers=True)
        assert task.goal.claim is not None
        goal = goal_of(task.goal.claim)
        try:
            proof = search.proved(task, goal, 1 if self._patience else _DEPTH, CLAIM)
            lemmas: tuple[Lemma, ...] = ()
            if proof is None and not self._patience:
                proof, lemmas = proved_with_lemmas(search, task, goal, CLAIM)
        except Inexpressible as error:
            return unwritable(error)
        except BudgetUsedError:
            return Answer(outcome="silent", reason="resource", detail="no induction found", steps=search.used)
        if proof is None:
            detail = f"no induction found, {len(lemmas)} lemmas proved"
            return Answer(outcome="silent", reason="incomplete", detail=detail, steps=search.used)
        return Answer(
            outcome="proved",
            core=_core(task, proof, _LONG if self._patience else ATTEMPT),
            detail=_described(proof),
            steps=search.used,
            proof=proof,
        )


INDUCTION = Induction()

PATIENT_INDUCTION = Induction(patience=True)


# ── The answer ───────────────────────────────────────────────────────────────────────────────────────────────


def _described(proof: Proof) -> str:
    """The inductions of a proof, each once."""
    parts = [path.split(SEPARATOR) for path, _ in proof]
    found = dict.fromkeys(f"{path[0]}: {path[1]}" if len(path) > 1 else path[0] for path in parts)
    return ", ".join(found)


def _core(task: Task, proof: Proof, attempt: int) -> tuple[str, ...]:
    """The axioms that the obligations use; all of them where no smaller set is found."""
    names = [each.name for each in task.goal.axioms]
    names += [f"lemma {place}" for place, _ in enumerate(task.lemmas, 1)]
    if not names:
        return ()
    used: dict[str, None] = {}
    for _, goal, stated in _written(task, proof):
        for options in WAYS:
            way: Recursion = "equations" if options.patterns_only else "functions"
            script = encode(goal.task(stated), recursion=way)
            run = run_text(options.header() + script_text(script, script.claim), attempt)
            if run.status == "unsat":
                used.update(dict.fromkeys(_used(script, run, attempt, options)))
                break
    return tuple(name for name in names if name in used)


def _used(script: Script, run: Run, attempt: int, options: Options) -> tuple[str, ...]:
    proof = proof_of(script, script.claim, run, attempt + run.used, options)
    return tuple(name for name in proof.core if not name.startswith(HYPOTHESIS))


# ── Checking ─────────────────────────────────────────────────────────────────────────────────────────────────


def check_induction(task: Task, proof: Sequence[tuple[str, str]]) -> bool:
    """Whether a proof's obligations are those of its schemes, for this task.

    Whether the scripts are refuted is left to a solver.
    """
    if task.goal.claim is None:
        return False
    task = expanded(task, powers=True)
    try:
        expected = _written(task, tuple(proof))
        return len(expected) == len(proof) and all(
            any(text == each for _, each in texts(goal.task(stated)))
            for (_, goal, stated), (_, text) in zip(expected, proof, strict=True)
        )
    except (_MalformedError, Inexpressible):
        return False


class _MalformedError(Exception):
    """A path that names no scheme, lemma or obligation of the task."""


_Goals = list[tuple[str, InductionGoal, Task]]


def _written(task: Task, proof: Proof) -> _Goals:
    """The goals of a proof's paths, each with its task, written again from the whole task."""
    assert task.goal.claim is not None
    lemmas: list[Lemma] = []
    found: _Goals = []
    paths = [path.split(SEPARATOR) for path, _ in proof]
    heads = list(dict.fromkeys(path[0] for path in paths))
    if not heads or heads[-1] != CLAIM:
        raise _MalformedError
    for head in heads:
        mine = [path[1:] for path in paths if path[0] == head]
        lemma = None if head == CLAIM else lemma_called(task, head)
        if lemma is None and head != CLAIM:
            raise _MalformedError
        formula = task.goal.claim if lemma is None else lemma.formula
        found += _expanded(given(task, lemmas), goal_of(formula), mine, head)
        if lemma is not None:
            lemmas.append(lemma)
    return found


def _expanded(task: Task, goal: InductionGoal, paths: Sequence[list[str]], head: str) -> _Goals:
    """The goals below one: itself, or all obligations of the one scheme that its paths name."""
    if list(paths) == [[]]:
        return [(head, goal, task)]
    named = {path[0] for path in paths if len(path) >= 2}
    if len(named) != 1 or any(len(path) < 2 for path in paths):
        raise _MalformedError
    chosen = [each for each in schemes(goal, range(-10, 11)) if each.text() in named]
    if not chosen:
        raise _MalformedError
    found: _Goals = []
    parts = obligations(task.goal, goal, chosen[0])
    if {name for name, _ in parts} != {path[1] for path in paths}:
        raise _MalformedError
    for name, each in parts:
        mine = [path[2:] for path in paths if path[1] == name]
        found += _expanded(task, each, mine, SEPARATOR.join((head, chosen[0].text(), name)))
    return found
