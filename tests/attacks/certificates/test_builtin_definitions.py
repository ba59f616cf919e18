"""Built-ins of lists and intervals by what the checker says they compute: claims that one wrong base case would show.

Every false claim here is true of a definition that is wrong in one place, and has the induction that would show it then.
A leaf stays open, and the attack says which; and a certificate of the claim is refused there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kleis.prover.checker.format import Ask, Case, Induction, Step
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.ask import ask as settle
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.process.broker import Broker
from tests.attacks.certificates.test_forged_files import forged, refused
from tests.attacks.certificates.test_inductions import H1, ask, on, sequent_of
from tests.support.provers.leaves import leaves, operations

OPERATIONS = operations()
LIST = (("Nil", ask()), ("Cons", ask(H1)))


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def open_leaves(sequent: Sequent, proof: Induction) -> list[int]:
    """The leaves, by number, that the checker's own translation leaves open."""
    found = []
    for place, (leaf, step) in enumerate(leaves(sequent, proof)):
        try:
            settle(leaf, step, Vocabulary(leaf.goal, OPERATIONS, leaf.constants), ("z3",), 200_000)
        except RejectedError:
            found.append(place)
    return found


def over_list(variable: str) -> Induction:
    return on(variable, *LIST)


def over_natural(variable: str) -> Induction:
    return on(variable, ("0", ask()), ("step", ask(H1)), by=1)


FALSE: dict[str, tuple[str, Induction, list[int]]] = {
    "a slice that does not end with the list": (
        "∀(l : List(ℤ), n : ℕ). length(list_slice(l, 0, n)) = n",
        over_list("l"),
        [0],
    ),
    "a slice that goes on behind its end": (
        "∀(l : List(ℤ), n : ℤ). list_slice(l, 0, n) = l",
        over_list("l"),
        [1],
    ),
    "a slice with its end": (
        "∀(l : List(ℤ)). length(l) ≥ 1 → length(list_slice(l, 0, 0)) = 1",
        over_list("l"),
        [1],
    ),
    "a start below zero, counted from the end": (
        "∀(l : List(ℤ)). length(l) ≥ 2 → length(list_slice(l, 0 - 1)) = 1",
        over_list("l"),
        [1],
    ),
    "a slice that leaves one too many out": (
        "∀(l : List(ℤ)). length(l) ≥ 1 → length(list_slice(l, 1)) + 2 = length(l)",
        over_list("l"),
        [1],
    ),
    "pairs of the longer list": (
        "∀(k l : List(ℤ)). length(zip(k, l)) = max(length(k), length(l))",
        over_list("k"),
        [0],
    ),
    "as many pairs as the first has": (
        "∀(k l : List(ℤ)). length(zip(k, l)) = length(k)",
        over_list("k"),
        [1],
    ),
    "pairs turned round": (
        "∀(k l : List(ℤ)). zip(k, l) = zip(l, k)",
        over_list("k"),
        [1],
    ),
    "lists joined in the other order": (
        "∀(k l : List(List(ℤ))). list_flatten(append(k, l)) = append(list_flatten(l), list_flatten(k))",
        over_list("k"),
        [0, 1],
    ),
    "an empty list that leaves something": (
        "∀(l : List(List(ℤ))). length(list_flatten(l)) = length(l)",
        over_list("l"),
        [1],
    ),
    "what a function gives, once": (
        "∀(l : List(ℤ)). length(flatmap(λ (x : ℤ) . [x, x], l)) = length(l)",
        over_list("l"),
        [1],
    ),
    "one copy too many": ("∀(n : ℕ). length(replicate(n, 7)) = n + 1", over_natural("n"), [0]),
    "copies of a number below zero": (
        "∀(n : ℤ). length(replicate(n, 7)) ≥ 0",
        on("n", ("low", ask()), ("step", ask("hypothesis 1", "hypothesis 2")), start=0, by=1),
        [0],
    ),
    "an empty product that is zero": ("∀(n : ℕ). Π(1, n, λ (i : ℤ). i) = 0", over_natural("n"), [0]),
    "a product without its last": ("∀(n : ℕ). Π(0, n, λ (i : ℤ). i + 1) = n!", over_natural("n"), [1]),
    "an empty sum that is one": ("∀(n : ℕ). Σ(1, n, λ (i : ℤ). 0) = 1", over_natural("n"), [0]),
    "a sum without its last": (
        "∀(n : ℕ). 2 * Σ(1, n, λ (i : ℤ). i) = n * (n - 1)",
        over_natural("n"),
        [1],
    ),
    "a sum without its first": (
        "∀(n : ℕ). Σ(0, n, λ (i : ℤ). 1) = n",
        over_natural("n"),
        [0],
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_leaf_of_a_false_claim_stays_open(name: str) -> None:
    claim, proof, expected = FALSE[name]
    assert open_leaves(sequent_of(claim), proof) == expected


TRUE: dict[str, tuple[str, Any]] = {
    "a slice and the rest": (
        "∀(l : List(ℤ), n : ℤ). append(list_slice(l, 0, max(0, n)), list_slice(l, max(0, n))) = l",
        over_list("l"),
    ),
    "a slice of a slice": (
        "∀(l : List(ℤ), m n : ℕ). list_slice(list_slice(l, m), n) = list_slice(l, m + n)",
        over_list("l"),
    ),
    "pairs": ("∀(k l : List(ℤ)). length(zip(k, l)) = min(length(k), length(l))", over_list("k")),
    "what a function gives": (
        "∀(l : List(ℤ)). length(flatmap(λ (x : ℤ) . [x, x], l)) = 2 * length(l)",
        over_list("l"),
    ),
    "copies": ("∀(n : ℕ). length(replicate(n, 7)) = n", over_natural("n")),
    "a product": ("∀(n : ℕ). Π(1, n, λ (i : ℤ). i) = n!", over_natural("n")),
    "a sum": ("∀(n : ℕ). 2 * Σ(1, n, λ (i : ℤ). i) = n * (n + 1)", over_natural("n")),
}


@pytest.mark.parametrize("name", TRUE)
def test_the_same_inductions_show_what_is_true(name: str) -> None:
    claim, proof = TRUE[name]
    assert open_leaves(sequent_of(claim), proof) == []


COPIES = """
define copies(n : ℕ, x : ℤ) : List(ℤ) = if n = 0 then {base} else Cons(x, copies(n - 1, x))
"""
EACH_IS_COUNTED = "∀(n : ℕ). length(copies(n, 7)) = n"
BY_ZERO = Induction("n", (Case("0", Ask()), Case("step", Ask((H1,)))), by=1)


def test_a_definition_with_another_base_case_is_refused(broker: Broker) -> None:
    changed = forged(EACH_IS_COUNTED, Step(BY_ZERO), theory=COPIES.format(base="[x]"))
    refused(broker, changed, "claim, 0")


def test_a_built_in_redefined_is_not_unfolded_as_the_built_in(broker: Broker) -> None:
    """A file's own `replicate` has its own equations: those of the built-in would show the claim."""
    theory = (
        "define replicate(n : ℕ, x : ℤ) : List(ℤ) = if n = 0 then [x] else Cons(x, replicate(n - 1, x))\n"
    )
    refused(broker, forged("∀(n : ℕ). length(replicate(n, 7)) = n", Step(BY_ZERO), theory=theory), "claim, 0")


def test_a_slice_that_never_ends_is_refused(broker: Broker) -> None:
    theory = "define slice(l : List(ℤ), n : ℤ) : List(ℤ) = Cons(n, slice(list_slice(l, 0), n + 1))\n"
    refused(
        broker, forged("length(slice([], 0)) = length(slice([], 0)) + 1", Step(Ask()), theory=theory), "claim"
    )
