"""The fields of the answers of a run. They are built as these types, and the schemas of answers are made from them."""

from __future__ import annotations

from typing import Literal, NotRequired, Required, TypedDict

from pif.language.terms import Json
from pif.language.value_text import PrintedFields

__all__ = ["ContinuationAnswer", "ValueAnswer"]


class ValueAnswer(PrintedFields, total=False):
    """A value. `step` where several steps were asked for."""

    type: Required[Literal["value"]]
    kind: str
    step: int
    fuel_used: int
    trace: list[Json]
    warnings: list[dict[str, Json]]


class ContinuationAnswer(TypedDict):
    """A further step that is asked for. `session` is a server's: the theory that the step asks too."""

    type: Literal["continuation"]
    message: str
    tool: str
    next_input: Json
    step: int
    fuel_used: int
    raw: NotRequired[bool]
    stopped: NotRequired[str]
    session: NotRequired[str]
    trace: NotRequired[list[Json]]
    warnings: NotRequired[list[dict[str, Json]]]
