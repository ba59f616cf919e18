"""The specification of PIF, sentence by sentence, as cases in JSON (README.md here describes their form).

Beside what a case says, every case that ends well is run again with exactly the fuel it used (the same answer) and
with one unit less (`out_of_fuel` at the limit), and traced and untraced (the same answer).
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pif.language.budget import Budget
from pif.language.terms import code_text
from pif.run.evaluate import Answer, Request, run
from registry.records import parse_reference
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Analyze, Evolve, Rollback
from registry.workspace.workspace import Workspace
from tests.support.terms.spec_cases import CASES, RUNS, Case, Versions, built

STEPS = [label for label, case in CASES.items() if "steps" in case]

ANSWER_KEYS = {"kind", "fuel_used", "value_text", "step", "stopped", "raw", "tool"}
ERROR_KEYS = {"path", "in", "tool"}


def answered(case: Case, **limits: int) -> Answer:
    """What `run` answers to a case, under its budget or a smaller one."""
    versions = {name: [code] for name, code in built(case.get("tools", {})).items()}
    versions |= built(case.get("versions", {}))
    request = Request(**built(case["run"]))
    return run(request, Versions(versions), Budget(**(case.get("budget", {}) | limits)))


def expected_type(expect: Case) -> str:
    if "error" in expect:
        return "error"
    return "continuation" if "continuation" in expect else "value"


def check_value(found: Answer, expect: Case) -> None:
    """A value or a continuation: nothing is missing, and nothing is there that was not expected."""
    if "continuation" in expect:
        assert code_text(found["next_input"]) == code_text(built(expect["continuation"]))
        assert found["message"] == "Recursive step needed. Call run again with:"
    elif "value" in expect:
        assert code_text(found["value"]) == code_text(built(expect["value"]))
    elif "text" in expect:
        assert msgspec.json.encode(found["value"]).decode() == expect["text"]
    assert ("value" in found) == ("continuation" not in expect and not expect.get("no_value", False))
    for key in ANSWER_KEYS:
        if key in expect or key != "fuel_used":
            assert found.get(key) == built(expect.get(key)), key


def check_error(error: dict[str, Any], expect: Case) -> None:
    assert error["kind"] == expect["error"], error
    for key in ERROR_KEYS:
        if not (key == "path" and expect.get("any_path", False)):
            assert error.get(key) == built(expect.get(key)), (key, error)
    if "fuel_used" in expect:
        assert error["fuel_used"] == expect["fuel_used"]
    for word in expect.get("message", ()):
        assert word in error["message"]
    assert expect.get("hint", "") in error.get("hint", ""), error


def check_trace(events: list[dict[str, Any]], expect: Case) -> None:
    if "trace" in expect:
        assert len(events) == len(expect["trace"]), events
        for event, wanted in zip(events, expect["trace"], strict=True):
            if "names_set" in wanted:
                assert set(event["names"]) == set(wanted["names_set"])
                wanted = {key: value for key, value in wanted.items() if key != "names_set"}
            assert {key: event.get(key) for key in wanted} == wanted
    if "fuel_steps" in expect:
        left = [event["fuel_left"] for event in events]
        assert [before - after for before, after in itertools.pairwise(left)] == expect["fuel_steps"]
    for event in events:
        assert {"event", "path", "term", "names", "fuel_left"} <= event.keys()
        assert len(event["term"]) <= expect.get("term_at_most", 1_000)


@pytest.mark.parametrize("label", RUNS)
def test_run(label: str) -> None:
    case = CASES[label]
    expect = case["expect"]
    found = answered(case)
    assert found["type"] == expected_type(expect), found
    if "error" in expect:
        check_error(found["error"], expect)
    else:
        check_value(found, expect)
    check_trace(found.get("trace", []), expect)
    assert msgspec.json.decode(msgspec.json.encode(found)) == found


METERED = [
    label
    for label in RUNS
    if "stopped" not in CASES[label]["expect"]
    and CASES[label]["expect"].get("error") != "out_of_fuel"
    and CASES[label]["expect"].get("fuel_used") != 0
]


@pytest.mark.parametrize("label", METERED)
def test_the_same_with_exactly_the_fuel_used_and_no_less(label: str) -> None:
    case = CASES[label]
    found = answered(case)
    used = found["error"]["fuel_used"] if found["type"] == "error" else found["fuel_used"]
    exact = answered(case, fuel=max(1, used))
    for answer in (found, exact):
        answer.pop("trace", None)
    assert exact == found
    if used > 1 and not case["run"].get("drive"):
        short = answered(case, fuel=used - 1)
        assert short["error"]["kind"] == "out_of_fuel"
        assert short["error"]["fuel_used"] == used - 1


@pytest.mark.parametrize("label", [label for label in RUNS if "depth" in CASES[label]["expect"]])
def test_the_depth_used_and_no_less(label: str) -> None:
    case = CASES[label]
    depth = case["expect"]["depth"]
    assert answered(case, depth=depth) == answered(case)
    assert answered(case, depth=depth - 1)["error"]["kind"] == "too_deep"


@pytest.mark.parametrize("label", [label for label in RUNS if "trace" not in CASES[label]["run"]])
def test_a_trace_changes_nothing(label: str) -> None:
    case = CASES[label]
    traced = answered(case | {"run": case["run"] | {"trace": 1}})
    events = traced.pop("trace")
    assert len(events) <= 1
    assert traced == answered(case)


@pytest.mark.parametrize("label", STEPS)
def test_steps(label: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    workspace = Workspace(store)
    try:
        for step in CASES[label]["steps"]:
            expect = built(step["expect"])
            found = taken(workspace, {key: built(value) for key, value in step.items() if key != "expect"})
            says = expect.pop("says", None)
            assert says is None or says in json.dumps(found)
            if "errors" in expect:
                assert [error["path"] for error in found["errors"]] == expect["errors"]
            elif "error" in expect:
                assert found["type"] == "error", found
                assert {key: found["error"].get(key) for key in expect["error"]} == expect["error"]
            else:
                assert found["type"] != "error", found
                assert {key: found.get(key) for key in expect} == expect
    finally:
        store.close()


def taken(workspace: Workspace, step: Case) -> Answer:
    """One step on a registry: the answer of the operation that it names."""
    ((operation, arguments),) = step.items()
    match operation:
        case "run":
            fuel = arguments.pop("fuel", None)
            return workspace.run(Request(**arguments), fuel=fuel)
        case "evolve":
            return workspace.evolve(Evolve(**arguments))
        case "rollback":
            return workspace.rollback(Rollback(**arguments))
        case "forget":
            parse_reference(arguments["name"])
            return workspace.forget(arguments["name"])
        case _:
            assert operation == "analyze"
            return workspace.analyze(Analyze(**arguments))
