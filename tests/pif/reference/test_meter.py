"""Where the fuel of a run went that had too little: exact, whichever evaluator the run began on."""

from __future__ import annotations

from typing import Any

from pif.language.budget import Budget
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.tool_dictionary import Dictionary

X: Any = {"var": "x"}
TOTAL = {"lam": "n", "body": {"fold": [
    {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, {"range": [0, {"var": "n"}]},
]}}  # fmt: skip
TOTALS = {"lam": "n", "body": {"fold": [
    {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"app": ["total", {"snd": {"var": "p"}}]}]}},
    0, {"range": [0, {"var": "n"}]},
]}}  # fmt: skip


def shares(tools: dict[str, Any], code: Any, input: Any, fuel: int, **more: Any) -> list[dict[str, Any]]:
    """The shares of a run that runs out, the same when it is asked again and when it is traced."""
    known = Dictionary(**tools)

    def ran(**how: Any) -> Answer:
        return run(Request(code=code, input=input, **more, **how), known, Budget(fuel=fuel), shares=True)

    first = ran()
    assert first["error"]["kind"] == "out_of_fuel"
    assert first == ran()
    assert ran(trace=1)["error"] == first["error"]
    found: list[dict[str, Any]] = first["error"]["shares"]
    assert sum(each["fuel"] for each in found) == first["error"]["fuel_used"] == fuel
    return found


def test_each_unit_is_the_codes_whose_node_was_charged() -> None:
    """Of the square of 7, at 10 units: 5 for the function, 1 for the call, 2 of the product; the input is apart."""
    square = {"lam": "x", "body": {"mul": [X, X]}}
    assert shares({"square": square}, "square", 7, 9) == [
        {"where": "square@1", "fuel": 8, "percent": 89, "under_way": True},
        {"where": "the input", "fuel": 1, "percent": 11, "under_way": False},
    ]


def test_the_way_down_comes_first_from_the_outside_in() -> None:
    found = shares({"total": TOTAL, "totals": TOTALS}, {"app": ["totals", 5_000]}, None, 900_000)
    assert [each["where"] for each in found] == ["the code", "totals@1", "total@1"]
    assert [each["under_way"] for each in found] == [True, True, True]
    assert found[0]["fuel"] == 3  # the node, its argument, the call


def test_what_has_returned_is_told_after_it() -> None:
    code = {"let": {"a": {"app": ["total", 100]}}, "in": {"app": [TOTAL, 1_000]}}
    found = shares({"total": TOTAL}, code, None, 5_000)
    assert [(each["where"], each["under_way"]) for each in found] == [("the code", True), ("total@1", False)]
    alone = run(Request(code={"app": ["total", 100]}), Dictionary(total=TOTAL), Budget(fuel=5_000))
    assert found[1]["fuel"] == alone["fuel_used"] - 3


def test_a_function_is_charged_to_the_code_it_was_written_in() -> None:
    """A fold of the library's over a function of the caller's: the steps of the function are the caller's."""
    each = {"lam": "f", "body": {"fold": [{"var": "f"}, 0, {"range": [0, 2_000]}]}}
    step = {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"mul": [{"snd": {"var": "p"}}, 2]}]}}
    caller = {"lam": "x", "body": {"app": ["each", step]}}
    found = {
        each["where"]: each["fuel"]
        for each in shares({"each": each, "caller": caller}, "caller", None, 20_000)
    }
    assert found["caller@1"] > found["each@1"] > 0


def test_code_that_was_built_and_functions_in_the_input() -> None:
    built = {"lam": "x", "body": {"eval": {"quote": {"app": [TOTAL, 1_000]}}}}
    assert [each["where"] for each in shares({"t": built}, "t", None, 3_000)] == [
        "t@1",
        "built code",
        "the input",
    ]
    calls = {"lam": "f", "body": {"app": [{"var": "f"}, 1_000]}}
    found = shares({"t": calls}, "t", TOTAL, 3_000)
    assert [(each["where"], each["under_way"]) for each in found] == [("t@1", True), ("the input", True)]


def test_a_dozen_are_listed_and_the_rest_is_one() -> None:
    tools = {f"t{n}": {"lam": "x", "body": {"app": [f"t{n + 1}", {"add": [X, 1]}]}} for n in range(30)}
    tools["t30"] = {"lam": "x", "body": {"app": [{"self": True}, X]}}
    found = shares(tools, "t0", 0, 2_000)
    assert len(found) == 13
    assert found[-1]["where"] == "others"


def test_a_run_that_is_long_and_fails_otherwise_has_no_shares() -> None:
    code = {"lam": "x", "body": {"add": [{"app": [TOTAL, 50_000]}, {"head": []}]}}
    answer = run(Request(code=code), Dictionary(), Budget(fuel=5_000_000), shares=True)
    assert (answer["error"]["kind"], "shares" in answer["error"]) == ("empty_list", False)
    assert answer == run(Request(code=code), Dictionary(), Budget(fuel=5_000_000))
