"""Laws of tools at types that their Kleis definitions do not have, or that Kleis cannot write: runs decide (ADR 015).

What cannot be translated is tested instead of proved, and labelled so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kleis.values import Data, Value, list_of
from pif.analysis.types.tool_types import typing_of
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.translate.node_types import parameter_types
from registry.translate.value_conversion import fits
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any
A, B, L, P = (variable(name) for name in "ablp")
UNPROVED = "not proved: the tools' Kleis definitions are not of these types"

TYPED: dict[str, Json] = {
    **TOOLS,
    "tot": function("l", {"fold": [
        function("p", {"add": [{"fst": P}, {"get": [{"snd": P}, "n"]}]}), 0, L]}),
    "named": function("l", {"if": {"cond": {"eq": [{"get": [{"head": L}, "n"]}, 0]},
                                   "then": {"tail": L}, "else": L}}),
    "larger": function("a", "b", {"if": {"cond": {"lt": [A, B]}, "then": B, "else": A}}),
    "magnitude": function("l", {"length": L}),
    "pow": function("x", {"mul": [variable("x"), variable("x")]}),
    "is_true": function("b", {"eq": [B, True]}),
}  # fmt: skip


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    for name, code in TYPED.items():
        assert made.evolve(Evolve(name, f"The tool {name}", code))["type"] == "tool"
    yield made
    made.close()


@pytest.mark.parametrize(
    ("law", "input"),
    [
        ('∀(a : ℤ). tot([record(field("n", a))]) = a + 1', {"a": 0}),
        ('∀(a : ℤ). named([record(field("n", a))]) = [record(field("n", a))]', {"a": 0}),
        ("∀(a b : String). larger(a, b) = a", {"a": "", "b": "a"}),
        ("∀(l : List(String)). sort(l) = l", None),
        ("∀(s : String). magnitude(s) < 3", None),
        ('larger("a", "b") = "a"', {}),
        ('sort(["b", "a"]) = ["b", "a"]', {}),
    ],
)
def test_a_false_law_is_refuted_by_a_run(workspace: Workspace, law: str, input: Json) -> None:
    found = workspace.verify(law)
    assert found["status"] == "refuted", found
    shown = found["counterexample"]
    assert shown["runs"]
    assert input is None or shown["input"] == input
    assert not found["reason"].rstrip().endswith("for")


@pytest.mark.parametrize(
    ("law", "reason"),
    [
        ("tot([]) = 0", "the type of the elements of [] cannot be found out"),
        ('larger("a", "b") = "b"', "an argument of larger is of type String, where ℤ is required"),
        ("∀(a b : String). larger(a, b) = larger(b, a)", "where ℤ is required"),
        ("∀(l : List(String)). length(sort(l)) = length(l)", "where List(ℤ) is required"),
        ('sort(["b", "a"]) = ["a", "b"]', "where ℤ is required"),
    ],
)
def test_a_law_that_kleis_has_no_reading_of_is_tested_with_the_reason(
    workspace: Workspace, law: str, reason: str
) -> None:
    found = workspace.verify(law)
    assert (found["status"], found["labels"]) == ("tested", (UNPROVED,))
    assert reason in found["reason"]


@pytest.mark.parametrize(
    "law",
    [
        "∀(l : List(ℤ)). tot(l) = 0",
        "tot([1]) = 0",
        "∀(a b : Bool). larger(a, b) = a",
        'larger(1, "a") = 1',
        "magnitude(3) = 3",
        'square("a") = 1',
        "∀(x : T). square(x) ≥ 0",
        "∀(a b : T). larger(a, b) = larger(b, a)",
        "∀(l : List(List(ℤ))). sort(l) = l",
    ],
)
def test_a_law_about_what_a_tool_does_not_take_is_no_law(workspace: Workspace, law: str) -> None:
    """An operation of a trial takes more than its tool: what goes beyond that is found when it is called."""
    assert workspace.verify(law)["error"]["kind"] == "invalid_argument"


def test_a_record_without_the_field_is_not_tried(workspace: Workspace) -> None:
    found = workspace.verify('tot([record(field("m", 1))]) = 0')
    assert found["status"] == "untested"
    assert "tot@1 does not take" in found["reason"]


def test_a_wrong_law_over_strings_refuses_a_version_and_a_right_one_is_kept(workspace: Workspace) -> None:
    laws = ["∀(a b : String). larger(a, b) = larger(b, a)"]
    made = workspace.evolve(Evolve("larger_kept", "The larger", TYPED["larger"], laws=[
        each.replace("larger", "larger_kept") for each in laws]))  # fmt: skip
    assert made["laws"][0]["status"] == "tested"
    refused = workspace.evolve(Evolve("larger_kept", "The first", function("a", "b", A)))["error"]
    assert refused["kind"] == "law_disproved"
    assert workspace.check_laws("larger_kept")["ok"]


@pytest.mark.parametrize(
    ("tool", "taken", "not_taken"),
    [
        ("tot", list_of([Data("record", (Data("field", ("n", 1)),))]), list_of([1])),
        ("tot", list_of([]), "ab"),
        ("tot", list_of([]), list_of([Data("record", (Data("field", ("n", "1")),))])),
        ("larger", "a", True),
        ("larger", 3, list_of([3])),
        ("magnitude", "abc", 3),
        ("square", 3, True),
        ("swap", Data("Pair", (1, "a")), list_of([1, 2])),
    ],
)
def test_a_value_fits_a_type_of_pif(workspace: Workspace, tool: str, taken: Value, not_taken: Value) -> None:
    tools = workspace.tools()
    found = tools.tool(tool)
    assert found is not None
    (type_, *_), _ = parameter_types(typing_of(found, tools).type_, 1)
    assert fits(taken, type_)
    assert not fits(not_taken, type_)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("safe(pow)", "Write safe(tool_pow)"),
        ("safe(pow(1))", "Write safe(tool_pow)"),
        ("safe(ln)", "Write safe(square)"),
        ("safe(is_true)", "it compares an argument with values of one type"),
        ("safe(tot)", "Kleis has no written type for records"),
        ("safe(magnitude)", "it may be a list or a string"),
    ],
)
def test_safe_says_what_to_write_or_why_not(workspace: Workspace, law: str, said: str) -> None:
    error = workspace.verify(law)["error"]
    assert said in f"{error['message']} {error.get('hint', '')}"
