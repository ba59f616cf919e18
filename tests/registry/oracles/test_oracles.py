"""What a run gets from a theory: verdicts, values, lists; the same fuel whether an answer is found now or cached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.process.broker import Broker
from kleis.prover.verdict_cache import VerdictCache
from kleis.theory.theory import Theory
from pif.language.budget import Budget
from pif.run.evaluate import Answer, Request, run
from registry.oracles import theory_oracle
from registry.oracles.answer_records import axiom_expressions
from registry.oracles.quoted_terms import term_of
from registry.oracles.theory_oracle import TheorySnapshot
from tests.support.terms.tool_dictionary import Dictionary
from tests.support.theories.small_theories import prelude, theory_of


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


@pytest.fixture(scope="module")
def snapshot(broker: Broker) -> TheorySnapshot:
    return TheorySnapshot(prelude(), name="prelude", broker=broker)


def ask(snapshot: TheorySnapshot, code: Any, *, fuel: int = 100_000, **more: Any) -> Answer:
    return run(Request(code=code, **more), Dictionary(), Budget(fuel=fuel), theory=snapshot.for_run())


def verdict(snapshot: TheorySnapshot, question: Any) -> dict[str, Any]:
    found = ask(snapshot, {"verify": question})["value"]
    assert isinstance(found, dict)
    return found


X = {"var": "x"}


def for_all(sort: str, name: str, body: Any) -> Any:
    return {"app": [{"var": "∀"}, sort, {"lam": name, "body": body}]}


def test_a_proof_names_its_axioms(snapshot: TheorySnapshot) -> None:
    found = verdict(snapshot, "using Group ∀(x : G). inv(inv(x)) = x")
    assert found["verdict"] == "verified"
    assert "Group::left_inverse" in found["axioms"]
    assert found["counterexample"] == {}


def test_a_proposition_that_substitute_made_is_asked(broker: Broker, tmp_path: Path) -> None:
    """It renames what would be captured, with primes: `y'` was no name in Kleis."""
    from registry.store.sqlite.sqlite_store import SqliteStore
    from registry.workspace.workspace import Workspace

    open_claim = {"quote": for_all("ℤ", "y", {"lte": [{"var": "y"}, {"mul": [X, X]}]})}
    replaced = {"app": ["std.substitute", "x", {"quote": {"var": "y"}}, open_claim]}
    closed = {"app": ["std.substitute", "y", {"quote": {"add": [1, 1]}}, replaced]}
    workspace = Workspace(SqliteStore(tmp_path / "home"))
    try:
        tools = workspace.tools()
        snapshot = TheorySnapshot(prelude(), name="prelude", broker=broker)
        asked = Request(code={"verify": closed})
        found = run(asked, tools, Budget(fuel=1_000_000), theory=snapshot.for_run())["value"]
        assert (found["verdict"], found["counterexample"]) == ("disproved", {"y_1": 5})
    finally:
        workspace.close()


def test_a_counterexample_is_data(snapshot: TheorySnapshot) -> None:
    found = verdict(snapshot, {"quote": for_all("ℤ", "x", {"not": {"eq": [X, 42]}})})
    assert (found["verdict"], found["counterexample"]) == ("disproved", {"x": 42})
    strings = verdict(snapshot, '∀(s : String). s ≠ "ab"')
    assert strings["counterexample"] == {"s": "ab"}


def test_a_model_is_data(snapshot: TheorySnapshot) -> None:
    found = verdict(snapshot, "using Group ∀(x : G). x • x = e")
    elements = found["model"]["carriers"]["G"]
    assert found["verdict"] == "disproved"
    assert found["counterexample"]["x"] in elements
    assert len(found["model"]["tables"]["•"]) == len(elements) ** 2


@pytest.mark.parametrize(
    "question",
    [
        "∀(x : ℤ). x +", "", "∀(x : Nonsense). missing(x) = 1", "1 + 1", "(" * 300, "x" * 30_000, "∀(x : ℤ). x = \"a\"",
        {"quote": {"self": True}}, {"quote": {"add": [1, {"fold": [1, 2, 3]}]}}, {"quote": {"var": "a b"}},
        {"quote": {"kleis": "1 +"}}, {"quote": {"app": [{"var": "∀"}, "ℤ", 1]}}, {"quote": {"app": ["square", 1]}},
    ],
)  # fmt: skip
def test_what_is_no_proposition_is_an_error_record_with_its_reason(
    snapshot: TheorySnapshot, question: Any
) -> None:
    found = verdict(snapshot, question)
    assert found["verdict"] == "error"
    assert found["reason"]


def test_the_claim_of_a_quoted_question_is_kleis(snapshot: TheorySnapshot) -> None:
    found = verdict(snapshot, {"quote": for_all("ℤ", "x", {"gte": [{"mul": [X, X]}, 0]})})
    assert (found["claim"], found["verdict"]) == ("∀(x : ℤ). x * x ≥ 0", "verified")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14), ("2 = 3", False), ('"a"', "a"), ("[1, 2]", [1, 2]), ("(1, true)", {"pair": [1, True]}),
        ("1/3", {"kleis": "1/3"}), ("a + a", {"kleis": "a + a"}), ("()", None),
        ({"quote": {"div": [-7, 2]}}, -4), ({"quote": {"mod": [-7, 2]}}, 1),
    ],
)  # fmt: skip
def test_values_of_expressions(snapshot: TheorySnapshot, expression: Any, value: Any) -> None:
    assert ask(snapshot, {"kleis": expression})["value"] == value


def test_definitions_of_the_theory_are_computed_with(broker: Broker) -> None:
    doubled = TheorySnapshot(theory_of("define double(n : ℤ) : ℤ = n + n"), broker=broker)
    assert ask(doubled, {"kleis": {"quote": {"app": [{"var": "double"}, 21]}}})["value"] == 42
    assert verdict(doubled, "∀(n : ℤ). mod(double(n), 2) = 0")["verdict"] == "verified"


@pytest.mark.parametrize("expression", ["div(1, 0)", "1 +", "head([])"])
def test_an_expression_without_a_value_is_an_oracle_error(snapshot: TheorySnapshot, expression: str) -> None:
    assert ask(snapshot, {"kleis": expression})["error"]["kind"] == "oracle_error"


def test_lists_of_what_is_declared(snapshot: TheorySnapshot) -> None:
    axioms = ask(snapshot, {"axioms": "Group"})["value"]
    assert "∀(x : G). inv(x) • x = e" in [each["kleis"] for each in axioms]
    assert "Semigroup::associativity" in [each["name"] for each in axioms]
    operations = ask(snapshot, {"operations": "Group"})["value"]
    assert {each["name"]: (each["arguments"], each["result"]) for each in operations} == {
        "e": ([], "G"), "inv": (["G"], "G"), "•": (["G", "G"], "G"),
    }  # fmt: skip
    structures = ask(snapshot, {"structures": None})["value"]
    assert {"Group", "Ring"} <= {each["name"] for each in structures}
    missing = ask(snapshot, {"axioms": "Groop"})["error"]
    assert (missing["kind"], missing["hint"]) == ("oracle_error", "Did you mean Group?")


def test_an_axiom_as_data_is_proved_as_it_is(snapshot: TheorySnapshot) -> None:
    """What `axioms` gives, a tool can take apart and ask about."""
    code = {"let": {"p": {"get": [{"head": {"axioms": "Group"}}, "term"]}}, "in": {
        "get": [{"verify": {"quote": {"app": [{"var": "using"}, "Group", {"unquote": {"var": "p"}}]}}}, "verdict"]}}  # fmt: skip
    assert ask(snapshot, code)["value"] == "verified"
    for name, expression in axiom_expressions(prelude(), "Ring"):
        assert term_of(expression).op == "app", name


QUESTIONS = (
    "using Group ∀(x : G). inv(inv(x)) = x",
    "using Group ∀(x y : G). x • y = y • x",
    "∀(x : ℤ). x * x ≥ 0",
    "∀(n : ℕ). n + 1 > n",
    "∀(x y : ℤ). x * y ≠ 391",
)


def test_the_same_fuel_from_nothing_from_the_cache_and_from_memory(broker: Broker, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "verdicts")
    for question in QUESTIONS:
        code = {"verify": question}
        fresh = TheorySnapshot(prelude(), broker=broker)
        first = ask(fresh, code)
        assert ask(fresh, code) == first
        writing = TheorySnapshot(prelude(), broker=broker, cache=cache)
        assert ask(writing, code) == first
        reading = TheorySnapshot(prelude(), broker=broker, cache=cache)
        assert ask(reading, code) == first
        assert first["value"]["verdict"] in ("verified", "disproved")
        assert ask(reading, code, fuel=first["fuel_used"]) == first
        assert ask(reading, code, fuel=first["fuel_used"] - 1)["error"]["kind"] == "out_of_fuel"


def test_contradictory_axioms_prove_nothing(broker: Broker) -> None:
    clash = theory_of(
        "structure Odd(T) { element a : T\n element b : T\n axiom same : a = b\n axiom other : ¬(a = b) }"
    )
    found = verdict(TheorySnapshot(clash, broker=broker), "using Odd a = b")
    assert found["verdict"] == "inconsistent"


def test_the_empty_theory_answers(broker: Broker) -> None:
    empty = TheorySnapshot(Theory(), broker=broker)
    assert ask(empty, {"structures": None})["value"] == []
    assert verdict(empty, "1 + 1 = 2")["verdict"] == "verified"


def test_what_is_kept_is_bounded_and_forgetting_changes_nothing(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theory_oracle, "_KEPT", 100)
    small = TheorySnapshot(prelude(), broker=broker)
    questions: tuple[Any, ...] = (
        {"kleis": "1 + 1"},
        {"axioms": "Ring"},
        {"axioms": "Group"},
        {"kleis": "2 + 2"},
    )
    first = [ask(small, each) for each in questions]
    assert [ask(small, each) for each in questions] == first
    assert len(small._answers) < len(questions)


def test_a_refused_expression_is_charged_its_steps(snapshot: TheorySnapshot) -> None:
    """An expression that fails late took as long as one that does not; it was free."""
    long = f"sum([{', '.join(['1'] * 3_000)}]) + nth([1], 5)"
    short = "nth([1], 5)"
    fuel = {}
    for question in (long, short):
        found = ask(snapshot, {"kleis": question})
        assert found["error"]["kind"] == "oracle_error"
        fuel[question] = found["error"]["fuel_used"] - 2 * (len(question) >> 4)
    assert fuel[long] > fuel[short] + 200
