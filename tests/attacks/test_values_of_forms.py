"""Terms of numbers against their forms in the rule `identity`: wherever what the form asks for holds, both have one value.

By hand, as many as wanted: ``python -m tests.attacks.test_values_of_forms 100000 [SEED]``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from kleis import core
from kleis.core.goal import Goal
from kleis.errors import KleisError
from kleis.prover.checker.rules.normal_forms import Forms, is_number
from kleis.prover.checker.rules.polynomials import Form
from kleis.prover.checker.sequent import NotExpressible
from tests.support.claims.form_values import form_of, random_number, value_of_form
from tests.support.claims.inexact import NotClear, NoValue, compared
from tests.support.claims.point_values import Point
from tests.support.claims.points import opened, value_of
from tests.support.provers.claims import task

_POINTS, _ENOUGH = 40, 6


def agrees(goal: Goal, term: core.Term, forms: Forms, form: Form, at: dict[str, Any]) -> bool | None:
    """Whether a term and its form have one value at a point; None where that is not known, or more is asked for.

    A term without a value agrees with no form that asks for nothing false there.
    """
    try:
        value = Point(goal).value(term, at)
    except NotClear:
        return None
    except NoValue:
        return False if _all_hold(goal, forms.obligations, at) else None
    if not _all_hold(goal, (each for each in forms.obligations if not _asks_for_a_value(each)), at):
        return None
    try:
        found = value_of_form(forms, form, at)
    except NotClear:
        return None
    except NoValue:
        return False
    try:
        return compared(value, found) == 0
    except NotClear:  # closer than floating point tells apart
        return True


def _all_hold(goal: Goal, formulas: Iterable[core.Term], at: dict[str, Any]) -> bool:
    return all(Point(goal).truth(each, at) == frozenset({True}) for each in formulas)


def _asks_for_a_value(formula: core.Term) -> bool:
    return isinstance(formula, core.Equals) and formula.left == formula.right


def outcomes(count: int, seed: int) -> Counter[str]:
    """What became of so many terms; an assertion where a form has another value than its term."""
    random = Random(seed)
    found: Counter[str] = Counter()
    for _ in range(count):
        text = random_number(random, random.choice((2, 3, 3, 4)))
        try:
            goal = task("", f"∀(x y : ℝ, n m : ℕ, k : ℤ). {text} = {text}").goal
            assert goal.claim is not None
            variables, claim = opened(goal.claim)
            assert isinstance(claim, core.Equals)
            assert is_number(claim.left.sort)
            forms, form = form_of(goal, claim.left)
        except (KleisError, NotExpressible):
            found["no form"] += 1
            continue
        compared_at = 0
        for _ in range(_POINTS):
            at = {each.name: value_of(each.sort, random) for each in variables}
            answer = agrees(goal, claim.left, forms, form, at)
            assert answer is not False, (text, at)
            compared_at += answer is True
            if compared_at >= _ENOUGH:
                break
        found["compared" if compared_at else "nothing known"] += 1
    return found


@pytest.mark.parametrize("seed", range(2))
def test_forms_have_the_values_of_their_terms(seed: int) -> None:
    found = outcomes(60, seed)
    assert found["compared"] > 25, found


def test_a_form_of_another_term_is_told_apart() -> None:
    """A form that forgot a sign, a root's or a hypothesis's, would have another value."""
    for text, other in (
        ("sqrt(x^2)", "x"),
        ("asin(sin(x))", "x"),
        ("ln(x^2)", "2 * ln(abs(x)) + 1"),
        ("sin(2 * x)", "2 * sin(x)"),
    ):
        goal = task("", f"∀(x : ℝ). {text} = {other}").goal
        assert goal.claim is not None
        _, claim = opened(goal.claim)
        assert isinstance(claim, core.Equals)
        forms, form = form_of(goal, claim.right)
        random = Random(1)
        points = [{"x": value_of(core.REAL, random)} for _ in range(_POINTS)]
        assert any(agrees(goal, claim.left, forms, form, at) is False for at in points), text


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    for place in range(0, given[0], 500):
        first = place + (given[1] if len(given) > 1 else 1) * 1_000_003
        print(place, dict(outcomes(min(500, given[0] - place), first)), flush=True)
