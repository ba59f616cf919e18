"""Synthesis by counterexample, as tools of the library: propose, verify, read the counterexample, refine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.theory.theory import Theory
from pif.run.evaluate import Answer, Request
from registry.oracles.theory_oracle import TheorySnapshot
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def snapshot() -> Iterator[TheorySnapshot]:
    made = TheorySnapshot(Theory())
    yield made
    made.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    store = SqliteStore(tmp_path)
    yield Workspace(store)
    store.close()


def var(name: str) -> Any:
    return {"var": name}


def synthesis(specification: Any, leaves: list[Any], names: str = "xy") -> Any:
    return {"app": ["std.synthesize", {"record": {
        "variables": [{"record": {"name": name, "type": "ℤ"}} for name in names],
        "specification": {"quote": specification},
        "candidates": {"app": ["std.synthesis_candidates", {"record": {"leaves": [{"quote": leaf} for leaf in leaves]}}]},
    }}]}  # fmt: skip


def run(workspace: Workspace, snapshot: TheorySnapshot, code: Any) -> Answer:
    return workspace.run(Request(code=code), fuel=2_000_000, theory=snapshot.for_run())


R = var("result")
GREATER = {"and": [{"and": [{"gte": [R, var("x")]}, {"gte": [R, var("y")]}]},
                   {"or": [{"eq": [R, var("x")]}, {"eq": [R, var("y")]}]}]}  # fmt: skip


def test_the_greater_of_two_numbers(workspace: Workspace, snapshot: TheorySnapshot) -> None:
    answer = run(workspace, snapshot, synthesis(GREATER, [var("x"), var("y"), 0, 1]))
    found = answer["value"]
    assert found["verdict"] == "verified"
    assert 1 < found["asked"] <= len(found["counterexamples"]) + 1 < found["tried"]
    for x, y in ((3, 5), (5, 3), (-2, -7), (4, 4)):
        code = {"let": {"x": x, "y": y}, "in": found["term"]}
        assert workspace.run(Request(code=code))["value"] == max(x, y)
    assert run(workspace, snapshot, synthesis(GREATER, [var("x"), var("y"), 0, 1])) == answer


def test_each_counterexample_refutes_the_candidates_before_it(
    workspace: Workspace, snapshot: TheorySnapshot
) -> None:
    double = {"eq": [R, {"mul": [var("x"), 2]}]}
    found = run(workspace, snapshot, synthesis(double, [var("x"), 1], "x"))["value"]
    assert (found["verdict"], found["term"]) == ("verified", {"add": [var("x"), var("x")]})
    for values in found["counterexamples"]:
        assert values != [0] or found["asked"] > 1


def test_what_no_candidate_fits_stays_open(workspace: Workspace, snapshot: TheorySnapshot) -> None:
    found = run(workspace, snapshot, synthesis({"eq": [R, {"add": [var("x"), 7]}]}, [var("x"), 1], "x"))[
        "value"
    ]
    assert found["verdict"] == "searching"
    assert found["undecided"] == []
    assert found["counterexamples"]


def test_without_a_theory_it_says_so(workspace: Workspace) -> None:
    found = workspace.run(Request(code=synthesis(GREATER, [var("x")])), fuel=200_000)
    assert found["error"]["kind"] == "oracle_error"
    assert found["error"]["tool"] == "std.synthesize@1"
