"""Code made so that two things that differ are proved equal: names that capture the names given to compared terms, code
that reads its own text, and a prover that lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Decision
from pif.analysis.types.unification import TypeVariable
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.run.evaluate import Request
from registry.laws import equivalence
from registry.laws.difference_search import input_types
from registry.laws.law_prover import LawProver, Proof
from registry.laws.unnamed_terms import SHOWN, UnnamedTerms
from registry.records import valid_name
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.translate.kleis_names import plain_name
from registry.workspace.requests import Analyze, Evolve
from registry.workspace.workspace import Workspace

Json = Any
X: Json = {"var": "x"}


def lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


def evolved(workspace: Workspace, **tools: Json) -> None:
    for name, code in tools.items():
        assert workspace.evolve(Evolve(name, "A tool", code))["outcome"] == "created"


def compared(workspace: Workspace, left: Json, right: Json) -> Json:
    return workspace.analyze(Analyze(left, against=right))["equivalence"]


TWICE = lam("x", {"mul": [X, 2]})

# ── Names of ours among names of users ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["_other_term", "_this_term", "this_term", "the_other_term", "term"])
def test_a_tool_cannot_stand_for_a_compared_term(workspace: Workspace, name: str) -> None:
    evolved(workspace, **{name: lam("x", {"add": [X, 1]})})
    caller = lam("x", {"app": [name, X]})
    for left, right in ((caller, TWICE), (TWICE, caller)):
        found = compared(workspace, left, right)
        assert found["status"] == "refuted"
        assert workspace.run(Request(code=caller, input=5))["value"] == 6


@pytest.mark.parametrize("name", [*SHOWN, "term", "this term@1", "term 0", "_other_term"])
def test_a_term_cannot_say_the_name_of_the_other(workspace: Workspace, name: str) -> None:
    found = compared(workspace, lam("x", {"app": [name, X]}), TWICE)
    assert found["status"] == "refuted"
    assert found["counterexample"]["answers"][0]["answer"] == {"error": "unknown_tool"}


def test_the_names_of_compared_terms_depend_on_all_their_text() -> None:
    terms = [decode_term(code) for code in (TWICE, lam("x", X), lam("x", "term"))]
    names = [UnnamedTerms((left, right)).names for left in terms for right in terms]
    assert len({each for pair in names for each in pair}) == 2 * len(names)
    assert not any(valid_name(each) for pair in names for each in pair)
    said = lam("x", {"app": [names[0][0], X]})
    assert names[0][0] not in UnnamedTerms((decode_term(said), terms[0])).names


def test_answers_show_words_for_the_names(workspace: Workspace) -> None:
    answers = [compared(workspace, TWICE, lam("x", X)), compared(workspace, lam("x", {"kleis": "1"}), TWICE)]
    assert [row["tool"] for row in answers[0]["counterexample"]["answers"]] == [*SHOWN]
    assert all(
        "term " not in str(answer).replace("this term", "").replace("other term", "") for answer in answers
    )


OURS: dict[str, str] = {
    "the variables of the claim that two are equal (registry.laws.equivalence)": "x1",
    "the variables of the question whether a definition is read (registry.translate.tool_theory)": "x0",
    "the helper of a fold (registry.translate.folds)": "double_fold",
    "the second helper": "double_fold_2",
    "the helper of a range": "double_range",
    "a definedness predicate (registry.laws.definedness)": "double_has_value",
    "a tool without a plain name (registry.translate.kleis_names)": "tool_double",
    "a version that is not current": "double_v1",
    "the variables of a normal form (pif.analysis.normal_form)": "x0",
    "the parameter of a pipeline (registry.tools.composition)": "x",
    "a term that is compared (registry.laws.unnamed_terms)": "_other_term",
    "the part of a record in a trial (registry.laws.trials)": "double_field_0_",
    "a variable that has no name in Kleis": "v",
}
"""Every place where a name is made that stands among names of users, with a user's tool that has just this name."""


@pytest.mark.parametrize("place", OURS)
def test_a_tool_with_a_name_of_ours_is_that_tool(workspace: Workspace, place: str) -> None:
    name = OURS[place]
    total = {
        "fold": [lam("p", {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}), 0, {"range": [0, X]}]
    }
    evolved(workspace, **{name: lam("x", {"add": [X, 1]})})
    calls = {"add": [{"app": [name, X]}, {"mul": [0, total]}]}
    if name != "double":
        evolved(workspace, double=lam("x", calls))
    assert compared(workspace, "double", lam("y", {"add": [{"var": "y"}, 2]}))["status"] == "refuted"
    assert compared(workspace, name, lam("y", {"add": [{"var": "y"}, 2]}))["status"] == "refuted"
    assert compared(workspace, name, lam("y", {"add": [1, {"var": "y"}]}))["status"] == "proved"
    assert compared(workspace, lam(name, {"app": [name, {"var": name}]}), name)["status"] == "proved"
    law = f"∀(k : ℤ). {plain_name(name)}(k) = k + 2"
    assert workspace.verify(law)["status"] == "refuted"
    piped = workspace.evolve(
        Evolve("piped", "A pipeline", compose=[name, lam("y", {"mul": [{"var": "y"}, 2]})])
    )
    assert piped["outcome"] == "created"
    assert workspace.run(Request(tool="piped", input=3))["value"] == 8


# ── Code that reads its own text ─────────────────────────────────────────────────────────────────────────────

SELF = {"code_of": "self"}
LENGTH = {"length": {"show": SELF}}
READING: dict[str, tuple[Json, Json]] = {
    "a let around it": (lam("x", LENGTH), lam("x", {"let": {"y": 7}, "in": LENGTH})),
    "another name": (lam("x", LENGTH), lam("longer", LENGTH)),
    "an analysis": (
        lam("x", {"get": [{"analyze": SELF}, "nodes"]}),
        lam("x", {"let": {"y": 7}, "in": {"get": [{"analyze": SELF}, "nodes"]}}),
    ),
    "a computed name": (
        lam("x", {"length": {"show": {"code_of": X}}}),
        lam("x", {"let": {"y": 7}, "in": {"length": {"show": {"code_of": X}}}}),
    ),
    "a name that is put together": (
        lam("x", {"length": {"show": {"code_of": {"concat": ["se", "lf"]}}}}),
        lam("x", {"let": {"y": 7}, "in": {"length": {"show": {"code_of": {"concat": ["se", "lf"]}}}}}),
    ),
    "names compared": (
        lam("x", {"eq": [SELF, {"quote": lam("x", 1)}]}), lam("y", {"eq": [SELF, {"quote": lam("x", 1)}]}),
    ),
    "its term": (
        lam("x", {"show": {"reify": SELF}}), lam("x", {"let": {"y": 7}, "in": {"show": {"reify": SELF}}}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", READING)
def test_code_that_reads_itself_is_not_equal_by_its_normal_form(workspace: Workspace, how: str) -> None:
    left, right = READING[how]
    assert compared(workspace, left, right)["status"] != "proved"
    evolved(workspace, left=left, right=right)
    assert compared(workspace, "left", "right")["status"] != "proved"
    for both in (("left", right), (left, "right")):
        assert compared(workspace, *both)["status"] != "proved"


def test_code_that_reads_another_tool_is_equal_by_its_normal_form(workspace: Workspace) -> None:
    evolved(workspace, other=TWICE)
    read = {"show": {"code_of": "other"}}
    found = compared(workspace, lam("x", read), lam("x", {"let": {"y": 7}, "in": read}))
    assert (found["status"], found["by"]) == ("proved", "normal_form")
    again = {"if": {"cond": {"lt": [X, 1]}, "then": 0, "else": {"app": [{"self": True}, {"sub": [X, 1]}]}}}
    found = compared(workspace, lam("x", again), lam("x", {"let": {"y": 7}, "in": again}))
    assert (found["status"], found["by"]) == ("proved", "normal_form")


def test_versions_of_one_tool_are_compared_as_they_are(workspace: Workspace) -> None:
    """Each by its own code, also where only one is current, and where both call themselves."""
    for body in ({"mul": [X, 2]}, {"mul": [X, 3]}, {"add": [X, X]}):
        workspace.evolve(Evolve("gross", "A tool", lam("x", body)))
    assert compared(workspace, "gross@1", "gross@2")["status"] == "refuted"
    assert compared(workspace, "gross@2", "gross")["status"] == "refuted"
    assert compared(workspace, "gross@1", "gross@3")["status"] == "proved"
    for step in (1, 2):
        again = {"add": [step, {"app": [{"self": True}, {"sub": [X, 1]}]}]}
        code = lam("x", {"if": {"cond": {"lt": [X, 1]}, "then": 0, "else": again}})
        workspace.evolve(Evolve("down", "A tool", code))
    found = compared(workspace, "down@1", "down@2")
    assert found["status"] == "refuted"
    assert [row["answer"] for row in found["counterexample"]["answers"]] == [{"value": 1}, {"value": 2}]


# ── What is proved is run ────────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_normal_form_is_a_defect_and_no_proof(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equivalence, "normalize", lambda term, *looked: decode_term(1))
    for right in (
        lam("x", {"mul": [X, 3]}),
        lam("x", {"if": {"cond": {"eq": [X, 2**63]}, "then": 0, "else": {"mul": [X, 2]}}}),
    ):
        error = workspace.analyze(Analyze(TWICE, against=right))["error"]
        assert error["kind"] == "internal"
        assert "this is a defect" in error["hint"].lower()


class Liar(LawProver):
    """A prover that says yes to everything, with a certificate."""

    def decide(self, theory: Any, claim: Any, lemmas: Any = (), depth: Any = "all") -> Decision:
        found = super().decide(theory, claim, lemmas)
        return msgspec.structs.replace(found, verdict=Verdict(status="verified", claim="", engine="liar"))

    def certified(self, *given: Any, **more: Any) -> Proof:
        return Proof({"format": "lie"})


@pytest.mark.parametrize(
    "law",
    [
        "∀(x : ℤ). double(x) = x",
        "∀(x : ℤ). double(x) < 2^62",
        "∀(x : ℤ). x ≠ -(2^63) → double(x) ≠ 20",
        "∀(l : List(ℤ)). total(l) ≥ 0",
    ],
)
def test_a_lying_prover_is_caught_by_runs(workspace: Workspace, law: str) -> None:
    total = {"fold": [lam("p", {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}), 0, X]}
    evolved(workspace, double=TWICE, total=lam("x", total))
    workspace.__dict__["prover"] = Liar()
    error = workspace.verify(law)["error"]
    assert error["kind"] == "internal"
    refused = workspace.evolve(Evolve("double", "A tool", lam("x", {"mul": [2, X]}), laws=[law]))
    assert refused["error"]["kind"] == "internal"
    assert workspace.show("double")["version"] == 1


def test_a_lying_prover_is_caught_by_runs_of_both(workspace: Workspace) -> None:
    workspace.__dict__["prover"] = Liar()
    late = lam("x", {"if": {"cond": {"eq": [X, 255]}, "then": 0, "else": {"mul": [X, 2]}}})
    assert workspace.analyze(Analyze(TWICE, against=late))["error"]["kind"] == "internal"


def test_code_without_a_type_is_run_on_anything() -> None:
    tool = Tool("it", 1, decode_term(lam("x", lam("y", X))))
    assert [type(each) for each in input_types(tool, None)] == [TypeVariable] * 2
