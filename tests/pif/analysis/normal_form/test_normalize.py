"""`normalize` by example: what it does, and what it must leave alone (docs/reference/pif.md §12.1)."""

from __future__ import annotations

import pytest

from pif.analysis.normal_form.normalize import normalize
from pif.language.budget import INTEGER_BITS, STRING_LENGTH, TERM_DEPTH, Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.terms import Json, Term, literal, make, print_term, same_term, term_text
from tests.support.terms.tool_dictionary import answer, error, value

X, Y, F, Q = {"var": "x"}, {"var": "y"}, {"var": "f"}, {"var": "q"}
X0, X1 = {"var": "x0"}, {"var": "x1"}
ONE_MORE = {"lam": "x", "body": {"add": [X, 1]}}


def normal(code: Json) -> Json:
    return print_term(normalize(decode_term(code), lambda nodes: None))


def lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


def let(name: str, bound: Json, body: Json) -> Json:
    return {"let": {name: bound}, "in": body}


def app(function: Json, argument: Json) -> Json:
    return {"app": {"func": function, "arg": argument}}


def choice(cond: Json, then: Json, other: Json) -> Json:
    return {"if": {"cond": cond, "then": then, "else": other}}


DONE: list[tuple[str, Json, Json]] = [
    ("names by nesting", lam("a", lam("b", [{"var": "a"}, {"var": "b"}])), lam("x0", lam("x1", [X0, X1]))),
    ("names that stand free are not taken", lam("a", [{"var": "a"}, X0]), lam("x1", [X1, X0])),
    ("neighbours share a name", [lam("a", {"var": "a"}), lam("b", {"var": "b"})], [lam("x0", X0), lam("x0", X0)]),
    ("a call of a lambda", app(ONE_MORE, 41), 42),
    ("a curried call", {"app": [lam("x", lam("y", {"sub": [X, Y]})), 44, 2]}, 42),
    ("a named function called once", let("f", ONE_MORE, app(F, 41)), 42),
    ("an argument that can fail is bound", lam("q", app(ONE_MORE, app(Q, 1))),
     lam("x0", let("x1", app(X0, 1), {"add": [X1, 1]}))),
    ("an argument goes under a let", lam("q", app(let("y", app(Q, 1), lam("x", [X, Y])), 2)),
     lam("x0", let("x1", app(X0, 1), [2, X1]))),
    ("an unused value", let("x", [1, lam("y", Y)], 5), 5),
    ("a chain of unused values", let("x", [Q], let("y", lam("z", Q), let("f", [Y], 5))), let("x0", [Q], 5)),
    ("a let of its own value", let("x", {"add": [Q, 1]}, X), {"add": [Q, 1]}),
    ("a name for a name", lam("q", let("x", Q, [X, X])), lam("x0", [X0, X0])),
    ("arithmetic", {"add": [{"mul": [6, 7]}, {"sub": [{"div": [-7, 2]}, {"mod": [-7, 2]}]}]}, 37),
    ("nothing added to a number", lam("x", {"add": [{"mul": [X, X]}, 0]}), lam("x0", {"mul": [X0, X0]})),
    ("order", [{"lt": [1, 2]}, {"gte": ["a", "b"]}, {"lte": [2, 2]}, {"gt": [1, 1]}], [True, False, True, False]),
    ("equality of literals", [{"eq": [1, True]}, {"eq": [[1], [1]]}, {"eq": [None, 0]}], [False, True, False]),
    ("equality of quotes", {"eq": [{"quote": X}, {"quote": Y}]}, False),
    ("logic", [{"and": [False, Q]}, {"or": [True, Q]}, {"not": True}], [False, True, False]),
    ("the opposite order", lam("x", {"not": {"lt": [X, 1]}}), lam("x0", {"gte": [X0, 1]})),
    ("a choice made", choice({"lt": [1, 2]}, Q, [1]), Q),
    ("a choice turned", choice({"not": Q}, 1, 2), choice(Q, 2, 1)),
    ("a choice of booleans", lam("x", choice({"lt": [X, 1]}, True, False)), lam("x0", {"lt": [X0, 1]})),
    ("parts of structures", [{"fst": {"pair": [1, 2]}}, {"head": [3, 4]}, {"tail": [3, 4]}], [1, 3, [4]]),
    ("the empty list", {"nil": True}, []),
    ("cons", {"cons": {"head": Q, "tail": {"cons": {"head": 2, "tail": {"nil": True}}}}}, [Q, 2]),
    ("length", [{"length": "aβ𝄞"}, {"length": [1, 2]}, {"isEmpty": []}], [3, 2, True]),
    ("records", {"get": [{"with": [{"record": {"a": 1}}, "b", 2]}, "b"]}, 2),
    ("keys", {"keys": {"record": {"b": 1, "a": 2}}}, ["a", "b"]),
    ("parts of named structures", lam("q", let("x", {"pair": [Q, app(Q, 1)]}, [{"fst": X}, X])),
     lam("x0", let("x1", {"pair": [X0, app(X0, 1)]}, [X0, X1]))),
    ("strings", {"concat": [{"join": ["-", ["a", "b"]]}, {"show": 5}]}, "a-b5"),
    ("a fold of nothing", {"fold": [ONE_MORE, Q, []]}, Q),
]  # fmt: skip

KEPT: list[tuple[str, Json]] = [
    ("a failing operation", {"div": [1, 0]}),
    ("an empty list's head", {"head": []}),
    ("a type error", {"add": [1, True]}),
    ("a condition that is no boolean", choice(1, 2, 3)),
    ("an unbound name that is not used", let("x0", Y, 5)),
    ("an unbound name that is used twice", let("x0", Y, [X0, X0])),
    ("a call that may not end", lam("x0", let("x1", app(X0, 1), 5))),
    ("the order of two that can fail", let("x0", {"div": [1, Q]}, [{"head": Q}, X0])),
    ("what `and` must still check", lam("x0", {"and": [True, X0]})),
    ("what `add` must still check", lam("x0", {"add": [X0, 0]})),
    ("a head before items that can fail", {"head": [1, Q]}),
    ("a quote's dead names", {"quote": lam("x", app(lam("y", Y), {"add": [1, 2]}))}),
    ("an eval", {"eval": app(lam("x", X), {"quote": {"add": [1, 2]}})}),
    ("the scope of an eval", lam("x", [{"add": [1, 2]}, lam("y", Y), {"eval": {"quote": X}}])),
    ("a let that an eval sees", let("x", 1, {"eval": {"quote": X}})),
    ("an eval as an argument", lam("f", app(F, {"eval": Q}))),
    ("eta where the function part is a name", lam("x0", lam("x1", app(X0, X1)))),
    ("a continue that is an operand", lam("x0", {"add": [{"continue": {"input": X0}}, 1]})),
    ("a call whose marker a let stops", lam("x0", let("x1", app(X0, 1), X1))),
    ("self outside a function of its own", app(lam("x0", [{"self": True}, X0, X0]), 1)),
    ("a tool's call", app("double", 1)),
]


@pytest.mark.parametrize(("code", "expected"), [row[1:] for row in DONE], ids=[row[0] for row in DONE])
def test_what_is_done(code: Json, expected: Json) -> None:
    assert normal(code) == expected
    assert same_term(decode_term(normal(code)), decode_term(expected))
    assert normal(expected) == expected


@pytest.mark.parametrize("code", [row[1] for row in KEPT], ids=[row[0] for row in KEPT])
def test_what_is_kept(code: Json) -> None:
    assert same_term(normalize(decode_term(code), lambda nodes: None), decode_term(code))


def test_live_unquotes_are_renamed_and_not_reduced() -> None:
    code = lam(
        "a", {"quote": {"add": [{"var": "a"}, {"unquote": app(lam("b", {"var": "b"}), {"var": "a"})}]}}
    )
    inside = app(lam("x1", X1), X0)
    assert normal(code) == lam("x0", {"quote": {"add": [{"var": "a"}, {"unquote": inside}]}})


def test_a_value_used_in_a_live_unquote_keeps_its_let() -> None:
    code = let("a", 5, [{"var": "a"}, {"quote": {"unquote": {"var": "a"}}}])
    assert normal(code) == let("x0", 5, [5, {"quote": {"unquote": X0}}])


@pytest.mark.parametrize(
    "function",
    [{"concat": ["dou", "ble"]}, choice(True, "double", 1), let("x", "double", X)],
    ids=["computed", "chosen", "named"],
)
def test_a_computed_string_becomes_no_tools_name(function: Json) -> None:
    tools = {"double": {"mul": [X, 2]}}
    for code in (app(function, 4), app(let("s", function, lam("y", app({"var": "s"}, Y))), 4)):
        assert error(code, tools=tools)["kind"] == "type_error"
        assert error({"eval": {"normalize": {"quote": code}}}, tools=tools)["kind"] == "type_error"


def test_a_literal_tool_name_stays_one() -> None:
    code = {"eval": {"normalize": {"quote": app(lam("x", app("double", X)), 4)}}}
    assert value(code, tools={"double": {"mul": [X, 2]}}) == 8


def test_the_owner_stays() -> None:
    countdown = lam(
        "n", choice({"lt": [{"var": "n"}, 1]}, "done", app({"self": True}, {"sub": [{"var": "n"}, 1]}))
    )
    code = {"app": [{"eval": {"normalize": {"code_of": "countdown"}}}, 3]}
    assert value(code, tools={"countdown": countdown}) == "done"
    assert error({"app": [{"eval": {"normalize": {"quote": countdown}}}, 3]})["kind"] == "no_tool_context"


@pytest.mark.parametrize("op", ["add", "sub", "mul"])
def test_integers_stay_within_the_limit(op: str) -> None:
    largest = 2**INTEGER_BITS - 1
    assert normal({op: [largest, -largest]}) == ({op: [largest, -largest]} if op != "add" else 0)
    assert normal({"mul": [2 ** (INTEGER_BITS // 2), 2 ** (INTEGER_BITS // 2 - 1)]}) == 2 ** (
        INTEGER_BITS - 1
    )
    assert normal({"add": [largest, 1]}) == {"add": [largest, 1]}


def test_strings_stay_within_the_limit() -> None:
    text = "a" * STRING_LENGTH
    assert normal({"concat": [text, text]}) == {"concat": [text, text]}


def test_a_long_string_is_not_copied_about() -> None:
    text = "a" * 1_000
    assert normal(let("x", text, [X, X])) == let("x0", text, [X0, X0])
    assert normal(let("x", text, [X])) == [text]


def nested(levels: int, wrap: str) -> Term:
    term = Term("var", (), "q")
    for _ in range(levels):
        term = make(wrap, (term,))
    return term


def test_a_function_is_not_put_where_it_would_nest_too_deep() -> None:
    half = TERM_DEPTH // 2 + 20
    call = make("app", (Term("var", (), "f"), literal(1)))
    body = call
    for _ in range(half):
        body = make("head", (body,))
    term = make("let", (make("lam", (nested(half, "tail"),), "y"), body), "f")
    reserve_stack(4_000)
    result = normalize(term, lambda nodes: None)
    assert result.op == "let"
    assert result.height <= TERM_DEPTH
    assert same_term(decode_term(print_term(result)), result)


@pytest.mark.parametrize("levels", [1, 150, 399])
def test_the_deepest_terms(levels: int) -> None:
    reserve_stack(4_000)
    term = nested(levels, "not")
    assert same_term(
        normalize(term, lambda nodes: None), nested(levels if levels < 3 else 2 - levels % 2, "not")
    )
    chain: Term = Term("var", (), "a")
    for i in range(levels):
        chain = make("let", (literal(i), chain), "a")
    assert same_term(normalize(chain, lambda nodes: None), literal(0) if levels else chain)
    functions: Term = Term("var", (), "q")
    for i in range(levels):
        functions = make("app", (functions, literal(i)))
    assert same_term(normalize(functions, lambda nodes: None), functions)


def test_functions_in_functions_are_put_in_place_in_few_visits() -> None:
    """A chain of functions that each call the next: every node is visited a few times, not once for each function."""
    term = make("app", (Term("var", (), "f0"), literal(1)))
    for i in range(190):
        body = make("app", (Term("var", (), f"f{i + 1}"), make("add", (Term("var", (), "x"), literal(1)))))
        term = make("let", (make("lam", (body,), "x"), term), f"f{i}")
    visited: list[int] = []
    reserve_stack(4_000)
    result = normalize(term, visited.append)
    assert "f190" in term_text(result)
    assert sum(visited) <= 8 * term.nodes


def test_every_visit_is_charged() -> None:
    code = {"normalize": {"quote": {"add": [1, {"mul": [2, 3]}]}}}
    # normalize 1, quote 1; five nodes, then one, then one to name the binders of.
    assert answer(code)["fuel_used"] == 2 + 8 * (5 + 1 + 1)
    short = answer(code, budget=Budget(fuel=20))
    assert short["error"]["kind"] == "out_of_fuel"


def test_normal_forms_of_alpha_variants_are_equal_data() -> None:
    assert value(
        {"eq": [{"normalize": {"quote": ONE_MORE}}, {"normalize": {"quote": lam("y", {"add": [Y, 1]})}}]}
    )
