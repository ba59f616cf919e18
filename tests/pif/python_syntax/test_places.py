"""Every error of a translated function leads back to the Python that was written."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pif.language.budget import Budget
from pif.language.terms import Term, part_keys
from pif.python_syntax import Place, PythonError, translate
from pif.run.evaluate import Request, run
from tests.support.terms.cpython import WithLibrary
from tests.support.terms.python_functions import as_term
from tests.support.terms.python_maker import PythonMaker

FAILING: dict[str, tuple[str, Any, Place]] = {
    "a divisor": (
        "def f(xs: list[int]):\n    total = 0\n    for x in xs:\n        total += 10 // x\n    return total\n", [1, 0],
        Place(4, 18, "        total += 10 // x"),
    ),
    "an index, chosen when types are known": (
        "def f(xs: list[int]):\n    y = xs[0] + 1\n    return y * xs[3]\n", [1, 2], Place(3, 16, "    return y * xs[3]"),
    ),
    "a key": (
        "def f(d: dict[str, int]):\n    return [d[k] for k in ['a', 'b']]\n", {"a": 1},
        Place(2, 13, "    return [d[k] for k in ['a', 'b']]"),
    ),
    "no items": ("def f(x: int):\n    y = x\n    return max([])\n", 1, Place(3, 12, "    return max([])")),
    "an operand": ("lambda s: 1 + s", "a", Place(1, 15, "lambda s: 1 + s")),
    "a condition": ("def f(x):\n    if x:\n        return 1\n    return 2\n", 3, Place(2, 8, "    if x:")),
    "a separator": (
        "def f(s: str):\n    t = s\n    return s.split(t)\n", "", Place(3, 12, "    return s.split(t)"),
    ),
    "one of several parameters": (
        "def f(a, b):\n    return a // b\n", {"a": 1, "b": 0}, Place(2, 12, "    return a // b"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_an_error_of_a_run_has_its_line(name: str) -> None:
    source, given, place = FAILING[name]
    made = translate(source)
    tools = WithLibrary()
    tools.terms = {"it": made.term}
    answer = run(Request(tool="it", input=as_term(given), raw=True), tools, Budget())
    assert answer["error"]["tool"] == "it@1"
    assert made.places.at(answer["error"]["path"]) == place


def paths(term: Term, before: str = "") -> list[str]:
    found = [before]
    for part, steps in zip(term.parts, part_keys(term), strict=True):
        keys = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
        found += paths(part, before + keys)
    return found


def test_every_part_of_a_translated_function_has_a_place_in_its_text() -> None:
    tried = 0
    for seed in range(60):
        source, _ = PythonMaker(Random(seed)).function()
        try:
            made = translate(source)
        except PythonError:
            continue
        lines = source.split("\n")
        for path in paths(made.term)[1:]:
            place = made.places.at(path)
            if place is not None:
                tried += 1
                assert place.source == lines[place.line - 1][:200]
                assert 1 <= place.column <= len(lines[place.line - 1]) + 1
    assert tried > 1_000


def test_a_refusal_shows_its_line() -> None:
    with pytest.raises(PythonError) as caught:
        translate("def f(x):\n    y = x\n    return y / 2\n")
    assert caught.value.as_json() | {"message": ""} == {
        "kind": "parse_error", "message": "", "path": "", "line": 3, "column": 12, "source": "    return y / 2",
        "hint": "Integers only: write // for the quotient rounded down.", "fuel_used": 0,
    }  # fmt: skip
