"""What a running server of ours offers, as a source: the root first, then what is missing, in pages (docs/reference/registry.md §3.1).

The server is believed in nothing: the root is signed, and an object counts only if its bytes have the hash that it was asked for by.
It says how much of a page it sends; a page with nothing that was asked for is the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from registry.errors import RegistryError
from registry.sharing.manifest import MANIFEST_LIMIT, OBJECT_LIMIT, untrue
from registry.sharing.sources import bounded, hashed
from registry.sharing.wire import Server

__all__ = ["PAGE", "ServerSource"]

PAGE: Final = 500
"""Objects that are asked for by one call."""

_HELD: Final = 128 * 1024 * 1024
"""Bytes that are held until they are read: as many as one tool and all that it names may have."""


class ServerSource:
    """A server at the other end of a wire."""

    stream = "server"

    def __init__(self, wire: Server) -> None:
        self._wire = wire
        self._held: dict[str, bytes] = {}
        self._size = 0

    @property
    def place(self) -> str:
        """The server's address."""
        return self._wire.place

    def root(self) -> bytes:
        answer = self._wire.call("export", share=True)
        root = answer.get("root")
        if answer.get("type") != "offer" or not isinstance(root, str):
            raise untrue(self.place, "the server's answer has no root", str(answer.get("type")), "an offer")
        return bounded(_bytes(root, self.place), MANIFEST_LIMIT, self.place)

    def ahead(self, hashes: Sequence[str]) -> None:
        self._held, self._size = {}, 0
        left = [each for each in dict.fromkeys(hashes) if each not in self._held]
        while left and self._size <= _HELD:
            sent = self._page(left[:PAGE])
            left = [each for each in left if each not in sent]

    def object(self, hash_: str, limit: int) -> bytes:
        content = self._held.pop(hash_, None)
        if content is None:
            self._page([hash_])
            content = self._held.pop(hash_)
        self._size -= len(content)
        return bounded(content, limit, f"{self.place} {hash_}")

    def close(self) -> None:
        self._wire.close()

    def _page(self, hashes: list[str]) -> dict[str, Any]:
        answer = self._wire.call("export", objects=hashes)
        sent = answer.get("objects")
        if answer.get("type") != "objects" or not isinstance(sent, dict):
            raise untrue(self.place, "the server's answer has no objects", str(answer.get("type")), "objects")
        found = {each: sent[each] for each in hashes if each in sent}
        if not found:
            raise RegistryError(
                "invalid_argument", "the server does not have an object that it offered", file=self.place,
                found="nothing", expected=hashes[0], hint="Its tools may have changed meanwhile: repeat the command.",
            )  # fmt: skip
        for hash_, text in found.items():
            place = f"{self.place} {hash_}"
            content = bounded(_bytes(text, place), OBJECT_LIMIT, place)
            self._held[hash_] = hashed(content, hash_, place)
            self._size += len(content)
        return found


def _bytes(text: object, place: str) -> bytes:
    """The bytes of a text; raises `invalid_argument` for what is none."""
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:
            pass
    raise untrue(place, "an object is no text", type(text).__name__, "Unicode text")
