"""The naive translation against exact evaluation: ground terms over every built-in of the table that it can express."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from kleis.core import BuiltinCall
from kleis.core.traversal import subterms
from kleis.errors import BudgetError
from kleis.prover.checker.sequent import NotExpressible
from tests.support.provers.naive import Fact, Together, of_goal, refuted
from tests.support.terms.ground_terms import NOTHING, Maker, facts_of, operations

_AT_ONCE = 25
"""Terms that are asked about together; one example of the property is so many terms."""

_EVERYWHERE = """
    abs_squared all any append bv bvneg bvnot ceil charAt complement complex conj contains
    difference div divide empty_set floor foldr fst geq greater_than hasPrefix hasSuffix head im
    in_set insert intersect length leq less_than list_filter list_flatmap list_flatten list_fold list_map
    list_slice list_zip max min minus mod negate plus prod_bounds product rational re remove replace replaceAll
    replicate reverse sign singleton snd str_eq
    strlen subset substr sum sum_bounds tail times to_real union
"""
"""Built-ins that have words at all their sorts; others have some, or none."""

_PARTLY = """
    abs bvadd bvand bvashr bvlshr bvmul bvor bvsdiv bvsge bvsgt bvshl bvsle bvslt bvsrem bvsub bvudiv bvuge
    bvugt bvule bvult bvurem bvxor concat matches power
"""
"""Built-ins that have words at some of their sorts, or with some arguments."""


_NAMES = frozenset((_EVERYWHERE + _PARTLY).split())

Facts = list[Fact]


def facts_made(seed: int, count: int, depth: int = 3) -> tuple[list[Facts], Together]:
    """What the reference says of random terms that the translation has words for."""
    found, together = [], Together()
    for number in range(count):
        term = Maker(seed * 1_000 + number, _NAMES).term(depth)
        try:
            facts = facts_of(term)
            if facts:
                together.add(facts)
                found.append(facts)
        except (BudgetError, NotExpressible) as error:
            event(type(error).__name__)
    return found, together


def wrong_ones(every: list[Facts], together: Together | None = None) -> list[Facts]:
    """The terms of which Z3 says otherwise."""
    answer = together.answer() if together else refuted([fact for facts in every for fact in facts])
    if answer == "unsat":
        return []
    if len(every) == 1:
        event(f"alone: {answer}")
        return every if answer == "sat" else []
    half = len(every) // 2
    return wrong_ones(every[:half]) + wrong_ones(every[half:])


@given(st.integers(0, 10_000_000))
@settings(max_examples=120)
def test_ground_terms_have_the_value_of_the_reference(seed: int) -> None:
    every, together = facts_made(seed, _AT_ONCE)
    event(f"compared: {len(every)}")
    assert wrong_ones(every, together) == []


@pytest.mark.parametrize("name", sorted({each.name for each, _ in operations()}))
def test_every_built_in_is_right_or_not_expressible(name: str) -> None:
    rows = [each for each in operations() if each[0].name == name]
    outcomes: Counter[str] = Counter()
    every: list[Facts] = []
    for seed in range(40):
        term = Maker(seed).call(rows[seed % len(rows)])
        try:
            facts = facts_of(term)
            if facts:
                if of_goal(NOTHING, facts[0][0]).approximate:
                    raise NotExpressible("a built-in that the script knows nothing of")
                every.append(facts)
                outcomes["expressed"] += 1
        except NotExpressible:
            outcomes["not expressible"] += 1
        except BudgetError:
            outcomes["over budget"] += 1
    assert wrong_ones(every) == []
    if name in _EVERYWHERE.split():
        assert outcomes["expressed"] > 20, outcomes
        assert not outcomes["not expressible"], outcomes
    assert any(isinstance(each, BuiltinCall) for each in subterms(term))
