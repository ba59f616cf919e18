"""The table of PIF's operations: the one place where each is described (docs/reference/pif.md §2).

The decoder, the evaluators, `help`, the schema, the analyses and the tables of docs/reference/pif.md all read `PRIMITIVES`. The
charges that depend on the sizes of operands are functions below the table, shared by every back end, so that a
unit of fuel means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from pif.language.hostile_cases import HOSTILE

__all__ = [
    "ANALYZE_BASE",
    "ANALYZE_NODE",
    "ASK",
    "ASK_PROVER",
    "CALL",
    "CATEGORIES",
    "CHARS_ELEMENT",
    "CLOSURE",
    "CONS",
    "EVAL_NODE",
    "NORMALIZE_NODE",
    "PAIR",
    "PRIMITIVES",
    "QUOTE_NODE",
    "RANGE_ELEMENT",
    "REFLECT_NODE",
    "REIFY_NODE",
    "SHOWN_NODE",
    "Primitive",
    "Shape",
    "charge_closure",
    "charge_linear",
    "charge_list",
    "charge_names",
    "charge_product",
    "charge_range",
    "charge_record",
    "charge_text",
    "charge_text_walk",
    "charge_with",
    "limbs",
]

Shape = Literal["one", "many", "special"]
"""How the parts of an operation are written: one term after the key, an array of them, or a form of its own."""

CATEGORIES: dict[str, str] = {
    "lambda": "Variables, functions, application and local names.",
    "arithmetic": "Exact integers of up to 8,192 bits.",
    "comparison": "Equality of any data; order of integers and of strings.",
    "logic": "Booleans only; `and` and `or` stop early.",
    "control": "Choice, and the step that asks to be called again.",
    "lists": "Immutable lists, and the fold that walks them.",
    "pairs": "Two values in one.",
    "records": "Immutable records with named fields.",
    "strings": "Immutable strings of Unicode code points.",
    "meta": "Code as data: quote it, run it, read a tool's source, take it apart, build it.",
    "analysis": "Facts about quoted code, and its canonical form.",
    "theory": "Questions to the theory that a run was given (`session` of `run`): a text in Kleis, or a quoted term.",
}


class Primitive(msgspec.Struct, frozen=True, kw_only=True):
    """One operation.

    `name`: its key in JSON. `forms`: the JSON forms accepted, the canonical one first. `shape` and `arity`: how
    many parts (0 where the shape is special). `types`: what it takes and gives, in the notation of
    `analysis.type_text`; inference reads it, except where a form has a rule of its own. `charge`: fuel beyond the 1 of
    every node, in words. `example`: a term and the JSON of its value. `hostile`: the cases that its charge is measured on.
    """

    name: str
    category: str
    forms: tuple[str, ...]
    shape: Shape = "many"
    arity: int = 0
    types: str
    charge: str = ""
    doc: str
    example: tuple[str, str]
    hostile: tuple[str, ...]


def _binary(
    name: str, category: str, types: str, doc: str, example: str, value: str, charge: str = ""
) -> Primitive:
    return Primitive(
        name=name,
        category=category,
        forms=(f'{{"{name}": [a, b]}}',),
        arity=2,
        types=types,
        charge=charge,
        doc=doc,
        example=(example, value),
        hostile=HOSTILE[name],
    )


def _unary(
    name: str, category: str, types: str, doc: str, example: str, value: str, charge: str = ""
) -> Primitive:
    return Primitive(
        name=name,
        category=category,
        forms=(f'{{"{name}": t}}',),
        shape="one",
        arity=1,
        types=types,
        charge=charge,
        doc=doc,
        example=(example, value),
        hostile=HOSTILE[name],
    )


def _special(
    name: str,
    category: str,
    forms: tuple[str, ...],
    types: str,
    doc: str,
    example: str,
    value: str,
    charge: str = "",
) -> Primitive:
    return Primitive(
        name=name,
        category=category,
        forms=forms,
        shape="special",
        types=types,
        charge=charge,
        doc=doc,
        example=(example, value),
        hostile=HOSTILE[name],
    )


_LINEAR = "limbs of the larger / 4"
_PRODUCT = "product of the limbs / 4"
_ORDER = "limbs of the larger / 4, or 2 for each 16 characters of the longer string"
_INTEGERS = "integer, integer → integer"
_ASKED = "100 + 2 for each 16 characters, or 4 a node"
_LISTED = "100 + 4 a part of the answer"
_MEMBERS = "100 + 2 for each 16 characters + 4 a part of the answer"
_ORDERED = "ordered a, a → boolean"

_TABLE = (
    _special(
        "var", "lambda", ('{"var": "x"}',), "name → its value", "The value bound to a name.",
        '{"let": {"x": 7}, "in": {"var": "x"}}', "7",
    ),
    _special(
        "lam", "lambda", ('{"lam": "x", "body": t}',), "→ function",
        "A function of one parameter, with lexical scope.",
        '{"app": {"func": {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}, "arg": 7}}', "49",
        "4 + captured variables / 4 (all names in scope where the body holds an `eval`)",
    ),
    _special(
        "app", "lambda", ('{"app": {"func": f, "arg": a}}', '{"app": [f, a, b]}'), "(a → b), a → b",
        "Apply a function; a literal string in function position names a registered tool.",
        '{"app": {"func": {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, "arg": 41}}', "42", "1 for the call",
    ),
    _special(
        "let", "lambda", ('{"let": {"x": t}, "in": body}', '{"let": {"x": t, "y": u}, "in": body}'), "a, b → b",
        "Name values; each name sees the earlier ones. Several names are nested lets of one name.",
        '{"let": {"x": 3, "y": {"add": [{"var": "x"}, 1]}}, "in": {"mul": [{"var": "x"}, {"var": "y"}]}}', "12",
    ),
    _binary("add", "arithmetic", _INTEGERS, "Sum.", '{"add": [40, 2]}', "42", _LINEAR),
    _binary("sub", "arithmetic", _INTEGERS, "Difference.", '{"sub": [40, 42]}', "-2", _LINEAR),
    _binary("mul", "arithmetic", _INTEGERS, "Product.", '{"mul": [6, 7]}', "42", _PRODUCT),
    _binary(
        "div", "arithmetic", _INTEGERS, "Quotient rounded toward minus infinity; `division_by_zero` for a zero divisor.",
        '{"div": [-7, 2]}', "-4", _PRODUCT,
    ),
    _binary(
        "mod", "arithmetic", _INTEGERS, "Remainder with the sign of the divisor; `division_by_zero` for a zero divisor.",
        '{"mod": [-7, 2]}', "1", _PRODUCT,
    ),
    _binary(
        "eq", "comparison", "data a, data b → boolean",
        "Structural equality; different kinds are unequal; a function anywhere inside is a `type_error`.",
        '{"eq": [[1, {"pair": [2, "a"]}], [1, {"pair": [2, "a"]}]]}', "true",
        "1 a value or node of code visited + characters / 16, of names of fields and texts in code too + limbs of the "
        "larger / 4",
    ),
    _binary("lt", "comparison", _ORDERED, "Less than.", '{"lt": [1, 2]}', "true", _ORDER),
    _binary("lte", "comparison", _ORDERED, "Less than or equal.", '{"lte": ["a", "b"]}', "true", _ORDER),
    _binary("gt", "comparison", _ORDERED, "Greater than.", '{"gt": [1, 2]}', "false", _ORDER),
    _binary("gte", "comparison", _ORDERED, "Greater than or equal.", '{"gte": [2, 2]}', "true", _ORDER),
    _binary(
        "and", "logic", "boolean, boolean → boolean", "True when both are; the second is not evaluated after false.",
        '{"and": [true, false]}', "false",
    ),
    _binary(
        "or", "logic", "boolean, boolean → boolean", "True when one is; the second is not evaluated after true.",
        '{"or": [true, false]}', "true",
    ),
    _unary("not", "logic", "boolean → boolean", "Negation.", '{"not": true}', "false"),
    _special(
        "if", "control", ('{"if": {"cond": c, "then": t, "else": e}}',), "boolean, a, a → a",
        "One of two branches; only the chosen one is evaluated.",
        '{"if": {"cond": {"lt": [1, 2]}, "then": "yes", "else": "no"}}', '"yes"',
    ),
    _special(
        "continue", "control", ('{"continue": {"input": t}}',), "data a → (ends the run)",
        "End the run and ask for the same tool to be called again with this input. Only as the value of a tool's run.",
        '{"lam": "x", "body": {"continue": {"input": {"var": "x"}}}}', '"<function>"',
    ),
    _special("nil", "lists", ('{"nil": true}',), "→ list(a)", "The empty list.", '{"nil": true}', "[]"),
    _special(
        "cons", "lists", ('{"cons": {"head": h, "tail": t}}', '{"cons": [h, t]}'), "a, list(a) → list(a)",
        "A list with one more item in front.", '{"cons": {"head": 1, "tail": [2, 3]}}', "[1,2,3]", "2",
    ),
    _unary("head", "lists", "list(a) → a", "The first item; `empty_list` where there is none.", '{"head": [1, 2]}', "1"),
    _unary("tail", "lists", "list(a) → list(a)", "All but the first item; `empty_list` where there is none.",
           '{"tail": [1, 2]}', "[2]"),
    _unary("isEmpty", "lists", "list(a) → boolean", "Whether a list has no items.", '{"isEmpty": []}', "true"),
    _unary("length", "lists", "sized a → integer", "Items of a list, or code points of a string.",
           '{"length": [4, 5, 6]}', "3"),
    Primitive(
        name="fold", hostile=HOSTILE["fold"], category="lists", forms=('{"fold": [f, init, list]}',), arity=3,
        types="(pair(b, a) → b), b, list(a) → b", charge="1 an item, and 1 for each call",
        doc="Left fold. `f` receives ONE argument, the pair (accumulator, item).",
        example=(
            '{"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, [1, 2, 3]]}',
            "6",
        ),
    ),
    _binary("range", "lists", "integer, integer → list(integer)", "The integers from a up to but not including b.",
            '{"range": [0, 4]}', "[0,1,2,3]", "(3 + limbs of the larger bound / 2) an element"),
    _binary("pair", "pairs", "a, b → pair(a, b)", "Two values in one.", '{"pair": [1, true]}', '{"pair":[1,true]}', "2"),
    _unary("fst", "pairs", "pair(a, b) → a", "The first part.", '{"fst": {"pair": [1, 2]}}', "1"),
    _unary("snd", "pairs", "pair(a, b) → b", "The second part.", '{"snd": {"pair": [1, 2]}}', "2"),
    _special(
        "record", "records", ('{"record": {"k": t}}',), "→ record",
        "A record; its fields are evaluated and listed in code-point order of their names.",
        '{"record": {"name": "Ada", "age": {"add": [35, 1]}}}', '{"age":36,"name":"Ada"}', "fields + 2",
    ),
    _binary("get", "records", "{k: a, ..r}, string → a", "The value of a field; `missing_key` where there is none.",
            '{"get": [{"record": {"k": 5}}, "k"]}', "5", "characters of the name / 16"),
    Primitive(
        name="with", hostile=HOSTILE["with"], category="records", forms=('{"with": [r, "k", v]}',), arity=3,
        types="{k?: a, ..r}, string, b → {k: b, ..r}", charge="fields + 4 + characters of the name / 16 + 40 for each 128 fields", doc="A record with a field set or replaced.",
        example=('{"with": [{"record": {"a": 1}}, "b", 2]}', '{"a":1,"b":2}'),
    ),
    _unary("keys", "records", "{..r} → list(string)", "The names of the fields, sorted by code point.",
           '{"keys": {"record": {"b": 1, "a": 2}}}', '["a","b"]', "4 an element"),
    _binary("concat", "strings", "string, string → string", "Two strings joined.", '{"concat": ["ab", "cd"]}',
            '"abcd"', "2 for each 16 characters"),
    _unary("chars", "strings", "string → list(string)", "The code points of a string, one string each.",
           '{"chars": "abc"}', '["a","b","c"]', "4 an element"),
    _binary("join", "strings", "string, list(string) → string", "The strings of a list with a separator between.",
            '{"join": [", ", ["a", "b"]]}', '"a, b"', "1 an item + 2 for each 16 characters"),
    _unary(
        "show", "strings", "data a → string",
        "The compact text of the literal term with this value; a string at top level shows itself unquoted.",
        '{"show": [1, {"pair": [true, "a"]}]}', '"[1,{\\"pair\\":[true,\\"a\\"]}]"',
        "2 for each 16 characters + 1 a value inside and characters / 16 of its strings and names + 4 a node of code",
    ),
    _unary("quote", "meta", "→ quoted", "The term itself, as data; `unquote` inside it splices a computed part.",
           '{"quote": {"add": [1, {"unquote": {"mul": [2, 3]}}]}}', '{"add":[1,6]}',
           "4 a node of the template and of each splice where an `unquote` is live"),
    _unary("unquote", "meta", "data a → (part of a quoted term)",
           "Inside `quote`: evaluate now and splice; a quoted term as it is, data as literals.",
           '{"let": {"t": {"quote": {"var": "x"}}}, "in": {"quote": {"lam": "x", "body": {"unquote": {"var": "t"}}}}}',
           '{"body":{"var":"x"},"lam":"x"}'),
    _unary("eval", "meta", "quoted → ?", "Run a quoted term in the present lexical scope.",
           '{"let": {"x": 5}, "in": {"eval": {"quote": {"mul": [{"var": "x"}, 2]}}}}', "10",
           "3 a node of the term + 1 a name in scope + characters / 16 of the texts in both"),
    _special(
        "code_of", "meta", ('{"code_of": "name"}', '{"code_of": t}'), "string → quoted",
        'The source of a registered tool; "name@3" is version 3, "self" the present tool.',
        '{"lam": "name", "body": {"code_of": {"var": "name"}}}', '"<function>"',
    ),
    _special("self", "meta", ('{"self": true}',), "→ function", "The present tool as a function.",
             '{"lam": "n", "body": {"app": {"func": {"self": true}, "arg": {"var": "n"}}}}', '"<function>"',
             "the evaluation of the tool's code"),
    _unary("reify", "meta", "quoted → ?", "A quoted term as plain records, to take apart.",
           '{"get": [{"reify": {"quote": {"add": [1, 2]}}}, "op"]}', '"add"', "12 a node"),
    _unary("reflect", "meta", "a → quoted", "The quoted term that such records describe.",
           '{"reflect": {"record": {"op": "var", "name": "x"}}}', '{"var":"x"}', "6 a node"),
    Primitive(
        name="analyze", hostile=HOSTILE["analyze"], category="analysis", forms=('{"analyze": q}', '{"analyze": [q]}'), shape="one", arity=1,
        types="quoted → {capabilities: list(string), depth: integer, free: list(string), nodes: integer, "
        "operations: {*: integer}, tools: list(string)}", charge="12 + 1 a node + characters / 16 of the texts in the term",
        doc="Nodes, depth, operations, free variables, tools and capabilities of a quoted term.",
        example=('{"get": [{"get": [{"analyze": {"quote": {"add": [1, {"add": [2, 3]}]}}}, "operations"]}, "add"]}', "2"),
    ),
    _unary("normalize", "analysis", "quoted → quoted", "An equivalent term in canonical form.",
           '{"normalize": {"quote": {"add": [1, 2]}}}', "3", "8 a node visited + characters / 16 of the texts in the term"),
    _unary("kleis", "theory", "data a → ?",
           "The value of a Kleis expression: integers, booleans, strings, lists and pairs as such, anything else as its "
           "text in a record with the field `kleis`.",
           '{"lam": "n", "body": {"kleis": {"quote": {"mul": [{"unquote": {"var": "n"}}, 2]}}}}', '"<function>"',
           f"{_ASKED} + steps of the evaluator / 10 + 4 a part of the answer"),
    _unary("verify", "theory",
           "data a → {axioms: list(string), claim: string, counterexample: {*: ?}, method: string, "
           "model: {*: ?}, reason: string, verdict: string}",
           'Whether a proposition holds: `verdict` is "verified", "disproved", "unknown", "inconsistent" or "error" (no '
           "proposition: `reason` says why). `counterexample` has the values of its variables, `model` the tables.",
           '{"lam": "x", "body": {"get": [{"verify": "∀(x : ℤ). x * x ≥ 0"}, "verdict"]}}', '"<function>"',
           "1,000 + 2 for each 16 characters, or 4 a node + steps of the engines / 1,000 + 100 an engine + 4 a part of "
           "the answer"),
    _unary("axioms", "theory", "string → list({kleis: string, name: string, term: quoted})",
           "The axioms of a structure, inherited ones included; `term` is the axiom as a quoted term.",
           '{"lam": "name", "body": {"axioms": {"var": "name"}}}', '"<function>"', _MEMBERS),
    _unary("operations", "theory",
           "string → list({arguments: list(string), kleis: string, name: string, result: string})",
           "The operations and elements of a structure, inherited ones included, with the types they take and give.",
           '{"lam": "name", "body": {"operations": {"var": "name"}}}', '"<function>"', _MEMBERS),
    _unary("structures", "theory", "unit → list({kleis: string, name: string, parameters: list(string)})",
           "The structures of the theory; takes null.",
           '{"lam": "x", "body": {"structures": null}}', '"<function>"', _LISTED),
)  # fmt: skip

PRIMITIVES: dict[str, Primitive] = {primitive.name: primitive for primitive in _TABLE}
"""Every operation by its JSON key, in the order in which `help` lists them."""

CALL = 1
CONS = 2
PAIR = 2
CLOSURE = 4
CHARS_ELEMENT = 4
QUOTE_NODE = 4
EVAL_NODE = 3
RANGE_ELEMENT = 3
REIFY_NODE = 12
REFLECT_NODE = 6
ANALYZE_BASE = 12
ANALYZE_NODE = 1
NORMALIZE_NODE = 8
SHOWN_NODE = 4
WITH, WIDE, WITH_WIDE = 4, 128, 40
ASK = 100
ASK_PROVER = 1_000


def limbs(integer: int) -> int:
    """How many 64-bit limbs an integer has, at least 1."""
    return max(1, (integer.bit_length() + 63) >> 6)


def charge_linear(left: int, right: int) -> int:
    """`add`, `sub` and the comparison of two integers."""
    return max(limbs(left), limbs(right)) >> 2


def charge_product(left: int, right: int) -> int:
    """`mul`, `div`, `mod`."""
    return (limbs(left) * limbs(right)) >> 2


def charge_closure(captured: int) -> int:
    """A function value that keeps this many variables of its surroundings."""
    return CLOSURE + (captured >> 2)


def charge_list(items: int) -> int:
    """A list literal."""
    return items + 1


def charge_record(fields: int) -> int:
    """A record literal."""
    return fields + 2


def charge_with(fields: int, name: str) -> int:
    """`with` of a field on a record of this many fields. Wide dictionaries hold more room for each field."""
    return fields + WITH + WITH_WIDE * (fields // WIDE) + (len(name) >> 4)


def charge_names(names: Iterable[str]) -> int:
    """Names that are compared: 1 for each 16 characters of each."""
    return sum([len(name) >> 4 for name in names])


def charge_range(first: int, last: int) -> int:
    """`range`: all of its elements."""
    return max(0, last - first) * (RANGE_ELEMENT + (max(limbs(first), limbs(last)) >> 1))


def charge_text(characters: int) -> int:
    """A string that is only kept or walked: literals, and strings inside `eq`."""
    return characters >> 4


def charge_text_walk(characters: int) -> int:
    """A string that is made or compared: `concat`, `join`, `show`, the order of strings."""
    return 2 * (characters >> 4)
