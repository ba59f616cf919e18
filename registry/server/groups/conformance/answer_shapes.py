"""What the tools of the group `conformance` answer."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

__all__ = ["FixtureAnswer"]


class FixtureAnswer(TypedDict):
    """The answer of any fixture. `answers`: what the client answered, by question. `given`: the arguments."""

    text: str
    answers: NotRequired[dict[str, Any]]
    given: NotRequired[dict[str, Any]]
