"""`kleis eval`: the value on standard output, everything else on standard error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", "2"),
        ("1/3 + 1/3 + 1/3", "1"),
        ("2^100", str(2**100)),
        ("[1, 2]", "[1, 2]"),
        ("true ∧ false", "false"),
    ],
)
def test_values(kleis: Callable[..., Any], expression: str, value: str) -> None:
    assert kleis("eval", expression) == (0, f"{value}\n", "")


def test_imports_come_first(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(one="define f(x) = x + 1", dir__two="define g(x) = f(x) * 2")
    assert kleis("eval", "g(1)", "--import", "one.kleis", "--import", "dir/two.kleis").out == "4\n"


def test_a_syntax_error_has_its_line_and_a_caret(kleis: Callable[..., Any]) -> None:
    answer = kleis("eval", "1 + ")
    assert (answer.status, answer.out) == (1, "")
    assert "1 +" in answer.err
    assert "^" in answer.err


def test_no_value_is_status_1(kleis: Callable[..., Any]) -> None:
    answer = kleis("eval", "1 / 0")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err != ""


def test_a_missing_import(kleis: Callable[..., Any]) -> None:
    answer = kleis("eval", "1", "--import", "nowhere.kleis")
    assert (answer.status, answer.out) == (1, "")
    assert "nowhere.kleis" in answer.err


def test_what_is_printed_is_not_the_value(kleis: Callable[..., Any]) -> None:
    assert kleis("eval", 'out("hello")')[2] == "hello\n"


def test_an_endless_recursion_ends(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(loop="define loop(x) = loop(x + 1) + 1")
    answer = kleis("eval", "loop(0)", "--import", "loop.kleis")
    assert (answer.status, answer.out) == (1, "")


def test_standard_input(process: Callable[..., Any]) -> None:
    assert process("eval", "-", text="2 + 3\n")[:2] == (0, "5\n")


def _symbol(name: str) -> dict[str, str]:
    message = f"{name} is declared nowhere and stays a symbol"
    return {"code": "free-names", "message": message, "hint": f"give a value: let {name} = … in …"}


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("1/3 + 1/6", {"status": "value", "result": "1/2"}),
        ("out(3)", {"status": "value", "result": "3", "output": ["3"]}),
        ("a + 1", {"warnings": [_symbol("a")], "status": "value", "result": "a + 1", "symbolic": True}),
        ("f(2)", {"warnings": [_symbol("f")], "status": "value", "result": "f(2)", "symbolic": True}),
    ],
)
def test_a_value_as_json(kleis: Callable[..., Any], expression: str, answer: dict[str, Any]) -> None:
    printed = kleis("eval", "--json", expression)
    assert (printed.status, printed.err) == (0, "")
    assert printed.json == answer


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["1 / 0"], "undefined"),
        (["1 +"], "unexpected-token"),
        (["1", "--import", "nothing.kleis"], "import-missing"),
        (["let f = 1 in f(2)"], "sort"),
    ],
)
def test_no_value_as_json(kleis: Callable[..., Any], words: list[str], code: str) -> None:
    printed = kleis("eval", "--json", *words)
    assert (printed.status, printed.err) == (1, "")
    assert printed.json["status"] == "error"
    assert printed.json["problem"]["code"] == code


def test_the_advice_for_what_does_not_end_can_be_followed(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(loop="define f(n) = f(n + 1)")
    hint = kleis("eval", "--json", "f(0)", "--import", "loop.kleis").json["problem"]["hint"]
    assert "grant" not in hint
    assert "a smaller case" in hint
