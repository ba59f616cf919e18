"""The answer of `help`, generated from the table of primitives.

Every form printed is accepted by the decoder, and the tests run every example.
"""

from __future__ import annotations

from typing import Annotated, cast

import msgspec

from kleis.decoding import decode_json
from pif.analysis.facts import CAPABILITIES
from pif.language.budget import (
    COMMAND_FUEL,
    DEFAULT_FUEL,
    INTEGER_BITS,
    JSON_LEVELS,
    STRING_LENGTH,
    TERM_DEPTH,
    Budget,
)
from pif.language.errors import nearest
from pif.language.primitives import CATEGORIES, PRIMITIVES, Primitive
from pif.run.evaluate import Answer
from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX
from registry.tools.advice import advice
from registry.tools.answer_shapes import HelpAnswer
from registry.tools.code_and_examples import Example, verified
from registry.tools.library import Entry, Library

__all__ = ["EXAMPLES", "TOPICS", "Help", "help_on"]

ERRORS: dict[str, str] = {
    "parse_error": "the JSON is not a term; `path` points into what was sent",
    "unbound_variable": "nothing binds a name",
    "type_error": "an operation got a value of another kind",
    "division_by_zero": "`div` or `mod` by 0",
    "empty_list": "`head` or `tail` of an empty list",
    "missing_key": "`get` of a field that the record lacks",
    "out_of_fuel": "the run used all its fuel; pass more, or give it less to do",
    "too_deep": "evaluation nests too many levels; use `fold`, or `continue` with `drive`",
    "term_too_deep": "a written or built term nests too deep",
    "value_too_large": "an integer or a string over its limit",
    "result_too_large": "the result prints to more than the limit",
    "eval_depth_exceeded": "too many `eval`s wait for each other",
    "no_tool_context": "`self` or `continue` in code that belongs to no tool",
    "unknown_tool": "no tool has that name or version",
    "unknown_team": "you are in no team of that name",
    "not_allowed": "you may read the team's tools and not change them, or code of a team may not do that",
    "cancelled": "the client cancelled the run",
    "invalid_argument": "an argument of the call is missing, misspelt or out of range",
    "invalid_name": "a tool's name is not spelled as names are, or is reserved",
    "version_conflict": "`expect_version` is not the current version",
    "oracle_error": "a question to a theory has no answer: it is no question, or the run has no theory",
    "example_failed": "an example does not hold, of the tool or of one that uses it; nothing was kept",
    "law_disproved": "a law of `evolve` is false, with the input that shows it; nothing was kept",
    "store_error": "the registry's files cannot be read or written",
    "too_busy": "there is no room for this call, or none for its memory; ask again after `retry_after_ms`, or for less",
    "internal": "a defect of this program",
}

TOOLS = """\
evolve   keep a tool: name, description, code; optional examples, expect_version, dry_run
run      run a tool (`tool`, or its name in `code`) or a term on `input`; optional fuel, drive, step, trace, raw, data
list     find tools: query, team, offset, limit
help     this text: a category or an operation's name
analyze  what can be said of a tool or a term without running it
Every tool evolved is also an MCP tool of its own name that takes `input`; `run` reaches all of them.
`name@2` is version 2 of a tool; `team/TEAM/NAME` is a tool of a team that you are in. A tool's code without a `lam` around it is closed over its one free variable."""

TYPES = """\
integer boolean string unit quoted       list(t)   pair(t, u)   t → u (a function)   a, b, … (any type, the same throughout)
{name: string, age?: integer}            a record of these fields; with `?:` one that may be missing
{name: string, ..r}                      of these and perhaps others; {*: integer}: integers under any names
data a, ordered a, sized a               no functions inside; integer or string; list or string
t → u or continue                        calling it may end the run by `continue`
?                                        not known before it runs: computed code, a tool that is not there

`evolve`, `list` and `analyze` tell the inferred type. A term with a type and without `?` never raises `type_error`, nor
`missing_key` for a literal key. A term without one may still run: type errors are advice, each with the two places
that do not fit."""

NUMBERS = """\
Numbers are integers, exact, of up to 8,192 bits. A number with a fraction is read as the nearest integer, halves to even:
2.5 is 2, 3.5 is 4, 19.99 is 20. That is never silent: the answer begins with
  "warnings": [{"code": "fraction_rounded", …, "rounded": [{"path": "/input", "from": 19.99, "to": 20}], "count": 1}]
and a tool that was kept with such a number says so in every run. With `--fractions refuse` (of the commands and of
`pif serve`; or PIF_FRACTIONS=refuse) it is an error instead.

For amounts, count in the smaller unit: 1999 cents. `div` rounds toward minus infinity; `mod` has the divisor's sign.

Exact fractions are tools of the library. std.decimal.parse reads the text "19.99", std.rational.parse "-3/4"; each gives a
list of one number, or of none. std.decimal.* and std.rational.* add, subtract, multiply, divide, compare, sum and print:
  {"app": ["std.decimal.multiply", {"head": {"app": ["std.decimal.parse", "19.99"]}}, {"app": ["std.decimal.fromInteger", 3]}]}
Both round by "half even", "half up", "down" (toward 0), "up" (away from 0), "floor" or "ceiling":
  {"app": ["std.decimal.round", "half even", 2, x]}, {"app": ["std.decimal.format", "half up", 2, x]} for text: "20.00"
A string of digits in an input is read as a number, unless the tool takes a string there or `raw` is set."""

EXAMPLES: tuple[tuple[str, str, str, str], ...] = (
    ("Square of a number", '{"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}', "7", "49"),
    (
        "Factorial by self",
        '{"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 1]}, "then": 1, "else": '
        '{"mul": [{"var": "n"}, {"app": [{"self": true}, {"sub": [{"var": "n"}, 1]}]}]}}}}',
        "5",
        "120",
    ),
    (
        "Sum of a list: fold gives its function ONE pair (accumulator, item)",
        '{"lam": "l", "body": {"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, '
        '0, {"var": "l"}]}}',
        "[1, 2, 3]",
        "6",
    ),
    (
        "A record's field changed",
        '{"lam": "r", "body": {"with": [{"var": "r"}, "age", {"add": [{"get": [{"var": "r"}, "age"]}, 1]}]}}',
        '{"name": "Ada", "age": 35}',
        '{"age":36,"name":"Ada"}',
    ),
    (
        "Code that counts its own operations",
        '{"lam": "x", "body": {"get": [{"analyze": {"code_of": "self"}}, "operations"]}}',
        "null",
        '{"analyze":1,"code_of":1,"get":1,"lam":1}',
    ),
)
"""What it shows, the code of a tool, an input, and the JSON of the result."""


def _primitive(row: Primitive, *, full: bool) -> str:
    head = f"{' or '.join(row.forms)}  —  {row.doc}"
    if not full:
        return head
    charge = f"1 + {row.charge}" if row.charge else "1"
    term, value = row.example
    return f"{head}\n  types: {row.types}\n  fuel: {charge}\n  example: {term}\n  gives: {value}"


def _category(name: str) -> str:
    rows = [row for row in PRIMITIVES.values() if row.category == name]
    lines = [f"{name}: {CATEGORIES[name]}", *(_primitive(row, full=False) for row in rows)]
    if name == "meta":
        lines += [
            "",
            "Capabilities that a tool shows:",
            *(f"{key}: {text}" for key, text in CAPABILITIES.items()),
        ]
    return "\n".join(lines)


def _errors() -> str:
    width = max(map(len, ERRORS))
    return "\n".join(f"{kind:{width}}  {text}" for kind, text in ERRORS.items())


def _limits() -> str:
    budget = Budget()
    rows = [
        (
            "fuel",
            f"{DEFAULT_FUEL} unless `fuel` says otherwise ({COMMAND_FUEL} on the command line, unless --fuel does); "
            "each step is charged, and charges add up exactly; where they run out, the error says what used them",
        ),
        ("depth", f"{budget.depth} levels of evaluation"),
        ("written terms", f"{TERM_DEPTH} nested terms, {JSON_LEVELS} levels of JSON"),
        ("integers", f"{INTEGER_BITS} bits"),
        ("strings", f"{STRING_LENGTH} characters"),
        ("results", f"{budget.result_bytes} bytes of JSON"),
        ("eval", f"{budget.eval_depth} that wait for each other"),
    ]
    charges = [f"{row.name}: 1 + {row.charge}" for row in PRIMITIVES.values() if row.charge]
    lines = [f"{name}: {text}" for name, text in rows]
    return "\n".join([*lines, "", "Fuel: 1 for every node evaluated, 1 for every call, 1 for each 16 characters of a "
                      "string literal; a list of n: 1 + n + 1; and", *charges])  # fmt: skip


def _examples() -> str:
    return "\n\n".join(f"{title}\n  code: {code}\n  input: {given}\n  gives: {value}"
                       for title, code, given, value in EXAMPLES)  # fmt: skip


def _overview() -> str:
    lines = [
        "PIF: a pure lambda calculus whose programs are JSON. Evolve tools, run them under exact limits.",
        "",
        "Categories (call help with one, or with an operation's name):",
    ]
    for name, doc in CATEGORIES.items():
        operations = " ".join(row.name for row in PRIMITIVES.values() if row.category == name)
        lines.append(f"  {name}: {doc} {operations}")
    lines += ["  numbers, types, tools, errors, limits, examples", "", "Literals: 42, true, \"text\", null, [list]. "
              'A record is {"record": {"k": t}}; in `run`\'s input a plain object is one too.', "", TOOLS]  # fmt: skip
    return "\n".join(lines)


TOPICS: tuple[str, ...] = (*CATEGORIES, "numbers", "types", "tools", "errors", "limits", "examples")


class Help(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The argument of `help`: a topic or an operation, or neither for the overview."""

    category: Annotated[
        str | None,
        msgspec.Meta(description="a topic, an operation, a library tool or a kind of error"),
    ] = None


_KINDS = {
    **dict.fromkeys(["integer", "number", "int"], "numbers"),
    **dict.fromkeys(
        ["boolean", "string", "unit", "quoted", "list", "function", "data", "ordered", "sized", "?"], "types"
    ),
}
"""Types by their names, and the topics that explain them."""


def _tool(entry: Entry) -> str:
    """What is known of a tool of the library: its type, how it is called, examples and laws."""
    name = f"{LIBRARY_PREFIX}{entry.name}"
    lines = [f"{name}  —  {entry.description}", f"  type: {entry.type or 'none'}"]
    for example in decode_json(entry.examples, list[Example])[:2]:
        arguments = [example.input] if example.arguments is msgspec.UNSET else example.arguments
        given = " ".join(msgspec.json.encode(each).decode() for each in arguments)
        lines.append(f"  example: {given} gives {msgspec.json.encode(example.output).decode()}")
    lines += [f"  law: {law}" for law in entry.laws]
    return "\n".join([*lines, f'  call: {{"app": ["{name}", …]}}; `pif show {name}` shows its code'])


def help_on(topic: str | None = None, library: Library | None = None) -> Answer:
    """The text on a topic (an overview without one): `{"type": "help", "topic", "text"}`.

    A topic is a category, an operation, a tool of the `library`, a kind of error, a type, or a word of another
    language."""
    library = library or Library(verified)
    topic = _KINDS.get(topic or "", topic)
    if not topic:
        text = _overview()
    elif topic in PRIMITIVES:
        text = _primitive(PRIMITIVES[topic], full=True)
    elif topic in CATEGORIES:
        text = _category(topic)
    else:
        match topic:
            case "tools":
                text = TOOLS
            case "errors":
                text = _errors()
            case "numbers":
                text = NUMBERS
            case "types":
                text = TYPES
            case "limits":
                text = _limits()
            case "examples":
                text = _examples()
            case _ if topic in ERRORS:
                text = f"{topic}: {ERRORS[topic]}"
            case _ if (entry := library.entry(topic)) is not None:
                text = _tool(entry)
            case _ if (told := advice(topic, library)) is not None:
                text = told
            case _:
                close = nearest(topic, [*TOPICS, *PRIMITIVES, *ERRORS, *library.entries])
                error = RegistryError(
                    "invalid_argument", f'there is no help on "{topic[:48]}"', place="category", found=topic[:48],
                    expected=", ".join(TOPICS) + ", or the name of an operation, a tool of the library or an error",
                    hint=f'Did you mean "{close}"?' if close else None,
                )  # fmt: skip
                return {"type": "error", "error": error.as_json()}
    answer: HelpAnswer = {"type": "help", "topic": topic or "overview", "text": text}
    return cast(Answer, answer)
