"""Copies of finite models are recognised, against all renamings."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest

from kleis.core import BOOL, Carrier
from kleis.prover.engines.first_order_terms import Function
from kleis.prover.model_search.isomorphism import Cells, Classes

G, H = Carrier("G"), Carrier("H")
C, F, M = Function("c", (), G), Function("f", (G,), G), Function("m", (G, G), G)
P, ACT = Function("p", (G,), BOOL), Function("act", (G, H), H)
FUNCTIONS = (C, F, M, P, ACT)
SIZES = {G: 3, H: 2}


def renamed(functions: tuple[Function, ...], cells: Cells, images: dict[Carrier, tuple[int, ...]]) -> Cells:
    """The model after a renaming of its elements."""
    found = []
    for function, values in zip(functions, cells, strict=True):
        points = list(product(*(range(SIZES[sort]) for sort in function.domain)))
        moved = {}
        for point, value in zip(points, values, strict=True):
            image = tuple(images[sort][each] for sort, each in zip(function.domain, point, strict=True))
            moved[image] = value if function.codomain == BOOL else images[function.codomain][value]
        found.append(tuple(moved[point] for point in points))
    return tuple(found)


def random_model(functions: tuple[Function, ...], chance: Random, values: int) -> Cells:
    """A model with few different values, so that copies are frequent."""
    found = []
    for function in functions:
        count = len(list(product(*(range(SIZES[sort]) for sort in function.domain))))
        most = 2 if function.codomain == BOOL else min(values, SIZES[function.codomain])
        found.append(tuple(chance.randrange(most) for _ in range(count)))
    return tuple(found)


def are_copies(functions: tuple[Function, ...], one: Cells, other: Cells) -> bool:
    return any(
        renamed(functions, one, {G: g, H: h}) == other
        for g, h in product(permutations(range(3)), permutations(range(2)))
    )


@pytest.mark.parametrize("functions", [(F,), (P, F), (M,), (C, F, P), (ACT, F), FUNCTIONS])
def test_brute_force_agrees(functions: tuple[Function, ...]) -> None:
    chance = Random(11)
    met = set()
    for _ in range(300):
        one = random_model(functions, chance, 2)
        images = {G: tuple(chance.sample(range(3), 3)), H: tuple(chance.sample(range(2), 2))}
        other = (
            renamed(functions, one, images) if chance.random() < 0.5 else random_model(functions, chance, 2)
        )
        classes = Classes(functions, SIZES)
        assert classes.add(one)
        new = classes.add(other)
        met.add(new)
        assert new is not are_copies(functions, one, other)
    assert met == {True, False}


def test_every_class_is_known_once() -> None:
    classes = Classes((F,), SIZES)
    assert sum(classes.add((values,)) for values in product(range(3), repeat=3)) == 7
