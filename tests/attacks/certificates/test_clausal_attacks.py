"""Attacks on the rule ``clauses``: nothing false is shown, whatever the data says."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.core import BOOL, Symbol, SymbolCall
from kleis.prover.checker.format import Clausal, Cut, Derivation, Inference, Replacement
from kleis.prover.checker.rules.clausal import clausal
from kleis.prover.checker.rules.clause_forms import ClausalProblem
from kleis.prover.checker.sequent import FALSITY, CheckError, RejectedError, Sequent
from kleis.prover.engines.completion.certified import sequent_of
from kleis.prover.engines.superposition.certified import clausal_proof
from kleis.prover.engines.superposition.engine import Superposition
from tests.attacks.certificates.test_rewriting_attacks import (
    AXIOMS,
    FALSE_CLAIMS,
    TRUE_CLAIMS,
    read,
    three_elements,
)
from tests.support.provers.changed_data import changed
from tests.support.provers.worlds import value
from tests.support.theories.algebra import H, Operation, a, b, eq, every, le, some, task


@lru_cache(maxsize=1)
def proofs() -> list[Any]:
    """True proofs, as JSON values."""
    found = []
    for claim in TRUE_CLAIMS:
        asked = task(AXIOMS, claim)
        answer = Superposition().run(asked, 60_000)
        assert answer.outcome == "proved"
        step = clausal_proof(asked, answer)
        clausal(sequent_of(asked), step)
        found.append(msgspec.to_builtins(step))
    return found


@lru_cache(maxsize=1)
def false_sequents() -> list[Sequent]:
    """Sequents that fail in the group of three elements."""
    world = three_elements()
    assert all(value(world, each, {}) for each in AXIOMS.values())
    assert not any(value(world, each, {}) for each in FALSE_CLAIMS)
    return [sequent_of(task(AXIOMS, each)) for each in FALSE_CLAIMS]


def refused(sequent: Sequent, data: Any) -> bool:
    step = read(data, Clausal)
    if step is None:
        return True
    try:
        clausal(sequent, step)
    except CheckError:
        return True
    return False


@pytest.mark.parametrize("number", range(len(FALSE_CLAIMS)))
def test_no_true_proof_shows_a_false_claim(number: int) -> None:
    for data in proofs():
        assert refused(false_sequents()[number], data)
        for part in data["derivations"]:
            for count in range(5):
                assert refused(false_sequents()[number], {**data, "derivations": [part] * count})


@given(
    st.integers(0, len(TRUE_CLAIMS) - 1),
    st.integers(0, len(FALSE_CLAIMS) - 1),
    st.integers(),
    st.integers(1, 4),
)
def test_no_changed_proof_shows_a_false_claim(true: int, false: int, seed: int, times: int) -> None:
    data = changed(proofs()[true], Random(seed), times)
    assert refused(false_sequents()[false], data)


@given(
    st.integers(0, len(TRUE_CLAIMS) - 1),
    st.integers(0, len(TRUE_CLAIMS) - 1),
    st.integers(0, len(FALSE_CLAIMS) - 1),
    st.integers(),
)
def test_no_spliced_proof_shows_a_false_claim(one: int, other: int, false: int, seed: int) -> None:
    random = Random(seed)
    first, second = (proofs()[each]["derivations"] for each in (one, other))
    inferences = [*random.choice(first)["inferences"], *random.choice(second)["inferences"]]
    random.shuffle(inferences)
    data = {**proofs()[one], "derivations": [{"inferences": inferences}]}
    data["given"] = list(AXIOMS)
    random.shuffle(data["given"])
    assert refused(false_sequents()[false], data)


@given(st.integers(0, len(TRUE_CLAIMS) - 1), st.integers(), st.integers(1, 3))
def test_a_changed_proof_ends_with_a_refusal_or_is_one(true: int, seed: int, times: int) -> None:
    """Nothing but a refusal leaves the check, and what it accepts of a true claim rests on axioms that exist."""
    step = read(changed(proofs()[true], Random(seed), times), Clausal)
    if step is None:
        return
    try:
        rested = clausal(sequent_of(task(AXIOMS, TRUE_CLAIMS[true])), step)
    except CheckError:
        return
    assert set(rested.premises) <= set(step.given) <= set(AXIOMS)
    assert rested.claim, "the axioms have a model"


# ── Names, sorts and quantifiers ─────────────────────────────────────────────────────────────────────────────


def shows(sequent: Sequent, *inferences: Inference, variables: tuple[tuple[str, str], ...] = ()) -> None:
    given_ = tuple(name for name, _ in sequent.premises)
    clausal(sequent, Clausal(given_, variables, (Derivation(inferences),)))


@pytest.mark.parametrize("word", ["?x", "?x2", "?x :  → G", "c", "x"])
def test_the_value_of_a_variable_is_no_constant_of_the_goal(word: str) -> None:
    """``?x = a`` and a claim ``∀x. x = a``, which a name of the negated claim could meet."""
    named = SymbolCall(Symbol(word, (), a.sort), ())
    sequent = sequent_of(task({"known": eq(named, a)}, every(lambda x: eq(x, a))))
    with pytest.raises(RejectedError):
        shows(sequent, Inference(2, (), (Cut(1, 1, 1),)))
    with pytest.raises(RejectedError):
        shows(sequent, Inference(2, (), (Replacement(1, 1, (), 1, 1, 1),)))


def test_an_existing_element_is_not_one_for_all() -> None:
    """``∀x. ∃y. le(x, y)`` does not show ``∃y. ∀x. le(x, y)``."""
    sequent = sequent_of(
        task({"some": every(lambda x: some(lambda y: le(x, y)))}, some(lambda y: every(lambda x: le(x, y))))
    )
    names = ClausalProblem(sequent).signature.names
    (function,) = [each for each in names if each.startswith("?y")]
    (above,) = [each for each in names if each.startswith("?x")]
    for one, other in (("x", [function, "x"]), ([above, "x"], [function, [above, "x"]]), ("x", "x")):
        with pytest.raises(RejectedError):
            shows(sequent, Inference(2, (other,), (Cut(1, 1, 1, (one,)),)), variables=(("x", "G"),))


def test_an_element_of_one_sort_is_none_of_another() -> None:
    """All elements of H are one; those of G are not."""
    sequent = sequent_of(task({"one": every(lambda x, y: eq(x, y), H, H)}, eq(a, b)))
    for values in ((["a"], ["b"]), (["a"], ["a"]), ("x", "x")):
        for variables in ((), (("x", "G"),), (("x", "H"),)):
            with pytest.raises(RejectedError):
                shows(sequent, Inference(2, (), (Cut(1, 1, 1, values),)), variables=variables)


@pytest.mark.parametrize("word", ["= G", "true", "false"])
def test_a_predicate_that_is_called_like_logic_means_nothing_of_it(word: str) -> None:
    constant = Operation(word, (), BOOL)()
    sequent = sequent_of(task({"not": eq(constant, FALSITY)}, eq(a, b)))
    for move in (Cut(1, 1, 1), Replacement(1, 1, (), 1, 1, 1)):
        for number in (1, 2):
            with pytest.raises(CheckError):
                shows(sequent, Inference(number, (), (move,)))
    with pytest.raises(CheckError):
        shows(sequent, Inference(1))
