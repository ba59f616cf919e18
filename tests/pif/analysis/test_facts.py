"""`analyze` and the functions behind it, by table (docs/reference/pif.md §2.11)."""

from __future__ import annotations

import pytest

from pif.analysis.facts import (
    CAPABILITIES,
    facts_of,
    free_names,
    free_occurrences,
    holds_live,
    literal_tool,
    live_children,
)
from pif.language.decode import decode_term
from pif.language.errors import pointer
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json, Term, make, print_term
from tests.support.terms.tool_dictionary import answer, error, value

X, Y = {"var": "x"}, {"var": "y"}
TEMPLATE = {"quote": {"add": [X, {"unquote": {"mul": [Y, 2]}}]}}
NESTED = {"quote": {"quote": [{"unquote": [X, {"unquote": Y}]}, {"var": "z"}]}}
FACTORIAL = {"lam": "n", "body": {"if": {
    "cond": {"lte": [{"var": "n"}, 1]}, "then": 1,
    "else": {"mul": [{"var": "n"}, {"app": [{"self": True}, {"sub": [{"var": "n"}, 1]}]}]},
}}}  # fmt: skip

SIZES: list[tuple[Json, int, int]] = [
    (1, 1, 1),
    (None, 1, 1),
    (X, 1, 1),
    ({"self": True}, 1, 1),
    ({"nil": True}, 1, 1),
    ([], 1, 1),
    ([1, [2, 3]], 5, 3),
    ({"add": [1, {"mul": [2, 3]}]}, 5, 3),
    ({"lam": "x", "body": X}, 2, 2),
    ({"let": {"x": 1, "y": 2}, "in": X}, 5, 3),
    ({"app": [X, 1, 2, 3]}, 7, 4),
    ({"record": {"a": 1, "b": [2]}}, 4, 3),
    ({"code_of": "double"}, 2, 2),
    ({"quote": {"add": [1, 2]}}, 4, 3),
    (TEMPLATE, 7, 5),
    (FACTORIAL, 13, 6),
]

OPERATIONS: list[tuple[Json, dict[str, int]]] = [
    (1, {}),
    ("text", {}),
    ([1, [2]], {}),
    (X, {"var": 1}),
    ({"nil": True}, {"nil": 1}),
    ({"add": [{"add": [1, 2]}, X]}, {"add": 2, "var": 1}),
    ({"let": {"x": 1, "y": 2}, "in": X}, {"let": 2, "var": 1}),
    ({"app": [X, 1, 2]}, {"app": 2, "var": 1}),
    ({"record": {"a": X}}, {"record": 1, "var": 1}),
    ({"code_of": "double"}, {"code_of": 1}),
    ({"quote": {"add": [1, {"sub": [2, 3]}]}}, {"add": 1, "quote": 1, "sub": 1}),
    (TEMPLATE, {"add": 1, "mul": 1, "quote": 1, "unquote": 1, "var": 2}),
    (NESTED, {"quote": 2, "unquote": 2, "var": 3}),
    (FACTORIAL, {"app": 1, "if": 1, "lam": 1, "lte": 1, "mul": 1, "self": 1, "sub": 1, "var": 3}),
]

FREE: list[tuple[Json, list[str]]] = [
    (1, []),
    (X, ["x"]),
    ([Y, X, Y], ["x", "y"]),
    ({"lam": "x", "body": [X, Y]}, ["y"]),
    ([{"lam": "x", "body": X}, X], ["x"]),
    ({"lam": "x", "body": [{"lam": "x", "body": X}, X]}, []),
    ({"let": {"x": X}, "in": X}, ["x"]),
    ({"let": {"x": 1, "y": X}, "in": [X, Y]}, []),
    ({"let": {"y": X, "x": 1}, "in": [X, Y]}, ["x"]),
    ({"quote": X}, []),
    ({"quote": {"lam": "x", "body": Y}}, []),
    (TEMPLATE, ["y"]),
    ({"lam": "y", "body": TEMPLATE}, []),
    ({"quote": {"lam": "y", "body": {"unquote": Y}}}, ["y"]),
    (NESTED, ["y"]),
    ({"quote": {"unquote": {"quote": X}}}, []),
    ({"eval": {"quote": X}}, []),
    ({"eval": X}, ["x"]),
    ([{"var": "β"}, {"var": "z"}, {"var": "Z"}, {"var": ""}], ["", "Z", "z", "β"]),
]

TOOLS: list[tuple[Json, list[str]]] = [
    ("double", []),
    ({"app": ["double", 1]}, ["double"]),
    ({"app": ["double", "b"]}, ["double"]),
    ({"app": ["add", 1, 2]}, ["add"]),
    ({"app": [X, "double"]}, []),
    ({"code_of": "double@3"}, ["double@3"]),
    ({"code_of": {"concat": ["dou", "ble"]}}, []),
    ({"code_of": "self"}, []),
    ({"fold": ["double", 0, []]}, []),
    ([{"code_of": "b"}, {"app": ["a", {"code_of": "b"}]}], ["a", "b"]),
    ({"quote": {"app": ["double", 1]}}, ["double"]),
]

GRANTED: list[tuple[Json, list[str]]] = [
    (1, []),
    ({"eval": X}, ["eval"]),
    ({"self": True}, ["self"]),
    ({"code_of": "self"}, ["self"]),
    ({"continue": {"input": 1}}, ["continue"]),
    ({"code_of": "double"}, []),
    ({"code_of": X}, ["dynamic_code"]),
    ({"code_of": {"concat": ["a", "b"]}}, ["dynamic_code"]),
    ({"reflect": X}, ["dynamic_code"]),
    ({"reify": X}, []),
    ({"normalize": X}, []),
    ({"app": [X, 1]}, []),
    ({"quote": X}, []),
    (TEMPLATE, ["dynamic_code"]),
    ({"quote": {"eval": {"self": True}}}, ["eval", "self"]),
    ([{"self": True}, {"reflect": {"eval": {"continue": {"input": 1}}}}],
     ["continue", "dynamic_code", "eval", "self"]),
    (FACTORIAL, ["self"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "nodes", "depth"), SIZES)
def test_nodes_and_depth(code: Json, nodes: int, depth: int) -> None:
    facts = facts_of(decode_term(code))
    assert (facts.nodes, facts.depth) == (nodes, depth)


@pytest.mark.parametrize(("code", "operations"), OPERATIONS)
def test_operations_are_counted_inside_quotes_too(code: Json, operations: dict[str, int]) -> None:
    found = facts_of(decode_term(code)).operations
    assert found == operations
    assert list(found) == sorted(found)


@pytest.mark.parametrize(("code", "names"), FREE)
def test_free_names_enter_live_unquotes_only(code: Json, names: list[str]) -> None:
    term = decode_term(code)
    assert facts_of(term).free == names
    assert free_names(term) == frozenset(names)


@pytest.mark.parametrize(("code", "names"), TOOLS)
def test_tools_are_the_literal_names(code: Json, names: list[str]) -> None:
    assert facts_of(decode_term(code)).tools == names


@pytest.mark.parametrize(("code", "capabilities"), GRANTED)
def test_capabilities(code: Json, capabilities: list[str]) -> None:
    assert facts_of(decode_term(code)).capabilities == capabilities
    assert set(capabilities) <= set(CAPABILITIES)


def test_free_occurrences_have_their_places_in_reading_order() -> None:
    code = {"if": {"cond": X, "then": {"lam": "x", "body": [X, Y]}, "else": {"record": {"b": Y, "a/": X}}}}
    found = [(name, pointer(path)) for name, path in free_occurrences(decode_term(code))]
    assert found == [
        ("x", "/if/cond"), ("y", "/if/then/body/1"), ("x", "/if/else/record/a~1"), ("y", "/if/else/record/b"),
    ]  # fmt: skip


def test_free_occurrences_in_live_unquotes_have_the_quotes_place() -> None:
    found = [(name, pointer(path)) for name, path in free_occurrences(decode_term(TEMPLATE))]
    assert found == [("y", "/quote/add/1/unquote/mul/0")]


@pytest.mark.parametrize(
    ("code", "live"),
    [
        ({"eval": X}, True),
        ({"lam": "x", "body": [1, {"eval": X}]}, True),
        ({"quote": {"eval": X}}, False),
        ({"quote": {"unquote": {"eval": X}}}, True),
        ({"quote": {"quote": {"unquote": {"eval": X}}}}, False),
        ({"quote": {"quote": {"unquote": {"unquote": {"eval": X}}}}}, True),
        ({"quote": {"unquote": {"quote": {"eval": X}}}}, False),
        (X, False),
    ],
)
def test_what_can_run_when_the_term_does(code: Json, live: bool) -> None:
    assert holds_live(decode_term(code), "eval") is live


def test_live_children_are_parts_or_what_live_unquotes_hold() -> None:
    assert [print_term(part) for part in live_children(decode_term(TEMPLATE))] == [{"mul": [Y, 2]}]
    assert [print_term(part) for part in live_children(decode_term({"add": [1, X]}))] == [1, X]
    assert list(live_children(decode_term({"quote": X}))) == []


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ({"app": ["double", 1]}, "double"),
        ({"code_of": "double"}, "double"),
        ({"app": [1, "double"]}, None),
        ({"code_of": X}, None),
        ({"concat": ["double", "x"]}, None),
        ("double", None),
    ],
)
def test_literal_tools(code: Json, name: str | None) -> None:
    assert literal_tool(decode_term(code)) == name


def test_the_record_that_analyze_gives() -> None:
    code = {"lam": "x", "body": [X, Y, {"app": ["double", {"eval": X}]}]}
    expected = {
        "nodes": 8,
        "depth": 5,
        "operations": {"app": 1, "eval": 1, "lam": 1, "var": 3},
        "free": ["y"],
        "tools": ["double"],
        "capabilities": ["eval"],
    }
    assert value({"analyze": {"quote": code}}) == expected
    assert value({"analyze": [{"quote": code}]}) == expected


def test_analyze_is_charged_for_every_node_and_takes_quoted_terms_only() -> None:
    # analyze 1, quote 1, then 12 and 1 for each of the five nodes.
    assert answer({"analyze": {"quote": {"add": [1, {"add": [2, 3]}]}}})["fuel_used"] == 2 + 12 + 5
    refused = error({"analyze": {"add": [1, 2]}})
    assert (refused["kind"], refused["path"]) == ("type_error", "/analyze")


def test_operations_are_those_of_the_table() -> None:
    for name, primitive in PRIMITIVES.items():
        if name != "unquote":
            counted = facts_of(decode_term(primitive_example(name))).operations
            assert counted[name] >= 1, primitive.forms


def primitive_example(name: str) -> Json:
    """A smallest term of an operation."""
    forms: dict[str, Json] = {
        "var": X, "lam": {"lam": "x", "body": 1}, "app": {"app": [1, 2]}, "let": {"let": {"x": 1}, "in": 2},
        "if": {"if": {"cond": 1, "then": 2, "else": 3}}, "continue": {"continue": {"input": 1}},
        "nil": {"nil": True}, "cons": {"cons": [1, 2]}, "record": {"record": {}}, "self": {"self": True},
        "code_of": {"code_of": "a"},
    }  # fmt: skip
    arity = PRIMITIVES[name].arity
    return forms.get(name) or ({name: 1} if PRIMITIVES[name].shape == "one" else {name: list(range(arity))})


def test_the_highest_terms_are_no_trouble() -> None:
    term = Term("var", (), "x")
    for _ in range(399):
        term = make("quote", (make("unquote", (term,)),)) if term.height < 398 else make("not", (term,))
    facts = facts_of(term)
    assert facts.free == ["x"]
    assert facts.depth == term.height
