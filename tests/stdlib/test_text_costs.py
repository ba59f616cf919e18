"""Tools on texts take fuel by the length of the text, and little of it: what a user does on the command line fits there."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pif.language.budget import COMMAND_FUEL, Budget
from pif.language.terms import Json
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.cpython import WithLibrary

TOOLS = WithLibrary()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TURNED = LETTERS[3:] + LETTERS[:3]


def text(size: int) -> str:
    return "".join(Random(size).choices(LETTERS + LETTERS.upper() + " ,.\n", k=size))


def called(name: str, *arguments: Any) -> Answer:
    return run(Request(code={"app": [name, *arguments]}, raw=True), TOOLS, Budget(fuel=50_000_000))


ON_TEXTS: dict[str, list[Json]] = {
    "std.translateText": [LETTERS + LETTERS.upper(), TURNED + TURNED.upper()],
    "std.upperCase": [], "std.lowerCase": [], "std.splitText": [", "], "std.replaceText": [" ", "_"], "std.words": [],
    "std.lines": [], "std.trim": [], "std.containsText": ["zzzz"], "std.countText": ["ab"], "std.reverseText": [],
    "std.startsWith": ["abc"], "std.endsWith": ["abc"], "std.substring": [4_000, 4_010],
}  # fmt: skip


@pytest.mark.parametrize("name", ON_TEXTS)
def test_ten_thousand_characters_within_the_fuel_of_the_command_line(name: str) -> None:
    """And twice the text takes about twice the fuel."""
    short, long = (called(name, *ON_TEXTS[name], text(size))["fuel_used"] for size in (5_000, 10_000))
    assert long <= COMMAND_FUEL
    assert long <= 2.1 * short


def test_short_texts_stay_cheap() -> None:
    for name, given in ON_TEXTS.items():
        if name != "std.translateText":
            assert called(name, *given, "abc")["fuel_used"] < 1_000, name
    assert called("std.translateText", LETTERS, TURNED, "abc")["fuel_used"] < 10_000


@pytest.mark.parametrize("seed", range(40))
def test_they_do_what_python_does(seed: int) -> None:
    random = Random(seed)
    given = "".join(random.choices("aab ,\t\nXé", k=random.randrange(12)))
    part = "".join(random.choices("ab,", k=random.randrange(1, 4)))
    table = dict(zip("aXbé,", random.sample("xyz12", 5), strict=True))
    for name, arguments, wanted in (
        ("std.splitText", [part], given.split(part)),
        ("std.replaceText", [part, "zz"], given.replace(part, "zz")),
        ("std.countText", [part], given.count(part)),
        ("std.words", [], given.split()),
        ("std.lines", [], given.split("\n")),
        (
            "std.translateText",
            ["".join(table), "".join(table.values())],
            given.translate(str.maketrans(table)),
        ),
        ("std.translateText", ["", ""], given),
    ):
        assert called(name, *arguments, given)["value"] == wanted, (name, arguments, given)
    for name, mine in (("std.upperCase", str.upper), ("std.lowerCase", str.lower)):
        assert called(name, given.replace("é", "-"))["value"] == mine(given.replace("é", "-"))


KEY = {"lam": "r", "body": {"get": [{"var": "r"}, "k"]}}


def records(keys: list[Any]) -> list[Json]:
    return [{"record": {"k": key, "n": number}} for number, key in enumerate(keys)]


@pytest.mark.parametrize("seed", range(40))
def test_sorting_is_stable(seed: int) -> None:
    random = Random(seed)
    keys: list[Any] = [random.randrange(random.choice([2, 9, 99])) for _ in range(random.randrange(30))]
    if seed % 3 == 0:
        keys = [str(key) for key in keys]
    if seed % 4 == 0:
        keys.sort()
    wanted = sorted(({"k": key, "n": number} for number, key in enumerate(keys)), key=lambda each: each["k"])
    assert called("std.sortBy", KEY, records(keys))["value"] == wanted


def test_sorting_what_is_nearly_sorted_is_linear() -> None:
    keys = [*range(4_999), 17]
    assert called("std.sortBy", KEY, records(keys))["fuel_used"] <= COMMAND_FUEL
    shuffled = Random(1).sample(range(1_000), 1_000)
    assert called("std.sortBy", KEY, records(shuffled))["fuel_used"] <= COMMAND_FUEL
