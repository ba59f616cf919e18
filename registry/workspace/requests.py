"""The arguments of each operation on PIF tools, one type an operation.

A type is all that is said of an operation's arguments: `Workspace` takes it, the server advertises its JSON Schema as
the tool's (`registry.server.contract.advertised_schemas:schema_of`) and converts a call to it, an evolve file is
checked against it, and the parameters of the `pif` commands have the names of its fields. Descriptions are for clients
of the server, and pinned like all they see. The argument of `help` is `registry.tools.help.Help`.

`None`, an empty text and an empty list mean that an argument was left out; where the schema shows another default
(`shown`), it is what the operation takes then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pif.language.budget import DEFAULT_FUEL
from pif.language.terms import Json
from registry.tools.analysis import DEFAULT_ASPECTS, Aspect
from registry.tools.code_and_examples import Example, Language, coded
from registry.tools.composition import Transform

__all__ = [
    "EXAMPLES",
    "LONGEST",
    "MOST_EXAMPLES",
    "PAGE",
    "SQUARE",
    "STANDARD",
    "Analyze",
    "CheckLaws",
    "Diff",
    "Evolve",
    "Export",
    "Forget",
    "Fuzz",
    "History",
    "Import",
    "List",
    "Natural",
    "Positive",
    "Rollback",
    "Run",
]

LONGEST = 35_000
"""Milliseconds that proofs of laws may take: clients give up at 50 or 60 seconds, and what is left is tried besides."""

STANDARD = 25_000
"""Milliseconds that they may take where nothing else is said."""

PAGE = 50
"""Tools in one answer of `list` unless `limit` says otherwise."""

EXAMPLES = 200
"""Inputs that `fuzz` tries unless a number is given."""

MOST_EXAMPLES = 100_000

SQUARE: Json = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
"""The code of the tool that examples are about."""

Natural = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]


def shown(default: Json, description: str = "") -> Meta:
    """A description with a default that the operation fills in, so that the field's own may be None."""
    return Meta(description=description or None, extra_json_schema={"default": default})


Milliseconds = Annotated[int, Meta(ge=1, le=LONGEST), shown(STANDARD)]


class Evolve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool, or a new version of one. One of `code`, `compose` and `transform` says what it does."""

    name: Annotated[str, Meta(description="NAME or team/TEAM/NAME, of letters, digits, _ . -")]
    description: Annotated[str, Meta(description="what it does")]
    code: Annotated[Any, coded(f"the term, e.g. {msgspec.json.encode(SQUARE).decode()}")] = UNSET
    compose: Annotated[
        Sequence[Annotated[Any, coded()]] | None,
        Meta(description='instead of code: a pipeline of tools, e.g. ["sort", "reverse"]'),
    ] = None
    transform: Transform | None = None
    examples: Annotated[
        Sequence[Example],
        Meta(
            description="inputs (for curried tools: lists of arguments) with the outputs that must come",
        ),
    ] = ()
    expect_version: Annotated[
        Natural | None,
        Meta(description="refuse unless this version is current; 0: unless the name is free"),
    ] = None
    dry_run: Annotated[bool, Meta(description="check everything, keep nothing")] = False
    language: Annotated[
        Language,
        Meta(description="python: `code` is the text of one small pure function"),
    ] = "json"
    force: Annotated[bool, Meta(description="replace it though examples of tools that use it fail")] = False
    laws: Annotated[
        Sequence[str],
        Meta(
            description="Kleis propositions, e.g. ∀(x : ℤ). square(x) ≥ 0, or safe(square): proved or tested; a false one "
            "refuses the tool; new versions keep them"
        ),
    ] = ()
    drop_laws: Annotated[Sequence[str], Meta(description="laws to give up")] = ()
    timeout_ms: Milliseconds | None = None


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run of a tool or of a term: exactly one of `code` and `tool`."""

    code: Annotated[Any, coded("a tool's name, name@version, or a term")] = UNSET
    tool: Annotated[str | UnsetType, Meta(description="a tool's name, instead of code")] = UNSET
    input: Annotated[Any, Meta(description="what the function is called on; plain JSON or a term")] = None
    fuel: Annotated[Positive, shown(DEFAULT_FUEL, "steps allowed")] | None = None
    drive: Annotated[Natural, Meta(description="take up to this many steps")] = 0
    step: Annotated[Natural, Meta(description="steps taken before")] = 0
    trace: Annotated[int, Meta(ge=0, le=1_000, description="return this many last events")] = 0
    raw: Annotated[bool, Meta(description="leave strings in the input as they are")] = False
    data: Annotated[bool, Meta(description="take the input as plain data")] = False
    session: Annotated[str | None, Meta(description="the theory that `verify`, `kleis`, … ask")] = None


class List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tools whose names or descriptions hold every word of `query`."""

    query: Annotated[str, Meta(description="words to look for")] = ""
    offset: Annotated[Natural, Meta(description="skip this many")] = 0
    limit: Annotated[int, Meta(ge=1, le=1_000, description="at most this many")] = PAGE
    library: Annotated[bool, Meta(description="the library alone")] = False
    team: str = ""


class Analyze(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a tool or a term without running it; or whether `against` does the same."""

    code: Annotated[Any, coded("a tool's name, name@version, or a term")]
    against: Annotated[Any, coded("a second one: do both do the same?")] = UNSET
    aspects: Sequence[Aspect] = DEFAULT_ASPECTS
    timeout_ms: Milliseconds | None = None


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The events of a name."""

    name: Annotated[str, Meta(description="a tool's name")]


class Diff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where two tools or versions differ."""

    name: Annotated[str, Meta(description="name or name@version")]
    against: Annotated[str | None, Meta(description="what to compare with")] = None


class Rollback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An older version made the current one."""

    name: Annotated[str, Meta(description="a tool's name")]
    version: Annotated[Positive, Meta(description="the version to make current")]
    expect_version: Annotated[Natural | None, Meta(description="refuse unless this version is current")] = (
        None
    )
    force: Annotated[bool, Meta(description="go back though examples of tools that use it fail")] = False


class Forget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool, or a version of one, dropped for good."""

    name: Annotated[str, Meta(description="name, or name@version for one version")]


ObjectHash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All tools written to a directory of files; or for another registry that pulls: the signed root, or objects of it."""

    directory: Annotated[str, Meta(description="a plain directory name")] = ""
    share: Annotated[bool, Meta(description="answer the signed root of what is shared instead")] = False
    objects: Annotated[
        tuple[ObjectHash, ...],
        Meta(max_length=500, description="answer these objects of it instead, by hash"),
    ] = ()
    overwrite: Annotated[bool, Meta(description="replace an earlier export there")] = False
    team: Annotated[str, Meta(description="the tools of this team of yours instead")] = ""


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tools of such a directory taken in; or those that another registry pushes: its signed root, or objects of it."""

    directory: Annotated[str, Meta(description="a plain directory name")] = ""
    root: Annotated[str, Meta(description="the root of a push instead: which objects are wanted")] = ""
    objects: Annotated[
        tuple[str, ...], Meta(max_length=500, description="with root: objects of that push, as texts")
    ] = ()
    after: (
        Annotated[str, Meta(max_length=80, description="with root: take in tools, those after this one")]
        | None
    ) = None
    theories: Annotated[bool, Meta(description="with root: about its saved theories instead")] = False
    questions: Annotated[bool, Meta(description="with root: about its certificates of questions instead")] = (
        False
    )
    renumber: Annotated[bool, Meta(description="give versions whose number is taken new numbers")] = False
    trust_nothing: Annotated[
        bool, Meta(description="prove the laws anew instead of checking their certificates")
    ] = False
    force: Annotated[bool, Meta(description="take them in though examples of tools that use them fail")] = (
        False
    )
    timeout_ms: Milliseconds | None = None
    team: Annotated[str, Meta(description="as tools of this team of yours")] = ""


class CheckLaws(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The laws of a tool checked again from nothing."""

    name: Annotated[str, Meta(description="name or name@version")]
    timeout_ms: Milliseconds | None = None


class Fuzz(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool tried on made-up inputs."""

    name: Annotated[str, Meta(description="name or name@version")]
    examples: Annotated[int, Meta(ge=1, le=MOST_EXAMPLES, description="inputs to try")] = EXAMPLES
    seed: Annotated[Natural, Meta(description="which inputs")] = 0
    fuel: Annotated[Positive, shown(DEFAULT_FUEL, "steps allowed in each run")] | None = None
    type: Annotated[
        str | None,
        Meta(description="the type of the inputs, instead of the inferred one, e.g. list(integer)"),
    ] = None
