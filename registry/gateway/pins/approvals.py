"""What is known of servers from before, as the front asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import msgspec

__all__ = ["Approval", "Approvals", "Listed"]

Listed: TypeAlias = Literal["tools", "resources", "templates", "prompts"]


class Approval(msgspec.Struct, frozen=True):
    """The digest of what a server says of one thing, and why that is not approved: empty where it is.

    `template`: the JSON of the approved template that a new resource is an instance of; then what the server says of the
    resource is not approved, and is not shown.
    """

    digest: str
    problem: str = ""
    template: bytes = b""


class Approvals(Protocol):
    """What was approved of servers."""

    @property
    def state(self) -> object:
        """Another value once something else may be approved than before."""

    def check(self, server: str, kind: Listed, items: Mapping[str, bytes]) -> Mapping[str, Approval]:
        """The approval of each item of a server's list, by the item's own name or address."""

    def heard(self, server: str, instructions: str) -> None:
        """A server has started, and this is what it tells its clients."""

    def instructions(self, server: str) -> str:
        """The instructions of a server that were approved; empty where there are none, or none yet."""
