"""Methods, f-strings and the functions that go with them: CPython's meaning, or refused by what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from pif.python_syntax import PythonError, translate
from tests.support.terms.cpython import outcome_in_pif, outcome_in_python, python_function

TEXTS = [
    "",
    "a",
    "a,b",
    "  a b  ",
    "a,,b,",
    ",",
    "aXbXXc",
    "\u00a0a\u2003b\x1c\x1d",
    "abcabc",
    "\t\n",
    "Éa ",
    "ab\u3000\x85",
]
OF_TEXT = [
    "s.split()", "s.split(',')", "s.split('XX')", "s.split('')", "s.split(s)", "s.strip()", "s.lstrip()", "s.rstrip()",
    "s.strip('a,')", "s.lstrip('a,')", "s.rstrip('a,')", "s.strip('')", "s.strip(s)", "s.replace('a', 'bb')",
    "s.replace('', '-')", "s.replace('b', '')", "s.replace(s, 'x')", "'banana'.replace(s, s + '-')", "s.startswith('a')",
    "s.startswith('')", "'abc'.startswith(s)", "s.endswith(',')", "s.endswith('')", "','.join(s)", "s.join(['a', 'b'])",
    "'x'.join(c for c in s if c != 'a')", "'-'.join(sorted(s.split(',')))", "f'{s}!'", "f'<{s}>{len(s)}{s == s}'", "f''",
    "f'{{{s}}}'", "s.strip().split(',')", "[w for w in s.split()]", "max(s.split(','), key=lambda w: len(w))",
    "min(s.split(','), key=lambda w: len(w))", "sorted(s.split(','), key=lambda w: -len(w))",
    "[i for i, c in enumerate(s, 1) if c == 'a']", "list(zip(s, s[1:]))", "any(c == 'a' for c in s)",
    "all([w.startswith('a') for w in s.split(',')])", "{w: len(w) for w in s.split(',')}",
]  # fmt: skip
DICTS: list[dict[str, int]] = [{}, {"a": 1}, {"b": 2, "a": 1}, {"b": 1, "a": 1, "c": 0}]
OF_DICT = [
    "d.get('a', 5)", "d.get('zz', 5)", "d.get('a', 1 // len(d))", "sorted(d.items())", "sorted(d.items(), reverse=True)",
    "[k for k, v in sorted(d.items()) if v > 0]", "sum(d.values())", "sum(v for k, v in d.items())", "max(d.values())",
    "min(v * v for v in d.values())", "sorted(d.keys())", "sorted(d.values())", "{k: v + 1 for k, v in d.items()}",
    "{k: 10 // v for k, v in d.items()}", "{k: 0 for k in d}", "sum(10 // v for v in d.values())",
    "sorted(sorted(d), key=lambda k: d[k])", "max(sorted(d), key=lambda k: d[k])",
]  # fmt: skip


@pytest.mark.parametrize("body", OF_TEXT)
def test_of_a_string(body: str) -> None:
    same(f"def f(s: str):\n    return {body}\n", [{"s": each} for each in TEXTS])


@pytest.mark.parametrize("body", OF_DICT)
def test_of_a_dict(body: str) -> None:
    same(f"def f(d: dict[str, int]):\n    return {body}\n", [{"d": each} for each in DICTS])


def test_a_value_of_another_kind_fails_as_in_python() -> None:
    for body in ("s.strip()", "s.split(',')", "s.startswith('a')", "s.replace('a', 'b')", "','.join(s)"):
        same(f"def f(s):\n    return {body}\n", [{"s": 1}, {"s": [1]}, {"s": None}])


def same(source: str, inputs: list[dict[str, Any]]) -> None:
    term, function = translate(source).term, python_function(source)
    for given in inputs:
        ours, theirs = outcome_in_pif(term, given), outcome_in_python(function, given)
        failed = ours[0].isalpha() and ours not in ("true", "false", "null")
        assert (theirs == "error") if failed else (ours == theirs), (source, given, ours, theirs)


REFUSED = {
    "s.upper()": "Call std.upperCase(s)",
    "s.lower()": "Call std.lowerCase(s)",
    "f'{s!r}'": "Write {x}",
    "f'{s:>3}'": "std.padLeft(n)",
    "s.title()": "`pif list --library`",
    "s.split(',', 1)": "s.split(sep)",
    "s.format(1)": "Write an f-string",
    "s.isdigit()": "all(std.isDigit(c) for c in s)",
    "s.zfill(3)": 'std.padLeft(n)("0")(s)',
    "s.find('a')": "part in s",
    "s.length": 'Write d["name"]',
    "std.sum": "Write lambda x: std.sum(x)",
    "max(s, default='')": "if len(xs) > 0 else",
    "[v for v in d.values()]": "Go through sorted(d.items())",
    "list(d.items())": "Write sorted(d.items())",
    "d.items()": "Write sorted(d.items())",
    "sorted(d, key=lambda k: d[k])": "Write sorted(d)",
    "sorted(d.items(), key=lambda p: p[1])": "Write sorted(d.items())",
    "max(d, key=lambda k: d[k])": "Write sorted(d)",
    "any(v > 0 for v in d.values())": "Go through sorted(d.items())",
    "{v: k for k, v in d.items()}": "Write sorted(d.items())",
    "d.pop('a')": "for k, v in d.items() if k != key",
    "d.get('a')": "d.get(key, default)",
    "xs.index(1)": "enumerate(xs)",
    "xs.append(1)": "Write xs = xs + [x]",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_refused_says_what_to_write(body: str) -> None:
    with pytest.raises(PythonError) as caught:
        translate(f"def f(s: str, d: dict[str, int], xs: list[int]):\n    return {body}\n")
    assert REFUSED[body] in (caught.value.hint or "")
    assert caught.value.line == 2


def test_a_method_that_changes_a_list_as_a_statement() -> None:
    with pytest.raises(PythonError, match=r"line 4, column 9: the method `\.append`") as caught:
        translate(
            "def f(xs: list[int]):\n    out = []\n    for x in xs:\n        out.append(x)\n    return out\n"
        )
    assert caught.value.hint == "Write xs = xs + [x]."


def test_a_tool_of_the_library_by_its_name() -> None:
    term = translate("def f(xs: list[int]):\n    return std.sum(xs) + std.gcd(12)(18)\n").term
    assert outcome_in_pif(term, {"xs": [1, 2]}) == "9"
    with pytest.raises(PythonError, match="method"):
        translate("def f(std: str):\n    return std.sum([1])\n")
