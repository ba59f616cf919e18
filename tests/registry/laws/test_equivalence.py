"""Whether two tools do the same: normal forms, proof, an input that tells them apart (docs/reference/registry.md §9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Analyze, Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any
Y, L = variable("y"), variable("l")
BINOMIAL = function(
    "y", {"sub": [{"mul": [{"add": [Y, 1]}, {"add": [Y, 1]}]}, {"add": [{"mul": [2, Y]}, 1]}]}
)
ALMOST = function("y", {"if": {"cond": {"eq": [Y, 37]}, "then": 0, "else": {"mul": [Y, Y]}}})


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    for name, code in TOOLS.items():
        made.evolve(Evolve(name, "A tool", code))
    yield made
    made.close()


X, N = variable("x"), variable("n")
MODULO = function("x", "y", {"mod": [X, Y]})
TENTH = function("x", {"div": [10, X]})
ENDLESS = {
    "if": {
        "cond": {"eq": [N, 0]},
        "then": {"div": [1, 1]},
        "else": {"app": [{"self": True}, {"sub": [N, 1]}]},
    }
}


def compared(workspace: Workspace, left: Json, right: Json) -> Json:
    return workspace.analyze(Analyze(left, against=right))["equivalence"]


@pytest.mark.parametrize(
    ("left", "right", "by"),
    [
        ("square", function("y", {"mul": [Y, Y]}), "normal_form"),
        ("square", BINOMIAL, "proof"),
        ({"add": [1, 1]}, {"mul": [1, 2]}, "normal_form"),
    ],
)
def test_two_that_do_the_same(workspace: Workspace, left: Json, right: Json, by: str) -> None:
    found = compared(workspace, left, right)
    assert (found["status"], found["by"]) == ("proved", by)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("square", ALMOST),
        ("square", "double"),
        ("sum", function("l", {"length": L})),
        ("square", function("y", "text")),
        ({"add": [1, 1]}, 3),
        (function("l", {"head": L}), function("l", {"head": {"tail": L}})),
        (function("y", Y), function("y", {"add": [Y, 0]})),
        (function("y", {"add": [Y, 0]}), function("y", Y)),
        (function("y", 42), function("y", {"quote": 42})),
        (function("y", {"pair": [1, 2]}), function("y", {"record": {"pair": [1, 2]}})),
        (function("y", {"eq": [Y, 0]}), function("y", {"or": [{"eq": [Y, 0]}, {"eq": [Y, ""]}]})),
        (
            function("l", {"get": [L, "a"]}),
            function(
                "l",
                {"if": {"cond": {"eq": [{"length": {"keys": L}}, 1]}, "then": {"get": [L, "a"]}, "else": 0}},
            ),
        ),
    ],
)
def test_two_that_differ_do_so_at_the_input_shown(workspace: Workspace, left: Json, right: Json) -> None:
    found = compared(workspace, left, right)
    assert found["status"] == "refuted"
    one, other = found["counterexample"]["answers"]
    assert one["answer"] != other["answer"]


def test_the_solver_finds_what_a_search_would_not(workspace: Workspace) -> None:
    assert compared(workspace, "square", ALMOST)["counterexample"]["input"] == [37]


def test_errors_of_one_kind_are_one_answer(workspace: Workspace) -> None:
    """Both have no head for []; where they have none is said in the question, so that it is a proposition."""
    left, right = (function("l", {op: [{"head": L}, 0]}) for op in ("add", "sub"))
    found = compared(workspace, left, right)
    assert (found["status"], found["by"]) == ("proved", "proof")
    assert found["reason"].endswith("empty_list")


def test_what_is_no_term_is_refused(workspace: Workspace) -> None:
    assert workspace.analyze(Analyze("square", against={"lam": 1}))["error"]["path"] == "/against"


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (MODULO, function("x", "y", {"sub": [X, {"mul": [Y, {"div": [X, Y]}]}]}), "division_by_zero"),
        (function("x", {"div": [X, X]}), function("x", {"add": [{"mul": [0, {"div": [1, X]}]}, 1]}), "division_by_zero"),
        (function("l", {"add": [{"head": L}, {"head": {"tail": L}}]}),
         function("l", {"add": [{"head": {"tail": L}}, {"head": L}]}), "empty_list"),
    ],
)  # fmt: skip
def test_two_that_have_values_together_do_the_same(
    workspace: Workspace, left: Json, right: Json, kind: str
) -> None:
    found = compared(workspace, left, right)
    assert (found["status"], found.get("by")) == ("proved", "proof"), found
    assert found["reason"].endswith(kind)
    assert all("has_value" in each for each in found["conditions"])


@pytest.mark.parametrize(
    ("left", "right", "status"),
    [
        # One value where both have one; but one has a value where the other has none.
        (function("x", {"div": [X, X]}), function("x", {"if": {"cond": {"eq": [X, 0]}, "then": 1,
                                                                "else": {"div": [X, X]}}}), "refuted"),
        # Values together, and errors of two kinds beside them.
        (TENTH, function("x", {"if": {"cond": {"eq": [X, 0]}, "then": {"head": {"tail": [1]}},
                                      "else": {"div": [10, X]}}}), "refuted"),
        (function("n", {"div": [{"head": {"cons": [1, {"nil": True}]}}, N]}),
         function("n", {"div": [{"head": {"cons": [1, {"nil": True}]}}, {"mul": [N, 1]}]}), "unknown"),
        # One does not end where the other ends in an error.
        (function("n", ENDLESS), function("n", {"if": {"cond": {"lt": [N, 0]}, "then": {"div": [1, 0]}, "else": 1}}),
         "unknown"),
        # Apart at one point alone, where both have values.
        (TENTH, function("x", {"if": {"cond": {"eq": [X, 123456]}, "then": {"div": [7, {"sub": [X, 123449]}]},
                                      "else": {"div": [10, X]}}}), "refuted"),
    ],
)  # fmt: skip
def test_what_differs_where_one_has_no_value_is_never_proved(
    workspace: Workspace, left: Json, right: Json, status: str
) -> None:
    assert compared(workspace, left, right)["status"] == status
