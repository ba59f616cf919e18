"""What people and language models write at PIF in their first hour, and how it has to be read: the value that was meant,
or the remedy."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["GIVEN", "REFUSED", "Given", "Refused"]


class Given(msgspec.Struct, frozen=True):
    """Code, an input, the value, and the codes of the warnings."""

    code: Any
    input: Any
    value: Any
    warnings: tuple[str, ...] = ()


class Refused(msgspec.Struct, frozen=True):
    """Code and an input that end in an error: its kind, and a part of what says what to write (message, expected or hint)."""

    code: Any
    input: Any
    kind: str
    remedy: str
    warnings: tuple[str, ...] = ()


def var(name: str) -> Any:
    return {"var": name}


def lam(name: str, body: Any) -> Any:
    return {"lam": name, "body": body}


def app(*parts: Any) -> Any:
    return {"app": list(parts)}


def cond(test: Any, then: Any, otherwise: Any) -> Any:
    return {"if": {"cond": test, "then": then, "else": otherwise}}


X, L, S, N, R = (var(name) for name in "xlsnr")
ACC, ITEM = {"fst": var("p")}, {"snd": var("p")}
SAME = lam("x", X)
PLUS = lam("x", lam("y", {"add": [X, var("y")]}))
DOUBLE = lam("x", {"mul": [X, 2]})
ADA = {"record": {"name": "Ada", "age": 36}}
ROUNDED = ("fraction_rounded",)
FUNCTION = ("function_result",)

GIVEN = (
    # Lists.
    Given(lam("l", {"fold": [lam("p", {"add": [ACC, ITEM]}), 0, L]}), [1, 2, 3], 6),
    Given(lam("l", {"fold": [lam("p", cond({"gt": [ITEM, ACC]}, ITEM, ACC)), 0, L]}), [3, 9, 2], 9),
    Given(lam("l", app("std.sum", L)), [1, 2, 3], 6),
    Given(lam("l", app("sum", L)), [1, 2, 3], 6),
    Given("sum", [1, 2, 3], 6),
    Given(lam("l", app("map", DOUBLE, L)), [1, 2], [2, 4]),
    Given(lam("l", app("std.filter", lam("x", {"gt": [X, 1]}), L)), [1, 2, 3], [2, 3]),
    Given("sort", [3, 1, 2], [1, 2, 3]),
    Given(app("std.reverse", [1, 2, 3]), None, [3, 2, 1]),
    Given(app("std.zip", [1, 2], ["a", "b"]), None, [{"pair": [1, "a"]}, {"pair": [2, "b"]}]),
    Given(app("std.nth", 1, [10, 20]), None, 20),
    Given("mean", [1, 2, 3, 4], 2),
    Given({"length": [1, 2, 3]}, None, 3),
    Given({"length": [[1, 2, 3]]}, None, 1),
    Given({"range": [0, 5]}, None, [0, 1, 2, 3, 4]),
    Given({"head": [1, 2]}, None, 1),
    Given({"cons": [1, [2]]}, None, [1, 2]),
    Given({"nil": True}, None, []),
    Given(["add", 1, 2], None, ["add", 1, 2], ("list_value",)),
    # Numbers.
    Given({"add": [0.1, 0.2]}, None, 0, ROUNDED),
    Given(lam("p", {"mul": [var("p"), 1.08]}), 100, 100, ROUNDED),
    Given(SAME, 19.99, 20, ROUNDED),
    Given(SAME, "19.99", 20, ROUNDED),
    Given(SAME, 2.5, 2, ROUNDED),
    Given(SAME, 2.0, 2),
    Given(SAME, "1e3", 1000),
    Given({"div": [7, 2]}, None, 3),
    Given({"div": [-7, 2]}, None, -4),
    Given({"mod": [-7, 2]}, None, 1),
    Given({"mul": [2**70, 2**70]}, None, 2**140),
    Given(app("std.power", 2, 10), None, 1024),
    # Texts.
    Given({"concat": ["Hello, ", "world"]}, None, "Hello, world"),
    Given({"concat": ["n = ", {"show": 5}]}, None, "n = 5"),
    Given({"join": [", ", ["a", "b"]]}, None, "a, b"),
    Given({"length": "héllo"}, None, 5),
    Given(lam("s", {"length": S}), "hello", 5),
    Given({"chars": "abc"}, None, ["a", "b", "c"]),
    Given(app("std.splitText", ",", "a,b"), None, ["a", "b"]),
    Given("upperCase", "abc", "ABC"),
    Given("upperCase", "42", "42"),
    Given("parseInteger", "42", [42]),
    Given("parseInteger", "x", []),
    Given({"lt": ["apple", "banana"]}, None, True),
    Given({"eq": ["1", 1]}, None, False),
    Given(lam("x", "x"), 1, "x", ("text_value",)),
    # Dictionaries.
    Given(ADA, None, {"name": "Ada", "age": 36}),
    Given({"get": [ADA, "name"]}, None, "Ada"),
    Given(lam("r", {"get": [R, "age"]}), {"name": "Ada", "age": 36}, 36),
    Given(lam("r", {"with": [R, "age", 37]}), {"name": "Ada"}, {"name": "Ada", "age": 37}),
    Given({"keys": {"record": {"b": 1, "a": 2}}}, None, ["a", "b"]),
    Given(app("std.has", "age", ADA), None, True),
    Given(SAME, {"length": 3, "width": 2}, {"length": 3, "width": 2}),
    # Functions.
    Given(app(PLUS, 1, 2), None, 3),
    Given(app(app(PLUS, 1), 2), None, 3),
    Given(app("std.gcd", 12, 18), None, 6),
    Given({"app": {"func": "std.sum", "arg": [1, 2]}}, None, 3),
    Given(PLUS, 1, "<function>", FUNCTION),
    Given(PLUS, [1, 2], "<function>", FUNCTION),
    Given("std.gcd", 12, "<function>", FUNCTION),
    Given("std.gcd", [12, 18], "<function>", FUNCTION),
    Given("std.gcd", {"a": 12, "b": 18}, "<function>", FUNCTION),
    Given({"let": {"x": 1, "y": 2}, "in": {"add": [X, var("y")]}}, None, 3),
    # Code as data.
    Given({"quote": {"add": [1, 2]}}, None, {"add": [1, 2]}),
    Given({"eval": {"quote": {"add": [1, 2]}}}, None, 3),
    # What clients send.
    Given('{"add": [1, 2]}', None, 3),
    Given("42", None, 42),
    Given("true", None, True),
    Given(None, None, None),
    Given(SAME, {"add": [1, 2]}, 3),
    Given(SAME, {"add": [1, 2], "unit": "cm"}, {"add": [1, 2], "unit": "cm"}),
    Given(SAME, "true", True),
    Given(SAME, "null", None),
    Given(SAME, "[1, 2]", [1, 2]),
    Given(SAME, "hello", "hello"),
    Given({"and": [False, {"div": [1, 0]}]}, None, False),
)

REFUSED = (
    # Words of other languages.
    Refused({"sum": [1, 2, 3]}, None, "parse_error", "std.sum"),
    Refused(lam("l", {"map": [DOUBLE, L]}), [1, 2], "parse_error", "std.map"),
    Refused({"filter": [lam("x", {"gt": [X, 1]}), [1, 2]]}, None, "parse_error", "std.filter"),
    Refused({"reduce": [lam("p", ACC), 0, [1]]}, None, "parse_error", '{"fold": [f, init, list]}'),
    Refused({"max": [3, 9]}, None, "parse_error", "std.maximum"),
    Refused({"sort": [3, 1, 2]}, None, "parse_error", "std.sort"),
    Refused({"reverse": [1, 2]}, None, "parse_error", "std.reverse"),
    Refused({"append": [[1], 2]}, None, "parse_error", "std.append"),
    Refused({"zip": [[1], [2]]}, None, "parse_error", "std.zip"),
    Refused({"len": [1, 2]}, None, "parse_error", '{"length": t}'),
    Refused({"index": [[1, 2], 0]}, None, "parse_error", "std.indexOf"),
    Refused({"first": [1, 2]}, None, "parse_error", '{"head": t}'),
    Refused({"for": "x", "in": [1]}, None, "parse_error", "There are no loops"),
    Refused({"while": True}, None, "parse_error", "There are no loops"),
    Refused({"return": 1}, None, "parse_error", "the value of its body"),
    Refused({"import": "math"}, None, "parse_error", "Tools are called by name"),
    Refused({"print": "hi"}, None, "parse_error", "Nothing here reads or writes"),
    Refused({"console.log": "hi"}, None, "parse_error", "Nothing here reads or writes"),
    Refused({"fetch": "https://example.org"}, None, "parse_error", "Nothing here reads or writes"),
    Refused({"random": 10}, None, "parse_error", "pass the time, or a seed"),
    Refused({"typeof": 1}, None, "parse_error", "`analyze`"),
    Refused({"Math.max": [1, 2]}, None, "parse_error", "std.maximum"),
    # Exceptions.
    Refused({"try": {"div": [1, 0]}, "catch": 0}, None, "parse_error", "std.failure"),
    Refused({"throw": "bad"}, None, "parse_error", "std.failure"),
    Refused({"raise": "ValueError"}, None, "parse_error", "std.failure"),
    Refused({"div": [1, 0]}, None, "division_by_zero", "`eq` and `if`"),
    Refused({"mod": [7, 0]}, None, "division_by_zero", "`eq` and `if`"),
    Refused({"head": []}, None, "empty_list", "`isEmpty`"),
    # Operators.
    Refused({"+": [1, 2]}, None, "parse_error", '{"add": [a, b]}'),
    Refused({"==": [1, 2]}, None, "parse_error", '{"eq": [a, b]}'),
    Refused({"===": [1, 1]}, None, "parse_error", '{"eq": [a, b]}'),
    Refused({"!=": [1, 2]}, None, "parse_error", '{"not": {"eq": [a, b]}}'),
    Refused({"neq": [1, 2]}, None, "parse_error", '{"not": {"eq": [a, b]}}'),
    Refused({">=": [1, 2]}, None, "parse_error", '{"gte": [a, b]}'),
    Refused({"&&": [True, False]}, None, "parse_error", '{"and": [a, b]}'),
    Refused({"||": [True, False]}, None, "parse_error", '{"or": [a, b]}'),
    Refused({"!": True}, None, "parse_error", '{"not": t}'),
    Refused({"?": [True, 1, 2]}, None, "parse_error", '{"if": '),
    Refused({"**": [2, 10]}, None, "parse_error", "std.power"),
    Refused({"neg": 5}, None, "parse_error", '{"sub": [0, n]}'),
    Refused({"abs": -5}, None, "parse_error", "std.absolute"),
    Refused({"round": [2.5]}, None, "parse_error", "Numbers are integers"),
    Refused({"float": "3.5"}, None, "parse_error", "Numbers are integers"),
    # Numbers of operands.
    Refused({"add": [1, 2, 3]}, None, "parse_error", '{"add": [{"add": [a, b]}, c]}'),
    Refused({"and": [True, True, False]}, None, "parse_error", "nest it"),
    Refused({"concat": ["a", "b", "c"]}, None, "parse_error", "nest it"),
    Refused({"add": [1]}, None, "parse_error", '{"add": [a, b]}'),
    Refused({"add": 1}, None, "parse_error", '{"add": [a, b]}'),
    Refused({"range": 5}, None, "parse_error", '{"range": [0, n]}'),
    Refused(
        {"fold": {"func": lam("p", ACC), "init": 0, "list": [1]}}, None, "parse_error", "[f, init, list]"
    ),
    Refused({"pair": [1, 2, 3]}, None, "parse_error", '{"pair": [a, b]}'),
    # Kinds of operands.
    Refused({"add": ["1", 2]}, None, "type_error", "std.parseInteger"),
    Refused({"add": ["a", "b"]}, None, "type_error", "`concat`"),
    Refused({"concat": ["n = ", 5]}, None, "type_error", "`show`"),
    Refused({"concat": [[1], [2]]}, None, "type_error", "std.append"),
    Refused({"join": [["a", "b"], ", "]}, None, "type_error", "a string"),
    Refused({"and": [1, 2]}, None, "type_error", "needs a boolean"),
    Refused({"not": 0}, None, "type_error", "needs a boolean"),
    Refused(cond(1, "yes", "no"), None, "type_error", "boolean condition"),
    Refused({"get": [[1, 2], 0]}, None, "type_error", "std.nth"),
    Refused({"fst": [1, 2]}, None, "type_error", "needs a pair"),
    Refused({"lt": [1, "2"]}, None, "type_error", "an integer like its first operand"),
    Refused(lam("s", {"length": S}), "12", "type_error", "`raw`"),
    Refused(SAME, {"length": 3}, "type_error", "`data`"),
    Refused({"fold": ["std.sum", 0, [1]]}, None, "type_error", "code_of"),
    Refused(
        {"fold": [lam("a", lam("x", {"add": [var("a"), X]})), 0, [1, 2]]},
        None,
        "type_error",
        "",
        ("curried_fold",),
    ),
    Refused(app(5, 1), None, "type_error", "needs a function"),
    Refused(app(SAME, 1, 2), None, "type_error", "one argument"),
    Refused({"eval": {"add": [1, 2]}}, None, "type_error", "quoted term"),
    # Forms.
    Refused({"if": [True, 1, 2]}, None, "parse_error", '"cond"'),
    Refused({"if": {"cond": True, "then": 1}}, None, "parse_error", '"else"'),
    Refused({"if": {"condition": True, "then": 1, "else": 2}}, None, "parse_error", '"cond"'),
    Refused({"if": True, "then": 1, "else": 2}, None, "parse_error", '{"if": {"cond"'),
    Refused({"let": {"x": 1}, "body": X}, None, "parse_error", '"in"'),
    Refused({"let": [["x", 1]], "in": X}, None, "parse_error", '{"let": {'),
    Refused({"lam": ["x", "y"], "body": X}, None, "parse_error", "nest `lam`"),
    Refused({"lambda": "x", "body": X}, None, "parse_error", '{"lam": "x", "body": t}'),
    Refused({"lam": "x"}, None, "parse_error", '"body"'),
    Refused({"call": "std.sum", "args": [[1]]}, None, "parse_error", '{"app": '),
    Refused({"op": "add", "args": [1, 2]}, None, "parse_error", '{"add": [a, b]}'),
    Refused({"add": [1, 2], "comment": "sum"}, None, "parse_error", '"comment"'),
    Refused({"add": [1, 2], "sub": [3, 4]}, None, "parse_error", "two operations"),
    Refused({"Add": [1, 2]}, None, "parse_error", "`add`"),
    Refused({"lenght": "abc"}, None, "parse_error", "`length`"),
    Refused({"literal": 5}, None, "parse_error", "Literals stand for themselves"),
    Refused({}, None, "parse_error", '{"record": {}}'),
    # Dictionaries.
    Refused({"name": "Ada", "age": 36}, None, "parse_error", '{"record": '),
    Refused({"get": [{"name": "Ada"}, "name"]}, None, "parse_error", '{"record": '),
    Refused({"get": [ADA, "nmae"]}, None, "missing_key", '"name"'),
    Refused(lam("r", {"get": [R, "email"]}), {"name": "Ada"}, "missing_key", "`keys`"),
    Refused({"dict": {"a": 1}}, None, "parse_error", '{"record": '),
    # Names.
    Refused(lam("x", var("y")), 1, "unbound_variable", '{"lam": NAME'),
    Refused({"var": "x"}, 1, "unbound_variable", '{"lam": NAME'),
    Refused(lam("count", {"add": [var("cuont"), 1]}), 1, "unbound_variable", '"count"'),
    Refused(app("std.average", [1, 2]), None, "unknown_tool", "std.mean"),
    Refused(app("std.hasField", "a", ADA), None, "unknown_tool", "std.has "),
    Refused(app({"self": True}, 1), None, "no_tool_context", "Evolve the code"),
    Refused(lam("n", {"continue": {"input": N}}), 1, "no_tool_context", "Evolve the code"),
    Refused({"verify": "x = x"}, None, "oracle_error", "session"),
    # Texts that are no JSON.
    Refused("{'add': [1, 2]}", None, "parse_error", "double quotes"),
    Refused('{"add": [1, 2],}', None, "parse_error", "no comma before"),
    Refused('{"add": [1, 2]', None, "parse_error", "not closed"),
    Refused("{add: [1, 2]}", None, "parse_error", "double quotes"),
    Refused('{"add": [1, 2]} // sum', None, "parse_error", "no comments"),
    Refused('{"add": [True, 2]}', None, "parse_error", "true, false and null"),
    Refused('{"add": [1, 2]}}', None, "parse_error", "was not opened"),
    Refused('```json\n{"add": [1, 2]}\n```', None, "parse_error", "fence"),
    Refused("x + 1", 1, "parse_error", "A term is JSON"),
    Refused("lambda x: x + 1", 1, "parse_error", "`evolve` with the language python"),
    Refused("def f(x): return x", 1, "parse_error", "`evolve` with the language python"),
    Refused("x => x * 2", 1, "parse_error", '{"lam": "x"'),
    Refused("(add 1 2)", None, "parse_error", '{"add": [1, 2]}'),
    # Without end.
    Refused(
        app(lam("f", app(var("f"), var("f"))), lam("f", app(var("f"), var("f")))), None, "too_deep", "`fold`"
    ),
    Refused({"length": {"range": [0, 10**9]}}, None, "out_of_fuel", '"fuel"'),
)
