"""Hints for texts that are no JSON: for what is wrong, and for nothing else."""

from __future__ import annotations

import pytest

from pif.language.text_mistakes import hint_for, is_meant_as_json


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{'a': 1}", "double quotes"),
        ("{a: 1}", "double quotes"),
        ('{"a": None}', "null"),
        ("[1, 2, ]", "no comma"),
        ('{"a": 1} # one', "no comments"),
        ('{"it\'s": [1}', "not closed"),
        ('{"a": "True, # {", "b": [1}', "not closed"),
        ("[1]]", "was not opened"),
        ("def f(x):\n    return x", "Python"),
        ("function (x) { return x }", '"lam"'),
        ("n * 2", "A term is JSON"),
        ("True", "true"),
    ],
)
def test_a_mistake_is_named(text: str, said: str) -> None:
    assert said in (hint_for(text) or "")


@pytest.mark.parametrize(
    "text", ["square", "square@2", "std.sum", "lambdaTool", "no such tool", "", '{"a" 1}']
)
def test_nothing_is_guessed_otherwise(text: str) -> None:
    assert hint_for(text) is None


def test_a_long_text_takes_no_longer() -> None:
    assert hint_for('"' + "\\" * 1_000_000) is None
    assert is_meant_as_json("  [1")
    assert not is_meant_as_json("f(x)")
