"""Searches for proofs by induction from laws: what they have in common, and proofs as certificates have them.

See docs/reference/proving.md §7.10.

Invariants
    * A law of a proof stands before what uses it, and only the laws that are needed are kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import msgspec

from kleis import core
from kleis.core.goal import Axiom
from kleis.problems import Place
from kleis.prover.checker.format import Ask, Case, Identity, Induction, Instance
from kleis.prover.checker.sequent import Sequent
from kleis.prover.engines.induction.search import ATTEMPT, RUN, BudgetUsedError
from kleis.prover.engines.solvers.runs import Options, Run, run_text, script_text, tracked, unwritable
from kleis.prover.lowering.match_equations import simplified
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.smt.encode_definitions import Recursion
from kleis.prover.smt.script import Script, encode

__all__ = ["Law", "Leaf", "Proof", "SearchWithLaws", "Split", "task_of"]

_HERE = Place(file="<induction>", line=1, column=1)


class Leaf(msgspec.Struct, frozen=True):
    """An obligation that Z3 refutes: its script, and how; the hypotheses in it that are taken at terms."""

    script: Script
    run: Run
    options: Options
    instances: tuple[tuple[str, Instance], ...] = ()


class Split(msgspec.Struct, frozen=True):
    """An induction with the proofs of its cases."""

    scheme: Induction
    cases: tuple[tuple[str, Leaf | Split], ...]


Proof = Leaf | Split
_Shown = tuple[tuple[core.Term, Ask | Induction | Identity], ...]


class Law(msgspec.Struct, frozen=True, eq=False):
    """A law that is proved, maybe as an identity, under the name by which scripts know it."""

    name: str
    formula: core.Term
    proof: Proof | Identity
    about: frozenset[str]


class SearchWithLaws(ABC):
    """A search for a proof of a task's claim from its axioms and lemmas, and from laws that it proves; for one use."""

    def __init__(self, task: Task, steps: int) -> None:
        assert task.goal.claim is not None, "laws are for claims"
        self._goal = task.goal
        self._claim = task.goal.claim
        self._steps = steps
        self._used = 0
        self._laws: list[Law] = []
        lemmas = ((f"lemma {place}", each) for place, each in enumerate(task.lemmas, 1))
        self._given = (*((each.name, each.formula) for each in task.goal.axioms), *lemmas)

    @abstractmethod
    def _found(self) -> Proof | None:
        """A proof of the claim.  Raises `Inexpressible`, and `BudgetUsedError` where the steps are used up."""

    @abstractmethod
    def _said(self) -> str:
        """What was searched in vain."""

    def answer(self) -> Answer:
        """What the search comes to, with the proof as a certificate has it."""
        try:
            proof = self._found()
        except Inexpressible as error:
            return unwritable(error)
        except BudgetUsedError:
            return Answer(outcome="silent", reason="resource", detail=self._said(), steps=self._used)
        if proof is None:
            return Answer(outcome="silent", reason="incomplete", detail=self._said(), steps=self._used)
        shown, used = _finished(self._claim, proof, self._laws)
        axioms = tuple(name for name, _ in self._given if name in used)
        return Answer(outcome="proved", core=axioms, detail=_described(shown), steps=self._used, shown=shown)

    def _keep(self, formula: core.Term, proof: Proof | Identity, about: frozenset[str] = frozenset()) -> None:
        """Keep a law that is proved; `about`: what it speaks of, where the search asks for that."""
        self._laws.append(Law(f"law {len(self._laws) + 1}", formula, proof, about))

    def _asked(self, formula: core.Term, laws: Iterable[Law]) -> Sequent:
        """A formula as it is to be shown, from what is given and some laws."""
        premises = (*self._given, *((each.name, each.formula) for each in laws))
        return Sequent(self._goal, premises, formula)

    def _refute(
        self, task: Task, options: Options, steps: int, known_by_name: frozenset[str] = frozenset()
    ) -> tuple[Script, Run]:
        """Ask Z3 to refute that a task's claim is false, in one of the ways, with so many steps of those that are left."""
        if self._used + steps > self._steps:
            raise BudgetUsedError
        way: Recursion = "equations" if options.patterns_only else "functions"
        script = encode(task, recursion=way, known_by_name=known_by_name)
        run = run_text(options.header() + script_text(script, script.claim), steps)
        self._used += run.used + RUN
        return script, run


def task_of(sequent: Sequent) -> Task:
    """A sequent as a task: what is given are its axioms; what is selected of constructor terms is computed."""
    goal = sequent.goal
    axioms = tuple(Axiom(name, formula, "axiom", _HERE) for name, formula in sequent.premises)
    symbols = (*goal.symbols, *sequent.constants)
    return Task(
        msgspec.structs.replace(
            goal, claim=simplified(sequent.claim), free=(), axioms=axioms, symbols=symbols
        )
    )


def _finished(claim: core.Term, proof: Proof, laws: Sequence[Law]) -> tuple[_Shown, frozenset[str]]:
    """The laws that a proof of the claim needs, with their proofs, and the names of all premises used."""
    trees: dict[str, Ask | Induction | Identity] = {}
    used: set[str] = set()
    needed: dict[str, tuple[core.Term, Proof | Identity]] = {"": (claim, proof)}
    needed |= {each.name: (each.formula, each.proof) for each in laws}
    order = [*(each.name for each in laws), ""]
    wanted = {""}
    for name in reversed(order):
        if name in wanted:
            names: set[str] = set()
            found = needed[name][1]
            trees[name] = found if isinstance(found, Identity) else _with_cores(found, names)
            wanted |= names
            used |= names
    kept = [name for name in order if name in wanted]
    numbered = {name: f"step {place}" for place, name in enumerate(kept, 1)}
    shown = ((needed[name][0], trees[name]) for name in kept)
    renamed = (
        (formula, each if isinstance(each, Identity) else _renamed(each, numbered)) for formula, each in shown
    )
    return tuple(renamed), frozenset(used)


def _with_cores(proof: Proof, used: set[str]) -> Ask | Induction:
    """The proof as a certificate has it, each leaf with the premises that it needs."""
    if isinstance(proof, Split):
        cases = tuple(Case(name, _with_cores(each, used)) for name, each in proof.cases)
        return msgspec.structs.replace(proof.scheme, cases=cases)
    names = tuple(name for name, _ in proof.script.axioms)
    run = tracked(proof.script, proof.script.claim, 4 * ATTEMPT, proof.options) if names else proof.run
    needed = [name for name in names if name in run.core] if run.status == "unsat" else list(names)
    at = dict(proof.instances)
    used.update(at[name].of if name in at else name for name in needed)
    given = tuple(name for name in needed if name not in at)
    return Ask(given, tuple(at[name] for name in needed if name in at))


def _renamed(proof: Ask | Induction, names: dict[str, str]) -> Ask | Induction:
    if isinstance(proof, Induction):
        cases = tuple(Case(each.name, _inner(each, names)) for each in proof.cases)
        return msgspec.structs.replace(proof, cases=cases)
    given = tuple(names.get(each, each) for each in proof.given)
    instances = tuple(
        msgspec.structs.replace(each, of=names.get(each.of, each.of)) for each in proof.instances
    )
    return msgspec.structs.replace(proof, given=given, instances=instances)


def _inner(case: Case, names: dict[str, str]) -> Ask | Induction:
    assert isinstance(case.proof, Ask | Induction), "made here"
    return _renamed(case.proof, names)


def _described(shown: _Shown) -> str:
    """The induction on the claim, and how many laws it uses."""
    proof = shown[-1][1]
    how = "directly"
    if isinstance(proof, Induction):
        how = f"induction on {'the size of ' if proof.size else ''}{proof.on}"
        how += f" from {proof.start}" if proof.start else ""
    return f"{how}, {len(shown) - 1} laws" if len(shown) > 1 else how
