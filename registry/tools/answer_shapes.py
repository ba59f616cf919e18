"""The fields of what is said of tools and terms. Answers are built as these types, and schemas made from them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from pif.analysis.types.tool_types import TypeFields
from pif.language.terms import Json

__all__ = ["AnalysisAnswer", "DiffAnswer", "FuzzAnswer", "HelpAnswer"]


class HelpAnswer(TypedDict):
    """The text on a category or an operation."""

    type: Literal["help"]
    topic: str
    text: str


class AnalysisAnswer(TypeFields, total=False):
    """What is known of a term, by the aspects asked for; None where an analysis was not finished."""

    type: Literal["analysis"]
    tool: str
    origin: dict[str, Json]
    valid: bool
    errors: list[dict[str, Json]]
    warnings: list[dict[str, Json]]
    nodes: int
    depth: int
    operations: dict[str, int]
    free: list[str]
    tools: list[str]
    capabilities: list[str]
    reach: dict[str, Json]
    cost: dict[str, Json]
    dead_code: list[dict[str, Json]] | None
    normal_form: Json
    is_normal: bool | None
    users: list[dict[str, Json]]
    graph: str
    equivalence: dict[str, Json]
    unfinished: list[str]


DiffAnswer = TypedDict(
    "DiffAnswer",
    {
        "type": Literal["diff"],
        "from": str,
        "to": str,
        "same": bool,
        "same_normal_form": bool | None,
        "changes": list[Json],
        "unfinished": NotRequired[list[str]],
    },
)
"""How two tools differ."""


class FuzzAnswer(TypedDict):
    """What became of made-up inputs."""

    type: Literal["fuzz"]
    tool: str
    input_type: str | None
    seed: int
    examples: int
    distinct: int
    outcomes: dict[str, int]
    errors: list[Json]
    fuel: NotRequired[dict[str, Json]]
    stopped: NotRequired[bool]
