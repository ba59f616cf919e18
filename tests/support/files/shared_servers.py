"""Servers that share, without processes: what `export` and `import` do, behind a wire that may end or lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kleis.prover.process.deadline import Deadline
from registry.errors import RegistryError
from registry.server.groups.pif.operations import Exchange, Places, performed
from registry.sharing.publication import content_of
from registry.sharing.pull import Puller
from registry.sharing.push import Pusher
from registry.sharing.server_source import ServerSource
from registry.sharing.service import SharingService
from registry.sharing.theories import Gathered, all_theories_of, index_hash
from registry.sharing.theory_proofs import Proofs
from registry.sharing.theory_pull import Shelf
from registry.sharing.wire import Server
from registry.workspace import requests
from tests.support.files.publications import Peer

__all__ = ["Line", "Lying", "Shared", "Upset", "pulled", "pushed", "pusher_of"]

Upset = Callable[[str, dict[str, Any], dict[str, Any]], dict[str, Any]]
"""What a liar answers: of the tool, its arguments and the honest answer."""


class Shared:
    """The server of a home."""

    def __init__(self, peer: Peer, namespace: str = "ops", shelf: Shelf | None = None) -> None:
        self.peer = peer
        theories = None if shelf is None else lambda: shelf
        self.service = SharingService(peer.workspace, peer.home, namespace, "owner", shelf=theories)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def answer(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The object that a call answers, errors too."""
        self.asked.append((tool, arguments))
        shape = requests.Export if tool == "export" else requests.Import
        asked = msgspec.convert(msgspec.json.decode(msgspec.json.encode(arguments)), shape)
        places = Places(Exchange(self.peer.home), lambda: self.service)
        answer = performed(self.peer.workspace, places, tool, asked, deadline=Deadline(60))
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
        return found


class Line:
    """A wire to such a server. It ends at a message: before the server has it, or with `late` before its answer is back."""

    def __init__(self, server: Shared, ends: int | None = None, *, late: bool = False) -> None:
        self.place = "https://there/mcp"
        self.left = ends
        self._late = late
        self._server = server

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        ended = RegistryError("store_error", "the connection ended", hint="again")
        if self.left is not None:
            self.left -= 1
        if self.left == -1 and not self._late:
            raise ended
        answer = self._server.answer(tool, arguments)
        if self.left == -1:
            raise ended
        if answer["type"] == "error":
            error = answer["error"]
            raise RegistryError(error["kind"], error["message"], hint=error.get("hint"))
        return answer

    def close(self) -> None:
        """Nothing is open."""


class Lying(Line):
    """A wire whose answers are changed."""

    def __init__(self, server: Shared, upset: Upset) -> None:
        super().__init__(server)
        self._upset = upset

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self._upset(tool, arguments, super().call(tool, **arguments))


def pulled(peer: Peer, line: Line, name: str = "") -> dict[str, Any]:
    """What a home pulls over a line: one tool, or all that is new. Errors are answers."""
    try:
        puller = Puller(peer.workspace, peer.home, ServerSource(line))
        return puller.one(name) if name else puller.all()
    except RegistryError as error:
        return {"type": "error", "error": error.as_json()}


def pushed(
    peer: Peer,
    line: Line,
    *names: str,
    namespace: str = "theirs",
    theories: Path | None = None,
    proofs: Proofs | None = None,
) -> dict[str, Any]:
    """What a home pushes over a line, with the saved theories of a directory. Errors are answers."""
    peer.key()
    try:
        return pusher_of(peer, line, names, namespace, theories, proofs).push()
    except RegistryError as error:
        return {"type": "error", "error": error.as_json()}


def pusher_of(
    peer: Peer,
    wire: Server,
    names: Sequence[str],
    namespace: str,
    theories: Path | None = None,
    proofs: Proofs | None = None,
) -> Pusher:
    """What brings tools of a home, all or those named, and the saved theories of a directory."""
    content = content_of(peer.workspace.tools(), peer.workspace.store, names or None)
    given = Gathered({}, {}) if theories is None else all_theories_of(theories, proofs)
    content.objects.update(given.objects)
    return Pusher(wire, content, peer.home, namespace, index_hash(given.rows))
