"""Escapes from Python sandboxes, each rejected before anything could run: the text is parsed, never compiled.

The classes are those of RestrictedPython's advisories and of the usual jail breaks; `compile`, `exec` and `eval` are
watched to show that none is reached.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from pif.python_syntax import PythonError, translate

ESCAPES: dict[str, str] = {
    "attributes to internals (CVE-2023-37271)": "def f(x):\n    return (lambda y: y).__globals__",
    "frames of generators": "def f(x):\n    return (i for i in x).gi_frame.f_back",
    "str.format (CVE-2023-41039)": "def f(x):\n    return '{0.__class__}'.format(x)",
    "format_map": "def f(x):\n    return '{a.__class__}'.format_map(x)",
    "AttributeError.obj (CVE-2024-47532)": "def f(x):\n    try:\n        return x.a\n    except Exception as e:\n        return e.obj",
    "try/except* (CVE-2025-22153)": "def f(x):\n    try:\n        return 1\n    except* ValueError as e:\n        return e",
    "the string module": "import string\ndef f(x):\n    return string.Formatter().format(x)",
    "import": "def f(x):\n    import os\n    return os",
    "from import": "from os import system\ndef f(x):\n    return system(x)",
    "__import__": "def f(x):\n    return __import__('os')",
    "__builtins__": "def f(x):\n    return __builtins__",
    "underscored names": "def f(x):\n    _y = x\n    return _y",
    "dunder parameter": "def f(__class__):\n    return 1",
    "printed": "def f(printed):\n    return printed",
    "roles": "def f(a__roles__):\n    return 1",
    "getattr": "def f(x):\n    return getattr(x, '__class__')(1, 2)",
    "mro": "def f(x):\n    return ().__class__.__mro__[1].__subclasses__()",
    "f-string": "def f(x):\n    return f'{x.__class__}'",
    "f-string with a call": "def f(x):\n    return f'{exec(x)}'",
    "walrus": "def f(x):\n    return (y := x)",
    "walrus in a comprehension": "def f(x):\n    return [y := 1 for i in x]",
    "decorator": "@print\ndef f(x):\n    return x",
    "decorator expression": "@(lambda g: g)\ndef f(x):\n    return x",
    "default value": "def f(x=[]):\n    return x",
    "default value that runs": "def f(x=__import__('os').system('id')):\n    return x",
    "positional-only": "def f(x, /):\n    return x",
    "keyword-only": "def f(*, x):\n    return x",
    "star": "def f(*x):\n    return x",
    "double star": "def f(**x):\n    return x",
    "annotation that runs": "def f(x: __import__('os')):\n    return x",
    "annotation with a call": "def f(x: print(1)):\n    return x",
    "return of a star": "def f(x):\n    return [*x]",
    "match": "def f(x):\n    match x:\n        case 1:\n            return 1\n    return 2",
    "match on a class": "def f(x):\n    match x:\n        case object(__class__=c):\n            return c\n    return 2",
    "class": "class A:\n    pass",
    "metaclass": "class A(metaclass=print):\n    pass",
    "async": "async def f(x):\n    return x",
    "await": "async def f(x):\n    return await x",
    "yield": "def f(x):\n    yield x",
    "yield from": "def f(x):\n    yield from x",
    "with": "def f(x):\n    with x as y:\n        return y",
    "global": "def f(x):\n    global g\n    return x",
    "nonlocal": "def f(x):\n    nonlocal x\n    return x",
    "delete": "def f(x):\n    del x\n    return 1",
    "raise": "def f(x):\n    raise x",
    "assert": "def f(x):\n    assert x\n    return x",
    "while": "def f(x):\n    while True:\n        pass",
    "set": "def f(x):\n    return {x}",
    "set comprehension": "def f(x):\n    return {i for i in x}",
    "matrix product": "def f(x):\n    return x @ x",
    "true division": "def f(x):\n    return x / 2",
    "bit operations": "def f(x):\n    return x << 1000000",
    "ellipsis": "def f(x):\n    return ...",
    "bytes": "def f(x):\n    return b'a'",
    "float": "def f(x):\n    return 1.5",
    "complex": "def f(x):\n    return 1j",
    "nested def": "def f(x):\n    def g(y):\n        return y\n    return g(x)",
    "two functions": "def f(x):\n    return x\ndef g(x):\n    return x",
    "code beside the function": "print(1)\ndef f(x):\n    return x",
    "code after the function": "def f(x):\n    return x\nprint(1)",
    "attribute assignment": "def f(x):\n    x.y = 1\n    return x",
    "item assignment": "def f(x):\n    x[0] = 1\n    return x",
    "star assignment": "def f(x):\n    a, *b = x\n    return b",
    "chained assignment": "def f(x):\n    a = b = x\n    return a",
    "type alias comment": "def f(x):\n    return x  # type: ignore\n    exec(x)\n    import os",
    "full-width letters": "def f(x):\n    return ｅｘｅｃ(x)",
    "a look-alike of a name": "def f(x):\n    xª = 1\n    return xª",
    "a look-alike of an underscore": "def f(x):\n    return ＿＿import＿＿('os')",
    "long s": "def f(x):\n    return liſt(x)",
    "a null byte": "def f(x):\n    return 1\0",
    "an unclosed bracket": "def f(x):\n    return (1",
    "tabs and spaces": "def f(x):\n\tif x:\n        return 1",
    "deep brackets": "def f(x):\n    return " + "(" * 5_000 + "1" + ")" * 5_000,
    "deep unary signs": "def f(x):\n    return " + "-" * 15_000 + "1",
    "deep nots": "def f(x):\n    return " + "not " * 4_000 + "x",
    "a long text": "def f(x):\n    return '" + "a" * 30_000 + "'",
    "a huge integer": "def f(x):\n    return " + "9" * 5_000,
    "branches that multiply": "def f(x):\n    y = 0\n    for i in x:\n" + "".join(f"        if i == {n}:\n            y += 1\n            if i > 99:\n                break\n" for n in range(40)) + "    return y",
    "a sum deeper than a term may be": "def f(x):\n    return " + " + ".join(["x"] * 500),
    "more names than a term may nest": "def f(x):\n" + "".join(f"    y{n} = x\n" for n in range(500)) + "    return x",
    "nothing": "",
    "no function": "1 + 1",
    "no argument": "def f():\n    return 1",
    "an encoding declaration": "# -*- coding: rot13 -*-\nqrs s(k):\n    erghea k",
}  # fmt: skip


@cache
def _hooked() -> list[list[object]]:
    """Those who are told of code that is executed. An audit hook stays, and costs at each `id`: there is one."""
    told: list[list[object]] = []

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        if event == "exec":
            for each in told:
                each.append(arguments)

    sys.addaudithook(audit)
    return told


@contextmanager
def executed() -> Iterator[list[object]]:
    """What is executed meanwhile."""
    found: list[object] = []
    _hooked().append(found)
    try:
        yield found
    finally:
        _hooked().remove(found)


@pytest.mark.parametrize("name", ESCAPES)
def test_an_escape_is_refused_with_its_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    translate("lambda x: x")  # what importing modules needs is not what is watched
    reached: list[str] = []

    def watched(called: str) -> Any:
        return lambda *args, **kwargs: reached.append(called)

    for called in ("exec", "eval", "print"):
        monkeypatch.setattr(builtins, called, watched(called))
    with executed() as compiled, pytest.raises(PythonError) as refused:
        translate(ESCAPES[name])
    monkeypatch.undo()
    assert refused.value.message.startswith("line ")
    assert refused.value.kind == "parse_error"
    assert not reached
    assert not [each for each in compiled if "<unknown>" in str(each) or "<string>" in str(each)]


def test_a_text_that_would_act_is_translated_and_does_nothing() -> None:
    """A call of what Python would find harmful is a call of a tool of that name, which does not exist."""
    made = translate("def f(x):\n    return system(x)").term
    assert made.parts[0].op == "app"
    assert made.parts[0].parts[0].value == "system"
