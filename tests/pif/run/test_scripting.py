"""`pif.run` and `pif.Tool`: the answers of the command, and errors that are raised."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from pif import Tool, run
from pif.language.errors import PifError

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
GCD = """
def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)
"""


def test_a_term_is_run_on_an_input() -> None:
    assert run(SQUARE, 7) == {"type": "value", "value": 49, "kind": "integer", "fuel_used": 10}
    assert run('{"add": [1, 2]}')["value"] == 3


def test_inputs_are_read_as_everywhere() -> None:
    same = {"lam": "x", "body": {"var": "x"}}
    assert run(same, "42")["value"] == 42
    assert run(same, "42", raw=True)["value"] == "42"
    assert run(same, {"add": [1, 2]}, data=True)["value"] == {"add": [1, 2]}


def test_rounding_is_said_first_or_refused() -> None:
    answer = run(SQUARE, 1.6)
    assert next(iter(answer)) == "warnings"
    assert answer["warnings"][0]["rounded"] == [{"path": "/input", "from": 1.6, "to": 2}]
    with pytest.raises(PifError, match="has a fraction"):
        run(SQUARE, 1.6, fractions="refuse")


def test_a_tool_in_python_calls_itself_and_is_called_by_others() -> None:
    gcd = Tool("gcd", GCD, language="python")
    assert run(gcd, {"a": 1071, "b": 462})["value"] == 21
    assert gcd.type == "{a: integer, b: integer} → integer"
    calls = {"app": ["gcd", {"record": {"a": 12, "b": 18}}]}
    assert run(calls, tools=[gcd])["value"] == 6
    assert run("gcd@1", {"a": 12, "b": 18}, tools=[gcd])["value"] == 6


def test_a_bare_expression_is_closed_over_its_free_name() -> None:
    double = Tool("double", {"mul": [{"var": "x"}, 2]})
    assert double.code == {"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}
    assert repr(double) == "<Tool double: integer → integer>"
    assert Tool("double", '{"mul": [{"var": "x"}, 2]}').code == double.code


def test_a_tool_kept_with_a_rounded_number_says_so() -> None:
    (warning,) = run(Tool("rate", {"mul": [{"var": "x"}, 1.08]}), 100)["warnings"]
    assert warning["code"] == "fraction_rounded_in_tool"


def test_a_continuation_is_an_answer() -> None:
    down = Tool(
        "down",
        {
            "lam": "n",
            "body": {
                "if": {
                    "cond": {"eq": [{"var": "n"}, 0]},
                    "then": "done",
                    "else": {"continue": {"input": {"sub": [{"var": "n"}, 1]}}},
                }
            },
        },
    )
    first = run(down, 3)
    assert (first["type"], first["next_input"]) == ("continuation", 2)
    assert run(down, 3, drive=10)["value"] == "done"


@pytest.mark.parametrize(
    ("code", "input", "kind", "hint"),
    [
        ({"ad": [1, 2]}, None, "parse_error", "Did you mean"),
        ("dubble", 1, "parse_error", "double"),
        ("elsewhere", 1, "parse_error", "`tools`"),
        ({"app": ["elsewhere", 1]}, None, "unknown_tool", "`tools`"),
        (SQUARE, {1: 2}, "parse_error", '"1"'),
        ({"div": [1, 0]}, None, "division_by_zero", ""),
        ({"lam": "x", "body": {"app": ["double", {"var": "x"}]}}, "a", "type_error", ""),
    ],
)
def test_what_is_wrong_is_raised(code: Any, input: Any, kind: str, hint: str) -> None:
    double = Tool("double", {"mul": [{"var": "x"}, 2]})
    with pytest.raises(PifError) as caught:
        run(code, input, tools=[double])
    assert caught.value.kind == kind
    assert hint in (caught.value.hint or "")


def test_an_error_has_the_fuel_and_the_warnings_of_its_answer_and_a_traceback_shows_them() -> None:
    with pytest.raises(PifError) as caught:
        run(SQUARE, 2.5, fuel=9)
    error = caught.value
    assert (error.kind, error.fuel_used) == ("out_of_fuel", 9)
    assert error.warnings[0]["code"] == "fraction_rounded"
    told = "".join(traceback.format_exception(error))
    assert "2.5 → 2" in told
    assert f"hint: {error.hint}" in told


@pytest.mark.parametrize(
    ("code", "language", "said"),
    [
        ({"ad": [1]}, "json", "no operation"),
        ("def f(x): return x", "json", 'language="python"'),
        ("def f(x): return y", "python", "line 1"),
        ({"add": [{"var": "x"}, {"var": "y"}]}, "json", "nothing binds"),
        ("[" * 1000, "json", "nest deeper"),
    ],
)
def test_a_tool_whose_code_is_none_is_refused(code: Any, language: Any, said: str) -> None:
    with pytest.raises(PifError) as caught:
        Tool("t", code, language=language)
    assert said in f"{caught.value} {caught.value.hint}"


def test_no_fuel_is_a_wrong_argument() -> None:
    with pytest.raises(ValueError, match="fuel"):
        run(SQUARE, 1, fuel=0)


def test_what_contains_itself_is_too_deep() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(PifError) as caught:
        run(SQUARE, circle)
    assert caught.value.kind == "term_too_deep"
