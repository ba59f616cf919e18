"""Superposition: what is found, that each proof passes its check, and that brute force agrees."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

from kleis.core import STRING, Term
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.format import Clausal
from kleis.prover.checker.rules.clausal import clausal
from kleis.prover.engines.completion.certified import Unconvertible, sequent_of
from kleis.prover.engines.completion.shared_terms import Bank
from kleis.prover.engines.completion.weight_ordering import WeightOrdering
from kleis.prover.engines.superposition.certified import clausal_proof
from kleis.prover.engines.superposition.engine import ConditionalSuperposition, Superposition
from kleis.prover.engines.superposition.kept_clauses import Clause, Given
from kleis.prover.engines.superposition.subsumption import FeatureTree, subsumes
from kleis.prover.protocol.engine import Answer, Task
from tests.support.provers.worlds import random_world, value
from tests.support.theories.algebra import (
    LEFT_GROUP,
    MONOID,
    H,
    Operation,
    a,
    b,
    both,
    e,
    either,
    eq,
    every,
    i,
    implies,
    j,
    le,
    m,
    ne,
    no,
    some,
    task,
)
from tests.support.theories.random_theories import formulas

FIELD = {
    "add_assoc": every(lambda x, y, z: eq(j(j(x, y), z), j(x, j(y, z)))),
    "add_comm": every(lambda x, y: eq(j(x, y), j(y, x))),
    "add_zero": every(lambda x: eq(j(x, a), x)),
    "assoc": every(lambda x, y, z: eq(m(m(x, y), z), m(x, m(y, z)))),
    "comm": every(lambda x, y: eq(m(x, y), m(y, x))),
    "one": every(lambda x: eq(m(x, e), x)),
    "inverse": every(lambda x: either(eq(x, a), eq(m(x, i(x)), e))),
    "zero": every(lambda x: eq(m(x, a), a)),
    "apart": ne(a, e),
}

ORDER = {
    "transitive": every(lambda x, y, z: implies(both(le(x, y), le(y, z)), le(x, z))),
    "total": every(lambda x, y: either(le(x, y), le(y, x))),
    "antisymmetric": every(lambda x, y: implies(both(le(x, y), le(y, x)), eq(x, y))),
    "monotone": every(lambda x, y, z: implies(le(x, y), le(j(x, z), j(y, z)))),
}

_scaled = Operation("scaled", (a.sort, H), H)
_nothing = Operation("nothing", (), H)()

PROVED: dict[str, tuple[dict[str, Term], Term]] = {
    "inverse of an inverse": (FIELD, every(lambda x: implies(ne(x, a), eq(i(i(x)), x)))),
    "no divisors of zero": (FIELD, every(lambda x, y: implies(eq(m(x, y), a), either(eq(x, a), eq(y, a))))),
    "idempotents": (FIELD, every(lambda x: implies(eq(m(x, x), x), either(eq(x, a), eq(x, e))))),
    "a solution": (FIELD, every(lambda x: implies(ne(x, a), some(lambda y: eq(m(x, y), e))))),
    "inverse of a product where both have one": (
        FIELD,
        every(lambda x, y: implies(both(ne(x, a), ne(y, a)), eq(i(m(x, y)), m(i(x), i(y))))),
    ),
    "inverse of a product": (LEFT_GROUP, every(lambda x, y: eq(i(m(x, y)), m(i(y), i(x))))),
    "two ways to fail": (LEFT_GROUP, every(lambda x, y: eq(eq(m(x, y), e), eq(m(y, x), e)))),
    "sums of comparable": (
        {**ORDER, "comm": every(lambda x, y: eq(j(x, y), j(y, x)))},
        every(lambda x, y: implies(both(le(x, a), le(y, b)), le(j(x, y), j(a, b)))),
    ),
    "two elements": (
        {"two": every(lambda x: either(eq(x, a), eq(x, b)))},
        every(lambda x, y, z: either(eq(x, y), eq(y, z), eq(x, z))),
    ),
    "two sorts": (
        {
            **FIELD,
            "mixed": every(
                lambda x, y, v: eq(_scaled(x, _scaled(y, v)), _scaled(m(x, y), v)), e.sort, e.sort, H
            ),
            "unit": every(lambda v: eq(_scaled(e, v), v), H),
            "null": every(lambda x: eq(_scaled(x, _nothing), _nothing)),
        },
        every(
            lambda x, v: implies(eq(_scaled(x, v), _nothing), either(eq(x, a), eq(v, _nothing))), e.sort, H
        ),
    ),
}


def run(axioms: dict[str, Term], claim: Term | None, steps: int = 120_000) -> tuple[Task, Answer]:
    asked = task(axioms, claim)
    return asked, Superposition().run(asked, steps)


def accepted(asked: Task, answer: Answer) -> Clausal:
    """The proof as data, checked."""
    step = msgspec.json.decode(msgspec.json.encode(clausal_proof(asked, answer)), type=Clausal)
    clash = answer.outcome == "inconsistent"
    rested = clausal(sequent_of(asked, axioms_clash=clash), step)
    assert set(rested.premises) == set(answer.core)
    assert rested.claim is not clash
    return step


@pytest.mark.parametrize("name", PROVED)
def test_what_is_proved_passes_its_check(name: str) -> None:
    asked, answer = run(*PROVED[name])
    assert answer.outcome == "proved", answer.detail
    accepted(asked, answer)


@pytest.mark.parametrize("claim", [None, every(lambda x: eq(x, a))])
def test_axioms_that_clash_are_a_proof_of_falsity(claim: Term | None) -> None:
    asked, answer = run({**MONOID, "some": some(lambda x: ne(m(e, x), x))}, claim)
    assert answer.outcome == "inconsistent"
    accepted(asked, answer)


@pytest.mark.parametrize(
    ("axioms", "claim"),
    [
        (MONOID, every(lambda x, y: eq(m(x, y), m(y, x)))),
        (FIELD, every(lambda x: eq(m(i(x), x), e))),
        (ORDER, every(lambda x, y: le(x, y))),
        ({"some": every(lambda x: some(lambda y: le(x, y)))}, some(lambda y: every(lambda x: le(x, y)))),
    ],
)
def test_nothing_false_is_proved(axioms: dict[str, Term], claim: Term) -> None:
    _, answer = run(axioms, claim, 20_000)
    assert answer.outcome == "silent"
    assert answer.reason in ("resource", "incomplete")


def test_the_same_task_gives_the_same_answer_within_its_steps() -> None:
    _, first = run(*PROVED["no divisors of zero"])
    _, second = run(*PROVED["no divisors of zero"])
    assert first == second
    _, cut = run(FIELD, every(lambda x: eq(i(x), x)), 3_000)
    assert cut.outcome == "silent"
    assert cut.steps < 20_000


def test_tasks_outside_first_order_logic_are_left_to_others() -> None:
    assert Superposition().applies(task(MONOID, every(lambda x: eq(x, x))))
    assert not ConditionalSuperposition().applies(
        task(MONOID, every(lambda x, y: implies(eq(x, y), eq(y, x))))
    )
    assert ConditionalSuperposition().applies(task(FIELD, every(lambda x: eq(x, x))))
    assert ConditionalSuperposition().applies(task(ORDER, every(lambda x: le(x, x))))
    assert not Superposition().applies(task(MONOID, every(lambda n: eq(n, n), STRING)))


def test_an_answer_that_was_changed_is_not_converted() -> None:
    asked, answer = run(*PROVED["no divisors of zero"])
    for changed in (
        msgspec.structs.replace(answer, outcome="silent"),
        msgspec.structs.replace(answer, core=answer.core[1:]),
        msgspec.structs.replace(answer, proof=()),
    ):
        with pytest.raises(Unconvertible):
            clausal_proof(asked, changed)


# ── Against brute force ──────────────────────────────────────────────────────────────────────────────────────


@given(formulas(), formulas(), st.integers(0, 10_000))
def test_what_is_proved_holds_in_every_world(premise: Term, claim: Term, seed: int) -> None:
    asked, answer = run({"premise": premise}, claim, 2_000)
    if answer.outcome == "silent":
        raise UnsatisfiedAssumption("nothing is proved")
    for world in map(random_world, range(seed, seed + 20)):
        if value(world, premise, {}):
            assert answer.outcome == "proved", "the premise has a model"
            assert value(world, claim, {})
    if answer.proof:
        accepted(asked, answer)


# ── Orderings and subsumption ────────────────────────────────────────────────────────────────────────────────


def test_the_ordering_by_weight_is_one() -> None:
    bank = Bank([0, 0, 0])
    x, y = bank.variable(0, 0), bank.variable(1, 0)
    c = bank.apply(0, ())
    terms = [c, bank.apply(1, (c,)), bank.apply(1, (x,)), bank.apply(2, (x, y)), bank.apply(2, (y, x)), x, y]
    ordering = WeightOrdering([0, 1, 2])
    for one in terms:
        assert not ordering.greater(one, one)
        for other in terms:
            assert not (ordering.greater(one, other) and ordering.greater(other, one))
    assert ordering.greater(bank.apply(1, (x,)), x)
    assert ordering.greater(bank.apply(2, (c, y)), bank.apply(1, (y,)))
    assert not ordering.greater(bank.apply(2, (c, y)), bank.apply(1, (x,)))
    assert not ordering.greater(bank.apply(2, (x, y)), bank.apply(2, (y, x)))


def test_the_tree_of_features_leaves_out_no_clause_that_subsumes() -> None:
    bank = Bank([0, 0, 0])
    x, c = bank.variable(0, 0), bank.apply(0, ())
    sides = [x, c, bank.apply(1, (x,)), bank.apply(1, (c,)), bank.apply(2, (x, x)), bank.apply(2, (c, x))]
    literals = [(sign, one, other) for sign in (True, False) for one in sides for other in sides]
    clauses = [Clause((each,), Given(0), (), (), False) for each in literals]
    clauses += [Clause((each, literals[7]), Given(0), (), (), False) for each in literals[::5]]
    tree = FeatureTree(3)
    for number, clause in enumerate(clauses):
        clause.number = number
        tree.insert(clause)

    def free(steps: int) -> None:
        del steps

    for clause in clauses:
        wanted = {each.number for each in clauses if subsumes(each, clause, free)}
        assert clause.number in wanted
        assert wanted <= {each.number for each in tree.subsuming(clause)}
        assert {each.number for each in clauses if subsumes(clause, each, free)} <= {
            each.number for each in tree.subsumed(clause)
        }
    tree.remove(clauses[0])
    assert clauses[0] not in list(tree.subsuming(clauses[0]))


def test_denials_and_sorts_are_named_apart() -> None:
    claim = every(lambda x: implies(no(eq(x, a)), no(le(x, x))))
    asked, answer = run({"strict": every(lambda x: no(le(x, x)))}, claim)
    step = accepted(asked, answer)
    assert {text for _, text in step.variables} <= {sort_text(each) for each in (e.sort, H)}
