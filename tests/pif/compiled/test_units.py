"""Compiled units: when code is compiled, what is cached, how runs stop, and that answers do not depend on it."""

from __future__ import annotations

import gc
import math
import threading
from typing import Any

import pytest

from pif.compiled import flat_lists, generate, runtime
from pif.compiled import units as unit
from pif.compiled.runtime import Runtime
from pif.compiled.units import Cache, Prepared
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.value_text import print_value
from pif.language.values import ANY, dismantle
from pif.reference import run_input
from pif.reference.run_input import given_term
from pif.run import evaluate, stepping
from pif.run.evaluate import Request, run
from pif.run.stepping import Stepper
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.tool_dictionary import Dictionary, answer

Json = Any


def var(name: str) -> Json:
    return {"var": name}


def lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


def counting(step: Json) -> Json:
    """A function of n: a fold over n steps."""
    return lam("n", {"fold": [lam("p", step), 0, {"range": [0, var("n")]}]})


SUM = counting({"add": [{"fst": var("p")}, {"snd": var("p")}]})
FIB = lam("n", {"if": {"cond": {"lt": [var("n"), 2]}, "then": var("n"), "else": {"add": [
    {"app": [{"self": True}, {"sub": [var("n"), 1]}]}, {"app": [{"self": True}, {"sub": [var("n"), 2]}]}]}}})  # fmt: skip
COUNTDOWN = lam("n", {"if": {"cond": {"lt": [var("n"), 1]}, "then": "done", "else": {
    "continue": {"input": {"sub": [var("n"), 1]}}}}})  # fmt: skip
BUDGET = Budget(fuel=1_000_000)


class Kept:
    """Tools that stay the same objects from run to run, as the registry's do."""

    def __init__(self, **codes: Json) -> None:
        self.tools = {name: Tool(name, 1, decode_term(code)) for name, code in codes.items()}

    def tool(self, reference: str) -> Tool | None:
        return self.tools.get(reference)

    def nearest(self, name: str) -> str | None:
        return None


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each compiled attempt succeeded."""
    made: list[bool] = []
    plain = unit.attempt

    def counted(*arguments: Any, **more: Any) -> unit.Outcome | None:
        outcome = plain(*arguments, **more)
        made.append(outcome is not None)
        return outcome

    monkeypatch.setattr(stepping, "attempt", counted)
    monkeypatch.setattr(stepping, "is_loaded", lambda: True)
    monkeypatch.setattr(evaluate, "_cache", Cache())
    return made


def test_a_short_run_compiles_nothing(attempts: list[bool]) -> None:
    assert answer(SUM, 10)["value"] == 45
    assert attempts == []


def test_a_long_run_is_compiled_in_its_course(attempts: list[bool]) -> None:
    assert answer(SUM, 10_000)["value"] == 49_995_000
    assert attempts == [True]


def test_a_long_list_is_not_linked_for_a_trial(attempts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    total = lam("l", {"fold": [lam("p", {"add": [{"fst": var("p")}, {"snd": var("p")}]}), 0, var("l")]})
    monkeypatch.setattr(run_input, "list_of", lambda items: pytest.fail("linked"))
    assert run(Request(tool="t", input=[1] * 10_000), Kept(t=total), BUDGET)["value"] == 10_000
    assert attempts == [True]


def test_source_is_made_once_where_the_form_tells_how_lists_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """One list is returned as it was gathered, the other is turned round at each step."""
    made: list[bool] = []
    plain = generate._draft_function
    monkeypatch.setattr(generate, "_draft_function", lambda *all_: made.append(True) or plain(*all_))
    first, second = {"fst": var("p")}, {"snd": var("p")}
    gathered = {"fold": [lam("p", {"cons": [second, first]}), [], var("l")]}
    more = {"fold": [lam("p", {"cons": [{"add": [second, 1]}, first]}), [], {"fst": var("q")}]}
    turned = {"fold": [lam("p", {"cons": [second, first]}), [], {"cons": [{"snd": var("q")}, more]}]}
    for body in (gathered, {"fold": [lam("q", turned), [], var("l")]}):
        tool = Tool("t", 1, decode_term(lam("l", body)))
        generate.draft_function(tool.term, tool, ("list", "int"), Kept(), checks_sizes=False)
    assert len(made) == 2


def test_what_runs_for_long_is_compiled_once_more_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three lists two are looked at as values, which a first compilation has no tries to find out."""
    made: list[bool] = []
    plain = generate._draft_function
    monkeypatch.setattr(generate, "_draft_function", lambda *all_: made.append(True) or plain(*all_))
    monkeypatch.setattr(flat_lists, "_MANY_NODES", 0)
    monkeypatch.setattr(unit, "_REMAKING_A_NODE", 20)
    gathered = {"fold": [lam("p", {"cons": [{"snd": var("p")}, {"fst": var("p")}]}), [], var("l")]}
    total = {"fold": [lam("p", {"add": [{"fst": var("p")}, {"snd": var("p")}]}), 0, var("c")]}
    body = {
        "let": {"a": gathered, "b": gathered, "c": gathered},
        "in": [{"head": var("a")}, {"head": var("b")}, total],
    }
    tool = Tool("t", 1, decode_term(lam("l", body)))
    session = Stepper(Kept(), BUDGET, Cache(), cancelled=None, hook=None)
    prepared = session.cache.prepared(tool)
    drafts, steps = [], []
    for _ in range(40):
        step = session.attempt(prepared, given_term(decode_term([1, 2, 3])), 10_000)
        assert step is not None
        steps.append(step)
        drafts.append(len(made))
    answers = [(print_value(step.value, 100), step.used) for step in steps]
    assert answers == [answers[0]] * len(answers)
    assert drafts[0] == 2
    assert drafts[-1] > drafts[0] + 2
    assert drafts.count(drafts[0]) + drafts.count(drafts[-1]) == len(drafts)


def test_fields_of_a_record_share_what_is_found_out_of_it() -> None:
    """Its kind is tested, its dictionary and each field taken once, on each way."""
    field = {"get": [var("r"), "a"]}
    term = decode_term(
        lam(
            "r",
            {"if": {"cond": {"lt": [field, {"get": [var("r"), "b"]}]}, "then": [field, field], "else": 0}},
        )
    )
    source = generate.draft_function(term, None, ANY, Kept(), checks_sizes=False).source
    assert source.count("fields0(") == source.count("recordtype0") == 1
    assert source.count("r1[") == 2  # each of two fields, once


def test_a_list_literal_is_built_once_where_it_is_kept_and_never_where_it_is_only_taken_apart() -> None:
    """Memory is charged once for it."""
    kept = lam("x", {"let": {"l": [var("x"), 1]}, "in": [var("l"), var("l"), {"tail": var("l")}]})
    step = lam("p", {"add": [{"fst": var("p")}, {"snd": var("p")}]})
    taken_apart = lam(
        "x",
        {"let": {"l": [var("x"), 1]}, "in": {"fold": [step, {"head": var("l")}, {"tail": var("l")}]}},
    )
    source = generate.draft_function(decode_term(kept), None, "int", Kept(), checks_sizes=False).source
    assert source.count("(v1, (1, (), 1), 2)") == 1
    source = generate.draft_function(decode_term(taken_apart), None, "int", Kept(), checks_sizes=False).source
    assert "()" not in source.replace("stop0()", "")


def test_what_is_compiled_is_used_at_once(attempts: list[bool]) -> None:
    tools = Kept(sum=SUM)
    for count in (10_000, 10, 3):
        run(Request(tool="sum", input=count), tools, BUDGET)
    assert attempts == [True, True, True]


def test_many_short_runs_are_worth_compiling_for(attempts: list[bool]) -> None:
    tools = Kept(sum=SUM)
    for _ in range(200):
        run(Request(tool="sum", input=20), tools, BUDGET)
    assert attempts[-1:] == [True]


def test_the_compiler_is_loaded_for_longer_runs_only(
    attempts: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stepping, "is_loaded", lambda: False)
    tools = Kept(sum=SUM)
    assert run(Request(tool="sum", input=1_000), tools, BUDGET)["value"] == 499_500
    assert attempts == []
    assert run(Request(tool="sum", input=10_000), tools, BUDGET)["value"] == 49_995_000
    assert attempts == [True]


def test_nothing_is_compiled_where_there_is_no_time_for_it(attempts: list[bool]) -> None:
    tools = Kept(sum=SUM)
    found = run(Request(tool="sum", input=10_000), tools, BUDGET, brief=2_000)
    assert found["error"]["kind"] == "out_of_fuel"
    assert attempts == []


def test_code_that_multiplies_what_it_gives_is_tried_for_longer(attempts: list[bool]) -> None:
    """Its integers outgrow small ones when the attempt is nearly over; a remainder keeps them small."""
    less = {"app": [{"self": True}, {"sub": [var("n"), 1]}]}
    for product, are_made in (
        ({"mul": [var("n"), less]}, []),
        ({"mod": [{"mul": [var("n"), less]}, 7]}, [True]),
    ):
        body = {"if": {"cond": {"lte": [var("n"), 1]}, "then": 1, "else": product}}
        answered = run(Request(tool="t", input=300), Kept(t=lam("n", body)), BUDGET)
        assert answered["value"] == (math.factorial(300) if not are_made else 0)
        assert attempts == are_made


def test_a_wide_integer_is_no_re_run_on_the_reference(attempts: list[bool]) -> None:
    power = counting({"add": [{"fst": var("p")}, {"fst": var("p")}]})
    power["body"]["fold"][1] = 1
    assert answer(power, 5_000, budget=Budget(fuel=100_000))["value"] == 2**5_000
    assert attempts == [True]


def test_a_tool_that_changes_is_compiled_anew(attempts: list[bool]) -> None:
    """A unit holds the code of every tool that it calls by name, and only as long as the name means the same."""
    double, triple = ({"lam": "x", "body": {"mul": [var("x"), factor]}} for factor in (2, 3))
    caller = Kept(double=double, caller=counting({"add": [{"fst": var("p")}, {"app": ["double", 1]}]}))
    with compiling_at_once():
        assert run(Request(tool="caller", input=50), caller, BUDGET)["value"] == 100
        caller.tools["double"] = Tool("double", 2, decode_term(triple))
        assert run(Request(tool="caller", input=50), caller, BUDGET)["value"] == 150
    assert attempts == [True, True]


def test_quoted_code_is_compiled_once_however_often_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    plain = unit.compiled
    monkeypatch.setattr(unit, "compiled", lambda source: compiled.append(source) or plain(source))
    step = {
        "eval": {
            "if": {"cond": True, "then": {"quote": {"add": [{"fst": var("p")}, 1]}}, "else": {"quote": 1}}
        }
    }
    with compiling_at_once():
        assert answer(counting(step), 500)["value"] == 500
    assert len(compiled) == 2


def test_code_that_is_always_new_is_left_to_the_reference(attempts: list[bool]) -> None:
    """Compiling each piece would take longer than evaluating it."""
    step = {"eval": {"quote": {"add": [{"unquote": {"fst": var("p")}}, 1]}}}
    with compiling_at_once():
        assert answer(counting(step), 2_000)["value"] == 2_000
    assert attempts == [False]


@pytest.mark.parametrize("code", [counting({"length": {"show": {"snd": var("p")}}}), FIB])
def test_a_compiled_run_stops_when_it_is_cancelled(code: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks often: with a flag that is set after the first look, it ends long before its fuel."""
    monkeypatch.setattr(runtime, "SLICE", 1_000)
    monkeypatch.setattr(runtime, "_PATIENCE", 50)
    looks: list[int] = []

    def cancelled() -> bool:
        looks.append(1)
        return len(looks) > 1

    with compiling_at_once():
        given = 30 if code is FIB else 100_000
        tools = Dictionary(t=code)
        found = run(Request(tool="t", input=given), tools, Budget(fuel=5_000_000), cancelled=cancelled)
    assert found["error"]["kind"] == "cancelled"
    assert 0 < found["error"]["fuel_used"] < 2_000_000
    assert len(looks) == 2


def test_looks_in_a_loop_of_slow_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop's fuel is taken before it starts; it is asked all the same while it goes on."""
    looks = _looks(monkeypatch, counting({"length": {"show": {"pair": [1, {"snd": var("p")}]}}}), 20_000)
    assert looks >= 20_000 // 1_024


def _looks(monkeypatch: pytest.MonkeyPatch, code: Json, given: int) -> int:
    looks: list[int] = []

    def cancelled() -> bool:
        looks.append(1)
        return False

    with compiling_at_once():
        run(Request(code=code, input=given), Dictionary(), Budget(fuel=5_000_000), cancelled=cancelled)
    return len(looks)


def test_threads_share_compiled_code_and_nothing_else() -> None:
    """Each run has globals of its own: fuel is exact whatever runs beside it."""
    tools = Kept(fib=FIB, sum=SUM)
    alone = {name: run(Request(tool=name, input=15), tools, BUDGET) for name in ("fib", "sum")}
    wrong: list[Any] = []

    def work(name: str) -> None:
        for _ in range(30):
            found = run(Request(tool=name, input=15), tools, BUDGET)
            if found != alone[name]:
                wrong.append(found)

    with compiling_at_once():
        threads = [threading.Thread(target=work, args=(name,)) for name in ("fib", "sum") * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_the_collector_is_off_during_a_compiled_run_and_on_after_it() -> None:
    states: list[bool] = []

    def cancelled() -> bool:
        states.append(gc.isenabled())
        return False

    with compiling_at_once():
        run(Request(code=SUM, input=50_000), Dictionary(), BUDGET, cancelled=cancelled)
    assert states
    assert not any(states)
    assert gc.isenabled()


def test_runtimes_keep_nothing_of_a_run() -> None:
    """What is kept for the next run refers to none of the last one's values, tools or flags."""
    tools = Kept(sum=SUM)
    with compiling_at_once() as cache:
        run(Request(tool="sum", input=100), tools, BUDGET, cancelled=lambda: False)
        prepared = cache.ready(tools.tools["sum"])
        assert prepared is not None
        (made,) = prepared.units.values()
        ((kept, _),) = made.idle
    assert isinstance(kept, Runtime)
    assert kept.session.cancelled is None
    assert kept.session.tools is not tools
    assert kept.session.long_lists == []


def test_long_lists_of_compiled_runs_are_taken_apart_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    plain = stepping.dismantle
    monkeypatch.setattr(
        stepping,
        "dismantle",
        lambda lists: (
            taken.extend(len(made) if type(made) is list else made[2] for made in lists) or plain(lists)
        ),
    )
    code = lam(
        "n", {"length": {"fold": [lam("p", {"cons": [1, {"fst": var("p")}]}), [], {"range": [0, var("n")]}]}}
    )
    with compiling_at_once():
        assert answer(code, 9_000)["value"] == 9_000
        assert answer(lam("n", {"head": code["body"]["length"]}), 9_000)["value"] == 1
    assert taken == [9_000, 9_000]


def test_a_list_that_something_else_holds_is_not_taken_apart() -> None:
    held, alone = [1] * 9_000, [2] * 9_000
    lists = [held, alone]
    del alone
    dismantle(lists)
    assert (lists, held) == ([], [1] * 9_000)


# The cache.


def prepared(cache: Cache, number: int) -> Prepared:
    term = decode_term(lam("x", {"add": [var("x"), number]}))
    found = cache.prepared(term)
    found.unit("int", Dictionary(), checks_sizes=False)
    cache.trim()
    return found


def test_the_cache_is_bounded_and_drops_what_was_used_longest_ago() -> None:
    cache = Cache(limit=40_000)
    for number in range(12):
        kept = prepared(cache, number)
        assert cache.prepared(kept.term) is kept
    assert 1 < len(cache) < 12
    assert sum(entry.weight() for entry in cache._kept.values()) <= 40_000


def test_the_same_code_is_prepared_once_whoever_asks() -> None:
    cache = Cache()
    code = lam("x", var("x"))
    first, second = (Tool("t", 1, decode_term(code)) for _ in range(2))
    assert cache.prepared(first) is cache.prepared(second)
    assert cache.prepared(first) is not cache.prepared(Tool("other", 1, first.term))


# Driven steps.


def driven(steps: int, **more: Any) -> Json:
    tools = Kept(countdown=COUNTDOWN)
    return run(Request(tool="countdown", input=steps, drive=10**6), tools, Budget(fuel=1_000_000), **more)


@pytest.mark.parametrize("steps", [0, 1, 5, 40, 500])
def test_driven_steps_are_counted_whoever_takes_them(steps: int) -> None:
    told: list[int] = []
    found = driven(steps, progress=told.append)
    assert found == {
        "type": "value",
        "value": "done",
        "kind": "string",
        "step": steps,
        "fuel_used": 15 * steps + 12,
    }
    assert told == ([*range(2, steps + 1), steps] if steps else [])


def test_a_driven_run_takes_its_steps_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first few go from value to value, without a term between."""
    single: list[int] = []
    plain = stepping.Stepper.step
    monkeypatch.setattr(stepping.Stepper, "step", lambda *a: single.append(1) or plain(*a))
    monkeypatch.setattr(evaluate, "_cache", Cache())
    assert driven(500)["step"] == 500
    assert len(single) < 20


def test_driven_steps_stop_when_they_are_told_to() -> None:
    told: list[int] = []

    def stop() -> bool:
        return len(told) >= 100

    for kind, more in (("paused", {"pause": stop}), ("cancelled", {"cancelled": stop})):
        told.clear()
        found = driven(500, progress=told.append, **more)
        assert found["stopped"] == kind
        assert found["step"] == told[-1]
        assert found["next_input"] == 500 - found["step"]


def test_driven_steps_that_run_out_of_fuel_leave_the_last_whole_one() -> None:
    tools = Kept(countdown=COUNTDOWN)
    for fuel in range(2_000, 2_030):
        found = run(Request(tool="countdown", input=500, drive=10**6), tools, Budget(fuel=fuel))
        assert found["stopped"] == "out_of_fuel"
        assert found["fuel_used"] == 15 * found["step"]
        assert fuel - 15 < found["fuel_used"] <= fuel


def test_a_state_that_no_term_can_be_ends_a_driven_run_as_a_single_one() -> None:
    """A list that grows until its text is too long."""
    grow = lam("l", {"continue": {"input": {"cons": [{"concat": ["x" * 60_000, "y"]}, var("l")]}}})
    budget = Budget(fuel=5_000_000)
    tools = Kept(grow=grow)
    whole = run(Request(tool="grow", input=[], drive=100), tools, budget)
    with compiling_at_once():
        assert run(Request(tool="grow", input=[], drive=100), tools, budget) == whole
    assert whole["error"]["kind"] == "result_too_large"


# Brief tries.


def test_a_brief_try_of_hot_code_leaves_it_to_a_run_that_may_compile(attempts: list[bool]) -> None:
    """It runs on the reference until compiling is worth it, then not at all; once compiled it is brief again."""
    tools = Kept(sum=SUM)
    kinds = []
    for _ in range(200):
        found = run(Request(tool="sum", input=5), tools, BUDGET, brief=2_000)
        kinds.append(found["type"])
        if found["type"] == "error":
            break
    assert kinds[:4] == ["value"] * 4
    assert kinds[-1] == "error"
    assert attempts == []
    assert run(Request(tool="sum", input=20), tools, BUDGET)["value"] == 190
    assert run(Request(tool="sum", input=20), tools, BUDGET, brief=2_000)["value"] == 190
    assert run(Request(tool="sum", input=4_000), tools, BUDGET, brief=2_000)["value"] == 7_998_000
    assert attempts == [True, True, True]


def test_a_brief_try_never_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit, "compiled", lambda source: pytest.fail("compiled"))
    with compiling_at_once():
        assert (
            run(Request(code=SUM, input=10), Dictionary(), BUDGET, brief=2_000)["error"]["kind"]
            == "out_of_fuel"
        )


def test_code_whose_last_brief_try_was_too_short_is_not_tried_again(attempts: list[bool]) -> None:
    """Until a run of it has been made in full."""
    tools = Kept(sum=SUM)
    assert run(Request(tool="sum", input=10_000), tools, BUDGET)["type"] == "value"
    short = Budget(fuel=20_000)
    for _ in range(3):
        assert (
            run(Request(tool="sum", input=10_000), tools, short, brief=2_000)["error"]["kind"]
            == "out_of_fuel"
        )
    assert attempts == [True, False]
    assert run(Request(tool="sum", input=10), tools, BUDGET)["value"] == 45
    assert run(Request(tool="sum", input=10), tools, short, brief=2_000)["value"] == 45
    assert attempts == [True, False, True, True]
