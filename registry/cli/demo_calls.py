"""What an act of `pif demo` is made of: calls of tools, each with the part of the answer that has to come."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Act", "Call"]

Json = Any


class Call(msgspec.Struct, frozen=True):
    """One call of a tool. `expect` is the part of the answer that is compared; `note` says what to look at."""

    tool: str
    arguments: dict[str, Json]
    expect: dict[str, Json]
    note: str = ""
    progress: bool = False

    @property
    def refused(self) -> bool:
        """Whether the answer has to be an error result."""
        refusing = (self.expect.get("accepted"), self.expect.get("allowed"))
        return self.expect.get("type") == "error" or any(each is False for each in refusing)


class Act(msgspec.Struct, frozen=True):
    """Some calls that show one thing."""

    title: str
    calls: tuple[Call, ...]
