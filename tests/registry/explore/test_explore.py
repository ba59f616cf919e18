"""`explore`: every decision is right, whatever the generator proposes and whenever it is stopped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from kleis.explore.equations import Equation, canonical, read_equation
from kleis.prover.process.broker import Broker
from kleis.prover.verdict_cache import VerdictCache
from kleis.syntax.parser.parser import parse_expression
from registry.errors import RegistryError
from registry.explore.asked import GENERATOR, Asked
from registry.explore.explore_request import explored
from registry.oracles.theory_oracle import TheorySnapshot
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.provers.brokers import Hanging, Killing
from tests.support.theories.free_groups import holds_in_groups
from tests.support.theories.small_theories import prelude, theory_of

OPERATIONS = {"•": 2, "inv": 1, "e": 0}


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> VerdictCache:
    return VerdictCache(tmp_path_factory.mktemp("verdicts") / "kept")


@pytest.fixture(scope="module")
def snapshot(broker: Broker, cache: VerdictCache) -> TheorySnapshot:
    return TheorySnapshot(prelude(), name="prelude", broker=broker, cache=cache)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    store = SqliteStore(tmp_path)
    yield Workspace(store)
    store.close()


def laws(answer: dict[str, Any], *statuses: str) -> set[str]:
    return {row["law"] for row in answer["laws"] if row["status"] in statuses}


def all_equations(size: int) -> set[Equation]:
    """Every equation between terms of at most `size` symbols over three variables, by brute force."""
    sized: dict[int, list[Any]] = {1: [0, 1, 2, ("e",)]}
    for n in range(2, size + 1):
        sized[n] = [("inv", part) for part in sized[n - 1]]
        sized[n] += [("•", a, b) for i in range(1, n - 1) for a in sized[i] for b in sized[n - 1 - i]]
    terms = [term for each in sized.values() for term in each]
    return {canonical(a, b) for a, b in combinations(terms, 2)}


def test_all_small_equations_of_groups_are_decided_rightly(
    snapshot: TheorySnapshot, workspace: Workspace
) -> None:
    found = explored(snapshot, workspace.tools(), Asked(structure="Group", size=4, limit=100_000))
    assert found["complete"]
    assert found["undecided"] == []
    true = [row["law"] for row in (*found["laws"], *found["follows"])]
    false = [row["law"] for row in found["refuted"]]
    expected_ones = all_equations(4)
    assert len(true) + len(false) == found["candidates"] == len(expected_ones)
    assert {read_equation(parse_expression(text), OPERATIONS) for text in (*true, *false)} == expected_ones
    for expected, texts in ((True, true), (False, false)):
        for text in texts:
            equation = read_equation(parse_expression(text), OPERATIONS)
            assert equation is not None
            assert holds_in_groups(equation) is expected, text


def test_the_same_again_is_the_same_answer(
    snapshot: TheorySnapshot, workspace: Workspace, broker: Broker
) -> None:
    asked = Asked(structure="Group", size=3)
    first = explored(snapshot, workspace.tools(), asked)
    fresh = TheorySnapshot(prelude(), name="prelude", broker=broker)
    assert explored(fresh, workspace.tools(), asked) == first


def test_each_refutation_can_be_computed_from_its_model(
    snapshot: TheorySnapshot, workspace: Workspace
) -> None:
    found = explored(snapshot, workspace.tools(), Asked(structure="Group", size=3, limit=1_000))
    models = {model["model"]: model for model in found["models"]}
    assert found["refuted"]
    for row in found["refuted"]:
        tables = models[row["model"]]["tables"]
        values = {name: {tuple(line[:-1]): line[-1] for line in lines} for name, lines in tables.items()}

        def value(term: Any, at: dict[str, str] = row["at"], known: Any = values) -> str:
            if isinstance(term, int):
                return at["xyz"[term]]
            return str(known[term[0]][tuple(value(part, at, known) for part in term[1:])])

        equation = read_equation(parse_expression(row["law"]), OPERATIONS)
        assert equation is not None
        sides = {value(equation.left), value(equation.right)}
        assert sides == {row["at"]["left"], row["at"]["right"]}
        assert len(sides) == 2


def test_a_generator_of_the_agents_own(snapshot: TheorySnapshot, workspace: Workspace) -> None:
    commute = {
        "eq": [
            {"app": [{"var": "•"}, {"var": "a"}, {"var": "b"}]},
            {"app": [{"var": "•"}, {"var": "b"}, {"var": "a"}]},
        ]
    }
    candidates = [{"quote": commute}, "inv(x • y) = inv(y) • inv(x)", "x • y = x • z → y = z", "∃(x : G). x • x = x",
                  "this is nothing", {"quote": {"self": True}}, "x = x"]  # fmt: skip
    workspace.evolve(Evolve("mine", "candidates of mine", {"lam": "input", "body": candidates}))
    found = explored(snapshot, workspace.tools(), Asked(structure="Group", generator="mine"))
    assert laws(found, "proved") == {
        "∀(x y : G). inv(x) • inv(y) = inv(y • x)",
        "∀(x y z : G). x • y = x • z ⟹ y = z",
        "∃(x : G). x • x = x",
    }
    assert [row["law"] for row in found["refuted"]] == ["∀(x y : G). x • y = y • x"]
    assert found["problems"]["count"] == 2
    assert found["complete"]


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        (Asked(structure="Grup"), "structure"),
        (Asked(structure="Group", carrier="H"), "carrier"),
        (Asked(structure="Group", generator="nobody"), "generator"),
        (Asked(structure="Group", generator="std.reverse"), "generator"),
        (Asked(structure="Group", size=9), "generator"),
    ],
)
def test_what_cannot_be_explored_is_refused_with_a_hint(
    snapshot: TheorySnapshot, workspace: Workspace, asked: Asked, place: str
) -> None:
    with pytest.raises(RegistryError) as refusal:
        explored(snapshot, workspace.tools(), asked)
    assert (refusal.value.place, bool(refusal.value.hint)) == (place, True)


HOSTILE: tuple[tuple[str, Any], ...] = (
    ("too_many", {"fold": [{"lam": "p", "body": {"cons": ["x = e", {"fst": {"var": "p"}}]}}, {"nil": True}, {"range": [0, 50_001]}]}),
    ("no_list", {"record": {"law": "x = e"}}),
    ("for_ever", {"app": [{"self": True}, {"var": "input"}]}),
    ("asks_again", {"continue": {"input": {"var": "input"}}}),
    ("functions", [{"lam": "x", "body": {"var": "x"}}]),
    ("broken", ["(" * 1_000, "x = ", "\u0000", {"quote": {"kleis": "∀"}}]),
)  # fmt: skip


@pytest.mark.parametrize(("name", "body"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_generators_that_give_no_candidates(
    snapshot: TheorySnapshot, workspace: Workspace, name: str, body: Any
) -> None:
    assert workspace.evolve(Evolve(name, "hostile", {"lam": "input", "body": body}))["type"] == "tool"
    with pytest.raises(RegistryError) as refusal:
        explored(snapshot, workspace.tools(), Asked(structure="Group", generator=name))
    assert (refusal.value.place, refusal.value.tool) == ("generator", name)


def test_a_structure_without_parameters_is_refused(broker: Broker, workspace: Workspace) -> None:
    section = TheorySnapshot(
        theory_of("structure Facts { element c : ℤ\n axiom big : c > 3 }"), broker=broker
    )
    with pytest.raises(RegistryError) as refusal:
        explored(section, workspace.tools(), Asked(structure="Facts"))
    assert refusal.value.place == "carrier"


def test_stopped_after_one_decision_the_rest_is_left_and_it_says_how_to_go_on(
    snapshot: TheorySnapshot, workspace: Workspace
) -> None:
    asked = Asked(structure="Group", size=3)
    decided: list[str] = []
    found = explored(
        snapshot,
        workspace.tools(),
        asked,
        cancelled=lambda: bool(decided),
        progress=lambda *told: decided.append(told[2]),
    )
    assert len(decided) == 1
    assert not found["complete"]
    assert "again" in found["next"]
    assert found["counts"]["not reached"] > 0
    with pytest.raises(RegistryError) as refusal:
        explored(snapshot, workspace.tools(), asked, seconds=0.0)
    assert refusal.value.kind == "too_busy"  # and not that the generator is wrong


def test_a_hanging_prover_is_left_when_the_time_is_over(workspace: Workspace) -> None:
    hanging = Hanging()
    theory = TheorySnapshot(prelude(), broker=hanging)
    found = explored(
        theory, workspace.tools(), Asked(structure="Group", size=1), cancelled=hanging.began.is_set
    )
    assert not found["complete"]


def test_a_killed_engine_refutes_and_proves_nothing(broker: Broker, workspace: Workspace) -> None:
    theory = TheorySnapshot(prelude(), broker=Killing(broker))
    found = explored(theory, workspace.tools(), Asked(structure="Group", size=1))
    assert set(found["counts"]) == {"unknown"}
    assert {row["reason"] for row in found["undecided"]} == {"killed by a guard"}


def test_operations_that_leave_the_carrier_are_left_out(broker: Broker, workspace: Workspace) -> None:
    text = "structure Scaled(V) { operation scale : ℤ → V → V\n element o : V\n axiom still : ∀(n : ℤ). scale(n, o) = o }"
    theory = TheorySnapshot(theory_of(text), broker=broker)
    found = explored(theory, workspace.tools(), Asked(structure="Scaled", size=2))
    assert (found["operations"], found["left_out"]) == (["o"], ["scale"])


def generated(
    snapshot: TheorySnapshot, workspace: Workspace, *candidates: Any, structure: str = "Group"
) -> dict[str, Any]:
    """What becomes of candidates that a tool of the agent's own gives."""
    workspace.evolve(Evolve("guesses", "Guesses", {"lam": "i", "body": list(candidates)}))
    return explored(snapshot, workspace.tools(), Asked(structure=structure, generator="guesses"))


def test_operations_that_no_axiom_speaks_of_are_explored_too(broker: Broker, workspace: Workspace) -> None:
    text = "structure Single(A) { operation f : A → A\n axiom alone : ∀(x y : A). x = y }"
    found = explored(TheorySnapshot(theory_of(text), broker=broker), workspace.tools(),
                     Asked(structure="Single", size=2, variables=1))  # fmt: skip
    assert found["operations"] == ["f"]
    assert laws(found, "proved") == {"∀(x : A). f(x) = x"}


def test_what_a_generator_says_of_deep_terms_is_read(snapshot: TheorySnapshot, workspace: Workspace) -> None:
    term: Any = {"var": "x"}
    for _ in range(80):
        term = {"app": [{"var": "inv"}, term]}
    found = generated(snapshot, workspace, {"quote": {"eq": [term, {"var": "x"}]}})
    assert found["counts"] in ({"proved": 1}, {"follows": 1})


def test_a_name_is_free_where_nothing_around_it_binds_it(
    snapshot: TheorySnapshot, workspace: Workspace
) -> None:
    found = generated(
        snapshot, workspace, "(∀(x : G). x • x = e) → x • x = e", "(∃(x : G). x • x = e) → x = e"
    )
    assert laws(found, "proved") == {"∀(x : G). (∀(x : G). x • x = e) ⟹ x • x = e"}
    assert [row["law"] for row in found["refuted"]] == ["∀(x : G). (∃(x : G). x • x = e) ⟹ x = e"]


def test_what_is_no_proposition_is_counted_and_left_out(
    snapshot: TheorySnapshot, workspace: Workspace
) -> None:
    found = generated(
        snapshot, workspace, "x +", 7, "x • y", {"quote": {"eq": [{"var": "x"}, "a"]}}, "x • e = x"
    )
    assert (found["counts"], found["undecided"]) == ({"axiom": 1}, [])
    assert found["problems"]["count"] == 4


def test_a_generator_may_ask_the_theory(snapshot: TheorySnapshot, workspace: Workspace) -> None:
    asked = {"fold": [{"lam": "p", "body": {"cons": [{"get": [{"snd": {"var": "p"}}, "term"]}, {"fst": {"var": "p"}}]}},
                      {"nil": True}, {"axioms": {"get": [{"var": "i"}, "structure"]}}]}  # fmt: skip
    workspace.evolve(Evolve("known", "The axioms", {"lam": "i", "body": asked}))
    found = explored(snapshot, workspace.tools(), Asked(structure="Group", generator="known"))
    assert set(found["counts"]) == {"axiom"}


def test_axioms_that_contradict_one_another_are_named(broker: Broker, workspace: Workspace) -> None:
    text = "structure Torn(A) { element c : A\n axiom one : c = c → c ≠ c }"
    found = generated(TheorySnapshot(theory_of(text), broker=broker), workspace, "x = c", structure="Torn")
    assert found["undecided"][0]["reason"] == "the axioms contradict one another: Torn::one"


OPERATIONS_OF_ALL_KINDS = {
    "signs": "operation (+) : A → A → A  operation negate : A → A  element zero : A",
    "three arguments": "operation f : A → A → A → A  element c : A  operation away : A → ℤ",
    "the name of a variable": "operation g : A → A  element x : A",
    "another reading": "operation cons : A → A → A  operation (¬) : A → A",
    "no operation": "element n : ℤ",
}


@pytest.mark.parametrize("members", OPERATIONS_OF_ALL_KINDS.values(), ids=OPERATIONS_OF_ALL_KINDS)
def test_equations_made_as_terms_are_those_that_the_default_generator_lists(
    broker: Broker, workspace: Workspace, members: str
) -> None:
    theory = theory_of(f"structure Odd(A) {{ {members} }}")
    body = {"app": {"func": GENERATOR, "arg": {"var": "input"}}}
    assert workspace.evolve(Evolve("listed", "The same", {"lam": "input", "body": body}))["type"] == "tool"
    snapshot = TheorySnapshot(theory, broker=broker)
    found, expected = (
        explored(snapshot, workspace.tools(),
                 Asked(structure="Odd", size=4, variables=2, limit=1_000, generator=name))
        for name in (GENERATOR, "listed")
    )  # fmt: skip
    assert found["candidates"] > 0
    assert {**found, "generator": "listed"} == expected


def test_too_many_equations_are_refused(snapshot: TheorySnapshot, workspace: Workspace) -> None:
    with pytest.raises(RegistryError, match="more candidates than are looked at") as refusal:
        explored(snapshot, workspace.tools(), Asked(structure="Group", size=7))
    assert refusal.value.found == "more than 200000"


def test_the_default_generator_is_in_the_library(workspace: Workspace) -> None:
    assert workspace.tools().tool(GENERATOR) is not None
