"""Terms that want to put text of their own into the source that is compiled for them, and the ways out of
RestrictedPython that are on record: none finds anything to hold on to, in the grammar of generated source or in the
policy behind it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.analysis.facts import free_names
from pif.compiled import units
from pif.compiled.emitter import Bignums
from pif.compiled.generate import draft_function, draft_value
from pif.compiled.runtime import Runtime
from pif.compiled.source import is_name
from pif.compiled.source_grammar import is_generated
from pif.compiled.source_policy import Refused, checked_code
from pif.compiled.units import Prepared, Unit
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import Term, literal, make
from pif.language.values import ANY
from tests.support.terms.both_back_ends import compare
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.tool_dictionary import Dictionary, value

HOSTILE = [
    "__import__", "__class__", "__builtins__", "_getattr_", "__globals__", "f_back", "gi_frame", "tb_frame", "mro",
    "import os", "x); import os; (", "x\n import os", "x\r\nimport os", "#", "'", '"', '"""', "'''", "\\", "\\'", "\\n",
    "{x.__class__}", "%(x)s", "f'{x}'", "lambda: 0", "exec", "eval", "open", "globals", "fuel0", "evals0", "limit0",
    "k0", "unit0", "stop0", "f1", "v1", "d0", "e1", "a1, d0 = 0, 10", "None", "True", "def", "return", "yield", "class",
    "\x00", "\u202e", "\ufeff", "𝕖𝕩𝕖𝕔", "ｅｘｅｃ", "ªexec", "K1", "x" * 5_000, "", " ", "\t", "\f", "é", "α1", "٣", "x٣",
]  # fmt: skip
"""Names and strings that would mean something in Python's source, or to the generated functions."""

ALLOWED_NAMES = re.compile(r"[a-z]+[0-9]+")
KEYWORDS = {
    "def", "global", "if", "else", "while", "for", "in", "return", "continue", "and", "or", "not", "is", "pass", "None",
    "True", "False",
}  # fmt: skip


def programs(text: str) -> Iterator[Any]:
    """Terms with a text in every place that takes one."""
    var = {"var": text}
    yield {"lam": text, "body": {"add": [var, 1]}}
    yield {"let": {text: 3}, "in": [var, {"lam": text, "body": var}]}
    yield [text, {"concat": [text, text]}, {"eq": [text, text]}, {"show": text}, {"chars": text}]
    yield {"get": [{"record": {text: 1}}, text]}
    yield {"with": [{"record": {text: 1}}, text, {"join": [text, [text]]}]}
    yield {"quote": {"lam": text, "body": {"add": [var, text]}}}
    yield {"let": {text: 2}, "in": {"eval": {"quote": {"mul": [var, var]}}}}
    yield {"fold": [{"lam": text, "body": {"add": [{"fst": var}, {"snd": var}]}}, 0, [1, 2]]}
    yield {"let": {text: 2}, "in": {"eval": {"quote": {"unquote": {"quote": {"let": {text: 1}, "in": var}}}}}}
    yield {
        "lam": "x",
        "body": {"if": {"cond": {"eq": [var, 1]}, "then": {"code_of": text}, "else": {"app": [text, 1]}}},
    }
    yield {"reflect": {"record": {"op": "var", "name": text}}}


def sources(code: Any) -> Iterator[str]:
    term = decode_term(code)
    known = Dictionary(double={"mul": [{"var": "x"}, 2]})
    owner = Tool("t", 1, term)
    for checks_sizes in (False, True):
        try:
            yield draft_value(term, None, (), known, checks_sizes=checks_sizes).source
            if term.op == "lam" and not free_names(term):
                yield draft_function(term, owner, ANY, known, checks_sizes=checks_sizes).source
        except Bignums:
            assert not checks_sizes


def words(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.string
        else:
            assert token.type not in (tokenize.STRING, tokenize.COMMENT), token


def assert_clean(source: str, text: str) -> None:
    assert source.isascii()
    for word in words(source):
        assert word in KEYWORDS or ALLOWED_NAMES.fullmatch(word), word
    assert not any(isinstance(node, ast.Attribute) for node in ast.walk(ast.parse(source)))
    assert is_generated(source)
    checked_code(source)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_term_reaches_the_source(text: str) -> None:
    """The source is the same, letter for letter, for a harmless name of its own and for a hostile one."""
    for hostile, harmless in zip(programs(text), programs("h" * len(text)), strict=True):
        for source, expected in zip(sources(hostile), sources(harmless), strict=True):
            assert_clean(source, text)
            if "app" not in str(hostile):
                assert source == expected


@given(st.text(max_size=20))
def test_no_text_at_all_reaches_the_source(text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        return  # the decoder refuses lone surrogates
    for code in programs(text):
        for source in sources(code):
            assert_clean(source, text)


@given(st.integers(), st.integers(-(2**80), 2**80))
def test_integers_are_plain_numbers(first: int, second: int) -> None:
    """At most ten digits as text, the rest by the table of constants."""
    for source in sources({"add": [{"mul": [first, second]}, [first, second]]}):
        assert all(len(word) <= 10 for word in re.findall(r"[0-9]+", source))
        checked_code(source)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_programs_run_as_any_other(text: str) -> None:
    for code in programs(text):
        compare(decode_term(code))


ESCAPES = {
    "attributes reaching interpreter internals (CVE-2023-37271)": "def unit0(k0):\n return k0.gi_frame",
    "generator expressions (CVE-2023-37271)": "def unit0(k0):\n return list0(v1 for v1 in k0)",
    "str.format (CVE-2023-41039)": "def unit0(k0):\n return 'x{0.a}'.format(k0)",
    "format_map by name (CVE-2023-41039)": "def unit0(k0):\n return format0(k0, '{0.a}')",
    "AttributeError.obj (CVE-2024-47532)": "def unit0(k0):\n try:\n  stop0()\n except type0 as v1:\n  return v1.obj",
    "the string module (CVE-2024-47532)": "import string\ndef unit0(k0):\n return k0",
    "try/except* (CVE-2025-22153)": "def unit0(k0):\n try:\n  stop0()\n except* type0:\n  return k0",
    "safer_getattr (7.2)": "def unit0(k0):\n return getattr(k0, 'x')",
    "positional-only names that shadow guards (8.3)": "def unit0(_getattr_, /):\n return 1",
    "keyword-only names": "def unit0(*, _getattr_):\n return 1",
    "names with an underscore": "def unit0(k0):\n return __builtins__",
    "built-ins by name": "def unit0(k0):\n return eval",
    "decorators": "@type0\ndef unit0(k0):\n return k0",
    "annotations": "def unit0(k0: int0):\n return k0",
    "return annotations": "def unit0(k0) -> int0:\n return k0",
    "annotated assignment": "def unit0(k0):\n v1: int0 = 1\n return v1",
    "defaults": "def unit0(k0=type0):\n return k0",
    "classes": "class unit0:\n pass",
    "lambda": "def unit0(k0):\n return lambda v1: v1",
    "walrus": "def unit0(k0):\n return (v1 := k0)",
    "match": "def unit0(k0):\n match k0:\n  case int0():\n   return 1",
    "with": "def unit0(k0):\n with k0:\n  return 1",
    "raise": "def unit0(k0):\n raise k0",
    "assert": "def unit0(k0):\n assert k0",
    "del": "def unit0(k0):\n del k0",
    "nonlocal": "def unit0(k0):\n def f1():\n  nonlocal k0\n  return k0\n return f1",
    "async": "async def unit0(k0):\n return k0",
    "yield": "def unit0(k0):\n yield k0",
    "star arguments": "def unit0(k0):\n return stop0(*k0)",
    "keyword arguments": "def unit0(k0):\n return stop0(v1=k0)",
    "calls of expressions": "def unit0(k0):\n return (stop0 or k0)()",
    "subscripts of expressions": "def unit0(k0):\n return stop0()[0]",
    "computed subscripts": "def unit0(k0):\n return k0[k0]",
    "computed subscripts of names that begin like a record's": "def unit0(k0):\n range0[k0] = 1\n return rk0[k0]",
    "computed subscripts of computed ones": "def unit0(k0):\n return r1[k0[0]]",
    "subscripts of a field": "def unit0(k0):\n return r1[k0][k0]",
    "assignment to a field": "def unit0(k0):\n r1[k0] = 1\n return k0",
    "slices": "def unit0(k0):\n return k0[1:2]",
    "assignment to subscripts": "def unit0(k0):\n k0[0] = 1\n return k0",
    "starred assignment": "def unit0(k0):\n v1, *v2 = k0\n return v2",
    "loops over several names": "def unit0(k0):\n for v1, v2 in k0:\n  pass\n return k0",
    "augmented assignment": "def unit0(k0):\n k0 += 1\n return k0",
    "strings": "def unit0(k0):\n return 'x'",
    "bytes": "def unit0(k0):\n return b'x'",
    "f-strings": "def unit0(k0):\n return f'{k0}'",
    "long numbers": "def unit0(k0):\n return 10000000000000",
    "floats": "def unit0(k0):\n return 1.5",
    "ellipsis": "def unit0(k0):\n return ...",
    "power": "def unit0(k0):\n return 9 ** 9 ** 9",
    "shift": "def unit0(k0):\n return 1 << 9999999999",
    "dictionaries": "def unit0(k0):\n return {1: k0}",
    "lists": "def unit0(k0):\n return [k0]",
    "letters outside ASCII": "def unité0(k0):\n return k0",
}


@pytest.mark.parametrize("escape", ESCAPES)
def test_the_policy_lets_none_of_it_through(escape: str) -> None:
    with pytest.raises(Refused):
        checked_code(ESCAPES[escape])


@pytest.mark.parametrize("escape", ESCAPES)
def test_the_grammar_knows_none_of_it(escape: str) -> None:
    assert not is_generated(ESCAPES[escape] + "\n")


def test_no_line_goes_on_in_the_next() -> None:
    """Within parentheses Python joins lines, and what stands at the beginning of one is no beginning."""
    joined = "def unit0(k0):\n v1 = (k0\n (k0))\n return v1\n"
    compile(joined, "", "exec")
    assert not is_generated(joined)


PLAIN = (
    "def unit0(k0):\n def f1(v1, d0):\n  if (v1 < 2):\n   return v1\n  return f1((v1 - 1), d0)\n return f1\n"
)


def test_generated_source_is_let_through() -> None:
    """Or the tests above would show nothing."""
    assert is_generated(PLAIN)
    checked_code(PLAIN)


GENERATED = [PLAIN, *sources({"lam": "x", "body": {"let": {"y": [1, 2, {"lam": "z", "body": {"var": "x"}}]}, "in": {
    "fold": [{"lam": "p", "body": {"if": {"cond": {"and": [{"lt": [{"snd": {"var": "p"}}, 3]}, {"not": {"isEmpty": {"var": "y"}}}]},
     "then": {"cons": [{"pair": [{"snd": {"var": "p"}}, 2]}, {"fst": {"var": "p"}}]}, "else": {"app": [{"head": {"var": "y"}}, 1]}}}},
     [], {"range": [{"eval": {"quote": {"var": "x"}}}, {"mod": [{"var": "x"}, {"sub": [0, 7]}]}]}]}}}), *sources({"lam": "x", "body": {
    "with": [{"record": {"a": {"get": [{"var": "x"}, "a"]}}}, "b", {"get": [{"var": "x"}, {"show": {"get": [{"var": "x"}, "b"]}}]}]}})]  # fmt: skip
PIECES = re.compile(r"[a-z]+[0-9]*|[0-9]+|\n| +|.")
STRANGE = (
    "(", ")", "()", "[", "]", "[0]", "[]", "[k1]", "r1", "r1[k1]", ",", ", ", "*", "**", " * ", "=", " = ", "==", ":", ":=", ".", "@", "-", "not ", " not ",
    " in ", " for ", "for v1 in ", "lambda ", "yield ", "await ", "import os", "class a1:", "def f1(v1, d0):", "global a1", "nonlocal k0",
    "del ", "raise ", "return ", "return", "if ", " if ", " else ", "else:", "while ", "try:", "with ", "assert ", "pass", "'", '"', "f'", "#", "\\",
    ";", "{", "}", "~", "^", "<<", "|", "->", "...", "1", "0x1", "1e1", "1j", "12345678901", "_a", "a1", "k0", "True", "None", "\n", "\n ", " ", "\t", "\f",
)  # fmt: skip


@given(st.sampled_from(GENERATED), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 2), st.sampled_from(STRANGE)), min_size=1, max_size=3))  # fmt: skip
def test_the_policy_allows_whatever_the_grammar_knows(source: str, edits: list[tuple[int, int, str]]) -> None:
    """Pieces of generated source dropped, replaced and put in between others: what still matches, and is Python, says
    nothing that the policy would refuse."""
    pieces = PIECES.findall(source)
    for place, dropped, piece in edits:
        at = place % (len(pieces) + 1)
        pieces[at : at + dropped] = [piece]
    edited = "".join(pieces)
    if is_generated(edited):
        with contextlib.suppress(SyntaxError):
            checked_code(edited)


def test_the_property_above_meets_source_that_matches() -> None:
    """Some edits leave source that the grammar knows; each of these does."""
    for old, new in (
        ("v1 - 1", "v1 * 1"),
        ("return v1", "return (v1, k0)"),
        ("< 2", "< -2"),
        ("v1\n", "v1[0]\n"),
        ("v1\n", "r1[v1]\n"),
    ):
        assert old in PLAIN
        assert is_generated(PLAIN.replace(old, new, 1))


def test_source_that_the_grammar_knows_needs_no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grammar knows all that the generator writes; what it does not know the policy still decides about."""
    asked: list[str] = []
    monkeypatch.setattr(units, "_checked_code", lambda source: asked.append(source) or checked_code(source))
    assert units.compiled(PLAIN).co_name == "unit0"
    assert asked == []
    assert units.compiled(PLAIN.replace("v1 - 1", "v1  -  1")).co_name == "unit0"
    with pytest.raises(Refused):
        units.compiled(PLAIN.replace("v1 - 1", "v1.real"))
    assert len(asked) == 2


@given(st.text(max_size=8))
def test_generated_names_are_letters_and_a_number(text: str) -> None:
    assert is_name(text) == (ALLOWED_NAMES.fullmatch(text) is not None)


def test_what_names_can_mean_is_listed() -> None:
    """No built-ins; of Python's own only what tests types and lengths, appends to a list, walks one backwards or adds up
    what it holds, and takes a value out of a record's dictionary or a table of constants; all else is an operation of PIF."""
    runtime = Runtime(lambda *_: None, checks_sizes=True)
    assert runtime.globals["__builtins__"] == {}
    plain = {
        name for name, known in runtime.globals.items() if getattr(known, "__self__", None) is not runtime
    }
    assert plain == {
        "__builtins__", "fuel0", "evals0", "limit0", "type0", "len0", "range0", "int0", "bool0", "str0", "tuple0",
        "none0", "nil0", "function0", "marker0", "low0", "high0", "append0", "reversed0", "sum0",
        "recordtype0", "fields0", "at0",
    }  # fmt: skip
    assert all(is_name(name) for name in runtime.globals if name != "__builtins__")


def test_functions_see_no_builtins() -> None:
    term = decode_term({"lam": "x", "body": {"lam": "y", "body": {"var": "x"}}})
    unit = Unit(
        draft_function(term, None, ANY, Dictionary(), checks_sizes=False),
        is_function=True,
        checks_sizes=False,
    )
    _, entry = unit.loaded()
    assert entry.__builtins__ == {}
    assert entry(1, 100).__builtins__ == {}


def test_a_refused_source_is_a_defect_and_not_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator that wrote an attribute would be stopped, loudly."""
    monkeypatch.setattr(
        "pif.compiled.emitter.Emitter.made", lambda self, text, kind, *rest, **more: _broken(text, kind)
    )
    with pytest.raises(Refused):
        Prepared(_sum(), None).unit(ANY, Dictionary(), checks_sizes=False)


def _broken(text: str, kind: Any) -> Any:
    from pif.compiled.scope import Expression

    return Expression(f"{text}.real", kind)


def _sum() -> Term:
    return make("lam", (make("add", (Term("var", (), "x"), literal(1))),), "x")


def test_what_a_program_evaluates_is_vetted_as_well() -> None:
    """Code that a run builds goes the same way as any other."""
    name = "x); import os; ("
    built = {
        "reflect": {"record": {"op": "lam", "param": name, "body": {"record": {"op": "var", "name": name}}}}
    }
    with compiling_at_once():
        assert value({"app": [{"eval": built}, 41]}) == 41
