"""Type inference by example: the types of programs, both places of a type error, and what is `?`."""

from __future__ import annotations

import pytest

from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.types.type_text import TypeSyntaxError, parse_type, print_type
from pif.language.decode import decode_term
from pif.language.terms import Json
from tests.support.terms.tool_dictionary import Dictionary, answer

X: Json = {"var": "x"}
P: Json = {"var": "p"}


def lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


def typed(code: Json, **tools: Json) -> Typing:
    registry = Dictionary(**tools)
    program = registry.tool(code) if isinstance(code, str) and code in tools else decode_term(code)
    assert program is not None
    return typing_of(program, registry)


SQUARE = lam("x", {"mul": [X, X]})
MAP = lam("f", lam("l", {"fold": [lam("p", {"cons": [{"app": [{"var": "f"}, {"snd": P}]}, {"fst": P}]}), [],
                                  {"var": "l"}]}))  # fmt: skip
FACTORIAL = lam("n", {"if": {"cond": {"lte": [{"var": "n"}, 1]}, "then": 1, "else": {
    "mul": [{"var": "n"}, {"app": [{"self": True}, {"sub": [{"var": "n"}, 1]}]}]}}})  # fmt: skip
STEPS = lam("p", {"if": {"cond": {"lte": [{"fst": P}, 1]}, "then": {"snd": P}, "else": {
    "continue": {"input": {"pair": [{"sub": [{"fst": P}, 1]}, {"mul": [{"fst": P}, {"snd": P}]}]}}}}})  # fmt: skip
COUNT = lam("l", {"fold": [lam("p", {"with": [{"fst": P}, {"snd": P}, 1]}), {"record": {}}, {"var": "l"}]})

TYPES: dict[str, tuple[Json, str]] = {
    "an integer": (42, "integer"),
    "data": ([{"pair": ["a", None]}, {"pair": ["b", None]}], "list(pair(string, unit))"),
    "an empty list": ([], "list(a)"),
    "square": (SQUARE, "integer → integer"),
    "map": (MAP, "(a → b) → list(a) → list(b)"),
    "self": (FACTORIAL, "integer → integer"),
    "continue": (STEPS, "pair(integer, integer) → integer or continue"),
    "an open record": (lam("r", {"add": [{"get": [{"var": "r"}, "age"]}, 1]}), "{age: integer, ..r} → integer"),
    "a field set": (lam("r", {"with": [{"var": "r"}, "k", 1]}), "{k?: a, ..r} → {k: integer, ..r}"),
    "a field replaced by another kind": (
        {"with": [{"record": {"a": 1, "b": 2}}, "a", "s"]},
        "{a: string, b: integer}",
    ),
    "computed keys": (COUNT, "list(string) → {*: integer}"),
    "keys": (lam("r", {"keys": {"var": "r"}}), "{..r} → list(string)"),
    "order": (lam("x", {"lt": [X, X]}), "ordered a → boolean"),
    "size": (lam("x", {"length": X}), "sized a → integer"),
    "size and order": (lam("x", {"pair": [{"length": X}, {"lt": [X, X]}]}), "string → pair(integer, boolean)"),
    "eq takes different kinds": (lam("x", {"eq": [X, 1]}), "data a → boolean"),
    "let is general": (
        {"let": {"id": lam("x", X)}, "in": {"pair": [{"app": [{"var": "id"}, 1]}, {"app": [{"var": "id"}, "s"]}]}},
        "pair(integer, string)",
    ),
    "a quote evaluated in place": (lam("x", {"eval": {"quote": {"add": [X, 1]}}}), "integer → integer"),
    "quoted code": (lam("q", {"normalize": {"var": "q"}}), "quoted → quoted"),
    "analyze": (
        lam("q", {"get": [{"analyze": {"var": "q"}}, "operations"]}),
        "quoted → {*: integer}",
    ),
    "a free name": ({"add": [{"var": "y"}, 1]}, "integer"),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types(name: str) -> None:
    code, text = TYPES[name]
    found = typed(code)
    assert found.text == text
    assert found.certain


def test_free_names_have_types() -> None:
    found = typed({"pair": [{"var": "y"}, {"add": [{"var": "y"}, 1]}]})
    assert found.as_json() == {"inferred_type": "pair(integer, integer)", "free_types": {"y": "integer"}}


PROBLEMS: dict[str, tuple[Json, str, str, str]] = {
    "a name used in two ways": (
        lam("x", {"pair": [{"add": [X, 1]}, {"concat": [X, "a"]}]}),
        "/body/pair/1/concat/0", "/body/pair/0", "`concat` needs string, and this is integer",
    ),
    "branches": (
        {"if": {"cond": True, "then": 1, "else": "a"}},
        "/if/else", "/if/then", "`if` gives from `then` integer, and this is string",
    ),
    "items": ([1, 2, "a"], "/2", "/0", "the list's items before are integer, and this is string"),
    "a field that is not there": (
        {"get": [{"record": {"name": "Ada"}}, "nam"]},
        "/get/0", "", '`get` needs a record with the field "nam", and this one lacks it, or may lack it: {name: string}',
    ),
    "a function called on itself": (
        lam("x", {"app": [X, X]}), "/body/app/func", "/body", "`app` needs a type that would contain itself: a",
    ),
    "fold without a pair": (
        {"fold": [lam("a", {"add": [{"var": "a"}, 1]}), 0, [1]]},
        "/fold/0", "/fold/0/body", "`fold` needs pair(a, b) → a, and this is integer → integer",
    ),
    "a function compared": (
        {"eq": [1, lam("x", 1)]}, "/eq/1", "", "`eq` needs data, and there is a function in this: a → integer",
    ),
    "an order of booleans": (
        {"lt": [True, False]}, "/lt/0", "", "`lt` needs an integer or a string, and this is boolean",
    ),
    "continue where its value is used": (
        lam("x", {"add": [{"continue": {"input": X}}, 1]}),
        "/body/add/0", "/body", "`continue` may only be the value of a tool's run, and this value is used",
    ),
    "a call that continues where its value is used": (
        {"add": [{"app": [lam("x", {"continue": {"input": 1}}), 1]}, 2]},
        "/add/0", "/add/0/app/func/body", "`continue` may only be the value of a tool's run, and this value is used",
    ),
    "continue with what the tool does not take": (
        lam("x", {"if": {"cond": {"lt": [X, 1]}, "then": 0, "else": {"continue": {"input": "s"}}}}),
        "/body/if/else/continue/input", "/body/if/cond/lt/1", "the tool itself takes integer, and this is string",
    ),
    "self where its value may be a step": (
        {"if": {"cond": True, "then": {"continue": {"input": 1}}, "else": lam("x", {"app": [{"self": True}, X]})}},
        "/if/else/body/app/func", "/if/then", "`continue` may only be the value of a tool's run, and this value is used",
    ),
    "a quoted term called": (
        {"app": [{"quote": 1}, 2]}, "/app/func", "", "`app` needs integer → a, and this is quoted",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_clash_names_both_places(name: str) -> None:
    code, path, because, message = PROBLEMS[name]
    found = typed(code)
    assert found.text is None
    assert not found.certain
    first = found.problems[0]
    assert (first.path, first.message) == (path, message)
    assert first.because == because


def test_all_problems_are_told_at_once() -> None:
    found = typed([{"add": ["a", 1]}, {"add": [1, True]}, {"not": 1}])
    assert [problem.path for problem in found.problems] == ["/0/add/0", "/1/add/1", "/2/not", "/2"]


UNKNOWN: dict[str, Json] = {
    "eval of computed code": lam("q", {"eval": {"var": "q"}}),
    "eval of a quote with names of elsewhere": {"eval": {"quote": {"add": [{"var": "elsewhere"}, 1]}}},
    "eval of a spliced quote": {"eval": {"quote": {"unquote": 1}}},
    "reify": lam("q", {"reify": {"var": "q"}}),
    "a tool that is not there": {"app": ["nothing", 1]},
    "a tool without a type": {"app": ["mixed", 1]},
    "a tool that is known in part": {"app": ["run", {"quote": 1}]},
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_is_said(name: str) -> None:
    found = typed(UNKNOWN[name], mixed=lam("x", [1, "a"]), run=lam("q", {"eval": {"var": "q"}}))
    assert found.text is not None
    assert found.unknown
    assert not found.certain


def test_names_of_elsewhere_would_be_unsound() -> None:
    """Why such a quote is `?`: the tool's code sees the names of the place that evaluates it."""
    spy = {"eval": {"quote": {"var": "secret"}}}
    code = {"let": {"secret": "text"}, "in": {"add": [1, {"eval": {"code_of": "spy"}}]}}
    assert answer(code, tools={"spy": spy})["error"]["kind"] == "type_error"
    assert not typed(code, spy=spy).certain


TOOLS: dict[str, Json] = {
    "square": SQUARE,
    "map": MAP,
    "even": {"if": {"cond": {"eq": [{"var": "n"}, 0]}, "then": True,
                    "else": {"app": ["odd", {"sub": [{"var": "n"}, 1]}]}}},
    "odd": {"if": {"cond": {"eq": [{"var": "n"}, 0]}, "then": False,
                   "else": {"app": ["even", {"sub": [{"var": "n"}, 1]}]}}},
    "lost": {"app": ["found", {"app": ["gone", 1]}]},
    "found": lam("x", {"app": ["lost", X]}),
}  # fmt: skip


def test_tools_are_general_at_each_use() -> None:
    squares: Json = {"app": ["map", {"eval": {"code_of": "square"}}, [1, 2]]}
    firsts: Json = {"app": ["map", lam("p", {"fst": P}), [{"pair": ["a", 1]}]]}
    assert typed({"pair": [squares, firsts]}, **TOOLS).text == "pair(list(integer), list(string))"
    wrong = typed({"app": ["square", "seven"]}, **TOOLS).problems[0]
    assert wrong.message == '"square" takes integer, and this is string'
    assert (wrong.path, wrong.because, wrong.because_tool) == ("/app/arg", "/app/func", "square@1")


def test_tools_in_a_circle_are_typed_together() -> None:
    for name in ("even", "odd"):
        found = typed(name, **TOOLS)
        assert found.text == "integer → boolean"
        assert found.certain
    found = typed("found", **TOOLS)
    assert not found.certain
    assert set(found.depends) >= {"lost", "found", "gone"}


def test_types_that_grow_are_given_up_soon() -> None:
    """Each `let` doubles the type: three hundred of them have one that no memory holds."""
    code: Json = {"var": "v300"}
    for number in range(300, 0, -1):
        before: Json = {"var": f"v{number - 1}"} if number > 1 else lam("x", X)
        code = {"let": {f"v{number}": {"pair": [before, before]}}, "in": code}
    found = typed(code)
    assert found.text is None or len(found.text) < 2_000
    different: Json = {"var": "f"}
    for _ in range(60):
        different = {"let": {"f": lam("x", {"pair": [{"app": [{"var": "f"}, X]}, {"app": [{"var": "f"}, X]}]})},
                     "in": different}  # fmt: skip
    found = typed(lam("f", {"pair": [different, {"eq": [different, different]}]}))
    assert found.text is None or len(found.text) < 2_000


def test_a_deep_term_and_a_long_chain_of_tools() -> None:
    deep: Json = 1
    for _ in range(390):
        deep = {"add": [deep, 1]}
    assert typed(deep).text == "integer"
    chain: dict[str, Json] = {"t0": SQUARE}
    for number in range(1, 1_000):
        chain[f"t{number}"] = lam("x", {"app": [f"t{number - 1}", X]})
    assert typed("t999", **chain).text == "integer → integer"


@pytest.mark.parametrize(
    "text", ["integer", "a → b", "(a → b) → list(a) → list(b) or continue", "{a: integer, b?: list(string), ..r}",
             "{*: pair(data a, ordered b)}", '{"odd name": ?}', "{}", "a → (b → c) or continue", "data sized a → quoted"],
)  # fmt: skip
def test_types_read_and_print(text: str) -> None:
    assert print_type(parse_type(text)) == text


@pytest.mark.parametrize(
    "text", ["", "int", "list", "list()", "pair(integer)", "{a integer}", "integer →", "(a", "a b", "$"]
)
def test_what_is_no_type_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(TypeSyntaxError) as refused:
        parse_type(text)
    assert 0 <= refused.value.at <= len(text)
    assert str(refused.value)


def test_a_type_that_nests_without_end_is_refused() -> None:
    with pytest.raises(TypeSyntaxError):
        parse_type("list(" * 5_000 + "integer" + ")" * 5_000)
