"""The fields of the answers of the registry's operations. They are built as these types, and schemas made from them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from pif.analysis.types.tool_types import TypeFields
from pif.language.terms import Json
from registry.store.protocol import Outcome

__all__ = [
    "EvolvedAnswer",
    "ExportAnswer",
    "ForgottenAnswer",
    "HistoryAnswer",
    "ImportAnswer",
    "LawsAnswer",
    "ObjectsAnswer",
    "OfferAnswer",
    "RolledBackAnswer",
    "StagedAnswer",
    "TakenAnswer",
    "ToolListAnswer",
    "WantedAnswer",
]


class _ToolAnswer(TypedDict):
    """The current version of a tool."""

    type: Literal["tool"]
    name: str
    version: int
    hash: str
    description: str
    capabilities: list[str]
    warnings: NotRequired[list[dict[str, Json]]]


class EvolvedAnswer(_ToolAnswer, TypeFields):
    """A tool that was kept, or with `dry_run` would be; with what became of its examples and laws."""

    outcome: Outcome
    derived_from: NotRequired[str]
    closed_over: NotRequired[str]
    cost: NotRequired[dict[str, Json]]
    unfinished: NotRequired[list[str]]
    examples: NotRequired[list[Json]]
    laws: NotRequired[list[Json]]
    dropped_laws: NotRequired[list[str]]
    users: NotRequired[list[Json]]
    dry_run: NotRequired[bool]


class RolledBackAnswer(_ToolAnswer):
    """A tool whose current version is an older one again."""

    outcome: Literal["rolled_back"]


class ToolListAnswer(TypedDict):
    """Tools of the home, or of a team; those of the library and of teams that match a query beside them, and the teams."""

    type: Literal["tools"]
    tools: list[dict[str, Json]]
    total: int
    offset: int
    library: NotRequired[list[dict[str, Json]]]
    library_total: NotRequired[int]
    teams: NotRequired[list[dict[str, Json]]]
    shared: NotRequired[list[dict[str, Json]]]


class LawsAnswer(TypedDict):
    """The laws of a tool, checked again: what was found of each, and whether all hold."""

    type: Literal["laws"]
    tool: str
    ok: bool
    laws: list[dict[str, Json]]


class HistoryAnswer(TypedDict):
    """The events of a name, oldest first; those of a team's tool with the `principal` that made each."""

    type: Literal["history"]
    name: str
    events: list[dict[str, Json]]


class ForgottenAnswer(TypedDict):
    """Versions that are gone; `current` is what the name stands for now."""

    type: Literal["forgotten"]
    name: str
    versions: list[int]
    current: int | None
    warnings: NotRequired[list[dict[str, Json]]]


class ExportAnswer(TypedDict):
    """What was written where."""

    type: Literal["exported"]
    tools: int
    versions: int
    directory: str


class OfferAnswer(TypedDict):
    """The signed root of what a server offers."""

    type: Literal["offer"]
    root: str
    namespace: str


class ObjectsAnswer(TypedDict):
    """Objects of it, by hash."""

    type: Literal["objects"]
    objects: dict[str, str]


class StagedAnswer(TypedDict):
    """How many objects of a push were kept until its root asks for them."""

    type: Literal["staged"]
    objects: int


class WantedAnswer(TypedDict):
    """The objects of a push that have to come; where there are none, how many tools are new."""

    type: Literal["wanted"]
    objects: list[str]
    new: NotRequired[int]


class TakenAnswer(TypedDict):
    """What was taken in of a push, up to which tool, and how many are left."""

    type: Literal["taken"]
    after: str
    left: int
    fetched: int
    added: list[str]
    refused: list[dict[str, Json]]
    theories: NotRequired[list[str]]
    certificates: NotRequired[int]
    questions: NotRequired[list[dict[str, str]]]
    laws: NotRequired[Json]


class ImportAnswer(TypedDict):
    """What became of the tools of an export, and of their laws."""

    type: Literal["imported"]
    added: int
    tools: list[dict[str, Json]]
    ignored: list[str]
    laws: NotRequired[Json]
