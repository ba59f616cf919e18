"""What `explore` is asked, and what it answers. Apart from the search, which a server has done in another process."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec
from msgspec import Meta

__all__ = ["GENERATOR", "Asked", "ExploredAnswer"]

GENERATOR = "std.conjecture_equations"

Answer = dict[str, Any]


class ExploredAnswer(TypedDict):
    """The laws found, the conjectures refuted, the models that refute them; `next` where there is more."""

    type: Literal["exploration"]
    structure: NotRequired[str]
    tools: NotRequired[list[str]]
    carrier: str
    operations: list[str]
    generator: str
    size: int
    variables: int
    candidates: int
    counts: dict[str, int]
    complete: bool
    laws: list[Answer]
    follows: list[Answer]
    refuted: list[Answer]
    undecided: list[Answer]
    models: list[Answer]
    offset: int
    limit: int
    left_out: NotRequired[list[str]]
    problems: NotRequired[Answer]
    workers: NotRequired[Answer]
    next: NotRequired[str]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `explore`: a structure of a session, or tools.

    `effort` multiplies the budgets of engines; `limit` and `offset` choose rows of the lists of refuted and of following laws.
    """

    structure: str = ""
    tools: Annotated[tuple[str, ...], Meta(description="PIF tools, instead")] = ()
    session: str = "default"
    size: Annotated[int, Meta(ge=1, le=20, description="symbols a side")] = 5
    variables: Annotated[int, Meta(ge=0, le=6)] = 3
    generator: Annotated[str, Meta(description="PIF tool: record → list of quoted propositions")] = (
        msgspec.field(default_factory=lambda: GENERATOR)  # a factory's default is not shown
    )
    carrier: str | None = None
    offset: Annotated[int, Meta(ge=0)] = msgspec.field(default_factory=int)
    limit: Annotated[int, Meta(ge=0, le=1_000)] = 20
    effort: Annotated[int, Meta(ge=1, le=100)] = msgspec.field(default_factory=lambda: 1)
