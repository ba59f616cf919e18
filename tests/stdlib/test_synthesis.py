"""Synthesis as tools of the library: from candidates, from examples, and by size from a specification."""

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


def test_what_no_candidate_fits_is_exhausted(workspace: Workspace, snapshot: TheorySnapshot) -> None:
    found = run(workspace, snapshot, synthesis({"eq": [R, {"add": [var("x"), 7]}]}, [var("x"), 1], "x"))[
        "value"
    ]
    assert (found["verdict"], found["size"]) == ("exhausted", 6)
    assert found["undecided"] == []
    assert found["counterexamples"]


def test_without_a_theory_it_says_so(workspace: Workspace) -> None:
    found = workspace.run(Request(code=synthesis(GREATER, [var("x")])), fuel=200_000)
    assert found["error"]["kind"] == "oracle_error"
    assert found["error"]["tool"] == "std.synthesize@1"


# ── By size ──────────────────────────────────────────────────────────────────────────────────────────────────

COMMAND_LINE = 1_000_000
"""The fuel of a run from the command line, which is to suffice."""

Z, BOOL, TEXT, LIST = "ℤ", "Bool", "String", "List(ℤ)"


def by_size(workspace: Workspace, snapshot: TheorySnapshot, names: str, specification: Any, size: int) -> Any:
    code = {"app": ["std.synthesize_by_size", {"record": {
        "variables": [{"record": {"name": name, "type": Z}} for name in names],
        "specification": {"quote": specification}, "size": size,
    }}]}  # fmt: skip
    answer = workspace.run(Request(code=code), fuel=COMMAND_LINE, theory=snapshot.for_run())
    assert answer["type"] == "value", answer
    return answer["value"]


def from_examples(
    workspace: Workspace, types: list[str], result: str, examples: list[tuple[list[Any], Any]], size: int = 5
) -> Any:
    code = {"app": ["std.synthesize_from_examples", {"record": {
        "variables": [{"record": {"name": f"x{n}", "type": each}} for n, each in enumerate(types)],
        "result": result, "size": size,
        "examples": [{"record": {"input": given, "output": output}} for given, output in examples],
    }}]}  # fmt: skip
    answer = workspace.run(Request(code=code), fuel=COMMAND_LINE)
    assert answer["type"] == "value", answer
    assert workspace.run(Request(code=code), fuel=COMMAND_LINE) == answer, (
        "the same again, to the unit of fuel"
    )
    return answer["value"]


def value_at(workspace: Workspace, term: Any, values: dict[str, Any]) -> Any:
    answer = workspace.run(Request(code={"let": values, "in": term}), fuel=COMMAND_LINE)
    assert answer["type"] == "value", answer
    return answer["value"]


def greatest(names: str) -> Any:
    """The specification of the greatest of some numbers."""
    claim: Any = {"eq": [R, var(names[0])]}
    for name in names[1:]:
        claim = {"or": [claim, {"eq": [R, var(name)]}]}
    for name in names:
        claim = {"and": [claim, {"gte": [R, var(name)]}]}
    return claim


ABSOLUTE = {"and": [{"gte": [R, 0]}, {"or": [{"eq": [R, var("x")]}, {"eq": [{"add": [R, var("x")]}, 0]}]}]}
TWICE_AND_ONE = {"eq": [R, {"add": [{"mul": [2, var("x")]}, 1]}]}


@pytest.mark.parametrize(
    ("names", "specification", "meant"),
    [
        ("x", ABSOLUTE, abs),
        ("x", TWICE_AND_ONE, lambda x: 2 * x + 1),
        ("abc", greatest("abc"), lambda a, b, c: max(a, b, c)),
    ],
)
def test_terms_that_are_proved_right_are_found(
    workspace: Workspace, snapshot: TheorySnapshot, names: str, specification: Any, meant: Any
) -> None:
    found = by_size(workspace, snapshot, names, specification, 5)
    assert found["verdict"] == "verified", found
    (term,) = found["term"]
    for start in range(-9, 9, 2):
        values = [start, (7 * start) % 11 - 5, (5 * start) % 13 - 6][: len(names)]
        assert value_at(workspace, term, dict(zip(names, values, strict=True))) == meant(*values)


def test_a_specification_out_of_reach_is_exhausted_with_the_size(
    workspace: Workspace, snapshot: TheorySnapshot
) -> None:
    found = by_size(workspace, snapshot, "x", {"eq": [R, {"add": [var("x"), 70]}]}, 3)
    assert (found["verdict"], found["size"], found["term"]) == ("exhausted", 3, [])
    assert found["tried"] > 40
    nothing = by_size(workspace, snapshot, "x", {"lt": [R, R]}, 3)
    assert (nothing["verdict"], nothing["size"]) == ("exhausted", 3)


@pytest.mark.parametrize(
    ("types", "result", "examples", "other"),
    [
        ([Z], Z, [([n], abs(n)) for n in (-5, -1, 0, 2, 7)], ([-40], 40)),
        ([Z], Z, [([n], 2 * n + 1) for n in (-5, -1, 0, 2, 7)], ([40], 81)),
        ([Z], BOOL, [([n], n <= 1) for n in (-5, 0, 1, 2, 7)], ([50], False)),
        ([BOOL, BOOL], BOOL, [([a, b], a and not b) for a in (True, False) for b in (True, False)], ([True, False], True)),
        ([TEXT, TEXT], TEXT, [(["ab", "c"], "cab"), (["", "x"], "x"), (["y", ""], "y")], (["u", "v"], "vu")),
        ([TEXT], Z, [(["ab"], 3), ([""], 1), (["y"], 2)], (["four"], 5)),
        ([LIST], LIST, [([[1, 2]], [2, 1, 1, 2]), ([[]], []), ([[3]], [3, 3])], ([[4, 5]], [5, 4, 4, 5])),
        ([LIST], Z, [([[1, 2]], 5), ([[]], 0), ([[3]], 4)], ([[10, 20, 30]], 63)),
        ([LIST], BOOL, [([[1, 2]], False), ([[]], True), ([[3]], False)], ([[0]], False)),
        ([Z, LIST], LIST, [([1, [2]], [1, 2]), ([3, []], [3])], ([7, [8]], [7, 8])),
    ],
)  # fmt: skip
def test_terms_of_every_type_are_found_from_examples(
    workspace: Workspace, types: list[str], result: str, examples: list[tuple[list[Any], Any]], other: Any
) -> None:
    found = from_examples(workspace, types, result, examples)
    assert found["verdict"] == "found", found
    (term,) = found["term"]
    for given, output in [*examples, other]:
        values = {f"x{n}": each for n, each in enumerate(given)}
        assert value_at(workspace, term, values) == output


def test_examples_that_contradict_each_other_are_inconsistent(workspace: Workspace) -> None:
    found = from_examples(workspace, [Z], Z, [([1], 1), ([2], 2), ([1], 3)])
    assert (found["verdict"], found["term"], found["tried"]) == ("inconsistent", [], 0)
    assert from_examples(workspace, [Z], Z, [([1], 1), ([1], 1)])["verdict"] == "found"


@pytest.mark.parametrize("size", [0, 1, 3, 4])
def test_examples_out_of_reach_are_exhausted_with_the_size(workspace: Workspace, size: int) -> None:
    found = from_examples(workspace, [Z], Z, [([1], 1000), ([2], 7)], size)
    assert (found["verdict"], found["size"], found["term"]) == ("exhausted", size, [])


def test_one_term_is_kept_of_those_with_the_same_values(workspace: Workspace) -> None:
    code = {"app": ["std.synthesis_fresh", {"record": {
        "new": [{"record": {"type": Z, "values": [2, 4], "term": {"quote": {"add": [var("x"), var("x")]}}}},
                {"record": {"type": Z, "values": [1, 2], "term": {"quote": {"mul": [var("x"), 1]}}}},
                {"record": {"type": Z, "values": [2, 4], "term": {"quote": {"mul": [2, var("x")]}}}}],
        "seen": [{"record": {"type": Z, "values": [1, 2], "term": {"quote": var("x")}}}],
    }}]}  # fmt: skip
    (kept,) = workspace.run(Request(code=code), fuel=COMMAND_LINE)["value"]
    assert kept["term"] == {"mul": [2, var("x")]}


def test_a_type_that_is_not_known_is_an_error_that_names_those_that_are(workspace: Workspace) -> None:
    code = {"app": ["std.synthesize_from_examples", {"record": {
        "variables": [{"record": {"name": "x", "type": "int"}}], "result": Z, "size": 3,
        "examples": [{"record": {"input": [1], "output": 1}}],
    }}]}  # fmt: skip
    error = workspace.run(Request(code=code), fuel=COMMAND_LINE)["error"]
    assert error["kind"] == "missing_key"
    assert "List(ℤ)" in str(error)


def test_a_search_stops_where_its_fuel_does(workspace: Workspace) -> None:
    code = {"app": ["std.synthesize_from_examples", {"record": {
        "variables": [{"record": {"name": "x", "type": Z}}], "result": Z, "size": 9,
        "examples": [{"record": {"input": [1], "output": 1000}}, {"record": {"input": [2], "output": 7}}],
    }}]}  # fmt: skip
    assert workspace.run(Request(code=code), fuel=50_000)["error"]["kind"] == "out_of_fuel"
