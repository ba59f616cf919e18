"""Sharing between registries: ten thousand tools taken in, then ten new ones; processor time of both sides, without a network."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pif.language.terms import code_text
from registry.records import content_hash
from registry.sharing.keys import TrustFile
from registry.sharing.pull import Puller
from registry.sharing.server_source import ServerSource
from registry.store.sqlite.sqlite_store import SqliteStore
from tests.support.files.publications import Peer
from tests.support.files.shared_servers import Line, Shared

__all__ = ["LIMITS", "measure"]

TOOLS = 10_000
NEW = 10
_SERVER = f"a server's root after {NEW} new tools / the first, of {TOOLS:,}"
_PULL = f"taking in {NEW} new tools / all {TOOLS:,} before"
_OBJECTS = f"objects sent for {NEW} new tools / for all {TOOLS:,}"
LIMITS = {_SERVER: 0.1, _PULL: 0.1, _OBJECTS: 0.01}


def _evolve(store: SqliteStore, numbers: range) -> None:
    for number in numbers:
        code = code_text({"lam": "x", "body": {"add": [{"var": "x"}, number]}})
        store.evolve(
            f"tool_{number}",
            code=code,
            hash=content_hash(code),
            description=f"adds {number}",
            capabilities=(),
        )


@contextmanager
def _peers() -> Iterator[tuple[Peer, Peer]]:
    with tempfile.TemporaryDirectory() as folder:
        peers = Peer(Path(folder) / "there"), Peer(Path(folder) / "here")
        TrustFile(peers[1].home).add(peers[0].key(), "there")
        yield peers
        for each in peers:
            each.close()


def _pull(server: Shared, here: Peer) -> tuple[float, float, int]:
    """The server's seconds for its root, those of a pull with the server's answers, and the objects that it sent."""
    begun = time.process_time()
    server.service.root()
    rooted = time.process_time()
    server.asked = []
    Puller(here.workspace, here.home, ServerSource(Line(server))).all()
    sent = sum(len(arguments.get("objects", ())) for _, arguments in server.asked)
    return rooted - begun, time.process_time() - rooted, sent


def measure(tools: int = TOOLS) -> dict[str, float]:
    """What ten new tools cost, in parts of what all cost before."""
    with _peers() as (there, here):
        store = there.workspace.store
        assert isinstance(store, SqliteStore)
        _evolve(store, range(tools))
        server = Shared(there)
        first = _pull(server, here)
        _evolve(store, range(tools, tools + NEW))
        later = _pull(server, here)
    return dict(
        zip((_SERVER, _PULL, _OBJECTS), (b / a for a, b in zip(first, later, strict=True)), strict=True)
    )
