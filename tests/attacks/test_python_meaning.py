"""Python that a term would read otherwise: each program is refused with its place, the reason and the way out, or gives
what CPython gives and fails where CPython fails.

Every program was once translated to a term with another answer than CPython's, or is a neighbour of one that was.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from pif.python_syntax import PythonError, translate
from tests.support.terms.cpython import outcome_in_pif, outcome_in_python, python_function

LATER = "would then see the later value"
SHARED = "changes in Python the list itself"
NO_LIST = "is no list"
ONCE = "can be gone through once"
EARLY = "where the end comes early"
NO_VALUE = "may have no value here"
KINDS = "1 and True are equal in Python"
SHOWN = "only this comparison shows that a boolean is meant"

REFUSED: dict[str, tuple[str, str]] = {
    # A lambda sees what its names are when it is called.
    "a name assigned again": ("def f(x):\n    k = 1\n    g = lambda y: y + k\n    k = 2\n    return g(x)", LATER),
    "a name changed by +=": ("def f(x):\n    k = 1\n    g = lambda y: y + k\n    k += 2\n    return g(x)", LATER),
    "a name assigned in a branch": ("def f(x):\n    k = 1\n    g = lambda y: y + k\n    if x > 0:\n        k = 2\n    return g(x)", LATER),
    "a parameter assigned again": ("def f(x):\n    g = lambda y: y + x\n    x = 2\n    return g(x)", LATER),
    "a loop's variable": ("def f(x):\n    g = lambda y: y\n    for i in range(3):\n        if i == 0:\n            g = lambda y: y + i\n    return g(x)", LATER),
    "what a loop assigns later in its body": ("def f(x):\n    k = 0\n    g = lambda y: y\n    for i in range(3):\n        h = g\n        g = lambda y: h(y) + k\n        k = 5\n    return g(x)", LATER),
    "a comprehension's variable": ("def f(x):\n    return [g(x) for g in [lambda y: y + i for i in range(3)]]", LATER),
    "a lambda made by a lambda": ("def f(x):\n    k = 1\n    g = (lambda a: lambda y: y + a + k)(1)\n    k = 2\n    return g(x)", LATER),
    "a lambda that calls its own name": ("def f(x):\n    g = lambda y: y\n    g = lambda y: 0 if y <= 0 else g(y - 1)\n    return g(x)", LATER),
    "a lambda in a list": ("def f(x):\n    k = 1\n    gs = [lambda y: y + k]\n    k = 2\n    return gs[0](x)", LATER),
    "a tool called, a local function meant": ("def f(x):\n    g = lambda y: h(y)\n    h = lambda y: y + 1\n    return g(x)", LATER),
    # A list with two names.
    "a list with another name": ("def f(x):\n    xs = [x]\n    ys = xs\n    ys += [1]\n    return xs", SHARED),
    "the other name of a list": ("def f(x):\n    xs = [x]\n    ys = xs\n    xs += [1]\n    return ys", SHARED),
    "a list that came from outside": ("def f(xs: list[int]):\n    xs += [1]\n    return xs", SHARED),
    "a list in a list": ("def f(x):\n    xs = [x]\n    yss = [xs]\n    xs += [1]\n    return yss", SHARED),
    "a list in a pair": ("def f(x):\n    xs = [x]\n    p = (xs, 1)\n    xs += [1]\n    return p", SHARED),
    "a list in a dict": ("def f(x):\n    xs = [x]\n    d = {'a': xs}\n    xs += [1]\n    return d", SHARED),
    "an item of a list": ("def f(x):\n    xss = [[x]]\n    xs = xss[0]\n    xs += [1]\n    return xss", SHARED),
    "a list a loop goes over": ("def f(x):\n    xss = [[x]]\n    for xs in xss:\n        xs += [1]\n    return xss", SHARED),
    "a list that a condition chooses": ("def f(x):\n    xs = [x]\n    ys = xs if x > 0 else [1]\n    ys += [1]\n    return xs", SHARED),
    "a list given to a function": ("def f(x):\n    xs = [x]\n    ys = (lambda z: z)(xs)\n    ys += [1]\n    return xs", SHARED),
    "a list that a lambda returned": ("def f(x):\n    xs = [x]\n    ys = (lambda z: xs)(0)\n    xs += [1]\n    return ys", SHARED),
    "a list shared in the round before": ("def f(n):\n    row = [0]\n    out = []\n    for i in range(n):\n        row += [i]\n        out = out + [row]\n    return out", SHARED),
    "a list shared where the round ends early": ("def f(n):\n    row = [0]\n    out = [[1]]\n    for i in range(n):\n        row += [i]\n        if i < 2:\n            out = out + [row]\n            continue\n        row = [0]\n    return out", SHARED),
    "a list that is gone over": ("def f(n):\n    xs = [n]\n    for x in xs:\n        xs += [x]\n    return xs", "while a loop goes over"),
    "a list that enumerate goes over": ("def f(n):\n    xs = [n]\n    for i, x in enumerate(xs):\n        xs += [x]\n    return xs", "while a loop goes over"),
    # What can be gone through once, and is no list.
    "a generator under a name": ("def f(xs):\n    g = (x for x in xs)\n    return sum(g) + sum(g)", ONCE),
    "zip under a name": ("def f(xs):\n    z = zip(xs, xs)\n    return len(list(z)) + len(list(z))", ONCE),
    "reversed under a name": ("def f(xs):\n    r = reversed(xs)\n    return [sum(r), sum(r)]", ONCE),
    "enumerate under a name": ("def f(xs):\n    e = enumerate(xs)\n    return [len(list(e)), len(list(e))]", ONCE),
    "map under a name": ("def f(xs):\n    m = map(lambda x: x + 1, xs)\n    return sum(m) + sum(m)", ONCE),
    "filter under a name": ("def f(xs):\n    m = filter(lambda x: x > 0, xs)\n    return sum(m) + sum(m)", ONCE),
    "a generator returned": ("def f(xs):\n    return (x for x in xs)", ONCE),
    "a generator given to a local function": ("def f(xs):\n    g = lambda ys: sum(ys) + sum(ys)\n    return g(x for x in xs)", ONCE),
    "zip given to a tool": ("def f(xs):\n    return sumTwice(zip(xs, xs))", ONCE),
    "zip in a list": ("def f(xs):\n    return [zip(xs, xs)]", ONCE),
    "an index of zip": ("def f(xs):\n    return zip(xs, xs)[0]", ONCE),
    "the length of a generator": ("def f(xs):\n    return len(x for x in xs)", ONCE),
    "reversed of zip": ("def f(xs):\n    return list(reversed(zip(xs, xs)))", "cannot reverse"),
    "a range compared with a list": ("def f(x):\n    return range(3) == [0, 1, 2]", NO_LIST),
    "a list compared with a range": ("def f(x):\n    return [0, 1, 2] == range(3)", NO_LIST),
    "a range and a list": ("def f(n):\n    return range(n) + [1]", NO_LIST),
    "a range under a name": ("def f(n):\n    r = range(n)\n    return r == [0]", NO_LIST),
    "a range in a branch": ("def f(n):\n    return (range(n) if n > 0 else [1]) == [0]", NO_LIST),
    "a loop over a generator, which sees what it assigns": ("def f(n):\n    k = 1\n    out = []\n    for x in (k * y for y in range(n)):\n        k = 5\n        out = out + [x]\n    return out", "would see what the loop assigns"),
    "a loop over map": ("def f(n):\n    k = 1\n    t = 0\n    for x in map(lambda y: k * y, range(n)):\n        k = 5\n        t += x\n    return t", "would see what the loop assigns"),
    "zip over a generator": ("def f(xs):\n    return [a for a, b in zip(xs, (1 // x for x in xs))]", "unevaluated where the other ends first"),
    "in a generator": ("def f(xs):\n    return 1 in (1 // x for x in xs)", "`in` stops at the first"),
    "any over an enumerated generator": ("def f(xs):\n    return any(x > 0 for i, x in enumerate(1 // y for y in xs))", EARLY),
    # Comparison across kinds.
    "an integer and True": ("def f(n: int):\n    return n == True", KINDS),
    "True and an integer": ("def f(n):\n    return True == n + 1", KINDS),
    "something and True": ("def f(n):\n    return n == True", SHOWN),
    "something not True": ("def f(n):\n    return n != True", SHOWN),
    "a list and a list of True": ("def f(n):\n    return [n] == [True]", SHOWN),
    "a list of integers and a list of True": ("def f(n: int):\n    return [n] == [True]", KINDS),
    "pairs": ("def f(n: int):\n    return (n, 1) == (1, True)", KINDS),
    "dicts": ("def f(n: int):\n    return {'a': n} == {'a': True}", KINDS),
    "True among integers": ("def f(xs: list[int]):\n    return True in xs", KINDS),
    "an integer among truth values": ("def f(n: int):\n    return n in [True, False]", KINDS),
    "by way of another name": ("def f(a, b):\n    return a == b and b == True", SHOWN),
    "a string and an integer": ("def f(n: int):\n    return n == 'a'", "different kinds"),
    "an unknown list and numbers": ("def f(xs):\n    return xs == [1]", "only this comparison shows that an integer is meant"),
    # Names and calls.
    "a built-in that is a local name later": ("def f(xs):\n    n = len(xs)\n    len = 3\n    return n + len", NO_VALUE),
    "a tool that is a local name later": ("def f(x):\n    y = g(x)\n    g = lambda z: z\n    return y", NO_VALUE),
    "itself, a local name later": ("def f(x):\n    y = f(x)\n    f = lambda z: z\n    return y", NO_VALUE),
    "a name of one branch": ("def f(x):\n    if x > 0:\n        y = 1\n    return y", NO_VALUE),
    "a comprehension's own name outside it": ("def f(x):\n    return [x for y in [[1]] for x in x]", NO_VALUE),
    "a local function of two arguments": ("def f(x):\n    g = lambda a: lambda b: a + b\n    return g(1, 2)", "takes one argument"),
    "a local function of none": ("def f(x):\n    g = lambda a: a\n    h = g()\n    return h(1)", "takes one argument"),
    "a local function with a name it lacks": ("def f(x):\n    g = lambda a: a\n    return g(1, b=2)", "takes one argument"),
    "a tool of no argument": ("def f(x):\n    return g()", "a tool takes an argument"),
    "Python's map one by one": ("def f(xs):\n    return map(lambda x: x)(xs)", "`map` takes a function and one list"),
    "Python's int": ("def f(x):\n    return int(x)", "is a function of Python"),
    "Python's print": ("def f(x):\n    y = print(x)\n    return x", "is a function of Python"),
    "two parameters of one name": ("def f(x, x):\n    return x", "there are two parameters"),
    # Nothing that could fail is left out.
    "a value that nothing uses": ("def f(x):\n    1 // x\n    return 1", "nothing is done with"),
    "a key that stands twice": ("def f(x):\n    return {'a': 1 // x, 'a': 2}", "stands twice"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_place_reason_and_way_out(name: str) -> None:
    source, reason = REFUSED[name]
    with pytest.raises(PythonError) as refused:
        translate(source)
    error = refused.value
    assert reason in error.message
    assert error.hint
    assert error.line > 1 or name == "two parameters of one name"
    assert 1 <= error.column <= len(source.split("\n")[error.line - 1])


SAME: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "any stops early": ("def f(xs: list[int]):\n    return any(6 // x > 2 for x in xs)", [{"xs": [2, 0]}, {"xs": [7, 0]}, {"xs": []}]),
    "all stops early": ("def f(xs: list[int]):\n    return all(6 // x > 2 for x in xs)", [{"xs": [7, 0]}, {"xs": [2, 0]}, {"xs": []}]),
    "any of a list does not": ("def f(xs: list[int]):\n    return any([6 // x > 2 for x in xs])", [{"xs": [2, 0]}, {"xs": [2]}]),
    "any in two loops with a condition": ("def f(xs: list[int]):\n    return any(6 // y > 2 for x in xs if x > 0 for y in [x, 6 // (x - 2)])", [{"xs": [0, 1, 2]}, {"xs": [7, 2]}, {"xs": [0]}]),
    "any over map": ("def f(xs: list[int]):\n    return any(map(lambda x: 6 // x > 2, xs))", [{"xs": [2, 0]}, {"xs": [0, 2]}]),
    "all over filter": ("def f(bs: list[bool]):\n    return all(filter(lambda b: b, bs))", [{"bs": [True, False]}, {"bs": []}]),
    "a condition that only fails": ("def f(x: int):\n    if 1 // x > 0:\n        pass\n    return 1", [{"x": 0}, {"x": 1}]),
    "a branch that only fails": ("def f(x: int):\n    if x > 0:\n        y = 1 // (x - 1)\n    return 1", [{"x": 0}, {"x": 1}, {"x": 2}]),
    "a loop that only fails": ("def f(xs: list[int]):\n    for x in xs:\n        y = 1 // x\n    return 1", [{"xs": [0]}, {"xs": [1]}, {"xs": []}]),
    "a list that only fails": ("def f(x: int):\n    ys = [1 // x]\n    return 1", [{"x": 0}, {"x": 1}]),
    "a key found of one item": ("def f(x: int):\n    return sorted([x], key=lambda y: 1 // y)", [{"x": 0}, {"x": 1}]),
    "str of a truth value": ("def f(x: int):\n    return str(x > 0) + str(x == 0)", [{"x": 0}, {"x": 1}]),
    "a lambda called on the spot": ("def f(n: int):\n    out = [0]\n    for k in range(n):\n        out += sorted([1, 2], key=lambda x: x * k) + [(lambda y: y + k)(1)]\n    return out", [{"n": 0}, {"n": 3}]),
    "a lambda given the present value": ("def f(x: int):\n    return [g(x) for g in [(lambda i: lambda y: y + i)(i) for i in range(3)]]", [{"x": 1}]),
    "a list of one name": ("def f(n: int):\n    out = []\n    for i in range(n):\n        row = []\n        for j in range(i):\n            row += [j]\n        out += [row]\n    return out", [{"n": 3}, {"n": 0}]),
    "a list added to itself": ("def f(n: int):\n    xs = [n]\n    xs += xs\n    return xs", [{"n": 3}]),
    "a copy is gone over": ("def f(n: int):\n    xs = [n]\n    for x in xs[:]:\n        xs += [x]\n    for i in range(len(xs)):\n        xs += [i]\n    return xs", [{"n": 3}]),
    "a lambda that calls itself": ("f = lambda n: 1 if n <= 0 else n * f(n=n - 1)", [{"n": 5}]),
    "is and is not": ("def f(x: int):\n    return [x is None, x is not None, x is True]", [{"x": 1}]),
    "a shadowed name of a built-in": ("def f(xs: list[int]):\n    sum = 0\n    for x in xs:\n        sum += x\n    return sum", [{"xs": [1, 2]}]),
    "the first list of a comprehension": ("def f(x: list[int]):\n    return [x for x in x]", [{"x": [1, 2]}]),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_it_gives_what_cpython_gives(name: str) -> None:
    source, inputs = SAME[name]
    term = translate(source).term
    function = python_function(source.replace("f = lambda n:", "def f(n): return", 1))
    for given in inputs:
        theirs, ours = outcome_in_python(function, given), outcome_in_pif(term, given)
        if theirs == "error":
            assert ours in ("division_by_zero", "empty_list", "missing_key"), given
        else:
            assert ours == theirs, given


@pytest.mark.parametrize(
    ("source", "wrong"),
    [("lambda n: n == 1", True), ("lambda n: n in [1, 2]", True), ("lambda n: str(n)", [1, 2]), ("lambda xs: 1 in xs", [True])],
)  # fmt: skip
def test_what_is_held_to_be_an_integer_is_one(source: str, wrong: Any) -> None:
    """Python would answer otherwise for what is none: here that is an error, and no other answer."""
    term = translate(source).term
    assert outcome_in_pif(term, {"n": wrong}) == "type_error"
    right = [1] if isinstance(wrong, list) and "in xs" in source else 1
    assert json.loads(outcome_in_pif(term, {"n": right})) in (True, "1")


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("def f(x):\n    a = 'é'; _y = 1\n    return x", 2, 14),
        ("def f(x):\n    return ['é', y]", 2, 18),
        ("def f(x):\n    return [1, _a]", 2, 16),
        ("lambda x: x / 2", 1, 11),
        ("def f(d: dict):\n    return d['a'] + d[0]", 2, 21),
        ("lambda x: '\\ud800'", 1, 11),
    ],
)
def test_columns_count_characters(source: str, line: int, column: int) -> None:
    with pytest.raises(PythonError) as refused:
        translate(source)
    assert (refused.value.line, refused.value.column) == (line, column)


def test_a_deep_text_is_refused_before_anything_walks_it() -> None:
    for source in ("lambda x: " + "lambda y: " * 1_900 + "x", "lambda x: " + "+".join(["x"] * 9_000)):
        with pytest.raises(PythonError, match="nests too deep"):
            translate(source)
