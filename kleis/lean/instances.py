"""Proofs by axioms at written-out arguments."""

from __future__ import annotations

from kleis.lean.scopes import Scope
from kleis.lean.terms import Terms
from kleis.lean.tree import LeanTerm, Tactic
from kleis.meaning.meaning import Meaning

__all__ = ["instance_proof"]


def instance_proof(
    meaning: Meaning, statement: LeanTerm, terms: Terms, scope: Scope
) -> tuple[Tactic, ...] | None:
    return None
