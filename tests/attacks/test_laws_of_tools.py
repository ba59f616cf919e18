"""Laws that do not hold, or say nothing, stated so that they might be proved: each is rejected or labelled, with the
reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from registry.store.sqlite.sqlite_store import SqliteStore
from registry.translate.kleis_names import FunctionNames, plain_name
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any
X, N, L = variable("x"), variable("n"), variable("l")
SELF = {"self": True}

HOSTILE: dict[str, Json] = {
    **TOOLS,
    "never": function("n", {"head": {"tail": [N]}}),
    "downwards": function(
        "n", {"if": {"cond": {"eq": [N, 0]}, "then": 1, "else": {"app": [SELF, {"sub": [N, 1]}]}}}
    ),
    "if": function("x", {"add": [X, 1]}),
    "forall": function("x", {"mul": [X, 3]}),
    "head": function("l", {"length": L}),
    "div": function("x", {"sub": [X, 1]}),
    "tool_x": function("x", X),
    "Nil": function("x", {"add": [X, 5]}),
    "ping": function("n", {"app": ["pong", N]}),
    "pong": function("n", {"add": [{"app": ["ping", N]}, 1]}),
    "clash": function("match", {"let": {"define": {"add": [{"var": "match"}, 1]}}, "in": {"var": "define"}}),
    "letters": function("é", {"concat": [{"var": "é"}, "𝄞"]}),
    "lost": function("x", {"app": ["gone", X]}),
    "late_false": function("x", {"and": [{"eq": [{"div": [1, X]}, 1]}, False]}),
    "late_true": function("x", {"or": [{"eq": [{"div": [X, X]}, 1]}, {"eq": [X, 0]}]}),
    "nothing": {"div": [1, 0]},
    "unused": function("x", {"let": {"y": {"eval": {"code_of": "nothing"}}}, "in": X}),
    "added": function("p", "y", {"add": [{"fst": variable("p")}, variable("y")]}),
    "never_called": function(
        "x", {"let": {"f": {"app": ["added", {"pair": [{"div": [1, X]}, 0]}]}}, "in": 5}
    ),
    "called_late": function(
        "x",
        {
            "let": {"f": {"app": ["added", {"pair": [{"div": [1, X]}, 0]}]}},
            "in": {"if": {"cond": {"eq": [X, 0]}, "then": 0, "else": {"app": [variable("f"), 1]}}},
        },
    ),
    "folded_never": function(
        "x",
        {
            "mul": [
                X,
                {
                    "fold": [
                        {
                            "app": [
                                function("q", "p", {"add": [{"fst": variable("p")}, variable("q")]}),
                                {"div": [1, X]},
                            ]
                        },
                        0,
                        {"nil": True},
                    ]
                },
            ]
        },
    ),
    "counts_keys": function(
        "r", {"add": [{"get": [variable("r"), "a"]}, {"length": {"keys": variable("r")}}]}
    ),
    "more_keys": function("x", {"app": ["counts_keys", {"record": {"a": X, "b": 1}}]}),
    "same_a": function(
        "r",
        "s",
        {
            "let": {"q": {"add": [{"get": [variable("r"), "a"]}, {"get": [variable("s"), "a"]}]}},
            "in": {"eq": [variable("r"), variable("s")]},
        },
    ),
    "same_more": function(
        "x", {"app": ["same_a", {"record": {"a": 1, "b": X}}, {"record": {"a": 1, "b": 2}}]}
    ),
    "two_kinds": function(
        "x",
        {
            "if": {
                "cond": {"eq": [X, 0]},
                "then": 1,
                "else": {"if": {"cond": {"eq": [X, ""]}, "then": {"div": [1, 0]}, "else": 2}},
            }
        },
    ),
    "two_truths": function(
        "x",
        {
            "if": {
                "cond": {"eq": [X, True]},
                "then": 1,
                "else": {"if": {"cond": {"eq": [X, False]}, "then": 2, "else": {"div": [1, 0]}}},
            }
        },
    ),
    "two_sizes": function(
        "x", {"if": {"cond": {"eq": [X, ""]}, "then": 1, "else": {"div": [1, {"length": X}]}}}
    ),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    made.evolve(Evolve("gone", "Soon forgotten", function("x", {"add": [X, 1]})))
    for name, code in HOSTILE.items():
        assert made.evolve(Evolve(name, "A tool", code))["type"] == "tool"
    made.forget("gone")
    yield made
    made.close()


@pytest.mark.parametrize("law", [
    "∀(n : ℤ). endless(n) = endless(n) + 1", "1 = 2 ∧ endless(0) = endless(0)", "∀(n : ℤ). endless(n) = 7",
    "∀(n : ℤ). ping(n) = ping(n) + 1", "∀(n : ℤ). never(n) = 1", "safe(never)", "safe(downwards)", "safe(endless)",
])  # fmt: skip
def test_nothing_false_follows_from_tools_that_have_no_values(workspace: Workspace, law: str) -> None:
    """f(n) = f(n) + 1 as an axiom would prove everything."""
    assert workspace.verify(law)["status"] in ("untested", "refuted")


@pytest.mark.parametrize(
    "tool", ["late_false", "late_true", "unused", "never_called", "called_late", "folded_never"]
)
def test_what_stops_a_run_is_not_lost_where_its_value_is_not_needed(workspace: Workspace, tool: str) -> None:
    """PIF asks for the left side first, and for what is bound: Kleene's ``undefined ∧ false`` is not its `and`."""
    assert workspace.verify(f"safe({tool})")["status"] == "refuted"


@pytest.mark.parametrize("law", ["∀(x : ℤ). more_keys(x) = x + 1", "∀(x : ℤ). same_more(x)"])
def test_fields_that_a_tool_does_not_name_are_fields(workspace: Workspace, law: str) -> None:
    assert workspace.verify(law)["status"] == "refuted"


@pytest.mark.parametrize("tool", ["two_kinds", "two_truths", "two_sizes"])
def test_what_compares_values_with_two_kinds_is_not_safe_for_one_of_them_alone(
    workspace: Workspace, tool: str
) -> None:
    assert workspace.verify(f"safe({tool})").get("status") != "proved"


@pytest.mark.parametrize("law", ["late_false(0)", "¬late_false(0)", "late_true(0) = late_true(0)"])
def test_a_law_without_variables_is_not_refuted_where_a_tool_has_no_value(
    workspace: Workspace, law: str
) -> None:
    found = workspace.verify(law)
    assert found["status"] == "untested"
    assert "vacuous: a tool in it had a value at no point" in found["labels"]


@pytest.mark.parametrize(
    ("name", "code", "law", "error"),
    [
        ("equals", function("a", "b", True), "∀(x y : ℤ). x + 0 = y", "law_disproved"),
        ("plus", function("a", "b", 0), "∀(x : ℤ). x + x = 0", "law_disproved"),
        ("negate", function("a", {"var": "a"}), "-1 = 1", "law_disproved"),
        ("logical_not", function("a", True), "∀(x : ℤ). ¬(x = x)", "law_disproved"),
        ("factorial", function("n", 1), "3! = 1", "law_disproved"),
        ("implies", function("a", "b", True), "∀(x : ℤ). x = x → x < x", "law_disproved"),
        ("plus", function("a", "b", 0), "(plus(3, 1)) + plus(plus(1, 1), (2)) + (5) = 5", None),
        ("factorial", function("n", 1), "factorial (3)! + factorial((4)) = 2", None),
    ],
)
def test_operators_are_no_calls_of_the_tool_of_their_name(
    workspace: Workspace, name: str, code: Json, law: str, error: str | None
) -> None:
    made = workspace.evolve(Evolve(name, "A tool", code, laws=[law], dry_run=True))
    assert made.get("error", {}).get("kind") == error


def test_a_tool_that_is_not_shown_to_end_gives_no_axiom_and_says_so(workspace: Workspace) -> None:
    found = workspace.verify("∀(n : ℤ). endless(n) = 7")
    assert any(label.startswith("not shown to terminate") for label in found["labels"])
    assert found["status"] == "untested"


def test_recursion_that_ends_only_above_zero_is_not_safe(workspace: Workspace) -> None:
    """`downwards` has no value below 0: a law about it holds for n ≥ 0, and `safe` is not proved."""
    assert workspace.verify("∀(n : ℤ). n ≥ 0 → downwards(n) = 1")["status"] == "proved"
    found = workspace.verify("safe(downwards)")
    assert (found["status"], "limit" in found["reason"]) == ("untested", True)


@pytest.mark.parametrize(
    ("law", "label"),
    [
        ("∀(x : ℤ). x < x → square(x) = 5", "vacuous: its premise is never true"),
        ("∀(x : ℤ). x > 5 → x < 3 → square(x) = 99", "vacuous: its premise is never true"),
        ("∀(x : ℤ). never(x) = 1", "vacuous: a tool in it had a value at no point"),
        ("∀(x : ℤ). x + 0 = x", "vacuous: it mentions no tool"),
    ],
)
def test_a_vacuous_law_says_so(workspace: Workspace, law: str, label: str) -> None:
    assert label in workspace.verify(law)["labels"]


def test_a_law_of_another_tool_says_so(workspace: Workspace) -> None:
    law = "∀(x : ℤ). double(x) = x + x"
    made = workspace.evolve(Evolve("square", "A tool", TOOLS["square"], laws=[law], dry_run=True))
    assert made["laws"][0]["labels"] == ("says nothing of square",)


@pytest.mark.parametrize("text", [
    "define square(x) = 0", 'import "stdlib/prelude.kleis"', "axiom a : 1 = 1", "data D = A | B", "", "   ", "∀", ")(",
    "structure S(T) { axiom a : ∀(x : T). x = x }", "1 = 1; 2 = 2", "∀(x : ℤ). square(x) ≥ 0\ndefine f(x) = x",
    "square", "square(1)", "λ x . x", "using Group ∀(x : G). x = x", "∀(x : ℤ). square(x, x) = 1", "unknown_tool(1) = 1",
    "safe()", "safe(1)", "safe(square, square)", "safe(nothing_there)", "\x00", "∀(x : ℤ). " * 3_000 + "x = x",
    "((((" * 200, "x" * 5_000, "∀(x : Nonsense(7)). square(x) = x", "area(width = 1) = 1", "square(\"a\") = 1",
])  # fmt: skip
def test_a_text_that_is_no_law_is_refused_in_words(workspace: Workspace, text: str) -> None:
    error = workspace.verify(text)["error"]
    assert error["kind"] == "invalid_argument"
    assert len(error["message"]) < 600


def test_the_law_of_a_forgotten_tool_is_tested_at_most(workspace: Workspace) -> None:
    found = workspace.verify("∀(x : ℤ). lost(x) = x + 1")
    assert "error" in found or found["status"] == "untested"
    assert workspace.show("lost", kleis=True)["kleis_refused"]["tool"] == "lost@1"


@pytest.mark.parametrize(
    ("law", "status"),
    [
        ("∀(x : ℤ). tool_if(x) = x + 1", "proved"),
        ("∀(x : ℤ). tool_forall(x) = 3 * x", "proved"),
        ("∀(x : ℤ). tool_div(x) = x - 1", "proved"),
        ("∀(x : ℤ). tool_Nil(x) = x + 5", "proved"),
        ("∀(x : ℤ). tool_tool_x(x) = x", "proved"),
        ("∀(x : ℤ). clash(x) = x + 1", "proved"),
        ('letters("é") = "é𝄞"', "proved"),
        ("head([7, 8]) = 7", "proved"),
        ("div(7, 2) = 3", "proved"),
    ],
)
def test_names_that_kleis_has_a_use_for(workspace: Workspace, law: str, status: str) -> None:
    """A tool called `if`, `head` or `div` takes nothing from Kleis, and has a name of its own in laws."""
    assert workspace.verify(law)["status"] == status


def test_a_bound_name_is_no_tool(workspace: Workspace) -> None:
    found = workspace.verify("∀(square : ℤ). square ≥ 0")
    assert (found["status"], found["labels"]) == ("refuted", ("vacuous: it mentions no tool",))


def test_no_two_tools_have_one_name() -> None:
    names = FunctionNames()
    given = [
        names.tool(f"{tool}@1", tool, current=True) for tool in ("a-b", "a.b", "a_b", "tool_a_b", "tool-a_b")
    ]
    known = [name for name in given if name is not None]
    assert len(set(known)) == len(known) >= 3
    assert plain_name("length") == "tool_length"


def test_a_wrong_version_is_refused_by_each_kind_of_law(workspace: Workspace) -> None:
    made = workspace.evolve(
        Evolve("fact", "Factorial", TOOLS["fact"], laws=["safe(fact)", "∀(n : ℤ). fact(n) ≥ 1"])
    )
    assert [each["status"] for each in made["laws"]] == ["proved", "proved"]
    negative = function("n", {"if": {"cond": {"lte": [N, 0]}, "then": -1, "else": 1}})
    partial = function("n", {"div": [{"mul": [N, N]}, N]})
    for wrong in (negative, partial):
        refused = workspace.evolve(Evolve("fact", "Wrong", wrong))["error"]
        assert refused["kind"] == "law_disproved"
        assert refused["counterexample"]["runs"]
    assert workspace.show("fact")["version"] == 1
    assert (
        workspace.evolve(Evolve("fact", "x", negative, drop_laws=["fact is positive"]))["error"]["path"]
        == "/drop_laws/0"
    )


def test_laws_of_a_term_that_is_not_a_function(workspace: Workspace) -> None:
    made = workspace.evolve(
        Evolve("answer", "A constant", {"add": [40, 2]}, laws=["answer = 42", "safe(answer)"])
    )
    assert [each["status"] for each in made["laws"]] == ["proved", "proved"]
    refused = workspace.evolve(Evolve("answer", "Another", {"add": [40, 3]}))
    assert refused["error"]["kind"] == "law_disproved"
