"""Tables up to isomorphism: numbers of classes that are known from the literature, and what breaks symmetry wrongly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.prover.model_search.search import find_models
from kleis.prover.model_search.wanted import ISOMORPHISM, Models, Wanted
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from tests.support.theories.small_theories import theory_of

PROGRAM = """
structure Magma(M) { operation (•) : M × M → M  axiom total : ∀(x y : M). ∃(z : M). x • y = z }
structure Semi(S) { operation (•) : S × S → S  axiom assoc : ∀(x y z : S). (x • y) • z = x • (y • z) }
structure Mono(S) {
  operation (•) : S × S → S
  element e : S
  axiom assoc : ∀(x y z : S). (x • y) • z = x • (y • z)
  axiom unit : ∀(x : S). e • x = x ∧ x • e = x
}
structure Unital(S) {
  operation (•) : S × S → S
  axiom assoc : ∀(x y z : S). (x • y) • z = x • (y • z)
  axiom unit : ∃(u : S). ∀(x : S). u • x = x ∧ x • u = x
}
structure Grp(G) {
  operation (•) : G × G → G
  element e : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom unit : ∀(x : G). e • x = x
  axiom inverse : ∀(x : G). inv(x) • x = e
}
structure Order(P) {
  operation below : P × P → Bool
  axiom reflexive : ∀(x : P). below(x, x)
  axiom transitive : ∀(x y z : P). below(x, y) ∧ below(y, z) → below(x, z)
  axiom antisymmetric : ∀(x y : P). below(x, y) ∧ below(y, x) → x = y
}
structure Graph(V) {
  operation edge : V × V → Bool
  axiom symmetric : ∀(x y : V). edge(x, y) → edge(y, x)
  axiom irreflexive : ∀(x : V). ¬edge(x, x)
}
structure Dynamics(X) { operation step : X → X  axiom moves : ∀(x : X). step(x) = step(x) }
structure Points(X) { element a : X  element b : X  element c : X  axiom some : a = a ∧ b = b ∧ c = c }
structure Relation(A, B) { operation holds : A × B → Bool  axiom any : ∀(x : A)(y : B). holds(x, y) ∨ ¬holds(x, y) }
structure Switch(X) { operation pick : Bool × X → X  axiom off : ∀(x : X). pick(False, x) = x }
structure Clash(X) { element a : X  axiom wrong : a ≠ a }
"""


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Broker() as broker:
        yield Prover(theory_of(PROGRAM), broker=broker, guards=10)


def found(prover: Prover, about: str, size: int, *where: str) -> Models:
    return find_models(prover, Wanted(about=about, size=size, count=500, where=where))


@pytest.mark.parametrize(
    ("structure", "counts"),
    [
        ("Semi", (1, 5, 24)),
        ("Mono", (1, 2, 7)),
        ("Unital", (1, 2, 7)),
        ("Order", (1, 2, 5, 16)),
        ("Graph", (1, 2, 4, 11)),
        ("Dynamics", (1, 3, 7, 19)),
        ("Points", (1, 4, 5, 5)),
        ("Magma", (1, 10)),
        ("Relation", (2, 7)),
        ("Switch", (1, 3, 7)),
        ("Clash", (0, 0)),
        ("Grp", (1, 1, 1, 2, 1, 2, 1)),
    ],
)
def test_the_number_of_classes_is_the_known_one(
    prover: Prover, structure: str, counts: tuple[int, ...]
) -> None:
    for size, count in enumerate(counts, 1):
        models = found(prover, structure, size)
        assert (size, len(models.models), models.complete) == (size, count, True)
        assert models.status == ("found" if count else "none")
        assert models.apart == (ISOMORPHISM,)


def test_groups_of_order_eight(prover: Prover) -> None:
    every = found(prover, "Grp", 8)
    assert (len(every.models), every.complete) == (5, True)
    other = found(prover, "Grp", 8, "∃(x y : G). x • y ≠ y • x")
    assert (len(other.models), other.complete) == (2, True)


def test_free_names_of_conditions_are_part_of_a_model(prover: Prover) -> None:
    """An element of the cyclic group of four is the unit, the square, or a generator."""
    models = found(prover, "Grp", 4, "p • p = p • p", "∃(x : G). x • x ≠ e")
    assert (len(models.models), models.complete) == (3, True)
    assert all(each.bindings[0].name == "p" for each in models.models)


def test_the_smallest_and_the_next(prover: Prover) -> None:
    where = ("∃(x y : G). x • y ≠ y • x",)
    first = find_models(prover, Wanted(about="Grp", where=where))
    assert [len(elements) for _, elements in first.models[0].carriers] == [6]
    assert not first.complete
    second = find_models(prover, Wanted(about="Grp", size=4, skip=1))
    third = find_models(prover, Wanted(about="Grp", size=4, skip=2))
    assert (second.status, third.status, third.complete) == ("found", "none", True)
    assert second.models[0] not in find_models(prover, Wanted(about="Grp", size=4)).models


def test_all_of_no_size_is_refused(prover: Prover) -> None:
    assert find_models(prover, Wanted(about="Grp", count=10)).status == "error"


def test_many_elements_with_many_renamings(prover: Prover) -> None:
    models = find_models(prover, Wanted(about="Graph", size=11, count=30))
    assert (models.status, len(models.models), models.complete) == ("found", 30, False)


def test_a_part_of_them_is_not_called_all(prover: Prover) -> None:
    models = find_models(prover, Wanted(about="Semi", size=3, count=10))
    assert (len(models.models), models.complete) == (10, False)
