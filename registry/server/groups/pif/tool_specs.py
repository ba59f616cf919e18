"""The tools of the group `pif` as clients see them: names, titles, descriptions, hints.

Descriptions are written for a model that has seen nothing else: the first sentence carries the tool, the grammar is
in the words and not in nested schemas, which several clients cannot read (docs/reference/serving.md §4.3). Arguments
are described in `registry.workspace.requests`.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from pif.run.answer_shapes import ContinuationAnswer, ValueAnswer
from registry.server.contract.group import ToolSpec
from registry.tools.answer_shapes import AnalysisAnswer, DiffAnswer, FuzzAnswer, HelpAnswer
from registry.tools.help import Help
from registry.workspace import requests
from registry.workspace.answer_shapes import (
    EvolvedAnswer,
    ExportAnswer,
    ForgottenAnswer,
    HistoryAnswer,
    ImportAnswer,
    LawsAnswer,
    ObjectsAnswer,
    OfferAnswer,
    RolledBackAnswer,
    StagedAnswer,
    TakenAnswer,
    ToolListAnswer,
    WantedAnswer,
)

__all__ = ["BRIEF_INSTRUCTIONS", "INSTRUCTIONS", "MORE_TOOLS", "SHARING_TOOLS", "TOOLS", "Call", "own_tool"]

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


RUN_ANSWERS = (ValueAnswer, ContinuationAnswer)
"""What a run answers, beside errors."""


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of an evolved tool called by its own name."""

    input: Annotated[Any, msgspec.Meta(description="plain JSON or a term")] = None


TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="evolve",
        title="Evolve a tool",
        description="Keep a pure tool, or a new version of one. `code` is a PIF term in JSON, usually "
        '{"lam": "x", "body": …}; a bare expression is closed over its one free variable. With examples it is '
        "kept only if they hold. Old versions stay as name@1, name@2, …",
        arguments=requests.Evolve,
        answers=(EvolvedAnswer,),
        may_ask=True,
        example={"name": "square", "description": "Squares a number", "code": requests.SQUARE},
    ),
    ToolSpec(
        name="run",
        title="Run a tool or a term",
        description="Run a tool or a term under an exact budget. The answer is a value, a continuation "
        "(call again, or pass `drive`) or an error with its place.",
        arguments=requests.Run,
        answers=RUN_ANSWERS,
        example={"code": "square", "input": 7},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="list",
        title="List tools",
        description="Find tools, with their types, by words in names and descriptions. With a query the standard library "
        "(map, sort, gcd, …) is searched too.",
        arguments=requests.List,
        answers=(ToolListAnswer,),
        example={"query": "sort", "limit": 10},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="help",
        title="The PIF language",
        description="Explain the language: an overview, a category or one operation with its forms, types, fuel and "
        "an example.",
        arguments=Help,
        answers=(HelpAnswer,),
        example={"category": "lists"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="analyze",
        title="Analyze a tool or a term",
        description="Tell what is known of a tool or a term without running it: errors, operations, free names, tools "
        "reached, capabilities, type, bounds on fuel, dead code, normal form.",
        arguments=requests.Analyze,
        answers=(AnalysisAnswer,),
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
        arguments=requests.History,
        answers=(HistoryAnswer,),
        example={"name": "square"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="diff",
        title="Compare tools",
        description="The places where two tools or versions differ; without `against`, a version and the one before.",
        arguments=requests.Diff,
        answers=(DiffAnswer,),
        example={"name": "square@1", "against": "square@2"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="rollback",
        title="Go back to a version",
        description="Make an older version of a tool the current one; no version is lost.",
        arguments=requests.Rollback,
        answers=(RolledBackAnswer,),
        may_ask=True,
        example={"name": "square", "version": 1},
        idempotent=True,
    ),
    ToolSpec(
        name="forget",
        title="Forget a tool",
        description="Drop a tool, or one version of it, for good; its version numbers are never used again.",
        arguments=requests.Forget,
        answers=(ForgottenAnswer,),
        may_ask=True,
        example={"name": "square@1"},
        destructive=True,
        idempotent=True,
    ),
    ToolSpec(
        name="export",
        title="Export the tools",
        description="Write all tools with their versions to a directory of JSON files beside the registry.",
        arguments=requests.Export,
        answers=(ExportAnswer, OfferAnswer, ObjectsAnswer),
        may_ask=True,
        example={"directory": "monday"},
    ),
    ToolSpec(
        name="import",
        title="Import tools",
        description="Take in an exported directory, all of it or nothing; every hash is checked. Its laws are run and their "
        "certificates checked: one that is false is dropped, one that is not shown is `claimed`.",
        arguments=requests.Import,
        answers=(ImportAnswer, StagedAnswer, WantedAnswer, TakenAnswer),
        example={"directory": "monday"},
        idempotent=True,
    ),
    ToolSpec(
        name="fuzz",
        title="Try a tool on made-up inputs",
        description="Try a tool on made-up inputs of its inferred type: each kind of error and the largest use of fuel "
        "with the smallest input that shows it. The same seed tries the same inputs.",
        arguments=requests.Fuzz,
        answers=(FuzzAnswer,),
        example={"name": "square", "examples": 100},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="check_laws",
        title="Check laws again",
        description="Check the laws of a tool again from nothing: its code is translated and each law read again, and everything in "
        "its certificate is solved again; laws without a proof are tried at the same points.",
        arguments=requests.CheckLaws,
        answers=(LawsAnswer,),
        example={"name": "square"},
        read_only=True,
        idempotent=True,
    ),
)
"""The second list, which `--more` turns on."""

SHARING_TOOLS: tuple[ToolSpec, ...] = tuple(spec for spec in MORE_TOOLS if spec.name in ("export", "import"))
"""Those of it that a server has which shares with other registries."""

DESCRIPTION = 1_800
"""Characters of a tool's own description that are advertised; clients cut at 2,048."""


def own_tool(exposed: str, name: str, version: int, description: str, hash: str) -> ToolSpec:
    """The spec of an evolved tool as a tool of its own name, `exposed` as names of MCP are spelled."""
    shown = description if len(description) <= DESCRIPTION else description[: DESCRIPTION - 1] + "…"
    return ToolSpec(
        name=exposed,
        title=name,
        description=f"{shown or 'An evolved tool.'} (evolved tool, version {version}, {hash[:17]})",
        arguments=Call,
        answers=RUN_ANSWERS,
        example={"input": 7},
        read_only=True,
        idempotent=True,
    )
