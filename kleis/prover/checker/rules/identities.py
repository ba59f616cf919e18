"""The rule `identity`: equations whose sides have one form, as quotients of polynomials, wherever they have a value.

    ∀x. hypotheses → s = t          the forms of s and t are equal (kleis/prover/checker/rules/normal_forms.py)
    given: ∀x. hypotheses → what the forms ask for          an earlier step; none where nothing is asked for

The claim is a conjunction of equations of real numbers, of matrices of known sizes, or of lists and tuples of numbers, below ∀ and hypotheses.  See
docs/reference/certificates.md §3.10.

Invariants
    * A premise is used only if it says, word for word, what this rule asks for.
    * Sides that have no value, or not the same one, are never shown equal: what a side needs to have a value is asked for,
      except where a hypothesis says it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TypeAlias

from kleis import core
from kleis.core.build_terms import conjunction
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, substitute
from kleis.prover.checker.format import Identity
from kleis.prover.checker.rules.list_forms import Lists, is_of_lists
from kleis.prover.checker.rules.matrix_forms import Matrices, is_matrix
from kleis.prover.checker.rules.normal_forms import Forms, Refined, is_number
from kleis.prover.checker.rules.polynomials import Ring
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent
from kleis.prover.checker.write_terms import term_data

__all__ = ["STEPS", "asked_for", "below", "check_identity", "equations", "hypotheses_of", "not_said"]

STEPS = 3_000_000
"""Steps of a check: terms of polynomials that are multiplied, and parts of terms."""

_MOST_REFINEMENTS = 12


def check_identity(sequent: Sequent, proof: Identity, steps: int = STEPS) -> int:
    """The steps after which the claim was shown; `RejectedError` if it was not."""
    asked, used = asked_for(sequent.goal, sequent.claim, steps)
    if asked is None:
        if proof.given:
            raise RejectedError("it asks for nothing, and something is given")
        return used
    if not proof.given:
        raise RejectedError("what the forms ask for is not given")
    # Data, since terms that were read lack conditions of built-ins that literals make superfluous.
    if term_data(canonical(sequent.premise(proof.given))) != term_data(canonical(asked)):
        raise RejectedError("what is given is not what the forms ask for")
    return used


def asked_for(goal: Goal, claim: core.Term, steps: int) -> tuple[core.Term | None, int]:
    """What has to be shown for the claim to follow, or None, and the steps; `RejectedError` if the forms are not equal."""
    binders, sides = equations(claim)
    parts: dict[Hashable, int] = {}
    left = steps
    for _ in range(_MOST_REFINEMENTS):
        ring = Ring(left)
        forms = Forms(goal, ring, parts)
        try:
            equal = _are_equal(goal, forms, sides)
        except Refined:
            left = ring.steps
            continue
        except NotExpressible as error:
            raise RejectedError(str(error)) from None
        if not equal:
            raise RejectedError("the sides have different forms")
        asked = not_said(forms.obligations, hypotheses_of(binders))
        return (below(binders, conjunction(asked)) if asked else None), steps - ring.steps
    raise RejectedError("angles and exponents of too many parts")


Binder: TypeAlias = tuple[core.Variable, ...] | core.Term
"""The variables of a ∀, or a hypothesis."""


def equations(claim: core.Term) -> tuple[list[Binder], list[core.Equals]]:
    """The quantifiers and hypotheses around a conjunction of equations of numbers, matrices or lists, and these.

    ``let x = v in φ`` is φ at v, and ``v = v``: it has no truth value where v has no value, whether φ mentions x or not.
    So no ∀ or hypothesis may follow: ``let y = 1/x in x ≠ 0 → x y = 1`` has none at 0, whatever its hypothesis says.
    """
    binders: list[Binder] = []
    named: list[core.Equals] = []
    while True:
        match claim:
            case core.Quantifier(kind="forall", variables=variables, body=body) if not named:
                binders.append(variables)
                claim = body
            case core.Connective(name="implies", arguments=(hypothesis, conclusion)) if not named:
                binders.append(hypothesis)
                claim = conclusion
            case core.Let(variable=variable, value=value, body=body):
                named.append(core.Equals(value, value))
                claim = substitute(body, {variable.name: value})
            case _:
                break
    found = [*named, *_conjuncts(claim)]
    sides = [each for each in found if isinstance(each, core.Equals)]
    if len(sides) < len(found) or not all(
        is_number(each.left.sort) or is_matrix(each.left.sort) or is_of_lists(each.left.sort)
        for each in sides
    ):
        raise RejectedError("the claim is no equation of numbers, matrices or lists")
    return binders, sides


def _conjuncts(formula: core.Term) -> Iterator[core.Term]:
    if isinstance(formula, core.Connective) and formula.name == "and":
        for each in formula.arguments:
            yield from _conjuncts(each)
    else:
        yield formula


def hypotheses_of(binders: list[Binder]) -> Iterator[core.Term]:
    """The conjuncts of the hypotheses."""
    for part in binders:
        if not isinstance(part, tuple):
            yield from _conjuncts(part)


def not_said(formulas: Iterable[core.Term], hypotheses: Iterable[core.Term]) -> list[core.Term]:
    """The formulas that no hypothesis says word for word.

    ``t = t`` asks for t to have a value, which a hypothesis ``t = t`` does not give: where t has none it is not false, and
    so the claim is not true.  The parts of every other formula are asked for besides, so it has a truth value.
    """
    known = {canonical(each) for each in hypotheses}
    return [each for each in formulas if _asks_for_a_value(each) or canonical(each) not in known]


def _asks_for_a_value(formula: core.Term) -> bool:
    return isinstance(formula, core.Equals) and formula.left == formula.right


def below(binders: list[Binder], formula: core.Term) -> core.Term:
    """A formula under the quantifiers and hypotheses of the claim."""
    for part in reversed(binders):
        if isinstance(part, tuple):
            formula = core.Quantifier("forall", part, formula)
        else:
            formula = core.Connective("implies", (part, formula))
    return formula


def _are_equal(goal: Goal, forms: Forms, sides: list[core.Equals]) -> bool:
    matrices = Matrices(forms)
    lists = Lists(forms, goal)
    equal = True
    for each in sides:
        if is_of_lists(each.left.sort):
            equal = lists.are_equal(lists.value(each.left), lists.value(each.right)) and equal
            continue
        if is_number(each.left.sort):
            left, right = [[forms.of(each.left)]], [[forms.of(each.right)]]
        else:
            left, right = matrices.of(each.left), matrices.of(each.right)
        if [len(row) for row in left] != [len(row) for row in right]:
            return False
        pairs = [pair for rows in zip(left, right, strict=True) for pair in zip(*rows, strict=True)]
        equal = equal and all(forms.ring.same(a, b) for a, b in pairs)
    return equal
