"""PIF in PIF: `std.evaluate` gives what the host gives, on the specification's cases, on random terms and on itself.

Left out: errors of limits (a limit is used up sooner by one evaluator inside another), places of errors, and runs of
several steps, of which it takes one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from pif.analysis.facts import facts_of
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.terms import Json, Term, print_term
from pif.run.evaluate import Answer, Request, run
from pif.run.read_input import read_input
from tests.support.terms.hosted_evaluator import LIMITS, hosted, library_tools, outcome
from tests.support.terms.spec_cases import CASES, RUNS, Versions, built
from tests.support.terms.term_strategies import Features, closed_terms, typed_terms

TOOLS = library_tools()
FACTORIAL = {
    "lam": "n",
    "body": {
        "if": {
            "cond": {"lt": [{"var": "n"}, 1]},
            "then": 1,
            "else": {"mul": [{"var": "n"}, {"app": [{"self": True}, {"sub": [{"var": "n"}, 1]}]}]},
        }
    },
}
DEEPER = {
    "§1 string: a lone surrogate as a tool",
    "§3 written terms: terms nest 400 deep",
    "§3 written terms: a let of 399 names",
    "§3 written terms: an app of 399 arguments",
    "§6 value_text: 150 levels are shown",
    "§6 value_text: 151 levels have their text only",
    "§6 value_text: pairs are two levels each",
    "§7 objects: plain objects nest 400 deep",
}
"""Cases at the limit of what may be written: as a part of the evaluator's input they are beyond it."""


def case_versions(case: dict[str, Any]) -> dict[str, list[Json]]:
    return {name: [code] for name, code in built(case.get("tools", {})).items()} | built(
        case.get("versions", {})
    )


def host(case: dict[str, Any]) -> Answer:
    """The first step of a case on the host, under ordinary limits."""
    wanted = {
        key: value for key, value in built(case["run"]).items() if key not in ("drive", "step", "trace")
    }
    return run(Request(**wanted), Versions(case_versions(case)), Budget(fuel=100_000))


def is_ours(label: str) -> bool:
    """Whether a case is about evaluation, and not about reading, limits or the way an input is written."""
    case = CASES[label]
    if label in DEEPER or case.get("budget") or case["run"].get("data"):
        return False
    answer = host(case)
    kind = answer["error"]["kind"] if answer["type"] == "error" else ""
    return kind not in LIMITS and (kind != "parse_error" or label.startswith("§2 reflect"))


OURS = [label for label in RUNS if is_ours(label)]


def test_most_cases_are_about_evaluation() -> None:
    assert len(OURS) > 540


@pytest.mark.parametrize("label", OURS)
def test_the_cases_of_the_specification(label: str) -> None:
    case = CASES[label]
    wanted = built(case["run"])
    versions = Versions(case_versions(case))
    known: dict[str, Json] = {}
    for name, terms in versions.terms.items():
        known |= {f"{name}@{number + 1}": print_term(term) for number, term in enumerate(terms)}
        known[name] = print_term(terms[-1])
    tool, code = wanted.get("tool"), wanted.get("code")
    if tool is None and isinstance(code, str):
        if versions.tool(code) is not None:
            tool = code
        else:
            code = json.loads(code)
    written = None if tool is not None else print_term(decode_term(code))
    put_in = print_term(read_input(wanted.get("input"), raw=wanted.get("raw", False)))
    found = hosted(TOOLS, written, given=put_in, known=known, tool=tool)
    assert outcome(found) == outcome(host(case))


def agree(term: Term) -> None:
    """The same kind and value, or the same kind of error, wherever neither run meets a limit."""
    code = [print_term(term)]  # in a list: a string alone would name a tool
    expected = run(Request(code=code), TOOLS, Budget(fuel=3_000, depth=400))
    if expected["type"] == "error" and expected["error"]["kind"] in LIMITS:
        return
    found = hosted(TOOLS, code, fuel=6_000)
    if found["type"] == "error" and "path" in found["error"]:
        assert found["error"]["kind"] in LIMITS, (
            found
        )  # the evaluator's own run ended, and not by a mistake in it
    else:
        assert outcome(found) == outcome(expected), (code, found, expected)


@given(typed_terms("integer", Features(mistakes=20)))
def test_typed_terms(term: Term) -> None:
    agree(term)


@given(typed_terms("list", Features(mistakes=20)))
def test_terms_that_give_lists(term: Term) -> None:
    agree(term)


@given(closed_terms())
def test_any_terms(term: Term) -> None:
    agree(term)


def parts_of_the_evaluator() -> list[str]:
    found: set[str] = set()
    waiting = ["std.evaluate"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            tool = TOOLS.tool(name)
            assert tool is not None
            waiting += facts_of(tool.term).tools
    return sorted(found)


def test_it_interprets_factorial() -> None:
    found = hosted(TOOLS, {"app": ["factorial", 20]}, known={"factorial": FACTORIAL})
    assert found == {"fuel_used": 269, "kind": "integer", "type": "value", "value": 2432902008176640000}


def test_it_interprets_itself_interpreting_factorial() -> None:
    inner = {"code": {"quote": {"app": ["factorial", 2]}}, "fuel": 1_000,
             "tools": {"record": {"factorial": {"quote": FACTORIAL}}}}  # fmt: skip
    itself = {name: {"code_of": name} for name in parts_of_the_evaluator()}
    outer = {
        "code": {"quote": {"app": ["std.evaluate", {"record": inner}]}},
        "fuel": 100_000,
        "tools": {"record": itself},
    }
    answer = run(Request(code={"app": ["std.evaluate", {"record": outer}]}), TOOLS, Budget(fuel=5_000_000))
    assert answer["type"] == "value", answer
    assert answer["value"]["value"]["value"] == 2
    assert (answer["value"]["kind"], answer["value"]["value"]["kind"]) == ("record", "integer")


def test_fuel_is_the_evaluators_to_give() -> None:
    loop = {"lam": "x", "body": {"app": [{"self": True}, {"var": "x"}]}}
    found = hosted(TOOLS, {"app": ["loop", 1]}, known={"loop": loop}, fuel=200)
    assert found == {"error": {"kind": "out_of_fuel", "message": "the fuel is used up"}, "fuel_used": 200,
                     "type": "error"}  # fmt: skip
