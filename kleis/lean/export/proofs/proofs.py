"""Proofs that are written without searching in Lean.  See docs/reference/lean.md §6.1.

No Lean has checked them when they are written.  `find_proof` reads a proof off the claim, surest kinds first;
`proof_from_steps` writes what an engine left as the proof of a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import canonical
from kleis.lean.export.declarations.class_scopes import Scope
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.arithmetic import arithmetic
from kleis.lean.export.proofs.chains import chain_proof
from kleis.lean.export.proofs.decisions import decision
from kleis.lean.export.proofs.evaluations import evaluation
from kleis.lean.export.proofs.hypotheses import named_axioms
from kleis.lean.export.proofs.inductions import induction_proof
from kleis.lean.export.proofs.instances import instance_proof
from kleis.lean.export.proofs.witnesses import LiteralAt, witness_proof
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.language import lean_tree as lean
from kleis.prover.checker import format as checked
from kleis.prover.protocol.verdict import Verdict

__all__ = ["ENGINES", "Context", "Proof", "find_proof", "proof_from_steps"]

ENGINES = frozenset({"completion", "induction"})
"""The engines whose proofs have a form in Lean."""


class Context(msgspec.Struct, frozen=True):
    """The statement of a claim in Lean, and what its terms are written with."""

    statement: lean.Term
    terms: Terms
    scope: Scope
    definitions: Definitions
    literal_at: LiteralAt


class Proof(msgspec.Struct, frozen=True):
    """Tactics, and what kind of proof they are."""

    tactics: tuple[lean.Tactic, ...]
    method: str


def find_proof(goal: Goal, verdict: Verdict, context: Context) -> Proof | None:
    """A proof of a claim that is known to hold; None where no form fits."""
    claim = goal.claim
    assert claim is not None
    if (found := decision(claim, context.statement, context.definitions)) is not None:
        return Proof(found, "finite decision")
    if (found := instance_proof(goal, context.statement, context.terms, context.scope)) is not None:
        return Proof(found, "ground instantiation")
    if (axiom := _axiom(claim, context.scope)) is not None:
        return Proof((lean.Exact(axiom),), "axiom")
    if (closed := arithmetic(claim, context.statement, context.terms, context.definitions)) is not None:
        return Proof(*closed)
    if (found := evaluation(claim, verdict, context.definitions)) is not None:
        return Proof(found, "evaluation")
    found = witness_proof(claim, verdict, context.terms, context.definitions, context.literal_at)
    return None if found is None else Proof(found, "witness")


def _axiom(claim: core.Term, scope: Scope) -> lean.Term | None:
    """The axiom of a class at hand that says what is claimed."""
    said = canonical(claim)
    return next((head for formula, head in named_axioms(scope) if canonical(formula) == said), None)


def proof_from_steps(
    goal: Goal, steps: Sequence[tuple[core.Term, checked.Proof]], context: Context
) -> Proof | None:
    """The proof that an engine left, in Lean; None where it has no form there."""
    match steps:
        case [(_, checked.Rewriting() as rewriting)]:
            found = chain_proof(goal, rewriting, context.terms, context.scope)
            return None if found is None else Proof(found, "calculation")
        case [*_, (_, checked.Induction())]:
            tactics = induction_proof(steps, context.statement, context.terms, context.definitions)
            return None if tactics is None else Proof(tactics, "induction")
        case _:
            return None
