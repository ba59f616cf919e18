"""The problems of the shared data: all elaborate, and brute force never contradicts what is known of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kleis.budget import Budget
from kleis.core import BOOL, LiteralTerm
from kleis.core.goal import Goal
from kleis.semantics.models import decide
from kleis.semantics.ranges import Bounds
from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.theories.shared_problems import goals_of

SMALL = Bounds(carrier=2, alphabet="abx", budget=Budget(steps=150_000, depth=150, size=100_000))
LARGER = msgspec.structs.replace(SMALL, carrier=3, budget=Budget(steps=1_000_000, depth=150, size=100_000))
"""For problems that say that the smallest countermodel, or model, has three elements."""

ROWS = shared_rows("propositions.jsonl")

DECIDED = frozenset(
    [
        "group_self_inverse_false",
        "semigroup_identity_exists_false",
        "band_commutative_false",
        "semigroup_hom_preserves_identity_false",
        "field_char_not2_false",
        "field_inv_zero_is_zero_false",
        "total_order_three_consistent",
        "sym_trans_reflexive_false",
        "partial_order_total_false",
        "minimal_is_least_false",
        "int_measure_total_order_false",
        "real_square_ge_self_false",
        "real_cube_eq_self_false",
        "real_div_self_false",
        "str_replace_first_removes_false",
        "regex_superset_false",
        "str_concat_comm_false",
        "bv_abs_nonneg_false",
        "bv_overflow_false",
        "bv_mul_odd_injective",
        "set_diff_symmetric_false",
        "syllogism_darapti_existential_import_false",
        "rbac_no_leak_false",
        "forall_exists_swap_false",
        "automaton_invariant",
        "enum_pigeon_false",
        "enum_exhaustive",
        "list_head_nil_zero_false",
        "fib_ge_n_false",
        "fib_10",
    ]
)
"""The problems that brute force answers under these bounds: what is not among them stays open."""


def bounds_for(row: dict[str, Any]) -> Bounds:
    """How far to look."""
    return LARGER if "size3" in row["tags"] else SMALL


def answered(row: dict[str, Any]) -> str:
    """The verdict of brute force, or ``open``."""
    if row["proposition"] is None:
        return consistency(goals_of(row), bounds_for(row))
    (meaning,) = goals_of(row)
    decision = decide(meaning, bounds_for(row))
    if decision.status == "true" and decision.conclusive:
        return "verified"
    return "disproved" if decision.status == "disproved" else "open"


def consistency(components: tuple[Goal, ...], bounds: Bounds) -> str:
    """Declarations are consistent if all components have a model, and inconsistent if one proves what is false."""
    false = LiteralTerm(False, BOOL)
    for component in components:
        if decide(msgspec.structs.replace(component, claim=false), bounds).conclusive:
            return "inconsistent"
    found = [decide(component, bounds).status for component in components]
    return "consistent" if all(status == "model" for status in found) else "open"


@needs_shared  # the shared data
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["name"]))
def test_brute_force_does_not_contradict_what_is_known(row: dict[str, Any]) -> None:
    answer = answered(row)
    assert answer in (row["expect"], "open")
    assert (answer != "open") is (row["name"] in DECIDED)


@needs_shared  # the shared data
def test_the_problems_are_all_there() -> None:
    assert len(ROWS) == 134
    assert {row["name"] for row in ROWS} >= DECIDED
