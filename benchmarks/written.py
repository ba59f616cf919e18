"""Programs as people write them, compiled from the Python of this file, against CPython running the same functions.

They put texts together, group records, multiply matrices, fill tables and read characters. "Prepared" code is compiled
before the clock starts, and once more with care where it runs for that long.
"""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable
from typing import Any

from benchmarks.timing import alternating, geometric_mean
from pif.compiled.units import Cache
from pif.language.budget import Budget, reserve_stack
from pif.language.host import Tool
from pif.language.terms import Term
from pif.python_syntax import translate
from pif.run.plain_input import plain_input
from pif.run.stepping import Stepper

__all__ = ["LIMITS", "measure"]

Json = Any
_FUEL = 100_000_000
_MOST_RUNS = 500
_DRAW = random.Random(27)

# ruff: noqa: B905, RUF005
# The functions are in the subset that PIF translates, which has neither `strict` nor stars.


def render(rows: list) -> str:
    out = ""
    for row in rows:
        out = out + "<li>" + row + "</li>\n"
    return "<ul>" + out + "</ul>"


def table(rows: list) -> str:
    return "\n".join(
        [row["name"] + "," + str(row["price"]) + "," + str(row["count"] * row["price"]) for row in rows]
    )


def grouped(orders: list) -> dict:
    totals: dict = {}
    for order in orders:
        key = order["customer"]
        totals = {**totals, key: totals.get(key, 0) + order["amount"]}
    return totals


def largest(orders: list) -> dict:
    big = [order for order in orders if order["amount"] > 100]
    best = {"customer": "", "amount": 0, "count": 0}
    for order in big:
        if order["amount"] > best["amount"]:
            best = {"customer": order["customer"], "amount": order["amount"], "count": best["count"] + 1}
    return best


def product(a: list, b: list) -> list:
    columns = [[row[j] for row in b] for j in range(len(b[0]))]
    return [[sum([x * y for x, y in zip(row, column)]) for column in columns] for row in a]


def distance(a: list, b: list) -> int:
    previous = list(range(len(b) + 1))
    row = 0
    for x in a:
        row = row + 1
        current = [row]
        left = row
        diagonal = row - 1
        for y, up in zip(b, previous[1:]):
            left = min(left + 1, up + 1, diagonal + (0 if x == y else 1))
            current = [left] + current
            diagonal = up
        previous = current[::-1]
    return previous[-1]


def best_sum(xs: list) -> int:
    best = 0
    here = 0
    for x in xs:
        here = max(0, here + x)
        best = max(best, here)
    return best


def knapsack(items: list) -> int:
    best = [0 for i in range(61)]
    for item in items:
        weight = item[0]
        value = item[1]
        shifted = [0 - 1000000 for i in range(weight)] + [b + value for b in best]
        best = [max(x, y) for x, y in zip(best, shifted)]
    return best[-1]


def fields(line: str) -> list:
    out: list = []
    word = ""
    quoted = False
    for c in line:
        if c == '"':
            quoted = not quoted
        elif c == "," and not quoted:
            out = out + [word]
            word = ""
        else:
            word = word + c
    return out + [word]


def calculated(text: str) -> int:
    digits = {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9}
    total = 0
    number = 0
    sign = 1
    for c in text:
        if c >= "0" and c <= "9":
            number = number * 10 + digits[c]
        elif c == "+":
            total = total + sign * number
            number = 0
            sign = 1
        elif c == "-":
            total = total + sign * number
            number = 0
            sign = -1
    return total + sign * number


def by_city(people: list) -> dict:
    found: dict = {}
    for person in people:
        city = person["city"]
        if city in found:
            before = found[city]
            found = {
                **found,
                city: {"count": before["count"] + 1, "oldest": max(before["oldest"], person["age"])},
            }
        else:
            found = {**found, city: {"count": 1, "oldest": person["age"]}}
    return found


def settings(text: str) -> list:
    found: list = []
    key = ""
    word = ""
    ignored = False
    for c in text:
        if c == ";":
            found = found + [{"key": key, "value": word}]
            key = ""
            word = ""
            ignored = False
        elif c == "#":
            ignored = True
        elif c == "=" and not ignored:
            key = word
            word = ""
        elif c != " " and not ignored:
            word = word + c
    return found


def turned_product(a: list, b: list) -> list:
    rows: list = []
    for row in a:
        line: list = []
        for other in b:
            total = 0
            for x, y in zip(row, other):
                total = total + x * y
            line = line + [total]
        rows = rows + [line]
    return rows


def letters(text: str) -> dict:
    vowels = 0
    spaces = 0
    longest = 0
    length = 0
    for c in text:
        if c == " ":
            spaces = spaces + 1
            longest = max(longest, length)
            length = 0
        else:
            length = length + 1
            if c in ["a", "e", "i", "o", "u"]:
                vowels = vowels + 1
    return {"vowels": vowels, "words": spaces + 1, "longest": max(longest, length)}


def moved(balls: list) -> list:
    out: list = []
    for ball in balls:
        place = ball["place"] + ball["speed"]
        speed = ball["speed"] - 1
        if place < 0:
            place = 0 - place
            speed = 0 - speed
        out = out + [{"place": place, "speed": speed, "bounces": ball["bounces"] + (1 if speed > 0 else 0)}]
    return out


def _below(limit: int, count: int) -> list[int]:
    return [_DRAW.randrange(limit) for _ in range(count)]


def _orders() -> list[Json]:
    return [
        {"customer": f"c{place}", "amount": amount}
        for place, amount in zip(_below(12, 300), _below(500, 300), strict=True)
    ]


def _matrix() -> list[list[int]]:
    return [_below(50, 12) for _ in range(12)]


_PROGRAMS: dict[str, tuple[Callable[..., Json], Json]] = {
    "a text of 200 rows": (render, [f"item number {place}" for place in range(200)]),
    "a table of 200 rows": (
        table, [{"name": f"n{place}", "price": 7 * place, "count": place % 9} for place in range(200)],
    ),
    "sums of 300 orders by 12 customers": (grouped, _orders()),
    "the largest of 300 orders": (largest, _orders()),
    "a product of matrices, 12 by 12": (product, {"a": _matrix(), "b": _matrix()}),
    "the distance of texts of 30 letters": (
        distance, {"a": [*"the quick brown fox jumps over"], "b": [*"a quiet brown dog jumped off it"]},
    ),
    "the best sum in 1,000 integers": (best_sum, [number - 50 for number in _below(100, 1_000)]),
    "a knapsack of 60 for 15 items": (knapsack, [[1 + number % 11, 1 + number] for number in _below(90, 15)]),
    "the 40 fields of a line": (
        fields, ",".join(f'"field, {place}"' if place % 3 == 0 else f"value{place}" for place in range(40)),
    ),
    "300 people by 10 cities": (
        by_city, [{"city": f"city {city}", "age": age} for city, age in zip(_below(10, 300), _below(90, 300), strict=True)],
    ),
    "60 settings of a text": (
        settings, "".join(f"key{place} = value {place * 7} # of {place};" for place in range(60)),
    ),
    "a product of 10 rows and 10 columns": (
        turned_product, {"a": [_below(50, 10) for _ in range(10)], "b": [_below(50, 10) for _ in range(10)]},
    ),
    "counts of 600 letters": (letters, "the quick brown fox jumps over the lazy dog and runs " * 11),
    "a step of 200 balls": (
        moved, [{"place": place, "speed": speed - 20, "bounces": 0} for place, speed in zip(_below(100, 200), _below(40, 200), strict=True)],
    ),
    "a sum of 60 numbers, read": (calculated, "+".join(f"{number}-{number % 7}" for number in _below(1_000, 60))),
}  # fmt: skip

_MEAN = "geometric mean"
LIMITS = {_MEAN: 4.0, **dict.fromkeys(_PROGRAMS, 4.0)}


class _Tools:
    def __init__(self, tool: Tool) -> None:
        self.own = tool

    def tool(self, reference: str) -> Tool | None:
        return self.own if reference == self.own.name else None

    def nearest(self, name: str) -> str | None:
        return None


def _no_term() -> Term:
    raise AssertionError("plain data asks for no term")


def _prepared(function: Callable[..., Json], data: Json) -> Callable[[], object]:
    """A compiled run of a function on its input."""
    tool = Tool("t", 1, translate(inspect.getsource(function)).term)
    session = Stepper(_Tools(tool), Budget(fuel=_FUEL), Cache(), cancelled=None, hook=None)
    prepared = session.cache.prepared(tool)
    given = plain_input(data, _no_term, raw=True)
    assert given is not None

    def call() -> object:
        step = session.attempt(prepared, given, _FUEL)
        assert step is not None, function.__name__
        return step.value

    for _ in range(_MOST_RUNS):
        call()
        if all(unit.fuel_to_remake == 0 for unit in prepared.units.values()):
            break
    return call


def measure() -> dict[str, float]:
    """For each program its prepared run over CPython's of the same function; then the geometric mean."""
    reserve_stack(20_000)
    found: dict[str, float] = {}
    for name, (function, data) in _PROGRAMS.items():

        def by_hand(function: Callable[..., Json] = function, data: Json = data) -> object:
            return function(**data) if isinstance(data, dict) else function(data)

        times = alternating(
            {"compiled": _prepared(function, data), "hand": by_hand}, clock=time.thread_time, seconds=0.4
        )
        found[name] = times["compiled"] / times["hand"]
    found[_MEAN] = geometric_mean(list(found.values()))
    return found
