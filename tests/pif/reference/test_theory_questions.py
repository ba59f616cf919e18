"""The operations that ask a theory: values, charges, places of errors; the same on both back ends and in every way to run
(docs/reference/pif.md §2.12)."""

from __future__ import annotations

from typing import Any

import pytest

from pif.analysis.facts import facts_of
from pif.language import primitives as table
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.host import ORACLES
from pif.language.primitives import PRIMITIVES
from pif.run.evaluate import Answer, Request, run
from registry.tools.help import help_on
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.tool_dictionary import Dictionary
from tests.support.theories.fake_theory import FakeTheory

X = {"var": "x"}


def answer(code: Any, input: Any = None, *, theory: Any = None, fuel: int = 100_000, **more: Any) -> Answer:
    tools = Dictionary(**more.pop("tools", {}))
    settings = {name: more.pop(name) for name in ("cancelled", "brief", "pause") if name in more}
    request = Request(code=code, input=input, **more)
    return run(request, tools, Budget(fuel=fuel), theory=theory or FakeTheory(), **settings)


def both(code: Any, input: Any = None, **more: Any) -> Answer:
    """The answer of the reference, after a look that compiled code gives the same."""
    by_reference = answer(code, input, **more)
    with compiling_at_once():
        assert answer(code, input, **more) == by_reference
    return by_reference


def lam(body: Any) -> dict[str, Any]:
    return {"lam": "x", "body": body}


def test_the_table_has_exactly_the_operations_that_ask() -> None:
    assert {name for name, row in PRIMITIVES.items() if row.category == "theory"} == set(ORACLES)
    assert all(name in help_on("theory")["text"] for name in ORACLES)


@pytest.mark.parametrize(
    ("code", "value", "fuel"),
    [
        ({"kleis": "abc"}, "cba", 1 + 1 + table.ASK + 18),
        ({"kleis": {"quote": X}}, '}"x":"rav"{', 1 + 1 + table.ASK + table.QUOTE_NODE + 5 * 11 + 3),
        ({"verify": "p"}, {"claim": "p", "verdict": "verified"}, 2 + table.ASK_PROVER + 8),
        ({"axioms": "Group"}, [{"name": "Group"}], 2 + table.ASK + 28),
        ({"operations": "Group"}, [{"name": "Group"}], 2 + table.ASK + 28),
        ({"structures": None}, [{"name": "none"}], 2 + table.ASK + 3),
        ({"kleis": "wide"}, 2**70, 2 + table.ASK + 23),
    ],
)
def test_values_and_charges(code: Any, value: Any, fuel: int) -> None:
    found = both(code)
    assert (found["type"], found.get("value"), found["fuel_used"]) == ("value", value, fuel)


@pytest.mark.parametrize(("operation", "wrong"), [
    ("kleis", 3), ("verify", True), ("axioms", {"quote": 1}), ("operations", None), ("structures", "Group"),
    ("verify", {"lam": "y", "body": 1}), ("kleis", ["a"]),
])  # fmt: skip
def test_a_question_of_another_kind_is_a_type_error_and_is_not_asked(operation: str, wrong: Any) -> None:
    theory = FakeTheory()
    found = answer({operation: wrong}, theory=theory)["error"]
    assert (found["kind"], found["path"], theory.asked) == ("type_error", f"/{operation}", [])
    assert both({operation: wrong})["type"] == "error"


def test_a_refusal_is_an_oracle_error_at_its_place_and_is_charged() -> None:
    found = both({"add": [1, {"kleis": "refuse this"}]})["error"]
    assert (found["kind"], found["path"]) == ("oracle_error", "/add/1")
    assert found["hint"] == "Ask something else."
    assert found["fuel_used"] == 4 + table.ASK + 7


def test_without_a_theory_the_error_says_how_to_get_one() -> None:
    found = run(Request(code={"verify": "1 = 1"}), Dictionary(), Budget(fuel=10_000))["error"]
    assert found["kind"] == "oracle_error"
    assert '"session"' in found["hint"]


def test_the_capability_shows_in_quotes_too() -> None:
    for operation in ORACLES:
        for code in (lam({operation: X}), {"quote": {operation: X}}):
            assert "theory" in facts_of(decode_term(code)).capabilities
    assert "theory" not in facts_of(decode_term(lam({"quote": X}))).capabilities


FOLD = lam(
    {
        "fold": [
            {
                "lam": "p",
                "body": {"concat": [{"fst": {"var": "p"}}, {"kleis": {"show": {"snd": {"var": "p"}}}}]},
            },
            "",
            {"range": [0, X]},
        ]
    }
)


@pytest.mark.parametrize(
    "ask", [FOLD, lam({"eval": {"quote": {"kleis": {"show": X}}}}), lam({"verify": {"show": X}})]
)
def test_at_every_limit_of_fuel_both_back_ends_end_alike(ask: Any) -> None:
    used = both(ask, 12)["fuel_used"]
    for fuel in (*range(1, 40), *range(90, 140), used - 1, used, used + 1):
        found = both(ask, 12, fuel=fuel)
        assert (found["type"] == "value") == (fuel >= used)
        if fuel < used:
            assert (found["error"]["kind"], found["error"]["fuel_used"]) == ("out_of_fuel", fuel)


def test_fuel_that_asking_alone_uses_up_is_not_asked_for() -> None:
    theory = FakeTheory()
    found = answer({"verify": "1 = 1"}, theory=theory, fuel=table.ASK_PROVER)
    assert (found["error"]["kind"], theory.asked) == ("out_of_fuel", [])


def test_a_fold_asks_no_more_than_its_fuel_allows() -> None:
    theory = FakeTheory()
    found = answer(FOLD, 1_000_000, theory=theory, fuel=20_000)
    assert found["error"]["kind"] == "out_of_fuel"
    assert len(theory.asked) <= 20_000 // table.ASK


def test_step_drive_trace_and_a_brief_try() -> None:
    again = {"continue": {"input": {"add": [X, 1]}}}
    tool = {"ask": lam({"if": {"cond": {"lt": [X, 3]}, "then": again, "else": {"kleis": {"show": X}}}})}
    driven = answer("ask", 0, tools=tool, drive=9)
    assert (driven["value"], driven["step"]) == ("3", 3)
    found = answer("ask", 0, tools=tool)
    total = found["fuel_used"]
    while found["type"] == "continuation":
        found = answer("ask", found["next_input"], tools=tool, step=found["step"])
        total += found["fuel_used"]
    assert (found["value"], total) == ("3", driven["fuel_used"])
    plain = answer(FOLD, 5)
    traced = answer(FOLD, 5, trace=5)
    assert traced.pop("trace")
    assert traced == plain
    theory = FakeTheory()
    brief = answer(FOLD, 5, theory=theory, brief=10_000)
    assert (brief["error"]["kind"], theory.asked) == ("out_of_fuel", [])


def test_a_tool_that_asks_is_called_by_another() -> None:
    tools = {
        "ask": lam({"get": [{"verify": X}, "claim"]}),
        "twice": lam({"concat": [{"app": ["ask", X]}, {"app": ["ask", X]}]}),
    }
    assert both("twice", "p", tools=tools)["value"] == "pp"


def test_the_answer_is_data_that_a_program_goes_on_with() -> None:
    found = both(lam({"get": [{"head": {"axioms": X}}, "name"]}), "Ring")
    assert found["value"] == "Ring"
    assert both(lam({"mul": [{"kleis": X}, 2]}), "wide")["value"] == 2**71
