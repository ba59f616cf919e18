"""The questions to the prover about a law: a theory of tools, a claim, and lemmas.

A claim is the law as written, or the law behind the definedness predicates of its tools. Making a certificate and
rechecking it build the same question.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory
from registry.laws.definedness.predicates import DefinednessPredicates, never_together
from registry.laws.definedness.value_conditions import TRUE, UnknownCondition
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
"""The label of a law whose inner quantifiers range over inputs for which a tool has no value."""


class Claim(msgspec.Struct, frozen=True):
    """A law, or with `where_defined` the law behind the definedness predicates of its tools."""

    law: Law
    where_defined: bool = False


class LawQuestion(msgspec.Struct, frozen=True):
    """A question to the prover. `conditions` are the definedness predicates in its theory, as text."""

    theory: Theory
    claim: Expression
    lemmas: tuple[Expression, ...] = ()
    conditions: tuple[str, ...] = ()


def question(tools: ToolTheory, claim: Claim, lemmas: Sequence[Claim] = ()) -> LawQuestion:
    """The question of a claim after lemmas. The tools of all are added to the theory, those of the claim first.

    Raises `Untranslatable` for a tool without a definition, `UnknownCondition` for one without a definedness predicate.
    """
    claims = (claim, *lemmas)
    for each in claims:
        for label in each.law.tools:
            tools.add(label)
    laws = [each.law.expression for each in claims]
    labels = dict.fromkeys(label for each in claims if each.where_defined for label in each.law.tools)
    if not labels:
        return LawQuestion(tools.theory, laws[0], tuple(laws[1:]))
    predicates = DefinednessPredicates(tools, labels, laws)
    partial = iter(predicates.of_laws([each.law.expression for each in claims if each.where_defined]))
    said = [next(partial) if each.where_defined else each.law.expression for each in claims]
    return LawQuestion(predicates.theory(), said[0], tuple(said[1:]), predicates.definitions)


def never_true(asked: LawQuestion) -> LawQuestion | None:
    """Whether the premises of a law are never true together, as written; None for a law without premises."""
    never = never_together(asked.claim, lambda _: TRUE, where_defined=False)
    return None if never is None else LawQuestion(asked.theory, never)


def never_asked(tools: ToolTheory, claim: Claim) -> tuple[LawQuestion, str] | None:
    """Whether the premises of a law are never true together, counting one without a value as not true; for a claim
    `where_defined`, also never true where its tools have values. With the label of a law for which this is proved. None
    where `never_true` asks the same, or a definedness predicate is unknown."""
    law = claim.law.expression
    premises = never_together(law, lambda _: TRUE, where_defined=False)
    if not claim.where_defined and (premises is None or names_in(premises).isdisjoint(_functions(tools))):
        return None
    try:
        predicates = DefinednessPredicates(tools, claim.law.tools, [law])
        never, is_ranging = predicates.never_asked(law, where_defined=claim.where_defined)
        theory = predicates.theory()
    except UnknownCondition:
        return None
    if never is None or not predicates.definitions:
        return None
    label = NEVER_TRUE if not claim.where_defined else NO_TRUTH_VALUE if is_ranging else NEVER_ASKED
    return LawQuestion(theory, never, conditions=predicates.definitions), label


def _functions(tools: ToolTheory) -> set[str]:
    return {each.name for one in tools.translated.values() for each in one.definitions}
