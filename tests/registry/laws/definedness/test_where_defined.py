"""Laws of tools that do not always have a value: proved where they have, refuted where they are false, and never more
(ADR 015)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Decision
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory
from registry.laws.certificates import read_text
from registry.laws.certified_laws import recheck_law
from registry.laws.check_laws import LawCheck
from registry.laws.goals import Claim, question
from registry.laws.law_prover import Depth, LawProver
from registry.records import certificate_hash, read_laws
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve, List
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any
X, N, L = variable("x"), variable("n"), variable("l")
SELF = {"self": True}
LABEL = "where the tools have values"
VACUOUS = "vacuous: at no point are its premises true and its tools have values"

PARTIAL: dict[str, Json] = {
    **TOOLS,
    "inverse": function("x", {"div": [100, X]}),
    "largest": function("l", {"if": {"cond": {"isEmpty": {"tail": L}}, "then": {"head": L}, "else": {
        "let": {"m": {"app": [SELF, {"tail": L}]}},
        "in": {"if": {"cond": {"gt": [{"head": L}, variable("m")]}, "then": {"head": L}, "else": variable("m")}}}}}),
    "shares": function("l", {"fold": [
        function("p", {"add": [{"fst": variable("p")}, {"div": [100, {"snd": variable("p")}]}]}), 0, L]}),
    "to_zero": function("n", {"if": {"cond": {"eq": [N, 0]}, "then": 1, "else": {"app": [SELF, {"sub": [N, 1]}]}}}),
    "twice": function("x", {"add": [{"app": ["inverse", X]}, {"app": ["inverse", X]}]}),
    "never": function("n", {"head": {"tail": [N]}}),
    "price": function("r", {"div": [{"get": [variable("r"), "total"]}, {"get": [variable("r"), "count"]}]}),
    "inverse_has_value": function("x", {"lt": [X, 0]}),
    "half_defined": function("x", {"if": {"cond": X, "then": {"div": [1, 0]}, "else": 1}}),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    for name, code in PARTIAL.items():
        assert made.evolve(Evolve(name, f"The tool {name}", code))["type"] == "tool"
    yield made
    made.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("law", "claim"),
    [
        ("∀(x : ℤ). inverse(x) ≤ 100", "∀(x : ℤ). inverse_has_value(x) ⟹ inverse(x) ≤ 100"),
        ("∀(x : ℤ). twice(x) ≤ 200", "∀(x : ℤ). twice_has_value(x) ⟹ twice(x) ≤ 200"),
        ("∀(l : List(ℤ)). mean(l) * 0 = 0", None),
        ("∀(l : List(ℤ)). head(l) ≤ largest(l)", None),
        ("∀(l : List(ℤ)). shares(l) - shares(l) = 0", None),
        ("∀(n : ℤ). to_zero(n) = 1", None),
        ("∀(t c : ℤ). t = 0 → price(total = t, count = c) = 0",
         "∀(t c : ℤ). t = 0 ⟹ price_has_value(c) ⟹ price(c, t) = 0"),
        ("∀(x : ℤ). inverse(x) ≤ 100 ∧ inverse(x + 1) ≤ 100", None),
        ("∀(x : ℤ). if x > 3 then inverse(x) ≤ 33 else inverse(x - 3) < 1",
         "∀(x : ℤ). (if x > 3 then inverse_has_value(x) else inverse_has_value(x - 3)) "
         "⟹ if x > 3 then inverse(x) ≤ 33 else inverse(x - 3) < 1"),
        ("∀(x : ℤ). (∃(y : ℤ). inverse(y) = x) → x ≤ 100", None),
        ("∀(l : List(ℤ)). match l { [] => true | Cons(h, t) => inverse(h) ≤ 100 }", None),
        ("∀(x : ℤ). let y = inverse(x) in y ≤ 100", None),
        ("∀(inverse_has_value : ℤ). inverse(inverse_has_value) ≤ 100",
         "∀(inverse_has_value : ℤ). inverse_has_value_2(inverse_has_value) ⟹ inverse(inverse_has_value) ≤ 100"),
    ],
)  # fmt: skip
def test_a_law_of_a_partial_tool_is_proved_where_it_has_a_value(
    shared: Workspace, law: str, claim: str | None
) -> None:
    found = shared.verify(law)
    assert (found["status"], found.get("labels")) == ("proved", (LABEL,)), found.get("reason")
    assert found["certified"]
    assert all(each.startswith("define ") for each in found["conditions"])
    assert claim is None or found["kleis"] == claim


def test_a_companion_never_takes_the_name_of_a_tool(shared: Workspace) -> None:
    """The tool `inverse_has_value` of this registry says something else: it is no definedness predicate of `inverse`."""
    found = shared.verify("∀(x : ℤ). inverse_has_value(x) → inverse(x) < 0")
    assert (found["status"], found.get("labels", ())) == ("proved", ())
    found = shared.verify("∀(x : ℤ). inverse(x) ≤ 100 ∨ inverse_has_value(x)")
    assert found["labels"] == (LABEL,)
    assert found["conditions"] == ("define inverse_has_value_2(x : ℤ) : Bool = x ≠ 0",)


@pytest.mark.parametrize(
    ("law", "input"),
    [
        ("∀(x : ℤ). inverse(x) ≤ 99", {"x": 1}),
        ("∀(x : ℤ). inverse(x) ≤ 100 ∧ x ≠ 0", {"x": 0}),
        ("∀(l : List(ℤ)). largest(l) ≤ 0", {"l": [1]}),
        ("∀(l : List(ℤ)). shares(l) ≥ 0", None),
        ("∀(x : ℤ). x > 1 → inverse(x) < 50", {"x": 2}),
        ("∀(x : ℤ). div(100, inverse(x) - 100) = 7", None),
        ("∀(l : List(ℤ)). largest(append(l, [1])) * div(1, length(l)) ≥ 0", {"l": []}),
        ("safe(inverse)", {"x1": 0}),
        ("safe(largest)", {"x1": []}),
    ],
)
def test_a_law_that_is_false_where_the_tool_has_a_value_is_refuted(
    shared: Workspace, law: str, input: Json
) -> None:
    """The last but two have no truth value where all tools have one: that refutes too."""
    found = shared.verify(law)
    assert found["status"] == "refuted", found
    assert input is None or found["counterexample"]["input"] == input


@pytest.mark.parametrize(
    "law",
    [
        "∀(n : ℤ). never(n) = 1",
        "∀(n : ℤ). n < 0 → to_zero(n) = 5",
        "∀(x : ℤ). x = 0 → inverse(x) = 3",
        "never(3) = 4",
        "∀(l : List(ℤ)). length(l) = 0 → largest(l) = 8",
        "∀(x : ℤ). inverse(0) = 1 → x < x",
    ],
)
def test_a_law_whose_tools_have_no_value_where_it_asks_is_vacuous(shared: Workspace, law: str) -> None:
    found = shared.verify(law)
    assert found["status"] == "untested"
    assert VACUOUS in found["labels"]


@pytest.mark.parametrize(
    "law",
    [
        "∀(x : ℤ). inverse(0) = 1 → x = 2",
        "∀(x : ℤ). never(x) = 1 → x = 2",
        "∀(x : ℤ) where inverse(0) = 1. x = 2",
    ],
)
def test_a_premise_that_never_has_a_value_is_never_true(shared: Workspace, law: str) -> None:
    """At x = 2 the law is true whatever the premise were: it was called proved where the tools have values."""
    found = shared.verify(law)
    assert found["status"] != "proved"
    assert VACUOUS in found["labels"]


@pytest.mark.parametrize("premise", ["inverse(0) = 1", "never(x) = x", "inverse(x) = inverse(0)"])
def test_so_it_is_of_a_law_that_is_proved_as_it_stands(shared: Workspace, premise: str) -> None:
    found = shared.verify(f"∀(x : ℤ). {premise} → x = x")
    assert (found["status"], found["labels"]) == ("proved", ("vacuous: its premise is never true",))


def test_premises_about_two_variables_of_one_name_are_not_put_together(shared: Workspace) -> None:
    found = shared.verify("∀(x : ℤ). x = 1 → ∀(x : ℤ). x = 2 → square(x) = 4")
    assert (found["status"], found.get("labels", ())) == ("proved", ())


@pytest.mark.parametrize(
    "law",
    [
        "∃(x : ℤ). inverse(x) = 101",
        "1 = 1 ∧ (∀(x : ℤ). inverse(x) ≤ 100)",
        "∀(x : ℤ). (∃(y : ℤ). inverse(y) = 101) → x = 2",
        "∃(b : Bool). half_defined(b) = 3",
    ],
)
def test_a_quantifier_that_asks_a_tool_where_it_has_no_value_makes_no_law_vacuous(
    shared: Workspace, law: str
) -> None:
    """The tool has values: that it had one at no point was wrong."""
    found = shared.verify(law)
    assert found["status"] in ("tested", "untested")
    assert any(
        each.startswith("without a truth value wherever its premises are true") for each in found["labels"]
    )
    assert not any("vacuous" in each for each in found["labels"])


def test_a_point_where_a_tool_has_no_value_refutes_nothing_in_any_order(shared: Workspace) -> None:
    """head([]) has no value of its own; that the tool has none beside it must be seen whichever stands first."""
    for law in ("∀(l : List(ℤ)). head(l) ≤ largest(l)", "∀(l : List(ℤ)). largest(l) ≥ head(l)"):
        assert shared.verify(law)["status"] == "proved"


def test_what_is_not_said_stays_tested_with_the_reason(shared: Workspace) -> None:
    law = "∀(l : List(ℤ)). list_map(λ(x : ℤ). inverse(x), l) = list_map(λ(x : ℤ). inverse(x), l)"
    found = shared.verify(law)
    assert found["status"] == "tested"
    reason = "list_map calls a function that may have no value"
    assert f"not asked where its tools have values: {reason}" in found["labels"]


def test_laws_of_total_tools_are_asked_as_they_stand(shared: Workspace) -> None:
    found = shared.verify("∀(n : ℤ). fact(n) ≥ 1")
    assert (found["kleis"], found.get("labels", ())) == ("∀(n : ℤ). fact(n) ≥ 1", ())
    assert "conditions" not in found


# ── Kept with a version ──────────────────────────────────────────────────────────────────────────────────────


def test_the_certificate_is_of_the_premised_law_and_is_checked_from_nothing(workspace: Workspace) -> None:
    laws = ["∀(x : ℤ). inverse(x) ≤ 100", "∀(x : ℤ). inverse(x) + inverse(x) ≤ 200"]
    made = workspace.evolve(Evolve("inverse", "A hundredth", PARTIAL["inverse"], laws=laws))
    assert [each["status"] for each in made["laws"]] == ["proved", "proved"]
    record = workspace.record("inverse")
    for law in read_laws(record.laws):
        text = workspace.store.certificate(law.certificate)
        assert text is not None
        kept = json.loads(text)
        assert "define inverse_has_value(x : ℤ) : Bool = x ≠ 0" in kept["theory"]
        assert kept["claim"].startswith("∀(x : ℤ). inverse_has_value(x) ⟹ ")
        assert law.conditions == ("define inverse_has_value(x : ℤ) : Bool = x ≠ 0",)
    assert workspace.check_laws("inverse")["ok"]
    assert workspace.list(List())["tools"][0]["laws"][0]["labels"] == [LABEL]


def test_a_certificate_of_less_is_none_of_the_law(workspace: Workspace) -> None:
    """Without the label the law says that it holds as it stands; the certificate shows it where the tool has values."""
    law = "∀(x : ℤ). inverse(x) ≤ 100"
    workspace.evolve(Evolve("inverse", "A hundredth", PARTIAL["inverse"], laws=[law]))
    record = workspace.record("inverse")
    (kept,) = read_laws(record.laws)
    certificate = workspace.store.certificate(kept.certificate) or ""
    tools = workspace.tools()
    check = LawCheck(tools, tools.names, workspace.prover, subject=tools.tool("inverse"))
    assert all(each["ok"] for each in recheck_law(check, law, (), certificate, where_defined=True))
    refused = recheck_law(check, law, (), certificate, where_defined=False)
    assert {each["what"] for each in refused} == {"tools", "law"}
    for stronger in ("x > 1", "x ≠ 0 ∧ x ≠ 7", "false"):
        forged = certificate.replace("x ≠ 0", stronger)
        assert forged != certificate
        assert not all(each["ok"] for each in recheck_law(check, law, (), forged, where_defined=True))
    assert certificate_hash(certificate) == kept.certificate


def test_a_premised_law_serves_as_a_lemma(workspace: Workspace) -> None:
    """A lemma is what was proved of it: the law where the tools have values."""
    again = {"app": [SELF, {"add": [variable("a"), {"div": [{"head": L}, {"head": L}]}]}, {"tail": L}]}
    code = function("a", "l", {"if": {"cond": {"isEmpty": L}, "then": variable("a"), "else": again}})
    workspace.evolve(Evolve("ones", "One for each item that is not 0", code))
    lemma = "∀(a : ℤ) (l : List(ℤ)). ones(a, l) = a + ones(0, l)"
    law = "∀(l m : List(ℤ)). ones(0, append(l, m)) = ones(0, l) + ones(0, m)"
    tools = workspace.tools()
    check = LawCheck(tools, tools.names, workspace.prover, subject=tools.tool("ones"))
    assert check.report(lemma).status == "proved"
    asked = question(check.theory, Claim(check.read(law), where_defined=True), check.proved)
    assert "tool_ones_has_value(l) ⟹ tool_ones(a, l) = a + tool_ones(0, l)" in print_expression(
        asked.lemmas[0]
    )
    decision = workspace.prover.decide(asked.theory, asked.claim, asked.lemmas)
    proof = workspace.prover.certified(asked.theory, asked.claim, decision, asked.lemmas)
    assert proof.certificate is not None, proof.reason
    found = recheck_law(check, law, (lemma,), proof.certificate, where_defined=True)
    assert all(each["ok"] for each in found), found
    for lemmas in ((), (lemma, lemma), (law,)):
        assert not all(
            each["ok"] for each in recheck_law(check, law, lemmas, proof.certificate, where_defined=True)
        )


class Unsure(LawProver):
    """A prover that knows nothing of laws as they stand."""

    def decide(
        self, theory: Theory, claim: Expression, lemmas: Sequence[Expression] = (), depth: Depth = "all"
    ) -> Decision:
        asked = print_expression(claim)
        if "inverse(" in asked and "has_value" not in asked:
            return Decision(Verdict(status="unknown", claim=asked, reason="incomplete"))
        return super().decide(theory, claim, lemmas)


def test_lemmas_that_do_not_help_leave_nothing_in_the_theory(workspace: Workspace) -> None:
    """The certificate is of the law's own tools, also where the law was asked with lemmas of other tools before."""
    workspace.evolve(Evolve("square", "The square", TOOLS["square"]))
    workspace.evolve(Evolve("inverse", "A hundredth", PARTIAL["inverse"]))
    tools = workspace.tools()
    law = "∀(x : ℤ). inverse(x) ≤ 100"
    with Unsure() as prover:
        check = LawCheck(tools, tools.names, prover, subject=tools.tool("inverse"))
        assert check.report("∀(x : ℤ). square(x) ≥ 0").status == "proved"
        report = check.report(law)
        assert report.labels == (LABEL,)
        assert "square" not in read_text(report.certificate).theory
        found = recheck_law(check, law, report.lemmas, report.certificate, where_defined=True)
        assert all(each["ok"] for each in found), found
