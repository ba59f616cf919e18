"""Attacks on the rule `rewriting` and on rewrite systems: nothing false is shown, whatever the data says."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.core import BOOL, Symbol, SymbolCall, Term
from kleis.core.goal import Goal
from kleis.prover.checker.format import Link, Refutation, Rewrite, RewriteSystem, Rewriting
from kleis.prover.checker.rules.convergence import convergent, convergent_evidence
from kleis.prover.checker.rules.rewriting import rewriting
from kleis.prover.checker.rules.unit_equations import Problem
from kleis.prover.checker.sequent import FALSITY, CheckError, NotExpressible, RejectedError, Sequent
from kleis.prover.engines.completion.certified import rewrite_system, rewriting_proof, sequent_of
from kleis.prover.engines.completion.engine import Completion
from tests.support.provers.changed_data import changed
from tests.support.provers.worlds import World, value
from tests.support.theories.algebra import (
    LEFT_GROUP,
    MONOID,
    G,
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
    le,
    m,
    ne,
    some,
    task,
)

# ── A group of three elements, in which these claims are false ───────────────────────────────────────────────

AXIOMS = {**LEFT_GROUP, "order": every(lambda x, y: eq(le(x, y), eq(m(x, x), m(y, y)))), "known": le(e, e)}

TRUE_CLAIMS = [
    every(lambda x: eq(m(x, e), x)),
    every(lambda x: eq(m(x, i(x)), e)),
    every(lambda x, y: eq(eq(m(x, y), e), eq(m(y, x), e))),
    every(lambda x, y, z: either(ne(m(x, y), m(x, z)), eq(y, z))),
    every(lambda x: le(x, x)),
    some(lambda x: every(lambda y: eq(m(x, y), y))),
]

FALSE_CLAIMS = [
    every(lambda x: eq(m(x, x), e)),
    every(lambda x: eq(i(x), x)),
    every(lambda x: eq(x, e)),
    every(lambda x, y: eq(m(x, y), x)),
    every(lambda x, y: le(x, y)),
    every(lambda x: both(eq(m(x, e), x), eq(m(x, x), e))),
    every(lambda x, y: either(eq(x, e), eq(x, y))),
    some(lambda x: every(lambda y: eq(m(x, y), x))),
    every(lambda x, y: eq(eq(m(x, y), e), eq(x, y))),
    FALSITY,
]


def three_elements() -> World:
    world = World(3, Random(0))
    world.set(e.symbol, (), 0)
    for x in range(3):
        world.set(i.symbol, (x,), -x % 3)
        for y in range(3):
            world.set(m.symbol, (x, y), (x + y) % 3)
            world.set(le.symbol, (x, y), x == y)
    return world


def test_the_claims_are_true_and_false() -> None:
    world = three_elements()
    assert all(value(world, each, {}) for each in (*AXIOMS.values(), *TRUE_CLAIMS))
    assert not any(value(world, each, {}) for each in FALSE_CLAIMS)


@lru_cache(maxsize=1)
def proofs() -> list[Any]:
    """True proofs, as JSON values."""
    found = []
    for claim in TRUE_CLAIMS:
        asked = task(AXIOMS, claim)
        answer = Completion().run(asked, 60_000)
        assert answer.outcome == "proved"
        step = rewriting_proof(asked, answer)
        rewriting(sequent_of(asked), step)
        found.append(msgspec.to_builtins(step))
    return found


def read(data: Any, kind: Any) -> Any:
    """The data as the file's reader gives it; None where it refuses."""
    try:
        return msgspec.json.decode(msgspec.json.encode(data), type=kind)
    except msgspec.ValidationError:
        return None


def refused(sequent: Sequent, data: Any) -> bool:
    step = read(data, Rewriting)
    if step is None:
        return True
    try:
        rewriting(sequent, step)
    except CheckError:
        return True
    return False


@pytest.mark.parametrize("number", range(len(FALSE_CLAIMS)))
def test_no_true_proof_shows_a_false_claim(number: int) -> None:
    sequent = sequent_of(task(AXIOMS, FALSE_CLAIMS[number]))
    for data in proofs():
        assert refused(sequent, data)
        for part in data["refutations"]:
            for count in range(5):
                assert refused(sequent, {**data, "refutations": [part] * count})


@given(
    st.integers(0, len(TRUE_CLAIMS) - 1),
    st.integers(0, len(FALSE_CLAIMS) - 1),
    st.integers(),
    st.integers(1, 4),
)
def test_no_changed_proof_shows_a_false_claim(true: int, false: int, seed: int, times: int) -> None:
    data = changed(proofs()[true], Random(seed), times)
    assert refused(sequent_of(task(AXIOMS, FALSE_CLAIMS[false])), data)


@given(
    st.integers(0, len(TRUE_CLAIMS) - 1),
    st.integers(0, len(TRUE_CLAIMS) - 1),
    st.integers(0, 9),
    st.integers(),
)
def test_no_spliced_proof_shows_a_false_claim(one: int, other: int, false: int, seed: int) -> None:
    random = Random(seed)
    first, second = (proofs()[each]["refutations"] for each in (one, other))
    links = [*random.choice(first)["links"], *random.choice(second)["links"]]
    random.shuffle(links)
    data = {**proofs()[one], "refutations": [{"links": links}]}
    data["given"] = list(AXIOMS)
    random.shuffle(data["given"])
    assert refused(sequent_of(task(AXIOMS, FALSE_CLAIMS[false])), data)


@given(st.integers(0, len(TRUE_CLAIMS) - 1), st.integers(), st.integers(1, 3))
def test_a_changed_proof_ends_with_a_refusal_or_is_one(true: int, seed: int, times: int) -> None:
    """Nothing but a refusal leaves the check, and what it accepts of a true claim rests on axioms that exist."""
    step = read(changed(proofs()[true], Random(seed), times), Rewriting)
    if step is None:
        return
    try:
        rested = rewriting(sequent_of(task(AXIOMS, TRUE_CLAIMS[true])), step)
    except CheckError:
        return
    assert set(rested.premises) <= set(step.given) <= set(AXIOMS)
    assert rested.claim, "the axioms have a model"


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("word", ["?x", "?x2", "?x :  → G", "c", "x", "?x :  → G :  → G"])
def test_the_value_of_a_variable_is_no_constant_of_the_goal(word: str) -> None:
    """``?x = a`` and a claim ``∀x. x = a``, which a name of the negated claim could meet."""
    named = SymbolCall(Symbol(word, (), G), ())
    axioms, claim = {"known": eq(named, a)}, every(lambda x: eq(x, a))
    sequent = sequent_of(task(axioms, claim))
    problem = Problem(sequent.with_premises(["known"]))
    for data in problem.signature.names:
        link = Link(["= G", [data], ["a"]], (Rewrite(2),), (Rewrite(1, (1,)), Rewrite(3)))
        step = Rewriting(("known",), (), (Refutation((link,)),))
        with pytest.raises(CheckError):
            rewriting(sequent, step)


@pytest.mark.parametrize("word", ["= G", "if G : G", "true", "false"])
def test_symbols_that_are_called_like_logic_mean_nothing_of_it(word: str) -> None:
    """A predicate of any name, true of all pairs, does not make two elements equal; nor does it make true false."""
    predicate = Operation(word, (G, G), BOOL)
    constant = Operation(word, (), BOOL)()
    axioms = {"all": every(lambda x, y: predicate(x, y)), "not": eq(constant, FALSITY)}
    sequent = sequent_of(task(axioms, eq(a, b)))
    problem = Problem(sequent.with_premises(axioms))
    for head in problem.signature.names:
        function = problem.signature[head]
        reflected = [Link([head, ["a"], ["b"]], (), (Rewrite(1),)), Link(reflects=5)]
        links = [*reflected, Link(["= G", ["a"], ["b"]], (Rewrite(3),), (Rewrite(6, (1,)), Rewrite(4)))]
        starts = [Link([head], (), (Rewrite(2),)), Link([head])] if not function.domain else []
        for each in (links, starts):
            with pytest.raises(CheckError):
                rewriting(sequent, Rewriting(tuple(axioms), (), (Refutation(tuple(each)),)))


def test_an_existing_element_is_not_one_for_all() -> None:
    """``∀x. ∃y. le(x, y)`` does not show ``∃y. ∀x. le(x, y)``."""
    axioms = {"some": every(lambda x: some(lambda y: le(x, y)))}
    sequent = sequent_of(task(axioms, some(lambda y: every(lambda x: le(x, y)))))
    problem = Problem(sequent.with_premises(axioms))
    (function,) = [each for each in problem.signature.names if each.startswith("?y")]
    assert problem.signature[function].domain == (G,)
    (above,) = [each for each in problem.signature.names if each.startswith("?x")]
    for start in (["le", [above, [function, "x"]], [function, [above, "x"]]], ["le", [above, "x"], "x"]):
        link = Link(start, (Rewrite(1),), (Rewrite(2),))
        with pytest.raises(RejectedError):
            rewriting(sequent, Rewriting(("some",), (("x", "G"),), (Refutation((link,)),)))


def test_an_element_of_one_sort_is_none_of_another() -> None:
    """All elements of H are one; those of G are not, whichever of them is put in between."""
    axioms = {"one": every(lambda x, y: eq(x, y), H, H)}
    sequent = sequent_of(task(axioms, eq(a, b)))
    for variables, between in (((), ["b"]), ((("x", "H"),), "x"), ((("x", "G"),), "x")):
        meeting = (Rewrite(1, (1,), (between,)), Rewrite(1, (2,), (between,)), Rewrite(3))
        link = Link(["= G", ["a"], ["b"]], (Rewrite(2),), meeting)
        with pytest.raises(RejectedError):
            rewriting(sequent, Rewriting(("one",), variables, (Refutation((link,)),)))
    alike = sequent_of(task({"one": every(lambda x, y: eq(x, y))}, eq(a, b)))
    step = Rewriting(("one",), (("x", "G"),), (Refutation((link,)),))
    assert rewriting(alike, step).claim, "the same steps prove it of G"


def test_a_lemma_is_used_by_its_own_name_alone() -> None:
    sequent = Sequent(task({}, eq(a, b)).goal, (("¬ claim", eq(b, a)), ("¬ claim 2", eq(a, a))), eq(a, b))
    link = Link(["= G", ["a"], ["b"]], (Rewrite(2),), (Rewrite(-1, (1,)), Rewrite(3)))
    right = Rewriting(("¬ claim",), (), (Refutation((link,)),))
    assert rewriting(sequent, right).premises == ("¬ claim",)
    with pytest.raises(RejectedError):
        rewriting(sequent, msgspec.structs.replace(right, given=("¬ claim 2",)))


# ── Rewrite systems ──────────────────────────────────────────────────────────────────────────────────────────

SYSTEMS: list[tuple[dict[str, Term], Term | None, list[Term]]] = [
    (
        MONOID,
        every(lambda x, y: eq(m(x, y), m(y, x))),
        [every(lambda x: eq(m(m(x, e), e), x)), eq(m(e, e), e)],
    ),
    (LEFT_GROUP, every(lambda x: eq(m(x, x), e)), TRUE_CLAIMS[:2]),
    (
        {"i": every(lambda x: eq(i(i(x)), x))},
        every(lambda x: eq(i(x), x)),
        [every(lambda x: eq(i(i(i(x))), i(x)))],
    ),
    (
        {"up": every(lambda x: le(x, i(x)))},
        every(lambda x: le(i(x), x)),
        [every(lambda x: le(i(x), i(i(x))))],
    ),
    (MONOID, None, []),
]
"""Axioms, a claim that a rewrite system refutes, and claims that follow."""


@lru_cache(maxsize=1)
def systems() -> list[Any]:
    """True witnesses, as JSON values."""
    found = []
    for axioms, claim, _ in SYSTEMS:
        asked = task(axioms, claim)
        answer = Completion().run(asked, 60_000)
        assert answer.outcome in ("refuted", "model")
        system = rewrite_system(asked, answer.witness)
        convergent(sequent_of(asked), system)
        assert convergent_evidence(system).rules
        found.append(msgspec.to_builtins(system))
    return found


def without_effect(sequent: Sequent, data: Any) -> bool:
    system = read(data, RewriteSystem)
    if system is None:
        return True
    try:
        convergent(sequent, system)
    except CheckError:
        return True
    return False


@given(st.integers(0, len(SYSTEMS) - 2), st.integers(), st.integers(0, 4))
def test_no_changed_system_refutes_what_follows(number: int, seed: int, times: int) -> None:
    axioms, _, following = SYSTEMS[number]
    data = changed(systems()[number], Random(seed), times)
    for claim in following:
        assert without_effect(sequent_of(task(axioms, claim)), data)
        for place in range(3):
            assert without_effect(sequent_of(task(axioms, claim)), {**data, "way": place, "normal_forms": []})


@given(st.integers(0, len(SYSTEMS) - 1), st.integers(), st.integers(0, 4))
def test_no_changed_system_is_a_model_of_axioms_that_clash(number: int, seed: int, times: int) -> None:
    axioms, _, _ = SYSTEMS[number]
    function = {"i": i(a), "up": i(a)}.get(next(iter(axioms)), m(a, b))
    clash = task({**axioms, "clash": ne(function, function)}, None)
    data = changed(systems()[number], Random(seed), times)
    assert without_effect(sequent_of(clash), data)
    denied = task({**axioms, "clash": FALSITY}, None)
    assert without_effect(sequent_of(denied), data)


@given(st.integers(0, len(SYSTEMS) - 1), st.integers(), st.integers(1, 3))
def test_an_equation_left_out_or_changed_is_noticed_or_harmless(number: int, seed: int, times: int) -> None:
    """A changed witness of a false claim ends with a refusal, or is a witness of it; nothing else leaves the check."""
    axioms, claim, _ = SYSTEMS[number]
    assert isinstance(
        without_effect(sequent_of(task(axioms, claim)), changed(systems()[number], Random(seed), times)), bool
    )
    assert not without_effect(sequent_of(task(axioms, claim)), systems()[number])


def test_a_system_shows_nothing_where_equations_say_less_than_the_axioms() -> None:
    weak = {**MONOID, "either": every(lambda x: either(eq(x, a), eq(x, b)))}
    asked = sequent_of(task(weak, eq(a, b)))
    with pytest.raises(NotExpressible, match="says as much"):
        convergent(asked, RewriteSystem((), (), ()))


def test_an_axiom_outside_the_fragment_is_not_forgotten() -> None:
    asked = task({**MONOID}, SYSTEMS[0][1])
    numbers = eq(Operation("n", (H,), BOOL)(Operation("h", (), H)()), Operation("t", (G,), BOOL)(a))
    foreign = Sequent(
        asked.goal, (*sequent_of(asked).premises, ("more", numbers)), asked.goal.claim or FALSITY
    )
    with pytest.raises(CheckError):
        convergent(foreign, read(systems()[0], RewriteSystem))


def test_the_empty_theory_has_a_model_that_is_checked() -> None:
    goal = Goal(claim=None, carriers=(G,), symbols=(a.symbol, b.symbol))
    system = RewriteSystem(("false", "true"), (), ())
    convergent(Sequent(goal, (), FALSITY), system)
    with pytest.raises(RejectedError):
        convergent(Sequent(goal, (("clash", FALSITY),), FALSITY), system)
    with pytest.raises(RejectedError, match="precedence"):
        convergent(Sequent(goal, (("p", eq(a, b)),), FALSITY), system)
