"""What the prover is asked of a law: a theory of tools, a claim, and what is known before it (ADR 015).

A claim is the law as it stands, or the law where its tools have values (companions.py).  Making a certificate and
checking it again from nothing make the same question.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.syntax import Call as CallExpression
from kleis.syntax import Expression, Quantifier
from kleis.theory import Theory
from registry.bridge.companions import Companions
from registry.bridge.forms import call
from registry.bridge.law_text import Law
from registry.bridge.tools_in_kleis import ToolTheory

__all__ = ["Claim", "LawQuestion", "premise_never_true", "question"]


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
    companions = Companions(tools, labels, laws)
    partial = iter(companions.of_laws([each.law.expression for each in claims if each.where_defined]))
    said = [next(partial) if each.where_defined else each.law.expression for each in claims]
    return LawQuestion(companions.theory(), said[0], tuple(said[1:]), companions.definitions)


def premise_never_true(law: Expression, given: tuple[Expression, ...] = ()) -> Expression | None:
    """That the premises of a law, those before each of its →, are never true together; None where it has none."""
    if isinstance(law, Quantifier) and law.kind == "forall":
        inner = premise_never_true(law.body, given if law.where is None else (*given, law.where))
        return None if inner is None else msgspec.structs.replace(law, where=None, body=inner)
    if isinstance(law, CallExpression) and law.name == "implies":
        return premise_never_true(law.arguments[1], (*given, law.arguments[0]))
    if not given:
        return None
    together = given[0]
    for each in given[1:]:
        together = call("logical_and", together, each)
    return call("logical_not", together)
