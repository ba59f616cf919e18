"""The specification of PIF, sentence by sentence, as cases in JSON (README.md here describes their form).

Beside what a case says, every case that ends well is run again with exactly the fuel it used (the same answer) and
with one unit less (`out_of_fuel` at the limit), and traced and untraced (the same answer).
"""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pif.language.budget import Budget
from pif.language.errors import nearest
from pif.language.host import Tool
from pif.language.terms import code_text
from pif.run.evaluate import Answer, Request, run
from registry.records import parse_reference
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import closed, read_code
from registry.workspace.requests import Analyze, Evolve, Rollback
from registry.workspace.workspace import Workspace

Case = dict[str, Any]

CASES: dict[str, Case] = {}
for _file in sorted((Path(__file__).parent / "cases").glob("*.json")):
    for _case in json.loads(_file.read_text(encoding="utf-8")):
        _label = f"{_case['section']}: {_case['name']}"
        assert _label not in CASES, _label
        CASES[_label] = _case
RUNS = [label for label, case in CASES.items() if "run" in case]
STEPS = [label for label, case in CASES.items() if "steps" in case]

ANSWER_KEYS = {"kind", "fuel_used", "value_text", "step", "stopped", "raw", "tool"}
ERROR_KEYS = {"path", "in", "tool"}


def built(data: Any) -> Any:
    """A case's data with its builders (`$text`, `$integer`, …) carried out."""
    if isinstance(data, list):
        return [built(item) for item in data]
    if not isinstance(data, dict):
        return data
    match data:
        case {"$text": [piece, times]}:
            return piece * times
        case {"$join": pieces}:
            return "".join(built(pieces))
        case {"$integer": [base, power, more]}:
            return base**power + more
        case {"$digits": [base, power, more]}:
            return str(base**power + more)
        case {"$sha256": text}:
            return "pif1:" + hashlib.sha256(b"pif1\n" + text.encode()).hexdigest()
        case {"$items": [times, item]}:
            return [built(item)] * times
        case {"$fields": [prefix, times, item]}:
            return {f"{prefix}{i}": built(item) for i in range(times)}
        case {"$nested": [times, shape, core]}:
            inner = built(core)
            for _ in range(times):
                inner = _filled(shape, inner)
            return inner
        case _:
            return {key: built(value) for key, value in data.items()}


def _filled(shape: Any, inner: Any) -> Any:
    if shape == "$hole":
        return inner
    if isinstance(shape, list):
        return [_filled(part, inner) for part in shape]
    if isinstance(shape, dict):
        return {key: _filled(part, inner) for key, part in shape.items()}
    return shape


class Versions:
    """A registry for one case: every version of every tool."""

    def __init__(self, versions: dict[str, list[Any]]) -> None:
        self.terms = {
            name: [closed(read_code(code, lambda word: None)) for code in codes]
            for name, codes in versions.items()
        }

    def tool(self, reference: str) -> Tool | None:
        name, _, digits = reference.partition("@")
        terms = self.terms.get(name)
        if terms is None or (digits and not digits.isdigit()):
            return None
        version = int(digits) if digits else len(terms)
        if not 1 <= version <= len(terms):
            return None
        return Tool(name, version, terms[version - 1], reference=reference)

    def nearest(self, name: str) -> str | None:
        return nearest(name, self.terms)


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
