"""Properties of runs: fuel is exact and prefix-closed, tracing and processes change nothing, every answer encodes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pif.language.budget import Budget
from pif.language.errors import KINDS
from pif.language.terms import Term, print_term
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.term_strategies import JSON, Features, Seeded, TermMaker, closed_terms, tool_terms
from tests.support.terms.tool_dictionary import TOOLS, Dictionary, answer

WELL_TYPED = Features(tools=("double", "fact"))
ANYTHING = Features(free=("u",), tools=("double", "fact", "nothing"), context=True, mistakes=3)
TERMS = st.one_of(closed_terms(WELL_TYPED), closed_terms(ANYTHING))
FUEL = 20_000


def ran(term: Term, fuel: int = FUEL, input: Any = 3, **more: Any) -> Answer:
    return answer(
        print_term(term), input, tools=TOOLS, budget=Budget(fuel=fuel, depth=1_000), raw=True, **more
    )


def fuel_of(found: Answer) -> int:
    used = found["error"]["fuel_used"] if found["type"] == "error" else found["fuel_used"]
    assert isinstance(used, int)
    return used


@given(TERMS)
def test_every_answer_has_one_of_three_forms_and_encodes(term: Term) -> None:
    found = ran(term)
    assert found["type"] in ("value", "continuation", "error")
    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert 0 <= fuel_of(found) <= FUEL
    if found["type"] == "error":
        assert found["error"]["kind"] in KINDS
        assert found["error"]["message"]


@given(TERMS, st.data())
def test_fuel_is_exact_and_prefix_closed(term: Term, data: st.DataObject) -> None:
    """With exactly the fuel it used a run ends alike; with less it stops as far as the fuel reaches."""
    found = ran(term)
    used = fuel_of(found)
    assume(found["type"] != "error" or found["error"]["kind"] != "out_of_fuel")
    if used == 0:
        return
    exact = ran(term, used)
    assert exact == found
    less = data.draw(st.integers(1, used))
    if less == used:
        return
    stopped = ran(term, less)
    assert stopped["type"] == "error"
    assert stopped["error"]["kind"] == "out_of_fuel"
    assert stopped["error"]["fuel_used"] == less


@given(TERMS, st.data())
def test_shares_of_the_fuel_add_up_and_change_nothing(term: Term, data: st.DataObject) -> None:
    """A run that is cut anywhere tells the same error with shares and without, and they are all of its fuel."""
    used = fuel_of(ran(term))
    assume(used > 1)
    less = data.draw(st.integers(1, used - 1))
    plain = ran(term, less)
    assume(plain["type"] == "error")
    told = run(
        Request(code=print_term(term), input=3, raw=True), Dictionary(**TOOLS), Budget(fuel=less, depth=1_000),
        shares=True,
    )  # fmt: skip
    shares = told["error"].pop("shares", [])
    assert told == plain
    assert sum(each["fuel"] for each in shares) == (less if plain["error"]["kind"] == "out_of_fuel" else 0)


@given(TERMS, st.data())
def test_a_run_with_less_fuel_is_a_prefix(term: Term, data: st.DataObject) -> None:
    whole = ran(term, trace=1_000)
    used = fuel_of(whole)
    assume(1 < used <= 900)
    less = data.draw(st.integers(1, used - 1))
    part = ran(term, less, trace=1_000)
    steps = [_step(event, used if used else 0, FUEL) for event in whole["trace"]]
    assert [_step(event, less, less) for event in part["trace"]] == steps[: len(part["trace"])]


def _step(event: dict[str, Any], used: int, fuel: int) -> tuple[Any, ...]:
    return event["event"], event["path"], event["term"], tuple(event["names"]), fuel - event["fuel_left"]


@given(TERMS)
def test_tracing_changes_nothing(term: Term) -> None:
    traced = ran(term, trace=5)
    events = traced.pop("trace")
    assert traced == ran(term)
    assert len(events) <= 5


@given(closed_terms(ANYTHING), st.integers(1, 40))
def test_tracing_changes_no_depth(term: Term, depth: int) -> None:
    def at(**more: Any) -> Answer:
        budget = Budget(fuel=FUEL, depth=depth)
        return answer(print_term(term), 3, tools=TOOLS, budget=budget, raw=True, **more)

    traced = at(trace=1)
    del traced["trace"]
    assert traced == at()


@given(tool_terms(Features(tools=("double",), context=True, mistakes=6)), st.integers(0, 3))
def test_driven_steps_are_single_steps(term: Term, drive: int) -> None:
    """The same continuations, the same values, and the fuel is the sum."""
    tools = {**TOOLS, "t": print_term(term)}
    driven = answer("t", 3, tools=tools, budget=Budget(fuel=FUEL, depth=1_000), drive=drive)
    found = answer("t", 3, tools=tools, budget=Budget(fuel=FUEL, depth=1_000))
    used = fuel_of(found)
    for _ in range(drive):
        if found["type"] != "continuation":
            break
        found = answer(found["tool"], found["next_input"], tools=tools, budget=Budget(fuel=FUEL, depth=1_000),
                       step=found["step"], raw=found.get("raw", False))  # fmt: skip
        used += fuel_of(found)
    assert driven["type"] == found["type"]
    assert fuel_of(driven) == used
    for key in ("value", "value_text", "next_input", "step", "tool"):
        if key != "step" or driven["type"] == "continuation":
            assert driven.get(key) == found.get(key)


@given(JSON, JSON)
def test_any_json_as_code_and_input_gets_an_answer(code: Any, given_input: Any) -> None:
    found = answer(code, given_input, tools=TOOLS, budget=Budget(fuel=2_000, depth=500))
    assert found["type"] in ("value", "continuation", "error")
    msgspec.json.encode(found)


def digest(seeds: range) -> str:
    """A hash of the answers to the terms of some seeds, every figure included."""
    total = hashlib.sha256()
    for seed in seeds:
        term = TermMaker(Seeded(seed), ANYTHING, 40).typed("integer")
        total.update(msgspec.json.encode(ran(term), order="deterministic"))
    return total.hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_evaluation_is_the_same_in_every_process(hash_seed: str) -> None:
    code = "from tests.properties.test_pif_runs import digest; print(digest(range(300)))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest(range(300))
