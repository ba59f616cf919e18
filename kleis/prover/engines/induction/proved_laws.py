"""Proofs by induction from laws as they are found, and as certificates have them.

See docs/reference/proving.md §7.10.

Invariants
    * A law of a proof stands before what uses it, and only the laws that are needed are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.core.goal import Axiom
from kleis.problems import Place
from kleis.prover.checker.format import Ask, Case, Identity, Induction, Instance
from kleis.prover.checker.sequent import Sequent
from kleis.prover.engines.induction.search import ATTEMPT
from kleis.prover.engines.solvers.runs import Options, Run, tracked
from kleis.prover.lowering.match_equations import simplified
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.script import Script

__all__ = ["Law", "Leaf", "Proof", "Shown", "Split", "described", "finished", "task_of"]

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
Shown = tuple[tuple[core.Term, Ask | Induction | Identity], ...]


class Law(msgspec.Struct, frozen=True, eq=False):
    """A law that is proved, maybe as an identity, under the name by which scripts know it."""

    name: str
    formula: core.Term
    proof: Proof | Identity
    about: frozenset[str]


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


def finished(claim: core.Term, proof: Proof, laws: Sequence[Law]) -> tuple[Shown, frozenset[str]]:
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


def described(shown: Shown) -> str:
    """The induction on the claim, and how many laws it uses."""
    proof = shown[-1][1]
    how = "directly"
    if isinstance(proof, Induction):
        how = f"induction on {'the size of ' if proof.size else ''}{proof.on}"
        how += f" from {proof.start}" if proof.start else ""
    return f"{how}, {len(shown) - 1} laws" if len(shown) > 1 else how
