"""Whom the notifications of one client go to: its connection (2025), or the streams that it has opened (2026)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from registry.gateway.messages.replies import notification
from registry.gateway.upstream.raw_json import UnsoundJson, elements, joined, members, text_of, written

__all__ = ["SUBSCRIPTION", "Connection", "Outlet", "Send", "Stream", "wanted_by"]

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

Send: TypeAlias = Callable[[bytes], None]
"""Sends one message; it does not wait, and drops what is too much for a client that does not read."""

_CHANGES = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
}
_UPDATED = "notifications/resources/updated"


class Outlet(Protocol):
    """Where notifications that belong to no request go."""

    def tell(self, method: str, params: Mapping[str, bytes]) -> None:
        """Send one."""


class Connection:
    """A connection of the older generation: told of everything."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def tell(self, method: str, params: Mapping[str, bytes]) -> None:
        self._send(notification(method, params))


class Stream:
    """The answer to `subscriptions/listen`: told of what was asked for, each marked with the request's id."""

    def __init__(self, send: Send, number: bytes, changes: frozenset[str], uris: frozenset[str]) -> None:
        self._send = send
        self._number = number
        self._changes = changes
        self._uris = uris

    def begin(self) -> None:
        """Say what is listened to: the first of its messages."""
        said: dict[str, object] = dict.fromkeys(sorted(self._changes), True)
        if self._uris:
            said["resourceSubscriptions"] = sorted(self._uris)
        self._tell("notifications/subscriptions/acknowledged", {"notifications": written(said)})

    def tell(self, method: str, params: Mapping[str, bytes]) -> None:
        is_wanted = _CHANGES.get(method) in self._changes or (
            method == _UPDATED and text_of(params.get("uri", b'""')) in self._uris
        )
        if is_wanted:
            self._tell(method, params)

    def _tell(self, method: str, params: Mapping[str, bytes]) -> None:
        self._send(notification(method, {**params, "_meta": self.meta}))

    @property
    def meta(self) -> bytes:
        """What marks its messages, the last one too."""
        return joined({SUBSCRIPTION: self._number})


def wanted_by(asked: bytes) -> tuple[frozenset[str], list[str]]:
    """The changes and the addresses that `subscriptions/listen` asks for. Raises `UnsoundJson`."""
    found = members(asked)
    changes = frozenset(name for name in _CHANGES.values() if found.get(name) == b"true")
    uris = [text_of(each) for each in elements(found.get("resourceSubscriptions", b"[]"))]
    if len(uris) > 256:
        raise UnsoundJson("a stream has at most 256 addresses", code="too-many")
    return changes, list(dict.fromkeys(uris))
