"""Completion: what it proves and refutes, and that its answers are checked by code apart from the search."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from kleis.core import INTEGER, LiteralTerm, Term
from kleis.prover.engines.completion.check_proof import check_chain, check_rewriting, rewriting_evidence
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.engines.models.finite_models import FiniteModels
from kleis.prover.protocol.engine import Answer, Task
from tests.support.provers.claims import evidence_of
from tests.support.theories.algebra import (
    COMMUTATIVE,
    LATTICE,
    LEFT_GROUP,
    MONOID,
    RING,
    G,
    H,
    Operation,
    a,
    add,
    b,
    both,
    e,
    either,
    eq,
    every,
    i,
    implies,
    j,
    k,
    le,
    m,
    mul,
    ne,
    neg,
    no,
    one,
    some,
    task,
    zero,
)
from tests.support.theories.random_theories import equations

BUDGET = 150_000


def run(asked: Task, steps: int = BUDGET) -> Answer:
    return Completion().run(asked, steps)


def checked(asked: Task, answer: Answer) -> bool:
    if answer.outcome in ("proved", "inconsistent"):
        return check_chain(asked, answer)
    return check_rewriting(asked, answer.witness)


def mapped(name: str) -> Any:
    return Operation(name, (G,), H)


h = Operation("h", (G,), H)
mh, eh, ih = Operation("mh", (H, H), H), Operation("eh", (), H)(), Operation("ih", (H,), H)
HOMOMORPHISM = {
    **LEFT_GROUP,
    "h_assoc": every(lambda x, y, z: eq(mh(mh(x, y), z), mh(x, mh(y, z))), H, H, H),
    "h_left_id": every(lambda x: eq(mh(eh, x), x), H),
    "h_left_inv": every(lambda x: eq(mh(ih(x), x), eh), H),
    "hom": every(lambda x, y: eq(h(m(x, y)), mh(h(x), h(y)))),
}
DISTRIBUTIVE = {**LATTICE, "d": every(lambda x, y, z: eq(k(x, j(y, z)), j(k(x, y), k(x, z))))}
ORDER = {
    **LATTICE,
    "order": every(lambda x, y: eq(le(x, y), eq(k(x, y), x))),
}


@pytest.mark.parametrize(
    ("axioms", "claim"),
    [
        pytest.param(LEFT_GROUP, every(lambda x: eq(m(x, i(x)), e)), id="right inverse"),
        pytest.param(LEFT_GROUP, every(lambda x: eq(m(x, e), x)), id="right identity"),
        pytest.param(
            LEFT_GROUP, every(lambda x, y: eq(i(m(x, y)), m(i(y), i(x)))), id="inverse of a product"
        ),
        pytest.param(
            LEFT_GROUP,
            every(lambda c, x, y: implies(eq(m(x, c), m(y, c)), eq(x, y))),
            id="cancellation: hypotheses are equations of the claim",
        ),
        pytest.param(
            LEFT_GROUP,
            every(lambda x, y: eq(eq(m(x, y), e), eq(m(y, x), e))),
            id="an equivalence: two branches",
        ),
        pytest.param(
            LEFT_GROUP,
            every(lambda c, d: some(lambda x: eq(m(c, x), d))),
            id="an equation to solve: a disequation with variables",
        ),
        pytest.param(
            {**LEFT_GROUP, "square": every(lambda x: eq(m(x, x), e))}, COMMUTATIVE, id="exponent 2 commutes"
        ),
        pytest.param(HOMOMORPHISM, every(lambda x: eq(h(i(x)), ih(h(x)))), id="two sorts"),
        pytest.param(LATTICE, every(lambda x: eq(k(x, x), x)), id="idempotence"),
        pytest.param(
            DISTRIBUTIVE,
            every(lambda x, y, z: eq(j(x, k(y, z)), k(j(x, y), j(x, z)))),
            id="the dual distributive law",
        ),
        pytest.param(ORDER, every(lambda x, y: le(k(x, y), x)), id="a predicate defined by an equation"),
        pytest.param(
            ORDER,
            every(lambda x, y: implies(both(le(x, y), le(y, x)), eq(x, y))),
            id="equality reflected: le(x, y) says k(x, y) = x",
        ),
        pytest.param(RING, every(lambda x: eq(mul(zero, x), zero)), id="zero in a ring"),
        pytest.param(
            {**RING, "boolean": every(lambda x: eq(mul(x, x), x))},
            every(lambda x, y: eq(mul(x, y), mul(y, x))),
            id="Boolean rings commute",
        ),
        pytest.param({"all": every(lambda x, y: eq(x, y))}, eq(a, b), id="one element"),
        pytest.param({}, some(lambda x: eq(x, x)), id="sorts are not empty"),
        pytest.param({}, every(lambda x: either(eq(x, x), ne(x, x))), id="plainly true"),
    ],
)
def test_proved(axioms: dict[str, Term], claim: Term) -> None:
    asked = task(axioms, claim)
    answer = run(asked)
    assert answer.outcome == "proved"
    assert set(answer.core) <= set(axioms)
    assert check_chain(asked, answer)


LEQ_ORDER = {
    "reflexive": every(lambda x: le(x, x)),
    "transitive": every(lambda x, y, z: implies(both(le(x, y), le(y, z)), le(x, z))),
    "antisymmetric": every(lambda x, y: implies(both(le(x, y), le(y, x)), eq(x, y))),
}
FIELD = {
    **RING,
    "mul_comm": every(lambda x, y: eq(mul(x, y), mul(y, x))),
    "one_mul": every(lambda x: eq(mul(one, x), x)),
    "inverse": every(lambda x: implies(ne(x, zero), eq(mul(x, i(x)), one))),
}


@pytest.mark.parametrize(
    ("axioms", "claim"),
    [
        pytest.param(
            LEQ_ORDER,
            every(lambda x, y, z: implies(both(le(x, y), le(y, z), le(z, x)), eq(x, z))),
            id="conditional equations",
        ),
        pytest.param(
            FIELD,
            every(lambda x: implies(ne(x, zero), eq(mul(i(x), x), one))),
            id="a disequation as condition: two positive literals",
        ),
        pytest.param(
            {"choice": every(lambda x: either(le(x, a), le(a, x))), "never": every(lambda x: no(le(a, x)))},
            every(lambda x: le(x, a)),
            id="one of two positive literals is refuted",
        ),
        pytest.param(
            {"clash": every(lambda x: either(ne(x, x), no(le(x, x)))), "all": every(lambda x: le(x, x))},
            eq(a, b),
            id="only negative literals",
        ),
    ],
)
def test_clauses_are_conditional_equations(axioms: dict[str, Term], claim: Term) -> None:
    asked = task(axioms, claim)
    answer = run(asked)
    assert answer.outcome in ("proved", "inconsistent")
    assert check_chain(asked, answer)
    kept = {name: axioms[name] for name in answer.core}
    again = run(task(kept, claim))
    assert again.outcome == answer.outcome


def test_a_conditional_system_refutes_unless_clauses_are_weakened() -> None:
    asked = task(LEQ_ORDER, every(lambda x, y: implies(le(x, y), eq(x, y))))
    answer = run(asked)
    assert answer.outcome == "refuted"
    assert check_rewriting(asked, answer.witness)
    total = {**LEQ_ORDER, "total": every(lambda x, y: either(le(x, y), le(y, x)))}
    assert run(task(total, every(lambda x, y: le(x, y)))).outcome == "silent"
    assert not check_rewriting(task(total, asked.goal.claim), answer.witness)


def test_terms_that_nest_deeply_end_in_silence() -> None:
    deep: Term = a
    for _ in range(2_000):
        deep = i(deep)
    for engine in (Completion(), FiniteModels()):
        answer = engine.run(task({"involution": every(lambda x: eq(i(i(x)), x))}, eq(deep, b)), 10_000)
        assert answer.outcome == "silent"


def test_rules_that_make_terms_grow_do_no_harm() -> None:
    doubled = {"double": every(lambda x: eq(i(x), m(x, x)))}
    tower: Term = a
    for _ in range(40):
        tower = i(tower)
    asked = task(doubled, eq(tower, b))
    answer = run(asked, 20_000)
    assert answer.outcome == "silent" or check_rewriting(asked, answer.witness)


def test_the_core_has_only_what_was_used() -> None:
    idle = {"idle": every(lambda x: eq(k(x, x), x)), "other": every(lambda x, y: eq(j(x, y), j(y, x)))}
    answer = run(task({**idle, **LEFT_GROUP}, every(lambda x: eq(m(x, e), x))))
    assert set(answer.core) <= set(LEFT_GROUP)


def test_lemmas_are_used_like_axioms() -> None:
    asked = task(LEFT_GROUP, every(lambda x: eq(m(x, e), x)), [every(lambda x: eq(m(x, e), x))])
    answer = run(asked)
    assert (answer.outcome, answer.core) == ("proved", ("lemma 1",))
    assert check_chain(asked, answer)


@pytest.mark.parametrize(
    ("axioms", "claim"),
    [
        pytest.param(LEFT_GROUP, COMMUTATIVE, id="groups need not commute"),
        pytest.param({**MONOID, "ab": eq(m(a, b), e)}, eq(m(b, a), e), id="only infinite countermodels"),
        pytest.param(
            {"idempotent": every(lambda x: eq(i(i(x)), i(x)))},
            every(lambda x: some(lambda y: eq(i(y), x))),
            id="a disequation with variables",
        ),
        pytest.param(LEFT_GROUP, every(lambda x, y: eq(x, y)), id="more than one element"),
        pytest.param(
            {"comm": COMMUTATIVE}, eq(m(a, m(a, b)), m(m(a, a), b)), id="commutative, not associative"
        ),
        pytest.param(HOMOMORPHISM, every(lambda x, y: implies(eq(h(x), h(y)), eq(x, y))), id="two sorts"),
    ],
)
def test_refuted_by_a_convergent_system(axioms: dict[str, Term], claim: Term) -> None:
    asked = task(axioms, claim)
    answer = run(asked)
    assert answer.outcome == "refuted"
    evidence = rewriting_evidence(asked, answer.witness)
    assert evidence is not None
    assert evidence.rules
    assert check_rewriting(asked, json.loads(json.dumps(answer.witness)))


def test_rules_are_shown_as_equations_of_terms() -> None:
    times = Operation("•", (G, G))
    asked = task({"left_unit": every(lambda x: eq(times(e, x), x))}, eq(times(a, e), a))
    evidence = rewriting_evidence(asked, run(asked).witness)
    assert evidence is not None
    assert evidence.rules == ("(e • x0) → x0",)
    assert evidence.normal_forms == ("(a • e) ≠ a",)


def test_a_theory_of_equations_has_a_model_if_it_saturates() -> None:
    asked = task({**LEFT_GROUP, "two": ne(a, b)}, None)
    answer = run(asked)
    assert answer.outcome == "model"
    assert check_rewriting(asked, answer.witness)


def test_axioms_that_clash_are_inconsistent_whatever_the_claim() -> None:
    axioms = {**LEFT_GROUP, "comm": every(lambda x, y: eq(x, y)), "two": ne(a, b)}
    for claim in (None, eq(a, b), ne(a, b)):
        asked = task(axioms, claim)
        answer = run(asked)
        assert answer.outcome == "inconsistent"
        assert set(answer.core) == {"comm", "two"}
        assert check_chain(asked, answer)


def test_one_element_is_not_a_contradiction() -> None:
    answer = run(task({"all": every(lambda x, y: eq(x, y))}, None))
    assert answer.outcome == "model"


def test_dropped_axioms_allow_proofs_but_no_refutation() -> None:
    number = Operation("weight", (G,), INTEGER)
    heavy = every(lambda x: eq(number(x), LiteralTerm(1, INTEGER)))
    clause = every(lambda x, y: either(eq(x, y), eq(m(x, y), e)))
    for dropped in (heavy, clause):
        axioms = {**LEFT_GROUP, "dropped": dropped}
        assert run(task(axioms, every(lambda x: eq(m(x, e), x)))).outcome == "proved"
        answer = run(task(axioms, COMMUTATIVE))
        assert answer.outcome == "silent"
        assert answer.witness is None


def test_a_budget_that_is_used_up_says_so() -> None:
    hard = every(lambda x: eq(mul(x, mul(x, x)), x))
    asked = task({**RING, "cube": hard}, every(lambda x, y: eq(mul(x, y), mul(y, x))))
    answer = run(asked, 10_000)
    assert (answer.outcome, answer.reason) == ("silent", "resource")
    assert 5_000 < answer.steps < 20_000


@pytest.mark.parametrize("steps", [0, 1, 30])
def test_tiny_budgets(steps: int) -> None:
    answer = run(task(RING, every(lambda x: eq(mul(zero, x), zero))), steps)
    assert (answer.outcome, answer.reason) == ("silent", "resource")


def test_the_same_task_has_the_same_answer() -> None:
    asked = task(RING, every(lambda x: eq(mul(zero, x), zero)))
    assert run(asked, 20_000) == run(asked, 20_000)


# ── Derived equations ────────────────────────────────────────────────────────────────────────────────────────


def test_derived_equations_follow_from_the_axioms_alone() -> None:
    clause = every(lambda x, y: either(eq(x, y), eq(m(x, y), e)))
    unital = {**RING, "one": every(lambda x: eq(mul(one, x), x))}
    for asked in (task({**LEFT_GROUP, "clause": clause}, COMMUTATIVE), task(unital, eq(one, zero))):
        answer = run(asked, 20_000)
        assert 0 < len(answer.derived) <= 40
        for formula in answer.derived:
            again = Task(msgspec.structs.replace(asked.goal, claim=formula))
            assert run(again).outcome == "proved"


def test_derived_equations_are_no_axioms() -> None:
    answer = run(task(LEFT_GROUP, every(lambda x, y: eq(i(m(x, y)), m(i(y), i(x))))))
    commuted = [str(formula) for formula in LEFT_GROUP.values()]
    assert all(str(each) not in commuted for each in answer.derived)


# ── Both engines on random theories ──────────────────────────────────────────────────────────────────────────


@settings(max_examples=40, deadline=None)
@given(equations(), equations(), equations())
def test_the_engines_never_contradict_each_other(first: Term, second: Term, claim: Term) -> None:
    asked = task({"first": first, "second": second}, claim)
    answer = run(asked, 3_000)
    model = FiniteModels().run(asked, 30_000)
    assert (answer.outcome, model.outcome) not in (("proved", "refuted"), ("inconsistent", "refuted"))
    if answer.outcome != "silent":
        assert checked(asked, answer)
    if model.outcome == "refuted":
        assert evidence_of(asked, model.witness) is not None


@settings(max_examples=40, deadline=None)
@given(equations(), equations())
def test_what_follows_is_proved_by_what_it_follows_from(axiom: Term, claim: Term) -> None:
    asked = task({"axiom": axiom, "claim too": claim, "not": no(claim)}, None)
    answer = run(asked, 20_000)
    assert answer.outcome in ("inconsistent", "silent")
    assert answer.outcome == "silent" or checked(asked, answer)


def test_sums_commute_where_the_ring_has_a_unit() -> None:
    axioms = {name: formula for name, formula in RING.items() if name != "add_comm"} | {
        "zero_add": every(lambda x: eq(add(zero, x), x)),
        "neg_add": every(lambda x: eq(add(neg(x), x), zero)),
        "one_mul": every(lambda x: eq(mul(one, x), x)),
        "mul_one": every(lambda x: eq(mul(x, one), x)),
    }
    asked = task(axioms, every(lambda x, y: eq(add(x, y), add(y, x))))
    answer = run(asked)
    assert answer.outcome == "proved"
    assert checked(asked, answer)
