"""What the prover is asked of a law: a theory of tools, a claim, and what is known before it (ADR 015).

A claim is the law as it stands, or the law where its tools have values (companions.py).  Making a certificate and
checking it again from nothing make the same question.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory
from registry.laws.definedness.predicates import DefinednessPredicates, never_together
from registry.laws.definedness.value_conditions import TRUE, Unsaid
from registry.laws.law_text import Law
from registry.translate.kleis_syntax import names_in
from registry.translate.tool_theory import ToolTheory

__all__ = ["NEVER_TRUE", "Claim", "LawQuestion", "never_asked", "never_true", "question"]

NEVER_TRUE = "vacuous: its premise is never true"
NEVER_ASKED = "vacuous: at no point are its premises true and its tools have values"
NO_TRUTH_VALUE = (
    "without a truth value wherever its premises are true: "
    "a tool in it has no value for some of what a quantifier inside it ranges over"
)
"""What is said of a law whose quantifiers ask a tool where it has no value: elsewhere it may have values."""


class Claim(msgspec.Struct, frozen=True):
    """A law, or the law under the premise that its tools have values."""

    law: Law
    where_defined: bool = False


class LawQuestion(msgspec.Struct, frozen=True):
    """A question in the prover's words. `conditions` are the companions in its theory, as text."""

    theory: Theory
    claim: Expression
    lemmas: tuple[Expression, ...] = ()
    conditions: tuple[str, ...] = ()


def question(tools: ToolTheory, claim: Claim, lemmas: Sequence[Claim] = ()) -> LawQuestion:
    """The question of a claim after lemmas. The tools of all come into the theory, those of the claim first.

    Raises `Untranslatable` for a tool, `Unsaid` where it is not said where a tool has a value.
    """
    claims = (claim, *lemmas)
    for each in claims:
        for label in each.law.tools:
            tools.add(label)
    laws = [each.law.expression for each in claims]
    labels = dict.fromkeys(label for each in claims if each.where_defined for label in each.law.tools)
    if not labels:
        return LawQuestion(tools.theory, laws[0], tuple(laws[1:]))
    companions = DefinednessPredicates(tools, labels, laws)
    partial = iter(companions.of_laws([each.law.expression for each in claims if each.where_defined]))
    said = [next(partial) if each.where_defined else each.law.expression for each in claims]
    return LawQuestion(companions.theory(), said[0], tuple(said[1:]), companions.definitions)


def never_true(asked: LawQuestion) -> LawQuestion | None:
    """Whether the premises of a law are never true together, as they stand; None where it has none."""
    never = never_together(asked.claim, lambda _: TRUE, where_defined=False)
    return None if never is None else LawQuestion(asked.theory, never)


def never_asked(tools: ToolTheory, claim: Claim) -> tuple[LawQuestion, str] | None:
    """Whether the premises of a law that is in the theory are never true together, where one without a value is not
    true; of a law where its tools have values, whether that is never so besides. With the label of a law of which this
    is so. None where it is no other question than `never_true`, or is not said."""
    law = claim.law.expression
    premises = never_together(law, lambda _: TRUE, where_defined=False)
    if not claim.where_defined and (premises is None or names_in(premises).isdisjoint(_functions(tools))):
        return None
    try:
        companions = DefinednessPredicates(tools, claim.law.tools, [law])
        never, is_ranging = companions.never_asked(law, where_defined=claim.where_defined)
        theory = companions.theory()
    except Unsaid:
        return None
    if never is None or not companions.definitions:
        return None
    label = NEVER_TRUE if not claim.where_defined else NO_TRUTH_VALUE if is_ranging else NEVER_ASKED
    return LawQuestion(theory, never, conditions=companions.definitions), label


def _functions(tools: ToolTheory) -> set[str]:
    return {each.name for one in tools.translated.values() for each in one.definitions}
