"""The lexicographic path ordering is that of its definition, which tries every part of every term."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from kleis.prover.engines.completion.rewriting import Direction, Index, Rewriter
from kleis.prover.engines.completion.shared_terms import Bank, Node, Ordering

RANKS = (0, 2, 1, 3)
ARITIES = (0, 0, 1, 2)
A, B, F, M = range(4)


def random_term(bank: Bank, chance: Random, depth: int) -> Node:
    if chance.random() < 0.35:
        return bank.variable(chance.randrange(3), 0)
    head = chance.choice([A, B] if depth == 0 else [A, B, F, M, M])
    return bank.apply(head, tuple(random_term(bank, chance, depth - 1) for _ in range(ARITIES[head])))


def defined(left: Node, right: Node, order: dict[Node, int]) -> bool:
    """Whether a term is greater, by the three clauses of the definition."""
    if left.head < 0:
        return left in order and right in order and order[left] > order[right]
    if any(part is right or defined(part, right, order) for part in left.arguments):
        return True
    if right.head < 0 or not all(defined(left, part, order) for part in right.arguments):
        return False
    if left.head != right.head:
        return RANKS[left.head] > RANKS[right.head]
    differing = [(a, b) for a, b in zip(left.arguments, right.arguments, strict=True) if a is not b]
    return bool(differing) and defined(*differing[0], order)


@pytest.mark.parametrize("ordered", [0, 2, 3])
def test_it_is_the_ordering_of_its_definition(ordered: int) -> None:
    bank, chance = Bank((0, 0, 0, 0)), Random(3)
    order = {bank.variable(number, 0): 3 - number for number in range(ordered)}
    terms = list(dict.fromkeys(random_term(bank, chance, 4) for _ in range(400)))
    ordering = Ordering(RANKS, order)
    answers = []
    for one, other in product(terms, repeat=2):
        answers.append(ordering.greater(one, other))
        assert answers[-1] == defined(one, other, order)
    assert min(answers.count(True), answers.count(False)) > 500


def test_no_step_leads_to_a_term_that_is_too_wide() -> None:
    bank = Bank((0, 0, 0, 0))
    x = bank.variable(0, 0)
    a, b = bank.apply(A, ()), bank.apply(B, ())
    index = Index()
    index.insert(Direction(bank, 7, (bank.apply(F, (x,)), bank.apply(M, (x, x))), True, {}))
    term = bank.apply(F, (bank.apply(M, (a, b)),))
    for widest, expected in ((7, term.arguments * 2), (6, None)):
        rewriter = Rewriter(bank, index, Ordering(RANKS), lambda steps: None, widest)
        normal, trace = rewriter.normal(term)
        assert (normal.arguments if trace is not None else None) == expected
        assert rewriter.cut == (expected is None)
