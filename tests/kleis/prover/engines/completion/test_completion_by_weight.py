"""Completion by weight: its ordering, what it takes for the same equation, what it proves, and that the checker replays it."""

from __future__ import annotations

from itertools import product
from random import Random

import msgspec
import pytest

from kleis.core import Term
from kleis.prover.checker.format import Refutation, Rewriting
from kleis.prover.checker.rules.rewriting import rewriting
from kleis.prover.checker.sequent import CheckError
from kleis.prover.engines.completion.certified import rewriting_proof, sequent_of
from kleis.prover.engines.completion.engine import Completion, WeighingCompletion
from kleis.prover.engines.completion.permutations import Permutations, sums
from kleis.prover.engines.completion.shared_terms import Bank, Node, instance, variables_of
from kleis.prover.engines.completion.unit_equations import units_of
from kleis.prover.engines.completion.weight_ordering import WeightOrdering
from kleis.prover.engines.first_order_problem import translate
from kleis.prover.protocol.engine import Answer, Task
from tests.support.theories.algebra import (
    COMMUTATIVE,
    LEFT_GROUP,
    Operation,
    e,
    eq,
    every,
    i,
    m,
    task,
)

# ── The ordering ─────────────────────────────────────────────────────────────────────────────────────────────

A, B, F, M = 0, 1, 2, 3
ARITIES = {A: 0, B: 0, F: 1, M: 2}
RANKS = (0, 1, 3, 2)


def random_term(bank: Bank, chance: Random, depth: int, *, ground: bool) -> Node:
    heads = [A, B] if depth == 0 else [A, B, F, M, M]
    if not ground and chance.random() < 0.4:
        return bank.variable(chance.randrange(2), 0)
    head = chance.choice(heads)
    parts = (random_term(bank, chance, depth - 1, ground=ground) for _ in range(ARITIES[head]))
    return bank.apply(head, tuple(parts))


def test_it_is_a_total_order_of_ground_terms() -> None:
    bank, chance = Bank((0, 0, 0, 0)), Random(1)
    terms = list({random_term(bank, chance, 3, ground=True) for _ in range(60)})
    greater = WeightOrdering(RANKS).greater
    for one, other in product(terms, repeat=2):
        assert (one is other) + greater(one, other) + greater(other, one) == 1
        if one.size > other.size:
            assert greater(one, other)
    for one, other, third in product(terms[:25], repeat=3):
        assert not (greater(one, other) and greater(other, third)) or greater(one, third)
    for one, other in product(terms[:25], repeat=2):
        if greater(one, other):
            assert greater(bank.apply(M, (one, terms[0])), bank.apply(M, (other, terms[0])))
            assert greater(bank.apply(M, (terms[0], one)), bank.apply(M, (terms[0], other)))


@pytest.mark.parametrize("ordered", [False, True])
def test_what_holds_of_terms_holds_of_their_instances(ordered: bool) -> None:
    bank, chance = Bank((0, 0, 0, 0)), Random(2)
    variables = [bank.variable(0, 0), bank.variable(1, 0)]
    ground = WeightOrdering(RANKS)
    general = WeightOrdering(RANKS, dict(zip(variables, (1, 0), strict=True)) if ordered else None)
    decided = 0
    for _ in range(400):
        one, other = (random_term(bank, chance, 3, ground=False) for _ in range(2))
        if not general.greater(one, other):
            continue
        decided += 1
        for _ in range(6):
            values = [random_term(bank, chance, 2, ground=True) for _ in variables]
            if ordered and not ground.greater(*values):
                continue
            at = dict(zip(variables, values, strict=True))
            assert ground.greater(instance(bank, one, at), instance(bank, other, at))
    assert decided > 50
    assert set(variables_of(bank.apply(M, (variables[0], variables[1])))) == set(variables)


# ── The same equation ────────────────────────────────────────────────────────────────────────────────────────


def test_equations_that_differ_in_the_order_of_summands_are_one() -> None:
    bank = Bank((0, 0, 0, 0))
    met = Permutations(bank, frozenset({M}))
    a, b = bank.apply(A, ()), bank.apply(B, ())
    x, y = bank.variable(0, 0), bank.variable(1, 0)

    def plus(*parts: Node) -> Node:
        first, *rest = parts
        return bank.apply(M, (first, plus(*rest))) if rest else first

    def f(part: Node) -> Node:
        return bank.apply(F, (part,))

    assert met.is_new(plus(a, b, f(x)), f(f(b)))
    assert not met.is_new(bank.apply(M, (plus(f(x), b), a)), f(f(b)))
    assert not met.is_new(f(f(b)), plus(b, f(y), a))
    assert met.is_new(plus(a, b, f(x)), f(f(a)))
    assert met.is_new(plus(a, b, f(x), f(y)), f(f(b)))
    assert not met.is_new(plus(y, f(a), b, x, a), plus(x, f(a), b, y, a))


def test_only_functions_that_commute_and_associate_are_sums() -> None:
    both = {**LEFT_GROUP, "commutes": COMMUTATIVE}
    for axioms, count in ((both, 1), (LEFT_GROUP, 0), ({"commutes": COMMUTATIVE}, 0)):
        problem = translate(task(axioms, every(lambda x: eq(x, e))))
        assert problem is not None
        assert len(sums(units_of(problem, 0).units)) == count


# ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────────

PLUS = Operation("plus", (m.symbol.codomain, m.symbol.codomain))
RING = {
    "pa": every(lambda x, y, z: eq(PLUS(PLUS(x, y), z), PLUS(x, PLUS(y, z)))),
    "pc": every(lambda x, y: eq(PLUS(x, y), PLUS(y, x))),
    "pz": every(lambda x: eq(PLUS(x, e), x)),
    "pn": every(lambda x: eq(PLUS(x, i(x)), e)),
    "ta": every(lambda x, y, z: eq(m(m(x, y), z), m(x, m(y, z)))),
    "dl": every(lambda x, y, z: eq(m(x, PLUS(y, z)), PLUS(m(x, y), m(x, z)))),
    "dr": every(lambda x, y, z: eq(m(PLUS(x, y), z), PLUS(m(x, z), m(y, z)))),
}
BOOLEAN = {**RING, "idempotent": every(lambda x: eq(m(x, x), x))}


def proved(axioms: dict[str, Term], claim: Term, steps: int = 400_000) -> tuple[Task, Answer]:
    asked = task(axioms, claim)
    assert WeighingCompletion().applies(asked)
    return asked, WeighingCompletion().run(asked, steps)


@pytest.mark.parametrize(
    ("axioms", "claim"),
    [
        (RING, every(lambda x: eq(m(x, e), e))),
        (RING, every(lambda x, y: eq(m(i(x), i(y)), m(x, y)))),
        (BOOLEAN, every(lambda x: eq(PLUS(x, x), e))),
        (BOOLEAN, COMMUTATIVE),
    ],
)
def test_rings(axioms: dict[str, Term], claim: Term) -> None:
    asked, answer = proved(axioms, claim)
    assert answer.outcome == "proved"
    rested = rewriting(sequent_of(asked), rewriting_proof(asked, answer))
    assert set(rested.premises) == set(answer.core)


def test_it_never_says_that_a_claim_is_refuted() -> None:
    asked, answer = proved(RING, COMMUTATIVE, 30_000)
    assert answer.outcome == "silent"
    assert Completion().run(asked, 100).outcome == "silent"


def test_it_does_not_apply_without_sums() -> None:
    assert not WeighingCompletion().applies(task(LEFT_GROUP, COMMUTATIVE))
    assert not WeighingCompletion().applies(task(BOOLEAN, None))


def test_more_steps_never_change_a_proof() -> None:
    _, answer = proved(BOOLEAN, COMMUTATIVE)
    assert proved(BOOLEAN, COMMUTATIVE, 2 * answer.steps)[1] == answer


def changed(proof: Rewriting, chance: Random) -> Rewriting:
    """A proof with an equation that does not stand there yet, or another place, in one step; or without a link."""
    (refutation,) = proof.refutations
    links = list(refutation.links)
    at = chance.randrange(len(links))
    link = links[at]
    if link.reflects or chance.random() < 0.2:
        del links[at]
    else:
        side = "right" if link.right else "left"
        steps = list(getattr(link, side))
        place = chance.randrange(len(steps))
        step = steps[place]
        if chance.random() < 0.5:
            steps[place] = msgspec.structs.replace(step, equation=len(links) + 100 + at)
        else:
            steps[place] = msgspec.structs.replace(step, at=(*step.at, 1))
        links[at] = msgspec.structs.replace(link, **{side: tuple(steps)})
    return msgspec.structs.replace(proof, refutations=(Refutation(tuple(links)),))


def test_changed_proofs_are_refused() -> None:
    asked, answer = proved(BOOLEAN, COMMUTATIVE)
    proof = rewriting_proof(asked, answer)
    false = task(RING, COMMUTATIVE)
    with pytest.raises(CheckError):
        rewriting(sequent_of(false), proof)
    chance, accepted = Random(3), 0
    for _ in range(300):
        try:
            rewriting(sequent_of(asked), changed(proof, chance))
        except CheckError:
            continue
        accepted += 1
    assert accepted == 0
