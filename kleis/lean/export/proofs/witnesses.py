"""Proofs of ∃ by values that make the claim true: ``⟨(7 : ℤ), by decide⟩``.  See docs/reference/lean.md §6.1.

The values are those of a verdict's witness, which was checked; that they fit is left to Lean to decide.
"""

from __future__ import annotations

from collections.abc import Callable

from kleis import core
from kleis.core.traversal import opened
from kleis.errors import KleisError
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.decisions import is_decided
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.language import lean_tree as lean
from kleis.prover.protocol.verdict import Verdict

__all__ = ["LiteralAt", "witness_proof"]

LiteralAt = Callable[[str, core.Sort], core.Term]
"""The value of a Kleis text, at a sort."""


def witness_proof(
    claim: core.Term, verdict: Verdict, terms: Terms, definitions: Definitions, literal_at: LiteralAt
) -> tuple[lean.Tactic, ...] | None:
    """The tactic that gives the values; None where some value is not known, or Lean does not decide what is said of them."""
    found = opened(claim)
    if found is None or verdict.witness is None or terms.classical:
        return None
    variables, body = found
    values = {each.name: each.value for each in verdict.witness.bindings}
    if is_decided(body, definitions):
        closing = lean.Close("decide")
    elif is_decided(body, definitions, by_the_kernel=True):
        closing = lean.Close("decide +kernel")
    else:
        return None
    given: list[lean.Term] = []
    for variable in variables:
        if variable.name not in values:
            return None
        try:
            given.append(terms.value(literal_at(values[variable.name], variable.sort)).term)
        except KleisError:
            return None
    return (lean.Exact(lean.Anonymous((*given, lean.By(closing)))),)
