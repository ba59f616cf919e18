"""The tools of the group `pif` as clients see them: names, descriptions, schemas, argument types.

Descriptions are written for a model that has seen nothing else: the first sentence carries the tool, the grammar is
in the words and not in nested schemas, which several clients cannot read (docs/reference/serving.md §4.3).
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from pif.language.budget import DEFAULT_FUEL
from registry.server.contract.group import ToolSpec
from registry.server.contract.schemas import Natural, choice, record, switch, text, texts, whole
from registry.tools.analysis import ASPECTS, DEFAULT_ASPECTS, Aspect
from registry.tools.code_and_examples import Example, Language
from registry.tools.composition import Transform
from registry.tools.fuzzing import EXAMPLES, MOST_EXAMPLES
from registry.tools.help import TOPICS
from registry.workspace.workspace import PAGE

__all__ = ["BRIEF_INSTRUCTIONS", "INSTRUCTIONS", "MORE_TOOLS", "TOOLS", "Call", "own_tool"]

INSTRUCTIONS = """\
PIF: make your own pure tools and run them under exact limits. A tool is a lambda term in JSON; it cannot do I/O, run \
for ever or change other tools. Tools stay in the registry between sessions.

First call `list` (what is there) and `help` (the language); then:
- keep a new tool or a better version: `evolve` (try it first with dry_run)
- run a tool or a term: `run` (code: a tool's name, "name@2", or a term)
- find a tool: `list` with a query · the language: `help` with a category or an operation
- what a tool does without running it: `analyze`

Terms: 42, "text", true, null, [list]; {"var": "x"}; {"lam": "x", "body": t}; {"app": [f, a]}; {"add": [a, b]}; \
{"if": {"cond": c, "then": t, "else": e}}; {"fold": [f, init, list]} where f gets ONE pair (acc, item); \
{"record": {"k": t}}; {"quote": t}, {"eval": q}, {"code_of": "tool"}; {"self": true}; {"let": {"x": t}, "in": t}.
Use a tool in code: {"app": ["square", 7]}, or {"eval": {"code_of": "square"}} as a function. A library is there: {"app": ["map", f, list]}, sort, gcd, … (`list` with a query).

Results: type "value"; "continuation": call run again with its tool and next_input, or pass `drive`; "error": kind, \
path (a JSON pointer into the code, or /input/…), hint. "out_of_fuel": pass more `fuel`. Nothing is kept when a call \
answers an error."""

BRIEF_INSTRUCTIONS = """\
PIF: make pure tools (lambda terms in JSON), run them under exact limits. First `list` (a query finds library tools) and `help`; keep a \
tool with `evolve`, run one with `run`, look into one with `analyze`. A "continuation" means: call `run` again with its \
tool and next_input. An "error" has a kind, a path and a hint; nothing is kept then."""

LONGEST = 35_000
"""Milliseconds that proofs of laws may take: clients give up at 50 or 60 seconds, and what is left is tried besides."""

STANDARD = 25_000
"""Milliseconds that they may take where nothing else is said."""

Positive = Annotated[int, msgspec.Meta(ge=1)]


class Evolve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    description: str
    code: Any = msgspec.UNSET
    compose: tuple[Any, ...] | None = None
    transform: Transform | None = None
    examples: tuple[Example, ...] = ()
    expect_version: Natural | None = None
    dry_run: bool = False
    language: Language = "json"
    force: bool = False
    laws: tuple[str, ...] = ()
    drop_laws: tuple[str, ...] = ()
    timeout_ms: Annotated[int, msgspec.Meta(ge=1, le=LONGEST)] | None = None


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: Any = msgspec.UNSET
    tool: str | msgspec.UnsetType = msgspec.UNSET
    input: Any = None
    fuel: Positive | None = None
    drive: Natural = 0
    step: Natural = 0
    trace: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 0
    raw: bool = False
    data: bool = False
    session: str | None = None


class List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    query: str = ""
    offset: Natural = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = PAGE
    library: bool = False


class Help(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    category: str | None = None


class Analyze(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: Any
    against: Any = msgspec.UNSET
    aspects: tuple[Aspect, ...] = DEFAULT_ASPECTS
    timeout_ms: Annotated[int, msgspec.Meta(ge=1, le=LONGEST)] | None = None


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str


class Diff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    against: str | None = None


class Fuzz(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    examples: Annotated[int, msgspec.Meta(ge=1, le=MOST_EXAMPLES)] = EXAMPLES
    seed: Natural = 0
    fuel: Positive | None = None
    type: str | None = None


class Rollback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    version: Positive
    expect_version: Natural | None = None
    force: bool = False


class Forget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    directory: str
    overwrite: bool = False


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    directory: str
    renumber: bool = False


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of an evolved tool called by its own name."""

    input: Any = None


def _count(
    description: str, least: int, default: int | None = None, most: int | None = None
) -> dict[str, Any]:
    """A whole number; the keys in the order in which this group has always listed them."""
    schema: dict[str, Any] = {**whole(least), "description": description}
    if default is not None:
        schema["default"] = default
    return schema if most is None else {**schema, "maximum": most}


_SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="evolve",
        title="Evolve a tool",
        description="Keep a pure tool, or a new version of one, in the registry. `code` is a PIF term in JSON, usually "
        '{"lam": "x", "body": …}; a bare expression is closed over its one free variable. With examples it is '
        "kept only if they hold. Old versions stay as name@1, name@2, … The answer tells the inferred type and "
        "bounds on fuel; type errors are advice.",
        input_schema=record(
            ("name", "description"),
            name=text("letters, digits, _ . -, at most 48"),
            description=text("what the tool does, for whoever finds it"),
            code={"description": f"the term, e.g. {msgspec.json.encode(_SQUARE).decode()}"},
            compose={
                "type": "array",
                "description": 'instead of code: a pipeline of tools, e.g. ["sort", "reverse"]',
            },
            transform=record(
                ("tool", "by"),
                tool=text("instead of code: the tool whose code is taken"),
                by={"description": "the term tool that makes the new code of it"},
            ),
            examples={
                "type": "array",
                "items": record(("output",), input={}, arguments={"type": "array"}, output={}),
                "description": "inputs (for curried tools: lists of arguments) with the outputs that must come",
            },
            laws=texts(
                "Kleis propositions about the tool, e.g. ∀(x : ℤ). square(x) ≥ 0, or safe(square): "
                "proved or tested; a false one refuses the tool. New versions keep them"
            ),
            drop_laws=texts("laws to give up"),
            timeout_ms=whole(1, LONGEST, default=STANDARD),
            expect_version=_count("refuse unless this version is current; 0: unless the name is free", 0),
            dry_run=switch("check everything, keep nothing"),
            force=switch("replace it though examples of tools that use it fail"),
            language=choice(
                ("json", "python"),
                "python: `code` is the text of one small pure function, which is translated to a term",
                default="json",
            ),
        ),
        arguments=Evolve,
        example={"name": "square", "description": "Squares a number", "code": _SQUARE},
    ),
    ToolSpec(
        name="run",
        title="Run a tool or a term",
        description="Run a registered tool or a term under an exact budget. The answer is a value, a continuation "
        "(call again, or pass `drive`) or an error with its place. JSON in strings of the input is decoded.",
        input_schema=record(
            (),
            code={"description": "a tool's name, name@version, or a term"},
            tool=text("a tool's name, instead of code"),
            input={"description": "what the function is called on; plain JSON or a term"},
            fuel=_count("steps allowed", 1, DEFAULT_FUEL),
            drive=_count("take up to this many continuation steps here", 0, 0),
            step=_count("steps taken before", 0, 0),
            trace=_count("return this many last events", 0, 0, 1_000),
            raw=switch("leave strings in the input as they are"),
            data=switch("take the input as plain data: nothing decoded or evaluated"),
            session=text("the theory that `verify`, `kleis`, … ask"),
        ),
        arguments=Run,
        example={"code": "square", "input": 7},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="list",
        title="List tools",
        description="Find tools by words in their names and descriptions; each is shown with its type. With a query the "
        "standard library (map, sort, gcd, …) is searched too; its tools are called by name.",
        input_schema=record(
            (),
            query=text("words to look for; all tools without it"),
            offset=_count("skip this many", 0, 0),
            limit=_count("at most this many", 1, PAGE, 1_000),
            library=switch("the standard library alone"),
        ),
        arguments=List,
        example={"query": "sort", "limit": 10},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="help",
        title="The PIF language",
        description="Explain the language: an overview, a category or one operation with its forms, types, fuel and "
        "an example.",
        input_schema=record((), category=text(", ".join(TOPICS) + ", or an operation's name")),
        arguments=Help,
        example={"category": "lists"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="analyze",
        title="Analyze a tool or a term",
        description="Tell what can be known of a tool or a term without running it: all its errors, operations, free "
        "names, tools reached, capabilities, its type with all type errors, bounds on fuel, dead code, normal form.",
        input_schema=record(
            ("code",),
            code={"description": "a tool's name, name@version, or a term"},
            against={
                "description": "a second one: do both do the same? proved, refuted by an input, or unknown"
            },
            aspects={"type": "array", "items": {"type": "string", "enum": list(ASPECTS)}},
            timeout_ms=whole(1, LONGEST, default=STANDARD),
        ),
        arguments=Analyze,
        example={"code": "square"},
        read_only=True,
        idempotent=True,
    ),
)
"""The list that is always on."""

MORE_TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="history",
        title="History of a tool",
        description="Everything that happened to a tool's name, oldest first.",
        input_schema=record(("name",), name=text("a tool's name")),
        arguments=History,
        example={"name": "square"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="diff",
        title="Compare tools",
        description="The places where two tools or versions differ; without `against`, a version and the one before.",
        input_schema=record(
            ("name",), name=text("name or name@version"), against=text("what to compare with")
        ),
        arguments=Diff,
        example={"name": "square@1", "against": "square@2"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="rollback",
        title="Go back to a version",
        description="Make an older version of a tool the current one; no version is lost.",
        input_schema=record(
            ("name", "version"),
            name=text("a tool's name"),
            version=_count("the version to make current", 1),
            expect_version=_count("refuse unless this version is current", 0),
            force=switch("go back though examples of tools that use it fail"),
        ),
        arguments=Rollback,
        example={"name": "square", "version": 1},
        idempotent=True,
    ),
    ToolSpec(
        name="forget",
        title="Forget a tool",
        description="Drop a tool, or one version of it, for good; its version numbers are never used again.",
        input_schema=record(("name",), name=text("name, or name@version for one version")),
        arguments=Forget,
        example={"name": "square@1"},
        destructive=True,
        idempotent=True,
    ),
    ToolSpec(
        name="export",
        title="Export the tools",
        description="Write all tools with their versions to a directory of JSON files beside the registry.",
        input_schema=record(
            ("directory",),
            directory=text("a plain directory name"),
            overwrite=switch("replace an earlier export there"),
        ),
        arguments=Export,
        example={"directory": "monday"},
    ),
    ToolSpec(
        name="import",
        title="Import tools",
        description="Take in an exported directory, all of it or nothing; every hash is checked.",
        input_schema=record(
            ("directory",),
            directory=text("a plain directory name"),
            renumber=switch("give versions whose number is taken new numbers"),
        ),
        arguments=Import,
        example={"directory": "monday"},
        idempotent=True,
    ),
    ToolSpec(
        name="fuzz",
        title="Try a tool on made-up inputs",
        description="Try a tool on made-up inputs of its inferred type: each kind of error and the largest use of fuel "
        "with the smallest input that shows it. The same seed tries the same inputs.",
        input_schema=record(
            ("name",),
            name=text("name or name@version"),
            examples=_count("inputs to try", 1, EXAMPLES, MOST_EXAMPLES),
            seed=_count("which inputs", 0, 0),
            fuel=_count("steps allowed in each run", 1, DEFAULT_FUEL),
            type=text("the type of the inputs, instead of the inferred one, e.g. list(integer)"),
        ),
        arguments=Fuzz,
        example={"name": "square", "examples": 100},
        read_only=True,
        idempotent=True,
    ),
)
"""The second list, which `--more` turns on."""

DESCRIPTION = 1_800
"""Characters of a tool's own description that are advertised; clients cut at 2,048."""


def own_tool(name: str, version: int, description: str, hash: str) -> ToolSpec:
    """The spec of an evolved tool as a tool of its own name."""
    shown = description if len(description) <= DESCRIPTION else description[: DESCRIPTION - 1] + "…"
    return ToolSpec(
        name=name,
        title=name,
        description=f"{shown or 'An evolved tool.'} (evolved tool, version {version}, {hash[:17]})",
        input_schema=record((), input={"description": "plain JSON or a term"}),
        arguments=Call,
        example={"input": 7},
        read_only=True,
        idempotent=True,
    )
