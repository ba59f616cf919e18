"""What a text at the prompt of PIF is, and where a statement ends."""

from __future__ import annotations

import pytest

from pif.language.errors import PifError
from registry.cli.pif.repl.inputs import completeness, read, statements


def is_tool(name: str) -> bool:
    return name in ("std.gcd", "double")


NAMES = {"_": 3, "total": [1, 2]}


def test_terms_calls_and_python_are_told_apart() -> None:
    assert read('{"add": [1, 2]}', is_tool, {}).code == {"add": [1, 2]}
    called = read("std.gcd 12 [1, 2]", is_tool, {})
    assert (called.kind, called.code, called.arguments) == ("call", "std.gcd", (12, [1, 2]))
    defined = read("def f(x):\n    return x + 1", is_tool, {})
    assert (defined.kind, defined.name) == ("define", "f")
    computed = read("1 + 2", is_tool, {})
    assert computed.code == {"lam": "nothing", "body": {"add": [1, 2]}}


def test_names_are_bound_to_their_values() -> None:
    one = read("_ * 2", is_tool, NAMES)
    assert (one.code, one.input) == ({"lam": "_", "body": {"mul": [{"var": "_"}, 2]}}, 3)
    assert read("_ + total[0]", is_tool, NAMES).input == {"_": 3, "total": [1, 2]}
    assert read('{"add": [{"var": "_"}, 1]}', is_tool, NAMES).input == {"_": 3}
    assert read('{"add": [{"var": "other"}, 1]}', is_tool, NAMES).input is None


def test_a_value_is_named() -> None:
    asked = read("half = 10 // 2", is_tool, {})
    assert (asked.name, asked.kind) == ("half", "run")
    assert read("1 == 1", is_tool, {}).name == ""


def test_a_text_is_a_text_and_no_name_of_a_tool() -> None:
    assert read('"double"', is_tool, {}).code == {"let": {"text": "double"}, "in": {"var": "text"}}


@pytest.mark.parametrize(
    "text",
    [")", "import os", "__import__('os').system('true')", "open('/etc/passwd')", "x :=", "1 / 0", "def f(:", "(" * 500,
     "std.gcd 12 :", "[" * 5_000, "\x00", "exec('1')", "(lambda: 0).__globals__"],
)  # fmt: skip
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(PifError):
        read(text, is_tool, {})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "empty"),
        ("1", "complete"),
        ('{"add": [1,', "incomplete"),
        ('{"a": "["}', "complete"),
        ("def f(x):", "incomplete"),
        ("def f(x):\n    return x", "incomplete"),
        ("def f(x):\n    return x\n", "complete"),
        ("def f(x) return", "invalid"),
        (":evolve f", "complete"),
        ("f(1,", "incomplete"),
    ],
)
def test_where_a_statement_ends(text: str, wanted: str) -> None:
    assert completeness(text) == wanted


def test_a_script_in_statements() -> None:
    text = '# begin\n1\ndef f(x):\n    y = x\n\n    return y\n{"add": [\n1, 2]}\n:list\nf(\n3)\n'
    assert [*statements(text)] == [
        "1", "def f(x):\n    y = x\n\n    return y", '{"add": [\n1, 2]}', ":list", "f(\n3)",
    ]  # fmt: skip
