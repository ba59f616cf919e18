"""Small functions in Python with inputs for each, run as PIF and by CPython.

Every function is valid CPython, and is run there too.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from pif.language.budget import Budget
from pif.language.terms import Json, Term
from pif.run.evaluate import Request, run
from tests.support.terms.tool_dictionary import Dictionary

__all__ = ["BUDGET", "FUNCTIONS", "NAMES", "Inputs", "as_term", "in_pif"]

BUDGET = Budget(fuel=1_000_000)

Inputs = Callable[[Random], Any]


def _int(low: int = -20, high: int = 20) -> Inputs:
    return lambda r: r.randint(low, high)


def _text(letters: str = "ab c", most: int = 8) -> Inputs:
    return lambda r: "".join(r.choices(letters, k=r.randint(0, most)))


def _list(item: Inputs, most: int = 7, least: int = 0) -> Inputs:
    return lambda r: [item(r) for _ in range(r.randint(least, most))]


def _named(**parts: Inputs) -> Inputs:
    return lambda r: {name: part(r) for name, part in parts.items()}


def _pair(first: Inputs, second: Inputs) -> Inputs:
    return lambda r: (first(r), second(r))


def _matrix(r: Random) -> Any:
    size = r.randint(1, 3)

    def rows() -> list[list[int]]:
        return [[r.randint(-5, 5) for _ in range(size)] for _ in range(size)]

    return {"a": rows(), "b": rows()}


def _sorted_search(r: Random) -> Any:
    return {"xs": sorted(r.randint(0, 20) for _ in range(r.randint(0, 9))), "wanted": r.randint(0, 20)}


NUMBER, SMALL, NUMBERS = _int(), _int(0, 12), _list(_int())
WORDS = _list(_text("abc", 3))
PEOPLE = _list(_named(name=_text("AdaBob", 4), age=_int(0, 99)))

FUNCTIONS: list[tuple[str, Inputs]] = [
    ("lambda x: x * x", NUMBER),
    ("def double(x):\n    return x + x", NUMBER),
    ("def increment(x: int) -> int:\n    y = x\n    y += 1\n    return y", NUMBER),
    ("def absolute(x):\n    return abs(x)", NUMBER),
    ("def sign(x):\n    if x > 0:\n        return 1\n    elif x < 0:\n        return -1\n    return 0", NUMBER),
    ("def factorial(n):\n    if n <= 1:\n        return 1\n    return n * factorial(n - 1)", SMALL),
    ("def fibonacci(n):\n    a, b = 0, 1\n    for _i in range(n):\n        a, b = b, a + b\n    return a".replace("_i", "i"), SMALL),
    ("def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)", _named(a=_int(0, 60), b=_int(0, 60))),
    ("def lcm(a, b):\n    x, y = a, b\n    for i in range(100):\n        if y == 0:\n            break\n        x, y = y, x % y\n    return a * b // x", _named(a=_int(1, 60), b=_int(1, 60))),
    ("def is_prime(n):\n    if n < 2:\n        return False\n    for d in range(2, n):\n        if d * d > n:\n            break\n        if n % d == 0:\n            return False\n    return True", _int(-3, 120)),
    ("def primes(n):\n    return [p for p in range(2, n + 1) if all([p % d != 0 for d in range(2, p)])]", _int(0, 30)),
    ("def divisors(n):\n    return [d for d in range(1, n + 1) if n % d == 0]", _int(0, 40)),
    ("def is_perfect(n):\n    return n > 0 and sum([d for d in range(1, n) if n % d == 0]) == n", _int(0, 30)),
    ("def digits(n):\n    return len(str(abs(n)))", _int(-9999, 9999)),
    ("def collatz(n, steps):\n    if n == 1 or steps > 150:\n        return steps\n    if n % 2 == 0:\n        return collatz(n // 2, steps + 1)\n    return collatz(3 * n + 1, steps + 1)", _named(n=_int(1, 12), steps=_int(0, 3))),
    ("def power(base, exponent):\n    return base ** exponent", _named(base=_int(-4, 4), exponent=_int(0, 6))),
    ("def power_mod(base, exponent, modulus):\n    result = 1\n    for i in range(exponent):\n        result = result * base % modulus\n    return result", _named(base=NUMBER, exponent=SMALL, modulus=_int(1, 9))),
    ("def triangle(n):\n    return n * (n + 1) // 2", NUMBER),
    ("def square_root(n):\n    for r in range(n + 1):\n        if r * r <= n and n < (r + 1) * (r + 1):\n            return r\n    return 0", _int(0, 50)),
    ("def leap(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)", _int(1890, 2010)),
    ("def clamp(x, low, high):\n    return max(low, min(x, high))", _named(x=NUMBER, low=_int(-5, 0), high=_int(0, 5))),
    ("def between(a, b, c):\n    return a < b <= c", _named(a=NUMBER, b=NUMBER, c=NUMBER)),
    ("def divmod_pair(a, b):\n    return (a // b, a % b)", _named(a=NUMBER, b=_int(-3, 3))),
    ("def binary(n):\n    if n == 0:\n        return \"0\"\n    out = \"\"\n    m = n\n    for i in range(20):\n        if m == 0:\n            break\n        out = str(m % 2) + out\n        m //= 2\n    return out", _int(0, 300)),
    ("def roman(n):\n    out = \"\"\n    for value, sign in [(1000, \"M\"), (900, \"CM\"), (500, \"D\"), (400, \"CD\"), (100, \"C\"), (90, \"XC\"), (50, \"L\"), (40, \"XL\"), (10, \"X\"), (9, \"IX\"), (5, \"V\"), (4, \"IV\"), (1, \"I\")]:\n        for i in range(n // value):\n            out += sign\n        n = n % value\n    return out", _int(0, 400)),
    ("def fizzbuzz(n):\n    out = []\n    for i in range(1, n + 1):\n        if i % 15 == 0:\n            out = out + [\"FizzBuzz\"]\n        elif i % 3 == 0:\n            out = out + [\"Fizz\"]\n        elif i % 5 == 0:\n            out = out + [\"Buzz\"]\n        else:\n            out = out + [str(i)]\n    return out", _int(0, 16)),
    ("def total(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t", NUMBERS),
    ("def product(xs):\n    p = 1\n    for x in xs:\n        p *= x\n    return p", NUMBERS),
    ("def mean(xs):\n    return sum(xs) // len(xs)", NUMBERS),
    ("def largest(xs):\n    return max(xs)", NUMBERS),
    ("def smallest_and_largest(xs):\n    return (min(xs), max(xs))", NUMBERS),
    ("def evens(xs):\n    return [x for x in xs if x % 2 == 0]", NUMBERS),
    ("def squares(n):\n    return [i * i for i in range(n)]", SMALL),
    ("def count_positive(xs):\n    return sum([1 for x in xs if x > 0])", NUMBERS),
    ("def contains(xs, wanted):\n    return wanted in xs", _named(xs=NUMBERS, wanted=NUMBER)),
    ("def index_of(xs, wanted):\n    for i, x in enumerate(xs):\n        if x == wanted:\n            return i\n    return -1", _named(xs=NUMBERS, wanted=NUMBER)),
    ("def unique(xs):\n    seen = []\n    for x in xs:\n        if x not in seen:\n            seen = seen + [x]\n    return seen", _list(_int(0, 4))),
    ("def reverse(xs: list):\n    return xs[::-1]", NUMBERS),
    ("def rotate(xs: list[int], k: int):\n    n = len(xs)\n    if n == 0:\n        return xs\n    m = k % n\n    return xs[m:] + xs[:m]", _named(xs=NUMBERS, k=NUMBER)),
    ("def take_drop(xs: list[int], n: int):\n    return (xs[:n], xs[n:])", _named(xs=NUMBERS, n=_int(-9, 9))),
    ("def middle(xs: list[int], a: int, b: int):\n    return xs[a:b]", _named(xs=NUMBERS, a=_int(-9, 9), b=_int(-9, 9))),
    ("def at(xs: list[int], i: int):\n    return xs[i]", _named(xs=NUMBERS, i=_int(-8, 8))),
    ("def ends(xs):\n    return (xs[0], xs[-1])", NUMBERS),
    ("def running(xs):\n    out = []\n    t = 0\n    for x in xs:\n        t += x\n        out = out + [t]\n    return out", NUMBERS),
    ("def flatten(xss):\n    return [x for xs in xss for x in xs]", _list(NUMBERS, 4)),
    ("def dot(a, b):\n    return sum([x * y for x, y in zip(a, b)])", _named(a=NUMBERS, b=NUMBERS)),
    ("def matrix_product(a, b):\n    n = len(b)\n    return [[sum([row[k] * b[k][j] for k in range(n)]) for j in range(len(b[0]))] for row in a]", _matrix),
    ("def transpose(m):\n    if len(m) == 0:\n        return []\n    return [[row[j] for row in m] for j in range(len(m[0]))]", lambda r: _matrix(r)["a"]),
    ("def pairs(n):\n    return [(i, j) for i in range(n) for j in range(i) if (i + j) % 2 == 1]", _int(0, 5)),
    ("def ascending(xs):\n    return sorted(xs)", NUMBERS),
    ("def descending(xs):\n    return sorted(xs, reverse=True)", NUMBERS),
    ("def by_second(ps: list[tuple[int, int]]):\n    return sorted(ps, key=lambda p: p[1])", _list(_pair(_int(), _int(0, 3)))),
    ("def by_length(words):\n    return sorted(words, key=lambda w: len(w), reverse=True)", _list(_text("ab", 3))),
    ("def median(xs):\n    s = sorted(xs)\n    return s[len(s) // 2]", NUMBERS),
    ("def binary_search(xs, wanted):\n    low = 0\n    high = len(xs)\n    for i in range(10):\n        if low >= high:\n            break\n        mid = (low + high) // 2\n        if xs[mid] < wanted:\n            low = mid + 1\n        else:\n            high = mid\n    return low < len(xs) and xs[low] == wanted", _sorted_search),
    ("def bubble(xs):\n    out = []\n    for x in xs:\n        less = [y for y in out if y <= x]\n        more = [y for y in out if y > x]\n        out = less + [x] + more\n    return out", NUMBERS),
    ("def run_length(s: str):\n    out = []\n    last = \"\"\n    n = 0\n    for c in s:\n        if c == last:\n            n += 1\n        else:\n            if n > 0:\n                out = out + [(last, n)]\n            last = c\n            n = 1\n    if n > 0:\n        out = out + [(last, n)]\n    return out", _text("ab")),
    ("def vowels(s: str):\n    n = 0\n    for c in s:\n        if c in \"aeiou\":\n            n += 1\n    return n", _text("aeixyz")),
    ("def palindrome(s: str):\n    return s == s[::-1]", _text("ab", 5)),
    ("def initials(words: list[str]):\n    out = \"\"\n    for w in words:\n        if len(w) > 0:\n            out += w[0]\n    return out", WORDS),
    ("def repeat(s: str, n: int):\n    out = \"\"\n    for i in range(n):\n        out += s\n    return out", _named(s=_text(), n=_int(-1, 4))),
    ("def word_count(s: str):\n    words = 0\n    inside = False\n    for c in s:\n        if c == \" \":\n            inside = False\n        elif not inside:\n            inside = True\n            words += 1\n    return words", _text("ab  ", 10)),
    ("def split(s: str, at: str):\n    parts = []\n    part = \"\"\n    for c in s:\n        if c == at:\n            parts = parts + [part]\n            part = \"\"\n        else:\n            part += c\n    return parts + [part]", _named(s=_text("ab,"), at=lambda r: ",")),
    ("def caesar(s: str, k: int):\n    letters = \"abc\"\n    out = \"\"\n    for c in s:\n        for i, l in enumerate(letters):\n            if l == c:\n                out += letters[(i + k) % 3]\n    return out", _named(s=_text("abc"), k=_int(-4, 4))),
    ("def has_word(s: str, w: str):\n    return w in s", _named(s=_text("ab"), w=_text("ab", 2))),
    ("def counts(words: list[str]):\n    d = {}\n    for w in words:\n        if w in d:\n            d = {**d, w: d[w] + 1}\n        else:\n            d = {**d, w: 1}\n    return d", WORDS),
    ("def invert(d: dict[str, str]):\n    return {d[k]: k for k in sorted(d)}", lambda r: {r.choice("abc"): r.choice("xyz") for _ in range(r.randint(0, 4))}),
    ("def adults(people):\n    return [p[\"name\"] for p in people if p[\"age\"] >= 18]", PEOPLE),
    ("def birthday(p):\n    return {**p, \"age\": p[\"age\"] + 1}", _named(name=_text(), age=SMALL)),
    ("def oldest(people):\n    best = people[0]\n    for p in people:\n        if p[\"age\"] > best[\"age\"]:\n            best = p\n    return best[\"name\"]", PEOPLE),
    ("def invoice(items):\n    return {\"count\": len(items), \"total\": sum([i[\"price\"] * i[\"quantity\"] for i in items])}", _list(_named(price=SMALL, quantity=SMALL), 4)),
    ("def keys_of(d: dict[str, int]):\n    return [(k, d[k]) for k in sorted(d)]", lambda r: {r.choice("abc"): r.randint(0, 9) for _ in range(r.randint(0, 4))}),
    ("def levenshtein(a: str, b: str):\n    row = [j for j in range(len(b) + 1)]\n    i = 0\n    for x in a:\n        i += 1\n        new = [i]\n        j = 0\n        for y in b:\n            j += 1\n            cost = 0 if x == y else 1\n            new = new + [min(row[j] + 1, new[j - 1] + 1, row[j - 1] + cost)]\n        row = new\n    return row[len(b)]", _named(a=_text("ab", 4), b=_text("ab", 4))),
    ("def hanoi(n, a, b, c):\n    if n == 0:\n        return []\n    return hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)", _named(n=_int(0, 4), a=lambda r: "a", b=lambda r: "b", c=lambda r: "c")),
    ("def any_all(xs):\n    return (any([x > 5 for x in xs]), all([x > 5 for x in xs]))", NUMBERS),
    ("def early(xs):\n    for x in xs:\n        if x == 0:\n            continue\n        for y in range(x):\n            if y == 3:\n                return (x, y)\n    return (0, 0)", NUMBERS),
    ("def steps(n):\n    return (list(range(n, 0, -2)), [i for i in range(0, n, 3)])", _int(-5, 12)),
    ("def compose(x):\n    add = lambda y: y + 1\n    twice = lambda y: add(add(y))\n    return twice(twice(x))", NUMBER),
    ("def checksum(s: str):\n    t = 0\n    for i, c in enumerate(s):\n        t = (t * 3 + (1 if c == \"a\" else 2) * (i + 1)) % 97\n    return t", _text("ab")),
    ("def balance(s: str):\n    depth = 0\n    for c in s:\n        if c == \"(\":\n            depth += 1\n        elif c == \")\":\n            depth -= 1\n        if depth < 0:\n            return False\n    return depth == 0", _text("()", 6)),
]  # fmt: skip

NAMES = [
    source.split("(")[0].removeprefix("def ") if source.startswith("def") else source
    for source, _ in FUNCTIONS
]


def as_term(value: Any) -> Json:
    """A Python value as an input."""
    match value:
        case tuple():
            return {"pair": [as_term(part) for part in value]}
        case list():
            return [as_term(part) for part in value]
        case dict():
            return {"record": {key: as_term(part) for key, part in value.items()}}
        case _:
            return value


def in_pif(term: Term, given: Any) -> tuple[str, Json]:
    registry = Dictionary()
    registry.terms = {"it": term}
    found = run(Request(tool="it", input=as_term(given), raw=True), registry, BUDGET)
    if found["type"] == "value":
        return "value", found["value"]
    kind = found["error"]["kind"]
    assert kind in ("division_by_zero", "empty_list", "missing_key"), found
    return "error", None
